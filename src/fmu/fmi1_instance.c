// SPDX-License-Identifier: MIT
// Life, initialization and values of FMUs of FMI 1.0, which are the same for co-simulation and model
// exchange; see takt_fmi1_instance.h.
//
// FMI 1.0 has no initialization mode: a single call, fmiInitializeSlave or fmiInitialize, ends
// initialization. Values that are set before it are start values and inputs for it; outputs can be read
// after it. So the call is put off until an output is asked for or initialization ends: by then the plan
// has set all inputs that can be known. Where inputs change again (loops), they are set after it, and
// count for the outputs only as far as the FMU computes them without a step.
#include "fmu/fmi1_instance.h"

#include <stdlib.h>

// ---- values --------------------------------------------------------------------------------------

// One function per direction and type that calls the one of the library.
#define FMI1_SCALAR_LIST(X)                                                                        \
    X(Real, TAKT_SCALAR_REAL)                                                                      \
    X(Integer, TAKT_SCALAR_INTEGER)                                                                \
    X(String, TAKT_SCALAR_STRING)

#define SCALAR_FUNCTIONS(type, scalar)                                                             \
    static int set_##type(takt_fmu_instance *common, const uint32_t *refs, size_t n, void *values) \
    {                                                                                              \
        takt_fmi1_instance *self = (takt_fmi1_instance *)common;                                   \
        return (int)self->fmi1->fmiSet##type(self->component, refs, n, values);                    \
    }                                                                                              \
    static int get_##type(takt_fmu_instance *common, const uint32_t *refs, size_t n, void *values) \
    {                                                                                              \
        takt_fmi1_instance *self = (takt_fmi1_instance *)common;                                   \
        return (int)self->fmi1->fmiGet##type(self->component, refs, n, values);                    \
    }
FMI1_SCALAR_LIST(SCALAR_FUNCTIONS)

// A Boolean of FMI 1.0 is one byte: the array of int is packed in place.
static int set_Boolean(takt_fmu_instance *common, const uint32_t *refs, size_t n, void *values)
{
    takt_fmi1_instance *self = (takt_fmi1_instance *)common;
    const int *from = values;
    fmiBoolean *to = values;
    for (size_t i = 0; i < n; i++) to[i] = from[i] ? fmiTrue : fmiFalse;
    return (int)self->fmi1->fmiSetBoolean(self->component, refs, n, to);
}

static int get_Boolean(takt_fmu_instance *common, const uint32_t *refs, size_t n, void *values)
{
    takt_fmi1_instance *self = (takt_fmi1_instance *)common;
    const fmiBoolean *from = values;
    int *to = values;
    fmiStatus status = self->fmi1->fmiGetBoolean(self->component, refs, n, values);
    for (size_t i = n; i-- > 0;) to[i] = from[i] != fmiFalse; // from the end, where there is room
    return (int)status;
}

static int set_derivatives(takt_fmu_instance *common, const uint32_t *refs, size_t n,
                           const int *orders, double *values)
{
    takt_fmi1_instance *self = (takt_fmi1_instance *)common;
    return (int)self->fmi1->fmiSetRealInputDerivatives(self->component, refs, n, orders, values);
}

static int get_derivatives(takt_fmu_instance *common, const uint32_t *refs, size_t n,
                           const int *orders, double *values)
{
    takt_fmi1_instance *self = (takt_fmi1_instance *)common;
    return (int)self->fmi1->fmiGetRealOutputDerivatives(self->component, refs, n, orders, values);
}

static void init_scalars(takt_fmi1_instance *self)
{
    const takt_fmi1_functions *fmi1 = self->fmi1;
#define SCALAR_CALLS(type, scalar)                                                                 \
    self->scalars.set[scalar] =                                                                    \
        (takt_scalar_call){"fmiSet" #type, fmi1->fmiSet##type ? set_##type : NULL};                \
    self->scalars.get[scalar] =                                                                    \
        (takt_scalar_call){"fmiGet" #type, fmi1->fmiGet##type ? get_##type : NULL};
    FMI1_SCALAR_LIST(SCALAR_CALLS)
    SCALAR_CALLS(Boolean, TAKT_SCALAR_BOOLEAN)
    self->scalars.set_derivatives = (takt_derivative_call){
        "fmiSetRealInputDerivatives", fmi1->fmiSetRealInputDerivatives ? set_derivatives : NULL};
    self->scalars.get_derivatives = (takt_derivative_call){
        "fmiGetRealOutputDerivatives", fmi1->fmiGetRealOutputDerivatives ? get_derivatives : NULL};
}

// ---- life ----------------------------------------------------------------------------------------

takt_status takt_fmi1_create(const takt_fmi1_kind *kind, const takt_model *model, const char *name,
                             takt_log *log, takt_instance **out, takt_error *err)
{
    takt_fmi1_instance *self = calloc(1, kind->size);
    if (!self) return takt_fail_memory(err);
    self->kind = kind;
    takt_status st = takt_fmu_instance_init(&self->common, kind->type, model, name, log, err);
    if (!st) st = takt_step_signal_init(&self->signal, err);
    self->listener =
        (takt_fmi1_listener){.log = &self->common.log, .name = name, .signal = &self->signal};
    takt_fmi1_log_enter(&self->listener);
    if (!st) {
        self->fmi1 = &self->common.library->fmi1;
        init_scalars(self);
        st = kind->create(self, err);
    }
    if (st && self->fmi1 && !self->component && takt_fmu_change_to_copy(&self->common)) {
        self->fmi1 = &self->common.library->fmi1;
        st = kind->create(self, err);
    }
    if (!st) st = takt_scalars_set_string_starts(&self->scalars, &self->common, err);
    if (st)
        takt_fmi1_destroy(&self->common.base);
    else
        *out = &self->common.base;
    return st;
}

void takt_fmi1_destroy(takt_instance *instance)
{
    if (!instance) return;
    takt_fmi1_instance *self = (takt_fmi1_instance *)instance;
    if (self->component && takt_fmu_may_free(&self->common)) self->kind->release(self);
    takt_fmi1_log_remove(&self->listener);
    takt_fmu_instance_clear(&self->common);
    takt_scalars_clear(&self->scalars);
    takt_step_signal_clear(&self->signal);
    free(self);
}

// ---- initialization ------------------------------------------------------------------------------

takt_status takt_fmi1_enter_initialization(takt_instance *instance, const takt_interval *interval,
                                           takt_error *err)
{
    takt_fmi1_instance *self = (takt_fmi1_instance *)instance;
    (void)err;
    self->interval = *interval;
    self->common.time = interval->start;
    self->common.phase = TAKT_FMU_INITIALIZING;
    return TAKT_OK;
}

// Makes the call that was put off, once.
static takt_status initialize(takt_fmi1_instance *self, takt_error *err)
{
    if (self->is_initialized || self->common.phase != TAKT_FMU_INITIALIZING) return TAKT_OK;
    takt_status st = self->kind->initialize(self, err);
    self->is_initialized = st == TAKT_OK;
    return st;
}

takt_status takt_fmi1_exit_initialization(takt_instance *instance, takt_error *err)
{
    takt_fmi1_instance *self = (takt_fmi1_instance *)instance;
    takt_status st = initialize(self, err);
    if (!st) self->common.phase = TAKT_FMU_STEPPING;
    return st;
}

takt_status takt_fmi1_set(takt_instance *instance, const takt_access *access,
                          const takt_values *values, takt_error *err)
{
    takt_fmi1_instance *self = (takt_fmi1_instance *)instance;
    return takt_scalars_set(&self->scalars, &self->common, access, values, err);
}

takt_status takt_fmi1_get(takt_instance *instance, const takt_access *access, takt_values *values,
                          takt_error *err)
{
    takt_fmi1_instance *self = (takt_fmi1_instance *)instance;
    takt_status st = initialize(self, err);
    return st ? st : takt_scalars_get(&self->scalars, &self->common, access, values, err);
}
