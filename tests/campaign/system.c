// SPDX-License-Identifier: MIT
// The laws of nodes; see system.h.
#include "campaign/system.h"

#include <math.h>

long double drive(long double t)
{
    return 1 + 0.5L * sin(3 * (double)t); // sinl() would take a third of all time
}

bool is_boolean(const node *at)
{
    return at->law >= LAW_COMPARE;
}

bool is_dynamic(const node *at)
{
    return at->law == LAW_LAG || at->law == LAW_INTEGRATOR || at->law == LAW_OSCILLATOR;
}

bool has_feedthrough(const node *at)
{
    return !is_dynamic(at) || (at->law == LAW_LAG && at->a != 0);
}

long double sum_inputs(const node *at, const long double *v)
{
    long double s = 0;
    for (int i = 0; i < at->n_inputs; i++) s += at->gain[i] * v[at->source[i]];
    return s;
}

bool is_switched(const node *at, const long double *v)
{
    return at->law == LAW_SWITCH && v[at->source[0]] != 0;
}

// The row of the table before t, or at it; of several at the same time the last one.
static int find_row(const random_system *system, long double t)
{
    int i = 0;
    while (i + 1 < system->n_rows && t >= system->row_times[i + 1]) i++;
    return i;
}

static long double interpolate(const random_system *system, const node *at, long double t)
{
    int i = find_row(system, t);
    long double t0 = system->row_times[i], v0 = at->column[i];
    if (t <= t0 || i + 1 == system->n_rows) return v0;
    return v0 + (at->column[i + 1] - v0) * (t - t0) / (system->row_times[i + 1] - t0);
}

long double real_output(const random_system *system, const node *at, long double s, bool is_on,
                        const long double *x, long double t)
{
    switch (at->law) {
    case LAW_SUM: return s + at->c * drive(t);
    case LAW_TANH: return at->a * tanhl(s) + at->c * drive(t);
    case LAW_SQUARE: return at->c * drive(t) - at->a * s * s;
    case LAW_SWITCH: return s + (is_on ? at->a : at->c);
    case LAW_LAG: return x[0] + at->a * s;
    case LAW_JUMP: return t < at->t_jump ? at->a : at->c;
    case LAW_COLUMN: return interpolate(system, at, t);
    default: return x[0];
    }
}

static bool gate_output(const node *at, const long double *v)
{
    bool result = v[at->source[0]] != 0;
    for (int i = 1; i < at->n_inputs; i++) {
        bool other = v[at->source[i]] != 0;
        result = at->gate == GATE_AND  ? result && other
                 : at->gate == GATE_OR ? result || other
                                       : result != other;
    }
    return result != at->is_inverted;
}

bool boolean_output(const random_system *system, const node *at, const long double *v,
                    long double t)
{
    switch (at->law) {
    case LAW_COMPARE: return sum_inputs(at, v) > at->a;
    case LAW_EDGE: return t >= at->t_jump;
    case LAW_HELD: return at->column[find_row(system, t)] != 0;
    default: return gate_output(at, v);
    }
}

long double distance_to_switching(const node *at, const long double *v)
{
    return at->law == LAW_COMPARE ? fabsl(sum_inputs(at, v) - at->a) : INFINITY;
}

void find_rates(const node *at, long double s, const long double *x, long double *rates)
{
    rates[0] = rates[1] = 0;
    if (at->law == LAW_LAG) rates[0] = (s - x[0]) / at->T;
    if (at->law == LAW_INTEGRATOR) rates[0] = s;
    if (at->law != LAW_OSCILLATOR) return;
    rates[0] = x[1] / at->T;
    rates[1] = (s - x[0] - 2 * at->a * x[1]) / at->T;
}

// Damped oscillation around s; a < 1.
static void swing(const node *at, long double s, long double h, long double *x)
{
    long double y = x[0] - s, p = x[1], root = sqrtl(1 - (long double)at->a * at->a);
    long double decay = expl(-at->a * h / at->T);
    long double cosine = cosl(root * h / at->T), sine = sinl(root * h / at->T) / root;
    x[0] = s + decay * (y * cosine + (p + at->a * y) * sine);
    x[1] = decay * (p * cosine - (y + at->a * p) * sine);
}

void advance_state(const node *at, long double s, long double h, long double *x)
{
    if (at->law == LAW_LAG) x[0] = s + (x[0] - s) * expl(-h / at->T);
    if (at->law == LAW_INTEGRATOR) x[0] += h * s;
    if (at->law == LAW_OSCILLATOR) swing(at, s, h, x);
}
