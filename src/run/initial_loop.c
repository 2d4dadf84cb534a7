// SPDX-License-Identifier: MIT
// Initial loops: outputs that depend on inputs that depend on these outputs, before the first step.
//
// A sweep carries out the actions of a stage in order. Inputs whose source is read only later in the
// sweep are *torn*: their values x are guessed, and the sweep gives the values g = G(x) that the
// sources really have. First x := g is repeated, which is enough for most loops; where that does not
// converge, x = G(x) is solved by Newton's method. Discrete values travel with the sweeps and must
// stay the same in the end.
#include "run/initial_loop.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "num/newton.h"
#include "base/clock.h"
#include "run/calls.h"
#include "run/gather.h"

enum {
    MAX_SWEEPS = 20, // of simple repetition, before Newton's method
    MAX_SWEEPS_LARGE = 1000, // where Newton's method would need too large a matrix
    MAX_NEWTON_UNKNOWNS = 1000,
    MAX_NEWTON_ITERATIONS = 50,
    MAX_ROUNDS = 10, // of solving again because a discrete value changed
    MAX_NAMED = 6, // connections named in a message
};

// Much closer than a step needs to be: errors made here stay for the whole run.
static const double TOLERANCE_FACTOR = 1e-3;

// But what rounding allows must do, unless the user asks for more.
static const double LEAST_RELATIVE = 1e-12, LEAST_ABSOLUTE = 1e-15;

static double tighten(double tolerance, double least)
{
    return fmax(TOLERANCE_FACTOR * tolerance, fmin(tolerance, least));
}

typedef struct loop {
    takt_run *run;
    const takt_init_stage *stage;
    takt_arena arena;
    takt_values buffer; // values of one action
    int n_buffer[TAKT_N_KINDS];
    int *torn; // indices in u
    int n_torn;
    bool *is_torn; // per real value that the actions set, in their order
    double *x, *g;
    bool discrete_changed; // in the last sweep
    takt_newton newton;
} loop;

// ---- single actions ------------------------------------------------------------------------------

static takt_status set_inputs(loop *at, const takt_init_action *action, takt_error *err)
{
    takt_run *run = at->run;
    const int *n = action->access.n_values;
    for (int i = 0; i < n[TAKT_KIND_REAL]; i++)
        at->buffer.real[i] = run->state.u.real[action->index[TAKT_KIND_REAL][i]];
    for (int i = 0; i < n[TAKT_KIND_INTEGER]; i++)
        at->buffer.integer[i] = run->state.u.integer[action->index[TAKT_KIND_INTEGER][i]];
    for (int i = 0; i < n[TAKT_KIND_BYTES]; i++) {
        const takt_bytes *value = &run->state.u.bytes[action->index[TAKT_KIND_BYTES][i]];
        if (!takt_bytes_assign(&at->buffer.bytes[i], value->data, value->size))
            return takt_fail_memory(err);
    }
    takt_run_instance *instance = &run->work.instances[action->instance];
    uint64_t begin = takt_ticks();
    takt_status st =
        instance->instance->type->set(instance->instance, &action->access, &at->buffer, err);
    takt_call_note(instance, TAKT_ACTIVITY_SET, run->state.grid.time, begin);
    return st;
}

// What the real input `to` gets from its source.
static double source_value(const takt_run *run, int to)
{
    const takt_plan *plan = run->plan;
    double value = run->state.y.real[plan->sources[TAKT_KIND_REAL][to]];
    return plan->factors ? plan->factors[to] * value + plan->offsets[to] : value;
}

// Values that adapters bring come from integers: they are discrete, whatever they become.
static bool is_adapted_value_new(const takt_run *run, int i_instance)
{
    const takt_plan_instance *plan = run->work.instances[i_instance].plan;
    for (int i = 0; i < plan->n_adapters; i++) {
        const takt_adapter *adapter = &plan->adapters[i];
        int64_t value = takt_run_adapted(run, adapter);
        double real = adapter->factor * (double)value + adapter->offset;
        if (adapter->to.kind == TAKT_KIND_REAL ? run->state.u.real[adapter->to.index] != real
                                               : run->state.u.integer[adapter->to.index] != value)
            return true;
    }
    return false;
}

// Brings values of y to the inputs of the action; torn ones keep the guess, and those that only an
// adapter sets what they have until it does. `is_torn` begins with the first value of the action.
static takt_status gather(loop *at, const takt_init_action *action, const bool *is_torn,
                          takt_error *err)
{
    takt_run *run = at->run;
    const int *const *sources = run->plan->sources, *unused = run->plan->unused;
    for (int i = 0; i < action->access.n_values[TAKT_KIND_REAL]; i++) {
        int to = action->index[TAKT_KIND_REAL][i];
        if (sources[TAKT_KIND_REAL][to] == unused[TAKT_KIND_REAL]) continue;
        if (!is_torn || !is_torn[i]) run->state.u.real[to] = source_value(run, to);
    }
    for (int i = 0; i < action->access.n_values[TAKT_KIND_INTEGER]; i++) {
        int to = action->index[TAKT_KIND_INTEGER][i];
        if (sources[TAKT_KIND_INTEGER][to] == unused[TAKT_KIND_INTEGER]) continue;
        int64_t value = run->state.y.integer[sources[TAKT_KIND_INTEGER][to]];
        at->discrete_changed |= value != run->state.u.integer[to];
        run->state.u.integer[to] = value;
    }
    for (int i = 0; i < action->access.n_values[TAKT_KIND_BYTES]; i++) {
        int to = action->index[TAKT_KIND_BYTES][i];
        const takt_bytes *value = &run->state.y.bytes[sources[TAKT_KIND_BYTES][to]];
        at->discrete_changed |= !takt_bytes_equal(value, &run->state.u.bytes[to]);
        if (!takt_bytes_assign(&run->state.u.bytes[to], value->data, value->size))
            return takt_fail_memory(err);
    }
    at->discrete_changed |= is_adapted_value_new(run, action->instance);
    return takt_run_adapt(run, action->instance, err);
}

static takt_status get_outputs(loop *at, const takt_init_action *action, takt_error *err)
{
    takt_run *run = at->run;
    takt_run_instance *instance = &run->work.instances[action->instance];
    uint64_t begin = takt_ticks();
    takt_status st =
        instance->instance->type->get(instance->instance, &action->access, &at->buffer, err);
    takt_call_note(instance, TAKT_ACTIVITY_GET, run->state.grid.time, begin);
    if (st) return st;
    const int *n = action->access.n_values;
    for (int i = 0; i < n[TAKT_KIND_REAL]; i++)
        run->state.y.real[action->index[TAKT_KIND_REAL][i]] = at->buffer.real[i];
    for (int i = 0; i < n[TAKT_KIND_INTEGER]; i++)
        run->state.y.integer[action->index[TAKT_KIND_INTEGER][i]] = at->buffer.integer[i];
    for (int i = 0; i < n[TAKT_KIND_BYTES]; i++) {
        takt_bytes *to = &run->state.y.bytes[action->index[TAKT_KIND_BYTES][i]];
        if (!takt_bytes_assign(to, at->buffer.bytes[i].data, at->buffer.bytes[i].size))
            return takt_fail_memory(err);
    }
    return TAKT_OK;
}

static takt_status fail_action(loop *at, const takt_init_action *action, takt_status st,
                               takt_error *err)
{
    takt_run_instance *instance = &at->run->work.instances[action->instance];
    instance->has_failed = true;
    return takt_within(err, st, "instance '%s' during initialization", instance->instance->name);
}

static takt_status sweep(loop *at, takt_error *err)
{
    at->discrete_changed = false;
    for (int i = 0; i < at->n_torn; i++) at->run->state.u.real[at->torn[i]] = at->x[i];
    const bool *is_torn = at->is_torn;
    for (int i = 0; i < at->stage->n_actions; i++) {
        const takt_init_action *action = &at->stage->actions[i];
        takt_status st = TAKT_OK;
        if (action->is_set) {
            st = gather(at, action, is_torn, err);
            if (is_torn) is_torn += action->access.n_values[TAKT_KIND_REAL];
            if (!st) st = set_inputs(at, action, err);
        } else {
            st = get_outputs(at, action, err);
        }
        if (st) return fail_action(at, action, st, err);
    }
    return TAKT_OK;
}

// ---- solving -------------------------------------------------------------------------------------

static takt_status evaluate(void *context, const double *x, double *g, takt_error *err)
{
    loop *at = context;
    memmove(at->x, x, (size_t)at->n_torn * sizeof *x);
    takt_status st = sweep(at, err);
    if (st) return st;
    for (int i = 0; i < at->n_torn; i++) g[i] = source_value(at->run, at->torn[i]);
    return TAKT_OK;
}

static bool agrees(const loop *at)
{
    for (int i = 0; i < at->n_torn; i++) {
        double tolerance = at->newton.relative * fabs(at->x[i]) + at->newton.absolute;
        if (!(fabs(at->g[i] - at->x[i]) <= tolerance)) return false;
    }
    return !at->discrete_changed;
}

// Repeats x := G(x). The discrete values are compared with those of the sweep before, so at least
// two sweeps are made.
static takt_status repeat(loop *at, bool *is_solved, takt_error *err)
{
    int limit = at->n_torn > MAX_NEWTON_UNKNOWNS ? MAX_SWEEPS_LARGE : MAX_SWEEPS;
    *is_solved = false;
    for (int k = 0; k < limit && !*is_solved; k++) {
        takt_status st = evaluate(at, at->x, at->g, err);
        if (st) return st;
        *is_solved = k > 0 && agrees(at);
        for (int i = 0; i < at->n_torn && !*is_solved; i++) {
            if (!isfinite(at->g[i])) return TAKT_OK;
            at->x[i] = at->g[i];
        }
    }
    return TAKT_OK;
}

static takt_status solve(loop *at, takt_solution *out, takt_error *err)
{
    size_t size = (size_t)at->n_torn * sizeof *at->x;
    double *start = takt_arena_array(&at->arena, (size_t)at->n_torn, sizeof *start);
    double *x = takt_arena_array(&at->arena, (size_t)at->n_torn, sizeof *x);
    if (!start || !x) return takt_fail_memory(err);
    *out = TAKT_NOT_CONVERGED;
    for (int round = 0; round < MAX_ROUNDS; round++) {
        memcpy(start, at->x, size);
        bool is_solved;
        takt_status st = repeat(at, &is_solved, err);
        if (is_solved) *out = TAKT_SOLVED;
        if (st || is_solved || at->n_torn == 0 || at->n_torn > MAX_NEWTON_UNKNOWNS) return st;

        memcpy(x, start, size);
        st = takt_newton_solve(&at->newton, evaluate, at, x, out, err);
        if (st || *out != TAKT_SOLVED) return st;
        st = evaluate(at, x, at->g, err); // are the discrete values at rest, too?
        if (st || !at->discrete_changed) return st;
        *out = TAKT_NOT_CONVERGED;
    }
    return TAKT_OK;
}

// ---- preparation ---------------------------------------------------------------------------------

static bool find_torn(loop *at)
{
    size_t n_set = (size_t)takt_stage_n_set(at->stage);
    at->torn = takt_arena_array(&at->arena, n_set, sizeof *at->torn);
    at->is_torn = takt_arena_array(&at->arena, n_set, sizeof *at->is_torn);
    if (!at->torn || !at->is_torn) return false;
    at->n_torn =
        takt_stage_tear(at->run->plan, at->stage, at->run->work.marks, at->torn, at->is_torn);
    return true;
}

static bool prepare_newton(loop *at)
{
    const takt_settings *settings = &at->run->plan->system->settings;
    at->newton = (takt_newton){
        .n = at->n_torn,
        .relative = tighten(settings->relative_tolerance, LEAST_RELATIVE),
        .absolute = tighten(settings->absolute_tolerance, LEAST_ABSOLUTE),
        .max_iterations = MAX_NEWTON_ITERATIONS,
    };
    size_t n = (size_t)at->n_torn;
    at->x = takt_arena_array(&at->arena, n, sizeof *at->x);
    at->g = takt_arena_array(&at->arena, n, sizeof *at->g);
    if (!at->x || !at->g) return false;
    if (at->n_torn > MAX_NEWTON_UNKNOWNS) return true;
    at->newton.work =
        takt_arena_array(&at->arena, takt_newton_work(at->n_torn), sizeof *at->newton.work);
    at->newton.pivots = takt_arena_array(&at->arena, n, sizeof *at->newton.pivots);
    return at->newton.work && at->newton.pivots;
}

// The guess to start from: what the sources show now.
static takt_status guess(loop *at, takt_error *err)
{
    for (int i = 0; i < at->stage->n_actions; i++) {
        const takt_init_action *action = &at->stage->actions[i];
        takt_status st = action->is_set ? TAKT_OK : get_outputs(at, action, err);
        if (st) return fail_action(at, action, st, err);
    }
    for (int i = 0; i < at->n_torn; i++) {
        double value = source_value(at->run, at->torn[i]);
        at->x[i] = isfinite(value) ? value : 0;
    }
    return TAKT_OK;
}

static takt_status fail_unsolved(const loop *at, takt_solution solution, takt_error *err)
{
    const takt_plan *plan = at->run->plan;
    char names[512] = "";
    size_t length = 0;
    int n_named = 0;
    for (int i = 0; i < at->stage->n_actions && n_named < MAX_NAMED; i++) {
        const takt_init_action *action = &at->stage->actions[i];
        const takt_component *component = &plan->system->components[action->instance];
        for (int g = 0; action->is_set && g < action->access.n_batches; g++) {
            int variable = action->access.batches[g].variables[0];
            int n =
                snprintf(names + length, sizeof names - length, "%s%s.%s", n_named++ ? ", " : "",
                         component->name, component->model->variables[variable].name);
            if (n > 0 && length + (size_t)n < sizeof names) length += (size_t)n;
        }
    }
    return takt_fail(err, TAKT_ERR_SIMULATION,
                     "initialization: the loop through %s%s %s; check the connections and start "
                     "values of these instances",
                     names, n_named >= MAX_NAMED ? ", ..." : "",
                     solution == TAKT_SINGULAR ? "has no unique solution (it is singular)"
                                               : "does not converge");
}

static takt_status solve_loop(loop *at, takt_error *err)
{
    takt_solution solution = TAKT_NOT_CONVERGED;
    if (!find_torn(at) || !prepare_newton(at)) return takt_fail_memory(err);
    takt_status st = guess(at, err);
    if (!st) st = solve(at, &solution, err);
    return st || solution == TAKT_SOLVED ? st : fail_unsolved(at, solution, err);
}

takt_status takt_run_do_init_stage(takt_run *run, const takt_init_stage *stage, takt_error *err)
{
    loop at = {.run = run, .stage = stage};
    for (int i = 0; i < stage->n_actions; i++)
        for (int kind = 0; kind < TAKT_N_KINDS; kind++)
            if (stage->actions[i].access.n_values[kind] > at.n_buffer[kind])
                at.n_buffer[kind] = stage->actions[i].access.n_values[kind];
    if (!takt_values_init(&at.buffer, at.n_buffer)) return takt_fail_memory(err);
    takt_status st = stage->is_loop ? solve_loop(&at, err) : sweep(&at, err);
    takt_values_clear(&at.buffer, at.n_buffer);
    takt_arena_clear(&at.arena);
    return st;
}
