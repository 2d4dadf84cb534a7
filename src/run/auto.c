// SPDX-License-Identifier: MIT
// Step control by prediction. Values are predicted by polynomials through the last communication points; the
// instances are stepped along polynomials through these points and the end of the step; what they deliver is
// compared with the prediction. The difference is the error; it decides about the step, the size of the next
// one, and the number of points. A jump is found by shorter steps of the one instance that shows it, the
// communication points enclose it, and the history begins anew behind it.
//
// The method and its constants come from a study with problems that it was not made for (docs/algorithms.md).
// In formulas: t, h, k points, e error in units of the tolerance.
#include "run/auto.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include <stdio.h> // DEBUG
#include <stdlib.h> // DEBUG

#include "num/broyden.h"
#include "run/calls.h"
#include "run/control.h"
#include "run/doubts.h"
#include "run/rows.h"
#include "run/scale.h"
#include "run/step_log.h"
#include "run/system_step.h"
#include "run/way_back.h"

enum { MOST_POINTS = TAKT_MAX_POINTS - 1, LOOKED_AT = 10, EARLY_STEPS = 8, RESTARTED = 3 };

// Steps aim below the tolerance by this factor, and change by these at most.
static const double SAFETY = 0.85, MOST = 2, MOST_EARLY = 8, MOST_AT_REST = 64, LEAST = 0.3;
// After a rejection.
static const double LEAST_REJECTED = 0.2, MOST_REJECTED = 0.8, AFTER_FAILURE = 0.3;
// PI control: exponents of the present error and of the one before, divided by k.
static const double PRESENT = 0.7, BEFORE = 0.4;
// Another number of points must allow a step that is larger by this factor.
static const double WORTHWHILE = 1.1;
// Errors above end a step before all instances have made it.
static const double HOPELESS = 100;
// Errors below count as this.
static const double SMALL = 1e-6;

// ---- errors ----------------------------------------------------------------------------------------

static bool has_discrete_change(const takt_run *run, int i_instance)
{
    const takt_plan_instance *plan = &run->plan->instances[i_instance];
    const int *n = plan->outputs.n_values, *first = plan->first_output;
    const takt_values *start = takt_way_back_start(run), *now = &run->state.y;
    for (int k = first[TAKT_KIND_INTEGER]; k < first[TAKT_KIND_INTEGER] + n[TAKT_KIND_INTEGER]; k++)
        if (now->integer[k] != start->integer[k]) return true;
    for (int k = first[TAKT_KIND_BYTES]; k < first[TAKT_KIND_BYTES] + n[TAKT_KIND_BYTES]; k++)
        if (!takt_bytes_equal(&now->bytes[k], &start->bytes[k])) return true;
    return false;
}

// The first instance in the order of calls whose discrete outputs have changed.
static int find_changed(const takt_auto *own)
{
    int found = -1;
    for (int i = 0; i < own->run->work.n_instances; i++)
        if ((found < 0 || own->ranks[i] < own->ranks[found]) && has_discrete_change(own->run, i))
            found = i;
    return found;
}

static void judge(const takt_auto *own, const takt_attempt *at, takt_judgement *out)
{
    *out = (takt_judgement){.i_worst = -1, .i_changed = -1};
    out->has_failed = at->outcome.end != TAKT_STEP_DONE || at->outcome.is_unconverged;
    if (out->has_failed) return;
    // The first step cannot be predicted; it is judged by a second sweep.
    const double *reference = at->is_first ? own->couple.first : own->predicted;
    for (int i = 0; i < own->history->n_values; i++) {
        if (!own->is_tested[i]) continue;
        double e = takt_auto_error(own, reference, i);
        if (!(e > out->error)) continue; // nor where it is unknown: nobody reads that
        out->error = e;
        out->i_worst = i;
    }
    out->i_changed = find_changed(own);
    out->error = fmax(out->error, SMALL);
}

// ---- an attempt ------------------------------------------------------------------------------------

// Values that only the error test and rows need.
static takt_status read_tested(takt_auto *own, double t, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < own->run->work.n_instances && !st; i++)
        st = takt_couple_read_unread(&own->couple, i, t, err);
    return st;
}

// What nobody reads is the same after the first sweep and in the end.
static void keep_tested(const takt_auto *own)
{
    for (int i = 0; i < own->history->n_values; i++)
        if (own->is_unread[i]) own->couple.first[i] = own->run->state.y.real[i];
}

// Predictions at the end of the step take the place of values that are not known yet.
static void predict(takt_auto *own, const takt_attempt *at)
{
    const bool *is_wanted = own->couple.movement.is_continuous;
    takt_history_predict(own->history, at->k, at->step.t + at->step.h, is_wanted, own->predicted);
    for (int i = 0; i < own->history->n_values; i++)
        if (is_wanted[i]) own->run->state.y.real[i] = own->predicted[i];
}

// Is the error of a block so large that the step will be rejected whatever others do?
static bool is_hopeless(const takt_auto *own, int i_block)
{
    const takt_block *block = &own->run->plan->blocks[i_block];
    const takt_couple *couple = &own->couple;
    for (int m = 0; m < block->n_members; m++) {
        int first = couple->first_tested[block->members[m]];
        for (int k = first; k < couple->first_tested[block->members[m] + 1]; k++) {
            int i = couple->tested[k];
            if (!own->is_unread[i] && takt_auto_error(own, own->predicted, i) > HOPELESS)
                return true;
        }
    }
    return false;
}

static takt_status make_step(takt_auto *own, takt_attempt *at, takt_error *err)
{
    takt_run *run = own->run;
    double t_end = at->step.t + at->step.h;
    takt_course_begin(&at->course, own->history, at->k, at->step.h);
    predict(own, at);
    takt_status st = TAKT_OK;
    at->is_cut = false;
    for (int b = 0; b < run->plan->n_blocks && !st; b++) {
        st = takt_couple_advance(&own->couple, b, at, err);
        if (at->outcome.end != TAKT_STEP_DONE || at->outcome.is_unconverged) break;
        at->is_cut = !st && !at->is_first && !at->is_jump && is_hopeless(own, b);
        if (at->is_cut) break;
    }
    bool is_done =
        at->outcome.end == TAKT_STEP_DONE && !at->outcome.is_unconverged && !at->is_cut;
    if (!st && is_done) st = read_tested(own, t_end, err);
    if (!st && is_done) keep_tested(own);
    if (!takt_way_back_is_open(run, st)) return st;
    at->outcome.is_unconverged = true; // values are not finite: a smaller step may avoid that
    return TAKT_OK;
}

static takt_status go_back(takt_auto *own, takt_error *err)
{
    memset(own->couple.is_stepped, 0,
           (size_t)own->run->work.n_instances * sizeof *own->couple.is_stepped);
    return takt_way_back_take(own->run, err);
}

// ---- after a rejection -----------------------------------------------------------------------------

static int count_recent(const takt_auto_state *state, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) sum += (state->recent >> i & 1U) != 0;
    return sum;
}

static takt_status reject(takt_auto *own, takt_attempt *at, const takt_judgement *judged,
                          takt_error *err)
{
    takt_run *run = own->run;
    takt_auto_state *state = own->state;
    run->counts.n_rejected++;
    if (at->outcome.end == TAKT_STEP_DISCARDED)
        run->counts.n_discarded++;
    else if (judged->has_failed)
        run->counts.n_convergence_failures++, run->counts.n_limit_exceeded++;
    else
        run->counts.n_error_failures++;
    state->recent = state->recent << 1 | 1U;
    takt_step_log_error(run, &at->step, judged->has_failed ? NAN : judged->error, state->h);
    bool is_jump = false;
    takt_status st = go_back(own, err);
    if (!st && !judged->has_failed)
        st = takt_jump_find(own, at, judged, &is_jump, &state->jump_from, &state->jump_to, err);
    if (st || is_jump) return st;
    int k = at->k > (at->is_first ? 2 : 1) ? at->k : at->is_first ? 2 : 1;
    double factor = SAFETY * pow(judged->error, -1.0 / k);
    factor = fmax(LEAST_REJECTED, fmin(MOST_REJECTED, factor));
    state->h = at->step.h * (judged->has_failed ? AFTER_FAILURE : factor);
    if (state->k > 2 && count_recent(state, 3) == 3) state->k--;
    return TAKT_OK;
}

// ---- after acceptance ------------------------------------------------------------------------------

// The number of points that would have allowed the largest step, and its error.
static int choose_points(const takt_auto *own, const takt_attempt *at, double error, double *best_e)
{
    int best = at->k;
    double best_figure = 0;
    for (int k = at->k > 1 ? at->k - 1 : 1; k <= at->k + 1 && k <= MOST_POINTS; k++) {
        if (k > own->history->n) break;
        double e = error;
        if (k != at->k) {
            double *other = own->couple.first; // no longer needed
            takt_history_predict(own->history, k, at->step.t + at->step.h, own->is_tested, other);
            e = SMALL;
            for (int i = 0; i < own->history->n_values; i++)
                if (own->is_tested[i]) e = fmax(e, takt_auto_error(own, other, i));
        }
        double figure = pow(e, -1.0 / k) / (k == at->k ? 1 : WORTHWHILE);
        if (figure <= best_figure) continue;
        best_figure = figure;
        best = k;
        *best_e = e;
    }
    return best;
}

static void choose_size(takt_auto *own, const takt_attempt *at, int k, double e)
{
    takt_auto_state *state = own->state;
    bool is_same = k == at->k;
    double factor = is_same
                        ? SAFETY * pow(e, -PRESENT / k) * pow(state->error_before, BEFORE / k)
                        : SAFETY * pow(e, -1.0 / k);
    bool is_early = state->n_since_start <= EARLY_STEPS;
    double most = !is_early ? MOST : e > 10 * SMALL ? MOST_EARLY : MOST_AT_REST;
    factor = fmin(most, fmax(LEAST, factor));
    if (state->recent & 2U) factor = fmin(factor, 1);
    state->error_before = is_same ? fmax(e, 0.01) : 1;
    state->k = k;
    state->h = fmin(at->step.h * factor, own->h_most);
    if (!isfinite(state->jump_from)) state->h_calm = state->h;
    if (state->n_since_start == RESTARTED) state->h_restart = at->step.h * (e > 10 * SMALL ? 0.5 : 1);
}

// How much values changed, relative to their scales, per second; fades.
static void note_rate(takt_auto *own, const takt_attempt *at)
{
    double largest = 0;
    const double *before = takt_history_values(own->history, 0);
    for (int i = 0; i < own->history->n_values; i++) {
        double now = own->run->state.y.real[i];
        if (own->is_tested[i])
            largest = fmax(largest, fabs(now - before[i]) / fmax(own->scale[i], fabs(now)));
    }
    own->state->rate = fmax(largest / at->step.h, 0.7 * own->state->rate);
}

// Trials with the step that was just accepted: how strong are loops, are schemes good enough?
static takt_status probe(takt_auto *own, takt_attempt *at, takt_error *err)
{
    const takt_run *run = own->run;
    takt_auto_state *state = own->state;
    bool is_calm = state->n_since_start > 3;
    takt_status st = TAKT_OK;
    if (!own->couple.can_rewind) return TAKT_OK;
    for (int b = 0; b < run->plan->n_blocks && !st; b++) {
        const takt_coupled *loop = &own->couple.loops[b];
        if (loop->n_torn && is_calm)
            st = takt_couple_probe(&own->couple, b, at, own->predicted,
                                   count_recent(state, LOOKED_AT), state->n_accepted, err);
        bool is_solved = loop->n_torn && loop->state->is_implicit;
        double gain = is_solved
                          ? fmin(100, takt_broyden_gain(loop->n_torn, loop->inverse, loop->scale))
                          : 1;
        const takt_block *block = run->work.blocks[b].plan;
        for (int m = 0; m < block->n_members && !st; m++) {
            int i = block->members[m];
            if ((is_calm || state->n_accepted == 1) && takt_held_has_choice(&own->couple, i))
                st = takt_held_look(&own->held, &own->couple, i, at, state->n_accepted,
                                    state->rate * at->step.h, gain, err);
        }
    }
    return st;
}

static void note_scales(takt_auto *own)
{
    takt_scale_note(own->run);
    for (int i = 0; i < own->history->n_values; i++)
        own->scale[i] = fmax(own->run->scale->seen[i], own->floors[i]);
}

// The history begins at the present communication point.
static void begin_history(takt_auto *own)
{
    takt_auto_state *state = own->state;
    own->history->n = 0;
    takt_history_add(own->history, own->run->state.grid.time, own->run->state.y.real);
    state->k = 1;
    state->n_events = own->run->state.n_events;
    state->n_since_start = 0;
    state->error_before = 1;
    note_scales(own);
}

static takt_status accept(takt_auto *own, takt_attempt *at, const takt_judgement *judged,
                          takt_error *err)
{
    takt_auto_state *state = own->state;
    double e = judged->error;
    state->recent <<= 1;
    state->n_since_start++;
    state->n_accepted++;
    note_rate(own, at);
    takt_status st = probe(own, at, err);
    if (st) return st;
    int k = at->is_first ? 2 : choose_points(own, at, judged->error, &e);
    choose_size(own, at, k, e);
    takt_step_log_error(own->run, &at->step, judged->error, state->h);
    return TAKT_OK;
}

// ---- the step --------------------------------------------------------------------------------------

// Where a step of size h ends: at a stop if it leads there or nearly, and in the middle if little would be left.
static double limit_step(const takt_auto *own, double h)
{
    const takt_run *run = own->run;
    const takt_auto_state *state = own->state;
    double t = run->state.grid.time, stop = run->state.grid.stop;
    bool is_event;
    double next = takt_run_next_stop(run, &is_event);
    if (next < stop && !takt_times_equal(next, stop, h)) stop = next;
    if (state->jump_from > t && state->jump_from < stop) stop = state->jump_from;
    double rest = stop - t;
    h = fmin(h, own->h_most);
    if (h > 0.9999 * rest) return stop;
    return t + (h > 0.55 * rest ? rest / 2 : h);
}

// Behind the jump the history begins anew, with small steps.
static void pass_jump(takt_auto *own)
{
    takt_auto_state *state = own->state;
    double width = state->jump_to - state->jump_from;
    state->jump_from = state->jump_to = INFINITY;
    state->n_jumps++;
    state->h = fmax(fmax(width, 1e-3 * state->h_calm), fmin(state->h_restart, state->h_calm));
    state->recent = 0;
    own->history->n = 0;
}

static takt_status take_step(takt_run *run, takt_error *err)
{
    takt_auto *own = run->automatic;
    takt_auto_state *state = own->state;
    if (own->history->n == 0 || state->n_events != run->state.n_events) begin_history(own);
    takt_status st = takt_way_back_save(run, err);
    takt_judgement judged;
    takt_attempt at;
    double t = run->state.grid.time, t_end = t;
    bool is_jump = false;
    memset(own->couple.is_stepped, 0, (size_t)run->work.n_instances * sizeof(bool));
    while (!st) {
        is_jump = takt_times_equal(state->jump_from, t, 0) && state->jump_to > t;
        t_end = is_jump ? state->jump_to : limit_step(own, state->h);
        at = (takt_attempt){.step = {t, t_end - t, .is_final = run->work.n_snapshots == 0,
                                     .slot = TAKT_SLOT_POINT},
                            .k = state->k,
                            .is_first = state->n_since_start == 0,
                            .is_jump = is_jump};
        st = make_step(own, &at, err);
        if (st) break;
        if (at.outcome.end == TAKT_STEP_TERMINATED) {
            takt_control_terminate(run, &at.outcome);
            return TAKT_OK;
        }
        judge(own, &at, &judged);
        if (at.is_first && !is_jump && !judged.has_failed && judged.error <= 1)
            st = takt_jump_look(own, &at, &judged, err);
        if (st) break;
        if (getenv("DBG")) fprintf(stderr, "t %.9g h %.3g k %d e %.3g worst %d fail %d impl %d first %d jump %.9g\n", t, at.step.h, at.k, judged.error, judged.i_worst, judged.has_failed, own->couple.loops[0].n_torn ? own->couple.loops[0].state->is_implicit : -1, at.is_first, state->jump_from); // DEBUG
        bool is_good = !judged.has_failed && judged.error <= 1 && judged.i_changed < 0;
        if (is_good || (is_jump && !judged.has_failed)) break;
        if (at.step.h <= own->h_least) {
            if (judged.has_failed)
                return takt_fail(err, TAKT_ERR_SIMULATION,
                                 "t=%.15g s: no step is possible, not even one of %.3g s", t,
                                 at.step.h);
            st = takt_doubt_note(run, TAKT_DOUBT_AT_STEP_MIN, NULL, judged.error, err);
            break;
        }
        st = reject(own, &at, &judged, err);
    }
    if (st) return st;
    bool has_jumped = is_jump && (judged.error > 1 || judged.i_changed >= 0);
    if (is_jump && !has_jumped) state->jump_from = state->jump_to = INFINITY;
    if (!has_jumped) st = accept(own, &at, &judged, err);
    if (st) return st;
    takt_system_note_requests(run, &at.outcome);
    takt_grid_go_to(&run->state.grid, t_end);
    if (has_jumped) {
        pass_jump(own);
        begin_history(own);
    } else {
        takt_history_add(own->history, t_end, run->state.y.real);
        note_scales(own);
    }
    return TAKT_OK;
}

// ---- life ------------------------------------------------------------------------------------------

static void find_owners(takt_auto *own)
{
    const takt_plan *plan = own->run->plan;
    int rank = 0;
    for (int i = 0; i < own->history->n_values; i++) own->owners[i] = -1;
    for (int b = 0; b < plan->n_blocks; b++)
        for (int m = 0; m < plan->blocks[b].n_members; m++)
            own->ranks[plan->blocks[b].members[m]] = rank++;
    for (int i = 0; i < own->run->work.n_instances; i++) {
        const takt_plan_instance *instance = &plan->instances[i];
        int first = instance->first_output[TAKT_KIND_REAL];
        for (int k = 0; k < instance->outputs.n_values[TAKT_KIND_REAL]; k++)
            own->owners[first + k] = i;
        first = instance->first_tested[TAKT_KIND_REAL];
        for (int k = 0; k < instance->tested.n_values[TAKT_KIND_REAL]; k++) {
            own->owners[first + k] = i;
            own->is_unread[first + k] = true;
        }
    }
}

// Connected values, and outputs that nobody reads.
static void find_tested(takt_auto *own)
{
    for (int i = 0; i < own->history->n_values; i++)
        own->is_tested[i] = own->owners[i] >= 0 && own->couple.movement.is_continuous[i];
}

// The tested values by instance.
static void list_tested(takt_auto *own)
{
    takt_couple *couple = &own->couple;
    int n = own->run->work.n_instances;
    for (int i = 0; i < own->history->n_values; i++)
        if (own->is_tested[i]) couple->first_tested[own->owners[i] + 1]++;
    for (int i = 0; i < n; i++) couple->first_tested[i + 1] += couple->first_tested[i];
    for (int i = 0; i < own->history->n_values; i++) {
        if (!own->is_tested[i]) continue;
        couple->tested[couple->first_tested[own->owners[i]]++] = i;
        couple->has_unread[own->owners[i]] |= own->is_unread[i];
    }
    for (int i = n; i > 0; i--) couple->first_tested[i] = couple->first_tested[i - 1];
    couple->first_tested[0] = 0;
}

// Does a member read a torn value that its outputs depend on directly? Then one sweep leaves them wrong, however
// short the step is.
static bool is_inconsistent(const takt_auto *own, const takt_block *block)
{
    const takt_plan *plan = own->run->plan;
    for (int m = 0; m < block->n_members; m++) {
        int i = block->members[m];
        const takt_access *inputs = &plan->instances[i].inputs;
        const int *from =
            plan->sources[TAKT_KIND_REAL] + plan->instances[i].first_input[TAKT_KIND_REAL];
        for (int k = 0; k < inputs->n_values[TAKT_KIND_REAL]; k++) {
            int owner = own->owners[from[k]];
            bool is_torn = owner >= 0 && !own->is_unread[from[k]] &&
                           own->ranks[owner] >= own->ranks[i];
            int variable = takt_access_index(inputs, TAKT_KIND_REAL, k);
            if (is_torn && takt_moving_feeds_through(own->run, i, variable)) return true;
        }
    }
    return false;
}

static takt_status make_loop(takt_auto *own, int b, takt_error *err)
{
    takt_run *run = own->run;
    takt_coupled *loop = &own->couple.loops[b];
    const takt_block *block = &run->plan->blocks[b];
    size_t n = (size_t)block->n_torn;
    double *room = takt_arena_array(&run->arena, 7 * n, sizeof *room);
    if (!room) return takt_fail_memory(err);
    loop->n_torn = block->n_torn;
    loop->torn = block->torn;
    loop->is_algebraic = block->is_algebraic || is_inconsistent(own, block);
    double **parts[] = {&loop->w, &loop->g, &loop->d, &loop->dg, &loop->scale, &loop->room};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) *parts[k] = room + k * n;
    return TAKT_OK;
}

// Everything that is carried lies one after the other. NULL: only the size is wanted.
static size_t lay_out(takt_auto *own, char *memory)
{
    const takt_run *run = own->run;
    size_t n_y = (size_t)run->plan->n_outputs[TAKT_KIND_REAL], size = 0;
    size_t n = (size_t)run->work.n_instances;
    struct piece {
        void *pointer;
        size_t size;
    } pieces[] = {{&own->state, sizeof *own->state},
                  {&own->history, takt_history_size((int)n_y)},
                  {&own->floors, n_y * sizeof *own->floors},
                  {&own->couple.schemes, n * sizeof *own->couple.schemes},
                  {&own->held.states, n * sizeof *own->held.states}};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        char *at = memory + size;
        if (memory) memcpy(pieces[i].pointer, &at, sizeof at);
        size += (pieces[i].size + 15) / 16 * 16;
    }
    for (int b = 0; b < run->plan->n_blocks; b++) {
        takt_coupled *loop = &own->couple.loops[b];
        if (loop->n_torn == 0) continue;
        if (memory) loop->state = (takt_coupled_state *)(void *)(memory + size);
        size += (sizeof *loop->state + 15) / 16 * 16;
        if (memory) loop->inverse = (double *)(void *)(memory + size);
        size += (size_t)loop->n_torn * (size_t)loop->n_torn * sizeof(double);
        size = (size + 15) / 16 * 16;
    }
    return size;
}

static bool make_arrays(takt_auto *own)
{
    takt_run *run = own->run;
    takt_arena *arena = &run->arena;
    size_t n_y = (size_t)run->plan->n_outputs[TAKT_KIND_REAL], n = (size_t)run->work.n_instances;
    own->scale = takt_arena_array(arena, n_y, sizeof *own->scale);
    own->predicted = takt_arena_array(arena, n_y, sizeof *own->predicted);
    own->is_tested = takt_arena_array(arena, n_y, sizeof *own->is_tested);
    own->is_unread = takt_arena_array(arena, n_y, sizeof *own->is_unread);
    own->owners = takt_arena_array(arena, n_y, sizeof *own->owners);
    own->ranks = takt_arena_array(arena, n, sizeof *own->ranks);
    own->couple.first = takt_arena_array(arena, n_y, sizeof *own->couple.first);
    own->couple.is_stepped = takt_arena_array(arena, n, sizeof *own->couple.is_stepped);
    own->couple.tested = takt_arena_array(arena, n_y, sizeof *own->couple.tested);
    own->couple.first_tested = takt_arena_array(arena, n + 1, sizeof *own->couple.first_tested);
    own->couple.has_unread = takt_arena_array(arena, n, sizeof *own->couple.has_unread);
    own->couple.loops =
        takt_arena_array(arena, (size_t)run->plan->n_blocks, sizeof *own->couple.loops);
    return own->scale && own->predicted && own->is_tested && own->is_unread && own->owners &&
           own->couple.tested && own->couple.first_tested && own->couple.has_unread &&
           own->ranks && own->couple.first && own->couple.is_stepped && own->couple.loops;
}

// What is carried, as it is before the first step.
static void begin(takt_auto *own)
{
    takt_run *run = own->run;
    const takt_settings *settings = &run->plan->system->settings;
    double length = settings->stop_time - settings->start_time;
    own->h_first = 1e-6 * length;
    own->h_most = fmin(settings->step_max, 0.1 * length);
    own->h_least = 1e-12 * length;
    *own->state = (takt_auto_state){.k = 1,
                                    .h = own->h_first,
                                    .h_calm = own->h_first,
                                    .error_before = 1,
                                    .jump_from = INFINITY,
                                    .jump_to = INFINITY,
                                    .i_limit = -1};
    for (int i = 0; i < own->history->n_values; i++)
        own->floors[i] = run->scale->nominal[i] > 0 ? 0 : 0.01;
    for (int i = 0; i < run->work.n_instances; i++)
        takt_held_begin(&own->couple, i, &own->couple.schemes[i], &own->held.states[i]);
    for (int b = 0; b < run->plan->n_blocks; b++) {
        takt_coupled *loop = &own->couple.loops[b];
        if (loop->n_torn == 0) continue;
        *loop->state = (takt_coupled_state){.is_implicit = loop->is_algebraic,
                                            .n_locks = 1,
                                            .rho = 1,
                                            .h_rho = own->h_first};
        takt_broyden_reset(loop->n_torn, loop->inverse);
    }
}

static takt_status create(takt_run *run, takt_error *err)
{
    const takt_settings *settings = &run->plan->system->settings;
    takt_auto *own = takt_arena_alloc(&run->arena, sizeof *own);
    if (!own) return takt_fail_memory(err);
    run->automatic = own;
    own->run = own->couple.run = run;
    own->couple.tolerance = settings->tolerance;
    own->couple.loop_tolerance = 0.05;
    own->couple.algebraic_tolerance = 1e-3;
    own->couple.can_rewind = true;
    takt_history shape = {.n_values = run->plan->n_outputs[TAKT_KIND_REAL]};
    own->history = &shape;
    takt_status st = make_arrays(own) ? TAKT_OK : takt_fail_memory(err);
    if (!st) st = takt_movement_create(run, &own->couple.movement, err);
    if (st) return st;
    find_owners(own);
    find_tested(own);
    list_tested(own);
    st = takt_held_create(&own->couple, &own->held, err);
    for (int b = 0; b < run->plan->n_blocks && !st; b++)
        if (run->plan->blocks[b].is_loop) st = make_loop(own, b, err);
    if (st) return st;
    own->memory.size = lay_out(own, NULL);
    own->memory.data = takt_arena_alloc(&run->arena, own->memory.size);
    if (!own->memory.data) return takt_fail_memory(err);
    lay_out(own, own->memory.data);
    own->history->n_values = shape.n_values;
    own->couple.scale = own->scale;
    begin(own);
    return takt_way_back_create(run, err);
}

static void destroy(takt_run *run)
{
    takt_way_back_destroy(run);
}

static takt_memory memory_of(takt_run *run)
{
    return run->automatic->memory;
}

const takt_control_type takt_auto_control = {
    .step = take_step, .create = create, .destroy = destroy, .memory = memory_of};
