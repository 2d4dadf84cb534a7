// SPDX-License-Identifier: MIT
// Solving x = G(x) at one instant; see instant.h.
//
// First x := G(x) is repeated. That is enough where values only have to travel: then nothing changes any more,
// in no bit. A small change alone proves nothing, because the error is larger by the factor
// rho / (1 - rho), and the rate rho of the slowest part is hidden by faster ones. So everything else is solved
// by Newton's method, whose matrix shows the error. Where that fails, the noise of G is measured: an FMU
// that iterates by itself returns values that are exact to its own tolerance only. Newton's method then differs
// over wider steps and asks for what noise allows.
#include "run/instant.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "num/regular.h"
#include "run/naming.h"
#include "run/scale.h"

enum {
    MAX_SWEEPS = 20, // of simple repetition, before Newton's method
    MAX_SWEEPS_LARGE = 1000, // where Newton's method would need too large a matrix
    MAX_UNKNOWNS = 1000, // of Newton's method
    MAX_ITERATIONS = 50,
    MAX_GROWING = 3, // sweeps that change more than the one before
    N_SAMPLES = 4, // of noise
};

// Much closer than a step needs to be: errors made here stay for the whole run.
static const double TOLERANCE_FACTOR = 1e-3;

// But what rounding allows must do, unless the user asks for more.
static const double LEAST_RELATIVE = 1e-12, LEAST_ABSOLUTE = 1e-15;

// A change that is larger than the one before by this factor is no way to a solution.
static const double FAST = 10;

// Relative to the values: above it, what is measured is no noise.
static const double MOST_NOISE = 1e-3;

// Of difference quotients where a loop is almost singular: for linear equations any will do.
static const double WIDE = 1e-2;

// Relative to the values: from where repetition must lead back to a solution. In large loops, whose solutions are
// exact to their tolerance only, from farther away.
static const double NEARBY = 1e-6, NEARBY_LARGE = 1e-3;

// So many tolerances around a solution count as the solution, in large loops.
static const double SAME = 10;

static double tighten(double tolerance, double least)
{
    return fmax(TOLERANCE_FACTOR * tolerance, fmin(tolerance, least));
}

bool takt_instant_init(takt_instant *at, takt_run *run, takt_arena *arena, takt_torn in_turn,
                       takt_torn at_once)
{
    const takt_settings *settings = &run->plan->system->settings;
    size_t n = (size_t)(in_turn.n > at_once.n ? in_turn.n : at_once.n);
    int n_matrix = n <= MAX_UNKNOWNS ? (int)n : in_turn.n <= MAX_UNKNOWNS ? in_turn.n : 0;
    *at = (takt_instant){.run = run, .torn = {in_turn, at_once}};
    at->newton = (takt_newton){
        .n = in_turn.n,
        .relative = tighten(settings->relative_tolerance, LEAST_RELATIVE),
        .absolute = tighten(settings->absolute_tolerance, LEAST_ABSOLUTE),
        .max_iterations = MAX_ITERATIONS,
    };
    double *room = takt_arena_array(arena, 10 * n, sizeof *room);
    if (!room) return false;
    at->x = room, at->g = room + n, at->start = room + 2 * n;
    at->noise = room + 3 * n, at->uncertainty = room + 4 * n, at->first = room + 5 * n;
    at->begin = room + 6 * n, at->last = room + 7 * n;
    at->units = room + 8 * n, at->singular = room + 9 * n;
    at->newton.units = at->units;
    at->newton.work = takt_arena_array(arena, takt_regular_work(n_matrix), sizeof *room);
    at->newton.pivots = takt_arena_array(arena, (size_t)n_matrix, sizeof *at->newton.pivots);
    return at->newton.work && at->newton.pivots;
}

void takt_instant_show(const takt_instant *at)
{
    for (int i = 0; i < at->newton.n; i++)
        at->run->state.y.real[at->torn[at->way].values[i]] = at->x[i];
}

void takt_instant_spoil(const takt_instant *at)
{
    for (int i = 0; i < at->newton.n; i++) at->run->state.y.real[at->torn[at->way].values[i]] = NAN;
}

double takt_instant_tolerance(const takt_instant *at, int k, double x)
{
    return at->newton.relative * fabs(x) + at->newton.absolute * takt_scale_unit(at->run, k);
}

// The same for a guessed value.
static double tolerance_of(const takt_instant *at, int i)
{
    return at->newton.relative * fabs(at->x[i]) + at->newton.absolute * at->units[i];
}

// The size of a guessed value, for what is relative.
static double size_of(const takt_instant *at, int i)
{
    return takt_newton_scale(&at->newton, i, at->x[i], at->g[i]);
}

// A takt_fixed_point_fn: g = G(x).
static takt_status evaluate(void *context, const double *x, double *g, takt_error *err)
{
    takt_instant *at = context;
    double *y = at->run->state.y.real;
    const int *torn = at->torn[at->way].values;
    for (int i = 0; i < at->newton.n; i++) y[torn[i]] = x[i];
    takt_status st = at->sweep(at->context, at->way, err);
    for (int i = 0; i < at->newton.n && !st; i++) g[i] = y[torn[i]];
    return st;
}

// The values of y that one way or the other guesses.
static void guess(const takt_instant *at, takt_instant_way way, double *x)
{
    for (int i = 0; i < at->torn[way].n; i++) {
        double value = at->run->state.y.real[at->torn[way].values[i]];
        x[i] = isfinite(value) ? value : 0;
    }
}

// ---- repetition ------------------------------------------------------------------------------------

// How the changes of successive sweeps develop.
typedef struct trend {
    double change, first_change; // in units of the tolerance
    double rates[3]; // the latest ones
    int n_growing;
} trend;

static bool is_same(const takt_instant *at)
{
    for (int i = 0; i < at->newton.n; i++)
        if (at->g[i] != at->x[i]) return false;
    return true;
}

static void observe(const takt_instant *at, trend *now)
{
    double change = 0;
    for (int i = 0; i < at->newton.n; i++) {
        double d = fabs(at->g[i] - at->x[i]) / tolerance_of(at, i);
        change = d <= DBL_MAX ? fmax(change, d) : INFINITY;
        if (!isfinite(change)) break;
    }
    now->rates[0] = now->rates[1];
    now->rates[1] = now->rates[2];
    now->rates[2] = now->change > 0 ? change / now->change : INFINITY;
    now->n_growing += now->change > 0 && now->rates[2] >= 1;
    if (!(now->first_change > 0)) now->first_change = change;
    now->change = change;
}

// The error of g, not its change: change * rho / (1 - rho).
static bool is_near(const trend *now)
{
    double rate = fmax(now->rates[0], fmax(now->rates[1], now->rates[2]));
    return rate < 1 && now->change * rate <= 1 - rate;
}

static bool is_growing(const trend *now)
{
    bool is_fast = isfinite(now->rates[2]) && now->rates[2] > FAST;
    return is_fast || now->n_growing > MAX_GROWING;
}

// Repeats x := G(x). Without success x is what Newton's method may begin with.
static takt_status repeat(takt_instant *at, takt_error *err)
{
    int n = at->newton.n;
    bool is_large = n > MAX_UNKNOWNS;
    trend now = {.rates = {INFINITY, INFINITY, INFINITY}};
    at->solution = TAKT_NOT_CONVERGED;
    memcpy(at->start, at->x, (size_t)n * sizeof *at->x);
    for (int k = 0; k < (is_large ? MAX_SWEEPS_LARGE : MAX_SWEEPS); k++) {
        takt_status st = evaluate(at, at->x, at->g, err);
        if (st) return st;
        observe(at, &now);
        if (is_same(at) || (is_large && is_near(&now))) at->solution = TAKT_SOLVED;
        if (at->solution == TAKT_SOLVED) return TAKT_OK;
        if (!isfinite(now.change) || (!is_large && is_growing(&now))) break;
        memcpy(at->x, at->g, (size_t)n * sizeof *at->x);
    }
    memcpy(at->last, at->x, (size_t)n * sizeof *at->x);
    if (!(now.change < now.first_change)) memcpy(at->x, at->start, (size_t)n * sizeof *at->x);
    return TAKT_OK;
}

// ---- the way back ----------------------------------------------------------------------------------

// No two values go the same way.
static double shift_of(const takt_instant *at, int i, double sign)
{
    double part = 0.5 + 0.5 * fmod(0.6180339887498949 * (i + 1), 1); // the golden ratio
    return sign * part * (at->newton.n > MAX_UNKNOWNS ? NEARBY_LARGE : NEARBY) * size_of(at, i);
}

static bool is_back(const takt_instant *at, const double *solution)
{
    for (int i = 0; i < at->newton.n; i++) {
        double most = at->newton.n > MAX_UNKNOWNS ? SAME * tolerance_of(at, i) : 0;
        if (!(fabs(at->g[i] - solution[i]) <= most)) return false;
    }
    return true;
}

// Does repetition lead from values near the solution, `start`, on one side, back to it?
static takt_status lead_back_from(takt_instant *at, double sign, bool *is_led_back, takt_error *err)
{
    int n = at->newton.n, most = n > MAX_UNKNOWNS ? MAX_SWEEPS_LARGE : MAX_SWEEPS;
    takt_status st = TAKT_OK;
    *is_led_back = false;
    for (int i = 0; i < n; i++) at->x[i] = at->start[i] + shift_of(at, i, sign);
    for (int k = 0; k < most && !st && !*is_led_back; k++) {
        st = evaluate(at, at->x, at->g, err);
        *is_led_back = !st && is_back(at, at->start);
        memcpy(at->x, at->g, (size_t)n * sizeof *at->x);
    }
    return st;
}

// Does it from both sides? Then the solution is the only one nearby, as repetition contracts. x is the solution.
static takt_status lead_back(takt_instant *at, bool *is_led_back, takt_error *err)
{
    size_t size = (size_t)at->newton.n * sizeof *at->x;
    memcpy(at->start, at->x, size);
    takt_status st = lead_back_from(at, 1, is_led_back, err);
    if (!st && *is_led_back) st = lead_back_from(at, -1, is_led_back, err);
    memcpy(at->x, at->start, size);
    return st;
}

// ---- noise -----------------------------------------------------------------------------------------

// By how much G changes where x changes by rounding only. True if that can be called noise.
static takt_status measure_noise(takt_instant *at, bool *is_noise, takt_error *err)
{
    int n = at->newton.n;
    double *x = at->uncertainty, *g = at->newton.work; // free between two solutions
    takt_status st = evaluate(at, at->x, at->g, err);
    for (int i = 0; i < n && !st; i++)
        at->noise[i] = 2 * DBL_EPSILON * fmax(fabs(at->g[i]), fabs(at->x[i]));
    for (int k = 1; k <= N_SAMPLES && !st; k++) {
        double shift = (k % 2 ? 2 * k : -2 * k) * DBL_EPSILON;
        for (int i = 0; i < n; i++) x[i] = at->x[i] + shift * size_of(at, i);
        st = evaluate(at, x, g, err);
        for (int i = 0; i < n && !st; i++)
            at->noise[i] = fmax(at->noise[i], 2 * fabs(g[i] - at->g[i]));
    }
    *is_noise = !st;
    for (int i = 0; i < n && *is_noise; i++)
        *is_noise = at->noise[i] <= MOST_NOISE * size_of(at, i);
    return st;
}

// Begins with `start`.
static takt_status solve_with_noise(takt_instant *at, takt_solution *out, takt_error *err)
{
    takt_newton newton = at->newton;
    bool is_noise;
    takt_status st = measure_noise(at, &is_noise, err);
    newton.noise = at->noise, newton.uncertainty = at->uncertainty;
    for (int k = 0; k < 2 && is_noise && !st && *out != TAKT_SOLVED; k++) {
        newton.spread = k ? WIDE : 0;
        memcpy(at->x, at->start, (size_t)at->newton.n * sizeof *at->x);
        st = takt_newton_solve(&newton, evaluate, at, at->x, out, err);
    }
    at->has_noise = !st && *out == TAKT_SOLVED;
    return st;
}

double takt_instant_doubt(const takt_instant *at)
{
    double largest = 0;
    for (int i = 0; i < at->newton.n && at->has_noise; i++)
        largest = fmax(largest, at->uncertainty[i] / tolerance_of(at, i));
    return largest;
}

bool takt_instant_warn(const takt_instant *at, const char *where)
{
    const takt_settings *settings = &at->run->plan->system->settings;
    int worst = -1;
    double most = 1, noise = 0;
    for (int i = 0; i < at->newton.n && at->has_noise; i++) {
        double allowed = settings->relative_tolerance * fabs(at->x[i]) +
                         settings->absolute_tolerance * at->units[i];
        noise = fmax(noise, at->noise[i]);
        if (!(at->uncertainty[i] > most * allowed)) continue;
        most = at->uncertainty[i] / allowed;
        worst = i;
    }
    if (at->is_unproven)
        takt_log_doubt(at->run->log, NULL, 0,
                       "%s: its values agree, but whether no others do could not be proved, as it "
                       "is too large, or its outputs jump or are noisy there; compare with "
                       "other start values",
                       where);
    if (worst < 0) return at->is_unproven;
    takt_log_doubt(
        at->run->log, NULL, 0,
        "%s: its outputs are exact to %.1g only (noise or rounding), which leaves a value of "
        "%.6g uncertain by %.1g, %.2g times the tolerance, as the loop is almost singular or an "
        "FMU noisy",
        where, noise, at->x[worst], at->uncertainty[worst], most);
    return true;
}

// ---- solving ---------------------------------------------------------------------------------------

static void choose(takt_instant *at, takt_instant_way way)
{
    at->way = way;
    at->newton.n = at->torn[way].n;
    for (int i = 0; i < at->newton.n; i++)
        at->units[i] = takt_scale_unit(at->run, at->torn[way].values[i]);
}

// The matrix is singular at x.
static void note_singular(takt_instant *at)
{
    at->solution = TAKT_SINGULAR;
    at->singular_way = at->way;
    memcpy(at->singular, at->x, (size_t)at->newton.n * sizeof *at->x);
}

// Newton's method from x; if it fails, x is what it was.
static takt_status solve_one_way(takt_instant *at, bool with_noise, takt_error *err)
{
    size_t size = (size_t)at->newton.n * sizeof *at->x;
    takt_solution solution = TAKT_NOT_CONVERGED;
    takt_status st = TAKT_OK;
    memcpy(at->start, at->x, size);
    if (with_noise)
        st = solve_with_noise(at, &solution, err);
    else
        st = takt_newton_solve(&at->newton, evaluate, at, at->x, &solution, err);
    if (solution == TAKT_SINGULAR) note_singular(at);
    if (solution != TAKT_SOLVED) memcpy(at->x, at->start, size);
    // What is singular in turn need not be so at once: then the other way says what is wrong.
    if (solution == TAKT_SOLVED || !with_noise) at->solution = solution;
    return st;
}

// Both ways, first as if there were no noise. In turn, x is the beginning.
static takt_status solve_both_ways(takt_instant *at, takt_error *err)
{
    takt_status st = TAKT_OK;
    memcpy(at->begin, at->x, (size_t)at->newton.n * sizeof *at->x);
    for (int k = 0; k < 4 && !st && at->solution != TAKT_SOLVED; k++) {
        takt_instant_way way = k % 2 ? TAKT_AT_ONCE : TAKT_IN_TURN;
        if (at->torn[way].n > MAX_UNKNOWNS) continue;
        choose(at, way);
        const double *begin = way == TAKT_IN_TURN ? at->begin : at->first;
        memcpy(at->x, begin, (size_t)at->newton.n * sizeof *at->x);
        st = solve_one_way(at, k >= 2, err);
    }
    if (at->solution == TAKT_SOLVED) return st;
    choose(at, TAKT_IN_TURN);
    memcpy(at->x, at->last, (size_t)at->newton.n * sizeof *at->x);
    return st;
}

// ---- proof -----------------------------------------------------------------------------------------

// The matrix at the solution says whether it is the only one nearby, and what rounding and noise leave uncertain.
static takt_status judge_matrix(takt_instant *at, takt_error *err)
{
    takt_newton newton = at->newton;
    takt_regularity answer = TAKT_IS_UNCLEAR;
    bool is_noise = false;
    takt_status st = measure_noise(at, &is_noise, err);
    newton.noise = at->noise, newton.uncertainty = at->uncertainty;
    if (!st) st = takt_regular_judge(&newton, evaluate, at, at->x, &answer, err);
    at->has_noise = at->has_noise || answer == TAKT_IS_REGULAR;
    at->is_unproven = answer == TAKT_IS_UNCLEAR;
    if (answer == TAKT_IS_SINGULAR) note_singular(at);
    return st;
}

// Is the solution x the only one nearby? If not, nothing is solved.
static takt_status prove(takt_instant *at, bool is_repeated, takt_error *err)
{
    bool is_large = at->newton.n > MAX_UNKNOWNS, is_led_back = false;
    takt_status st = is_repeated ? lead_back(at, &is_led_back, err) : TAKT_OK;
    if (!st && !is_led_back && !is_large) st = judge_matrix(at, err);
    if (!st && !is_led_back && is_large) at->is_unproven = true;
    // Instances show the solution again.
    return st ? st : evaluate(at, at->x, at->g, err);
}

takt_status takt_instant_solve(takt_instant *at, takt_error *err)
{
    at->has_noise = at->is_unproven = false;
    choose(at, TAKT_IN_TURN);
    guess(at, TAKT_IN_TURN, at->x);
    guess(at, TAKT_AT_ONCE, at->first);
    takt_status st = repeat(at, err);
    bool is_repeated = at->solution == TAKT_SOLVED;
    if (!st && !is_repeated) st = solve_both_ways(at, err);
    if (!st && at->solution == TAKT_SOLVED && at->needs_proof) st = prove(at, is_repeated, err);
    return st;
}

takt_status takt_instant_explain(takt_instant *at, char *text, size_t size, takt_error *err)
{
    snprintf(text, size, "does not converge");
    if (at->solution != TAKT_SINGULAR) return TAKT_OK;
    int *is_free = at->newton.pivots, n = at->torn[at->singular_way].n;
    bool has_solutions = false, is_any_free = false;
    choose(at, at->singular_way);
    takt_status st =
        takt_regular_explain(&at->newton, evaluate, at, at->singular, is_free, &has_solutions, err);
    for (int i = 0; i < n && !st; i++) is_any_free |= is_free[i] != 0;
    takt_name_singular(at->run, at->torn[at->way].values, is_any_free ? is_free : NULL, n,
                       has_solutions, text, size);
    return st;
}
