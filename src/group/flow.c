// SPDX-License-Identifier: MIT
// The flow of continuous values between members, in the order of feedthrough. Outputs that depend on inputs
// that depend on these outputs are algebraic loops: some outputs are torn, that is guessed, and the guess x is
// improved by Newton's method until a sweep gives back g = G(x) = x. The last solution is the next guess, and
// its matrix is used as long as it converges quickly.
#include "group/flow.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "num/newton.h"

enum { MAX_NEWTON_ITERATIONS = 50, MAX_NAMED = 6 };

// Loops are solved to this fraction of the integrator's tolerance. Where rounding inside the members does not
// allow that, the coarse one must do.
static const double FINE = 1e-4, COARSE = 0.1, LEAST_RELATIVE = 1e-13;

struct takt_flow_loop {
    takt_flow *flow;
    const takt_init_stage *stage;
    int *torn; // indices in y
    int n_torn;
    double *x;
    double *guess; // the last solution
    bool has_guess;
    bool has_matrix; // of the last solution
    double least_nominal; // of the values of the loop
    takt_newton newton;
    double t; // of the solution under way
};

// ---- creation ------------------------------------------------------------------------------------------

static double least_nominal(const takt_plan *plan, const takt_init_stage *stage)
{
    double least = INFINITY;
    for (int i = 0; i < stage->n_actions; i++) {
        const takt_init_action *action = &stage->actions[i];
        const takt_model *model = plan->system->components[action->instance].model;
        for (int k = 0; k < action->access.n_values[TAKT_KIND_REAL]; k++) {
            const takt_variable *variable =
                takt_access_variable(&action->access, model, TAKT_KIND_REAL, k);
            double nominal = fabs(variable->nominal);
            if (nominal > 0) least = fmin(least, nominal);
        }
    }
    return isfinite(least) ? least : 1;
}

static bool prepare_loop(takt_flow *flow, const takt_init_stage *stage, bool *marks,
                         takt_flow_loop *loop)
{
    size_t n_read = (size_t)takt_stage_n_read(stage);
    *loop = (takt_flow_loop){.flow = flow, .stage = stage};
    loop->torn = takt_arena_array(&flow->arena, n_read, sizeof *loop->torn);
    loop->x = takt_arena_array(&flow->arena, n_read, sizeof *loop->x);
    loop->guess = takt_arena_array(&flow->arena, n_read, sizeof *loop->guess);
    if (!loop->torn || !loop->x || !loop->guess) return false;
    loop->n_torn = takt_stage_tear(flow->plan, stage, true, marks, loop->torn);
    loop->least_nominal = least_nominal(flow->plan, stage);
    takt_newton *newton = &loop->newton;
    newton->n = loop->n_torn;
    newton->max_iterations = MAX_NEWTON_ITERATIONS;
    newton->work =
        takt_arena_array(&flow->arena, takt_newton_work(newton->n), sizeof *newton->work);
    newton->pivots = takt_arena_array(&flow->arena, (size_t)newton->n, sizeof *newton->pivots);
    return newton->work && newton->pivots;
}

static bool make_loops(takt_flow *flow)
{
    const takt_plan *plan = flow->plan;
    size_t n_marks = (size_t)plan->n_outputs[TAKT_KIND_REAL];
    bool *marks = takt_arena_array(&flow->arena, n_marks, sizeof *marks);
    flow->loops = takt_arena_array(&flow->arena, (size_t)plan->n_init_stages, sizeof *flow->loops);
    if (!marks || !flow->loops) return false;
    for (int i = 0; i < plan->n_init_stages; i++) {
        if (!plan->init_stages[i].is_loop) continue;
        flow->has_loops = true;
        if (!prepare_loop(flow, &plan->init_stages[i], marks, &flow->loops[i])) return false;
    }
    return true;
}

bool takt_flow_init(takt_flow *flow, const takt_plan *plan, takt_instance *const *members,
                    takt_trouble *trouble)
{
    *flow = (takt_flow){.plan = plan, .members = members, .trouble = trouble};
    size_t n_y = (size_t)plan->n_outputs[TAKT_KIND_REAL];
    size_t n_u = (size_t)plan->n_inputs[TAKT_KIND_REAL];
    flow->y = takt_arena_array(&flow->arena, n_y, sizeof *flow->y);
    flow->u = takt_arena_array(&flow->arena, n_u, sizeof *flow->u);
    flow->buffer = takt_arena_array(&flow->arena, n_y + n_u, sizeof *flow->buffer);
    return flow->y && flow->u && flow->buffer && make_loops(flow);
}

void takt_flow_clear(takt_flow *flow)
{
    takt_arena_clear(&flow->arena);
    *flow = (takt_flow){0};
}

void takt_flow_set_tolerance(takt_flow *flow, double relative)
{
    flow->fine = fmax(FINE * relative, LEAST_RELATIVE);
    flow->coarse = fmax(COARSE * relative, LEAST_RELATIVE);
}

// ---- single actions --------------------------------------------------------------------------------

// What the input `to` gets from its source.
static double source_value(const takt_flow *flow, int to)
{
    const takt_plan *plan = flow->plan;
    double value = flow->y[plan->sources[TAKT_KIND_REAL][to]];
    return plan->factors ? plan->factors[to] * value + plan->offsets[to] : value;
}

static takt_status set_inputs(takt_flow *flow, const takt_init_action *action, takt_error *err)
{
    takt_instance *member = flow->members[action->instance];
    const int *index = action->index[TAKT_KIND_REAL];
    for (int i = 0; i < action->access.n_values[TAKT_KIND_REAL]; i++) {
        flow->u[index[i]] = source_value(flow, index[i]);
        flow->buffer[i] = flow->u[index[i]];
    }
    const takt_values values = {.real = flow->buffer};
    return takt_equations_set(member, &action->access, &values, err);
}

static takt_status get_outputs(takt_flow *flow, const takt_init_action *action, double t,
                               bool *is_finite, takt_error *err)
{
    takt_instance *member = flow->members[action->instance];
    takt_values values = {.real = flow->buffer};
    takt_status st = member->type->get(member, &action->access, &values, err);
    for (int i = 0; i < action->access.n_values[TAKT_KIND_REAL] && !st; i++) {
        flow->y[action->index[TAKT_KIND_REAL][i]] = flow->buffer[i];
        if (isfinite(flow->buffer[i]) || !*is_finite) continue;
        *is_finite = false;
        flow->has_trouble = true;
        const takt_variable *variable =
            takt_access_variable(&action->access, member->model, TAKT_KIND_REAL, i);
        snprintf(flow->trouble->text, sizeof flow->trouble->text,
                 "member '%s': variable '%s' is %g at t=%.15g s", member->name, variable->name,
                 flow->buffer[i], t);
    }
    return st;
}

// Carries out the actions of a stage. Ends at the first value that is not finite: no member gets it.
static takt_status sweep(takt_flow *flow, const takt_init_stage *stage, double t, bool *is_finite,
                         takt_error *err)
{
    *is_finite = true;
    for (int i = 0; i < stage->n_actions && *is_finite; i++) {
        const takt_init_action *action = &stage->actions[i];
        takt_status st = action->is_set ? set_inputs(flow, action, err)
                                        : get_outputs(flow, action, t, is_finite, err);
        if (st) return takt_within(err, st, "member '%s'", flow->members[action->instance]->name);
    }
    return TAKT_OK;
}

// ---- loops -----------------------------------------------------------------------------------------

// A takt_fixed_point_fn: g = G(x).
static takt_status evaluate(void *context, const double *x, double *g, takt_error *err)
{
    takt_flow_loop *loop = context;
    takt_flow *flow = loop->flow;
    bool is_finite = true;
    for (int i = 0; i < loop->n_torn; i++) {
        is_finite &= isfinite(x[i]) != 0;
        flow->y[loop->torn[i]] = x[i];
    }
    takt_status st = is_finite ? sweep(flow, loop->stage, loop->t, &is_finite, err) : TAKT_OK;
    for (int i = 0; i < loop->n_torn && !st; i++) g[i] = is_finite ? flow->y[loop->torn[i]] : NAN;
    return st;
}

// Describes the trouble with the inputs of the loop.
static void explain(const takt_flow_loop *loop, takt_solution solution)
{
    char names[256] = "";
    size_t length = 0;
    int n_named = 0;
    for (int i = 0; i < loop->stage->n_actions && n_named < MAX_NAMED; i++) {
        const takt_init_action *action = &loop->stage->actions[i];
        const takt_instance *member = loop->flow->members[action->instance];
        if (!action->is_set) continue;
        const takt_variable *variable =
            takt_access_variable(&action->access, member->model, TAKT_KIND_REAL, 0);
        int n = snprintf(names + length, sizeof names - length, "%s%s.%s", n_named++ ? ", " : "",
                         member->name, variable->name);
        if (n > 0 && length + (size_t)n < sizeof names) length += (size_t)n;
    }
    snprintf(loop->flow->trouble->text, sizeof loop->flow->trouble->text,
             "the algebraic loop through %s%s %s at t=%.15g s", names,
             n_named >= MAX_NAMED ? ", ..." : "",
             solution == TAKT_SINGULAR ? "has no unique solution (it is singular)"
                                       : "does not converge",
             loop->t);
}

// The first guess: what the sources show now.
static takt_status guess(takt_flow_loop *loop, takt_error *err)
{
    bool is_finite = true;
    for (int i = 0; i < loop->stage->n_actions; i++) {
        const takt_init_action *action = &loop->stage->actions[i];
        takt_status st =
            action->is_set ? TAKT_OK : get_outputs(loop->flow, action, loop->t, &is_finite, err);
        if (st) return st;
    }
    for (int i = 0; i < loop->n_torn; i++) {
        double value = loop->flow->y[loop->torn[i]];
        loop->guess[i] = isfinite(value) ? value : 0;
    }
    loop->has_guess = true;
    return TAKT_OK;
}

static void set_tolerance(takt_flow_loop *loop, double relative)
{
    loop->newton.relative = relative;
    loop->newton.absolute = relative * loop->least_nominal;
}

// First with the last matrix, then with new ones, then less exactly.
static takt_status find_solution(takt_flow_loop *loop, takt_solution *out, takt_error *err)
{
    size_t size = (size_t)loop->n_torn * sizeof *loop->x;
    bool is_solved = false;
    takt_status st = TAKT_OK;
    set_tolerance(loop, loop->flow->fine);
    memcpy(loop->x, loop->guess, size);
    if (loop->has_matrix)
        st = takt_newton_solve_again(&loop->newton, evaluate, loop, loop->x, &is_solved, err);
    *out = is_solved ? TAKT_SOLVED : TAKT_NOT_CONVERGED;
    if (st || is_solved) return st;
    memcpy(loop->x, loop->guess, size);
    st = takt_newton_solve(&loop->newton, evaluate, loop, loop->x, out, err);
    if (!st && *out == TAKT_NOT_CONVERGED) {
        set_tolerance(loop, loop->flow->coarse);
        st = takt_newton_solve(&loop->newton, evaluate, loop, loop->x, out, err);
    }
    loop->has_matrix = !st && *out == TAKT_SOLVED;
    return st;
}

static takt_status solve(takt_flow_loop *loop, double t, takt_ode_answer *answer, takt_error *err)
{
    takt_solution solution;
    loop->t = t;
    loop->flow->has_trouble = false;
    takt_status st = loop->has_guess ? TAKT_OK : guess(loop, err);
    if (!st) st = find_solution(loop, &solution, err);
    if (st) return st;
    if (solution == TAKT_SOLVED) {
        memcpy(loop->guess, loop->x, (size_t)loop->n_torn * sizeof *loop->x);
        return TAKT_OK;
    }
    if (!loop->flow->has_trouble)
        explain(loop, solution); // a value that is not finite explains more
    *answer = TAKT_ODE_TOO_FAR;
    return TAKT_OK;
}

void takt_flow_forget(takt_flow *flow)
{
    for (int i = 0; i < flow->plan->n_init_stages; i++)
        flow->loops[i].has_guess = flow->loops[i].has_matrix = false;
}

int takt_flow_n_guesses(const takt_flow *flow)
{
    int n = 0;
    for (int i = 0; i < flow->plan->n_init_stages; i++)
        if (flow->plan->init_stages[i].is_loop) n += flow->loops[i].n_torn;
    return n;
}

takt_status takt_flow_begin(takt_flow *flow, double t, double *guesses, bool is_again,
                            takt_error *err)
{
    takt_status st = TAKT_OK;
    takt_flow_forget(flow);
    for (int i = 0; i < flow->plan->n_init_stages && !st; i++) {
        takt_flow_loop *loop = &flow->loops[i];
        if (!flow->plan->init_stages[i].is_loop) continue;
        size_t size = (size_t)loop->n_torn * sizeof *guesses;
        loop->t = t;
        if (!is_again) st = guess(loop, err);
        memcpy(is_again ? loop->guess : guesses, is_again ? guesses : loop->guess, size);
        loop->has_guess = !st;
        guesses += loop->n_torn;
    }
    return st;
}

takt_status takt_flow_run(takt_flow *flow, double t, takt_ode_answer *answer, takt_error *err)
{
    const takt_plan *plan = flow->plan;
    takt_status st = TAKT_OK;
    for (int i = 0; i < plan->n_init_stages && !st && *answer == TAKT_ODE_FINE; i++) {
        const takt_init_stage *stage = &plan->init_stages[i];
        bool is_finite = true;
        st = stage->is_loop ? solve(&flow->loops[i], t, answer, err)
                            : sweep(flow, stage, t, &is_finite, err);
        if (!is_finite) *answer = TAKT_ODE_TOO_FAR;
    }
    return st;
}
