// SPDX-License-Identifier: MIT
// Newton's method for a loop (Petridis and Clauss 2015, equation 5). Solved is r = S(x) - x = 0 for the
// unknowns x of the loop problem, S(x) being what members deliver when all of them step with inputs x.
//
// The matrix J = I - dS/dx is kept, also from step to step, while the residual shrinks well. Derivatives
// that members give serve until they turn out too inexact. A step that makes the residual grow is
// halved. A solution is accepted only if its residual and the Newton step that would follow are both
// small: with a large loop gain either alone can deceive.
//
// Discrete values are frozen while the real ones are solved, then updated, until they rest.
#include <float.h>
#include <math.h>

#include "base/sound.h"
#include "num/dense.h"
#include "run/algorithm.h"
#include "run/loop_prepare.h"

// J is renewed after an iteration that reduced the residual by less than this factor.
static const double SLOW = 0.1;

// A matrix of an earlier step may propose a step, but it judges a solution only if it has reduced the residual
// at least by this factor: the error is then at most the step that would follow, over 1 - rate.
static const double WORST_RATE = 0.5;

// Relative error of the difference quotients.
static const double PRECISION = 1e-7;

enum { MAX_HALVINGS = 10 };

// A full matrix of more unknowns than this needs too much memory and time.
enum { MAX_UNKNOWNS = 4000 };

// What is carried from step to step. One piece of memory.
typedef struct memory {
    int64_t version; // another one after every change
    bool has_matrix;
    bool uses_quotients; // the members' own derivatives turned out too inexact
    bool is_derived; // the matrix comes from the members' own derivatives, at least in part
    double matrix[]; // decomposed; behind it lie the pivots
} memory;

typedef struct newton {
    takt_loop *loop;
    double damping; // first factor of steps
    int n; // unknowns
    double *x, *x_try; // accepted values, and those of the attempt
    double *s; // S(x)
    double *residual; // of the attempt
    double *step;
    double *scales; // 2 n numbers, for the decomposition
    int *pivots;
    memory *memory;
    bool is_fresh; // the matrix was made at x
    bool is_at_x; // the members have been stepped with x, and y is what they deliver
    double size; // norm of the residual at the end
    int64_t n_matrices; // made so far
    int64_t n_changes; // of the memory; never goes back
    bool is_own; // the matrix was made in this step
    double rate; // by which the last attempt reduced the residual; infinite: there was none
} newton;

// ---- preparation ---------------------------------------------------------------------------------

static size_t size_of_memory(const newton *at)
{
    size_t n = (size_t)at->n;
    return sizeof *at->memory + n * n * sizeof(double) + n * sizeof(int);
}

static bool make_vectors(takt_arena *arena, newton *at)
{
    size_t n = (size_t)at->n;
    double *vectors = takt_arena_array(arena, 7 * n, sizeof *vectors);
    at->memory = takt_arena_alloc(arena, size_of_memory(at));
    if (!vectors || !at->memory) return false;
    at->pivots = (int *)(at->memory->matrix + n * n);
    at->x = vectors;
    at->x_try = vectors + n;
    at->s = vectors + 2 * n;
    at->residual = vectors + 3 * n;
    at->step = vectors + 4 * n;
    at->scales = vectors + 5 * n;
    return true;
}

static takt_status prepare(takt_run *run, takt_run_block *block, void **data, takt_error *err)
{
    newton *at = takt_arena_alloc(&run->arena, sizeof *at);
    if (!at) return takt_fail_memory(err);
    takt_status st = takt_loop_find_unknowns(block->loop, err);
    if (st) return st;
    *at = (newton){
        .loop = block->loop, .damping = run->plan->system->settings.damping, .n = block->loop->n};
    if (at->n > MAX_UNKNOWNS)
        return takt_fail(err, TAKT_ERR_USAGE,
                         "the loop of '%s' has %d unknowns, too many for Newton's method (at most "
                         "%d); choose another --algorithm for it",
                         takt_loop_name(block->loop), at->n, MAX_UNKNOWNS);
    if (!make_vectors(&run->arena, at)) return takt_fail_memory(err);
    *data = at;
    return TAKT_OK;
}

// The memory is about to change.
static memory *change(newton *at)
{
    at->memory->version = ++at->n_changes;
    return at->memory;
}

static void drop_matrix(newton *at)
{
    if (at->memory->has_matrix) change(at)->has_matrix = false;
}

static void forget(void *data)
{
    newton *at = data;
    drop_matrix(at);
    if (at->memory->uses_quotients) change(at)->uses_quotients = false;
}

static takt_memory memory_of(void *data)
{
    newton *at = data;
    return (takt_memory){at->memory, size_of_memory(at), &at->memory->version};
}

static bool is_sound(const void *data)
{
    const newton *at = data;
    const memory *kept = at->memory;
    if (!takt_sound_bool(&kept->has_matrix) || !takt_sound_bool(&kept->uses_quotients) ||
        !takt_sound_bool(&kept->is_derived))
        return false;
    return !kept->has_matrix || takt_lu_is_sound(at->n, at->pivots);
}

static int count(const void *data, takt_algorithm_count *out, int room)
{
    if (room < 1) return 0;
    out[0] = (takt_algorithm_count){"matrices", ((const newton *)data)->n_matrices};
    return 1;
}

// ---- evaluation ----------------------------------------------------------------------------------

// Evaluates x_try; `size` is the norm of the residual, infinite if values are not finite.
static takt_status evaluate(newton *at, const double *x, double *size, takt_error *err)
{
    bool is_finite;
    takt_status st = takt_loop_evaluate(at->loop, x, at->residual, &is_finite, err);
    *size = INFINITY;
    if (st || !is_finite) return st;
    for (int i = 0; i < at->n; i++) at->residual[i] -= x[i];
    *size = takt_loop_norm(at->loop, at->residual, x);
    return TAKT_OK;
}

// Makes and decomposes J at x, where s = S(x).
static takt_status make_matrix(newton *at, takt_error *err)
{
    memory *kept = change(at);
    at->is_at_x = false;
    takt_status st = takt_loop_make_matrix(at->loop, at->x, at->s, kept->uses_quotients,
                                           kept->matrix, &kept->is_derived, err);
    if (st || takt_loop_is_stopped(at->loop)) return st;
    at->n_matrices++;
    at->is_fresh = at->is_own = true;
    takt_clear_cancelled(at->n, kept->matrix, PRECISION);
    kept->has_matrix = takt_lu_decompose(at->n, kept->matrix, at->pivots, at->scales, PRECISION);
    if (kept->has_matrix) return TAKT_OK;
    return takt_fail(err, TAKT_ERR_SIMULATION,
                     "t=%.15g s: the loop of '%s' has no unique solution (its matrix is singular); "
                     "try another --algorithm or a smaller --step-size",
                     at->loop->step->t, takt_loop_name(at->loop));
}

// ---- the iteration -------------------------------------------------------------------------------

// Takes over the attempt as the accepted point.
static void accept_attempt(newton *at)
{
    for (int i = 0; i < at->n; i++) {
        at->x[i] = at->x_try[i];
        at->s[i] = at->x_try[i] + at->residual[i];
    }
    at->is_fresh = false;
    at->is_at_x = true;
}

// The Newton step from x; its norm.
static double make_step(newton *at)
{
    for (int i = 0; i < at->n; i++) at->step[i] = at->s[i] - at->x[i];
    takt_lu_solve(at->n, at->memory->matrix, at->pivots, at->step);
    return takt_loop_norm(at->loop, at->step, at->x);
}

// The residual after an attempt.
typedef struct trial {
    double size; // its norm; infinite: values are not finite
    double
        in_old_units; // the same with the tolerances at x: those of a larger x let it seem smaller
} trial;

static bool is_better(const trial *result, double size)
{
    return result->in_old_units < size || result->size <= 1;
}

static trial measure(const newton *at, double size)
{
    return (trial){size, isinf(size) ? INFINITY : takt_loop_norm(at->loop, at->residual, at->x)};
}

// A fresh matrix that does not reduce the residual: what is left before and after may be rounding of differences.
// Then it no longer counts.
static void look_for_differences(newton *at, double *size, trial *out)
{
    if (!at->is_fresh || isinf(out->size) || out->in_old_units <= WORST_RATE * *size) return;
    double *before = at->scales;
    for (int i = 0; i < at->n; i++) before[i] = at->s[i] - at->x[i];
    takt_loop_allow_differences(at->loop, true);
    double size_before = takt_loop_norm(at->loop, before, at->x);
    trial after = measure(at, takt_loop_norm(at->loop, at->residual, at->x_try));
    bool is_explained = size_before <= 1 && after.size <= 1;
    takt_loop_allow_differences(at->loop, is_explained);
    if (is_explained) *size = size_before, *out = after;
}

// Goes along the step. While the residual grows, the step is halved; but an old matrix is not worth
// that effort.
static takt_status try_step(newton *at, double *size, trial *out, takt_error *err)
{
    double factor = at->damping;
    int n_attempts = at->is_fresh ? 1 + MAX_HALVINGS : 1;
    at->is_at_x = false;
    for (int k = 0; k < n_attempts; k++, factor /= 2) {
        for (int i = 0; i < at->n; i++) at->x_try[i] = at->x[i] + factor * at->step[i];
        takt_status st = evaluate(at, at->x_try, &out->size, err);
        if (st || takt_loop_is_stopped(at->loop)) return st;
        *out = measure(at, out->size);
        look_for_differences(at, size, out);
        if (is_better(out, *size)) return TAKT_OK;
    }
    return TAKT_OK;
}

// Is the matrix no longer good enough? A full Newton step should reduce the residual tenfold, a damped
// one accordingly less. An old matrix must do so within the tolerances as well, for it judges the
// solution.
static bool is_slow(const newton *at, double size, const trial *result)
{
    double expected = 1 - at->damping * (1 - SLOW);
    double small = at->is_fresh ? 1 : SLOW;
    return !(result->in_old_units <= expected * size || result->size <= small);
}

typedef enum progress { GOES_ON, SOLVED, STUCK } progress;

// Judges an attempt: keeps it if it is better, and drops a matrix that serves badly.
static progress judge_attempt(newton *at, const trial *result, double *size)
{
    memory *kept = at->memory;
    at->rate = *size > 0 ? result->in_old_units / *size : 0;
    bool is_bad = !at->is_own && !(at->rate <= WORST_RATE);
    if (is_bad || is_slow(at, *size, result)) {
        if (at->is_fresh && kept->is_derived) change(at)->uses_quotients = true;
        drop_matrix(at);
    }
    if (!is_better(result, *size)) return at->is_fresh && !kept->is_derived ? STUCK : GOES_ON;
    accept_attempt(at);
    *size = result->size;
    return GOES_ON;
}

// One iteration from x, where s = S(x) and `size` is the norm of the residual.
static takt_status iterate(newton *at, double *size, progress *out, takt_error *err)
{
    bool members_are_at_x = at->memory->has_matrix; // making the matrix moves them away
    takt_status st = members_are_at_x ? TAKT_OK : make_matrix(at, err);
    if (st || takt_loop_is_stopped(at->loop)) return st;
    double step = make_step(at);
    takt_loop_log(at->loop, *size, step);
    bool is_small = *size <= 1 && (at->is_own ? step <= 1 : step <= 1 - at->rate);
    is_small |= *size <= TAKT_LOOP_ROUNDING && step <= 1e-3; // whatever the matrix is worth
    *out = members_are_at_x && is_small ? SOLVED : GOES_ON;
    if (*out == SOLVED) return TAKT_OK;

    trial result;
    st = try_step(at, size, &result, err);
    if (st || takt_loop_is_stopped(at->loop)) return st;
    *out = judge_attempt(at, &result, size);
    return TAKT_OK;
}

// Without a solution a run may go on: from the best values found, with members that belong to them.
static takt_status return_to_x(newton *at, takt_error *err)
{
    double size;
    if (at->is_at_x) return TAKT_OK;
    takt_status st = evaluate(at, at->x, &size, err);
    return !st && isinf(size) ? TAKT_ERR_SIMULATION : st; // the message is that of the evaluation
}

// Does nothing change, in no bit? Anything else needs a matrix to be judged: with a gain of 1 but for rounding, the
// smallest residual may hide any error.
static bool is_exact(const newton *at)
{
    for (int i = 0; i < at->n; i++)
        if (at->s[i] != at->x[i]) return false;
    return true;
}

// Solves for the real values, with the discrete ones frozen. The first evaluation must succeed.
static takt_status solve(newton *at, int64_t *n_left, bool *is_solved, takt_error *err)
{
    double size;
    takt_loop_allow_differences(at->loop, false);
    takt_loop_guess(at->loop, at->x_try);
    takt_status st = evaluate(at, at->x_try, &size, err);
    if (!st && isinf(size)) st = TAKT_ERR_SIMULATION; // the message is that of the evaluation
    if (st || takt_loop_is_stopped(at->loop)) return st;
    accept_attempt(at);
    progress state = is_exact(at) ? SOLVED : GOES_ON;
    while (state == GOES_ON && (*n_left)-- > 0) {
        st = iterate(at, &size, &state, err);
        if (st || takt_loop_is_stopped(at->loop)) return st;
    }
    *is_solved = state == SOLVED;
    at->size = size;
    return *is_solved ? TAKT_OK : return_to_x(at, err);
}

static takt_status advance(takt_run *run, takt_run_block *block, const takt_step *step,
                           takt_outcome *outcome, takt_error *err)
{
    const takt_settings *settings = &run->plan->system->settings;
    newton *at = block->use->data;
    if (step->is_single) return takt_loop_pass(at->loop, step, outcome, err);
    takt_loop_begin(at->loop, step, outcome);
    at->is_own = false;
    at->rate = INFINITY;
    bool is_solved = true;
    for (int64_t n_left = settings->iterations; is_solved && n_left > 0; n_left--) {
        takt_status st = takt_loop_remember(at->loop, err);
        if (!st) st = solve(at, &n_left, &is_solved, err);
        if (st || outcome->end != TAKT_STEP_DONE) return st;
        if (is_solved && takt_loop_is_discrete_same(at->loop)) return TAKT_OK;
        if (is_solved && takt_loop_returns(at->loop)) break;
        drop_matrix(at); // other discrete values, other derivatives
    }
    takt_loop_doubt(at->loop, &outcome->is_unconverged, at->size);
    return TAKT_OK;
}

const takt_algorithm_type takt_newton_algorithm = {
    .facts = &takt_algorithms[TAKT_ALGORITHM_NEWTON],
    .advance = advance,
    .prepare = prepare,
    .forget = forget,
    .memory = memory_of,
    .is_sound = is_sound,
    .count = count,
};
