// SPDX-License-Identifier: MIT
// Secants and matrices for fixed points; see secant_solver.h. Solved is r = T(z) - z = 0.
//
// Each evaluation but the first one of a step gives a secant: by how much inputs, residual and all numbers changed.
// Their combination proposes the next z. The part of r that no secant explains, the rest, is added as it
// is (dT/dz = 0 is assumed there), or with the help of a matrix I - dT/dz of difference quotients, if there is one.
//
// Where secants do not succeed, or do not know all directions, a matrix is made (n evaluations), and steps along it are
// halved while the residual grows. It stays for the following steps.
#include "num/secant_solver.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/sound.h"
#include "num/dense.h"
#include "num/secants.h"
#include "num/singular.h"

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

// Relative error of difference quotients.
static const double PRECISION = 1e-7;

// Residuals below are rounding, in units of the tolerances; relative to the values.
static const double NEGLIGIBLE = 1e-9, ROUNDING = 8 * DBL_EPSILON;

// Without a matrix, the rest of a residual may cause an error so many times as large as secants show for other
// parts.
static const double SAFETY = 10;

// A matrix is made after so many proposals without success, and of so many torn unknowns at most.
enum { MAX_PROPOSALS = 8, MAX_TORN = 500, MAX_HALVINGS = 10 };

// What is carried from step to step. One piece of memory.
typedef struct memory {
    takt_secants_state secants;
    bool has_matrix;
    double gain; // of the matrix; 0: not known
    double numbers[]; // units, secants, matrix (decomposed), slopes, pivots
} memory;

// An evaluation.
typedef struct point {
    double *z; // torn unknowns that it began with
    double *x; // all numbers that it delivered
    double *r; // residual
    double size; // norm of the residual; infinite: values were not finite
} point;

struct takt_secant_solver {
    takt_secant_problem problem;
    int n, n_all; // of the problem
    memory *memory;
    takt_secants secants;
    double *matrix, *slopes; // I - dT/dz, decomposed, n x n; dx/dz, n_all x n; NULL: are not made
    int *pivots;
    point best, attempt;
    double *difference_z, *difference_r, *difference_x;
    double *units; // of the torn unknowns: the largest magnitudes seen
    double *full; // a vector of all numbers
    double *scales; // for the decomposition
    takt_secants_result model; // what is proposed at `best`
    bool is_stopped; // by an evaluation
    bool is_at_best; // the last evaluation was at best.z
    bool is_fresh; // the matrix was made at best.z
    bool is_own; // the matrix was made in this step
    bool is_singular; // the matrix that was made last
    double rate; // by which the last proposal reduced the residual; infinite: there was none
    double last_step; // norm of that proposal
    bool is_noisy; // a proposal from within the tolerances has not reduced the residual
    int n_proposals; // in this step, since a matrix was made
    int64_t n_matrices; // made so far
};

typedef takt_secant_solver solver;

// ---- preparation -------------------------------------------------------------------------------------

static size_t n_matrix(int n)
{
    return n <= MAX_TORN ? (size_t)n * (size_t)n : 0;
}

static size_t n_slopes(int n, int n_all)
{
    return n <= MAX_TORN ? (size_t)n * (size_t)n_all : 0;
}

size_t takt_secant_solver_memory(int n, int n_all, int room)
{
    size_t n_numbers =
        (size_t)n + takt_secants_size(n, n_all, room) + n_matrix(n) + n_slopes(n, n_all);
    return sizeof(memory) + n_numbers * sizeof(double) + (size_t)n * sizeof(int);
}

static double *take(double **room, size_t n)
{
    double *taken = *room;
    *room += n;
    return taken;
}

void takt_secant_solver_attach(takt_secant_solver *at, void *given)
{
    at->memory = given;
    double *numbers = at->memory->numbers;
    at->units = take(&numbers, (size_t)at->n);
    at->secants.state = &at->memory->secants;
    at->secants.columns = take(&numbers, takt_secants_size(at->n, at->n_all, at->secants.room));
    at->matrix = take(&numbers, n_matrix(at->n));
    at->slopes = take(&numbers, n_slopes(at->n, at->n_all));
    at->pivots = (int *)numbers;
    if (at->n > MAX_TORN) at->matrix = at->slopes = NULL;
}

takt_secant_solver *takt_secant_solver_create(takt_arena *arena, const takt_secant_problem *problem,
                                              int room)
{
    size_t n = (size_t)problem->n, n_all = (size_t)problem->n_all;
    size_t n_numbers = takt_secants_work(problem->n, room) + 12 * n + 5 * n_all;
    solver *at = takt_arena_alloc(arena, sizeof *at);
    double *numbers = takt_arena_array(arena, n_numbers, sizeof *numbers);
    int *picked = takt_arena_array(arena, (size_t)room, sizeof *picked);
    if (!at || !numbers || !picked) return NULL;
    *at = (solver){.problem = *problem, .n = problem->n, .n_all = problem->n_all};
    point *const points[] = {&at->best, &at->attempt};
    for (int i = 0; i < 2; i++)
        *points[i] = (point){take(&numbers, n), take(&numbers, n_all), take(&numbers, n), INFINITY};
    at->difference_z = take(&numbers, n);
    at->difference_r = take(&numbers, n);
    at->difference_x = take(&numbers, n_all);
    at->full = take(&numbers, n_all);
    at->scales = take(&numbers, 2 * n);
    at->model.step = take(&numbers, n);
    at->model.rest = take(&numbers, n);
    at->model.all = take(&numbers, n_all);
    at->secants = (takt_secants){.n = at->n, .n_all = at->n_all, .room = room, .picked = picked};
    at->secants.work = numbers;
    return at;
}

void takt_secant_solver_forget(takt_secant_solver *at)
{
    takt_secants_clear(&at->secants);
    at->memory->has_matrix = false;
}

bool takt_secant_solver_is_sound(const takt_secant_solver *at)
{
    if (!takt_secants_is_sound(&at->secants) || !takt_sound_bool(&at->memory->has_matrix))
        return false;
    return !at->memory->has_matrix || (at->matrix && takt_lu_is_sound(at->n, at->pivots));
}

void takt_secant_solver_begin(takt_secant_solver *at, int n_steps)
{
    takt_secants_begin(&at->secants, n_steps);
}

const double *takt_secant_solver_values(const takt_secant_solver *at)
{
    return at->best.x;
}

double takt_secant_solver_residual(const takt_secant_solver *at)
{
    return at->best.size;
}

const double *takt_secant_solver_units(const takt_secant_solver *at)
{
    return at->units;
}

int64_t takt_secant_solver_count(const takt_secant_solver *at)
{
    return at->n_matrices;
}

// ---- evaluation --------------------------------------------------------------------------------------

// The norm of a vector of torn unknowns, as a part of a vector of all.
static double norm_of_torn(solver *at, const double *torn, const double *x)
{
    memset(at->full, 0, (size_t)at->n_all * sizeof *at->full);
    for (int i = 0; i < at->n; i++) at->full[at->problem.torn[i]] = torn[i];
    return at->problem.norm(at->problem.context, at->full, x);
}

static double tolerance_of(const solver *at, int i, double x)
{
    return at->problem.tolerance(at->problem.context, at->problem.torn[i], x);
}

static void allow_differences(const solver *at, bool is_allowed)
{
    if (at->problem.allow_differences)
        at->problem.allow_differences(at->problem.context, is_allowed);
}

// Evaluates at p->z.
static takt_status evaluate(solver *at, point *p, takt_error *err)
{
    takt_evaluation how = TAKT_NOT_FINITE;
    bool is_finite = true;
    for (int i = 0; i < at->n; i++) is_finite &= isfinite(p->z[i]) != 0;
    p->size = INFINITY;
    if (!is_finite) return TAKT_OK;
    takt_status st = at->problem.evaluate(at->problem.context, p->z, p->x, &how, err);
    at->is_stopped = how == TAKT_STOPPED;
    if (st || how != TAKT_EVALUATED) return st;
    for (int i = 0; i < at->n; i++) p->r[i] = p->x[at->problem.torn[i]] - p->z[i];
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
        at->matrix[i * n + j] = (i == j) - at->slopes[at->problem.torn[i] * n + j];
}

// Column j: a sweep with torn unknown j changed, the other way if that is not finite.
static takt_status make_column(solver *at, int j, takt_error *err)
{
    const double *z = at->best.z;
    double larger = fmax(fabs(z[j]), fabs(z[j] + at->best.r[j]));
    double small = fmin(0.1 * tolerance_of(at, j, z[j]), 1e-3 * at->units[j]);
    double delta = fmax(small, sqrt(DBL_EPSILON) * larger);
    takt_status st = TAKT_OK;
    at->attempt.size = INFINITY;
    for (int sign = 1; sign >= -1 && isinf(at->attempt.size) && !st; sign -= 2) {
        memcpy(at->attempt.z, z, (size_t)at->n * sizeof *z);
        at->attempt.z[j] += sign * delta;
        st = evaluate(at, &at->attempt, err);
        if (at->is_stopped) return st;
    }
    if (!st && !isinf(at->attempt.size)) add_column(at, j, at->attempt.z[j] - z[j]);
    return st;
}

// Makes and decomposes I - dT/dz at best.z; secants are no longer needed. Where values are not finite there is
// no matrix.
static takt_status make_matrix(solver *at, takt_error *err)
{
    takt_secant_solver_forget(at);
    at->is_at_best = at->is_singular = false;
    at->n_proposals = 0;
    for (int j = 0; j < at->n; j++) {
        takt_status st = make_column(at, j, err);
        if (st || at->is_stopped || isinf(at->attempt.size)) return st;
    }
    at->n_matrices++;
    at->is_fresh = at->is_own = true;
    takt_clear_cancelled(at->n, at->matrix, PRECISION);
    at->memory->has_matrix =
        takt_lu_decompose(at->n, at->matrix, at->pivots, at->scales, PRECISION);
    at->memory->gain = 0;
    at->is_singular = !at->memory->has_matrix;
    return TAKT_OK;
}

// The norm of the inverse, column by column.
static double find_gain(solver *at)
{
    int n = at->n;
    double *sums = at->difference_z, *column = at->difference_r, largest = 1;
    memset(sums, 0, (size_t)n * sizeof *sums);
    for (int j = 0; j < n; j++) {
        memset(column, 0, (size_t)n * sizeof *column);
        column[j] = at->units[j];
        takt_lu_solve(n, at->matrix, at->pivots, column);
        for (int i = 0; i < n; i++) sums[i] += fabs(column[i]);
    }
    for (int i = 0; i < n; i++)
        if (at->units[i] > 0) largest = fmax(largest, sums[i] / at->units[i]);
    return largest;
}

double takt_secant_solver_gain(takt_secant_solver *at)
{
    double largest = 1;
    memory *kept = at->memory;
    if (kept->has_matrix && kept->gain == 0) kept->gain = find_gain(at);
    if (kept->has_matrix) return kept->gain;
    for (int k = 0; k < at->secants.state->n_kept; k++) {
        takt_secant secant = takt_secants_get(&at->secants, k);
        double way = 0, residual = 0;
        for (int i = 0; i < at->n; i++) {
            way = fmax(way, fabs(secant.input[i]) / at->units[i]);
            residual = fmax(residual, fabs(secant.residual[i]) / at->units[i]);
        }
        if (residual > 0) largest = fmax(largest, way / residual);
    }
    return largest;
}

// The matrix is made again from the slopes.
bool takt_secant_solver_explain(takt_secant_solver *at, int *is_free)
{
    int n = at->n;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            at->matrix[i * n + j] = (i == j) - at->slopes[at->problem.torn[i] * n + j];
    takt_clear_cancelled(n, at->matrix, PRECISION);
    memcpy(at->difference_r, at->best.r, (size_t)n * sizeof *at->best.r);
    return takt_singular_explain(n, at->matrix, at->difference_r, PRECISION, is_free, at->scales);
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
        double smallest = 1e-6 * tolerance_of(at, i, 0);
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
        double way = at->problem.norm(at->problem.context, secant.all, at->best.x);
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
    for (int i = 0; i < at->n; i++) at->full[at->problem.torn[i]] = at->model.step[i];
    out.step = at->problem.norm(at->problem.context, at->full, best->x);
    return out;
}

// Keeps the difference between the attempt and the best point, unless it is noise. A residual that changes by rounding only
// would lead far away, where everything is rounding.
static bool learn(solver *at)
{
    bool is_far = false, is_seen = false;
    for (int i = 0; i < at->n; i++) {
        double z = at->best.z[i], larger = fmax(fabs(z), fabs(at->attempt.z[i]));
        at->difference_z[i] = at->attempt.z[i] - z;
        at->difference_r[i] = at->attempt.r[i] - at->best.r[i];
        is_far |= fabs(at->difference_z[i]) > SIGNIFICANT * larger;
        is_seen |= fabs(at->difference_r[i]) > ROUNDING * larger;
    }
    bool is_significant = is_far && is_seen;
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
    allow_differences(at, true);
    double own_before = norm_of_torn(at, before->r, before->x);
    double own_after = norm_of_torn(at, after->r, after->x);
    bool is_explained = own_before <= 1 && own_after <= 1;
    if (is_explained) before->size = own_before, after->size = own_after;
    if (!is_explained) allow_differences(at, false);
    return norm_of_torn(at, after->r, before->x);
}

// Goes along the step. It is halved while values are not finite, and along a fresh matrix also while the
// residual grows.
static takt_status try_step(solver *at, bool *is_good, takt_error *err)
{
    double factor = at->is_fresh ? at->problem.damping : 1;
    bool goes_on = true;
    at->is_at_best = *is_good = false;
    for (int k = 0; k <= MAX_HALVINGS && goes_on; k++, factor /= 2) {
        for (int i = 0; i < at->n; i++)
            at->attempt.z[i] = at->best.z[i] + factor * at->model.step[i];
        takt_status st = evaluate(at, &at->attempt, err);
        if (st || at->is_stopped) return st;
        if (isinf(at->attempt.size)) continue;
        double size = compare(at);
        at->rate = at->best.size > 0 ? size / at->best.size : 0;
        *is_good = size < at->best.size || at->attempt.size <= 1;
        at->is_noisy |= is_complete(at) && at->best.size <= 1 && at->rate > WORST_RATE;
        goes_on = at->is_fresh && !*is_good;
    }
    return TAKT_OK;
}

// Does nothing change, in no bit? Anything else needs secants or a matrix to be judged: where dT/dz is 1 but for rounding,
// the smallest residual may hide any error.
static bool is_exact(const solver *at)
{
    for (int i = 0; i < at->n; i++)
        if (at->best.r[i] != 0) return false;
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
    bool is_at_rest = at->best.size <= NEGLIGIBLE && step <= 1e-3;
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
    if (at->problem.report) at->problem.report(at->problem.context, at->best.size, next.step);
    *out = is_solved(at, &next) ? SOLVED : GOES_ON;
    if (*out == SOLVED) return TAKT_OK;
    if (needs_matrix(at, &next)) {
        takt_status st = make_matrix(at, err);
        if (st || at->is_stopped) return st;
        if (!at->memory->has_matrix) *out = STUCK;
        if (*out == STUCK) return TAKT_OK;
        next = propose(at);
    }
    at->last_step = next.step;
    bool is_good;
    takt_status st = try_step(at, &is_good, err);
    if (st || at->is_stopped) return st;
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
    if (!st && isinf(at->attempt.size) && !at->is_stopped)
        st = TAKT_ERR_SIMULATION; // the message is that of the evaluation
    return st;
}

// The first evaluation.
static takt_status start(solver *at, const double *z, const double *other, takt_error *err)
{
    memcpy(at->attempt.z, z, (size_t)at->n * sizeof *z);
    takt_status st = evaluate(at, &at->attempt, err);
    if (st || at->is_stopped) return st;
    if (isinf(at->attempt.size)) return other ? start(at, other, NULL, err) : TAKT_ERR_SIMULATION;
    take_attempt(at);
    return TAKT_OK;
}

static takt_answer answer_of(const solver *at, progress state)
{
    if (at->is_stopped) return TAKT_ANSWER_STOPPED;
    if (state == SOLVED) return TAKT_ANSWER_SOLVED;
    return at->is_singular ? TAKT_ANSWER_SINGULAR : TAKT_ANSWER_NONE;
}

takt_status takt_secant_solver_solve(takt_secant_solver *at, const double *z, const double *other,
                                     int64_t *n_left, takt_answer *out, takt_error *err)
{
    progress state = GOES_ON;
    allow_differences(at, false);
    at->rate = INFINITY;
    at->is_own = at->is_fresh = at->is_noisy = at->is_stopped = at->is_singular = false;
    at->n_proposals = 0;
    takt_status st = start(at, z, other, err);
    if (!st && !at->is_stopped && is_exact(at)) state = SOLVED;
    while (!st && !at->is_stopped && state == GOES_ON && (*n_left)-- > 0)
        st = iterate(at, &state, err);
    if (!st && !at->is_stopped && state != SOLVED) st = return_to_best(at, err);
    *out = answer_of(at, state);
    return st;
}
