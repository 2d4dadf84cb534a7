// SPDX-License-Identifier: MIT
// Setting and getting values of an FMU of FMI 3.0.
#ifndef TAKT_FMU_FMI3_VALUES_H
#define TAKT_FMU_FMI3_VALUES_H

#include "fmu/fmi3_instance.h"

takt_status takt_fmi3_set(takt_instance *instance, const takt_access *access,
                          const takt_values *values, takt_error *err);
takt_status takt_fmi3_get(takt_instance *instance, const takt_access *access, takt_values *values,
                          takt_error *err);

/// Reads one run of values of a batch, from index `first` on: a variable, or elements of one array, as
/// many as lie there. Returns their number in `n`.
takt_status takt_fmi3_get_run(takt_fmi3_instance *self, const takt_access_batch *batch, int first,
                              takt_values *values, int *n, takt_error *err);
void takt_fmi3_values_clear(takt_fmi3_instance *self);

#endif
