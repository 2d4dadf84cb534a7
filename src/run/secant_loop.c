// SPDX-License-Identifier: MIT
// Solving a loop by secants; see secant_loop.h. Solved is r = T(z) - z = 0 for the torn unknowns z.
//
// Each sweep but the first one of a step gives a secant: by how much inputs, residual and all unknowns changed.
// Their combination proposes the next z. The part of r that no secant explains, the rest, is added as it
// is (dT/dz = 0 is assumed there), or with the help of a matrix I - dT/dz of difference quotients, if there is one.
//
// A solution is accepted only if
//   - its residual is within the tolerances, and
//   - the step that would follow is below a third of them, for all unknowns of the loop, not only those
//     that are torn; and
//   - secants or matrix are known to be right: they were found in this step, or their last proposal has reduced
//     residual and step by half or more; and
//   - they know all directions: a direction that was never tried may hide a large error behind a small residual.
//
// Where secants do not succeed, or do not know all directions, a matrix is made (n sweeps for n torn
// unknowns), and steps along it are halved while the residual grows. It stays for the following steps.
//
// Discrete values are frozen while the real ones are solved, then updated, until they rest.
#include "run/secant_loop.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "num/dense.h"
#include "num/predictor.h"
#include "num/secants.h"
#include "run/loop_prepare.h"

// A secant that newer ones explain but for this fraction is left out: what is left of it is less than how much
// the derivatives may have changed meanwhile.
static const double FILTER = 1e-2;

// Secants and matrices of earlier steps judge a solution only if their last proposal reduced the residual by
// this factor.
static const double WORST_RATE = 0.5;

// The step that would follow must be below this part of the tolerances: it is only an estimate of the error.
static const double FRACTION = 0.3;

// Secants over a shorter way than this, in relation to the values, are noise.
static const double SIGNIFICANT = 1e-7;

// Relative rounding error of a residual, and relative error of difference quotients.
static const double ROUNDING = 8 * DBL_EPSILON, PRECISION = 1e-7;

// Without a matrix, the rest of a residual may cause an error so many times as large as secants show for other
// parts.
static const double SAFETY = 10;

// A matrix is made after so many proposals without success, and of so many torn unknowns at most.
enum { MAX_PROPOSALS = 8, MAX_TORN = 500, MAX_HALVINGS = 10 };

// What is carried from step to step. One piece of memory.
typedef struct memory {
    int64_t version; // another one after every change
    takt_secants_state secants;
    takt_predictor_state predictor;
    bool has_matrix;
    double numbers[]; // units, secants, points, matrix (decomposed), slopes, pivots
} memory;

// An evaluation.
typedef struct point {
    double *z; // torn unknowns that it began with
    double *x; // all unknowns that it delivered
    double *r; // residual
    double size; // norm of the residual; infinite: values were not finite
} point;

typedef struct solver {
    takt_loop *loop;
    const takt_secant_rule *rule;
    double damping; // first factor of steps along a fresh matrix
    int n, n_all; // unknowns: torn, all
    memory *memory;
    size_t size_of_memory;
    takt_secants secants;
    takt_predictor predictor;
    double *matrix, *slopes; // I - dT/dz, decomposed, n x n; dx/dz, n_all x n; NULL: are not made
    int *pivots;
    point best, attempt;
    double *difference_z, *difference_r, *difference_x;
    double *units; // of the torn unknowns: the largest magnitudes seen
    double *full; // a vector of all unknowns
    double *scales; // for the decomposition
    takt_secants_result model; // what is proposed at `best`
    bool is_at_best; // the members have been stepped with best.z
    bool is_fresh; // the matrix was made at best.z
    bool is_own; // the matrix was made in this step
    double rate; // by which the last proposal reduced the residual; infinite: there was none
    double last_step; // norm of that proposal
    bool is_noisy; // a proposal from within the tolerances has not reduced the residual
    int n_proposals; // in this step, since a matrix was made
    int64_t n_matrices; // made so far
    int64_t n_changes; // of the memory; never goes back
} solver;

// ---- preparation -------------------------------------------------------------------------------------

static bool has_room_for_matrix(const solver *at)
{
    return at->n <= MAX_TORN;
}

static bool make_memory(takt_arena *arena, solver *at)
{
    size_t n = (size_t)at->n, n_all = (size_t)at->n_all;
    size_t n_secants = takt_secants_size(at->n, at->n_all, at->rule->room);
    size_t n_matrix = has_room_for_matrix(at) ? n * n : 0, n_slopes = n_matrix ? n_all * n : 0;
    size_t n_numbers = n + n_secants + TAKT_PREDICTOR_POINTS * n + n_matrix + n_slopes;
    at->size_of_memory = sizeof *at->memory + n_numbers * sizeof(double) + n * sizeof(int);
    at->memory = takt_arena_alloc(arena, at->size_of_memory);
    if (!at->memory) return false;
    at->units = at->memory->numbers;
    double *numbers = at->units + n;
    at->secants = (takt_secants){.n = at->n,
                                 .n_all = at->n_all,
                                 .room = at->rule->room,
                                 .state = &at->memory->secants,
                                 .columns = numbers};
    at->predictor = (takt_predictor){
        .n = at->n, .state = &at->memory->predictor, .values = numbers + n_secants};
    at->matrix = n_matrix ? at->predictor.values + TAKT_PREDICTOR_POINTS * n : NULL;
    at->slopes = n_matrix ? at->matrix + n_matrix : NULL;
    at->pivots = (int *)(at->units + n_numbers);
    return true;
}

static double *take(double **room, int n)
{
    double *taken = *room;
    *room += n;
    return taken;
}

static bool make_vectors(takt_arena *arena, solver *at)
{
    int n = at->n, n_all = at->n_all;
    size_t n_work = takt_secants_work(n, at->rule->room);
    size_t n_numbers = n_work + 11 * (size_t)n + 5 * (size_t)n_all;
    double *room = takt_arena_array(arena, n_numbers, sizeof *room);
    at->secants.picked = takt_arena_array(arena, (size_t)at->rule->room, sizeof(int));
    if (!room || !at->secants.picked) return false;
    point *const points[] = {&at->best, &at->attempt};
    for (int i = 0; i < 2; i++)
        *points[i] = (point){take(&room, n), take(&room, n_all), take(&room, n), INFINITY};
    at->difference_z = take(&room, n);
    at->difference_r = take(&room, n);
    at->difference_x = take(&room, n_all);
    at->full = take(&room, n_all);
    at->scales = take(&room, 2 * n);
    at->model.step = take(&room, n);
    at->model.rest = take(&room, n);
    at->model.all = take(&room, n_all);
    at->predictor.work = take(&room, n);
    at->secants.work = room;
    return true;
}

takt_status takt_secant_loop_prepare(takt_run *run, takt_run_block *block,
                                     const takt_secant_rule *rule, void **data, takt_error *err)
{
    solver *at = takt_arena_alloc(&run->arena, sizeof *at);
    if (!at) return takt_fail_memory(err);
    takt_status st = takt_loop_find_unknowns(block->loop, err);
    if (st) return st;
    *at = (solver){.loop = block->loop,
                   .rule = rule,
                   .damping = run->plan->system->settings.damping,
                   .n = block->loop->n_torn,
                   .n_all = block->loop->n};
    if (!make_memory(&run->arena, at) || !make_vectors(&run->arena, at))
        return takt_fail_memory(err);
    *data = at;
    return TAKT_OK;
}

static void change_memory(solver *at)
{
    at->memory->version = ++at->n_changes;
}

static void drop_model(solver *at)
{
    takt_secants_clear(&at->secants);
    at->memory->has_matrix = false;
}

void takt_secant_loop_forget(void *data)
{
    solver *at = data;
    change_memory(at);
    drop_model(at);
    takt_predictor_clear(&at->predictor);
}

takt_memory takt_secant_loop_memory(void *data)
{
    solver *at = data;
    return (takt_memory){at->memory, at->size_of_memory, &at->memory->version};
}

int takt_secant_loop_count(const void *data, takt_algorithm_count *out, int room)
{
    const solver *at = data;
    if (room < 1) return 0;
    out[0] = (takt_algorithm_count){"matrices", at->n_matrices};
    return 1;
}

// ---- evaluation --------------------------------------------------------------------------------------

// The norm of a vector of torn unknowns, as a part of a vector of all.
static double norm_of_torn(solver *at, const double *torn, const double *x)
{
    memset(at->full, 0, (size_t)at->n_all * sizeof *at->full);
    for (int i = 0; i < at->n; i++) at->full[at->loop->torn[i]] = torn[i];
    return takt_loop_norm(at->loop, at->full, x);
}

// Evaluates at p->z.
static takt_status evaluate(solver *at, point *p, takt_error *err)
{
    bool is_finite;
    takt_status st = takt_loop_sweep_torn(at->loop, p->z, p->x, &is_finite, err);
    p->size = INFINITY;
    if (st || !is_finite || takt_loop_is_stopped(at->loop)) return st;
    for (int i = 0; i < at->n; i++) p->r[i] = p->x[at->loop->torn[i]] - p->z[i];
    p->size = norm_of_torn(at, p->r, p->x);
    return TAKT_OK;
}

static void take_attempt(solver *at)
{
    point taken = at->attempt;
    at->attempt = at->best;
    at->best = taken;
    at->is_fresh = false;
    at->is_at_best = true;
}

// ---- the matrix --------------------------------------------------------------------------------------

static void add_column(solver *at, int j, double delta)
{
    int n = at->n;
    for (int i = 0; i < at->n_all; i++)
        at->slopes[i * n + j] = (at->attempt.x[i] - at->best.x[i]) / delta;
    for (int i = 0; i < n; i++)
        at->matrix[i * n + j] = (i == j) - at->slopes[at->loop->torn[i] * n + j];
}

// Column j: a sweep with torn unknown j changed, the other way if that is not finite.
static takt_status make_column(solver *at, int j, takt_error *err)
{
    const double *z = at->best.z;
    double larger = fmax(fabs(z[j]), fabs(z[j] + at->best.r[j]));
    double small =
        fmin(0.1 * takt_loop_tolerance(at->loop, at->loop->torn[j], z[j]), 1e-3 * at->units[j]);
    double delta = fmax(small, sqrt(DBL_EPSILON) * larger);
    takt_status st = TAKT_OK;
    at->attempt.size = INFINITY;
    for (int sign = 1; sign >= -1 && isinf(at->attempt.size) && !st; sign -= 2) {
        memcpy(at->attempt.z, z, (size_t)at->n * sizeof *z);
        at->attempt.z[j] += sign * delta;
        st = evaluate(at, &at->attempt, err);
        if (takt_loop_is_stopped(at->loop)) return st;
    }
    if (!st && !isinf(at->attempt.size)) add_column(at, j, at->attempt.z[j] - z[j]);
    return st;
}

// Makes and decomposes I - dT/dz at best.z; secants are no longer needed. Where values are not finite there is
// no matrix.
static takt_status make_matrix(solver *at, takt_error *err)
{
    drop_model(at);
    at->is_at_best = false;
    at->n_proposals = 0;
    for (int j = 0; j < at->n; j++) {
        takt_status st = make_column(at, j, err);
        if (st || takt_loop_is_stopped(at->loop) || isinf(at->attempt.size)) return st;
    }
    at->n_matrices++;
    at->is_fresh = at->is_own = true;
    takt_clear_cancelled(at->n, at->matrix, PRECISION);
    at->memory->has_matrix =
        takt_lu_decompose(at->n, at->matrix, at->pivots, at->scales, PRECISION);
    if (at->memory->has_matrix) return TAKT_OK;
    return takt_fail(err, TAKT_ERR_SIMULATION,
                     "t=%.15g s: the loop of '%s' has no unique solution (its matrix is singular); "
                     "try another --algorithm or a smaller --step-size",
                     at->loop->step->t, takt_loop_name(at->loop));
}

// ---- what secants and matrix propose -----------------------------------------------------------------

// Adds what the rest of the residual makes necessary.
static void add_rest(solver *at)
{
    int n = at->n;
    double *rest = at->model.rest;
    if (at->memory->has_matrix) {
        takt_lu_solve(n, at->matrix, at->pivots, rest);
        for (int i = 0; i < at->n_all; i++)
            for (int j = 0; j < n; j++) at->model.all[i] += at->slopes[i * n + j] * rest[j];
    }
    for (int i = 0; i < n; i++) at->model.step[i] += rest[i];
}

// Units of the least squares. Tolerances would not do: values far below the absolute tolerance may decide
// everything, when another member multiplies them.
static void note_magnitudes(solver *at)
{
    for (int i = 0; i < at->n; i++) {
        // Rounding errors have no magnitude.
        double smallest = 1e-6 * takt_loop_tolerance(at->loop, at->loop->torn[i], 0);
        double z = at->best.z[i], larger = fmax(fabs(z), fabs(z + at->best.r[i]));
        at->units[i] = fmax(at->units[i], fmax(larger, smallest));
    }
}

static double norm_in_units(const solver *at, const double *r)
{
    double largest = 0;
    for (int i = 0; i < at->n; i++) largest = fmax(largest, fabs(r[i]) / at->units[i]);
    return largest;
}

// The largest error, in tolerances, that a residual of 1 in units can hide, as far as secants show.
static double find_amplification(solver *at)
{
    double largest = 0;
    for (int k = 0; k < at->secants.state->n_kept; k++) {
        takt_secant secant = takt_secants_get(&at->secants, k);
        double way = takt_loop_norm(at->loop, secant.all, at->best.x);
        way = fmax(way, norm_of_torn(at, secant.input, at->best.x));
        largest = fmax(largest, way / norm_in_units(at, secant.residual));
    }
    return largest;
}

typedef struct proposal {
    double step; // norm of the step of all unknowns
    double unknown; // norm of the error that directions may hide that were never tried
} proposal;

// Do secants or matrix know all directions?
static bool is_complete(const solver *at)
{
    return at->memory->has_matrix || at->model.rank == at->n;
}

// What may be hidden in directions that were never tried. A matrix can find out; without one it is estimated.
static double judge_rest(solver *at)
{
    double rest = norm_in_units(at, at->model.rest);
    if (is_complete(at) || rest == 0) return 0;
    return at->matrix || at->model.rank == 0 ? INFINITY : SAFETY * find_amplification(at) * rest;
}

// Proposes a step from the best point.
static proposal propose(solver *at)
{
    const point *best = &at->best;
    note_magnitudes(at);
    takt_secants_solve(&at->secants, at->units, best->r, FILTER, &at->model);
    proposal out = {.unknown = judge_rest(at)};
    add_rest(at);
    memcpy(at->full, at->model.all, (size_t)at->n_all * sizeof *at->full);
    for (int i = 0; i < at->n; i++) at->full[at->loop->torn[i]] = at->model.step[i];
    out.step = takt_loop_norm(at->loop, at->full, best->x);
    return out;
}

// Keeps the difference between the attempt and the best point, unless it is noise.
static bool learn(solver *at)
{
    bool is_significant = false;
    for (int i = 0; i < at->n; i++) {
        double z = at->best.z[i], larger = fmax(fabs(z), fabs(at->attempt.z[i]));
        at->difference_z[i] = at->attempt.z[i] - z;
        at->difference_r[i] = at->attempt.r[i] - at->best.r[i];
        is_significant |= fabs(at->difference_z[i]) > SIGNIFICANT * larger;
    }
    for (int i = 0; i < at->n_all; i++) at->difference_x[i] = at->attempt.x[i] - at->best.x[i];
    takt_secant secant = {at->difference_z, at->difference_r, at->difference_x};
    if (is_significant) takt_secants_add(&at->secants, &secant);
    return is_significant;
}

// ---- the iteration -----------------------------------------------------------------------------------

typedef enum progress { GOES_ON, SOLVED, STUCK } progress;

// Are secants or matrix of this step, and do they know all directions?
static bool is_own_model(const solver *at)
{
    return at->is_own || at->model.n_own == at->n;
}

// Compares residuals before and after a proposal. If a model of this step does not reduce them, what is left may be
// rounding of differences; then it no longer counts.
static double compare(solver *at)
{
    point *before = &at->best, *after = &at->attempt;
    double size = norm_of_torn(at, after->r, before->x);
    if (!is_own_model(at) || size <= WORST_RATE * before->size) return size;
    takt_loop_allow_differences(at->loop, true);
    double own_before = norm_of_torn(at, before->r, before->x);
    double own_after = norm_of_torn(at, after->r, after->x);
    bool is_explained = own_before <= 1 && own_after <= 1;
    if (is_explained) before->size = own_before, after->size = own_after;
    if (!is_explained) takt_loop_allow_differences(at->loop, false);
    return norm_of_torn(at, after->r, before->x);
}

// Goes along the step. It is halved while values are not finite, and along a fresh matrix also while the
// residual grows.
static takt_status try_step(solver *at, bool *is_good, takt_error *err)
{
    double factor = at->is_fresh ? at->damping : 1;
    bool goes_on = true;
    at->is_at_best = *is_good = false;
    for (int k = 0; k <= MAX_HALVINGS && goes_on; k++, factor /= 2) {
        for (int i = 0; i < at->n; i++)
            at->attempt.z[i] = at->best.z[i] + factor * at->model.step[i];
        takt_status st = evaluate(at, &at->attempt, err);
        if (st || takt_loop_is_stopped(at->loop)) return st;
        if (isinf(at->attempt.size)) continue;
        double size = compare(at);
        at->rate = at->best.size > 0 ? size / at->best.size : 0;
        *is_good = size < at->best.size || at->attempt.size <= 1;
        at->is_noisy |= is_complete(at) && at->best.size <= 1 && at->rate > WORST_RATE;
        goes_on = at->is_fresh && !*is_good;
    }
    return TAKT_OK;
}

// Is the residual as small as rounding allows?
static bool is_exact(const solver *at)
{
    for (int i = 0; i < at->n; i++) {
        double z = at->best.z[i], r = at->best.r[i];
        if (!(fabs(r) <= ROUNDING * fmax(fabs(z), fabs(z + r)))) return false;
    }
    return true;
}

// Are residual and step small enough, judged by secants or a matrix that are known to be right? How they are is
// seen from residual and step, which should both be much smaller than before the last proposal. Where those
// of this step do not reduce them, what is left is noise: then the step before must have been small, too,
// because one alone may be so by chance.
static bool is_small(const solver *at, double step)
{
    bool is_own = is_own_model(at);
    if (at->best.size > 1) return false;
    double rate = at->last_step > 0 ? fmax(at->rate, step / at->last_step) : at->rate;
    if (rate <= WORST_RATE && !at->is_noisy) return step <= FRACTION * (is_own ? 1 : 1 - rate);
    return is_own && fmax(step, at->last_step) <= FRACTION;
}

static bool is_solved(const solver *at, const proposal *next)
{
    if (!at->is_at_best) return false;
    double step = next->step + next->unknown;
    bool is_at_rest = at->best.size <= TAKT_LOOP_ROUNDING && step <= 1e-3;
    return is_at_rest || is_small(at, step);
}

static bool needs_matrix(const solver *at, const proposal *next)
{
    if (!at->matrix || at->is_fresh) return false;
    bool is_incomplete = next->unknown > 0 && is_small(at, next->step);
    return is_incomplete || at->n_proposals >= MAX_PROPOSALS;
}

// One iteration from the best point.
static takt_status iterate(solver *at, progress *out, takt_error *err)
{
    proposal next = propose(at);
    takt_loop_log(at->loop, at->best.size, next.step);
    *out = is_solved(at, &next) ? SOLVED : GOES_ON;
    if (*out == SOLVED) return TAKT_OK;
    if (needs_matrix(at, &next)) {
        takt_status st = make_matrix(at, err);
        if (st || takt_loop_is_stopped(at->loop)) return st;
        if (!at->memory->has_matrix) *out = STUCK;
        if (*out == STUCK) return TAKT_OK;
        next = propose(at);
    }
    at->last_step = next.step;
    bool is_good;
    takt_status st = try_step(at, &is_good, err);
    if (st || takt_loop_is_stopped(at->loop)) return st;
    bool has_learnt = isfinite(at->attempt.size) && learn(at);
    at->n_proposals = is_good || has_learnt ? at->n_proposals + 1 : MAX_PROPOSALS;
    if (!is_good && (at->is_fresh || (!has_learnt && !at->matrix))) *out = STUCK;
    if (is_good) take_attempt(at);
    return TAKT_OK;
}

// Without a solution a run may go on: from the best values found, with members that belong to them.
static takt_status return_to_best(solver *at, takt_error *err)
{
    if (at->is_at_best) return TAKT_OK;
    memcpy(at->attempt.z, at->best.z, (size_t)at->n * sizeof *at->best.z);
    takt_status st = evaluate(at, &at->attempt, err);
    if (!st && isinf(at->attempt.size) && !takt_loop_is_stopped(at->loop))
        st = TAKT_ERR_SIMULATION; // the message is that of the evaluation
    return st;
}

// The first evaluation, at the predicted values, or at those of now if that is not possible.
static takt_status start(solver *at, bool predicts, takt_error *err)
{
    const takt_step *step = at->loop->step;
    double *z = at->attempt.z;
    takt_loop_guess(at->loop, at->full);
    for (int i = 0; i < at->n; i++) z[i] = at->full[at->loop->torn[i]];
    if (predicts) takt_predictor_predict(&at->predictor, step->t + step->h, z);
    takt_status st = evaluate(at, &at->attempt, err);
    if (st || takt_loop_is_stopped(at->loop)) return st;
    if (isinf(at->attempt.size)) return predicts ? start(at, false, err) : TAKT_ERR_SIMULATION;
    take_attempt(at);
    return TAKT_OK;
}

// Solves for the real values, with the discrete ones frozen.
static takt_status solve(solver *at, bool predicts, int64_t *n_left, progress *out, takt_error *err)
{
    takt_loop_allow_differences(at->loop, false);
    at->rate = INFINITY;
    at->is_own = at->is_fresh = at->is_noisy = false;
    at->n_proposals = 0;
    *out = GOES_ON;
    takt_status st = start(at, predicts, err);
    if (st || takt_loop_is_stopped(at->loop)) return st;
    if (is_exact(at)) *out = SOLVED;
    while (*out == GOES_ON && (*n_left)-- > 0) {
        st = iterate(at, out, err);
        if (st || takt_loop_is_stopped(at->loop)) return st;
    }
    return *out == SOLVED ? TAKT_OK : return_to_best(at, err);
}

// ---- steps -------------------------------------------------------------------------------------------

// Values now, at the beginning of a step: if they are others than those kept, there was an event.
static bool prepare_prediction(solver *at)
{
    const takt_step *step = at->loop->step;
    if (!at->rule->predicts) return false;
    for (int i = 0; i < at->n; i++)
        at->difference_z[i] = at->loop->run->state.y.real[at->loop->unknowns[at->loop->torn[i]]];
    if (takt_predictor_continues(&at->predictor, step->t, step->h, at->difference_z)) return true;
    takt_predictor_clear(&at->predictor);
    takt_predictor_add(&at->predictor, step->t, at->difference_z, at->units);
    return true;
}

static void finish(solver *at)
{
    const takt_step *step = at->loop->step;
    if (!at->rule->predicts) return;
    for (int i = 0; i < at->n; i++) at->difference_z[i] = at->best.x[at->loop->torn[i]];
    takt_predictor_add(&at->predictor, step->t + step->h, at->difference_z, at->units);
}

takt_status takt_secant_loop_advance(takt_run *run, takt_run_block *block, const takt_step *step,
                                     takt_outcome *outcome, takt_error *err)
{
    const takt_settings *settings = &run->plan->system->settings;
    solver *at = block->use->data;
    if (step->is_single) return takt_loop_pass(at->loop, step, outcome, err);
    takt_loop_begin(at->loop, step, outcome);
    change_memory(at);
    takt_secants_begin(&at->secants, at->rule->n_steps);
    bool predicts = prepare_prediction(at);
    progress state = SOLVED;
    for (int64_t n_left = settings->iterations; state == SOLVED && n_left > 0; n_left--) {
        takt_status st = takt_loop_remember(at->loop, err);
        if (!st) st = solve(at, predicts, &n_left, &state, err);
        if (st || outcome->end != TAKT_STEP_DONE) return st;
        bool is_at_rest = takt_loop_is_discrete_same(at->loop);
        if (state == SOLVED && is_at_rest) {
            finish(at);
            return TAKT_OK;
        }
        predicts = false;
        drop_model(at); // other discrete values, other derivatives
    }
    takt_loop_doubt(at->loop, &outcome->is_unconverged, at->best.size);
    return TAKT_OK;
}
