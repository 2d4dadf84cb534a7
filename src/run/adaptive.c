// SPDX-License-Identifier: MIT
// Adaptive steps (Nicolai 2018, algorithm 5). A step that a loop does not solve is repeated with a
// fifth of its size; with the error test, a step whose error is too large is repeated with the size
// that the error suggests. A rejected step leaves no trace: all instances and all values are taken
// back to the last communication point.
#include "run/adaptive.h"

#include <math.h>
#include <stdlib.h>

#include "run/calls.h"
#include "run/derivatives.h"
#include "run/rows.h"
#include "run/step.h"
#include "run/step_log.h"

// The last step is stretched rather than leaving less than this part of the interval, but by no more
// than this part of its size.
static const double REST = 1e-6, STRETCH = 1e-3;

// Aim a little below the tolerance. A rejected step is reduced at least by this factor, so that there is
// an end of it.
static const double SAFETY = 0.9;

// ---- the way back --------------------------------------------------------------------------------

takt_status takt_adaptive_create(takt_run *run, takt_error *err)
{
    run->adaptive = calloc(1, sizeof *run->adaptive);
    if (!run->adaptive) return takt_fail_memory(err);
    size_t n = (size_t)run->plan->n_outputs[TAKT_KIND_REAL];
    run->adaptive->full = takt_arena_array(&run->arena, n, sizeof(double));
    run->adaptive->middle = takt_arena_array(&run->arena, n, sizeof(double));
    run->adaptive->h_next = run->plan->system->settings.step_size;
    if (!run->adaptive->full || !run->adaptive->middle ||
        !takt_values_init(&run->adaptive->start, run->plan->n_outputs))
        return takt_fail_memory(err);
    return TAKT_OK;
}

void takt_adaptive_destroy(takt_run *run)
{
    if (!run->adaptive) return;
    takt_values_clear(&run->adaptive->start, run->plan->n_outputs);
    free(run->adaptive);
    run->adaptive = NULL;
}

static takt_status save_all(takt_run *run, takt_error *err)
{
    bool ok = takt_values_copy(&run->y, &run->adaptive->start, run->plan->n_outputs);
    takt_derivatives_save(run);
    takt_status st = ok ? TAKT_OK : takt_fail_memory(err);
    for (int i = 0; i < run->n_instances && !st; i++)
        st = takt_run_save(run, i, run->grid.time, err);
    return st;
}

takt_status takt_adaptive_rewind(takt_run *run, takt_error *err)
{
    bool ok = takt_values_copy(&run->adaptive->start, &run->y, run->plan->n_outputs);
    takt_derivatives_restore(run);
    takt_status st = ok ? TAKT_OK : takt_fail_memory(err);
    for (int i = 0; i < run->n_instances && !st; i++)
        st = takt_run_restore(run, i, run->grid.time, err);
    return st;
}

// ---- the size of steps -----------------------------------------------------------------------------

// Does a step of size h reach the stop time, or nearly?
static bool reaches_end(const takt_run *run, double h)
{
    double rest = fmin(REST * (run->grid.stop - run->grid.start), STRETCH * h);
    return run->grid.time + h > run->grid.stop - rest;
}

// No smaller step is tried. A last step may have been stretched by a little.
static bool is_smallest(const takt_settings *settings, double h)
{
    return h <= (1 + STRETCH) * settings->step_min;
}

static double within_limits(const takt_settings *settings, double h)
{
    return fmin(fmax(h, settings->step_min), settings->step_max);
}

static double size_by_error(const takt_settings *settings, double h, double error)
{
    double factor = error > 0 ? SAFETY / sqrt(error) : settings->step_factor_max;
    factor = fmin(fmax(factor, settings->step_factor_min), settings->step_factor_max);
    if (error > 1) factor = fmin(factor, SAFETY);
    return within_limits(settings, h * factor);
}

static takt_status fail_at_smallest(const takt_run *run, const takt_outcome *outcome, double h,
                                    takt_error *err)
{
    if (outcome->end == TAKT_STEP_DISCARDED)
        return takt_fail(err, TAKT_ERR_SIMULATION,
                         "instance '%s' at t=%.15g s: the FMU discards even a step of %.3g s, the "
                         "smallest allowed; try a smaller --step-min",
                         run->instances[outcome->i_instance].instance->name, run->grid.time, h);
    return takt_fail(err, TAKT_ERR_SIMULATION,
                     "t=%.15g s: a loop does not converge even with a step of %.3g s, the smallest "
                     "allowed; try a larger --step-fallback, more --iterations or another "
                     "--algorithm",
                     run->grid.time, h);
}

// ---- the step --------------------------------------------------------------------------------------

// An attempt to step from the last communication point.
typedef struct attempt {
    double h;
    double t_end; // exactly
    bool has_aimed; // at the time up to which an instance came
    bool is_accepted;
} attempt;

// Advances all blocks. Values that are not finite, and loops without a solution, may vanish with a
// smaller step.
static takt_status advance(takt_run *run, double h, takt_outcome *outcome, takt_error *err)
{
    takt_step_plan step = {run->grid.time, h, .is_final = true};
    takt_status st = takt_run_advance(run, &step, outcome, err);
    if (is_smallest(&run->plan->system->settings, h) || !takt_run_can_go_back(run, st)) return st;
    outcome->is_unconverged = true;
    return TAKT_OK;
}

// Goes back and chooses a smaller step after an attempt that did not reach its end. A discarded step
// is repeated once up to where the instance came.
static takt_status back_with_smaller_step(takt_run *run, const takt_outcome *outcome, attempt *at,
                                          takt_error *err)
{
    const takt_settings *settings = &run->plan->system->settings;
    bool is_discarded = outcome->end == TAKT_STEP_DISCARDED;
    takt_step_log_decision(run, &(takt_step_plan){run->grid.time, at->h, true},
                           is_discarded ? "discarded, rejected" : "not converged, rejected");
    if (is_discarded)
        run->n_discarded++;
    else
        run->n_convergence_failures++, run->n_limit_exceeded++;
    if (is_smallest(settings, at->h)) return fail_at_smallest(run, outcome, at->h, err);
    double smaller = fmin(at->h / settings->step_reduction, SAFETY * at->h);
    double reached = outcome->time - run->grid.time;
    if (is_discarded && !at->has_aimed && reached > smaller && reached < at->h) {
        smaller = reached;
        at->has_aimed = true;
    }
    at->h = fmax(smaller, settings->step_min);
    return takt_adaptive_rewind(run, err);
}

// The halves of the smallest step did not succeed: the full step, which did, is made once more.
static takt_status repeat_full_step(takt_run *run, attempt *at, takt_error *err)
{
    takt_outcome outcome;
    takt_status st = takt_adaptive_rewind(run, err);
    if (!st) st = advance(run, at->h, &outcome, err);
    if (st) return st;
    if (at->t_end != run->grid.stop) at->t_end = run->grid.time + at->h;
    bool succeeded = outcome.end == TAKT_STEP_DONE && !outcome.is_unconverged;
    return succeeded ? TAKT_OK : fail_at_smallest(run, &outcome, at->h, err);
}

// The error test; chooses the next size, or goes back with a smaller one.
static takt_status test_error(takt_run *run, attempt *at, takt_error *err)
{
    const takt_settings *settings = &run->plan->system->settings;
    double error;
    bool is_complete;
    takt_status st =
        takt_richardson_test(run, run->grid.time, at->h, at->t_end, &error, &is_complete, err);
    if (st) return st;
    bool has_passed = error <= 1;
    double next = size_by_error(settings, at->h, error);
    takt_step_log_error(run, &(takt_step_plan){run->grid.time, at->h, true}, error, next);
    if (!has_passed) run->n_error_failures++;
    if (!has_passed && !is_smallest(settings, at->h)) {
        at->h = next;
        return takt_adaptive_rewind(run, err);
    }
    // At the smallest size the result is taken as it is, and the size stays.
    run->adaptive->h_next = has_passed ? next : at->h;
    at->is_accepted = true;
    return is_complete ? TAKT_OK : repeat_full_step(run, at, err);
}

// Where a step of size *h ends: it is changed to reach the stop time, the next event or the next row
// exactly. What it was before a row cut it goes to `h_uncut`, so that rows do not make the steps after
// them shorter; 0: no row did.
static double limit_step(const takt_run *run, double *h, double *h_uncut)
{
    bool tests_error = run->plan->system->settings.step_control == TAKT_STEP_CONTROL_RICHARDSON;
    double t = run->grid.time, wanted = *h;
    bool is_event, is_last = reaches_end(run, *h);
    if (is_last) *h = run->grid.stop - t;
    double t_end = is_last ? run->grid.stop : tests_error ? t + *h / 2 + *h / 2 : t + *h;
    double stop = takt_run_next_stop(run, &is_event);
    bool is_same = isfinite(stop) && takt_times_equal(t_end, stop, *h);
    bool is_cut = is_same ? !is_last : t_end > stop; // only the end of all is exact
    *h_uncut = is_cut && !is_event ? wanted : 0;
    if (!is_cut) return t_end;
    *h = stop - t;
    return stop;
}

takt_status takt_step_adaptive(takt_run *run, takt_error *err)
{
    const takt_settings *settings = &run->plan->system->settings;
    bool tests_error = settings->step_control == TAKT_STEP_CONTROL_RICHARDSON;
    attempt at = {.h = within_limits(settings, run->adaptive->h_next)};
    double h_uncut = 0;
    takt_status st = save_all(run, err);
    while (!st && !at.is_accepted) {
        at.t_end = limit_step(run, &at.h, &h_uncut);
        takt_outcome outcome;
        st = advance(run, at.h, &outcome, err);
        if (st) break;
        if (outcome.end == TAKT_STEP_TERMINATED) {
            takt_step_terminate(run, &outcome);
            return TAKT_OK;
        }
        if (outcome.end == TAKT_STEP_DISCARDED || outcome.is_unconverged)
            st = back_with_smaller_step(run, &outcome, &at, err);
        else if (tests_error)
            st = test_error(run, &at, err);
        else
            at.is_accepted = true;
    }
    if (st) return st;
    if (!tests_error) run->adaptive->h_next = settings->step_growth * at.h;
    run->adaptive->h_next = fmax(run->adaptive->h_next, h_uncut);
    takt_grid_go_to(&run->grid, at.t_end);
    return TAKT_OK;
}
