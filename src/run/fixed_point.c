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

// The sweeps of a step.
typedef struct progress {
    double change; // in the last sweep
    double torn; // the same of torn values only; infinite: there was no sweep
    double rates[2]; // by which that shrank, the last one first
    bool is_probed; // a probe belongs to the last sweep
} progress;

static const progress BEGIN = {INFINITY, INFINITY, {INFINITY, INFINITY}, false};

static takt_status prepare(takt_run *run, takt_run_block *block, void **data, takt_error *err)
{
    (void)run;
    takt_contraction *contraction;
    takt_status st = takt_contraction_create(block->loop, &contraction, err);
    if (!st) *data = contraction;
    return st;
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
    takt_contraction *contraction = block->use->data;
    bool is_by_change = settings->norm == TAKT_NORM_PAPERS, is_near = false;
    progress at = BEGIN;
    if (step->is_single) return takt_loop_pass(loop, step, outcome, err);
    takt_loop_begin(loop, step, outcome);
    takt_contraction_begin_step(contraction);
    for (int64_t n_left = settings->iterations; n_left > 0;) {
        takt_status st = sweep(loop, contraction, is_near, &at, err);
        if (st || takt_loop_is_stopped(loop)) return st;
        double error = is_by_change ? at.change : error_of(&at, contraction);
        bool has_passed = error <= 1 && takt_loop_is_discrete_same(loop);
        if (has_passed && (is_by_change || is_proved(&at, contraction))) return TAKT_OK;
        is_near = has_passed || at.is_probed;
        n_left -= !has_passed; // proving does not count
    }
    takt_loop_doubt(loop, &outcome->is_unconverged, at.change);
    return TAKT_OK;
}

static takt_memory memory_of(void *data)
{
    return takt_contraction_memory(data);
}

static void forget(void *data)
{
    takt_contraction_forget(data);
}

const takt_algorithm_type takt_fixed_point_algorithm = {
    .facts = &takt_algorithms[TAKT_ALGORITHM_FIXED_POINT],
    .advance = advance,
    .prepare = prepare,
    .forget = forget,
    .memory = memory_of,
};
