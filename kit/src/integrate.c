// SPDX-License-Identifier: MIT
// Integration of continuous states for models without a `step` of their own: the explicit Runge-Kutta
// pair 5(4) of Dormand and Prince (1980) with step size control. An event is a change of sign of an
// indicator between two steps; a zero counts as negative. It is found by repeating the step with
// other lengths, down to the precision of the time. Two changes within one step would not be seen, so
// with indicators steps are not longer than the model's own step size, and short ones come first; where an
// indicator is near 0, as just behind an event, they begin at the resolution of time. In formulas: t, h, x, k
// (slopes).
//
// Inputs may move within a communication step: they are brought to the time of each stage. A good length
// is remembered from one communication step to the next, as a part of the state, so that a repeated step
// gives equal bits.
#include "core.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { N_STAGES = 7, MAX_STEPS = 10000000, MAX_TRIALS = 60 };

static const double nodes[N_STAGES] = {0, 1. / 5, 3. / 10, 4. / 5, 8. / 9, 1, 1};
static const double rows[N_STAGES][N_STAGES - 1] = {
    {0},
    {1. / 5},
    {3. / 40, 9. / 40},
    {44. / 45, -56. / 15, 32. / 9},
    {19372. / 6561, -25360. / 2187, 64448. / 6561, -212. / 729},
    {9017. / 3168, -355. / 33, 46732. / 5247, 49. / 176, -5103. / 18656},
    {35. / 384, 0, 500. / 1113, 125. / 192, -2187. / 6784, 11. / 84},
};
// Difference of the two formulas.
static const double errors[N_STAGES] = {71. / 57600,      0,         -71. / 16695, 71. / 1920,
                                        -17253. / 339200, 22. / 525, -1. / 40};

typedef struct job {
    fmukit_instance *fmu;
    size_t n, n_indicators;
    double t; ///< s
    double t_new; ///< s; behind the step
    double *x; ///< at t
    double *x_new; ///< behind the step
    double *k; ///< N_STAGES vectors
    bool has_first; ///< the first of them is known; it is the last one of the step before
    double *nominal;
    double *z, *z_new; ///< indicators at t and behind the step
    double tolerance; ///< relative
    double h_max; ///< s
    bool at_once; ///< an indicator changes its sign sooner than time can resolve
} job;

static void lay_out(job *j, fmukit_instance *fmu, double t)
{
    size_t n = fmukit_n_continuous(fmu);
    *j = (job){.fmu = fmu, .n = n, .n_indicators = fmukit_n_indicators(fmu), .t = t};
    j->x = fmu->work;
    j->x_new = j->x + n;
    j->nominal = j->x_new + n;
    j->k = j->nominal + n;
    j->z = j->k + N_STAGES * n;
    j->z_new = j->z + j->n_indicators;
    j->tolerance = fmu->tolerance > 0          ? fmu->tolerance
                   : fmu->model->tolerance > 0 ? fmu->model->tolerance
                                               : 1e-6;
}

static fmukit_status slopes(const job *j, double t, const double *x, double *k)
{
    fmukit_instance *fmu = j->fmu;
    fmu->time = t;
    fmukit_inputs_at(fmu, t);
    fmukit_write_states(fmu, x);
    return fmukit_read_derivatives(fmu, k);
}

// A step of length h with its estimated error (1: just as large as allowed; infinite: not possible). It ends
// at t_end, if it is not shorter. The last slopes are those behind the step: there the model is then, with all
// its values.
static fmukit_status try_step(job *j, double h, double t_end, double *error)
{
    double *at = j->x_new;
    *error = 0;
    j->t_new = h >= t_end - j->t ? t_end : j->t + h;
    for (int s = j->has_first ? 1 : 0; s < N_STAGES; s++) {
        for (size_t i = 0; i < j->n; i++) {
            double sum = 0;
            for (int r = 0; r < s; r++) sum += rows[s][r] * j->k[(size_t)r * j->n + i];
            at[i] = j->x[i] + h * sum;
        }
        double t = nodes[s] == 1 ? j->t_new : j->t + nodes[s] * h;
        fmukit_status status = slopes(j, t, at, j->k + (size_t)s * j->n);
        if (status == FMUKIT_DISCARD) *error = INFINITY;
        if (fmukit_is_failure(status)) return status == FMUKIT_DISCARD ? FMUKIT_OK : status;
        j->has_first = true;
    }
    for (size_t i = 0; i < j->n; i++) {
        double difference = 0;
        for (int s = 0; s < N_STAGES; s++) difference += errors[s] * j->k[(size_t)s * j->n + i];
        double size = fmax(fmax(fabs(j->x[i]), fabs(j->x_new[i])), 0.01 * j->nominal[i]);
        double share = fabs(h * difference) / (j->tolerance * size);
        *error = isnan(share) ? INFINITY : fmax(*error, share);
    }
    return fmukit_read_indicators(j->fmu, j->z_new);
}

static bool changes_sign(const job *j)
{
    for (size_t i = 0; i < j->n_indicators; i++)
        if ((j->z[i] > 0) != (j->z_new[i] > 0)) return true;
    return false;
}

// The shortest length behind the first change of sign; the step has been tried with it at the end.
static fmukit_status find_event(job *j, double *h, double t_end)
{
    double near = 0, far = *h, error;
    while (far - near > 4 * DBL_EPSILON * fmax(fabs(j->t + far), far)) {
        double middle = near + (far - near) / 2;
        if (!(middle > near && middle < far)) break;
        fmukit_status status = try_step(j, middle, t_end, &error);
        if (fmukit_is_failure(status)) return status;
        if (changes_sign(j))
            far = middle;
        else
            near = middle;
    }
    *h = far;
    return try_step(j, far, t_end, &error);
}

// A step that is accurate enough. `*h` is the length to try, and then the one of the step; `*next` a
// good one for the step after it.
static fmukit_status step(job *j, double t_end, double *h, double *next)
{
    for (int trial = 0; trial < MAX_TRIALS; trial++) {
        double error;
        fmukit_status status = try_step(j, *h, t_end, &error);
        if (fmukit_is_failure(status)) return status;
        double factor = isinf(error) ? 0.1 : 0.9 * pow(fmax(error, 1e-10), -0.2);
        *next = *h * fmin(trial == 0 ? 5 : 1, fmax(0.1, factor)); // no growth after a failure
        if (error <= 1) return FMUKIT_OK;
        *h = *next;
    }
    return fmukit_fail(j->fmu, FMUKIT_ERROR,
                       "the integration gets no further at time %.15g: its steps became tiny",
                       j->t);
}

// Indicators at time t, for the states x + h k with the first slopes.
static fmukit_status look_ahead(job *j, double t, double h)
{
    for (size_t i = 0; i < j->n; i++) j->x_new[i] = j->x[i] + h * j->k[i];
    j->fmu->time = t;
    fmukit_inputs_at(j->fmu, t);
    fmukit_write_states(j->fmu, j->x_new);
    return fmukit_read_indicators(j->fmu, j->z_new);
}

// With indicators: the length of the first step, at most `*h`. Just behind an event one may rise from 0 and fall
// again.
static fmukit_status begin_short(job *j, double *h)
{
    bool is_near = false;
    fmukit_status status = slopes(j, j->t, j->x, j->k);
    j->has_first = !fmukit_is_failure(status);
    if (!fmukit_is_failure(status)) status = look_ahead(j, j->t + *h, *h);
    for (size_t i = 0; i < j->n_indicators; i++)
        is_near |= !(fabs(j->z[i]) > 8 * fabs(j->z_new[i] - j->z[i]));
    if (is_near) *h = 4 * DBL_EPSILON * fmax(fabs(j->t), *h);
    if (is_near && !fmukit_is_failure(status)) status = look_ahead(j, j->t, 1e-100);
    j->at_once = is_near && !fmukit_is_failure(status) && changes_sign(j);
    j->fmu->time = j->t; // back to where the integration is
    fmukit_inputs_at(j->fmu, j->t);
    fmukit_write_states(j->fmu, j->x);
    return status == FMUKIT_DISCARD ? FMUKIT_OK : status;
}

// Takes one step. `*stops` at an event.
static fmukit_status go_on(job *j, double t_end, double *h, bool *stops)
{
    double length = fmin(fmin(*h, j->h_max), t_end - j->t), next = length;
    bool is_cut = length < *h;
    fmukit_status status = step(j, t_end, &length, &next);
    bool is_event = !fmukit_is_failure(status) && changes_sign(j);
    if (is_event) status = find_event(j, &length, t_end);
    if (fmukit_is_failure(status)) return status;
    // A step cut short is no reason to go on with shorter ones than before.
    if (!is_cut || next < length || next > *h) *h = next;
    j->t = j->t_new;
    memcpy(j->x, j->x_new, j->n * sizeof *j->x);
    memcpy(j->k, j->k + (N_STAGES - 1) * j->n, j->n * sizeof *j->k);
    memcpy(j->z, j->z_new, j->n_indicators * sizeof *j->z);
    bool asks = false;
    if (j->fmu->model->functions.step_completed) j->has_first = false; // it may keep values
    status = fmukit_complete_step(j->fmu, &asks);
    *stops = is_event || asks || j->at_once; // there and back again
    j->at_once = false;
    return status;
}

// The length of the first step: the one that has proved good, or all that is left.
static double choose_first(job *j, double t_end, fmukit_status *status)
{
    double known = j->fmu->inner_step, h = t_end - j->t;
    j->h_max = h;
    if (j->n_indicators == 0) return known > 0 ? known : h;
    j->h_max = j->fmu->model->step_size > 0 ? j->fmu->model->step_size : h / 10;
    double shortest = h = fmin(h, j->h_max) / 100;
    if (!fmukit_is_failure(*status)) *status = begin_short(j, &shortest);
    return shortest == h && known > h ? known : shortest;
}

static fmukit_status integrate(job *j, double t_end, bool *stops)
{
    fmukit_read_states(j->fmu, j->x);
    fmukit_read_nominals(j->fmu, j->nominal);
    fmukit_status status = fmukit_read_indicators(j->fmu, j->z);
    double h = choose_first(j, t_end, &status);
    for (long i = 0; !fmukit_is_failure(status) && j->t < t_end && !*stops; i++) {
        if (i == MAX_STEPS)
            return fmukit_fail(j->fmu, FMUKIT_ERROR,
                               "the integration needs more than %d steps up to time %.15g; the "
                               "equations may be stiff",
                               MAX_STEPS, t_end);
        status = go_on(j, t_end, &h, stops);
    }
    j->fmu->inner_step = *stops ? 0 : h; // behind an event all may be different
    return status;
}

fmukit_status fmukit_integrate(fmukit_instance *fmu, double t, double t_end)
{
    job j;
    bool stops = false;
    lay_out(&j, fmu, t);
    fmu->is_integrating = true;
    fmukit_status status = integrate(&j, t_end, &stops);
    fmu->is_integrating = false;
    fmu->time = t; // the step is not over yet
    fmu->is_stale |= fmukit_is_failure(status);
    if (fmukit_is_failure(status)) return status == FMUKIT_DISCARD ? FMUKIT_ERROR : status;
    fmukit_stopped_at(fmu, j.t);
    for (size_t i = 0; i < j.n_indicators; i++) fmu->signs[i] = j.z[i] > 0;
    return stops ? FMUKIT_EVENT : status;
}
