// SPDX-License-Identifier: MIT
// Model exchange of an FMU, of any version: what its description and the user say. Only for src/fmi.
#ifndef TAKT_FMI_FMU_ME_H
#define TAKT_FMI_FMU_ME_H

#include "fmi/fmu_instance.h"
#include "fmi/me.h"

/// Prepares the integrating part of an instance. End it with takt_me_clear(), also after a failure.
takt_status takt_fmu_init_me(takt_me *me, takt_instance *instance, const takt_me_interface *calls,
                             takt_error *err);

#endif
