// SPDX-License-Identifier: MIT
// Counted and timed calls to instances; see calls.h.
#include "run/calls.h"

#include <math.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "run/hold.h"

void takt_call_note(takt_run_instance *at, takt_activity activity, double t, uint64_t begin)
{
    takt_counter *counter = &at->counters[activity];
    uint64_t end = takt_ticks(), ticks = end - begin;
    counter->count++;
    counter->ticks += ticks;
    counter->typical = ticks < counter->latest ? ticks : counter->latest;
    counter->latest = ticks;
    if (!at->tracer) return;
    takt_span span = {activity, at->instance->name, t, begin, end};
    at->tracer->type->span(at->tracer, &span);
}

// A call has failed.
TAKT_COLD static takt_status fail(takt_run_instance *at, takt_status st, double t, takt_error *err)
{
    at->has_failed = true;
    return takt_within(err, st, "instance '%s' at t=%.15g s", at->instance->name, t);
}

// Ends a call: counts it and, if it failed, says in which instance and at what time.
static inline takt_status done(takt_run_instance *at, takt_activity activity, uint64_t begin,
                               takt_status st, double t, takt_error *err)
{
    takt_call_note(at, activity, t, begin);
    return TAKT_LIKELY(!st) ? TAKT_OK : fail(at, st, t, err);
}

static bool is_looked_at(const takt_run *run, int i_instance)
{
    enum { MAX_ALL = 64 };
    const takt_component *component = &run->plan->system->components[i_instance];
    return i_instance < MAX_ALL || component->model != component[-1].model;
}

void takt_run_look_around(takt_run *run, int i_instance)
{
    if (!run->surroundings || takt_thread_id() != run->thread) return;
    if (!is_looked_at(run, i_instance)) return;
    int changed = takt_surroundings_restore(run->surroundings) & ~run->told_changes;
    run->told_changes |= changed;
    for (int i = 0; i < TAKT_N_CHANGES; i++)
        if (changed & 1 << i)
            takt_log_write(run->log, TAKT_LEVEL_WARN,
                           "instance '%s' changed %s of the whole program; that was undone, and is "
                           "from now on without a further message",
                           run->plan->system->components[i_instance].name,
                           takt_surroundings_name(1 << i));
}

// Looking costs some microseconds: the first steps of an instance are looked at, then one out of many.
static void look_sometimes(takt_run *run, int i_instance)
{
    enum { N_FIRST = 4, PERIOD = 256 };
    int n = run->work.instances[i_instance].n_looked++;
    if (n < N_FIRST || n % PERIOD == 0) takt_run_look_around(run, i_instance);
}

takt_status takt_run_set_inputs(takt_run *run, int i_instance, double t, takt_error *err)
{
    takt_run_instance *at = &run->work.instances[i_instance];
    if (at->plan->inputs.n_batches == 0) return TAKT_OK;
    uint64_t begin = takt_ticks();
    takt_status st = at->instance->type->set(at->instance, &at->plan->inputs, &at->inputs, err);
    return done(at, TAKT_ACTIVITY_SET, begin, st, t, err);
}

takt_status takt_run_set_values(takt_run *run, int i_instance, const takt_access *access,
                                const takt_values *values, double t, takt_error *err)
{
    takt_run_instance *at = &run->work.instances[i_instance];
    uint64_t begin = takt_ticks();
    takt_status st = at->instance->type->set(at->instance, access, values, err);
    return done(at, TAKT_ACTIVITY_SET, begin, st, t, err);
}

static takt_status fail_not_finite(const takt_run_instance *at, const takt_access *access, int i,
                                   double value, double t, takt_error *err)
{
    const takt_model *model = at->instance->model;
    const takt_variable *variable = takt_access_variable(access, model, TAKT_KIND_REAL, i);
    return takt_fail(
        err, TAKT_ERR_SIMULATION,
        "instance '%s' at t=%.15g s: variable '%s' is %s (FMU %s); a smaller step size, "
        "other parameters or inputs may avoid it",
        at->instance->name, t, variable->name, isnan(value) ? "not a number" : "infinite",
        model->path);
}

static takt_status check_finite(takt_run_instance *at, const takt_access *access,
                                const double *real, double t, takt_error *err)
{
    if (takt_are_finite(real, (size_t)access->n_values[TAKT_KIND_REAL])) return TAKT_OK;
    int i = 0;
    while (isfinite(real[i])) i++;
    return fail_not_finite(at, access, i, real[i], t, err);
}

takt_status takt_run_check_outputs(takt_run_instance *at, double t, takt_error *err)
{
    return check_finite(at, &at->plan->outputs, at->outputs.real, t, err);
}

static takt_status get_any(takt_run_instance *at, const takt_access *access, takt_values *values,
                           double t, takt_error *err)
{
    if (access->n_batches == 0) return TAKT_OK;
    uint64_t begin = takt_ticks();
    takt_status st = at->instance->type->get(at->instance, access, values, err);
    return done(at, TAKT_ACTIVITY_GET, begin, st, t, err);
}

takt_status takt_run_get_values(takt_run *run, int i_instance, const takt_access *access,
                                takt_values *values, double t, takt_error *err)
{
    return get_any(&run->work.instances[i_instance], access, values, t, err);
}

static takt_status get(takt_run_instance *at, const takt_access *access, takt_values *values,
                       double t, takt_error *err)
{
    takt_status st = get_any(at, access, values, t, err);
    return st ? st : check_finite(at, access, values->real, t, err);
}

takt_status takt_run_get_outputs(takt_run *run, int i_instance, double t, takt_error *err)
{
    takt_run_instance *at = &run->work.instances[i_instance];
    return get(at, &at->plan->outputs, &at->outputs, t, err);
}

takt_status takt_run_get_tested(takt_run *run, int i_instance, double t, takt_error *err)
{
    takt_run_instance *at = &run->work.instances[i_instance];
    takt_values values = takt_values_from(&run->state.y, at->plan->first_tested);
    return get_any(at, &at->plan->tested, &values, t, err);
}

// Those of the tested values that are columns.
static takt_status get_shown(takt_run *run, int i_instance, double t, takt_error *err)
{
    const takt_run_instance *at = &run->work.instances[i_instance];
    const takt_plan_instance *plan = at->plan;
    const double *values = run->state.y.real + plan->first_tested[TAKT_KIND_REAL];
    takt_status st = takt_run_get_tested(run, i_instance, t, err);
    for (int i = 0; i < plan->tested.n_values[TAKT_KIND_REAL] && !st; i++)
        if (plan->is_shown[i] && !isfinite(values[i]))
            st = fail_not_finite(at, &plan->tested, i, values[i], t, err);
    return st;
}

// Those of the recorded values that never change.
static takt_status get_constants(takt_run *run, takt_run_instance *at, double t, takt_error *err)
{
    takt_values values = takt_values_from(&run->state.y, at->plan->first_constant);
    takt_status st = get(at, &at->plan->constants, &values, t, err);
    at->has_constants = !st;
    return st;
}

takt_status takt_run_get_recorded(takt_run *run, int i_instance, double t, takt_error *err)
{
    takt_run_instance *at = &run->work.instances[i_instance];
    at->recorded_moment = run->work.moment;
    const takt_plan_instance *plan = at->plan;
    for (int i = 0; i < plan->n_copies; i++)
        run->state.y.real[plan->copies[i].to] =
            takt_hold_input(run, i_instance, plan->copies[i].from);
    takt_status st = at->has_constants ? TAKT_OK : get_constants(run, at, t, err);
    if (!st && plan->n_shown) st = get_shown(run, i_instance, t, err);
    return st ? st : get(at, &plan->recorded, &at->recorded, t, err);
}

takt_status takt_run_get_derivatives(takt_run *run, int i_instance, const takt_access *outputs,
                                     double *derivatives, double t, takt_error *err)
{
    takt_run_instance *at = &run->work.instances[i_instance];
    uint64_t begin = takt_ticks();
    takt_status st = at->instance->type->get_derivatives(at->instance, outputs, derivatives, err);
    return done(at, TAKT_ACTIVITY_GET, begin, st, t, err);
}

bool takt_run_try_derivatives(takt_run *run, int i_instance, const takt_access *outputs,
                              double *derivatives, double t)
{
    takt_run_instance *at = &run->work.instances[i_instance];
    uint64_t begin = takt_ticks();
    takt_status st = at->instance->type->get_derivatives(at->instance, outputs, derivatives, NULL);
    takt_call_note(at, TAKT_ACTIVITY_GET, t, begin);
    return !st;
}

takt_status takt_run_set_motion(takt_run *run, int i_instance, const takt_access *inputs, int order,
                                const double *derivatives, double t, takt_error *err)
{
    takt_run_instance *at = &run->work.instances[i_instance];
    uint64_t begin = takt_ticks();
    takt_status st =
        at->instance->type->set_motion(at->instance, t, inputs, order, derivatives, err);
    return done(at, TAKT_ACTIVITY_SET, begin, st, t, err);
}

takt_status takt_run_differentiate(takt_run *run, int i_instance, const takt_access *unknowns,
                                   const takt_access *knowns, double t, double *derivative,
                                   takt_error *err)
{
    takt_run_instance *at = &run->work.instances[i_instance];
    const double seed = 1;
    uint64_t begin = takt_ticks();
    takt_status st =
        at->instance->type->differentiate(at->instance, unknowns, knowns, &seed, derivative, err);
    return done(at, TAKT_ACTIVITY_GET, begin, st, t, err);
}

takt_status takt_run_do_step(takt_run *run, int i_instance, const takt_step *step,
                             takt_step_result *result, takt_error *err)
{
    takt_run_instance *at = &run->work.instances[i_instance];
    uint64_t begin = takt_ticks();
    takt_status st =
        at->instance->type->step(at->instance, step->t, step->h, step->is_final, result, err);
    if (run->surroundings) look_sometimes(run, i_instance);
    return done(at, TAKT_ACTIVITY_DO_STEP, begin, st, step->t, err);
}

takt_status takt_run_begin_step(takt_run *run, int i_instance, const takt_step *step,
                                takt_error *err)
{
    takt_run_instance *at = &run->work.instances[i_instance];
    takt_status st =
        at->instance->type->begin_step(at->instance, step->t, step->h, step->is_final, err);
    if (!st) return TAKT_OK;
    at->has_failed = true;
    return takt_within(err, st, "instance '%s' at t=%.15g s", at->instance->name, step->t);
}

takt_status takt_run_end_step(takt_run *run, int i_instance, const takt_step *step, uint64_t begin,
                              takt_step_result *result, takt_error *err)
{
    takt_run_instance *at = &run->work.instances[i_instance];
    takt_status st = at->instance->type->end_step(at->instance, result, err);
    return done(at, TAKT_ACTIVITY_DO_STEP, begin, st, step->t, err);
}

takt_status takt_run_save(takt_run *run, int i_instance, int slot, double t, takt_error *err)
{
    takt_run_instance *at = &run->work.instances[i_instance];
    uint64_t begin = takt_ticks();
    takt_status st = at->instance->type->save(at->instance, &at->states[slot], err);
    return done(at, TAKT_ACTIVITY_GET_STATE, begin, st, t, err);
}

// Most calls are not timed.
static inline takt_status save_often(takt_run *run, int i_instance, double t, takt_error *err)
{
    takt_run_instance *at = &run->work.instances[i_instance];
    takt_counter *counter = &at->counters[TAKT_ACTIVITY_GET_STATE];
    bool is_timed =
        counter->count < run->work.n_first_timed || counter->count % TAKT_TIMED_INTERVAL == 0;
    if (is_timed || counter->typical >= TAKT_TIMED_LONG || at->tracer)
        return takt_run_save(run, i_instance, TAKT_SLOT_POINT, t, err);
    counter->count++;
    counter->ticks += counter->typical;
    takt_status st = at->instance->type->save(at->instance, &at->states[TAKT_SLOT_POINT], err);
    return TAKT_LIKELY(!st) ? TAKT_OK : fail(at, st, t, err);
}

takt_status takt_run_save_all(takt_run *run, double t, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < run->work.n_instances && !st; i++)
        if (!takt_run_is_behind(run, i)) st = save_often(run, i, t, err);
    return st;
}

takt_status takt_run_restore(takt_run *run, int i_instance, int slot, double t, takt_error *err)
{
    takt_run_instance *at = &run->work.instances[i_instance];
    uint64_t begin = takt_ticks();
    takt_status st = at->instance->type->restore(at->instance, at->states[slot], err);
    return done(at, TAKT_ACTIVITY_SET_STATE, begin, st, t, err);
}

takt_status takt_run_check_ready(const takt_run *run, takt_error *err)
{
    if (run->is_initialized && !run->has_failed && !run->is_finished) return TAKT_OK;
    return takt_fail(err, TAKT_ERR_USAGE,
                     run->has_failed
                         ? "the run has failed and cannot go on; only takt_run_finish() "
                           "and takt_run_destroy() are left"
                     : run->is_finished ? "the run is finished; make a new one of the same system"
                                        : "a run can be stepped only after takt_run_initialize()");
}
