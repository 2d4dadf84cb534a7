// SPDX-License-Identifier: MIT
// Which elements of arrays depend on which in FMI 3.0; for the tables of instance types.
#ifndef TAKT_FMU_FMI3_DEPENDENCIES_H
#define TAKT_FMU_FMI3_DEPENDENCIES_H

#include "fmu/fmi3_instance.h"

takt_status takt_fmi3_depend(takt_instance *instance, int variable, takt_arena *arena,
                             takt_dependency *out, takt_error *err);

#endif
