// SPDX-License-Identifier: MIT
// The fast way through a step that the versions of FMI have in common: set, step and get with one call
// each, for values that go straight from and to our buffers. The careful way is taken only when an FMU
// does not answer OK. Only for src/fmu.
//
// A version supplies its calls as a static const table, so that the compiler puts them in place.
#ifndef TAKT_FMU_ADVANCE_H
#define TAKT_FMU_ADVANCE_H

#include "fmu/call.h"
#include "instance/coupling.h"

/// Steps an FMU. True: it reached the end of the step, and that is all. Else `*st` and `result` say more.
typedef bool takt_fmu_step_fn(takt_fmu_instance *self, const takt_step *step,
                              takt_step_result *result, takt_status *st, takt_error *err);

typedef struct takt_fmu_calls {
    const char *const *names; ///< by takt_call; for messages
    /// Returns the FMU's status. `values` need not be those of `in`.
    int (*set)(takt_fmu_instance *self, const takt_direct *in, const double *values);
    /// Returns the FMU's status for the motion of the coupling; -1: set_motion must do it.
    int (*move)(takt_fmu_instance *self, const takt_coupling_motion *motion);
    /// Judges a status other than OK, or does it.
    takt_status (*end_move)(takt_fmu_instance *self, const takt_coupling_motion *motion, double t,
                            int status, takt_error *err);
    takt_fmu_step_fn *step; ///< called when the FMU may be called
    int (*get)(takt_fmu_instance *self, const takt_direct *out); ///< the same
} takt_fmu_calls;

/// A step alone, which has begun; for takt_instance_type::step.
static inline takt_status takt_fmu_step(takt_fmu_instance *self, takt_fmu_step_fn *do_step,
                                        double t, double h, bool is_final, takt_step_result *result,
                                        takt_error *err)
{
    const takt_step step = {.t = t, .h = h, .is_final = is_final};
    takt_status st = TAKT_OK;
    if (!do_step(self, &step, result, &st, err)) return st;
    return takt_fmu_step_done(self, t, h, result);
}

// ---- what is being called ------------------------------------------------------------------------------

// For those who watch: one instruction. The calls of one `advance` are counted as one.
static inline void takt_fmu_enter_stage(takt_fmu_instance *self, takt_call call)
{
    atomic_store_explicit(&self->log.stage, (unsigned char)(1 + call), memory_order_relaxed);
}

static inline void takt_fmu_leave_stages(takt_fmu_instance *self)
{
    takt_fmu_check_floats(self);
    atomic_store_explicit(&self->log.stage, 0, memory_order_relaxed);
}

// ---- what is rare --------------------------------------------------------------------------------------

TAKT_COLD static takt_status takt_fmu_refuse_advance(const takt_fmu_calls *calls,
                                                     const takt_coupling *coupling,
                                                     takt_step_result *result, takt_error *err)
{
    bool is_set = coupling->in.n_refs > 0;
    result->call = is_set ? TAKT_CALL_SET : TAKT_CALL_STEP;
    return takt_fmu_refuse((takt_fmu_instance *)coupling->instance, calls->names[result->call],
                           err);
}

// Judges a status other than OK of a call about variables.
TAKT_COLD static takt_status takt_fmu_judge_values(const takt_fmu_calls *calls,
                                                   const takt_coupling *coupling, takt_call call,
                                                   int status, takt_step_result *result,
                                                   takt_error *err)
{
    bool is_set = call == TAKT_CALL_SET;
    const takt_access *access = is_set ? coupling->inputs : coupling->outputs;
    result->call = call;
    return takt_fmu_check((takt_fmu_instance *)coupling->instance, status, calls->names[call],
                          access->batches, NULL, err);
}

// Returns the FMU's status.
static inline int takt_fmu_read_outputs(const takt_fmu_calls *calls, takt_fmu_instance *self,
                                        const takt_coupling *coupling)
{
    if (!TAKT_LIKELY(coupling->out.n_refs)) return TAKT_FMU_OK;
    takt_fmu_enter_stage(self, TAKT_CALL_GET);
    return calls->get(self, &coupling->out);
}

// After a step about which there is something to say. Returns as takt_fmu_advance_one() does.
TAKT_COLD static bool takt_fmu_advance_rest(const takt_fmu_calls *calls,
                                            const takt_coupling *coupling, takt_step_result *result,
                                            takt_status *st, takt_error *err)
{
    if (*st) result->call = TAKT_CALL_STEP;
    if (*st || result->end != TAKT_STEP_DONE) return false;
    int status = takt_fmu_read_outputs(calls, (takt_fmu_instance *)coupling->instance, coupling);
    if (status != TAKT_FMU_OK)
        *st = takt_fmu_judge_values(calls, coupling, TAKT_CALL_GET, status, result, err);
    return !*st && !result->has_event &&
           takt_are_finite(coupling->out.values, coupling->out.n_values);
}

// Lets inputs move in the step that follows.
static inline bool takt_fmu_move(const takt_fmu_calls *calls, const takt_coupling *coupling,
                                 double t, takt_step_result *result, takt_status *st,
                                 takt_error *err)
{
    takt_fmu_instance *self = (takt_fmu_instance *)coupling->instance;
    int status = calls->move(self, &coupling->motion);
    if (TAKT_LIKELY(status == TAKT_FMU_OK)) return true;
    *st = calls->end_move(self, &coupling->motion, t, status, err);
    if (*st) result->call = TAKT_CALL_SET;
    return !*st;
}

// ---- advance ---------------------------------------------------------------------------------------------

/// Sets the inputs of one FMU, steps it and reads its outputs. Returns false where takt_instance_advance_fn
/// stops. `moves`: inputs move, and lie in our buffer.
TAKT_INLINE bool takt_fmu_advance_one(const takt_fmu_calls *calls, const takt_coupling *coupling,
                                      bool moves, const takt_step *step, takt_step_result *result,
                                      takt_status *st, takt_error *err)
{
    takt_fmu_instance *self = (takt_fmu_instance *)coupling->instance;
    if (!takt_fmu_may_call(self)) {
        *st = takt_fmu_refuse_advance(calls, coupling, result, err);
        return false;
    }
    self->time = step->t;
    takt_fmu_count_call(self);
    if (coupling->in.n_refs) {
        takt_fmu_enter_stage(self, TAKT_CALL_SET);
        const double *values = !moves && TAKT_LIKELY(coupling->gathers)
                                   ? takt_coupling_find_inputs(coupling)
                                   : coupling->in.values;
        int set = calls->set(self, &coupling->in, values);
        if (set != TAKT_FMU_OK) {
            *st = takt_fmu_judge_values(calls, coupling, TAKT_CALL_SET, set, result, err);
            if (*st) return false;
        }
    }
    if (moves && !takt_fmu_move(calls, coupling, step->t, result, st, err)) return false;
    takt_fmu_enter_stage(self, TAKT_CALL_STEP);
    if (!calls->step(self, step, result, st, err)) {
        takt_status own = *st; // so that the caller's can stay in a register
        bool is_usual = takt_fmu_advance_rest(calls, coupling, result, &own, err);
        *st = own;
        return is_usual;
    }
    self->time = step->t + step->h;
    int status = takt_fmu_read_outputs(calls, self, coupling);
    if (status != TAKT_FMU_OK) {
        *st = takt_fmu_judge_values(calls, coupling, TAKT_CALL_GET, status, result, err);
        if (*st) return false;
    }
    if (takt_are_finite(coupling->out.values, coupling->out.n_values)) return true;
    *result = (takt_step_result){.end = TAKT_STEP_DONE, .time = self->time};
    return false;
}

// One FMU whose inputs move.
TAKT_APART static takt_status takt_fmu_advance_moving(const takt_fmu_calls *calls,
                                                      takt_coupling *coupling,
                                                      const takt_step *step, int *n_done,
                                                      takt_step_result *result, takt_error *err)
{
    takt_status st = TAKT_OK;
    bool is_done = takt_fmu_advance_one(calls, coupling, true, step, result, &st, err);
    takt_fmu_leave_stages((takt_fmu_instance *)coupling->instance);
    if (is_done) takt_coupling_count(coupling);
    *n_done = is_done;
    return st;
}

/// For takt_instance_type::advance.
static inline takt_status takt_fmu_advance(const takt_fmu_calls *calls,
                                           takt_coupling *const *couplings, int n,
                                           const takt_step *step, int *n_done,
                                           takt_step_result *result, takt_error *err)
{
    takt_status st = TAKT_OK;
    takt_coupling *const *at = couplings, *const *end = couplings + n;
    if (n == 1 && couplings[0]->motion.inputs) // it comes alone
        return takt_fmu_advance_moving(calls, couplings[0], step, n_done, result, err);
    for (; at < end; at++) {
        takt_coupling *coupling = *at;
        if (!takt_fmu_advance_one(calls, coupling, false, step, result, &st, err)) break;
        takt_fmu_leave_stages((takt_fmu_instance *)coupling->instance);
        coupling->n_advances++;
    }
    *n_done = (int)(at - couplings);
    if (at < end) takt_fmu_leave_stages((takt_fmu_instance *)(*at)->instance);
    return st;
}

#endif
