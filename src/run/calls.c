// SPDX-License-Identifier: MIT
// Counted and timed calls to instances; see calls.h.
#include "run/calls.h"

#include <math.h>

#include "base/clock.h"

// Ends a call: counts it and, if it failed, says in which instance and at what time.
static inline takt_status done(takt_run_instance *at, takt_counter *counter, uint64_t begin,
                               takt_status st, double t, takt_error *err)
{
    counter->count++;
    counter->ticks += takt_ticks() - begin;
    if (!st) return TAKT_OK;
    at->has_failed = true;
    return takt_within(err, st, "instance '%s' at t=%.15g s", at->instance->name, t);
}

takt_status takt_run_gather(takt_run *run, int i_instance, takt_error *err)
{
    const takt_run_instance *at = &run->instances[i_instance];
    const takt_plan_instance *plan = at->plan;
    const int *n = plan->inputs.n_values;

    const int *from = run->plan->sources[TAKT_KIND_REAL] + plan->first_input[TAKT_KIND_REAL];
    for (int i = 0; i < n[TAKT_KIND_REAL]; i++) at->inputs.real[i] = run->y.real[from[i]];

    from = run->plan->sources[TAKT_KIND_INTEGER] + plan->first_input[TAKT_KIND_INTEGER];
    for (int i = 0; i < n[TAKT_KIND_INTEGER]; i++) at->inputs.integer[i] = run->y.integer[from[i]];

    from = run->plan->sources[TAKT_KIND_BYTES] + plan->first_input[TAKT_KIND_BYTES];
    for (int i = 0; i < n[TAKT_KIND_BYTES]; i++) {
        const takt_bytes *value = &run->y.bytes[from[i]];
        if (!takt_bytes_assign(&at->inputs.bytes[i], value->data, value->size))
            return takt_fail_memory(err);
    }
    return TAKT_OK;
}

takt_status takt_run_set_inputs(takt_run *run, int i_instance, double t, takt_error *err)
{
    takt_run_instance *at = &run->instances[i_instance];
    if (at->plan->inputs.n_groups == 0) return TAKT_OK;
    uint64_t begin = takt_ticks();
    takt_status st = at->instance->type->set(at->instance, &at->plan->inputs, &at->inputs, err);
    return done(at, &at->set, begin, st, t, err);
}

// A sum of zeros unless a value is NaN or infinite: one test for many values.
static takt_status check_finite(takt_run_instance *at, const takt_access *access,
                                const double *real, double t, takt_error *err)
{
    int n = access->n_values[TAKT_KIND_REAL];
    double sum = 0;
    for (int i = 0; i < n; i++) sum += real[i] * 0.0;
    if (sum == 0) return TAKT_OK;
    int i = 0;
    while (isfinite(real[i])) i++;
    const takt_model *model = at->instance->model;
    const takt_variable *variable = takt_access_variable(access, model, TAKT_KIND_REAL, i);
    return takt_fail(
        err, TAKT_ERR_SIMULATION,
        "instance '%s' at t=%.15g s: variable '%s' is %s (FMU %s); a smaller step size, "
        "other parameters or inputs may avoid it",
        at->instance->name, t, variable->name, isnan(real[i]) ? "not a number" : "infinite",
        model->path);
}

static takt_status get(takt_run_instance *at, const takt_access *access, takt_values *values,
                       double t, takt_error *err)
{
    if (access->n_groups == 0) return TAKT_OK;
    uint64_t begin = takt_ticks();
    takt_status st = at->instance->type->get(at->instance, access, values, err);
    st = done(at, &at->get, begin, st, t, err);
    return st ? st : check_finite(at, access, values->real, t, err);
}

takt_status takt_run_get_outputs(takt_run *run, int i_instance, double t, takt_error *err)
{
    takt_run_instance *at = &run->instances[i_instance];
    return get(at, &at->plan->outputs, &at->outputs, t, err);
}

takt_status takt_run_get_recorded(takt_run *run, int i_instance, double t, takt_error *err)
{
    takt_run_instance *at = &run->instances[i_instance];
    return get(at, &at->plan->recorded, &at->recorded, t, err);
}

takt_status takt_run_do_step(takt_run *run, int i_instance, double t, double h, bool is_final,
                             takt_step_result *result, takt_error *err)
{
    takt_run_instance *at = &run->instances[i_instance];
    uint64_t begin = takt_ticks();
    takt_status st = at->instance->type->step(at->instance, t, h, is_final, result, err);
    return done(at, &at->do_step, begin, st, t, err);
}

takt_status takt_run_save(takt_run *run, int i_instance, double t, takt_error *err)
{
    takt_run_instance *at = &run->instances[i_instance];
    uint64_t begin = takt_ticks();
    takt_status st = at->instance->type->save(at->instance, &at->states[run->i_slot], err);
    return done(at, &at->get_state, begin, st, t, err);
}

takt_status takt_run_restore(takt_run *run, int i_instance, double t, takt_error *err)
{
    takt_run_instance *at = &run->instances[i_instance];
    uint64_t begin = takt_ticks();
    takt_status st = at->instance->type->restore(at->instance, at->states[run->i_slot], err);
    return done(at, &at->set_state, begin, st, t, err);
}

bool takt_run_can_go_back(const takt_run *run, takt_status st)
{
    if (st != TAKT_ERR_SIMULATION) return false;
    for (int i = 0; i < run->n_instances; i++)
        if (run->instances[i].has_failed) return false;
    return true;
}
