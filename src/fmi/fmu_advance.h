// SPDX-License-Identifier: MIT
// The fast way through a step that the versions of FMI have in common: set, step and get with one call
// each, for values that go straight from and to our buffers. The careful way is taken only when an FMU
// does not answer OK. Only for src/fmi.
//
// A version supplies its calls as a static const table, so that the compiler puts them in place.
#ifndef TAKT_FMI_FMU_ADVANCE_H
#define TAKT_FMI_FMU_ADVANCE_H

#include "base/compiler.h"
#include "fmi/fmu_instance.h"

typedef struct takt_fmu_calls {
    const char *set_name, *step_name, *get_name; ///< for messages
    int (*set)(takt_fmu_instance *self, const takt_direct *values); ///< returns the FMU's status
    /// Steps; called when the FMU may be called.
    takt_status (*step)(takt_fmu_instance *self, double t, double h, bool is_final,
                        takt_step_result *result, takt_error *err);
    int (*get)(takt_fmu_instance *self, const takt_direct *values);
} takt_fmu_calls;

/// Advances one FMU.
static inline takt_status takt_fmu_advance_one(const takt_fmu_calls *calls,
                                               const takt_exchange *exchange,
                                               const takt_advance *step, takt_step_result *result,
                                               takt_error *err)
{
    takt_fmu_instance *self = (takt_fmu_instance *)exchange->instance;
    if (!takt_fmu_may_call(self)) {
        bool is_set = exchange->in.n_refs > 0;
        result->part = is_set ? TAKT_PART_SET : TAKT_PART_STEP;
        return takt_fmu_refuse(self, is_set ? calls->set_name : calls->step_name, err);
    }
    self->time = step->t;
    if (exchange->in.n_refs) {
        takt_fmu_count_call(self);
        int status = calls->set(self, &exchange->in);
        if (status != TAKT_FMU_OK) {
            result->part = TAKT_PART_SET;
            takt_status st =
                takt_fmu_check_access(self, status, calls->set_name, exchange->inputs->groups, err);
            if (st) return st;
        }
    }
    takt_fmu_count_call(self);
    takt_status st = calls->step(self, step->t, step->h, step->is_final, result, err);
    if (st) result->part = TAKT_PART_STEP;
    if (st || result->end != TAKT_STEP_DONE || exchange->out.n_refs == 0) return st;

    takt_fmu_count_call(self);
    int status = calls->get(self, &exchange->out);
    if (status == TAKT_FMU_OK) return TAKT_OK;
    result->part = TAKT_PART_GET;
    return takt_fmu_check_access(self, status, calls->get_name, exchange->outputs->groups, err);
}

/// For takt_instance_type::advance.
static inline takt_status takt_fmu_advance(const takt_fmu_calls *calls,
                                           takt_exchange *const *exchanges, int n,
                                           const takt_advance *step, int *n_done,
                                           takt_step_result *result, takt_error *err)
{
    for (int i = 0; i < n; i++) {
        takt_exchange *exchange = exchanges[i];
        if (step->gathers) takt_exchange_gather(exchange);
        takt_status st = takt_fmu_advance_one(calls, exchange, step, result, err);
        if (st || result->end != TAKT_STEP_DONE || result->has_event ||
            !takt_are_finite(exchange->out.values, exchange->out.n_values)) {
            *n_done = i;
            return st;
        }
        exchange->n_advances++;
    }
    *n_done = n;
    return TAKT_OK;
}

#endif
