// SPDX-License-Identifier: MIT
// Solving a loop by secants of its torn sweep (num/secant_solver.h); see secant_loop.h. Solved is z = T(z) for the torn
// unknowns z. Discrete values are frozen while the real ones are solved, then updated, until they rest.
#include "run/secant_loop.h"

#include <string.h>

#include "num/predictor.h"
#include "run/loop_prepare.h"
#include "run/naming.h"

// What is carried from step to step. One piece of memory, in front of that of the solver.
typedef struct memory {
    int64_t version; // another one after every change
    takt_predictor_state predictor;
} memory;

typedef struct method {
    takt_loop *loop;
    const takt_secant_rule *rule;
    int n; // torn unknowns
    memory *memory;
    size_t size_of_memory;
    takt_secant_solver *solver;
    takt_predictor predictor;
    double *now, *predicted; // torn unknowns
    double *full; // all unknowns
    int64_t n_changes; // of the memory; never goes back
} method;

// ---- the problem -------------------------------------------------------------------------------------

static takt_status evaluate(void *context, const double *z, double *x, takt_evaluation *out,
                            takt_error *err)
{
    const method *at = context;
    bool is_finite;
    takt_status st = takt_loop_sweep_torn(at->loop, z, x, &is_finite, err);
    *out = takt_loop_is_stopped(at->loop) ? TAKT_STOPPED
           : is_finite                    ? TAKT_EVALUATED
                                          : TAKT_NOT_FINITE;
    return st;
}

static double norm(void *context, const double *r, const double *x)
{
    return takt_loop_norm(((const method *)context)->loop, r, x);
}

static double tolerance(void *context, int i, double x)
{
    return takt_loop_tolerance(((const method *)context)->loop, i, x);
}

static void allow_differences(void *context, bool is_allowed)
{
    takt_loop_allow_differences(((const method *)context)->loop, is_allowed);
}

static void report(void *context, double residual, double step)
{
    takt_loop_log(((const method *)context)->loop, residual, step);
}

// ---- preparation -------------------------------------------------------------------------------------

static bool make_solver(takt_arena *arena, method *at)
{
    const takt_loop *loop = at->loop;
    takt_secant_problem problem = {.context = at,
                                   .n = loop->n_torn,
                                   .n_all = loop->n,
                                   .torn = loop->torn,
                                   .damping = loop->run->plan->system->settings.damping,
                                   .evaluate = evaluate,
                                   .norm = norm,
                                   .tolerance = tolerance,
                                   .allow_differences = allow_differences,
                                   .report = report};
    at->solver = takt_secant_solver_create(arena, &problem, at->rule->room);
    return at->solver != NULL;
}

static bool make_memory(takt_arena *arena, method *at)
{
    size_t n = (size_t)at->n, n_points = TAKT_PREDICTOR_POINTS * n;
    size_t front = sizeof *at->memory + n_points * sizeof(double);
    at->size_of_memory = front + takt_secant_solver_memory(at->n, at->loop->n, at->rule->room);
    at->memory = takt_arena_alloc(arena, at->size_of_memory);
    double *room = takt_arena_array(arena, 3 * n + (size_t)at->loop->n, sizeof *room);
    if (!at->memory || !room) return false;
    at->predictor = (takt_predictor){.n = at->n,
                                     .state = &at->memory->predictor,
                                     .values = (double *)(at->memory + 1),
                                     .work = room};
    at->now = room + n;
    at->predicted = room + 2 * n;
    at->full = room + 3 * n;
    takt_secant_solver_attach(at->solver, (char *)at->memory + front);
    return true;
}

takt_status takt_secant_loop_prepare(takt_run *run, takt_run_block *block,
                                     const takt_secant_rule *rule, void **data, takt_error *err)
{
    method *at = takt_arena_alloc(&run->arena, sizeof *at);
    if (!at) return takt_fail_memory(err);
    takt_status st = takt_loop_find_unknowns(block->loop, err);
    if (st) return st;
    *at = (method){.loop = block->loop, .rule = rule, .n = block->loop->n_torn};
    if (!make_solver(&run->arena, at) || !make_memory(&run->arena, at))
        return takt_fail_memory(err);
    *data = at;
    return TAKT_OK;
}

static void change_memory(method *at)
{
    at->memory->version = ++at->n_changes;
}

void takt_secant_loop_forget(void *data)
{
    method *at = data;
    change_memory(at);
    takt_secant_solver_forget(at->solver);
    takt_predictor_clear(&at->predictor);
}

takt_memory takt_secant_loop_memory(void *data)
{
    method *at = data;
    return (takt_memory){at->memory, at->size_of_memory, &at->memory->version};
}

bool takt_secant_loop_is_sound(const void *data)
{
    const method *at = data;
    return takt_predictor_is_sound(&at->memory->predictor) &&
           takt_secant_solver_is_sound(at->solver);
}

int takt_secant_loop_count(const void *data, takt_algorithm_count *out, int room)
{
    const method *at = data;
    if (room < 1) return 0;
    out[0] = (takt_algorithm_count){"matrices", takt_secant_solver_count(at->solver)};
    return 1;
}

// ---- steps -------------------------------------------------------------------------------------------

// Values now, at the beginning of a step: if they are others than those kept, there was an event.
static bool prepare_prediction(method *at)
{
    const takt_step *step = at->loop->step;
    if (!at->rule->predicts) return false;
    for (int i = 0; i < at->n; i++)
        at->now[i] = at->loop->run->state.y.real[at->loop->unknowns[at->loop->torn[i]]];
    if (takt_predictor_continues(&at->predictor, step->t, step->h, at->now)) return true;
    takt_predictor_clear(&at->predictor);
    takt_predictor_add(&at->predictor, step->t, at->now, takt_secant_solver_units(at->solver));
    return true;
}

static void finish(method *at)
{
    const takt_step *step = at->loop->step;
    const double *x = takt_secant_solver_values(at->solver);
    if (!at->rule->predicts) return;
    for (int i = 0; i < at->n; i++) at->now[i] = x[at->loop->torn[i]];
    takt_predictor_add(&at->predictor, step->t + step->h, at->now,
                       takt_secant_solver_units(at->solver));
}

void takt_secant_loop_explain(takt_loop *loop, takt_secant_solver *solver, char *text, size_t size)
{
    bool has_solutions = takt_secant_solver_explain(solver, loop->flags);
    for (int i = 0; i < loop->n_torn; i++) loop->scratch_values[i] = loop->unknowns[loop->torn[i]];
    takt_name_singular(loop->run, loop->scratch_values, loop->flags, loop->n_torn, has_solutions,
                       text, size);
}

// Solves for the real values, with the discrete ones frozen, from predicted values or those of now.
static takt_status solve(method *at, bool predicts, int64_t *n_left, takt_answer *out,
                         takt_error *err)
{
    const takt_step *step = at->loop->step;
    takt_loop_guess(at->loop, at->full);
    for (int i = 0; i < at->n; i++) at->now[i] = at->full[at->loop->torn[i]];
    memcpy(at->predicted, at->now, (size_t)at->n * sizeof *at->now);
    if (predicts) takt_predictor_predict(&at->predictor, step->t + step->h, at->predicted);
    takt_status st = takt_secant_solver_solve(at->solver, at->predicted, predicts ? at->now : NULL,
                                              n_left, out, err);
    if (st || *out != TAKT_ANSWER_SINGULAR) return st;
    char text[TAKT_MESSAGE_SIZE];
    takt_secant_loop_explain(at->loop, at->solver, text, sizeof text);
    return takt_fail(err, TAKT_ERR_SIMULATION,
                     "t=%.15g s: the loop of '%s' %s; try another --algorithm or a smaller "
                     "--step-size",
                     step->t, takt_loop_name(at->loop), text);
}

takt_status takt_secant_loop_advance(takt_run *run, takt_run_block *block, const takt_step *step,
                                     takt_outcome *outcome, takt_error *err)
{
    const takt_settings *settings = &run->plan->system->settings;
    method *at = block->use->data;
    if (step->is_single) return takt_loop_pass(at->loop, step, outcome, err);
    takt_loop_begin(at->loop, step, outcome);
    change_memory(at);
    takt_secant_solver_begin(at->solver, at->rule->n_steps);
    bool predicts = prepare_prediction(at);
    takt_answer state = TAKT_ANSWER_SOLVED;
    for (int64_t n_left = settings->iterations; state == TAKT_ANSWER_SOLVED && n_left > 0;
         n_left--) {
        takt_status st = takt_loop_remember(at->loop, err);
        if (!st) st = solve(at, predicts, &n_left, &state, err);
        if (st || outcome->end != TAKT_STEP_DONE) return st;
        bool is_at_rest = takt_loop_is_discrete_same(at->loop);
        if (state == TAKT_ANSWER_SOLVED && is_at_rest) {
            finish(at);
            return TAKT_OK;
        }
        if (state == TAKT_ANSWER_SOLVED && takt_loop_returns(at->loop)) break;
        predicts = false;
        takt_secant_solver_forget(at->solver); // other discrete values, other derivatives
    }
    takt_loop_doubt(at->loop, &outcome->is_unconverged, takt_secant_solver_residual(at->solver));
    return TAKT_OK;
}
