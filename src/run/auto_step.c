// SPDX-License-Identifier: MIT
// One attempt to step by prediction; see auto.h.
#include <math.h>
#include <string.h>

#include "run/auto.h"
#include "run/calls.h"
#include "run/couple_loop.h"
#include "run/doubts.h"
#include "run/early.h"
#include "run/hidden.h"
#include "run/loop.h"
#include "run/noisy.h"
#include "run/rows.h"
#include "run/scale.h"
#include "run/way_back.h"

// Errors above end a step before all instances have made it.
static const double HOPELESS = 100;
// What values may change by in a first step that cannot be repeated, in units of the tolerance: inputs that stay behind
// meanwhile make a small part of that.
static const double MOST_UNPREDICTED = 30;
// What noise may make of the solution of a loop, in tolerances, unsaid.
static const double MOST_NOISE = 0.1;
enum { CALM = 3, LOOKED_AT = 10 };

// ---- before a step ---------------------------------------------------------------------------------

static void begin_history(takt_auto *own)
{
    takt_auto_state *state = own->state;
    own->history->n = 0;
    takt_history_add(own->history, own->run->state.grid.time, own->run->state.y.real);
    state->k = 1;
    state->derives = false;
    takt_slopes_forget(&own->slopes);
    state->n_events = own->run->state.n_events;
    state->n_since_start = 0;
    own->run->state.control.cause = (takt_cause){.limit = TAKT_LIMIT_START};
    state->error_before = 1;
    state->jump_from = state->jump_to = state->jump_low = INFINITY;
    state->longest = 0;
    state->rejected = (takt_auto_rejection){.i_value = -1};
}

// Trials need a second state of each instance; its memory is made before the first of them.
static takt_status make_rooms(takt_auto *own, takt_error *err)
{
    takt_run *run = own->run;
    takt_status st = TAKT_OK;
    own->has_rooms = true;
    for (int i = 0; i < run->work.n_instances && !st; i++) {
        if (run->work.instances[i].states[TAKT_SLOT_BETWEEN]) continue;
        if (takt_run_is_behind(run, i))
            own->has_rooms = false;
        else
            st = takt_run_save(run, i, TAKT_SLOT_BETWEEN, run->state.grid.time, err);
    }
    return st;
}

takt_status takt_auto_prepare(takt_auto *own, takt_error *err)
{
    takt_run *run = own->run;
    takt_status st = TAKT_OK;
    memset(own->couple.is_stepped, 0, (size_t)run->work.n_instances * sizeof(bool));
    own->couple.i_ahead = -1;
    own->trouble = (takt_auto_trouble){.i_value = -1};
    own->n_searches = 0;
    if (own->history->n == 0 || own->state->n_events != run->state.n_events) {
        for (int i = 0; i < run->work.n_instances && !st; i++)
            st = takt_couple_read_unread(&own->couple, i, run->state.grid.time, err);
        if (!st && own->draws_rows) st = takt_rows_read_recorded(run, run->state.grid.time, err);
        if (!st) begin_history(own);
    }
    takt_auto_note_scales(own);
    if (!st && own->saves_states) st = takt_way_back_save(run, err);
    return st || own->has_rooms || !own->saves_states ? st : make_rooms(own, err);
}

// ---- the step --------------------------------------------------------------------------------------

// Predictions at the end of the step take the place of values that are not known yet.
static void predict(takt_auto *own, const takt_attempt *at)
{
    const bool *is_wanted = own->couple.movement.is_continuous;
    double t_end = at->step.t + at->step.h, *y = own->run->state.y.real;
    takt_history_predict(own->history, at->k, t_end, &own->ahead, own->predicted);
    if (at->derives)
        takt_slopes_add(&own->slopes, own->history, at->k, t_end, is_wanted, own->predicted);
    for (int r = 0; r < own->ahead.n; r++) {
        const takt_range *range = &own->ahead.of[r];
        memcpy(y + range->first, own->predicted + range->first,
               (size_t)(range->end - range->first) * sizeof *y);
    }
    if (own->rate.is_open) takt_rate_predict(own, at->step.t + at->step.h);
}

static inline bool is_on_its_way(const takt_attempt *at)
{
    return at->outcome.end == TAKT_STEP_DONE && !at->outcome.is_unconverged;
}

// Is the error of a level so large that the step will be rejected whatever others do?
static inline bool is_hopeless(const takt_auto *own, int level, double limit)
{
    const double *y = own->run->state.y.real, *predicted = own->predicted, *scale = own->scale;
    const int *at = own->watched + own->first_watched[level];
    const int *end = own->watched + own->first_watched[level + 1];
    for (; at < end; at++) {
        double size = fabs(y[*at]), unit = size > scale[*at] ? size : scale[*at];
        if (fabs(y[*at] - predicted[*at]) > limit * unit) return true;
    }
    return false;
}

// What nobody reads is the same after the first sweep and in the end. Of the levels up to this one.
static takt_status read_unread(takt_auto *own, int level, double t, takt_error *err)
{
    const takt_plan *plan = own->run->plan;
    takt_status st = TAKT_OK;
    for (int k = 0; k < own->n_partly_unread && !st; k++) {
        int i = own->partly_unread[k];
        if (plan->blocks[own->blocks[i]].level <= level && !takt_run_is_behind(own->run, i))
            st = takt_couple_read_unread(&own->couple, i, t, err);
    }
    for (int k = 0; k < own->n_unread && !st; k++)
        own->couple.first[own->unread[k]] = own->run->state.y.real[own->unread[k]];
    return st;
}

// An attempt that ends behind a level: what it has not come to is as predicted. What an earlier attempt has left there would
// be taken for a jump.
static takt_status finish_cut(takt_auto *own, const takt_attempt *at, int level, takt_error *err)
{
    const takt_plan *plan = own->run->plan;
    const takt_couple *couple = &own->couple;
    for (int i = 0; i < own->run->work.n_instances; i++) {
        const int *first = &couple->first_tested[i];
        if (plan->blocks[own->blocks[i]].level <= level) continue;
        for (int k = first[0]; k < first[1]; k++)
            couple->first[couple->tested[k]] = own->predicted[couple->tested[k]];
    }
    return read_unread(own, level, at->step.t + at->step.h, err);
}

// All levels, up to one that does not reach the end of the step, or that is hopeless. That is not asked where nothing is left
// to do.
static takt_status advance_levels(takt_auto *own, takt_attempt *at, bool may_cut, takt_error *err)
{
    int n = own->levels.n, n_asked = may_cut ? n - (own->n_unread == 0) : 0;
    double limit = HOPELESS * own->couple.tolerance;
    for (int level = 0; level < n; level++) {
        int alone = own->levels.alone[level];
        takt_status st = alone < 0 ? takt_levels_advance(&own->levels, level, err)
                                   : takt_couple_advance_alone(&own->couple, alone, at, err);
        if (st || !is_on_its_way(at)) return st;
        at->is_cut = level < n_asked && is_hopeless(own, level, limit);
        if (at->is_cut) return finish_cut(own, at, level, err);
    }
    return TAKT_OK;
}

takt_status takt_auto_make_step(takt_auto *own, takt_attempt *at, takt_error *err)
{
    takt_run *run = own->run;
    bool may_cut = own->saves_states && !own->is_fixed && !at->is_first && !at->is_jump &&
                   at->step.h > own->h_least; // else the step will be kept
    takt_course_begin(&at->course, own->history, at->k, at->step.h);
    takt_course_add_past(&at->course, &own->followed, own->past);
    if (at->is_plain) takt_course_flatten(&at->course, run->state.y.real);
    predict(own, at);
    takt_levels_begin(&own->levels, at);
    takt_status st = advance_levels(own, at, may_cut, err);
    takt_early_take(run, &at->outcome);
    if (!st && is_on_its_way(at) && !at->is_cut)
        st = read_unread(own, own->levels.n, at->step.t + at->step.h, err);
    return st;
}

takt_status takt_auto_forgive(const takt_auto *own, takt_attempt *at, takt_status st)
{
    if (!own->saves_states || !takt_way_back_is_open(own->run, st)) return st;
    at->outcome.is_unconverged = true;
    for (int b = 0; b < own->run->plan->n_blocks; b++)
        at->is_unsolved |= own->couple.loops[b].algebraic != NULL;
    return TAKT_OK;
}

takt_status takt_auto_go_back(takt_auto *own, takt_error *err)
{
    memset(own->couple.is_stepped, 0,
           (size_t)own->run->work.n_instances * sizeof *own->couple.is_stepped);
    own->couple.i_ahead = -1;
    return takt_way_back_take(own->run, err);
}

// ---- errors ----------------------------------------------------------------------------------------

// The first instance in the order of calls whose discrete outputs have changed.
static int find_changed(const takt_auto *own)
{
    int found = -1;
    for (int k = 0; k < own->n_discrete; k++) {
        int i = own->discrete[k];
        if ((found < 0 || own->ranks[i] < own->ranks[found]) && takt_jump_has_changed(own->run, i))
            found = i;
    }
    return found;
}

// The first step cannot be predicted; it is judged by a second sweep. A loop that is solved may be far from its solution
// after the first one, however short the step is: it is judged by its middle alone (takt_jump_look()).
static const double *find_first_reference(const takt_auto *own)
{
    const takt_couple *couple = &own->couple;
    const double *y = own->run->state.y.real;
    memcpy(own->kept, couple->first, (size_t)own->history->n_values * sizeof *own->kept);
    for (int b = 0; b < own->run->plan->n_blocks; b++) {
        const takt_block *block = &own->run->plan->blocks[b];
        const takt_coupled *loop = &couple->loops[b];
        if (!loop->algebraic && !(loop->n_torn > 0 && loop->state->is_implicit)) continue;
        for (int m = 0; m < block->n_members; m++) {
            int i = block->members[m];
            for (int k = couple->first_tested[i]; k < couple->first_tested[i + 1]; k++)
                own->kept[couple->tested[k]] = y[couple->tested[k]];
        }
    }
    return own->kept;
}

void takt_auto_judge(const takt_auto *own, const takt_attempt *at, takt_judgement *out)
{
    *out = (takt_judgement){.i_worst = -1, .i_changed = -1};
    out->has_failed = at->outcome.end != TAKT_STEP_DONE || at->outcome.is_unconverged;
    if (out->has_failed) return;
    bool is_unpredicted = at->is_first && !at->is_jump;
    bool is_swept = is_unpredicted && own->saves_states;
    const double *reference = is_swept ? find_first_reference(own) : own->predicted;
    takt_worst worst = {0, -1};
    takt_error_unit unit = takt_auto_unit(own); // (values that nobody reads may not be numbers)
    takt_worst_raise(&worst, &own->tested, own->run->state.y.real, reference, &unit);
    out->error = is_unpredicted && !is_swept ? worst.error / MOST_UNPREDICTED : worst.error;
    out->i_worst = worst.i;
    if (own->saves_states) out->i_changed = find_changed(own);
    out->error = fmax(out->error, TAKT_AUTO_SMALL);
}

double takt_auto_error_of(const takt_auto *own, const takt_attempt *at, int k, bool derives,
                          int *i_worst)
{
    double *other = own->couple.first; // no longer needed
    double t_end = at->step.t + at->step.h;
    takt_worst worst = {TAKT_AUTO_SMALL, -1};
    takt_error_unit unit = takt_auto_unit(own);
    takt_history_predict(own->history, k, t_end, &own->tested, other);
    if (derives) takt_slopes_add(&own->slopes, own->history, k, t_end, own->is_tested, other);
    takt_worst_raise(&worst, &own->tested, own->run->state.y.real, other, &unit);
    *i_worst = worst.i;
    return worst.error;
}

// ---- after a step ----------------------------------------------------------------------------------

// How much values changed, relative to their scales, per second; fades.
static void note_rate(takt_auto *own, const takt_attempt *at)
{
    const double *before = takt_history_values(own->history, 0);
    takt_worst change = {0, -1};
    takt_error_unit unit = {1, own->scale};
    takt_worst_raise(&change, &own->tested, own->run->state.y.real, before, &unit);
    own->state->rate = fmax(change.error / at->step.h, 0.7 * own->state->rate);
}

static int count_recent(const takt_auto_state *state)
{
    int sum = 0;
    for (int i = 0; i < LOOKED_AT; i++) sum += (state->recent >> i & 1U) != 0;
    return sum;
}

double takt_auto_gain(const takt_coupled *loop)
{
    if (loop->algebraic) return fmin(100, takt_couple_loop_gain(loop->algebraic));
    if (loop->n_torn == 0 || !loop->state->is_implicit) return 1;
    return fmin(100, takt_inverse_gain(&loop->inverse, loop->scale, loop->room));
}

static takt_status probe_block(takt_auto *own, int b, takt_attempt *at, takt_error *err)
{
    const takt_coupled *loop = &own->couple.loops[b];
    const takt_block *block = own->run->work.blocks[b].plan;
    takt_auto_state *state = own->state;
    bool is_calm = state->n_since_start > CALM;
    double gain = 0; // not known yet: it costs as much as a sweep
    takt_status st = TAKT_OK;
    if (loop->n_torn && !loop->algebraic && (is_calm || own->is_fixed))
        st = takt_couple_probe(&own->couple, b, at, own->predicted, count_recent(state),
                               state->n_accepted, is_calm, err);
    for (int m = 0; m < block->n_members && !st && loop->has_choice; m++) {
        int i = block->members[m];
        bool is_new = !own->held.states[i].has_looked;
        if (takt_run_is_behind(own->run, i)) continue;
        if (!(is_calm || is_new) || !takt_held_has_choice(&own->couple, i)) continue;
        if (gain == 0) gain = takt_auto_gain(loop);
        st = takt_held_look(&own->held, &own->couple, i, at, state->n_accepted,
                            state->rate * at->step.h, gain, err);
    }
    return st;
}

takt_status takt_auto_lead_twins(takt_auto *own, takt_attempt *at, takt_error *err)
{
    takt_outcome ignored = {0};
    takt_status st = TAKT_OK;
    if (!own->saves_states || own->is_fixed) return TAKT_OK;
    for (int k = 0; k < own->n_probed && !st; k++) {
        const takt_block *block = own->run->work.blocks[own->probed[k]].plan;
        if (!own->couple.loops[own->probed[k]].has_choice) continue;
        for (int m = 0; m < block->n_members && !st; m++)
            if (!takt_run_is_behind(own->run, block->members[m]))
                st = takt_hidden_lead_twin(&own->held, &own->couple, block->members[m], at, err);
    }
    takt_early_take(own->run, &ignored); // events of twins are none
    return st;
}

takt_status takt_auto_probe(takt_auto *own, takt_attempt *at, takt_error *err)
{
    takt_outcome ignored = {0};
    takt_status st = TAKT_OK;
    if (own->needs_rate) note_rate(own, at);
    for (int k = 0; k < own->n_probed && !st && own->saves_states; k++)
        st = probe_block(own, own->probed[k], at, err);
    takt_early_take(own->run, &ignored); // events of trials are none
    return st;
}

// Values between communication points: real ones that are continuous by polynomials, others as they were.
static takt_status draw_row(takt_auto *own, int n_points, double t, takt_error *err)
{
    const takt_plan *plan = own->run->plan;
    if (own->run->n_observers == 0) return takt_rows_write_between(own->run, t, &own->row, err);
    if (!takt_values_copy(takt_way_back_start(own->run), &own->row, plan->n_outputs))
        return takt_fail_memory(err);
    takt_history_predict(own->history, n_points, t, &own->drawn, own->row.real);
    return takt_rows_write_between(own->run, t, &own->row, err);
}

static takt_status draw_rows(takt_auto *own, const takt_attempt *at, double t_end, takt_error *err)
{
    // A jump lies at the very end of a step that was made because of it: up to there the prediction holds.
    int most = at->is_jump ? at->k : at->k + 1;
    int n_points = most < own->history->n ? most : own->history->n;
    takt_status st = TAKT_OK;
    double t;
    while (!st && takt_rows_find_before(own->run, t_end, &t)) st = draw_row(own, n_points, t, err);
    return st;
}

// Were derivatives of use in this step?
static void judge_slopes(takt_auto *own, const takt_attempt *at)
{
    double *plain = own->couple.first, t_end = at->step.t + at->step.h; // no longer needed
    takt_history_predict(own->history, at->k, t_end, &own->tested, plain);
    takt_slopes_judge(&own->slopes, own->run, own->history, at->k, t_end, plain, own->scale);
}

// Noise that loops have met; they may have been solved by several threads.
static takt_status judge_noise(takt_auto *own, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int k = 0; k < own->n_probed && !st; k++) {
        takt_coupled *loop = &own->couple.loops[own->probed[k]];
        double gain = loop->is_noisy ? takt_auto_gain(loop) : 0;
        for (int i = 0; i < loop->n_torn && loop->is_noisy && !st; i++) {
            int owner = own->owners[loop->torn[i]];
            double size = gain * takt_noisy_size(&own->couple, owner);
            if (size > MOST_NOISE) st = takt_noisy_note(&own->couple, owner, size, err);
        }
        loop->is_noisy = false;
    }
    return st;
}

// Loops that were not solved, and in which outputs have reacted at once.
static takt_status note_openings(takt_auto *own, const takt_attempt *at, takt_error *err)
{
    takt_doubt cause = own->saves_states ? TAKT_DOUBT_UNCONVERGED : TAKT_DOUBT_NOT_ITERATED;
    takt_status st = TAKT_OK;
    for (int k = 0; k < own->n_probed && !st && !at->is_unsolved; k++) {
        const takt_coupled *loop = &own->couple.loops[own->probed[k]];
        const takt_loop *names = own->run->work.blocks[own->probed[k]].loop;
        if (loop->reaction > 1)
            st = takt_doubt_note(own->run, cause, takt_loop_name(names), loop->reaction, err);
    }
    return st;
}

takt_status takt_auto_keep(takt_auto *own, const takt_attempt *at, double t_end, bool goes_on,
                           takt_error *err)
{
    takt_status st = note_openings(own, at, err);
    if (!st) st = judge_noise(own, err);
    bool has_slopes = own->slopes.is_possible && goes_on;
    if (st) return st;
    if (has_slopes && !at->is_first) judge_slopes(own, at);
    if (own->rate.is_open) { // rows follow when the window is over
        st = takt_rate_read(own, t_end, err);
        if (!st) takt_history_add(own->history, t_end, own->run->state.y.real);
        if (!st && has_slopes)
            st = takt_slopes_read(&own->slopes, own->run, &own->couple.movement, t_end, err);
        return st;
    }
    if (own->draws_rows) st = takt_rows_read_recorded(own->run, t_end, err);
    if (!st && own->draws_rows && at->is_jump) st = draw_rows(own, at, t_end, err);
    if (!st) takt_history_add(own->history, t_end, own->run->state.y.real);
    if (!st && own->draws_rows && !at->is_jump) st = draw_rows(own, at, t_end, err);
    if (!st && has_slopes)
        st = takt_slopes_read(&own->slopes, own->run, &own->couple.movement, t_end, err);
    if (!goes_on) own->history->n = 0;
    return st;
}
