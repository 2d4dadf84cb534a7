// SPDX-License-Identifier: MIT
// Setting and getting values the way of FMI 1.0 and 2.0, which differ only in names and in the size of
// a Boolean: one call per type, Reals straight from and to our buffers, the others converted in room
// that the instance keeps. Also turns the sign of negated aliases (FMI 1.0). Only for src/fmi.
#ifndef TAKT_FMU_SCALARS_H
#define TAKT_FMU_SCALARS_H

#include "fmu/instance.h"

enum { TAKT_SCALAR_REAL, TAKT_SCALAR_INTEGER, TAKT_SCALAR_BOOLEAN, TAKT_SCALAR_STRING };
enum { TAKT_N_SCALARS = 4 };

/// Calls a function of the FMU. `values` holds double, int, int (also for Booleans) or const char *.
typedef int (*takt_scalar_fn)(takt_fmu_instance *self, const uint32_t *refs, size_t n,
                              void *values);

typedef struct takt_scalar_call {
    const char *name; ///< "fmi2SetReal"
    takt_scalar_fn call; ///< NULL: the library lacks it
} takt_scalar_call;

/// Calls a function of the FMU about first derivatives by time; `orders` are all 1.
typedef struct takt_derivative_call {
    const char *name; ///< "fmi2SetRealInputDerivatives"
    int (*call)(takt_fmu_instance *self, const uint32_t *refs, size_t n, const int *orders,
                double *values); ///< NULL: the library lacks it
} takt_derivative_call;

typedef struct takt_scalars {
    takt_scalar_call set[TAKT_N_SCALARS], get[TAKT_N_SCALARS];
    takt_derivative_call set_derivatives, get_derivatives; ///< of co-simulation
    void *room; ///< for converting values; grows to the largest access and is then reused
    size_t size; ///< of room, in bytes
} takt_scalars;

takt_status takt_scalars_set(takt_scalars *scalars, takt_fmu_instance *self,
                             const takt_access *access, const takt_values *values, takt_error *err);
takt_status takt_scalars_get(takt_scalars *scalars, takt_fmu_instance *self,
                             const takt_access *access, takt_values *values, takt_error *err);

/// Do all values go straight from and to our buffers, with one call for each side?
bool takt_scalars_are_direct(const takt_fmu_instance *self, const takt_exchange *exchange);

/// First derivatives by time, of Reals; see takt_instance_type.
takt_status takt_scalars_set_derivatives(takt_scalars *scalars, takt_fmu_instance *self,
                                         const takt_access *access, const double *derivatives,
                                         takt_error *err);
takt_status takt_scalars_get_derivatives(takt_scalars *scalars, takt_fmu_instance *self,
                                         const takt_access *access, double *derivatives,
                                         takt_error *err);

/// Sets String variables to their start values. It should not be necessary, but FMUs of MapleSim crash
/// when their state is saved before.
takt_status takt_scalars_set_string_starts(takt_scalars *scalars, takt_fmu_instance *self,
                                           takt_error *err);

void takt_scalars_clear(takt_scalars *scalars);

#endif
