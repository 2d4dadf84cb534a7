// SPDX-License-Identifier: MIT
// Spot checks; see auto.h. The difference between prediction and result does not show that an instance is wrong in a
// smooth way: that it integrates with one step of a simple method, say, or with a loose tolerance of its own.
// Repeated in two halves, with inputs along the same courses, a step of an exact instance leads to the same values.
//
//   d1 between n and 2n pieces of the step, d2 between 2n and 4n:   2^p = d1 / d2,   error = d1 2^p / (2^p - 1)
//
// Errors of all steps may add up, or be forgotten: their sum over the interval must be within a few tolerances. If shorter
// steps help, the instance makes them within each step of the system (takt_scheme::piece), as long as that is not too
// dear. Differences without an order (p = 0) are random, and add up with the square root of their number.
//
// What one check finds is extrapolated to all steps, with the square of their number if it has to be. So one finding is
// no doubt: behind an event, a difference of 1e-7 tolerances seems to grow like that. The checks of most of the latest steps
// must agree.
#include <math.h>
#include <string.h>

#include "base/compiler.h"
#include "run/auto.h"
#include "run/calls.h"
#include "run/doubts.h"
#include "run/noisy.h"
#include "run/scale.h"
#include "run/way_back.h"

// What an instance's own errors may add up to, in tolerances.
static const double SHARE = 1.5;
// Below this part of what is allowed the next check is later; a check aims at this part.
static const double HARMLESS = 0.1, AIM = 0.8;
// More steps in the whole interval are too dear.
static const double MOST_STEPS = 1e5;
// Differences with a smaller quotient have no order; what is read from quotients.
static const double LEAST_RATIO = 1.4, MOST_RATIO = 64;
// A step with a larger error, in tolerances, is not accepted, if pieces help.
static const double TOO_MUCH = 0.3;
// What the size of a step that was checked counts for at the next check.
static const double FADING = 0.7;
// Likewise what was found of an instance's memory.
static const double REMEMBERED = 0.9;
// Things go on as they do for this multiple of the time that has passed.
static const double AHEAD = 10;
// From one check to the next pieces become shorter or longer by these factors at most.
static const double SHORTER = 1.0 / 16, LONGER = 2;
// A difference that grows by more from the middle of a step to its end does not grow by a power of time.
static const double MOST_GROWTH = 6;
// Relative; smaller differences are rounding.
static const double ROUNDING = 1e-13;
// What happens in the middle of a step must be this near to the polynomial, in tolerances.
static const double MIDDLE = 30;
// Smaller ones, in tolerances, may be noise: they have to be found several times.
static const double CLEAR = 0.01;
// A repetition that should be equal must be nearer than this part of a difference that is none of noise.
static const double LEAST_NOISE = 0.1;
enum { SEVERAL = 3, MANY = 5, CALM = 3, FEW = 4, MOST_INTERVAL = 64, LEAST_INTERVAL = 8 };
// Steps that findings are remembered for.
static const double RECALLED = 10 * MOST_INTERVAL;

/// What each point of the history, and the end of the step, contribute to the middle of polynomials through them.
typedef struct middle_weights {
    int n; ///< points of the history; 0: not known yet
    double of[TAKT_MAX_POINTS];
} middle_weights;

/// A step of one instance that is repeated.
typedef struct repetition {
    takt_auto *own;
    middle_weights *weights; ///< the same for all instances
    const takt_attempt *at;
    int i_instance;
    const int *values; ///< indices in y of the values of the instance that are tested
    int n_values;
    int n_pieces; ///< of the step, as it was made
    bool is_done; ///< all its steps have reached their ends
} repetition;

// ---- whose turn it is --------------------------------------------------------------------------------

static bool is_noisy(const takt_auto *own, int i)
{
    for (int k = own->couple.first_tested[i]; k < own->couple.first_tested[i + 1]; k++)
        if (own->couple.noise.of[own->couple.tested[k]] > 0) return true;
    return false;
}

// Instances that hold inputs which move are compared with finer schemes anyway (held.c), unless they do not show what inputs do to
// them.
static bool is_checked_elsewhere(const takt_auto *own, const takt_attempt *at, int i)
{
    const takt_held_state *held = &own->held.states[i];
    const takt_moving *moving = &own->couple.movement.of[i];
    if (own->couple.schemes[i].kind == TAKT_SCHEME_POINTS) return true; // nothing would be seen
    bool is_single = own->couple.schemes[i].kind == TAKT_SCHEME_END;
    bool is_unseen = held->is_unseen && (is_single || !is_noisy(own, i));
    return takt_held_has_choice(&own->couple, i) && !held->is_given_up && !is_unseen &&
           !takt_moving_is_at_rest(own->run, moving, &at->course);
}

// Do all values of the instance keep what they have had? Then nothing can be wrong with how it moves.
static bool is_resting(const takt_auto *own, const takt_attempt *at, int i)
{
    for (int k = own->couple.first_tested[i]; k < own->couple.first_tested[i + 1]; k++) {
        int v = own->couple.tested[k];
        double now = own->run->state.y.real[v];
        for (int j = 0; j < at->k; j++)
            if (at->course.rows[j][v] != now) return false;
    }
    return true;
}

// Has it been long since the last check, or were steps much shorter then?
static inline bool has_waited(const takt_spot_state *spot, int64_t n_accepted, double h)
{
    int64_t n_since = n_accepted - spot->last;
    return n_since >= spot->interval || h > (n_since >= FEW ? 2 : 4) * spot->h;
}

// An instance that has waited: can it be checked, and is there anything to check?
static bool is_due(const takt_auto *own, const takt_attempt *at, int i)
{
    return own->is_checkable[i] && !is_resting(own, at, i) && !takt_run_is_behind(own->run, i) &&
           !is_checked_elsewhere(own, at, i);
}

// ---- repetitions -------------------------------------------------------------------------------------

// From one part of the step to another, in pieces.
static takt_status go(repetition *all, double from, double to, int n, takt_error *err)
{
    takt_auto *own = all->own;
    const takt_step *step = &all->at->step;
    takt_course course = all->at->course;
    takt_scheme scheme = {TAKT_SCHEME_END, INFINITY, 1, 1, (to - from) * step->h / n, 0};
    takt_outcome outcome = {.end = TAKT_STEP_DONE};
    course.from = from;
    course.to = to;
    takt_status st = takt_moving_advance(own->run, &own->couple.movement, all->i_instance, step,
                                         &course, &scheme, &outcome, err);
    if (!st)
        st = takt_couple_read_unread(&own->couple, all->i_instance, step->t + to * step->h, err);
    all->is_done &= !st && outcome.end == TAKT_STEP_DONE;
    return takt_way_back_is_open(own->run, st) ? TAKT_OK : st;
}

static takt_status go_back(const repetition *all, takt_error *err)
{
    const takt_step *step = &all->at->step;
    return takt_run_restore(all->own->run, all->i_instance, step->slot, step->t, err);
}

static void copy_values(const repetition *all, double *out)
{
    for (int k = 0; k < all->n_values; k++) out[k] = all->own->run->state.y.real[all->values[k]];
}

static double length_of(const repetition *all)
{
    const takt_grid *grid = &all->own->run->state.grid;
    return grid->stop - grid->start;
}

// How long things go on as they do now: at the beginning, for some times as long as they have.
static double horizon_of(const repetition *all)
{
    double so_far = all->at->step.t + all->at->step.h - all->own->run->state.grid.start;
    return fmin(length_of(all), AHEAD * so_far);
}

// How many steps like this one there will be. Steps that are shorter than most, as just behind an event, are few.
static double count_steps(const repetition *all)
{
    double so_far = all->at->step.t - all->own->run->state.grid.start;
    double mean = so_far / fmax(1, (double)all->own->state->n_accepted);
    return horizon_of(all) / fmax(all->at->step.h, mean);
}

// What counts as the magnitude of value k: errors are compared with what will be, not with the small values of the beginning.
static double scale_of(const repetition *all, int k)
{
    const takt_auto *own = all->own;
    int v = all->values[k], oldest = all->at->k - 1;
    double now = own->held.kept[k], before = takt_history_values(own->history, oldest)[v];
    double scale = fmax(own->scale[v], fabs(now));
    double seen = own->run->scale->seen[v];
    bool is_largest = fabs(now) >= 0.9 * seen || seen <= TAKT_SCALE_LEAST;
    if (!is_largest || fabs(now) < 1.1 * fabs(before)) return scale;
    double time = all->at->step.t + all->at->step.h - takt_history_time(own->history, oldest);
    return fmax(scale, 0.3 * fabs(now - before) / time * horizon_of(all));
}

// Largest difference, in tolerances.
static double distance(const repetition *all, const double *a, const double *b)
{
    double largest = 0;
    for (int k = 0; k < all->n_values; k++) {
        double scale = scale_of(all, k), d = fabs(a[k] - b[k]);
        if (d > ROUNDING * scale) largest = fmax(largest, d / (all->own->couple.tolerance * scale));
    }
    return largest;
}

// ---- the middle --------------------------------------------------------------------------------------

static void weigh_middle(const repetition *all)
{
    const takt_history *history = all->own->history;
    const takt_attempt *at = all->at;
    double x[TAKT_MAX_POINTS];
    int n = at->k < history->n ? at->k : history->n;
    for (int j = 0; j < n; j++) x[j] = takt_history_time(history, j);
    x[n] = at->step.t + at->step.h;
    takt_interpolation_weights(n + 1, x, at->step.t + 0.5 * at->step.h, all->weights->of);
    all->weights->n = n;
}

// The polynomial through the last points and the end of the step, in the middle of the step.
static double middle_of(const repetition *all, int k, double end)
{
    const takt_history *history = all->own->history;
    if (all->weights->n == 0) weigh_middle(all);
    const double *weights = all->weights->of;
    int n = all->weights->n;
    double y0 = takt_history_values(history, 0)[all->values[k]], sum = 0;
    for (int j = 1; j < n; j++)
        sum += weights[j] * (takt_history_values(history, j)[all->values[k]] - y0);
    return y0 + sum + weights[n] * (end - y0);
}

// Something has happened in the middle of the step that its end does not show: a pulse, say.
static void judge_middle(const repetition *all, const double *kept, takt_judgement *judged)
{
    const takt_auto *own = all->own;
    for (int k = 0; k < all->n_values; k++) {
        double now = own->run->state.y.real[all->values[k]];
        double scale = fmax(own->scale[all->values[k]], fabs(kept[k]));
        double e = fabs(now - middle_of(all, k, kept[k])) / (own->couple.tolerance * scale);
        if (!(e > MIDDLE) || e <= judged->error) continue;
        judged->error = e;
        judged->i_worst = all->values[k];
    }
    if (takt_jump_has_changed(own->run, all->i_instance)) judged->i_changed = all->i_instance;
    bool is_new = judged->error > MIDDLE || judged->i_changed >= 0;
    if (is_new) judged->h_again = 0.5 * all->at->step.h;
}

// ---- judgement ---------------------------------------------------------------------------------------

static const char *name_of(const repetition *all)
{
    return all->own->run->work.instances[all->i_instance].instance->name;
}

// How many steps' errors add up: those of all, unless the instance forgets. A difference that is g times as large at the
// end of the step as in its middle fades with (g - 1)^2 per step. If g > 2, errors of values that are not seen, speeds say,
// add up to it: it grows faster than the number of steps. Far beyond 4 it has only begun in the second half.
static double count_remembered(const repetition *all, double g)
{
    double fading = (g - 1) * (g - 1), all_steps = count_steps(all);
    if (g <= 1) return 1;
    if (g > MOST_GROWTH) return all_steps;
    return g >= 2 ? pow(all_steps, fmin(2, log2(g))) : fmin(all_steps, 1 / (1 - fading));
}

static void tell(const repetition *all)
{
    takt_spot_state *spot = &all->own->spots[all->i_instance];
    if (spot->is_told) return;
    spot->is_told = true;
    takt_log_write(all->own->run->log, TAKT_LEVEL_INFO,
                   "instance '%s' at t=%.15g s: its results depend on the size of its steps; it "
                   "makes shorter ones within those of the system",
                   name_of(all), all->at->step.t);
}

// Notes whether the errors of all steps, extrapolated from a check, would be too large. Is that the rule? A check speaks for the
// steps since the one before (not for those at rest, which are not checked): where something happens steps are short, and
// checked often, but it is over soon.
static bool is_rule(const repetition *all, bool is_too_large)
{
    takt_spot_state *spot = &all->own->spots[all->i_instance];
    double n_steps = fmin(MOST_INTERVAL, fmax(1, (double)(spot->last - spot->last_finding)));
    spot->last_finding = spot->last;
    spot->n_recalled = fmax(n_steps, fmin(RECALLED, spot->n_recalled + n_steps));
    spot->large += ((is_too_large ? 1 : 0) - spot->large) * n_steps / spot->n_recalled;
    spot->n_findings++;
    return is_too_large && spot->large > 0.5;
}

// The sum of errors, in tolerances, that a check with a difference of d1 leads to. Small differences have to be found several
// times.
static takt_status note_sum(const repetition *all, double sum, double d1, takt_error *err)
{
    takt_spot_state *spot = &all->own->spots[all->i_instance];
    bool is_the_rule = is_rule(all, sum > SHARE);
    bool is_clear = d1 >= CLEAR || spot->n_findings >= SEVERAL;
    if (!is_the_rule || !is_clear) return TAKT_OK;
    return takt_doubt_note(all->own->run, TAKT_DOUBT_STEP_DEPENDENT, name_of(all), sum, err);
}

// The error of a step, n_added of which add up, can be changed by shorter or longer pieces, of order p. A step whose error
// matters by itself is rejected: it will be made with shorter pieces.
static takt_status control(const repetition *all, double d1, double error, double n_added, double p,
                           takt_judgement *judged, takt_error *err)
{
    takt_scheme *scheme = &all->own->couple.schemes[all->i_instance];
    takt_spot_state *spot = &all->own->spots[all->i_instance];
    double h = all->at->step.h, piece = h / all->n_pieces, least = horizon_of(all) / MOST_STEPS;
    double change = pow(AIM * SHARE / (n_added * error), 1 / p);
    if (n_added * error <= SHARE && scheme->piece == 0) return note_sum(all, 0, d1, err);
    scheme->piece = fmax(piece * fmax(SHORTER, fmin(LONGER, change)), least);
    if (scheme->piece < h) tell(all);
    if (change < 0.5) spot->interval = FEW;
    if (error > TOO_MUCH && scheme->piece < 0.5 * piece) {
        judged->error = fmax(judged->error, 1 + error);
        judged->h_again = h;
        return TAKT_OK;
    }
    double rest = n_added * error * pow(fmin(h, scheme->piece) / piece, p);
    bool gets_shorter = change < SHORTER && scheme->piece > least; // what is left is not known yet
    return note_sum(all, gets_shorter ? 0 : rest, d1, err);
}

// By what the difference to pieces that are half as long shrinks, if they are halved again: that of the value which
// differs most. Negative: it does not.
static double ratio_of(const repetition *all, const double *halves, const double *quarters)
{
    const double *kept = all->own->held.kept;
    double largest = -1, ratio = 0;
    for (int k = 0; k < all->n_values; k++) {
        double scale = scale_of(all, k), d1 = kept[k] - halves[k];
        double d2 = halves[k] - quarters[k];
        if (fabs(d1) <= largest * scale) continue;
        largest = fabs(d1) / scale;
        ratio = fabs(d2) * MOST_RATIO <= fabs(d1) ? MOST_RATIO : d1 / d2;
    }
    return ratio;
}

static void learn_noise(const repetition *all, const double *a, const double *b)
{
    for (int k = 0; k < all->n_values; k++)
        takt_noise_learn(&all->own->couple.noise, all->values[k], fabs(a[k] - b[k]));
}

static bool is_within_noise(const repetition *all, const double *a, const double *b)
{
    for (int k = 0; k < all->n_values; k++)
        if (fabs(a[k] - b[k]) > takt_noise_of(&all->own->couple.noise, all->values[k]))
            return false;
    return true;
}

// A difference without an order. Shorter pieces, if they have been chosen because of it, are of no use.
static takt_status suspect_noise(const repetition *all, double d1, takt_error *err)
{
    takt_spot_state *spot = &all->own->spots[all->i_instance];
    double sum = d1 * sqrt(count_steps(all)),
           *piece = &all->own->couple.schemes[all->i_instance].piece;
    spot->n_regular = 0;
    *piece = LONGER * *piece < all->at->step.h ? LONGER * *piece : 0;
    takt_status st = TAKT_OK;
    if (++spot->n_random >= SEVERAL) st = takt_noisy_judge(&all->own->couple, all->i_instance, err);
    if (st) return st;
    if (sum <= SHARE || spot->n_random < 2) return note_sum(all, 0, d1, err);
    return note_sum(all, sum, d1, err);
}

// A large difference that seems to have an order, for the first time: is it still there if the step is repeated as it was?
static takt_status ask_again(const repetition *all, const double *halves, bool *is_noise,
                             takt_error *err)
{
    repetition same = *all;
    double *again = all->own->held.rooms[4];
    const double *kept = all->own->held.kept;
    takt_status st = go_back(all, err);
    if (!st) st = go(&same, 0, 1, all->n_pieces, err);
    if (st || !same.is_done) return st;
    copy_values(all, again);
    *is_noise = distance(all, kept, again) > LEAST_NOISE * distance(all, kept, halves);
    if (*is_noise) learn_noise(all, kept, again);
    return TAKT_OK;
}

// Is a difference that seems to have an order noise nevertheless?
static takt_status is_chance(const repetition *all, double d1, const double *halves, bool *out,
                             takt_error *err)
{
    takt_spot_state *spot = &all->own->spots[all->i_instance];
    *out = false;
    spot->n_regular++;
    if (is_within_noise(all, all->own->held.kept, halves)) {
        *out = spot->n_regular < MANY;
        return TAKT_OK;
    }
    return d1 >= CLEAR && spot->n_regular < SEVERAL ? ask_again(all, halves, out, err) : TAKT_OK;
}

// Pieces that are half as long once more: the difference gives the order, and what it was in the middle says
// how long it is remembered.
static takt_status judge(repetition *all, double d1, takt_judgement *judged, takt_error *err)
{
    double **rooms = all->own->held.rooms, *middle = rooms[0], *halves = rooms[1];
    double *fine_middle = rooms[2], *quarters = rooms[3];
    takt_spot_state *spot = &all->own->spots[all->i_instance];
    takt_status st = go_back(all, err);
    if (!st) st = go(all, 0, 0.5, 2 * all->n_pieces, err);
    copy_values(all, fine_middle);
    if (!st && all->is_done) st = go(all, 0.5, 1, 2 * all->n_pieces, err);
    if (st || !all->is_done) return st;
    copy_values(all, quarters);
    double ratio = ratio_of(all, halves, quarters);
    if (ratio < LEAST_RATIO && spot->n_random > 0) { // once it may have been a bend
        learn_noise(all, all->own->held.kept, halves);
        learn_noise(all, halves, quarters);
    }
    if (ratio < LEAST_RATIO) return suspect_noise(all, d1, err);
    bool is_noise;
    st = is_chance(all, d1, halves, &is_noise, err);
    if (st || is_noise) return st ? st : note_sum(all, 0, d1, err);
    double d2 = distance(all, halves, quarters), d2_middle = distance(all, middle, fine_middle);
    double n_steps = count_steps(all);
    double n_added = d2_middle > 0 ? count_remembered(all, d2 / d2_middle) : n_steps;
    // What one value shows of an oscillation at one time may be little.
    spot->memory = fmax(fmin(n_added, n_steps) * all->at->step.h, REMEMBERED * spot->memory);
    n_added = fmax(n_added, fmin(n_steps, spot->memory / all->at->step.h));
    spot->n_random = 0;
    if (spot->n_regular < SEVERAL && d1 < CLEAR) {
        spot->interval = FEW;
        return TAKT_OK;
    }
    return control(all, d1, d1 * ratio / (ratio - 1), n_added, fmax(1, log2(ratio)), judged, err);
}

static takt_status repeat(repetition *all, const double *kept, takt_judgement *judged,
                          takt_error *err)
{
    takt_spot_state *spot = &all->own->spots[all->i_instance];
    double *middle = all->own->held.rooms[0], *halves = all->own->held.rooms[1];
    takt_status st = go_back(all, err);
    if (!st) st = go(all, 0, 0.5, all->n_pieces, err);
    if (st || !all->is_done) return st;
    copy_values(all, middle);
    judge_middle(all, kept, judged);
    if (judged->h_again > 0) return TAKT_OK; // the step will be rejected
    st = go(all, 0.5, 1, all->n_pieces, err);
    if (st || !all->is_done) return st;
    copy_values(all, halves);
    double d1 = distance(all, kept, halves);
    bool is_harmless = 2 * d1 * horizon_of(all) <= HARMLESS * SHARE * all->at->step.h;
    bool is_shortened = all->own->couple.schemes[all->i_instance].piece > 0;
    int most = is_shortened ? MOST_INTERVAL / 2 : MOST_INTERVAL;
    spot->interval = 2 * spot->interval < most ? 2 * spot->interval : most;
    return is_harmless && !is_shortened ? note_sum(all, 0, d1, err) : judge(all, d1, judged, err);
}

// The values that the instance was led to in the last sweep of its block, where they were not known yet: those that were
// delivered later differ from them.
static void offer_torn(const takt_auto *own, int i_instance)
{
    const takt_coupled *loop = &own->couple.loops[own->blocks[i_instance]];
    const takt_moving *moving = &own->couple.movement.of[i_instance];
    for (int k = 0; k < moving->n_followed + moving->n_held; k++)
        for (int j = 0; j < loop->n_torn && moving->inputs[k].is_late; j++)
            if (loop->torn[j] == moving->inputs[k].source)
                own->run->state.y.real[loop->torn[j]] = loop->w[j];
}

// The values of y that a repetition changes: those of the instance, and late ones that it reads.
static void copy_touched(const takt_auto *own, int i_instance, const double *from, double *to)
{
    const takt_plan_instance *plan = &own->run->plan->instances[i_instance];
    const takt_moving *moving = &own->couple.movement.of[i_instance];
    int first = plan->first_output[TAKT_KIND_REAL], tested = plan->first_tested[TAKT_KIND_REAL];
    for (int k = 0; k < plan->outputs.n_values[TAKT_KIND_REAL]; k++)
        to[first + k] = from[first + k];
    for (int k = 0; k < plan->tested.n_values[TAKT_KIND_REAL]; k++)
        to[tested + k] = from[tested + k];
    for (int k = 0; k < moving->n_followed + moving->n_held; k++)
        to[moving->inputs[k].source] = from[moving->inputs[k].source];
}

static takt_status check(takt_auto *own, const takt_attempt *at, int i_instance,
                         middle_weights *weights, takt_judgement *judged, takt_error *err)
{
    takt_run *run = own->run;
    int first = own->couple.first_tested[i_instance];
    double t_end = at->step.t + at->step.h, *kept = own->held.kept;
    repetition all = {.own = own,
                      .weights = weights,
                      .at = at,
                      .i_instance = i_instance,
                      .values = own->couple.tested + first,
                      .n_values = own->couple.first_tested[i_instance + 1] - first,
                      .n_pieces = takt_scheme_pieces(&own->couple.schemes[i_instance], at->step.h),
                      .is_done = true};
    takt_instance_state announced = run->state.instances[i_instance];
    own->spots[i_instance].last = own->state->n_accepted;
    own->spots[i_instance].h = fmax(at->step.h, FADING * own->spots[i_instance].h);
    copy_values(&all, kept);
    copy_touched(own, i_instance, run->state.y.real, own->kept);
    offer_torn(own, i_instance);
    takt_status st = takt_run_save(run, i_instance, TAKT_SLOT_BETWEEN, t_end, err);
    if (!st) st = repeat(&all, kept, judged, err);
    if (!st) st = takt_run_restore(run, i_instance, TAKT_SLOT_BETWEEN, t_end, err);
    if (!st) st = takt_run_get_outputs(run, i_instance, t_end, err);
    run->state.instances[i_instance] = announced;
    copy_touched(own, i_instance, own->kept, run->state.y.real);
    return st;
}

// When may the next check be due?
static void note_next(takt_auto *own)
{
    int64_t due = INT64_MAX;
    double h = INFINITY;
    for (int i = 0; i < own->run->work.n_instances; i++) {
        const takt_spot_state *spot = &own->spots[i];
        if (spot->last + spot->interval < due) due = spot->last + spot->interval;
        if (2 * spot->h < h) h = 2 * spot->h;
    }
    own->state->spot_due = due;
    own->state->spot_h = h;
}

takt_status takt_spot_look(takt_auto *own, const takt_attempt *at, takt_judgement *judged,
                           takt_error *err)
{
    takt_status st = TAKT_OK;
    takt_auto_state *state = own->state;
    middle_weights weights = {0};
    if (state->n_since_start <= CALM) return TAKT_OK;
    if (state->n_accepted < state->spot_due && at->step.h <= state->spot_h) return TAKT_OK;
    for (int i = 0; i < own->run->work.n_instances && !st && !(judged->h_again > 0); i++)
        if (has_waited(&own->spots[i], state->n_accepted, at->step.h) && is_due(own, at, i))
            st = check(own, at, i, &weights, judged, err);
    note_next(own);
    return st;
}
