// SPDX-License-Identifier: MIT
// Adaptive steps (Nicolai 2018, algorithm 5). A step that a loop does not solve is repeated with a
// fifth of its size; with the error test, a step whose error is too large is repeated with the size
// that the error suggests. A rejected step leaves no trace: all instances and all values are taken
// back to the last communication point.
#include <math.h>

#include "run/calls.h"
#include "run/control.h"
#include "run/controller.h"
#include "run/doubts.h"
#include "run/early.h"
#include "run/estimator.h"
#include "run/flips.h"
#include "run/limits.h"
#include "run/rows.h"
#include "run/step_log.h"
#include "run/system_step.h"
#include "run/way_back.h"

// The last step is stretched rather than leaving less than this fraction of the interval, but by no more
// than this fraction of its size.
static const double REST = 1e-6, STRETCH = 1e-3;

struct takt_adaptive {
    const takt_estimator_type *estimator; // NULL: only convergence counts
    const takt_controller_type *controller;
    void *estimator_data;
};

// ---- the size of steps -----------------------------------------------------------------------------

// Does a step of size h reach the stop time, or nearly?
static bool reaches_end(const takt_run *run, double h)
{
    double rest = fmin(REST * (run->state.grid.stop - run->state.grid.start), STRETCH * h);
    return run->state.grid.time + h > run->state.grid.stop - rest;
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

// The size that should follow a step of size h.
static double size_after(takt_run *run, double h, double error)
{
    const takt_settings *settings = &run->plan->system->settings;
    double *memory = run->state.control.memory;
    return within_limits(settings,
                         run->adaptive->controller->after_error(settings, memory, h, error));
}

static takt_status fail_at_smallest(const takt_run *run, const takt_outcome *outcome, double h,
                                    takt_error *err)
{
    if (outcome->end == TAKT_STEP_DISCARDED)
        return takt_fail(err, TAKT_ERR_SIMULATION,
                         "instance '%s' at t=%.15g s: the FMU discards even a step of %.3g s, the "
                         "smallest allowed; try a smaller --step-min",
                         run->work.instances[outcome->i_instance].instance->name,
                         run->state.grid.time, h);
    double t = run->state.grid.time;
    takt_flip found = takt_flip_find(run, t);
    char flip[300];
    takt_flip_describe(run, &found, t, flip, sizeof flip);
    return takt_fail(err, TAKT_ERR_SIMULATION,
                     "t=%.15g s: a loop does not converge even with a step of %.3g s, the smallest "
                     "allowed%s; try a larger --step-fallback, more --iterations or another "
                     "--algorithm",
                     t, h, flip);
}

// ---- the step --------------------------------------------------------------------------------------

// An attempt to step from the last communication point.
typedef struct attempt {
    double h;
    double h_wanted; // before events, rows and the end cut it
    takt_cause cause; // of h
    takt_outcome outcome; // of the result that stays
    double t_end; // exactly
    bool has_aimed; // at the time up to which an instance came
    int n_early; // attempts that were taken back for an event within them
    takt_outcome early; // the last of these; is_early: there was one
    bool is_accepted;
} attempt;

// A line of the step log: the error test (`found`), or another decision (NULL: there was no test).
static void log_attempt(takt_run *run, const attempt *at, const takt_estimate *found, double next,
                        const char *decision)
{
    takt_step step = {.t = run->state.grid.time, .h = at->h};
    takt_step_log_error(run, &step,
                        &(takt_tried){.error = found ? found->error : NAN,
                                      .h_next = next,
                                      .worst = found ? found->worst : TAKT_NO_VALUE,
                                      .cause = at->cause,
                                      .decision = decision});
}

// Advances all blocks. Values that are not finite, and loops without a solution, may vanish with a
// smaller step.
static takt_status advance(takt_run *run, attempt *at, takt_error *err)
{
    const takt_settings *settings = &run->plan->system->settings;
    takt_step step = {run->state.grid.time, at->h, .is_final = run->work.n_snapshots == 0,
                      .is_single = at->h_wanted < settings->step_fallback, .slot = TAKT_SLOT_POINT};
    takt_status st = takt_system_step(run, &step, &at->outcome, err);
    if (is_smallest(settings, at->h) || !takt_way_back_is_open(run, st)) return st;
    at->outcome.is_unconverged = true;
    return TAKT_OK;
}

// Counts and logs an attempt that did not reach its end.
static void note_failure(takt_run *run, const attempt *at, bool is_discarded)
{
    log_attempt(run, at, NULL, NAN,
                is_discarded ? "discarded, rejected" : "not converged, rejected");
    if (is_discarded)
        run->counts.n_discarded++;
    else
        run->counts.n_convergence_failures++, run->counts.n_limit_exceeded++;
}

static takt_status reject(takt_run *run, takt_error *err)
{
    run->counts.n_rejected++;
    return takt_way_back_take(run, err);
}

// Goes back and chooses a smaller step after an attempt that did not reach its end. A discarded step
// is repeated once up to where the instance came.
static takt_status back_with_smaller_step(takt_run *run, attempt *at, takt_error *err)
{
    const takt_outcome *outcome = &at->outcome;
    const takt_settings *settings = &run->plan->system->settings;
    bool is_discarded = outcome->end == TAKT_STEP_DISCARDED;
    note_failure(run, at, is_discarded);
    if (is_smallest(settings, at->h)) return fail_at_smallest(run, outcome, at->h, err);
    double smaller =
        run->adaptive->controller->after_failure(settings, run->state.control.memory, at->h);
    double reached = outcome->time - run->state.grid.time;
    if (is_discarded && !at->has_aimed && reached > smaller && reached < at->h) {
        smaller = reached;
        at->has_aimed = true;
    }
    at->h = fmax(smaller, settings->step_min);
    run->state.control.cause = (takt_cause){.limit = TAKT_LIMIT_FAILURE};
    return reject(run, err);
}

// The halves of the smallest step did not succeed: the full step, which did, is made once more.
static takt_status repeat_full_step(takt_run *run, attempt *at, takt_error *err)
{
    takt_status st = takt_way_back_take(run, err);
    if (!st) st = advance(run, at, err);
    if (st) return st;
    if (at->t_end != run->state.grid.stop) at->t_end = run->state.grid.time + at->h;
    bool succeeded = at->outcome.end == TAKT_STEP_DONE && !at->outcome.is_unconverged;
    return succeeded ? TAKT_OK : fail_at_smallest(run, &at->outcome, at->h, err);
}

static takt_status estimate(takt_run *run, const attempt *at, takt_estimate *out, takt_error *err)
{
    *out = (takt_estimate){.is_complete = true, .outcome = at->outcome, .worst = TAKT_NO_VALUE};
    const struct takt_adaptive *own = run->adaptive;
    if (!own->estimator) return TAKT_OK;
    uint64_t begin = takt_ticks();
    takt_trial trial = {{run->state.grid.time, at->h, .is_final = run->work.n_snapshots == 0,
                         .slot = TAKT_SLOT_POINT},
                        at->t_end,
                        at->h_wanted,
                        takt_way_back_start(run)};
    takt_status st = own->estimator->estimate(own->estimator_data, run, &trial, out, err);
    run->counts.error_test_ticks += takt_ticks() - begin;
    return st;
}

// The step is kept, though a loop may not be solved or the error too large (`failed`; NULL: it is not).
static takt_status note_doubts(takt_run *run, const attempt *at, const takt_estimate *failed,
                               takt_error *err)
{
    const takt_outcome *outcome = &at->outcome;
    takt_status st = TAKT_OK;
    if (outcome->is_unchecked)
        st = takt_doubt_note(run, TAKT_DOUBT_BELOW_FALLBACK, outcome->loop, outcome->norm, err);
    if (!st && failed) st = takt_doubt_note(run, TAKT_DOUBT_AT_STEP_MIN, NULL, failed->error, err);
    if (!st && outcome->is_early) st = takt_doubt_note(run, TAKT_DOUBT_EVENT_ALONE, NULL, NAN, err);
    return st;
}

// Is the attempt to be repeated because an instance met an event within it?
static bool is_event_shared(const attempt *at, const takt_outcome *outcome)
{
    return outcome->is_early && at->n_early < TAKT_MAX_EARLY;
}

// Goes back, to step to the event; where all are there already, the step has no length and is done.
static takt_status back_to_event(takt_run *run, attempt *at, const takt_outcome *outcome,
                                 takt_error *err)
{
    takt_step step = {run->state.grid.time, at->h, .is_final = run->work.n_snapshots == 0};
    at->early = *outcome;
    at->early.is_early = ++at->n_early < TAKT_MAX_EARLY; // the last time it is left alone
    log_attempt(run, at, NULL, NAN, "event within the step, rejected");
    at->h = at->h_wanted;
    takt_status st = reject(run, err);
    if (!st) st = takt_early_stay(run, &step, &at->early, &at->is_accepted, err);
    if (!at->is_accepted) return st;
    at->t_end = step.t;
    at->early.is_early = false;
    return st;
}

// What determines the size that follows a step of size h.
static takt_cause cause_of(const takt_run *run, const takt_estimate *found, double h, double next)
{
    const takt_settings *settings = &run->plan->system->settings;
    if (next >= settings->step_max) return (takt_cause){.limit = TAKT_LIMIT_STEP_MAX};
    bool is_free = !run->adaptive->estimator || next >= settings->step_factor_max * h;
    return is_free ? (takt_cause){.limit = TAKT_LIMIT_GROWTH}
                   : (takt_cause){TAKT_LIMIT_ERROR, found->worst};
}

// The error test; chooses the next size, or goes back with a smaller one.
static takt_status test_error(takt_run *run, attempt *at, takt_error *err)
{
    const takt_settings *settings = &run->plan->system->settings;
    takt_estimate found;
    takt_status st = estimate(run, at, &found, err);
    if (st) return st;
    if (is_event_shared(at, &found.outcome)) return back_to_event(run, at, &found.outcome, err);
    bool has_passed = found.error <= 1;
    double next = size_after(run, at->h, found.error);
    if (run->adaptive->estimator) log_attempt(run, at, &found, next, NULL);
    run->state.control.cause = cause_of(run, &found, at->h, next);
    if (!has_passed) run->counts.n_error_failures++;
    if (!has_passed && !is_smallest(settings, at->h)) {
        takt_limits_note_rejection(run, found.worst, found.error);
        at->h = next;
        return reject(run, err);
    }
    // At the smallest size the result is taken as it is, and the size stays.
    run->state.control.h_next = has_passed ? next : at->h;
    at->is_accepted = true;
    at->outcome = found.outcome;
    if (!found.is_complete) st = repeat_full_step(run, at, err);
    return st ? st : note_doubts(run, at, has_passed ? NULL : &found, err);
}

// Where a step of size *h ends: it is changed to reach the stop time, the next event or the next row
// exactly, or an event that an attempt has found. What it was before such a stop cut it goes to `h_uncut`, so that
// the steps after it are not shorter, perhaps too short to be iterated: how much was left says nothing about
// them. 0: it was not cut.
static double limit_step(const takt_run *run, const takt_outcome *early, double *h, double *h_uncut)
{
    const takt_estimator_type *estimator = run->adaptive->estimator;
    double t = run->state.grid.time, wanted = *h;
    bool is_event, is_last = reaches_end(run, *h);
    if (is_last) *h = run->state.grid.stop - t;
    double t_end = is_last                          ? run->state.grid.stop
                   : estimator && estimator->halves ? t + *h / 2 + *h / 2
                                                    : t + *h;
    double stop = takt_run_next_stop(run, &is_event);
    if (early->is_early) stop = fmin(stop, early->early_time);
    bool is_same = isfinite(stop) && takt_times_equal(t_end, stop, *h);
    bool is_cut = is_same ? !is_last : t_end > stop; // only the end of all is exact
    *h_uncut = is_cut ? wanted : 0;
    if (!is_cut) return t_end;
    bool is_early = early->is_early && stop == early->early_time;
    *h = is_early ? takt_early_size(t, stop) : stop - t;
    return stop;
}

static takt_status take_step(takt_run *run, takt_error *err)
{
    takt_control_state *control = &run->state.control;
    attempt at = {.h = within_limits(&run->plan->system->settings, control->h_next)};
    double h_uncut = 0;
    takt_status st = takt_way_back_save(run, err);
    while (!st && !at.is_accepted) {
        at.h_wanted = at.h;
        at.t_end = limit_step(run, &at.early, &at.h, &h_uncut);
        at.cause = control->cause;
        if (at.h < at.h_wanted)
            at.cause.limit = at.early.is_early ? TAKT_LIMIT_EVENT : TAKT_LIMIT_STOP;
        st = advance(run, &at, err);
        if (st) break;
        if (at.outcome.end == TAKT_STEP_TERMINATED) {
            takt_control_terminate(run, &at.outcome);
            return TAKT_OK;
        }
        if (is_event_shared(&at, &at.outcome))
            st = back_to_event(run, &at, &at.outcome, err);
        else if (at.outcome.end == TAKT_STEP_DISCARDED || at.outcome.is_unconverged)
            st = back_with_smaller_step(run, &at, err);
        else
            st = test_error(run, &at, err);
    }
    if (st) return st;
    takt_limits_note_step(run, at.cause);
    control->h_next = fmax(control->h_next, h_uncut);
    if (at.early.is_early) takt_early_aim(run, &at.early, at.t_end);
    takt_grid_go_to(&run->state.grid, at.t_end);
    return TAKT_OK;
}

// ---- life ------------------------------------------------------------------------------------------

static takt_status create(takt_run *run, takt_error *err)
{
    struct takt_adaptive *own = takt_arena_alloc(&run->arena, sizeof *own);
    if (!own) return takt_fail_memory(err);
    own->estimator = run->control->estimator;
    own->controller = run->control->controller;
    run->adaptive = own;
    run->state.control.h_next = run->plan->system->settings.step_size;
    takt_status st = takt_way_back_create(run, err);
    if (!st && own->estimator && own->estimator->create)
        st = own->estimator->create(run, &own->estimator_data, err);
    return st;
}

static void destroy(takt_run *run)
{
    struct takt_adaptive *own = run->adaptive;
    if (own && own->estimator && own->estimator->destroy)
        own->estimator->destroy(own->estimator_data);
    takt_way_back_destroy(run);
}

const takt_control_type takt_adaptive_control = {
    .step = take_step, .create = create, .destroy = destroy};
