// SPDX-License-Identifier: MIT
// What FMI 1.0 and 2.0 do alike in co-simulation, but for the names of functions; only for fmiN_cs.c.
#ifndef TAKT_FMU_CS_CALLS_H
#define TAKT_FMU_CS_CALLS_H

#include "fmu/advance.h"
#include "fmu/scalars.h"

/// Defines cs_step, cs_can_advance, cs_advance, cs_call_names, cs_set_motion, cs_motion_order and cs_get_derivatives for
/// a table of instance types. `FMI` is how the names of the version begin (fmi or fmi2), `Instance` the type of instances,
/// which have takt_scalars `scalars`; do_step, a takt_fmu_step_fn, must have been defined.
#define TAKT_CS_CALLS(FMI, Instance)                                                               \
    static takt_status cs_step(takt_instance *instance, double t, double h, bool is_final,         \
                               takt_step_result *result, takt_error *err)                          \
    {                                                                                              \
        Instance *self = (Instance *)instance;                                                     \
        bool is_there = self->functions->FMI##DoStep != NULL;                                      \
        self->common.time = t;                                                                     \
        takt_status st = takt_fmu_begin(&self->common, is_there, #FMI "DoStep", err);              \
        return st ? st : takt_fmu_step(&self->common, do_step, t, h, is_final, result, err);       \
    }                                                                                              \
    static bool cs_can_advance(const takt_instance *instance, const takt_coupling *coupling)       \
    {                                                                                              \
        const Instance *self = (const Instance *)instance;                                         \
        return takt_scalars_are_direct(&self->common, coupling) &&                                 \
               self->functions->FMI##SetReal && self->functions->FMI##DoStep &&                    \
               self->functions->FMI##GetReal;                                                      \
    }                                                                                              \
    static int set_reals(takt_fmu_instance *common, const takt_direct *in, const double *values)   \
    {                                                                                              \
        const Instance *self = (const Instance *)common;                                           \
        return (int)self->functions->FMI##SetReal(common->component, in->refs, in->n_refs,         \
                                                  values);                                         \
    }                                                                                              \
    static int get_reals(takt_fmu_instance *common, const takt_direct *out)                        \
    {                                                                                              \
        const Instance *self = (const Instance *)common;                                           \
        return (int)self->functions->FMI##GetReal(common->component, out->refs, out->n_refs,       \
                                                  out->values);                                    \
    }                                                                                              \
    static const char *const cs_call_names[] = {#FMI "SetReal", #FMI "DoStep", #FMI "GetReal"};    \
    static takt_status cs_set_motion(takt_instance *instance, double t, const takt_access *inputs, \
                                     int order, const double *derivatives, takt_error *err)        \
    {                                                                                              \
        Instance *self = (Instance *)instance;                                                     \
        (void)t; /* known to the FMU */                                                            \
        return takt_scalars_set_motion(&self->scalars, &self->common, inputs, order, derivatives,  \
                                       err);                                                       \
    }                                                                                              \
    static int move_reals(takt_fmu_instance *common, const takt_coupling_motion *motion)           \
    {                                                                                              \
        const Instance *self = (const Instance *)common;                                           \
        if (!takt_scalars_can_move(&self->scalars, motion)) return -1;                             \
        takt_scalar_derivatives all =                                                              \
            takt_scalars_fill(&self->scalars, motion->order, motion->n_orders,                     \
                              motion->derivatives + motion->inputs->n_values[TAKT_KIND_REAL]);     \
        return (int)self->functions->FMI##SetRealInputDerivatives(common->component, all.refs,     \
                                                                  all.n, all.orders, all.values);  \
    }                                                                                              \
    static takt_status end_move(takt_fmu_instance *common, const takt_coupling_motion *motion,     \
                                double t, int status, takt_error *err)                             \
    {                                                                                              \
        (void)t; /* known to the FMU */                                                            \
        return takt_scalars_end_move(&((Instance *)common)->scalars, common, motion, status,       \
                                     #FMI "SetRealInputDerivatives", err);                         \
    }                                                                                              \
    static takt_status cs_advance(takt_coupling *const *couplings, int n, const takt_step *step,   \
                                  int *n_done, takt_step_result *result, takt_error *err)          \
    {                                                                                              \
        static const takt_fmu_calls calls = {cs_call_names, set_reals, move_reals,                 \
                                             end_move,      do_step,   get_reals};                 \
        return takt_fmu_advance(&calls, couplings, n, step, n_done, result, err);                  \
    }                                                                                              \
    static int cs_motion_order(const takt_instance *instance)                                      \
    {                                                                                              \
        return takt_scalars_motion_order(&((const Instance *)instance)->scalars);                  \
    }                                                                                              \
    static takt_status cs_get_derivatives(takt_instance *instance, const takt_access *outputs,     \
                                          double *derivatives, takt_error *err)                    \
    {                                                                                              \
        Instance *self = (Instance *)instance;                                                     \
        return takt_scalars_get_derivatives(&self->scalars, &self->common, outputs, derivatives,   \
                                            err);                                                  \
    }

#endif
