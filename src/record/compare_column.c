// SPDX-License-Identifier: MIT
// Compares columns; see compare_column.h.
//
// What the result offers at a time t is found by two indices that move forward with t:
//   time tolerance 0: the rows at t if there are some (at a jump its first, its last, and the one
//     with the same number as in the reference), else the linear interpolation between neighbours, or
//     the value before for types that are not continuous;
//   time tolerance w > 0: every value between the least and the greatest in [t - w, t + w], for the
//     interpolated result takes on all of them. Two queues keep the extremes of the moving window,
//     so that the cost stays linear in the number of rows. Of types that are not continuous only
//     the values themselves.
// Rows that left before they came within reach are passed over: they are gone from the rows at hand.
#include "record/compare_column.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef takt_compare_portion portion;
typedef takt_rows_at rows_at;

void takt_column_state_init(takt_column_state *state, bool holds)
{
    *state = (takt_column_state){
        .holds = holds, .last_nan = -1, .least = {.sign = 1}, .greatest = {.sign = -1}};
}

void takt_column_state_clear(takt_column_state *state)
{
    free(state->least.rows);
    free(state->greatest.rows);
    free(state->worst.text);
    free(state->worst.reference_text);
    *state = (takt_column_state){0};
}

bool takt_held_rows_cover(const takt_held_rows *held, double t, double same)
{
    return held->n && t >= held->t_first - same && t <= held->t_last + same;
}

// ---- one value -----------------------------------------------------------------------------------

// How much `value` exceeds what is allowed around `reference`: up to 1 passes.
static double excess(const portion *p, double value, double reference)
{
    if (value == reference || (isnan(value) && isnan(reference))) return 0;
    if (!isfinite(value) || !isfinite(reference)) return INFINITY;
    double allowed = p->options->absolute + p->options->relative * fabs(reference);
    double difference = fabs(value - reference);
    return difference <= allowed ? fmin(difference / allowed, 1) : difference / allowed;
}

static void note(takt_finding *worst, double by, double t, double value, double reference)
{
    worst->n_compared++;
    worst->n_differing += by > 1;
    if (by <= worst->excess) return;
    worst->excess = by;
    worst->time = t;
    worst->value = value;
    worst->reference = reference;
}

static double time_of(const portion *p, int64_t row)
{
    return p->held->t[row - p->held->first];
}

// Moves to row `i` of the reference; times within `same` are its time.
static void move_rows(const portion *p, int i, double same, rows_at *at)
{
    double t = p->t[i];
    int64_t end = p->held->end;
    bool is_repeated = t == (i > 0 ? p->t[i - 1] : p->t_before);
    if (at->begin < p->held->first) at->begin = p->held->first;
    while (at->begin < end && time_of(p, at->begin) < t - same) at->begin++;
    if (at->end < at->begin) at->end = at->begin;
    while (at->end < end && time_of(p, at->end) <= t + same) at->end++;
    at->same_number = is_repeated ? at->same_number + 1 : at->begin;
    if (at->same_number >= at->end) at->same_number = at->end - 1;
}

static double interpolate(const portion *p, const double *values, bool holds, int64_t right,
                          double t)
{
    const double *v = values + (right - p->held->first);
    if (holds) return v[-1];
    double t0 = time_of(p, right - 1), t1 = time_of(p, right);
    double share = (t - t0) / (t1 - t0);
    return v[-1] * (1 - share) + v[0] * share;
}

// Of several values that the result has at a time, the nearest one counts.
static void compare_at(const portion *p, const double *values, double reference, int i,
                       takt_column_state *s)
{
    const rows_at *at = &s->at;
    if (at->begin == at->end) {
        if (at->begin == 0 || at->begin == p->held->n) return; // outside; reported for all columns
        double value = interpolate(p, values, s->holds, at->begin, p->t[i]);
        note(&s->worst, excess(p, value, reference), p->t[i], value, reference);
        return;
    }
    const int64_t candidates[] = {at->same_number, at->begin, at->end - 1};
    double least = INFINITY, value = values[at->same_number - p->held->first];
    for (int k = 0; k < 3; k++) {
        double candidate = values[candidates[k] - p->held->first];
        double by = excess(p, candidate, reference);
        if (by >= least) continue;
        least = by;
        value = candidate;
    }
    note(&s->worst, least, p->t[i], value, reference);
}

static void compare_exact(const portion *p, const double *values, const double *references,
                          takt_column_state *s)
{
    for (int i = 0; i < p->n; i++) {
        move_rows(p, i, p->same, &s->at);
        compare_at(p, values, references[i], i, s);
    }
}

// ---- values within a window of time --------------------------------------------------------------

static bool make_room(takt_extreme *e)
{
    if (e->end < e->capacity) return true;
    int n = e->end - e->first;
    if (n <= e->capacity / 2 && n < e->end) {
        memmove(e->rows, e->rows + e->first, (size_t)n * sizeof *e->rows);
        e->first = 0;
        e->end = n;
        return true;
    }
    if (!e->has_failed && takt_grow(&e->rows, e->end, &e->capacity, sizeof *e->rows)) return true;
    e->has_failed = true;
    return false;
}

static void enter(takt_extreme *e, int64_t row, double value)
{
    if (isnan(value)) return;
    while (e->end > e->first && e->sign * e->rows[e->end - 1].value >= e->sign * value) e->end--;
    if (make_room(e)) e->rows[e->end++] = (struct takt_extreme_row){row, value};
}

static void leave(takt_extreme *e, int64_t begin)
{
    while (e->first < e->end && e->rows[e->first].row < begin) e->first++;
}

static void move_window(const portion *p, const double *values, double t, takt_column_state *s)
{
    const takt_held_rows *held = p->held;
    if (s->begin < held->first) s->begin = held->first;
    if (s->end < s->begin) s->end = s->begin;
    for (; s->end < held->end && time_of(p, s->end) <= t + p->reach; s->end++) {
        double value = values[s->end - held->first];
        if (isnan(value)) s->last_nan = s->end;
        enter(&s->least, s->end, value);
        enter(&s->greatest, s->end, value);
    }
    while (s->begin < s->end && time_of(p, s->begin) < t - p->reach) s->begin++;
    leave(&s->least, s->begin);
    leave(&s->greatest, s->begin);
}

// The interpolated values at both ends of the window belong to it.
static void widen(const portion *p, const double *values, const takt_column_state *s, double t,
                  double *low, double *high)
{
    double ends[2] = {NAN, NAN};
    int64_t n = p->held->n;
    if (s->begin > 0 && s->begin < n)
        ends[0] = interpolate(p, values, s->holds, s->begin, t - p->reach);
    if (s->end > 0 && s->end < n) ends[1] = interpolate(p, values, s->holds, s->end, t + p->reach);
    for (int i = 0; i < 2; i++) {
        *low = fmin(*low, ends[i]); // fmin and fmax pass over NaN
        *high = fmax(*high, ends[i]);
    }
}

static void compare_window(const portion *p, const double *values, const double *references,
                           takt_column_state *s)
{
    for (int i = 0; i < p->n; i++) {
        double t = p->t[i], reference = references[i], low = INFINITY, high = -INFINITY;
        if (!takt_held_rows_cover(p->held, t, p->same)) continue; // reported for all columns
        move_window(p, values, t, s);
        if (s->least.first < s->least.end) low = s->least.rows[s->least.first].value;
        if (s->greatest.first < s->greatest.end) high = s->greatest.rows[s->greatest.first].value;
        widen(p, values, s, t, &low, &high);
        double nearest = isnan(reference) ? low : fmin(fmax(reference, low), high);
        bool has_nan = s->last_nan >= s->begin;
        if (low > high || (isnan(reference) && has_nan)) nearest = NAN;
        note(&s->worst, excess(p, nearest, reference), t, nearest, reference);
    }
}

// Values that hold take on none of those in between: the nearest one that the window has counts.
static void compare_held(const portion *p, const double *values, const double *references,
                         takt_column_state *s)
{
    for (int i = 0; i < p->n; i++) {
        if (!takt_held_rows_cover(p->held, p->t[i], p->same)) continue; // reported for all columns
        move_rows(p, i, p->reach, &s->at);
        double least = INFINITY, value = NAN;
        for (int64_t k = s->at.begin - (s->at.begin > 0); k < s->at.end && least > 0; k++) {
            double candidate = values[k - p->held->first];
            double by = excess(p, candidate, references[i]);
            if (by < least || isnan(value)) value = candidate;
            least = fmin(least, by);
        }
        note(&s->worst, least, p->t[i], value, references[i]);
    }
}

takt_status takt_compare_numbers(const takt_compare_portion *p, const double *values,
                                 const double *references, takt_column_state *s, takt_error *err)
{
    if (p->options->time > 0 && s->holds)
        compare_held(p, values, references, s);
    else if (p->options->time > 0)
        compare_window(p, values, references, s);
    else
        compare_exact(p, values, references, s);
    bool has_failed = s->least.has_failed || s->greatest.has_failed;
    return has_failed ? takt_fail_memory(err) : TAKT_OK;
}

// ---- texts ---------------------------------------------------------------------------------------

// Is `text` none of those that the result has at this time?
static bool has_no_text(const portion *p, char *const *values, const char *text, int64_t first,
                        int64_t end)
{
    for (int64_t k = first; k < end; k++)
        if (strcmp(values[k - p->held->first], text) == 0) return false;
    return true;
}

// Text holds until the next row. With a time tolerance all texts within it count.
takt_status takt_compare_texts(const takt_compare_portion *p, char *const *values,
                               const char *const *references, takt_column_state *s, takt_error *err)
{
    const rows_at *at = &s->at;
    for (int i = 0; i < p->n; i++) {
        move_rows(p, i, p->reach, &s->at);
        bool is_between = at->begin == at->end;
        if (is_between && (at->begin == 0 || at->begin == p->held->n))
            continue; // reported for all columns
        int64_t first = at->begin - (at->begin > 0 && (is_between || p->options->time > 0) ? 1 : 0);
        int64_t usual = is_between ? first : at->same_number;
        const char *value = values[usual - p->held->first];
        bool differs = strcmp(value, references[i]) != 0 &&
                       has_no_text(p, values, references[i], first, at->end);
        if (differs && s->worst.excess == 0) {
            s->worst.text = strdup(value);
            s->worst.reference_text = strdup(references[i]);
            if (!s->worst.text || !s->worst.reference_text) return takt_fail_memory(err);
        }
        note(&s->worst, differs ? INFINITY : 0, p->t[i], NAN, NAN);
    }
    return TAKT_OK;
}
