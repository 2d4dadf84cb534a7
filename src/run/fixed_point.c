// SPDX-License-Identifier: MIT
// Iterating Gauss-Seidel: sweeps over the members of a loop, each from the saved states, until the values are
// right to the tolerance (Nicolai 2018, algorithm 3). Values that are not real must be equal in two sweeps.
//
// The papers' program stops when the values of two sweeps agree (setting `norm`). But where the changes shrink
// only by a factor rho near 1 from sweep to sweep, many small changes are still to come: together they are
// rho / (1 - rho) of the last one. That is the error, and it is what must be within the tolerance. rho is the
// larger one of what the last changes show, and of what the loop does with any change (contraction.h).
#include <math.h>

#include "run/algorithm.h"
#include "run/contraction.h"

typedef struct fixed_point {
    takt_contraction *contraction;
    double *earlier; // torn values after an earlier sweep of the step
} fixed_point;

// The sweeps of a step.
typedef struct progress {
    double change; // in the last sweep
    double torn; // the same of torn values only; infinite: there was no sweep
    double rates[2]; // by which that shrank, the last one first
    bool is_probed; // a probe belongs to the last sweep
    int64_t n_sweeps,
        next; // the next number of sweeps after which values are kept as the earlier ones
    bool is_rounding; // all changes since then are rounding of differences
} progress;

static const progress BEGIN = {
    .change = INFINITY, .torn = INFINITY, .rates = {INFINITY, INFINITY}, .next = 1};

static takt_status prepare(takt_run *run, takt_run_block *block, void **data, takt_error *err)
{
    fixed_point *own = takt_arena_alloc(&run->arena, sizeof *own);
    if (!own) return takt_fail_memory(err);
    size_t n_torn = (size_t)block->plan->n_torn;
    own->earlier = takt_arena_array(&run->arena, n_torn, sizeof *own->earlier);
    if (!own->earlier) return takt_fail_memory(err);
    *data = own;
    return takt_contraction_create(block->loop, &own->contraction, err);
}

// One sweep; with a probe, one more before it.
static takt_status sweep(takt_loop *loop, takt_contraction *contraction, bool with_probe,
                         progress *at, takt_error *err)
{
    takt_status st = takt_loop_remember(loop, err);
    if (!st && with_probe) st = takt_contraction_probe(contraction, err);
    if (st || takt_loop_is_stopped(loop)) return st;
    st = takt_loop_sweep(loop, err);
    if (st || takt_loop_is_stopped(loop)) return st;
    if (with_probe) takt_contraction_compare(contraction);
    at->is_probed = with_probe;
    double before = at->torn;
    at->change = takt_loop_change(loop);
    at->torn = takt_contraction_change(contraction);
    at->rates[1] = at->rates[0];
    at->rates[0] = before < INFINITY ? at->torn / before : INFINITY;
    takt_loop_log(loop, at->change, NAN);
    return TAKT_OK;
}

// The error that is left.
static double error_of(const progress *at, const takt_contraction *contraction)
{
    // Torn values at rest: then all others are in the next sweep, unless rounding of a torn one is much to them.
    if (at->torn <= TAKT_LOOP_ROUNDING)
        return at->change <= TAKT_LOOP_ROUNDING ? at->change : INFINITY;
    double rho = at->rates[0];
    if (isfinite(at->rates[1])) rho = fmax(rho, at->rates[1]); // changes may swing
    if (at->is_probed) rho = fmax(rho, takt_contraction_rate(contraction));
    return rho < 1 ? at->change * fmax(1, rho / (1 - rho)) : INFINITY;
}

static bool is_rounding_of_differences(takt_loop *loop)
{
    takt_loop_allow_differences(loop, true);
    double change = takt_loop_change(loop);
    takt_loop_allow_differences(loop, false);
    return change <= TAKT_LOOP_ROUNDING;
}

// Do values come back to what they have been, and are their changes rounding of differences? All else follows from
// the torn ones, so that nothing better can come. The values to come back to are renewed after 1, 2, 4, 8 ...
// sweeps (Brent, An improved Monte Carlo factorization algorithm, 1980).
static bool is_at_rest(takt_loop *loop, fixed_point *own, progress *at)
{
    const takt_block *block = loop->block->plan;
    const double *y = loop->run->state.y.real;
    bool is_same = at->n_sweeps > 0 && (at->is_rounding &= is_rounding_of_differences(loop));
    for (int i = 0; i < block->n_torn && is_same; i++)
        is_same = y[block->torn[i]] == own->earlier[i];
    if (++at->n_sweeps < at->next) return is_same;
    for (int i = 0; i < block->n_torn; i++) own->earlier[i] = y[block->torn[i]];
    at->next *= 2;
    at->is_rounding = true;
    return is_same;
}

// Is nothing hidden behind the changes?
static bool is_proved(const progress *at, const takt_contraction *contraction)
{
    if (!takt_contraction_is_needed(contraction) || at->torn <= TAKT_LOOP_ROUNDING) return true;
    return at->is_probed && takt_contraction_is_settled(contraction);
}

static takt_status advance(takt_run *run, takt_run_block *block, const takt_step *step,
                           takt_outcome *outcome, takt_error *err)
{
    const takt_settings *settings = &run->plan->system->settings;
    takt_loop *loop = block->loop;
    fixed_point *own = block->use->data;
    takt_contraction *contraction = own->contraction;
    bool is_by_change = settings->norm == TAKT_NORM_PAPERS, is_near = false;
    progress at = BEGIN;
    int64_t n_flips = 0;
    if (step->is_single) return takt_loop_pass(loop, step, outcome, err);
    takt_loop_begin(loop, step, outcome);
    takt_contraction_begin_step(contraction);
    for (int64_t n_left = settings->iterations; n_left > 0;) {
        takt_status st = sweep(loop, contraction, is_near, &at, err);
        if (st || takt_loop_is_stopped(loop)) return st;
        double error = is_by_change ? at.change : error_of(&at, contraction);
        bool is_same = takt_loop_is_discrete_same(loop), has_passed = error <= 1 && is_same;
        n_flips += !is_same;
        if (!is_same && n_flips > 1) takt_loop_note_flip(loop); // in case that it never rests
        if (has_passed && (is_by_change || is_proved(&at, contraction))) return TAKT_OK;
        if (is_at_rest(loop, own, &at) && is_same) return TAKT_OK;
        is_near = has_passed || at.is_probed;
        n_left -= !has_passed; // proving does not count
    }
    takt_loop_doubt(loop, &outcome->is_unconverged, at.change);
    return TAKT_OK;
}

static takt_memory memory_of(void *data)
{
    return takt_contraction_memory(((fixed_point *)data)->contraction);
}

static bool is_sound(const void *data)
{
    return takt_contraction_is_sound(((const fixed_point *)data)->contraction);
}

static void forget(void *data)
{
    takt_contraction_forget(((fixed_point *)data)->contraction);
}

const takt_algorithm_type takt_fixed_point_algorithm = {
    .facts = &takt_algorithms[TAKT_ALGORITHM_FIXED_POINT],
    .advance = advance,
    .prepare = prepare,
    .forget = forget,
    .memory = memory_of,
    .is_sound = is_sound,
};
