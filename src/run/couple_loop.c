// SPDX-License-Identifier: MIT
// Algebraic loops along polynomials; see couple_loop.h.
#include "run/couple_loop.h"

#include <math.h>

#include "num/secant_solver.h"
#include "run/loop_prepare.h"
#include "run/noise.h"
#include "run/scale.h"
#include "run/secant_loop.h"
#include "run/step_log.h"

// Secants are kept of so many steps; iterations of a step, which is repeated with a smaller size if they are not enough.
// Without a matrix, as with very many torn values, it may take more of them.
enum { ROOM = 30, N_STEPS = 6, MAX_ITERATIONS = 20, MAX_LARGE = 80, LARGE = 500 };

// What torn values are changed by to see the noise of a sweep, in tolerances; what of that is none; multiples of noise that
// residuals reach, and over which difference quotients are made.
static const double TINY = 1e-3, LEAST_NOISE = 0.003, WITHIN = 2, FAR = 30;
// In tolerances: larger residuals do not come from noise.
static const double NEARLY = 1;

struct takt_couple_loop {
    takt_couple *all;
    int i_block;
    takt_loop *loop;
    takt_secant_solver *solver;
    double *z; // torn unknowns
    double *trials[3]; // all unknowns: room
    takt_attempt *at; // the present one
    bool is_swept; // with z, already
    double tolerance; // of the values, in units of their scales
};

// ---- the problem -------------------------------------------------------------------------------------

// Values that are not finite are no failure: another z may avoid them.
static bool has_failed(const takt_couple_loop *own)
{
    const takt_block *block = own->loop->block->plan;
    for (int k = 0; k < block->n_members; k++)
        if (own->all->run->work.instances[block->members[k]].has_failed) return true;
    return false;
}

static takt_status evaluate(void *context, const double *z, double *x, takt_evaluation *out,
                            takt_error *err)
{
    takt_couple_loop *own = context;
    takt_loop *loop = own->loop;
    double *y = own->all->run->state.y.real;
    takt_status st = TAKT_OK;
    if (!own->is_swept) {
        for (int i = 0; i < loop->n_torn; i++) y[loop->unknowns[loop->torn[i]]] = z[i];
        const takt_coupled *coupled = &own->all->loops[own->i_block];
        for (int i = 0; i < coupled->n_torn; i++) coupled->w[i] = y[coupled->torn[i]];
        st = takt_loop_offer_discrete(loop, err);
        loop->is_holding = loop->has_discrete;
        if (!st) st = takt_couple_sweep(own->all, own->i_block, own->at, err);
        loop->is_holding = false;
    }
    own->is_swept = false;
    *out = own->at->outcome.end != TAKT_STEP_DONE ? TAKT_STOPPED : TAKT_EVALUATED;
    if (st == TAKT_ERR_SIMULATION && !has_failed(own)) *out = TAKT_NOT_FINITE, st = TAKT_OK;
    for (int i = 0; i < loop->n && !st && *out == TAKT_EVALUATED; i++) x[i] = y[loop->unknowns[i]];
    return st;
}

// The tolerance of value k of y: a part of that of the error test; small values beside large ones have one of their own, as in
// other loops (scale.h).
static double tolerance_of(const takt_couple_loop *own, int k, double x)
{
    const takt_couple *all = own->all;
    double own_tolerance = takt_scale_tolerance(all->run, k, x, TAKT_SCALE_LEAST);
    own_tolerance =
        fmin(own->tolerance * all->tolerance * fmax(all->scale[k], fabs(x)), own_tolerance);
    return all->is_fixed ? own_tolerance
                         : fmax(own_tolerance, WITHIN * takt_noise_of(&all->noise, k));
}

static double norm(void *context, const double *r, const double *x)
{
    const takt_couple_loop *own = context;
    const struct takt_scale *scale = own->all->run->scale;
    double largest = 0;
    for (int i = 0; i < own->loop->n; i++) {
        int k = own->loop->unknowns[i];
        double rounding = scale->precision[k] * fabs(x[i]);
        if (!(scale->nominal[k] > 0)) rounding = fmax(rounding, own->loop->rounding);
        double size = fmax(fabs(r[i]) - rounding, 0) / tolerance_of(own, k, x[i]);
        largest = fmax(largest, fmin(size, 1e300));
    }
    return largest;
}

// For difference quotients, which need not be smaller than in other loops.
static double tolerance(void *context, int i, double x)
{
    const takt_couple_loop *own = context;
    double noise = takt_noise_of(&own->all->noise, own->loop->unknowns[i]);
    return fmax(takt_loop_tolerance(own->loop, i, x), FAR * noise);
}

static void allow_differences(void *context, bool is_allowed)
{
    takt_loop_allow_differences(((const takt_couple_loop *)context)->loop, is_allowed);
}

static void report(void *context, double residual, double step)
{
    const takt_couple_loop *own = context;
    takt_step_log_sweep(own->all->run, own->loop->block, &own->at->step, residual, step);
}

// ---- solving -----------------------------------------------------------------------------------------

static takt_status begin(takt_couple_loop *own, takt_attempt *at, takt_error *err)
{
    const double *y = own->all->run->state.y.real;
    takt_loop *loop = own->loop;
    own->at = at;
    takt_loop_begin(loop, &at->step, &at->outcome);
    takt_secant_solver_begin(own->solver, N_STEPS);
    for (int i = 0; i < loop->n_torn; i++) own->z[i] = y[loop->unknowns[loop->torn[i]]];
    loop->is_holding = loop->has_discrete;
    return takt_loop_remember(loop, err);
}

static void note_sweep(takt_couple_loop *own)
{
    own->loop->is_holding = false;
    own->is_swept = true;
}

static void guess(takt_couple_loop *own)
{
    const double *x = takt_secant_solver_values(own->solver);
    for (int i = 0; i < own->loop->n_torn; i++) own->z[i] = x[own->loop->torn[i]];
}

// Nothing has become right: do nearly the same torn values lead elsewhere than on a straight line?
static takt_status learn_noise(takt_couple_loop *own, bool *is_noise, takt_error *err)
{
    takt_couple *all = own->all;
    const takt_loop *loop = own->loop;
    const double *x = takt_secant_solver_values(own->solver);
    takt_evaluation evaluated = TAKT_EVALUATED;
    takt_status st = TAKT_OK;
    for (int k = 0; k < 3 && !st && evaluated == TAKT_EVALUATED; k++) {
        for (int i = 0; i < loop->n_torn; i++)
            own->z[i] = x[loop->torn[i]] +
                        (k - 1) * TINY * all->tolerance * all->scale[loop->unknowns[loop->torn[i]]];
        st = evaluate(own, own->z, own->trials[k], &evaluated, err);
    }
    *is_noise = false;
    for (int i = 0; i < loop->n && !st && evaluated == TAKT_EVALUATED; i++) {
        int k = loop->unknowns[i];
        double middle = (own->trials[0][i] + own->trials[2][i]) / 2;
        double difference = fabs(own->trials[1][i] - middle);
        if (difference <= LEAST_NOISE * all->tolerance * all->scale[k]) continue;
        takt_noise_learn(&all->noise, k, difference);
        *is_noise = all->loops[own->i_block].is_noisy = true;
    }
    if (*is_noise) takt_secant_solver_forget(own->solver); // it has learnt noise
    guess(own);
    return st;
}

// With discrete values held. Where noise keeps values from the tolerance that smooth predictions need, they may be as exact
// as the error test needs.
static takt_status solve_real(takt_couple_loop *own, takt_answer *out, takt_error *err)
{
    double strict = own->all->algebraic_tolerance, loose = own->all->loop_tolerance;
    const double tolerances[] = {strict, loose, loose};
    takt_status st = TAKT_OK;
    bool is_noise = true;
    for (int k = 0; k < 3 && !st; k++) {
        bool is_near = takt_secant_solver_residual(own->solver) * own->tolerance <= NEARLY;
        if (k == 2 && (own->all->is_fixed || !is_near)) break;
        if (k == 2) st = learn_noise(own, &is_noise, err);
        if (st || !is_noise) break;
        int64_t n_left = own->loop->n_torn > LARGE ? MAX_LARGE : MAX_ITERATIONS;
        own->tolerance = tolerances[k];
        st = takt_secant_solver_solve(own->solver, own->z, NULL, &n_left, out, err);
        if (st || *out != TAKT_ANSWER_NONE) break;
        guess(own);
    }
    return st;
}

static takt_status solve(takt_couple_loop *own, takt_attempt *at, bool *is_solved, double *size,
                         takt_error *err)
{
    takt_loop *loop = own->loop;
    takt_couple *all = own->all;
    takt_answer answer = TAKT_ANSWER_NONE;
    *is_solved = false;
    for (;;) {
        takt_status st = solve_real(own, &answer, err);
        *size = takt_secant_solver_residual(own->solver);
        at->is_singular = answer == TAKT_ANSWER_SINGULAR;
        if (at->is_singular)
            takt_secant_loop_explain(loop, own->solver, all->trouble, sizeof all->trouble);
        if (st || answer != TAKT_ANSWER_SOLVED) return st;
        *is_solved = takt_loop_is_discrete_same(loop);
        if (*is_solved || takt_loop_returns(loop)) return TAKT_OK;
        st = takt_loop_remember(loop, err);
        if (st) return st;
        takt_secant_solver_forget(own->solver); // other discrete values, other derivatives
        guess(own);
    }
}

// ---- life --------------------------------------------------------------------------------------------

static const takt_couple_solver solver = {.begin = begin, .note_sweep = note_sweep, .solve = solve};

takt_status takt_couple_loop_create(takt_couple *all, int i_block, takt_error *err)
{
    takt_run *run = all->run;
    takt_loop *loop = run->work.blocks[i_block].loop;
    takt_status st = takt_loop_find_unknowns(loop, err);
    if (st) return st;
    takt_couple_loop *own = takt_arena_alloc(&run->arena, sizeof *own);
    if (!own) return takt_fail_memory(err);
    *own = (takt_couple_loop){.all = all, .i_block = i_block, .loop = loop};
    takt_secant_problem problem = {.context = own,
                                   .n = loop->n_torn,
                                   .n_all = loop->n,
                                   .torn = loop->torn,
                                   .damping = run->plan->system->settings.damping,
                                   .evaluate = evaluate,
                                   .norm = norm,
                                   .tolerance = tolerance,
                                   .allow_differences = allow_differences,
                                   .report = report};
    own->z = takt_arena_array(&run->arena, (size_t)loop->n_torn, sizeof *own->z);
    double *room = takt_arena_array(&run->arena, 3 * (size_t)loop->n, sizeof *room);
    own->solver = takt_secant_solver_create(&run->arena, &problem, ROOM);
    if (!own->z || !room || !own->solver) return takt_fail_memory(err);
    for (int k = 0; k < 3; k++) own->trials[k] = room + (size_t)k * (size_t)loop->n;
    all->loops[i_block].algebraic = own;
    all->loops[i_block].solver = &solver;
    return TAKT_OK;
}

size_t takt_couple_loop_memory(const takt_couple_loop *own)
{
    return takt_secant_solver_memory(own->loop->n_torn, own->loop->n, ROOM);
}

bool takt_couple_loop_is_sound(const takt_couple_loop *own)
{
    return takt_secant_solver_is_sound(own->solver);
}

void takt_couple_loop_attach(takt_couple_loop *own, void *memory)
{
    takt_secant_solver_attach(own->solver, memory);
}

double takt_couple_loop_gain(takt_couple_loop *own)
{
    return takt_secant_solver_gain(own->solver);
}
