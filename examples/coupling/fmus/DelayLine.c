// SPDX-License-Identifier: MIT
// y(t) = u(t - delay), q = y^2. The samples of u at communication points are the hidden state; values
// in between are interpolated. Before the first sample y is 0. Steps longer than the delay are
// refused: y would depend on u at once.
#include <string.h>

#include "common.h"

typedef struct sample {
    double t, u;
} sample;

typedef struct model {
    double u, y, q, delay;
    sample *samples; // in the order of time
    size_t n_samples;
} model;

static const fmukit_variable variables[] = {
    INPUT(u, NULL),
    OUTPUT(y, FMUKIT_NO_INPUTS, "u(t - delay)"),
    OUTPUT(q, FMUKIT_NO_INPUTS, "y^2"),
    {.name = "delay",
     .description = "s",
     .causality = FMUKIT_PARAMETER,
     .field = FMUKIT_FIELD(model, delay),
     .start = {.real = 0.5},
     .range = FMUKIT_MIN(1e-9)},
};

static void destroy(fmukit_instance *fmu, void *data)
{
    model *m = data;
    fmukit_free(fmu, m->samples);
}

// u at a time in the past. Samples that differ by rounding only are the same time.
static double u_at(const model *m, double t)
{
    double latest = t + 1e-9 * m->delay;
    if (m->n_samples == 0 || m->samples[0].t > latest) return 0;
    size_t i = 0;
    while (i + 1 < m->n_samples && m->samples[i + 1].t <= latest) i++;
    const sample *a = &m->samples[i];
    if (i + 1 == m->n_samples || t <= a->t) return a->u;
    return a->u + (t - a->t) / (a[1].t - a->t) * (a[1].u - a->u);
}

static fmukit_status evaluate(fmukit_instance *fmu, void *data, double t)
{
    (void)fmu;
    model *m = data;
    m->y = u_at(m, t - m->delay);
    m->q = m->y * m->y;
    return FMUKIT_OK;
}

// Samples that are needed no more: all before the last one that is older than the delay.
static size_t count_old(const model *m, double t)
{
    size_t n = 0;
    while (n + 1 < m->n_samples && m->samples[n + 1].t <= t - m->delay) n++;
    return n;
}

static fmukit_status step(fmukit_instance *fmu, void *data, double t, double t_end)
{
    model *m = data;
    if (t_end - t > m->delay * (1 + 1e-9)) {
        fmukit_log(fmu, FMUKIT_ERROR, NULL, "the step of %.15g s is longer than the delay of %g s",
                   t_end - t, m->delay);
        return FMUKIT_ERROR;
    }
    size_t n_old = count_old(m, t), n_kept = m->n_samples - n_old;
    sample *samples = fmukit_alloc(fmu, n_kept + 1, sizeof *samples);
    if (!samples) return FMUKIT_ERROR;
    if (n_kept) memcpy(samples, m->samples + n_old, n_kept * sizeof *samples);
    samples[n_kept] = (sample){t_end, m->u};
    fmukit_free(fmu, m->samples);
    m->samples = samples;
    m->n_samples = n_kept + 1;
    return check_inputs(fmu, m, t);
}

static void state(fmukit_stream *s, void *data)
{
    model *m = data;
    fmukit_buffer(s, &m->samples, &m->n_samples, sizeof *m->samples);
}

const fmukit_model fmukit_this_model = {
    MODEL("DelayLine", "Delays its input"),
    .functions = {.destroy = destroy, .evaluate = evaluate, .step = step, .state = state},
};
