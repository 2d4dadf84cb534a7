// SPDX-License-Identifier: MIT
// Blocks along polynomials; see couple.h.
#include "run/couple.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/compiler.h"
#include "base/times.h"
#include "run/calls.h"
#include "run/doubts.h"
#include "run/loop.h"
#include "run/noise.h"
#include "run/opening.h"
#include "run/pass.h"
#include "run/scale.h"
#include "run/step_log.h"

// Strength from which on a loop is solved, by the number of points: at or below what explicit methods of that
// order bear; and below which that is given up.
static const double STRONG[] = {0.3, 0.2, 0.12, 0.08, 0.05, 0.03};
static const double WEAK = 0.01;

// From here on one sweep is no solution, even in a loop that seemed to have no feedthrough.
static const double TOO_STRONG = 0.5;

// Sweeps before the matrix is made anew, and before the step is given up (a loop with so many torn values that there is
// no matrix has only sweeps to learn from); accepted steps between measurements, and between looks whether it pays
// to solve.
enum {
    FEW_POINTS = 3,
    MANY_SWEEPS = 8,
    MAX_SWEEPS = 16,
    MAX_SWEEPS_LARGE = 80,
    PROBE_INTERVAL = 25,
    MANY_OFF = 3,
    MAX_DULL = 4,
    LOOK_INTERVAL = 20,
    MAX_LOCKS = 16
};

// Torn values that differ less from their prediction, in units of the tolerance, need no second sweep; those that
// differ more may have jumped, so that it would spread the jump over the step.
static const double SAME = 1e-3, JUMP = 3000;

// With fixed steps, likewise: far from the prediction, in one step after the other, may be a loop that has become strong.
static const double OFF = 10;

// Where it cannot be solved, so far is too far, for so many steps at least.
static const double WILD = 1000;
enum { WILD_STEPS = 50 };

// The values at the end may differ by this from those that they lead to, in units of the tolerance, where the
// step to the solution is within the loop's tolerance.
static const double RESIDUAL = 4;
// A part of a change makes the same part of its effect; more than this of the whole effect is noise.
static const double NEAR = 0.1, NOISE_PART = 0.3;
// The strength of a loop whose noise hides it, as a part of a strong one's: longer steps may show it.
static const double UNKNOWN = 0.5;
// In tolerances: what torn values are changed by to see the noise of a sweep, and up to which noise loops are solved.
static const double TINY = 1e-3, LEAST_NOISE = 0.02, MOST_NOISE = 0.5;

// A derivative counts as one more point.
static double strong_for(const takt_attempt *at)
{
    int i = at->k - 1 + at->derives, n = (int)(sizeof STRONG / sizeof *STRONG);
    return STRONG[i < n ? i : n - 1];
}

// ---- sweeps ------------------------------------------------------------------------------------------

// Has the instance made the step before?
static bool is_there(const takt_couple *all, int i_instance, const takt_step *step)
{
    if (all->i_ahead != i_instance) return false;
    return takt_times_equal(all->t_ahead, step->t + step->h, 0);
}

static takt_status rewind_member(takt_couple *all, int i, const takt_step *step, takt_error *err)
{
    bool is_elsewhere = all->i_ahead == i && !is_there(all, i, step);
    if (!all->is_stepped[i] && !is_elsewhere) return TAKT_OK;
    all->is_stepped[i] = false;
    if (all->i_ahead == i) all->i_ahead = -1;
    return takt_run_restore(all->run, i, step->slot, step->t, err);
}

static takt_status advance_member(takt_couple *all, int i, takt_attempt *at, takt_error *err)
{
    if (takt_run_is_behind(all->run, i)) return TAKT_OK; // its values are those of its polynomials
    all->is_stepped[i] = true;
    if (!is_there(all, i, &at->step))
        return takt_moving_advance(all->run, &all->movement, i, &at->step, &at->course,
                                   &all->schemes[i], &at->outcome, err);
    all->i_ahead = -1;
    return takt_run_get_outputs(all->run, i, all->t_ahead, err);
}

takt_status takt_couple_sweep(takt_couple *all, int i_block, takt_attempt *at, takt_error *err)
{
    const takt_block *block = all->run->work.blocks[i_block].plan;
    takt_loop *loop = all->run->work.blocks[i_block].loop;
    takt_status st = TAKT_OK;
    bool may_be_elsewhere = all->loops[i_block].n_sweeps > 0 || all->i_ahead >= 0;
    for (int k = 0; k < block->n_members && !st && may_be_elsewhere; k++)
        st = rewind_member(all, block->members[k], &at->step, err);
    for (int k = 0; k < block->n_members && !st && at->outcome.end == TAKT_STEP_DONE; k++) {
        st = advance_member(all, block->members[k], at, err);
        if (!st && loop && loop->is_holding) st = takt_loop_hold(loop, block->members[k], err);
    }
    if (!st && loop && loop->is_holding) st = takt_loop_release(loop, err);
    all->run->work.blocks[i_block].n_sweeps++;
    all->loops[i_block].n_sweeps++;
    return st;
}

takt_status takt_couple_read_unread(takt_couple *all, int i_instance, double t, takt_error *err)
{
    return all->has_unread[i_instance] ? takt_run_get_tested(all->run, i_instance, t, err)
                                       : TAKT_OK;
}

static void offer(const takt_couple *all, const takt_coupled *loop, const double *w)
{
    for (int i = 0; i < loop->n_torn; i++) all->run->state.y.real[loop->torn[i]] = w[i];
}

static void receive(const takt_couple *all, const takt_coupled *loop, double *g)
{
    for (int i = 0; i < loop->n_torn; i++) g[i] = all->run->state.y.real[loop->torn[i]];
}

static double norm(const takt_couple *all, const takt_coupled *loop, const double *v)
{
    double largest = 0;
    for (int i = 0; i < loop->n_torn; i++)
        largest = fmax(largest, fabs(v[i]) / (all->tolerance * all->scale[loop->torn[i]]));
    return largest;
}

// ---- solving for the torn values -----------------------------------------------------------------------

// The matrix by difference quotients: one sweep per torn value.
static takt_status make_matrix(takt_couple *all, int i_block, takt_attempt *at, takt_error *err)
{
    takt_coupled *loop = &all->loops[i_block];
    int n = loop->n_torn;
    takt_status st = TAKT_OK;
    takt_inverse_reset(&loop->inverse);
    for (int j = 0; j < n && !st; j++) {
        double w_j = loop->w[j];
        double delta = fmax(0.1 * all->tolerance, 1e-7) * all->scale[loop->torn[j]];
        delta = fmax(delta, TAKT_NOISE_MOST * takt_noise_of(&all->noise, loop->torn[j]));
        loop->w[j] += delta;
        delta = loop->w[j] - w_j;
        offer(all, loop, loop->w);
        st = takt_couple_sweep(all, i_block, at, err);
        if (st || at->outcome.end != TAKT_STEP_DONE) return st;
        receive(all, loop, loop->dg);
        for (int i = 0; i < n; i++) loop->dg[i] -= loop->g[i], loop->d[i] = 0;
        loop->d[j] = delta;
        loop->w[j] = w_j;
        takt_inverse_learn(&loop->inverse, loop->d, loop->dg, loop->scale, loop->room);
    }
    return st;
}

// One sweep with w + d; the change of its result is learnt.
static takt_status go_on(takt_couple *all, int i_block, takt_attempt *at, takt_error *err)
{
    takt_coupled *loop = &all->loops[i_block];
    int n = loop->n_torn;
    for (int i = 0; i < n; i++) loop->w[i] += loop->d[i];
    offer(all, loop, loop->w);
    takt_status st = takt_couple_sweep(all, i_block, at, err);
    if (st || at->outcome.end != TAKT_STEP_DONE) return st;
    receive(all, loop, loop->dg);
    for (int i = 0; i < n; i++) {
        double g = loop->dg[i];
        loop->dg[i] -= loop->g[i];
        loop->g[i] = g;
    }
    double change = norm(all, loop, loop->d);
    if (isnan(loop->rho) && change > 0.01) loop->rho = norm(all, loop, loop->dg) / change;
    if (!takt_inverse_learn(&loop->inverse, loop->d, loop->dg, loop->scale, loop->room))
        takt_inverse_reset(&loop->inverse);
    return TAKT_OK;
}

// Does a value of y belong to an instance that is not stepped now?
static bool is_given(const takt_couple *all, int value)
{
    return all->run->work.is_behind && all->owners[value] >= 0 &&
           all->run->work.is_behind[all->owners[value]];
}

// The step that leads to the solution, by what the matrix knows. Returns how far it is, or how much the torn values differ
// from what they lead to.
static double find_step(const takt_couple *all, takt_coupled *loop)
{
    int n = loop->n_torn;
    for (int i = 0; i < n; i++) loop->dg[i] = loop->g[i] - loop->w[i];
    takt_inverse_step(&loop->inverse, loop->dg, loop->d);
    for (int i = 0; i < n; i++)
        if (is_given(all, loop->torn[i])) loop->d[i] = 0;
    double step = norm(all, loop, loop->d), residual = norm(all, loop, loop->dg);
    if (!isfinite(step)) {
        takt_inverse_reset(&loop->inverse);
        memcpy(loop->d, loop->dg, (size_t)n * sizeof *loop->d);
        step = residual;
    }
    return fmax(step, residual / RESIDUAL);
}

static takt_status give_up(takt_couple *all, int i_block, takt_attempt *at, double size)
{
    const takt_block *block = all->run->work.blocks[i_block].plan;
    takt_coupled *loop = &all->loops[i_block];
    bool is_strong = loop->algebraic || (all->is_fixed && loop->state->was_missed);
    if (all->is_fixed && !is_strong) { // one sweep is not exact, but it is not wrong
        loop->state->is_implicit = false;
        loop->state->lock = 50;
    }
    at->is_unsolved |= is_strong;
    at->outcome.is_unconverged = true;
    at->outcome.norm = size;
    at->outcome.loop = all->run->work.instances[block->members[0]].instance->name;
    return TAKT_OK;
}

static bool is_within_noise(const takt_couple *all, const takt_coupled *loop, const double *d)
{
    for (int i = 0; i < loop->n_torn; i++)
        if (fabs(d[i]) > takt_noise_of(&all->noise, loop->torn[i])) return false;
    return true;
}

// How exactly torn values can be solved for, in tolerances.
static double find_loop_tolerance(const takt_couple *all, const takt_coupled *loop)
{
    double largest = 0;
    for (int i = 0; i < loop->n_torn; i++)
        largest =
            fmax(largest, takt_noise_of(&all->noise, loop->torn[i]) / all->scale[loop->torn[i]]);
    return fmax(all->loop_tolerance, fmin(MOST_NOISE, largest / all->tolerance));
}

// Sweeps that do not become right: do nearly the same torn values lead elsewhere than on a straight line?
static takt_status learn_noise(takt_couple *all, int i_block, takt_attempt *at, takt_error *err)
{
    takt_coupled *loop = &all->loops[i_block];
    double *middle = loop->room, *other = loop->room + loop->n_torn;
    takt_status st = TAKT_OK;
    memset(middle, 0, (size_t)loop->n_torn * sizeof *middle);
    for (int sign = 1; sign >= -1 && !st && at->outcome.end == TAKT_STEP_DONE; sign -= 2) {
        for (int i = 0; i < loop->n_torn; i++)
            other[i] = loop->w[i] + sign * TINY * all->tolerance * all->scale[loop->torn[i]];
        offer(all, loop, other);
        st = takt_couple_sweep(all, i_block, at, err);
        receive(all, loop, other);
        for (int i = 0; i < loop->n_torn; i++) middle[i] += other[i] / 2;
    }
    for (int i = 0; i < loop->n_torn && !st; i++) {
        double difference = fabs(middle[i] - loop->g[i]);
        if (difference <= LEAST_NOISE * all->tolerance * all->scale[loop->torn[i]]) continue;
        takt_noise_learn(&all->noise, loop->torn[i], difference);
        loop->is_noisy = true;
    }
    return st;
}

// Solves w = G(w); a sweep with w, the prediction, has been made. Accepts the last sweep when the step to the
// solution is small: the values that it leads to are as good as those behind that step.
static takt_status solve(takt_couple *all, int i_block, takt_attempt *at, takt_error *err)
{
    takt_coupled *loop = &all->loops[i_block];
    bool is_large = loop->inverse.room > 0, has_made_matrix = false;
    int most = is_large ? MAX_SWEEPS_LARGE : MAX_SWEEPS;
    double size = find_step(all, loop);
    for (int n = 1; size > find_loop_tolerance(all, loop); n++) {
        takt_step_log_sweep(all->run, &all->run->work.blocks[i_block], &at->step, size, NAN);
        if (n >= most || !isfinite(size)) return give_up(all, i_block, at, size);
        takt_status st = TAKT_OK;
        if (n >= MANY_SWEEPS && !has_made_matrix && !is_large) {
            st = learn_noise(all, i_block, at, err);
            if (!st && at->outcome.end == TAKT_STEP_DONE) st = make_matrix(all, i_block, at, err);
            if (st || at->outcome.end != TAKT_STEP_DONE) return st;
            has_made_matrix = true;
            size = find_step(all, loop);
        }
        st = go_on(all, i_block, at, err);
        if (st || at->outcome.end != TAKT_STEP_DONE) return st;
        size = find_step(all, loop);
    }
    return TAKT_OK;
}

static takt_status solve_algebraic(takt_couple *all, int i_block, takt_attempt *at, takt_error *err)
{
    const takt_coupled *loop = &all->loops[i_block];
    bool is_solved = true;
    double size = 0;
    takt_status st = loop->solver->solve(loop->algebraic, at, &is_solved, &size, err);
    if (st || is_solved || at->outcome.end != TAKT_STEP_DONE) return st;
    return give_up(all, i_block, at, size);
}

// The first step is judged by a second sweep, with the values that the first one delivered. Where steps are fixed, it
// makes up for predictions through few points.
static takt_status sweep_again(takt_couple *all, int i_block, takt_attempt *at, takt_error *err)
{
    takt_coupled *loop = &all->loops[i_block];
    for (int i = 0; i < loop->n_torn; i++) loop->d[i] = loop->g[i] - loop->w[i];
    double change = norm(all, loop, loop->d);
    bool is_few = all->is_fixed && (at->is_early || (at->k < FEW_POINTS && change < JUMP));
    bool is_again = (at->is_first || is_few) && !at->is_plain && change > SAME;
    return is_again ? takt_couple_sweep(all, i_block, at, err) : TAKT_OK;
}

// A switch may have opened feedthrough that no trial has seen: then the loop is solved, if it can be.
static takt_status look_for_opening(takt_couple *all, int i_block, const takt_attempt *at,
                                    bool *is_implicit, takt_error *err)
{
    takt_coupled *loop = &all->loops[i_block];
    const takt_run_block *block = &all->run->work.blocks[i_block];
    takt_error_unit unit = {all->tolerance, all->scale};
    if (*is_implicit || block->n_late_openings == 0) return TAKT_OK;
    for (int i = 0; i < loop->n_torn; i++) loop->d[i] = loop->g[i] - loop->w[i];
    if (norm(all, loop, loop->d) <= SAME) return TAKT_OK;
    takt_status st = takt_openings_measure(all->run, block, at->step.t + at->step.h, &unit,
                                           &loop->reaction, err);
    if (st || !all->can_rewind || loop->reaction <= all->loop_tolerance) return st;
    loop->reaction = 0;
    *is_implicit = loop->state->is_implicit = true;
    loop->state->n_implicit = loop->state->n_costs = loop->state->i_cost = 0;
    takt_inverse_reset(&loop->inverse);
    return TAKT_OK;
}

takt_status takt_couple_advance_somewhere(takt_couple *all, int i_instance, takt_attempt *at,
                                          takt_error *err)
{
    takt_status st = rewind_member(all, i_instance, &at->step, err);
    return st ? st : advance_member(all, i_instance, at, err);
}

takt_status takt_couple_go_on_alone(takt_couple *all, int i_instance, takt_attempt *at,
                                    takt_phases *phases, takt_outcome *outcome, takt_error *err)
{
    takt_run_instance *instance = &all->run->work.instances[i_instance];
    instance->phases = phases;
    instance->max_untimed = 0; // every call by itself
    phases->n_seen = 0;
    takt_status st = takt_moving_advance(all->run, &all->movement, i_instance, &at->step,
                                         &at->course, &all->schemes[i_instance], outcome, err);
    instance->phases = NULL;
    if (!st && phases->is_under_way)
        outcome->end = TAKT_STEP_DONE;
    else if (!st && outcome->end == TAKT_STEP_DONE)
        takt_couple_keep_first(all, i_instance);
    return st;
}

takt_status takt_couple_begin_alone(takt_couple *all, int i_instance, takt_attempt *at,
                                    takt_phases *phases, takt_outcome *outcome, takt_error *err)
{
    *phases = (takt_phases){0};
    at->course.holds_late = !all->can_rewind && all->is_fixed;
    if (takt_run_is_behind(all->run, i_instance)) {
        takt_couple_keep_first(all, i_instance);
        return TAKT_OK;
    }
    takt_status st = rewind_member(all, i_instance, &at->step, err);
    if (st) return st;
    all->is_stepped[i_instance] = true;
    return takt_couple_go_on_alone(all, i_instance, at, phases, outcome, err);
}

// With fixed steps a loop that cannot be solved must not be worse off than with one pass of Gauss-Seidel, which is stable where
// extrapolations are not, and in which the errors of members that hold their inputs partly cancel.
static bool wants_plain(const takt_couple *all, int i_block)
{
    const takt_block *block = &all->run->plan->blocks[i_block];
    const takt_coupled *loop = &all->loops[i_block];
    if (!all->is_fixed || all->has_way_back || loop->n_torn == 0) return false;
    bool is_plain = loop->state->lock > 0;
    for (int k = 0; k < block->n_members; k++)
        is_plain |= all->movement.of[block->members[k]].n_held > 0;
    return is_plain;
}

// One such pass, with the values at the beginning of the step for those that are not known yet.
static takt_status make_plain_pass(takt_couple *all, int i_block, takt_attempt *at, takt_error *err)
{
    takt_run *run = all->run;
    takt_coupled *loop = &all->loops[i_block];
    const takt_block *block = &run->plan->blocks[i_block];
    const double *before = at->course.begin;
    for (int i = 0; i < loop->n_torn; i++) run->state.y.real[loop->torn[i]] = before[loop->torn[i]];
    for (int k = 0; k < block->n_members; k++) all->is_stepped[block->members[k]] = true;
    takt_status st = takt_pass_alone(run, &run->work.blocks[i_block], &at->step, &at->outcome, err);
    loop->n_sweeps++;
    return st;
}

// Far from its prediction: a loop that cannot be solved makes plain passes for some time.
static void note_wild(const takt_couple *all, const takt_attempt *at, takt_coupled *loop)
{
    takt_coupled_state *state = loop->state;
    if (!all->is_fixed || all->has_way_back || at->is_early) return;
    state->lock--;
    for (int i = 0; i < loop->n_torn; i++) loop->d[i] = loop->g[i] - loop->w[i];
    if (!(norm(all, loop, loop->d) > WILD)) return;
    state->lock = WILD_STEPS * state->n_locks;
    if (state->n_locks < MAX_LOCKS) state->n_locks *= 2;
}

TAKT_APART static takt_status advance_loop(takt_couple *all, int i_block, takt_attempt *at,
                                           takt_error *err)
{
    takt_coupled *loop = &all->loops[i_block];
    const takt_block *block = &all->run->plan->blocks[i_block];
    bool is_algebraic = loop->algebraic && all->can_rewind;
    bool is_implicit = loop->n_torn && loop->state->is_implicit && all->can_rewind;
    loop->n_sweeps = 0;
    loop->rho = NAN;
    loop->reaction = 0;
    at->course.holds_late = !is_algebraic && !is_implicit && !all->can_rewind && all->is_fixed;
    receive(all, loop, loop->w);
    takt_status st = is_algebraic ? loop->solver->begin(loop->algebraic, at, err) : TAKT_OK;
    if (!st)
        st = (wants_plain(all, i_block) ? make_plain_pass : takt_couple_sweep)(all, i_block, at,
                                                                               err);
    if (is_algebraic) loop->solver->note_sweep(loop->algebraic);
    if (st || at->outcome.end != TAKT_STEP_DONE) return st;
    for (int k = 0; k < block->n_members; k++) takt_couple_keep_first(all, block->members[k]);
    if (is_algebraic) return solve_algebraic(all, i_block, at, err);
    if (loop->n_torn == 0) return TAKT_OK;
    receive(all, loop, loop->g);
    for (int i = 0; i < loop->n_torn; i++) loop->scale[i] = all->scale[loop->torn[i]];
    note_wild(all, at, loop);
    st = look_for_opening(all, i_block, at, &is_implicit, err);
    if (st || !all->can_rewind) return st;
    return is_implicit ? solve(all, i_block, at, err) : sweep_again(all, i_block, at, err);
}

takt_status takt_couple_advance(takt_couple *all, int i_block, takt_attempt *at, takt_error *err)
{
    const takt_block *block = &all->run->plan->blocks[i_block];
    if (block->is_loop || block->n_members > 1) return advance_loop(all, i_block, at, err);
    return takt_couple_advance_alone(all, block->members[0], at, err);
}

// ---- strength ------------------------------------------------------------------------------------------

static double cost_of(const takt_coupled_state *state)
{
    double sizes = 0, sweeps = 0;
    for (int i = 0; i < state->n_costs; i++) {
        sizes += state->sizes[i];
        sweeps += state->sweeps[i];
    }
    return sweeps / sizes;
}

static void note_cost(takt_coupled_state *state, double h, int64_t n_sweeps)
{
    state->sizes[state->i_cost] = h;
    state->sweeps[state->i_cost] = (double)n_sweeps;
    state->i_cost = (state->i_cost + 1) % TAKT_COST_STEPS;
    if (state->n_costs < TAKT_COST_STEPS) state->n_costs++;
}

static takt_status keep_members(takt_couple *all, const takt_block *block, bool restore, double t,
                                takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int k = 0; k < block->n_members && !st; k++)
        if (!takt_run_is_behind(all->run, block->members[k]))
            st = (restore ? takt_run_restore : takt_run_save)(all->run, block->members[k],
                                                              TAKT_SLOT_BETWEEN, t, err);
    return st;
}

static void become_implicit(takt_coupled *loop)
{
    takt_coupled_state *state = loop->state;
    state->is_implicit = true;
    state->n_implicit = 0;
    state->cost = cost_of(state);
    state->n_costs = state->i_cost = 0;
    takt_inverse_reset(&loop->inverse);
    takt_inverse_learn(&loop->inverse, loop->d, loop->dg, loop->scale, loop->room);
}

// How far the values at the end are from those that the first sweep began with.
static double find_change(const takt_couple *all, takt_coupled *loop, const double *predicted)
{
    receive(all, loop, loop->g);
    for (int i = 0; i < loop->n_torn; i++) {
        loop->d[i] = loop->g[i] - predicted[loop->torn[i]];
        loop->scale[i] = all->scale[loop->torn[i]];
    }
    return norm(all, loop, loop->d);
}

// A sweep that has just been made from values g led further by dg, as a strong loop does. In noise it does so wherever it begins:
// with a tenth more or less of the change that led to g, there would be a tenth more or less otherwise, and no more without.
static takt_status ask_for_noise(takt_couple *all, int i_block, takt_attempt *at, bool *is_noise,
                                 takt_error *err)
{
    takt_coupled *loop = &all->loops[i_block];
    double *other = loop->room, *difference = loop->room + loop->n_torn;
    takt_status st = TAKT_OK;
    *is_noise = is_within_noise(all, loop, loop->dg);
    for (int k = 0; k < 3 && !st && at->outcome.end == TAKT_STEP_DONE && !*is_noise; k++) {
        for (int i = 0; i < loop->n_torn; i++) other[i] = loop->g[i] + (k - 1) * NEAR * loop->d[i];
        offer(all, loop, other);
        st = takt_couple_sweep(all, i_block, at, err);
        receive(all, loop, other);
        for (int i = 0; i < loop->n_torn; i++)
            difference[i] = other[i] - (loop->g[i] + loop->dg[i]);
        *is_noise = norm(all, loop, difference) > NOISE_PART * norm(all, loop, loop->dg);
        for (int i = 0; i < loop->n_torn && *is_noise; i++)
            takt_noise_learn(&all->noise, loop->torn[i],
                             fmax(fabs(difference[i]), fabs(loop->dg[i])));
    }
    return st;
}

// A second sweep, from the values that the first one led to: how much do they change once more?
static takt_status measure(takt_couple *all, int i_block, takt_attempt *at, const double *predicted,
                           takt_error *err)
{
    takt_coupled *loop = &all->loops[i_block];
    const takt_block *block = all->run->work.blocks[i_block].plan;
    double t_end = at->step.t + at->step.h;
    double change = find_change(all, loop, predicted);
    bool may_be_jump = all->is_fixed && loop->state->n_off < MANY_OFF;
    if (change <= 1e-3 || (may_be_jump && change > JUMP)) return TAKT_OK;
    takt_outcome outcome = at->outcome;
    takt_status st = keep_members(all, block, false, t_end, err);
    if (!st) st = takt_couple_sweep(all, i_block, at, err);
    if (st) return st;
    bool is_done = at->outcome.end == TAKT_STEP_DONE, is_noise = false;
    receive(all, loop, loop->dg);
    for (int i = 0; i < loop->n_torn; i++) loop->dg[i] -= loop->g[i];
    double rho = norm(all, loop, loop->dg) / change;
    if (is_done && rho > strong_for(at)) st = ask_for_noise(all, i_block, at, &is_noise, err);
    if (st) return st;
    st = keep_members(all, block, true, t_end, err);
    for (int k = 0; k < block->n_members && !st; k++)
        if (!takt_run_is_behind(all->run, block->members[k]))
            st = takt_run_get_outputs(all->run, block->members[k], t_end, err);
    at->outcome = outcome;
    if (st || !is_done) return st;
    loop->state->rho = is_noise ? UNKNOWN * strong_for(at) : rho;
    loop->state->h_rho = at->step.h;
    if (loop->state->rho > strong_for(at)) become_implicit(loop);
    return TAKT_OK;
}

// Does it pay to solve? If not, it stays as it is for some time; if the loop is weak, until steps are longer.
static void look_back(takt_coupled *loop, double h, bool is_fixed)
{
    takt_coupled_state *state = loop->state;
    state->n_implicit++;
    if (loop->algebraic || state->n_implicit % LOOK_INTERVAL != 0) return;
    bool is_dear =
        !is_fixed && state->n_implicit == LOOK_INTERVAL && cost_of(state) > 2 * state->cost;
    bool is_weak = loop->rho < WEAK;
    if (!is_dear && !is_weak) return;
    state->is_implicit = state->was_missed = false;
    state->lock = is_weak ? 4 : 50 * state->n_locks;
    if (!is_weak && state->n_locks < MAX_LOCKS) state->n_locks *= 2;
    state->n_costs = state->i_cost = 0;
    state->rho = is_weak ? fmax(loop->rho, 0.1 * WEAK) : state->rho;
    state->h_rho = h;
}

// With fixed steps a loop may have become so strong that no step can be predicted any more: FMUs that compute outputs only when
// they step do not show feedthrough that opens in any other way. The steps up to now were made without knowing.
static takt_status measure_strange(takt_couple *all, int i_block, takt_attempt *at,
                                   const double *predicted, takt_error *err)
{
    takt_coupled_state *state = all->loops[i_block].state;
    double change = find_change(all, &all->loops[i_block], predicted);
    takt_status st = measure(all, i_block, at, predicted, err);
    state->was_missed = state->is_implicit && state->rho >= TOO_STRONG;
    state->n_dull = state->was_missed ? 0 : state->n_dull + (state->n_dull < MAX_DULL);
    state->lock = PROBE_INTERVAL << state->n_dull;
    if (st || !state->was_missed) return st;
    return takt_doubt_note(all->run, TAKT_DOUBT_UNCONVERGED,
                           takt_loop_name(all->run->work.blocks[i_block].loop), change, err);
}

takt_status takt_couple_probe(takt_couple *all, int i_block, takt_attempt *at,
                              const double *predicted, int n_rejected, int64_t n_accepted,
                              bool is_calm, takt_error *err)
{
    takt_coupled *loop = &all->loops[i_block];
    takt_coupled_state *state = loop->state;
    double h = at->step.h;
    note_cost(state, h, loop->n_sweeps);
    state->lock--;
    if (state->is_implicit) {
        look_back(loop, h, all->is_fixed);
        return TAKT_OK;
    }
    bool is_off = all->is_fixed && find_change(all, loop, predicted) > OFF;
    state->n_off = is_off ? state->n_off + 1 : 0;
    if ((state->lock <= 0 || state->n_dull == 0) && state->n_off >= MANY_OFF)
        return measure_strange(all, i_block, at, predicted, err);
    if (!is_calm) return TAKT_OK;
    double expected = state->rho * (h / state->h_rho) * (h / state->h_rho);
    bool is_due = n_accepted % PROBE_INTERVAL == 0 || n_rejected >= 3 || expected > strong_for(at);
    if (state->lock > 0 || !is_due) return TAKT_OK;
    state->lock = 4;
    return measure(all, i_block, at, predicted, err);
}
