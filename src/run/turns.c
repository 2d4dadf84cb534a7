// SPDX-License-Identifier: MIT
// Where inputs turn back; see auto.h. A switch that is closed by an input that rises and opened by the same input as it
// falls has, at both ends of a step over all of that, the value that it had before: nobody sees the pulse. So steps end
// where the predicted input has its extreme value, and at least one communication point lies within the pulse.
//
// In formulas x is the time since the latest communication point, s.
#include <math.h>

#include "run/auto.h"

enum { PARTS = 8, HALVINGS = 12 };

// The polynomial through the latest points, in Newton's form.
typedef struct polynomial {
    int n;
    double x[TAKT_MAX_POINTS], c[TAKT_MAX_POINTS];
} polynomial;

static polynomial make_polynomial(const takt_history *history, int n, int i_value)
{
    polynomial p = {.n = n};
    for (int j = 0; j < n; j++) {
        p.x[j] = takt_history_time(history, j) - takt_history_time(history, 0);
        p.c[j] = takt_history_values(history, j)[i_value];
    }
    for (int order = 1; order < n; order++)
        for (int j = n - 1; j >= order; j--)
            p.c[j] = (p.c[j] - p.c[j - 1]) / (p.x[j] - p.x[j - order]);
    return p;
}

static double value_at(const polynomial *p, double x, double *slope)
{
    double y = p->c[p->n - 1];
    *slope = 0;
    for (int j = p->n - 2; j >= 0; j--) {
        *slope = *slope * (x - p->x[j]) + y;
        y = y * (x - p->x[j]) + p->c[j];
    }
    return y;
}

// The first place up to h where the slope changes its sign; INFINITY: nowhere.
static double find_turn(const polynomial *p, double h)
{
    double low = 0, slope_low, slope;
    value_at(p, 0, &slope_low);
    for (int i = 1; i <= PARTS; i++) {
        double high = h * i / PARTS;
        value_at(p, high, &slope);
        if (slope * slope_low >= 0) {
            low = high;
            continue;
        }
        for (int n = 0; n < HALVINGS; n++) {
            double middle = low + (high - low) / 2;
            value_at(p, middle, &slope);
            if (slope * slope_low >= 0)
                low = middle;
            else
                high = middle;
        }
        return high;
    }
    return INFINITY;
}

static double turn_of_value(const takt_auto *own, int i_value, double h)
{
    const takt_history *history = own->history;
    int n = own->state->k < history->n ? own->state->k : history->n;
    if (n < 3) return INFINITY; // a line does not turn
    polynomial p = make_polynomial(history, n, i_value);
    double slope, x = find_turn(&p, h);
    if (!(x < h)) return INFINITY;
    double least = own->couple.tolerance * own->scale[i_value], y = value_at(&p, x, &slope);
    bool is_seen = fabs(y - p.c[0]) > least && fabs(y - value_at(&p, h, &slope)) > least;
    return is_seen ? x : INFINITY;
}

// The first turn, before x, of an input of the instance.
static double turn_of_instance(const takt_auto *own, int i_instance, double x)
{
    const takt_plan *plan = own->run->plan;
    const takt_plan_instance *instance = &plan->instances[i_instance];
    const int *from = plan->sources[TAKT_KIND_REAL] + instance->first_input[TAKT_KIND_REAL];
    for (int k = 0; k < instance->inputs.n_values[TAKT_KIND_REAL]; k++)
        if (own->couple.movement.is_continuous[from[k]])
            x = fmin(x, turn_of_value(own, from[k], x));
    return x;
}

double takt_turns_next(const takt_auto *own, double h)
{
    const int *discrete = own->discrete,
              *end = discrete + own->n_discrete; // in the order of instances
    double x = h;
    for (int i = 0; i < own->run->work.n_instances; i++) {
        bool is_discrete = discrete < end && *discrete == i;
        discrete += is_discrete;
        if (is_discrete || own->held.states[i].has_jumped) x = turn_of_instance(own, i, x);
    }
    return x < h ? own->run->state.grid.time + x : INFINITY;
}
