// SPDX-License-Identifier: MIT
// Different rates: who is slow, and how long windows are. See rate.c.
//
// While all instances make the same steps, windows are tried without any call: at every step values are compared with
// those that polynomials through the ends of the last windows had predicted. An instance whose values were so in
// all steps of several windows is slow. The lengths of windows differ, so that an oscillation of
// others cannot hide by having the same period.
#include <math.h>

#include "base/compiler.h"
#include "base/times.h"
#include "run/auto.h"
#include "run/hidden.h"

enum {
    TRIED_STEPS = 8, // of all instances, in a window that is only tried
    TRIED_SIZED = 4, // likewise, where the user gave sizes
    LEAST_POINTS = 3, // of the slow history, before an instance is called slow
    MOST_POINTS = TAKT_MAX_POINTS - 2,
    LEAST_STEPS = 6, // of others in a window, else it does not pay
    LEAST_SIZED = 2,
    RESTING_STEPS = 12, // of others in a window in which slow values do not change
    EASY = 8, // windows that were kept, before it is easier to be slow again
    MOST_DOUBLED = 16, // so many times the windows in a row that an instance needs at first
    LOST = 64, // steps that may be lost anyhow
    CALM = 4 // steps since the history began
};

// Errors of slow values that are aimed at, and that are borne, in units of the tolerance. They are small because others
// have had these values in many steps, and their own predictions amplify every correction.
static const double ENTRY = 0.3, AIM = 0.3, BORNE = 1.0;
static const double FADING =
    0.7; // of errors in windows whose length the user limits: some are small by chance
static const double FORGETTING = 1.02; // of a length that has failed, per window
static const double SAFETY = 0.8, LEAST = 0.2, MOST = 1.5;
// Another number of points must allow a longer window by this factor.
static const double WORTHWHILE = 1.1;
// Below this nothing moves.
static const double AT_REST = 10 * TAKT_AUTO_SMALL;
// Larger errors are jumps.
static const double JUMP = 30;
// Of others in recent windows: more, and the slow ones disturb them.
static const double TROUBLE = 1.5;
// The part of all steps that may be lost in windows that fail.
static const double LOSS = 0.05;
// Windows are shorter by up to this part, in a sequence that does not repeat.
static const double VARIED = 0.375, GOLDEN = 0.6180339887498949;

// ---- errors ------------------------------------------------------------------------------------------

/// Polynomials through the latest slow points, at one time.
typedef struct slow_polynomials {
    int k; // points
    double weights[TAKT_MAX_POINTS];
    const double *rows[TAKT_MAX_POINTS];
} slow_polynomials;

static slow_polynomials weigh(const takt_history *points, int k, double t)
{
    slow_polynomials out = {.k = k};
    double x[TAKT_MAX_POINTS], latest = takt_history_time(points, 0);
    for (int j = 0; j < k; j++) {
        x[j] = takt_history_time(points, j) - latest;
        out.rows[j] = takt_history_values(points, j);
    }
    takt_interpolation_weights(k, x, t - latest, out.weights);
    return out;
}

// The error of the values of one instance.
static double error_of(const takt_auto *own, int i_instance, const slow_polynomials *by,
                       const double *y)
{
    const takt_couple *couple = &own->couple;
    double largest = 0;
    for (int v = couple->first_tested[i_instance]; v < couple->first_tested[i_instance + 1]; v++) {
        int i = couple->tested[v];
        double latest = by->rows[0][i], sum = latest, size = fabs(y[i]);
        for (int j = 1; j < by->k; j++) sum += by->weights[j] * (by->rows[j][i] - latest);
        double scale = size > own->scale[i] ? size : own->scale[i];
        double e = fabs(y[i] - sum) / (couple->tolerance * scale);
        if (!(e <= largest)) largest = isnan(e) ? INFINITY : e;
    }
    return largest;
}

double takt_rate_error(const takt_auto *own, int i_instance, int k)
{
    const double *y = own->run->state.y.real;
    slow_polynomials by = weigh(own->rate.points, k, own->run->state.grid.time);
    double largest = 0;
    if (i_instance >= 0) return error_of(own, i_instance, &by, y);
    for (int i = 0; i < own->run->work.n_instances; i++)
        if (own->rate.is_slow[i]) largest = fmax(largest, error_of(own, i, &by, y));
    return largest;
}

// ---- choices -----------------------------------------------------------------------------------------

// The number of points that would have allowed the longest window.
static int choose_points(const takt_auto *own)
{
    const takt_history *points = own->rate.points;
    int best = 1;
    double best_figure = 0;
    for (int k = points->n > 1 ? 2 : 1; k <= points->n && k <= MOST_POINTS; k++) {
        double e = fmax(takt_rate_error(own, -1, k), TAKT_AUTO_SMALL);
        double figure = pow(AIM / e, 1.0 / k) / (k == own->rate.state->k ? 1 : WORTHWHILE);
        if (figure <= best_figure) continue;
        best = k;
        best_figure = figure;
    }
    return best;
}

static void end_window(takt_auto *own)
{
    takt_rate *rate = &own->rate;
    takt_rate_state *state = rate->state;
    takt_history_add(rate->points, own->run->state.grid.time, own->run->state.y.real);
    state->t_begin = own->run->state.grid.time;
    state->n_steps = 0;
    state->n_windows++;
    for (int i = 0; i < own->run->work.n_instances; i++) rate->worst[i] = 0;
}

static void turn_off(takt_auto *own)
{
    takt_rate *rate = &own->rate;
    rate->state->is_on = false;
    rate->state->trouble = rate->state->error = 0;
    rate->state->n_easy = 0;
    for (int i = 0; i < own->run->work.n_instances; i++)
        rate->n_wins[i] = 0, rate->is_slow[i] = false;
    if (rate->state->n_needed < TAKT_RATE_WINS * MOST_DOUBLED) rate->state->n_needed *= 2;
}

// Does the instance read, directly, what another slow one of the same block delivers?
static bool reads_slow(const takt_auto *own, int i_instance)
{
    const takt_plan *plan = own->run->plan;
    const takt_plan_instance *instance = &plan->instances[i_instance];
    const int *from = plan->sources[TAKT_KIND_REAL] + instance->first_input[TAKT_KIND_REAL];
    for (int k = 0; k < instance->inputs.n_values[TAKT_KIND_REAL]; k++) {
        int owner = own->owners[from[k]];
        if (owner >= 0 && own->rate.is_slow[owner]) return true;
    }
    return false;
}

// In a loop that is solved, slow members are not: one that reads another is none.
static void spare_strong_loops(takt_auto *own)
{
    const takt_plan *plan = own->run->plan;
    for (int b = 0; b < plan->n_blocks; b++) {
        const takt_coupled *loop = &own->couple.loops[b];
        if (loop->n_torn == 0 || !loop->state->is_implicit) continue;
        for (int m = 0; m < plan->blocks[b].n_members; m++) {
            int i = plan->blocks[b].members[m];
            own->rate.is_slow[i] &= !reads_slow(own, i);
        }
    }
}

// Are there slow instances beside others that need the short steps?
static bool is_worthwhile(const takt_auto *own)
{
    const takt_rate *rate = &own->rate;
    bool has_slow = false, has_fast = false;
    for (int i = 0; i < own->run->work.n_instances; i++) {
        has_slow |= rate->is_slow[i];
        bool is_tested = own->couple.first_tested[i] < own->couple.first_tested[i + 1];
        has_fast |= !rate->is_slow[i] && (rate->is_sized ? is_tested : rate->worst[i] > BORNE);
        if (own->n_at_once[i] >= TAKT_JUMPS_AT_ONCE)
            return false; // its values belong to one step each
    }
    return has_slow && has_fast;
}

// Says who waits, once for each.
static void tell(takt_auto *own)
{
    const takt_run *run = own->run;
    for (int i = 0; i < run->work.n_instances; i++) {
        if (!own->rate.is_slow[i] || own->rate.is_told[i]) continue;
        own->rate.is_told[i] = true;
        takt_log_write(
            run->log, TAKT_LEVEL_INFO,
            "instance '%s' at t=%.15g s: it changes so little that it takes longer steps "
            "than others; --same-steps forbids that",
            run->work.instances[i].instance->name, run->state.grid.time);
    }
}

// A window of steps that all have made is over: who could have waited?
static void look_back(takt_auto *own)
{
    takt_rate *rate = &own->rate;
    takt_rate_state *state = rate->state;
    bool is_known = rate->points->n >= LEAST_POINTS;
    if (state->is_on) return;
    for (int i = 0; i < own->run->work.n_instances; i++) {
        bool is_slow = is_known && rate->may_be_slow[i] && rate->worst[i] <= ENTRY;
        int n_needed = rate->sizes[i] > 0 ? state->n_needed / TAKT_RATE_WINS : state->n_needed;
        rate->n_wins[i] = is_slow ? rate->n_wins[i] + 1 : 0;
        rate->is_slow[i] = rate->n_wins[i] >= n_needed;
    }
    spare_strong_loops(own);
    state->is_on = is_worthwhile(own);
    if (!state->is_on) return;
    tell(own);
    state->h = own->run->state.grid.time - state->t_begin;
}

static void begin_again(takt_auto *own)
{
    takt_rate *rate = &own->rate;
    rate->points->n = 0;
    rate->state->k = 1;
    rate->state->is_on = false;
    end_window(own);
    for (int i = 0; i < own->run->work.n_instances; i++)
        rate->n_wins[i] = 0, rate->is_slow[i] = false;
}

// Is the window over that all have made steps in?
static bool is_over(const takt_auto *own)
{
    const takt_rate_state *state = own->rate.state;
    double t = own->run->state.grid.time;
    int n = own->rate.is_sized ? TRIED_SIZED : TRIED_STEPS;
    return state->is_on ? t - state->t_begin >= 0.5 * state->h : state->n_steps >= n;
}

// The errors of values that are neighbours, with a number of points that the compiler knows: then it has several of them
// computed at once.
TAKT_INLINE void find_errors(const takt_auto *own, const takt_range *range, int k,
                             const slow_polynomials *by, double *restrict out)
{
    const double *restrict y = own->run->state.y.real, *restrict scales = own->scale;
    double tolerance = own->couple.tolerance;
    for (int i = range->first; i < range->end; i++) {
        double latest = by->rows[0][i], sum = latest, size = fabs(y[i]);
        for (int j = 1; j < k; j++) sum += by->weights[j] * (by->rows[j][i] - latest);
        double scale = size > scales[i] ? size : scales[i];
        out[i] = fabs(y[i] - sum) / (tolerance * scale);
    }
}

static void find_all_errors(const takt_auto *own, const slow_polynomials *by, double *out)
{
    for (int r = 0; r < own->all_tested.n; r++) {
        const takt_range *range = &own->all_tested.of[r];
        switch (by->k) {
        case 1: find_errors(own, range, 1, by, out); break;
        case 2: find_errors(own, range, 2, by, out); break;
        case 3: find_errors(own, range, 3, by, out); break;
        case 4: find_errors(own, range, 4, by, out); break;
        default: find_errors(own, range, by->k, by, out);
        }
    }
}

// The largest errors of all instances in the present window.
static void note_errors(takt_auto *own, const slow_polynomials *by)
{
    const takt_couple *couple = &own->couple;
    double *errors = own->kept, *worst = own->rate.worst;
    find_all_errors(own, by, errors);
    for (int i = 0; i < own->run->work.n_instances; i++) {
        double largest = worst[i];
        if (largest > BORNE) continue;
        for (int v = couple->first_tested[i]; v < couple->first_tested[i + 1]; v++) {
            double e = errors[couple->tested[v]];
            if (!(e <= largest)) largest = isnan(e) ? INFINITY : e;
        }
        worst[i] = largest;
    }
}

void takt_rate_watch(takt_auto *own)
{
    takt_rate *rate = &own->rate;
    takt_rate_state *state = rate->state;
    if (own->history->n <= 1 || own->state->n_since_start <= 1 || rate->points->n == 0) {
        begin_again(own);
        return;
    }
    if (own->run->state.grid.time <= state->t_begin) return;
    state->n_steps++;
    int k = rate->points->n < state->k ? rate->points->n : state->k;
    slow_polynomials by = weigh(rate->points, k, own->run->state.grid.time);
    note_errors(own, &by);
    if (!is_over(own)) return;
    look_back(own);
    state->k = rate->points->n < LEAST_POINTS ? rate->points->n + 1
               : state->is_on                 ? choose_points(own)
                                              : LEAST_POINTS;
    end_window(own);
}

// Would others make so few steps in the next window that it does not pay?
static bool is_too_short(const takt_auto *own)
{
    return own->rate.state->h < (own->rate.is_sized ? LEAST_SIZED : LEAST_STEPS) * own->state->h;
}

// Others that are slow, too, at the end and in the middle of windows, wait from the next one on.
static void let_others_join(takt_auto *own)
{
    takt_rate *rate = &own->rate;
    const double *y = rate->records[rate->n_records / 2].real, *end = own->run->state.y.real;
    slow_polynomials by[2];
    int k = rate->points->n < MOST_POINTS ? rate->points->n : MOST_POINTS;
    bool is_more = false;
    if (k < LEAST_POINTS || rate->n_records < 2) return;
    for (int half = 0; half < 2; half++)
        by[half] = weigh(rate->points, half ? k : LEAST_POINTS,
                         half ? own->run->state.grid.time : rate->times[rate->n_records / 2]);
    for (int i = 0; i < own->run->work.n_instances; i++) {
        if (rate->is_slow[i] || !rate->may_be_slow[i]) continue;
        bool is_slow =
            error_of(own, i, &by[0], y) <= ENTRY && error_of(own, i, &by[1], end) <= ENTRY;
        rate->n_wins[i] = is_slow ? rate->n_wins[i] + 1 : 0;
        rate->worst[i] = is_slow ? 0 : INFINITY;
        is_more |= rate->n_wins[i] >= rate->state->n_needed;
    }
    if (!is_more) return;
    for (int i = 0; i < own->run->work.n_instances; i++)
        rate->is_slow[i] |= rate->may_be_slow[i] && rate->n_wins[i] >= rate->state->n_needed;
    spare_strong_loops(own);
    tell(own);
    if (!is_worthwhile(own)) rate->state->is_on = false; // nobody is left who needs shorter steps
}

void takt_rate_keep(takt_auto *own, double error, bool is_difficult)
{
    takt_rate_state *state = own->rate.state;
    double length = own->run->state.grid.time - state->t_begin;
    let_others_join(own);
    int k = choose_points(own);
    double e = fmax(takt_rate_error(own, -1, k), fmax(0.1 * error, TAKT_AUTO_SMALL));
    state->error = own->rate.is_sized ? fmax(e, FADING * state->error) : e;
    double factor = fmin(MOST, fmax(LEAST, SAFETY * pow(AIM / state->error, 1.0 / k)));
    double h = length * factor;
    // It was cut: the one that was wanted is tried again.
    if (length < 0.9 * state->h) h = fmax(h, fmin(state->h * fmin(factor, WORTHWHILE), 4 * length));
    // While nothing moves, windows stay so short that others may join.
    if (e <= AT_REST) h = fmin(h, RESTING_STEPS * own->state->h);
    h = fmin(h, SAFETY * state->h_failed);
    state->h_failed *= FORGETTING;
    state->h = h;
    state->k = k;
    if (k < MOST_POINTS && k == own->rate.points->n) state->k++; // there is another one now
    end_window(own);
    state->trouble = 0.8 * state->trouble + (is_difficult ? 1 : 0);
    if (++state->n_easy % EASY == 0 && state->n_needed > TAKT_RATE_WINS) state->n_needed /= 2;
    if (is_too_short(own) || state->trouble > TROUBLE) turn_off(own);
}

void takt_rate_fail(takt_auto *own, double length, double error)
{
    takt_rate_state *state = own->rate.state;
    double factor = isfinite(error) ? SAFETY * pow(AIM / error, 1.0 / state->k) : 0;
    if (error <= JUMP) state->h_failed = length;
    bool is_again = state->n_easy == 0 || !(error <= JUMP);
    state->h = fmin(state->h, length) * fmin(0.5, fmax(LEAST, factor));
    state->n_easy = 0;
    if (is_again || is_too_short(own)) turn_off(own);
}

// ---- lengths -----------------------------------------------------------------------------------------

double takt_rate_limit(const takt_auto *own)
{
    const takt_grid *grid = &own->run->state.grid;
    double next = INFINITY;
    for (int i = 0; i < own->run->work.n_instances; i++) {
        double size = own->rate.sizes[i];
        if (size <= 0) continue;
        double n = floor((grid->time - grid->start) / size + 1e-9) + 1;
        next = fmin(next, grid->start + n * size);
    }
    return next;
}

// Instances of which it is not known what they are must make every step of the system (hidden.h).
static bool is_one_unknown(const takt_auto *own)
{
    for (int i = 0; i < own->run->work.n_instances && own->needs_rate; i++)
        if (own->held.states[i].is_apart && takt_hidden_needs_twin(&own->couple, &own->held, i))
            return true;
    return false;
}

double takt_rate_length(const takt_auto *own)
{
    const takt_rate *rate = &own->rate;
    const takt_rate_state *state = rate->state;
    const takt_run *run = own->run;
    double t = run->state.grid.time;
    bool is_together = state->is_on && rate->points->n > 0 && state->t_begin == t;
    bool is_calm = own->state->n_since_start > CALM && own->history->n > CALM &&
                   own->state->n_events == run->state.n_events && !isfinite(own->state->jump_from);
    if (!is_together || !is_calm || t < state->t_wait || is_one_unknown(own)) return 0;
    if ((double)state->n_lost > LOST + LOSS * (double)own->state->n_accepted) return 0;
    double rest = rate->is_sized ? takt_rate_limit(own) - t : 0;
    if (rate->is_sized) return rest / ceil(rest / state->h - 1e-3); // equal parts
    double part = (double)state->n_windows * GOLDEN;
    return state->h * (1 - VARIED * (part - floor(part)));
}
