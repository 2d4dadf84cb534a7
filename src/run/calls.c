// SPDX-License-Identifier: MIT
// Counted and timed calls to instances; see calls.h.
#include "run/calls.h"

#include <math.h>

#include "base/clock.h"
#include "run/events.h"

static void trace(const takt_run_instance *at, const takt_counter *counter, double t,
                  uint64_t begin, uint64_t end)
{
    takt_activity activity = (takt_activity)(counter - &at->do_step);
    takt_span span = {activity, at->instance->name, t, begin, end};
    at->tracer->type->span(at->tracer, &span);
}

// Ends a call: counts it and, if it failed, says in which instance and at what time.
static inline takt_status done(takt_run_instance *at, takt_counter *counter, uint64_t begin,
                               takt_status st, double t, takt_error *err)
{
    uint64_t end = takt_ticks(), ticks = end - begin;
    counter->count++;
    counter->ticks += ticks;
    counter->typical = ticks < counter->latest ? ticks : counter->latest;
    counter->latest = ticks;
    if (at->tracer) trace(at, counter, t, begin, end);
    if (!st) return TAKT_OK;
    at->has_failed = true;
    return takt_within(err, st, "instance '%s' at t=%.15g s", at->instance->name, t);
}

static takt_status fail_adapter(const takt_run *run, const takt_adapter *adapter, int64_t value,
                                takt_error *err)
{
    const takt_system *system = run->plan->system;
    const takt_connection *connection = &system->connections[adapter->connection];
    const takt_component *from = &system->components[connection->from];
    const takt_component *to = &system->components[connection->to];
    const takt_variable *target = &to->model->variables[connection->to_variable];
    return takt_fail(err, TAKT_ERR_SIMULATION,
                     "t=%.15g s: %s.%s is %lld, but %s.%s of type %s can take only %lld to %lld",
                     run->grid.time, from->name,
                     from->model->variables[connection->from_variable].name, (long long)value,
                     to->name, target->name, takt_type_name(target->type),
                     (long long)adapter->least, (long long)adapter->greatest);
}

takt_status takt_run_adapt(takt_run *run, int i_instance, takt_error *err)
{
    const takt_plan_instance *plan = run->instances[i_instance].plan;
    for (int i = 0; i < plan->n_adapters; i++) {
        const takt_adapter *adapter = &plan->adapters[i];
        int64_t value = takt_run_adapted(run, adapter);
        if (adapter->to.kind == TAKT_KIND_REAL) {
            run->u.real[adapter->to.index] = adapter->factor * (double)value + adapter->offset;
        } else if (value < adapter->least || value > adapter->greatest) {
            return fail_adapter(run, adapter, value, err);
        } else {
            run->u.integer[adapter->to.index] = value;
        }
    }
    return TAKT_OK;
}

takt_status takt_run_gather_more(takt_run *run, int i_instance, takt_error *err)
{
    const takt_run_instance *at = &run->instances[i_instance];
    const takt_plan_instance *plan = at->plan;
    const int *n = plan->inputs.n_values;

    if (run->plan->factors) {
        int first = plan->first_input[TAKT_KIND_REAL];
        const double *factors = run->plan->factors + first, *offsets = run->plan->offsets + first;
        for (int i = 0; i < n[TAKT_KIND_REAL]; i++)
            at->inputs.real[i] = factors[i] * at->inputs.real[i] + offsets[i];
    }

    const int *from = run->plan->sources[TAKT_KIND_INTEGER] + plan->first_input[TAKT_KIND_INTEGER];
    for (int i = 0; i < n[TAKT_KIND_INTEGER]; i++) at->inputs.integer[i] = run->y.integer[from[i]];

    from = run->plan->sources[TAKT_KIND_BYTES] + plan->first_input[TAKT_KIND_BYTES];
    for (int i = 0; i < n[TAKT_KIND_BYTES]; i++) {
        const takt_bytes *value = &run->y.bytes[from[i]];
        if (!takt_bytes_assign(&at->inputs.bytes[i], value->data, value->size))
            return takt_fail_memory(err);
    }
    return plan->n_adapters ? takt_run_adapt(run, i_instance, err) : TAKT_OK;
}

takt_status takt_run_set_inputs(takt_run *run, int i_instance, double t, takt_error *err)
{
    takt_run_instance *at = &run->instances[i_instance];
    if (at->plan->inputs.n_groups == 0) return TAKT_OK;
    uint64_t begin = takt_ticks();
    takt_status st = at->instance->type->set(at->instance, &at->plan->inputs, &at->inputs, err);
    return done(at, &at->set, begin, st, t, err);
}

static takt_status check_finite(takt_run_instance *at, const takt_access *access,
                                const double *real, double t, takt_error *err)
{
    if (takt_are_finite(real, (size_t)access->n_values[TAKT_KIND_REAL])) return TAKT_OK;
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

takt_status takt_run_check_outputs(takt_run_instance *at, double t, takt_error *err)
{
    return check_finite(at, &at->plan->outputs, at->outputs.real, t, err);
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

// Those of the recorded values that never change.
static takt_status get_constants(takt_run *run, takt_run_instance *at, double t, takt_error *err)
{
    takt_values values = takt_values_from(&run->y, at->plan->first_constant);
    takt_status st = get(at, &at->plan->constants, &values, t, err);
    at->has_constants = !st;
    return st;
}

takt_status takt_run_get_recorded(takt_run *run, int i_instance, double t, takt_error *err)
{
    takt_run_instance *at = &run->instances[i_instance];
    at->recorded_moment = run->moment;
    const takt_plan_instance *plan = at->plan;
    for (int i = 0; i < plan->n_copies; i++)
        run->y.real[plan->copies[i].to] = run->u.real[plan->copies[i].from];
    takt_status st = at->has_constants ? TAKT_OK : get_constants(run, at, t, err);
    return st ? st : get(at, &plan->recorded, &at->recorded, t, err);
}

takt_status takt_run_get_derivatives(takt_run *run, int i_instance, const takt_access *outputs,
                                     double *derivatives, double t, takt_error *err)
{
    takt_run_instance *at = &run->instances[i_instance];
    uint64_t begin = takt_ticks();
    takt_status st = at->instance->type->get_derivatives(at->instance, outputs, derivatives, err);
    return done(at, &at->get, begin, st, t, err);
}

takt_status takt_run_set_derivatives(takt_run *run, int i_instance, const takt_access *inputs,
                                     const double *values, const double *derivatives, double t,
                                     takt_error *err)
{
    takt_run_instance *at = &run->instances[i_instance];
    uint64_t begin = takt_ticks();
    takt_status st =
        at->instance->type->set_derivatives(at->instance, t, inputs, values, derivatives, err);
    return done(at, &at->set, begin, st, t, err);
}

takt_status takt_run_do_step(takt_run *run, int i_instance, double t, double h, bool is_final,
                             takt_step_result *result, takt_error *err)
{
    takt_run_instance *at = &run->instances[i_instance];
    uint64_t begin = takt_ticks();
    takt_status st = at->instance->type->step(at->instance, t, h, is_final, result, err);
    return done(at, &at->do_step, begin, st, t, err);
}

takt_status takt_run_go_on(takt_run *run, int i_instance, double t_end, bool is_final,
                           takt_step_result *result, takt_error *err)
{
    takt_status st = TAKT_OK;
    while (!st && result->end == TAKT_STEP_EARLY) {
        // The others may already be further: the instance handles its event alone and goes on.
        double t = result->time;
        bool terminates;
        st = takt_run_handle_own_event(run, i_instance, t, &terminates, err);
        if (terminates)
            result->end = TAKT_STEP_TERMINATED;
        else if (!(t_end - t > 0))
            result->end = TAKT_STEP_DONE;
        else if (!st)
            st = takt_run_do_step(run, i_instance, t, t_end - t, is_final, result, err);
    }
    return st;
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
