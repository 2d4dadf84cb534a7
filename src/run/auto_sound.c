// SPDX-License-Identifier: MIT
// What steps by prediction carry, after it has come from a file: counts, indices and truth values within the limits that steps keep
// them in. Real numbers may be any: they make results wrong, and steps fail, but nothing else depends on them.
#include "base/sound.h"
#include "run/auto.h"
#include "run/couple_loop.h"

enum { MOST_INTERVALS = 32, MOST_PAIRS = 32, MOST_LOCKS = 16, MOST_SHIFTS = 8 };

static bool is_state_sound(const takt_auto_state *state, int n_values, int n_instances)
{
    const int64_t counts[] = {state->n_accepted, state->n_events, state->n_jumps, state->spot_due};
    bool is_sound = true;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        is_sound &= counts[i] == INT64_MAX || takt_sound_long_count(counts[i]);
    return is_sound && takt_sound_within(state->k, 1, TAKT_MAX_POINTS - 1) &&
           takt_sound_bool(&state->derives) && takt_sound_bool(&state->is_settling) &&
           takt_sound_count(state->looks_after) && takt_sound_count(state->looks_between) &&
           takt_sound_within(state->derives_lock, -(1 << 30), 1 << 30) &&
           takt_sound_within(state->n_derives_locks, 0, MOST_SHIFTS) &&
           takt_sound_count(state->n_since_start) &&
           takt_sound_within(state->rejected.i_value, -1, n_values > 0 ? n_values - 1 : 0) &&
           takt_sound_within(state->i_jump, -1, n_instances > 0 ? n_instances - 1 : 0);
}

static bool is_history_sound(const takt_history *history, int n_values)
{
    return takt_sound_within(history->n, 0, TAKT_MAX_POINTS) && history->n_values == n_values &&
           takt_sound_within(history->latest, 0, TAKT_MAX_POINTS - 1);
}

static bool is_scheme_sound(const takt_scheme *scheme)
{
    return takt_sound_within((int64_t)scheme->kind, TAKT_SCHEME_END, TAKT_SCHEME_POINTS) &&
           takt_sound_within(scheme->n_intervals, 0, MOST_INTERVALS) &&
           takt_sound_within(scheme->n_pairs, 0, MOST_PAIRS) &&
           takt_sound_within(scheme->most_fine, 0, TAKT_MOST_FINE);
}

static bool is_held_sound(const takt_held_state *held)
{
    const bool *const truths[] = {&held->has_looked, &held->has_reacted,  &held->is_unseen,
                                  &held->is_delay,   &held->is_apart,     &held->differs,
                                  &held->has_tried,  &held->is_late_twin, &held->is_given_up,
                                  &held->has_jumped};
    const int counts[] = {held->n_wins,     held->n_needed, held->n_compared,
                          held->n_differed, held->n_looked, held->n_short};
    bool is_sound = takt_sound_counts(sizeof counts / sizeof *counts, counts) &&
                    takt_sound_long_count(held->next_search);
    for (size_t i = 0; i < sizeof truths / sizeof *truths; i++)
        is_sound &= takt_sound_bool(truths[i]);
    return is_sound;
}

static bool is_spot_sound(const takt_spot_state *spot)
{
    return takt_sound_long_count(spot->last) && takt_sound_long_count(spot->last_finding) &&
           takt_sound_count(spot->interval) && takt_sound_count(spot->n_regular) &&
           takt_sound_count(spot->n_random) && takt_sound_count(spot->n_findings) &&
           takt_sound_bool(&spot->is_told);
}

// Slow instances are stepped as only those that may be slow can be.
static bool is_rate_sound(const takt_rate *rate, int n_values, int n_instances)
{
    const takt_rate_state *state = rate->state;
    bool is_sound =
        takt_sound_bool(&state->is_on) && takt_sound_within(state->k, 1, TAKT_MAX_POINTS - 1) &&
        takt_sound_count(state->n_steps) && takt_sound_count(state->n_easy) &&
        takt_sound_within(state->n_needed, 1, 1 << 20) && takt_sound_long_count(state->n_windows) &&
        takt_sound_long_count(state->n_made) && takt_sound_long_count(state->n_lost) &&
        takt_sound_bools((size_t)n_instances, rate->is_slow) &&
        takt_sound_counts((size_t)n_instances, rate->n_wins);
    if (is_sound && rate->is_possible) is_sound = is_history_sound(rate->points, n_values);
    if (is_sound && !rate->is_possible) is_sound = !state->is_on;
    for (int i = 0; is_sound && i < n_instances; i++)
        is_sound = !rate->is_slow[i] || (rate->is_possible && rate->may_be_slow[i]);
    return is_sound;
}

static bool is_loop_sound(const takt_coupled *loop)
{
    const takt_coupled_state *state = loop->state;
    if (loop->n_torn == 0 && !loop->algebraic) return true;
    bool is_sound = takt_sound_bool(&state->is_implicit) && takt_sound_bool(&state->was_missed) &&
                    takt_sound_count(state->n_implicit) && takt_sound_count(state->n_off) &&
                    takt_sound_within(state->lock, -(1 << 30), 1 << 30) &&
                    takt_sound_within(state->n_locks, 1, MOST_LOCKS) &&
                    takt_sound_within(state->n_dull, 0, MOST_SHIFTS) &&
                    takt_sound_within(state->n_costs, 0, TAKT_COST_STEPS) &&
                    takt_sound_within(state->i_cost, 0, TAKT_COST_STEPS - 1);
    if (!is_sound) return false;
    return loop->algebraic ? takt_couple_loop_is_sound(loop->algebraic)
                           : takt_inverse_is_sound(&loop->inverse);
}

bool takt_auto_is_sound(const takt_run *run)
{
    const takt_auto *own = run->automatic;
    int n = run->work.n_instances, n_values = run->plan->n_outputs[TAKT_KIND_REAL];
    size_t n_slopes = own->slopes.is_possible ? (size_t)n_values : 0;
    bool is_sound =
        is_state_sound(own->state, n_values, n) && is_history_sound(own->history, n_values) &&
        takt_sound_counts((size_t)n, own->n_at_once) && is_rate_sound(&own->rate, n_values, n) &&
        takt_sound_bools(n_slopes, own->slopes.is_known) &&
        takt_sound_counts(n_slopes ? (size_t)n : 0, own->slopes.n_wrong);
    for (int i = 0; i < n && is_sound; i++)
        is_sound = is_scheme_sound(&own->couple.schemes[i]) &&
                   is_held_sound(&own->held.states[i]) && is_spot_sound(&own->spots[i]);
    for (int b = 0; b < run->plan->n_blocks && is_sound; b++)
        is_sound = is_loop_sound(&own->couple.loops[b]);
    return is_sound;
}
