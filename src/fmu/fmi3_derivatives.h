// SPDX-License-Identifier: MIT
// Derivatives that an FMU of FMI 3.0 gives; for the tables of instance types.
#ifndef TAKT_FMU_FMI3_DERIVATIVES_H
#define TAKT_FMU_FMI3_DERIVATIVES_H

#include "fmu/fmi3_instance.h"

takt_status takt_fmi3_differentiate(takt_instance *instance, const takt_access *unknowns,
                                    const takt_access *knowns, const double *seed,
                                    double *derivative, takt_error *err);

takt_status takt_fmi3_get_derivatives(takt_instance *instance, const takt_access *outputs,
                                      double *derivatives, takt_error *err);

#endif
