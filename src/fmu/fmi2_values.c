// SPDX-License-Identifier: MIT
// Values of an FMU of FMI 2.0; see fmi2_instance.h.
#include "fmu/fmi2_instance.h"

// One function per direction and type that calls the one of the library.
#define FMI2_SCALAR_LIST(X)                                                                        \
    X(Real, TAKT_SCALAR_REAL)                                                                      \
    X(Integer, TAKT_SCALAR_INTEGER)                                                                \
    X(Boolean, TAKT_SCALAR_BOOLEAN)                                                                \
    X(String, TAKT_SCALAR_STRING)

#define SCALAR_FUNCTIONS(type, scalar)                                                             \
    static int set_##type(takt_fmu_instance *common, const uint32_t *refs, size_t n, void *values) \
    {                                                                                              \
        takt_fmi2_instance *self = (takt_fmi2_instance *)common;                                   \
        return (int)self->fmi2->fmi2Set##type(self->component, refs, n, values);                   \
    }                                                                                              \
    static int get_##type(takt_fmu_instance *common, const uint32_t *refs, size_t n, void *values) \
    {                                                                                              \
        takt_fmi2_instance *self = (takt_fmi2_instance *)common;                                   \
        return (int)self->fmi2->fmi2Get##type(self->component, refs, n, values);                   \
    }
FMI2_SCALAR_LIST(SCALAR_FUNCTIONS)

static int set_derivatives(takt_fmu_instance *common, const uint32_t *refs, size_t n,
                           const int *orders, double *values)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)common;
    return (int)self->fmi2->fmi2SetRealInputDerivatives(self->component, refs, n, orders, values);
}

static int get_derivatives(takt_fmu_instance *common, const uint32_t *refs, size_t n,
                           const int *orders, double *values)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)common;
    return (int)self->fmi2->fmi2GetRealOutputDerivatives(self->component, refs, n, orders, values);
}

void takt_fmi2_init_scalars(takt_fmi2_instance *self)
{
    const takt_fmi2_functions *fmi2 = self->fmi2;
#define SCALAR_CALLS(type, scalar)                                                                 \
    self->scalars.set[scalar] =                                                                    \
        (takt_scalar_call){"fmi2Set" #type, fmi2->fmi2Set##type ? set_##type : NULL};              \
    self->scalars.get[scalar] =                                                                    \
        (takt_scalar_call){"fmi2Get" #type, fmi2->fmi2Get##type ? get_##type : NULL};
    FMI2_SCALAR_LIST(SCALAR_CALLS)
    self->scalars.set_derivatives = (takt_derivative_call){
        "fmi2SetRealInputDerivatives", fmi2->fmi2SetRealInputDerivatives ? set_derivatives : NULL};
    self->scalars.get_derivatives =
        (takt_derivative_call){"fmi2GetRealOutputDerivatives",
                               fmi2->fmi2GetRealOutputDerivatives ? get_derivatives : NULL};
}

takt_status takt_fmi2_set(takt_instance *instance, const takt_access *access,
                          const takt_values *values, takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    return takt_scalars_set(&self->scalars, &self->common, access, values, err);
}

takt_status takt_fmi2_get(takt_instance *instance, const takt_access *access, takt_values *values,
                          takt_error *err)
{
    takt_fmi2_instance *self = (takt_fmi2_instance *)instance;
    return takt_scalars_get(&self->scalars, &self->common, access, values, err);
}
