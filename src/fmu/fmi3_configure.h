// SPDX-License-Identifier: MIT
// Structural parameters of an FMU of FMI 3.0.
#ifndef TAKT_FMU_FMI3_CONFIGURE_H
#define TAKT_FMU_FMI3_CONFIGURE_H

#include "fmu/fmi3_instance.h"

/// Sets the structural parameters of a new instance of a model with other sizes.
takt_status takt_fmi3_configure(takt_fmi3_instance *self, takt_error *err);

/// To configuration mode and back.
takt_status takt_fmi3_enter_configuration(takt_fmi3_instance *self, takt_error *err);
takt_status takt_fmi3_exit_configuration(takt_fmi3_instance *self, takt_error *err);

#endif
