// SPDX-License-Identifier: MIT
// What outputs do not show; see hidden.h.
#include "run/hidden.h"

#include <math.h>
#include <string.h>

#include "run/calls.h"
#include "run/doubts.h"

// Outputs that change more than this much more with inputs a step later hide states; those that change less than this part
// of what they did once tell little. And how that fades.
static const double HIDING = 5, TELLING = 0.03, MUTE = 0.003, FADING = 0.99;
// What outputs change so much more than inputs do is a jump.
static const double JUMP = 20;
// States of an instance that seemed to have none may be wrong by so many tolerances.
static const double MOST_OFF = 3;
// Smaller differences to a twin, in tolerances, come from other steps.
static const double SAME = 0.01;
// What outputs of a twin may differ from those that others have read, in tolerances.
static const double CLOSE = 3;
// A part of a change, and what it makes of a difference that is no jump, at most.
static const double TINY_PART = 0.125;
// Quotients are what they should be.
static const double NEARLY = 0.01;
enum { N_LATER = 2, N_COMPARED = 3, N_LOOKS = 4, N_SURE = 3 };

static const takt_scheme PAIR = {TAKT_SCHEME_GAUSS, INFINITY, 1, 1, 0, 0};
static const takt_scheme FINE = {TAKT_SCHEME_GAUSS, INFINITY, 1, 1, 0, TAKT_FEW_FINE};
static const takt_scheme FINEST = {TAKT_SCHEME_GAUSS, INFINITY, 1, 1, 0, TAKT_MOST_FINE};

bool takt_hidden_has_states(const takt_couple *couple, const takt_held *held, int i_instance)
{
    return held->states[i_instance].has_reacted ||
           couple->run->work.instances[i_instance].instance->model->has_states;
}

static takt_status note_doubt(const takt_trials *all, double size, takt_error *err)
{
    takt_run *run = all->couple->run;
    return takt_doubt_note(run, TAKT_DOUBT_STEP_DEPENDENT,
                           run->work.instances[all->i_instance].instance->name, size, err);
}

// It has states, which is known by a response of outputs to a shift. What inputs did too early while it was led as if it had
// none, may have made as much of a difference, in proportion.
static takt_status note_states(const takt_trials *all, double response, takt_error *err)
{
    takt_held_state *state = &all->held->states[all->i_instance];
    double off = state->lead * response / (TAKT_SLIGHT * all->at->step.h);
    bool is_wrong = off > MOST_OFF && !state->has_jumped && !all->couple->is_fixed;
    state->has_reacted = true;
    state->lead = 0;
    return is_wrong ? note_doubt(all, off, err) : TAKT_OK;
}

// ---- trials ------------------------------------------------------------------------------------------

// What trials tell of an instance.
typedef enum memory {
    MEMORY_UNKNOWN,
    MEMORY_STATES,
    MEMORY_SHORT, // what inputs did is shown for a time, and then forgotten to the last bit: a delay
} memory;

// Makes the step, and goes on for x seconds more, with changed inputs, and then without the change: the outputs after x seconds
// and after 4 x.
static takt_status go_far(const takt_trials *all, takt_change change, double x, double **out,
                          takt_error *err)
{
    double t = all->at->step.t + all->at->step.h;
    takt_status st = change == TAKT_CHANGE_NONE
                         ? takt_trials_go(all, all->at->step.slot, &takt_scheme_end, out[0], err)
                         : takt_trials_go_changed(all, change, out[0], err);
    if (!st) st = takt_trials_go_on(all, change, t, t + x, out[0], err);
    if (!st) st = takt_trials_go_on(all, TAKT_CHANGE_NONE, t + x, t + 2 * x, out[1], err);
    return st ? st : takt_trials_go_on(all, TAKT_CHANGE_NONE, t + 2 * x, t + 4 * x, out[1], err);
}

// How outputs differ then, if inputs are changed. What a delay repeats of the change ends x seconds after it at the latest: if
// it is there after x seconds, it is over after 4 x.
static takt_status compare_later(const takt_trials *all, takt_change change, double x,
                                 double *responses, takt_error *err)
{
    double **rooms = all->held->rooms;
    takt_status st = go_far(all, TAKT_CHANGE_NONE, x, rooms, err);
    if (!st) st = go_far(all, change, x, rooms + N_LATER, err);
    for (int k = 0; k < N_LATER; k++) {
        bool is_known = !st && !isnan(rooms[k][0]) && !isnan(rooms[N_LATER + k][0]);
        responses[k] = is_known ? takt_trials_response(all, rooms[k], rooms[N_LATER + k]) : NAN;
    }
    return st;
}

// Is a large difference a jump? A small part of the change makes a small part of other differences.
static takt_status leave_out_jumps(const takt_trials *all, double x, double *responses,
                                   takt_error *err)
{
    double tiny[N_LATER] = {0};
    if (fmax(responses[0], responses[1]) <= JUMP * TAKT_SLIGHT) return TAKT_OK;
    takt_status st = compare_later(all, TAKT_CHANGE_TINY, x, tiny, err);
    for (int k = 0; k < N_LATER; k++)
        if (!(tiny[k] > 0 && tiny[k] < TINY_PART * responses[k])) responses[k] = NAN;
    return st;
}

// A delay repeats changes as they are, and then forgets them to the last bit.
static takt_status is_repeated(const takt_trials *all, double x, bool *out, takt_error *err)
{
    double slight[N_LATER] = {0}, tiny[N_LATER] = {0};
    takt_status st = compare_later(all, TAKT_CHANGE_SLIGHT, x, slight, err);
    if (!st) st = compare_later(all, TAKT_CHANGE_TINY, x, tiny, err);
    double quotient = TAKT_TINIER * tiny[0] / slight[0];
    *out = slight[1] == 0 && tiny[1] == 0 && fabs(quotient - 1) < NEARLY;
    return st;
}

// Looks just behind the step, or, `far`, also 8 times as far again and again, and as far as possible.
static takt_status find_memory(const takt_trials *all, takt_change change, bool far, memory *out,
                               takt_error *err)
{
    double x = all->at->step.h, responses[N_LATER] = {0};
    double most = (all->couple->run->state.grid.stop - all->at->step.t - x) / 4;
    takt_status st = TAKT_OK;
    *out = MEMORY_UNKNOWN;
    while (x <= most && !st) {
        st = compare_later(all, change, x, responses, err);
        if (st || !(responses[0] == 0) || !far || x == most) break;
        x = fmin(8 * x, most);
    }
    if (st || !(responses[0] > 0)) return st;
    if (responses[1] == 0) {
        bool is_delay = false;
        if (far) st = is_repeated(all, x, &is_delay, err);
        if (!st && is_delay) *out = MEMORY_SHORT;
        return st;
    }
    st = leave_out_jumps(all, x, responses, err);
    if (st || !(responses[0] > 0 && responses[1] > 0)) return st;
    *out = MEMORY_STATES;
    return note_states(all, fmax(responses[0], responses[1]), err);
}

takt_status takt_hidden_find_memory(const takt_trials *all, takt_error *err)
{
    memory found;
    return find_memory(all, TAKT_CHANGE_SLIGHT, false, &found, err);
}

void takt_hidden_lead_finely(takt_scheme *scheme, int most)
{
    bool is_whole = scheme->kind == TAKT_SCHEME_GAUSS && isinf(scheme->window);
    double piece = scheme->piece;
    if (!is_whole) *scheme = PAIR;
    scheme->piece = piece;
    scheme->most_fine = most;
}

// Grows by 1 if a scale that responses are relative to is doubled.
static double sum_scales(const takt_trials *all)
{
    double sum = 0;
    for (int i = 0; i < all->n; i++) sum += log2(all->couple->scale[all->values[i]]);
    return sum;
}

// How large is the response as a part of the largest one that there has been, altogether or per second? (In long steps fast instances
// show less per second, in short ones slow instances show less.)
static double compare_with_largest(const takt_trials *all, double response, double h)
{
    takt_held_state *state = &all->held->states[all->i_instance];
    double scales = sum_scales(all), fading = fmin(FADING, exp2(state->scales - scales));
    state->scales = scales;
    state->response = fmax(fading * state->response, response);
    state->response_rate = fmax(fading * state->response_rate, response / h);
    return fmax(response / state->response, response / h / state->response_rate);
}

static void judge_response(takt_trials *all, double response, double later)
{
    bool reads_again = all->couple->movement.of[all->i_instance].reads_again;
    double part = compare_with_largest(all, response, all->at->step.h);
    bool is_told = part >= TELLING;
    takt_scheme *now = &all->couple->schemes[all->i_instance];
    if (part < MUTE)
        takt_hidden_lead_finely(now, reads_again ? 0 : TAKT_FEW_FINE);
    else if (is_told && !isnan(later))
        now->most_fine = later > HIDING * response ? TAKT_MOST_FINE : 0;
    all->is_telling = is_told && now->most_fine == 0;
}

takt_status takt_hidden_sound_out(takt_trials *all, double *at_end, takt_error *err)
{
    takt_held_state *state = &all->held->states[all->i_instance];
    double **rooms = all->held->rooms, *other = rooms[4], *later = rooms[3],
           *later_other = rooms[2];
    double h = all->at->step.h, t = all->at->step.t + h;
    takt_status st = takt_trials_go(all, all->at->step.slot, &takt_scheme_end, at_end, err);
    if (!st) st = takt_trials_go_changed(all, TAKT_CHANGE_SLIGHT, other, err);
    if (st) return st;
    double response = 0;
    st = takt_trials_respond(all, at_end, other, &response, err);
    if (!st && response > 0 && all->has_gone_tiny)
        st = takt_trials_go_changed(all, TAKT_CHANGE_SLIGHT, other, err); // to go on from there
    if (st) return st;
    state->is_unseen = response == 0;
    all->is_telling = false;
    if (state->is_unseen) return TAKT_OK; // most often, by an instance without states
    st = takt_trials_go_on(all, TAKT_CHANGE_NONE, t, t + h, later_other, err);
    if (!st) st = takt_trials_go(all, all->at->step.slot, &takt_scheme_end, at_end, err);
    if (!st) st = takt_trials_go_on(all, TAKT_CHANGE_NONE, t, t + h, later, err);
    if (st) return st;
    double response_later = takt_trials_response(all, later, later_other);
    takt_scheme *now = &all->couple->schemes[all->i_instance];
    bool may_be_delay = now->kind == TAKT_SCHEME_POINTS; // that is shorter than the step
    if (may_be_delay) now->kind = TAKT_SCHEME_GAUSS, now->n_pairs = 1;
    judge_response(all, response, isnan(later[0]) ? NAN : response_later);
    if (may_be_delay) return takt_hidden_find_memory(all, err);
    if (!(response_later > 0) || response > JUMP * TAKT_SLIGHT) return TAKT_OK;
    return note_states(all, fmax(response, response_later), err);
}

// ---- twins -------------------------------------------------------------------------------------------

bool takt_hidden_needs_twin(const takt_couple *couple, const takt_held *held, int i_instance)
{
    const takt_held_state *state = &held->states[i_instance];
    return takt_held_has_choice(couple, i_instance) && !couple->is_fixed && !state->is_delay &&
           !state->has_jumped && !state->is_given_up &&
           !couple->movement.of[i_instance].reads_again &&
           !takt_hidden_has_states(couple, held, i_instance);
}

static void note_inputs(const takt_trials *all)
{
    const takt_moving *moving = &all->couple->movement.of[all->i_instance];
    for (int k = moving->n_followed; k < moving->n_followed + moving->n_held; k++) {
        int source = moving->inputs[k].source;
        double now = all->couple->run->state.y.real[source];
        all->held->least[source] = fmin(all->held->least[source], now);
        all->held->most[source] = fmax(all->held->most[source], now);
    }
}

// Do outputs show at once what inputs do? Most do.
static takt_status compare(takt_trials *all, takt_error *err)
{
    double **rooms = all->held->rooms, response = 0;
    takt_held_state *state = &all->held->states[all->i_instance];
    state->n_compared++;
    takt_status st = takt_trials_go(all, all->at->step.slot, &takt_scheme_end, rooms[0], err);
    if (!st) st = takt_trials_go_changed(all, TAKT_CHANGE_SLIGHT, rooms[1], err);
    if (!st) st = takt_trials_respond(all, rooms[0], rooms[1], &response, err);
    return !st && response > 0 && response <= JUMP * TAKT_SLIGHT ? note_states(all, response, err)
                                                                 : st;
}

// The twin makes the step. It begins as what the instance is when inputs begin to move; and late, in a run that was taken back, or
// goes on from a file.
static takt_status go_apart(const takt_trials *all, takt_error *err)
{
    takt_held *held = all->held;
    takt_held_state *state = &held->states[all->i_instance];
    const takt_step *step = &all->at->step;
    double *time = &held->twin_times[all->i_instance], *other = held->rooms[0];
    bool is_there = state->is_apart && *time == step->t;
    state->is_late_twin |= state->is_apart && !is_there;
    takt_status st = takt_trials_go(all, is_there ? TAKT_SLOT_TWIN : step->slot,
                                    all->at->is_jump ? &PAIR : &FINE, other, err);
    double difference = st ? 0 : takt_trials_response(all, other, held->kept);
    state->is_apart = true;
    state->differs = difference > SAME * all->couple->tolerance && difference <= JUMP * TAKT_SLIGHT;
    *time = step->t + step->h;
    all->couple->run->state.instances[all->i_instance].has_twin = !st;
    return st ? st : takt_run_save(all->couple->run, all->i_instance, TAKT_SLOT_TWIN, *time, err);
}

takt_status takt_hidden_lead_twin(takt_held *held, takt_couple *couple, int i_instance,
                                  takt_attempt *at, takt_error *err)
{
    takt_held_state *state = &held->states[i_instance];
    takt_run *run = couple->run;
    if (!takt_hidden_needs_twin(couple, held, i_instance)) {
        run->state.instances[i_instance].has_twin = false;
        return TAKT_OK;
    }
    double t_end = at->step.t + at->step.h;
    if (!state->is_apart &&
        takt_moving_is_at_rest(run, &couple->movement.of[i_instance], &at->course))
        return TAKT_OK; // until inputs move the twin would do the same
    takt_trials all = takt_trials_begin(held, couple, i_instance, at);
    state->h_seen = fmax(state->h_seen, at->step.h);
    takt_trials_copy(&all, held->kept);
    note_inputs(&all);
    takt_status st = takt_run_save(run, i_instance, TAKT_SLOT_BETWEEN, t_end, err);
    if (!st && state->n_compared < N_COMPARED) st = compare(&all, err);
    if (!st && (state->is_apart || !state->has_reacted)) st = go_apart(&all, err);
    if (st) return st;
    return takt_hidden_is_twin_right(&all) ? takt_hidden_become_twin(&all, err)
                                           : takt_trials_end(&all, TAKT_SLOT_BETWEEN, err);
}

bool takt_hidden_is_twin_right(const takt_trials *all)
{
    const takt_held_state *state = &all->held->states[all->i_instance];
    return state->is_apart && state->has_reacted;
}

takt_status takt_hidden_judge_twin(const takt_trials *all, takt_error *err)
{
    takt_held_state *state = &all->held->states[all->i_instance];
    state->differs = false;
    if (state->has_reacted || !state->is_unseen) return TAKT_OK;
    state->n_differed++;
    bool is_due = (state->n_differed & (state->n_differed - 1)) == 0;
    if (!is_due) return TAKT_OK;
    memory found;
    takt_status st = find_memory(all, TAKT_CHANGE_FAR, true, &found, err);
    if (st || state->has_reacted) return st;
    state->n_short += found == MEMORY_SHORT;
    if (++state->n_looked < N_LOOKS) return TAKT_OK;
    state->is_delay = state->n_short >= N_SURE;
    state->has_reacted = !state->is_delay;
    return TAKT_OK;
}

takt_status takt_hidden_become_twin(const takt_trials *all, takt_error *err)
{
    takt_held_state *state = &all->held->states[all->i_instance];
    takt_couple *couple = all->couple;
    const double *y = couple->run->state.y.real;
    double t_end = all->at->step.t + all->at->step.h, off = 0;
    bool is_there = all->held->twin_times[all->i_instance] == t_end;
    state->is_apart = false;
    couple->run->state.instances[all->i_instance].has_twin = false;
    if (couple->schemes[all->i_instance].kind == TAKT_SCHEME_POINTS)
        couple->schemes[all->i_instance] = FINEST;
    takt_status st = takt_trials_end(all, is_there ? TAKT_SLOT_TWIN : TAKT_SLOT_BETWEEN, err);
    for (int i = 0; i < all->n && !st; i++)
        off = fmax(off, fabs(y[all->values[i]] - all->held->kept[i]) /
                            (couple->tolerance * couple->scale[all->values[i]]));
    bool is_doubtful = off > CLOSE || state->is_late_twin || !is_there;
    return !st && is_doubtful ? note_doubt(all, off, err) : st;
}
