// SPDX-License-Identifier: MIT
// Secants of a fixed-point problem; see secants.h. Least squares by modified Gram-Schmidt, every column twice
// (Golub, Van Loan: Matrix Computations, 5.2).
#include "num/secants.h"

#include <math.h>
#include <string.h>

#include "base/sound.h"

// ---- what is kept ------------------------------------------------------------------------------------

// Number of the step, input, residual, all.
static size_t column_size(const takt_secants *secants)
{
    return 1 + 2 * (size_t)secants->n + (size_t)secants->n_all;
}

size_t takt_secants_size(int n, int n_all, int room)
{
    takt_secants sizes = {.n = n, .n_all = n_all};
    return (size_t)room * column_size(&sizes);
}

void takt_secants_clear(takt_secants *secants)
{
    secants->state->n_kept = 0;
}

static double *column(const takt_secants *secants, int k)
{
    int place = (secants->state->newest - k + secants->room) % secants->room;
    return secants->columns + (size_t)place * column_size(secants);
}

bool takt_secants_is_sound(const takt_secants *secants)
{
    const takt_secants_state *state = secants->state;
    bool is_sound = takt_sound_within(state->n_kept, 0, secants->room) &&
                    takt_sound_within(state->newest, 0, secants->room - 1) &&
                    takt_sound_long_count(state->step);
    for (int k = 0; is_sound && k < state->n_kept; k++) // numbers of steps
        is_sound = fabs(column(secants, k)[0]) <= (double)INT64_MAX / 4;
    return is_sound;
}

takt_secant takt_secants_get(const takt_secants *secants, int k)
{
    const double *at = column(secants, k) + 1;
    return (takt_secant){at, at + secants->n, at + 2 * (size_t)secants->n};
}

void takt_secants_begin(takt_secants *secants, int n_steps)
{
    takt_secants_state *state = secants->state;
    double first = (double)(++state->step - n_steps);
    while (state->n_kept > 0 && column(secants, state->n_kept - 1)[0] < first) state->n_kept--;
}

void takt_secants_add(takt_secants *secants, const takt_secant *secant)
{
    takt_secants_state *state = secants->state;
    size_t n = (size_t)secants->n;
    state->newest = (state->newest + 1) % secants->room;
    if (state->n_kept < secants->room) state->n_kept++;
    double *at = column(secants, 0);
    *at++ = (double)state->step;
    memcpy(at, secant->input, n * sizeof *at);
    memcpy(at + n, secant->residual, n * sizeof *at);
    memcpy(at + 2 * n, secant->all, (size_t)secants->n_all * sizeof *at);
}

// ---- least squares -----------------------------------------------------------------------------------

// residuals[picked] = q * upper, columns of q orthonormal, in units.
typedef struct factors {
    const takt_secants *secants;
    const double *units;
    double filter;
    int most; // columns
    int rank;
    double *q; // one column behind the other
    double *upper; // most x most, by rows
    double *c; // coefficients
} factors;

static int most_columns(int n, int room)
{
    return n < room ? n : room;
}

size_t takt_secants_work(int n, int room)
{
    size_t most = (size_t)most_columns(n, room);
    return most * (size_t)n + most * most + most;
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

// Removes from v what the columns of q explain, and adds the coefficients to c.
static void project(const factors *at, double *v, double *c, int stride)
{
    int n = at->secants->n;
    for (int j = 0; j < at->rank; j++) {
        const double *q = at->q + (size_t)j * (size_t)n;
        double share = dot(n, q, v);
        c[(size_t)j * (size_t)stride] += share;
        for (int i = 0; i < n; i++) v[i] -= share * q[i];
    }
}

// Takes secant k into the factors, unless the newer ones explain it.
static bool pick(factors *at, int k)
{
    int n = at->secants->n, stride = at->most;
    const double *residual = takt_secants_get(at->secants, k).residual;
    double *v = at->q + (size_t)at->rank * (size_t)n, *c = at->upper + at->rank;
    for (int i = 0; i < n; i++) v[i] = residual[i] / at->units[i];
    for (int j = 0; j < at->rank; j++) c[(size_t)j * (size_t)stride] = 0;
    double before = sqrt(dot(n, v, v));
    project(at, v, c, stride);
    project(at, v, c, stride); // once more, because of rounding
    double length = sqrt(dot(n, v, v));
    if (!(length > at->filter * before) || !isfinite(before)) return false;
    for (int i = 0; i < n; i++) v[i] /= length;
    c[(size_t)at->rank * (size_t)stride] = length;
    at->secants->picked[at->rank++] = k;
    return true;
}

// The coefficients of the secants: upper x = -c, in place.
static void solve_upper(const factors *at)
{
    for (int i = at->rank - 1; i >= 0; i--) {
        const double *row = at->upper + (size_t)i * (size_t)at->most;
        double sum = -at->c[i];
        for (int j = i + 1; j < at->rank; j++) sum -= row[j] * at->c[j];
        at->c[i] = sum / row[i];
    }
}

static void combine(const factors *at, takt_secants_result *out)
{
    const takt_secants *secants = at->secants;
    memset(out->step, 0, (size_t)secants->n * sizeof *out->step);
    memset(out->all, 0, (size_t)secants->n_all * sizeof *out->all);
    for (int j = 0; j < at->rank; j++) {
        takt_secant from = takt_secants_get(secants, secants->picked[j]);
        for (int i = 0; i < secants->n; i++) out->step[i] += at->c[j] * from.input[i];
        for (int i = 0; i < secants->n_all; i++) out->all[i] += at->c[j] * from.all[i];
    }
}

void takt_secants_solve(const takt_secants *secants, const double *units, const double *r,
                        double filter, takt_secants_result *out)
{
    int n = secants->n, most = most_columns(n, secants->room);
    double *upper = secants->work + (size_t)most * (size_t)n;
    factors at = {secants, units, filter, most, 0, secants->work, upper, upper + most * most};
    out->n_own = 0;
    for (int k = 0; k < secants->state->n_kept && at.rank < most; k++) {
        bool is_own = (int64_t)column(secants, k)[0] == secants->state->step;
        out->n_own += pick(&at, k) && is_own;
    }
    out->rank = at.rank;
    for (int i = 0; i < n; i++) out->rest[i] = r[i] / units[i];
    memset(at.c, 0, (size_t)most * sizeof *at.c);
    project(&at, out->rest, at.c, 1);
    project(&at, out->rest, at.c, 1);
    solve_upper(&at);
    combine(&at, out);
    for (int i = 0; i < n; i++) out->rest[i] = at.rank == n ? 0 : out->rest[i] * units[i];
}
