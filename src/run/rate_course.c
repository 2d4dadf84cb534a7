// SPDX-License-Identifier: MIT
// Different rates: courses over a window. See rate.c.
//
// What fast values did in a window is handed to slow instances as one polynomial p of degree 5. With x from -1 to 1 over
// the window, u(x) the value and l(x) the straight line between its ends,
//
//     p = l + (1 - x^2) sum c_n P_n'(x),   c_n = (2 n + 1) / (2 n (n + 1)) * integral of (u - l) P_n' dx,   n = 1 .. 4
//
// with the Legendre polynomials P_n: p has the same ends and the same moments up to the third as u. What is smooth is met
// exactly; of what oscillates a slow instance feels no more than that.
#include <math.h>
#include <string.h>

#include "run/auto.h"
#include "run/calls.h"
#include "run/gather.h"
#include "run/hold.h"
#include "run/rows.h"

enum { N_TERMS = 4, N_GIVEN = N_TERMS + 2, N_GAUSS = 5 };

// Points and weights of Gauss on -1 .. 1.
static const double GAUSS[N_GAUSS] = {-0.90617984593866399, -0.53846931010568309, 0,
                                      0.53846931010568309, 0.90617984593866399};
static const double WEIGHTS[N_GAUSS] = {0.23692688505618909, 0.47862867049936647,
                                        0.56888888888888889, 0.47862867049936647,
                                        0.23692688505618909};

// ---- lists -------------------------------------------------------------------------------------------

static void list_range(takt_rate *rate, const bool *is_continuous, int first, int n)
{
    for (int i = first; i < first + n; i++)
        if (is_continuous[i]) rate->values[rate->n_values++] = i;
}

// What slow instances read of others along polynomials.
static void list_sources(takt_auto *own, const takt_moving *moving)
{
    takt_rate *rate = &own->rate;
    for (int k = 0; k < moving->n_followed + moving->n_held; k++) {
        int source = moving->inputs[k].source, owner = own->owners[source];
        bool is_other = owner < 0 || !rate->is_slow[owner];
        if (!is_other || moving->inputs[k].is_straight || rate->places[source] >= 0) continue;
        rate->places[source] = rate->n_sources;
        rate->sources[rate->n_sources++] = source;
    }
}

void takt_rate_list(takt_auto *own)
{
    takt_rate *rate = &own->rate;
    const bool *is_continuous = own->couple.movement.is_continuous;
    rate->n_values = rate->n_sources = 0;
    for (int i = 0; i < own->history->n_values; i++) {
        rate->places[i] = -1;
        rate->is_tested_now[i] = rate->is_tested[i] && !rate->is_slow[own->owners[i]];
    }
    takt_ranges_list(&rate->tested_now, rate->is_tested_now, own->history->n_values);
    for (int i = 0; i < own->run->work.n_instances; i++) {
        if (!rate->is_slow[i]) continue;
        const takt_plan_instance *plan = &own->run->plan->instances[i];
        list_range(rate, is_continuous, plan->first_output[TAKT_KIND_REAL],
                   plan->outputs.n_values[TAKT_KIND_REAL]);
        list_range(rate, is_continuous, plan->first_tested[TAKT_KIND_REAL],
                   plan->tested.n_values[TAKT_KIND_REAL]);
        list_range(rate, is_continuous, plan->first_recorded[TAKT_KIND_REAL],
                   plan->recorded.n_values[TAKT_KIND_REAL]);
        list_sources(own, &own->couple.movement.of[i]);
    }
}

// ---- slow values -------------------------------------------------------------------------------------

void takt_rate_predict(takt_auto *own, double t)
{
    const takt_rate *rate = &own->rate;
    const takt_history *points = rate->points;
    double x[TAKT_MAX_POINTS], weights[TAKT_MAX_POINTS], latest = takt_history_time(points, 0);
    int k = rate->state->k < points->n ? rate->state->k : points->n;
    for (int j = 0; j < k; j++) x[j] = takt_history_time(points, j) - latest;
    takt_interpolation_weights(k, x, t - latest, weights);
    for (int v = 0; v < rate->n_values; v++) {
        int i = rate->values[v];
        double y0 = takt_history_values(points, 0)[i], sum = 0;
        for (int j = 1; j < k; j++) sum += weights[j] * (takt_history_values(points, j)[i] - y0);
        own->run->state.y.real[i] = own->predicted[i] = y0 + sum;
    }
}

// The slow values at time t, from the slow points and the end of the window, which y has.
static void interpolate(const takt_auto *own, double t, double *out)
{
    const takt_rate *rate = &own->rate;
    const takt_history *points = rate->points;
    const double *end = own->run->state.y.real;
    double x[TAKT_MAX_POINTS], weights[TAKT_MAX_POINTS], t_end = own->run->state.grid.time;
    int k = rate->state->k < points->n ? rate->state->k : points->n;
    for (int j = 0; j < k; j++) x[j] = takt_history_time(points, j) - t_end;
    x[k] = 0;
    takt_interpolation_weights(k + 1, x, t - t_end, weights);
    for (int v = 0; v < rate->n_values; v++) {
        int i = rate->values[v];
        double sum = 0;
        for (int j = 0; j < k; j++)
            sum += weights[j] * (takt_history_values(points, j)[i] - end[i]);
        out[i] = end[i] + sum;
    }
}

void takt_rate_correct(takt_auto *own)
{
    takt_rate *rate = &own->rate;
    takt_history *history = own->history;
    for (int n = 0; n < rate->n_records; n++)
        interpolate(own, rate->times[n], rate->records[n].real);
    for (int j = 0; j < history->n; j++) {
        int row = takt_history_row(history, j);
        if (history->t[row] <= rate->state->t_begin) break;
        interpolate(own, history->t[row], history->y + row * history->n_values);
    }
}

// ---- fast values -------------------------------------------------------------------------------------

// The history as it was at the beginning of the window.
static void begin_scratch(takt_auto *own)
{
    const char *at = (const char *)own->rate.memory +
                     ((const char *)own->history - (const char *)own->memory.data);
    memcpy(own->rate.scratch, at, takt_history_size(own->history->n_values));
}

static int points_of(const takt_rate *rate, int i_record)
{
    int k = rate->ks[i_record] + 1;
    return k < rate->scratch->n ? k : rate->scratch->n;
}

// The derivatives of P_1 to P_4.
static void find_terms(double x, double *out)
{
    out[0] = 1;
    out[1] = 3 * x;
    out[2] = 7.5 * x * x - 1.5;
    out[3] = (17.5 * x * x - 7.5) * x;
}

// Adds the integrals over the step that leads to a record.
static void add_moments(takt_auto *own, int i_record, double from, double t0, double t1)
{
    takt_rate *rate = &own->rate;
    const double *begin = rate->before.y.real, *end = own->run->state.y.real;
    double to = rate->times[i_record], x[TAKT_MAX_POINTS], weights[TAKT_MAX_POINTS];
    const double *rows[TAKT_MAX_POINTS];
    int n = points_of(rate, i_record);
    for (int j = 0; j < n; j++) {
        x[j] = takt_history_time(rate->scratch, j) - to;
        rows[j] = takt_history_values(rate->scratch, j);
    }
    for (int g = 0; g < N_GAUSS; g++) {
        double t = from + 0.5 * (1 + GAUSS[g]) * (to - from), terms[N_TERMS];
        double at = 2 * (t - t0) / (t1 - t0) - 1, part = WEIGHTS[g] * (to - from) / (t1 - t0);
        takt_interpolation_weights(n, x, t - to, weights);
        find_terms(at, terms);
        for (int s = 0; s < rate->n_sources; s++) {
            int i = rate->sources[s];
            double u = rows[0][i], *c = rate->given + TAKT_MAX_COEFFICIENTS * s;
            for (int j = 1; j < n; j++) u += weights[j] * (rows[j][i] - rows[0][i]);
            u -= 0.5 * ((1 - at) * begin[i] + (1 + at) * end[i]);
            for (int k = 0; k < N_TERMS; k++) c[k] += part * u * terms[k];
        }
    }
}

// From the integrals to the coefficients in tau = (x + 1) / 2.
static void make_polynomial(double *c, double begin, double end)
{
    double q[N_TERMS] = {0}, p[N_GIVEN] = {0.5 * (begin + end), 0.5 * (end - begin)}, power = 1;
    for (int k = 0; k < N_TERMS; k++) c[k] *= (2 * k + 3) / (2.0 * (k + 1) * (k + 2));
    q[0] = c[0] - 1.5 * c[2];
    q[1] = 3 * c[1] - 7.5 * c[3];
    q[2] = 7.5 * c[2];
    q[3] = 17.5 * c[3];
    for (int k = 0; k < N_TERMS; k++) p[k] += q[k], p[k + 2] -= q[k];
    takt_polynomial_shift(N_GIVEN, p, -1);
    for (int d = 0; d < TAKT_MAX_COEFFICIENTS; d++) {
        c[d] = d < N_GIVEN ? p[d] * power : 0;
        power *= 2;
    }
    c[0] = begin; // to the last bit
}

void takt_rate_project(takt_auto *own, takt_course *course)
{
    takt_rate *rate = &own->rate;
    double t0 = rate->state->t_begin, t1 = own->run->state.grid.time, from = t0;
    memset(rate->given, 0, (size_t)rate->n_sources * TAKT_MAX_COEFFICIENTS * sizeof *rate->given);
    begin_scratch(own);
    for (int n = 0; n < rate->n_records; n++) {
        takt_history_add(rate->scratch, rate->times[n], rate->records[n].real);
        add_moments(own, n, from, t0, t1);
        from = rate->times[n];
    }
    for (int s = 0; s < rate->n_sources; s++)
        make_polynomial(rate->given + TAKT_MAX_COEFFICIENTS * s,
                        rate->before.y.real[rate->sources[s]],
                        own->run->state.y.real[rate->sources[s]]);
    course->places = rate->places;
    course->given = rate->given;
    if (course->n_coefficients < N_GIVEN) course->n_coefficients = N_GIVEN;
}

// ---- rows --------------------------------------------------------------------------------------------

takt_status takt_rate_read(takt_auto *own, double t, takt_error *err)
{
    takt_run *run = own->run;
    takt_status st = TAKT_OK;
    int n;
    const int *recorded = takt_rows_recorded(run, &n);
    if (!own->draws_rows && run->n_observers == 0) return TAKT_OK;
    for (int r = 0; r < n && !st; r++) {
        int i = recorded[r];
        if (!own->rate.is_slow[i]) {
            st = takt_run_get_recorded(run, i, t, err);
            continue;
        }
        const takt_plan_instance *plan = &run->plan->instances[i];
        if (plan->n_copies == 0) continue;
        st = takt_run_gather(run, i, err);
        for (int k = 0; k < plan->n_copies; k++)
            run->state.y.real[plan->copies[k].to] = takt_hold_input(run, i, plan->copies[k].from);
    }
    return st;
}

// Rows between the points of the window up to a record.
static takt_status draw_rows(takt_auto *own, int i_record, const takt_values *start,
                             takt_error *err)
{
    const takt_rate *rate = &own->rate;
    takt_status st = TAKT_OK;
    double t;
    while (!st && takt_rows_find_before(own->run, rate->times[i_record], &t)) {
        if (!takt_values_copy(start, &own->row, own->run->plan->n_outputs))
            return takt_fail_memory(err);
        takt_history_predict(rate->scratch, points_of(rate, i_record), t, &own->drawn,
                             own->row.real);
        st = takt_rows_write_between(own->run, t, &own->row, err);
    }
    return st;
}

takt_status takt_rate_write_rows(takt_auto *own, takt_error *err)
{
    takt_rate *rate = &own->rate;
    const takt_values *start = &rate->before.y;
    takt_status st = TAKT_OK;
    begin_scratch(own);
    for (int n = 0; n < rate->n_records && !st; n++) {
        takt_history_add(rate->scratch, rate->times[n], rate->records[n].real);
        if (own->draws_rows) st = draw_rows(own, n, start, err);
        if (!st && rate->is_row[n])
            st = takt_rows_write_at(own->run, rate->times[n], &rate->records[n], err);
        start = &rate->records[n];
    }
    return st;
}
