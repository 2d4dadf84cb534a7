// SPDX-License-Identifier: MIT
// Different rates, for steps to a tolerance by prediction (auto.h): instances whose values change little make one
// step, a *window*, in which all others make several.
//
// Others go first. To them, slow values are polynomials through the ends of the last windows. Then the slow instances make one step over
// the window, along polynomials that stand for what the others did in it (rate_course.c), and must arrive where their
// polynomials did. If not, everything goes back to the beginning of the window, and all make the
// same steps for some time (rate_watch.c). A window ends early where something happens: an event, a jump, a known time.
//
// To the rest of the program a window is one step; rows within it are written when it is over.
#include <math.h>
#include <string.h>

#include "base/times.h"
#include "run/auto.h"
#include "run/calls.h"
#include "run/early.h"
#include "run/limits.h"
#include "run/rows.h"
#include "run/scale.h"
#include "run/step_log.h"
#include "run/system_step.h"
#include "run/way_back.h"

// Errors of slow values that are borne, in units of the tolerance.
static const double BORNE = 1.0;
// The scheme of an instance that holds its inputs is looked for so often in one window.
enum { MOST_TRIES = 3 };

// ---- opening, going back -----------------------------------------------------------------------------

static void exchange_states(takt_run *run, int i_instance)
{
    void **states = run->work.instances[i_instance].states, *first = states[TAKT_SLOT_POINT];
    states[TAKT_SLOT_POINT] = states[TAKT_SLOT_WINDOW];
    states[TAKT_SLOT_WINDOW] = first;
}

// Keeps all that the steps of a window change, but for the states of instances.
static takt_status keep_before(takt_auto *own, takt_error *err)
{
    takt_run *run = own->run;
    takt_run_state *to = &own->rate.before, own_arrays = *to;
    takt_memory scales = takt_scale_memory(run);
    *to = run->state;
    to->u = own_arrays.u;
    to->y = own_arrays.y;
    to->instances = own_arrays.instances;
    memcpy(to->instances, run->state.instances,
           (size_t)run->work.n_instances * sizeof *to->instances);
    memcpy(own->rate.memory, own->memory.data, own->memory.size);
    memcpy(own->rate.scales, scales.data, scales.size);
    bool is_kept = takt_values_copy(&run->state.u, &to->u, run->plan->n_inputs) &&
                   takt_values_copy(&run->state.y, &to->y, run->plan->n_outputs);
    return is_kept ? TAKT_OK : takt_fail_memory(err);
}

static takt_status open_window(takt_auto *own, takt_error *err)
{
    takt_run *run = own->run;
    takt_rate *rate = &own->rate;
    takt_status st = keep_before(own, err);
    for (int i = 0; i < run->work.n_instances && !st; i++)
        if (rate->is_slow[i])
            st = takt_run_save(run, i, TAKT_SLOT_POINT, run->state.grid.time, err);
    takt_rate_list(own);
    rate->n_records = 0;
    rate->n_rejected = run->counts.n_rejected;
    rate->h = own->state->h;
    rate->is_open = true;
    rate->is_closing = false;
    own->is_tested = rate->is_tested_now;
    own->tested = rate->tested_now;
    run->work.is_behind = rate->is_slow;
    return st;
}

static void close_window(takt_auto *own)
{
    own->rate.is_open = false;
    own->is_tested = own->rate.is_tested;
    own->tested = own->all_tested;
    own->run->work.is_behind = NULL;
}

// All that the window has changed is as it was.
static takt_status go_back(takt_auto *own, takt_error *err)
{
    takt_run *run = own->run;
    const takt_run_state *from = &own->rate.before;
    takt_run_state arrays = run->state;
    takt_memory scales = takt_scale_memory(run);
    run->state = *from;
    run->state.u = arrays.u;
    run->state.y = arrays.y;
    run->state.instances = arrays.instances;
    memcpy(run->state.instances, from->instances,
           (size_t)run->work.n_instances * sizeof *from->instances);
    memcpy(own->memory.data, own->rate.memory, own->memory.size);
    memcpy(scales.data, own->rate.scales, scales.size);
    bool is_back = takt_values_copy(&from->u, &run->state.u, run->plan->n_inputs) &&
                   takt_values_copy(&from->y, &run->state.y, run->plan->n_outputs);
    takt_status st = is_back ? TAKT_OK : takt_fail_memory(err);
    for (int i = 0; i < run->work.n_instances && !st; i++)
        st = takt_run_restore(run, i, own->rate.is_slow[i] ? TAKT_SLOT_POINT : TAKT_SLOT_WINDOW,
                              run->state.grid.time, err);
    run->work.moment++;
    return st;
}

// ---- others ------------------------------------------------------------------------------------------

// Keeps the point that a step within the window has reached.
static takt_status record(takt_auto *own, int k, bool is_last, takt_error *err)
{
    takt_run *run = own->run;
    takt_rate *rate = &own->rate;
    int n = rate->n_records++;
    rate->times[n] = run->state.grid.time;
    rate->ks[n] = k;
    rate->causes[n] = rate->cause;
    rate->is_row[n] = !is_last && !own->draws_rows && takt_rows_take_turn(run);
    for (int i = 0; i < run->work.n_instances && n == 0; i++)
        if (!rate->is_slow[i]) exchange_states(run, i);
    bool is_kept = takt_values_copy(&run->state.y, &rate->records[n], run->plan->n_outputs);
    return is_kept ? TAKT_OK : takt_fail_memory(err);
}

// Others go ahead until the window is over, or something happens.
static takt_status go_ahead(takt_auto *own, double t_end, takt_error *err)
{
    takt_run *run = own->run;
    takt_rate *rate = &own->rate;
    const takt_grid *grid = &run->state.grid;
    double limit = rate->is_sized ? takt_rate_limit(own) : INFINITY;
    takt_status st = TAKT_OK;
    for (bool is_over = false; !st && !is_over;) {
        double meeting = fmin(fmin(limit, grid->stop), takt_run_next_meeting(run));
        int k = own->state->k;
        st = takt_auto_take_step(own, err);
        if (st || rate->is_closing) break;
        run->work.moment++;
        run->counts.n_steps++;
        double h = own->state->h;
        is_over = grid->time >= meeting || takt_times_equal(grid->time, meeting, h) ||
                  run->state.has_requests || rate->n_records + 1 >= rate->most_records ||
                  grid->time + 0.5 * h >= t_end;
        st = record(own, k, is_over, err);
    }
    return st;
}

// ---- the slow ones -----------------------------------------------------------------------------------

static takt_status advance(takt_auto *own, takt_attempt *at, bool is_again, takt_error *err)
{
    takt_run *run = own->run;
    takt_status st = TAKT_OK;
    for (int b = 0; b < run->plan->n_blocks; b++)
        for (int m = 0; m < run->plan->blocks[b].n_members && !st; m++) {
            int i = run->plan->blocks[b].members[m];
            if (!own->rate.is_slow[i] || at->outcome.end != TAKT_STEP_DONE) continue;
            if (is_again) st = takt_run_restore(run, i, TAKT_SLOT_POINT, at->step.t, err);
            if (!st)
                st = takt_moving_advance(run, &own->couple.movement, i, &at->step, &at->course,
                                         &own->couple.schemes[i], &at->outcome, err);
            if (!st && at->outcome.end == TAKT_STEP_DONE)
                st = takt_couple_read_unread(&own->couple, i, at->step.t + at->step.h, err);
        }
    return st;
}

// Are the schemes of those that hold their inputs good enough for so long a step? `is_changed`: there are others now.
static takt_status look_at_schemes(takt_auto *own, takt_attempt *at, bool is_first,
                                   bool *is_changed, takt_error *err)
{
    takt_run *run = own->run;
    takt_outcome ignored = {0};
    takt_status st = TAKT_OK;
    *is_changed = false;
    for (int b = 0; b < run->plan->n_blocks; b++)
        for (int m = 0; m < run->plan->blocks[b].n_members && !st; m++) {
            int i = run->plan->blocks[b].members[m];
            if (!own->rate.is_slow[i] || !takt_held_has_choice(&own->couple, i)) continue;
            int cost = takt_scheme_cost(&own->couple.schemes[i]);
            // It counts its own steps, so that it is not searched for in every one of them.
            if (is_first) own->held.states[i].next_search += own->rate.n_records - 1;
            st = takt_held_look(&own->held, &own->couple, i, at, own->state->n_accepted,
                                own->state->rate * at->step.h,
                                takt_auto_gain(&own->couple.loops[b]), err);
            *is_changed |= takt_scheme_cost(&own->couple.schemes[i]) > cost;
        }
    takt_early_take(run, &ignored);
    return st;
}

// The largest difference between the slow values and their prediction; infinite: the step cannot be kept.
static double judge(const takt_auto *own, const takt_attempt *at, int *i_worst)
{
    const takt_run *run = own->run;
    if (at->outcome.end != TAKT_STEP_DONE || at->outcome.is_early) return INFINITY;
    double largest = 0;
    for (int i = 0; i < run->work.n_instances; i++) {
        if (!own->rate.is_slow[i]) continue;
        if (takt_jump_has_changed(run, i)) return INFINITY;
        for (int k = own->couple.first_tested[i]; k < own->couple.first_tested[i + 1]; k++) {
            double e = takt_auto_error(own, own->rate.predicted, own->couple.tested[k]);
            if (e <= largest) continue;
            largest = isnan(e) ? INFINITY : e;
            *i_worst = own->couple.tested[k];
        }
    }
    return largest;
}

// Steps the slow instances over the window.
static takt_status follow(takt_auto *own, takt_attempt *at, double *error, int *i_worst,
                          takt_error *err)
{
    takt_run *run = own->run;
    takt_rate *rate = &own->rate;
    bool is_changed = false;
    double *y = run->state.y.real;
    takt_course_begin(&at->course, rate->points, at->k, at->step.h);
    takt_rate_project(own, &at->course);
    memcpy(rate->predicted, y, (size_t)own->history->n_values * sizeof *y);
    takt_status st = advance(own, at, false, err);
    takt_early_take(run, &at->outcome);
    *error = st ? INFINITY : judge(own, at, i_worst);
    for (int n = 0; n < MOST_TRIES && !st && *error <= BORNE; n++) {
        st = look_at_schemes(own, at, n == 0, &is_changed, err);
        if (st || !is_changed) break;
        for (int v = 0; v < rate->n_values; v++)
            y[rate->values[v]] = rate->predicted[rate->values[v]];
        st = advance(own, at, true, err);
        takt_early_take(run, &at->outcome);
        *error = st ? INFINITY : judge(own, at, i_worst);
    }
    if (!takt_way_back_is_open(run, st)) return st;
    *error = INFINITY;
    return TAKT_OK;
}

// ---- the window --------------------------------------------------------------------------------------

static void log_window(const takt_auto *own, const takt_attempt *at, double error, int i_worst,
                       const char *decision)
{
    takt_tried tried = {.error = error,
                        .h_next = own->rate.state->h,
                        .worst = {TAKT_KIND_REAL, i_worst},
                        .cause = {TAKT_LIMIT_ERROR, {TAKT_KIND_REAL, i_worst}},
                        .decision = decision};
    takt_step_log_error(own->run, &at->step, &tried);
}

static takt_status keep(takt_auto *own, takt_attempt *at, double error, int i_worst,
                        takt_error *err)
{
    takt_run *run = own->run;
    takt_rate *rate = &own->rate;
    double t = run->state.grid.time;
    takt_status st = TAKT_OK;
    for (int i = 0; i < run->work.n_instances && !st; i++)
        if (rate->is_slow[i] && (own->draws_rows || run->n_observers))
            st = takt_run_get_recorded(run, i, t, err);
    if (st) return st;
    // Steps and recorded values of the slow ones are known only now.
    takt_rate_correct(own);
    takt_system_note_requests(run, &at->outcome);
    rate->state->n_made += rate->n_records;
    bool is_difficult = run->counts.n_rejected > rate->n_rejected + rate->is_closing ||
                        own->state->h < 0.6 * rate->h;
    takt_rate_keep(own, error, is_difficult);
    run->counts.n_steps--; // one is counted by the run
    log_window(own, at, error, i_worst, "slow components, one step");
    for (int n = 0; n < rate->n_records; n++) takt_limits_note_step(run, rate->causes[n]);
    return takt_rate_write_rows(own, err);
}

static takt_status fail(takt_auto *own, const takt_attempt *at, double error, int i_worst,
                        takt_error *err)
{
    takt_run *run = own->run;
    takt_rate *rate = &own->rate;
    double t_end = run->state.grid.time;
    int n_lost = rate->n_records;
    run->counts.n_rejected++;
    run->counts.n_error_failures++;
    run->counts.n_steps -= n_lost;
    takt_limits_note_rejection(run, (takt_slot){TAKT_KIND_REAL, i_worst}, error);
    log_window(own, at, error, i_worst, "slow components, all rejected");
    takt_status st = go_back(own, err);
    rate->state->n_lost += n_lost;
    takt_rate_fail(own, at->step.h, error);
    if (!rate->state->is_on) rate->state->t_wait = t_end;
    return st;
}

// Makes a window, if possible; `is_done`: time has gone on.
static takt_status make_window(takt_auto *own, double length, bool *is_done, takt_error *err)
{
    takt_run *run = own->run;
    takt_rate *rate = &own->rate;
    double t = run->state.grid.time, error = INFINITY;
    int i_worst = -1;
    takt_status st = open_window(own, err);
    if (!st) st = go_ahead(own, t + length, err);
    close_window(own);
    *is_done = false;
    if (st || rate->n_records == 0) return st;
    takt_attempt at = {.step = {t, run->state.grid.time - t, .is_final = run->work.n_snapshots == 0,
                                .slot = TAKT_SLOT_POINT},
                       .k = rate->state->k < rate->points->n ? rate->state->k : rate->points->n};
    st = follow(own, &at, &error, &i_worst, err);
    if (st) return st;
    *is_done = error <= BORNE;
    return *is_done ? keep(own, &at, error, i_worst, err) : fail(own, &at, error, i_worst, err);
}

takt_status takt_rate_step(takt_run *run, takt_error *err)
{
    takt_auto *own = run->automatic;
    bool is_done = false;
    takt_status st = TAKT_OK;
    double length = own->rate.is_possible ? takt_rate_length(own) : 0;
    if (length > 0) st = make_window(own, length, &is_done, err);
    if (st || is_done) return st;
    st = takt_auto_take_step(own, err);
    if (!st && own->rate.is_possible && run->state.progress == TAKT_RUNNING) takt_rate_watch(own);
    return st;
}
