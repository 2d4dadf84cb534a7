// SPDX-License-Identifier: MIT
// A model whose steps wait and need no processor, for benchmarks with more ranks than processors: y' = u - y by one Euler step.
#define _POSIX_C_SOURCE 200809L // nanosleep()
#include <fmukit/fmukit.h>
#include <time.h>

typedef struct waits {
    double u, y, state, wait;
} waits;

enum { U, Y, WAIT };

static const fmukit_variable variables[] = {
    [U] = {.name = "u", .causality = FMUKIT_INPUT, .field = FMUKIT_FIELD(waits, u)},
    [Y] = {.name = "y",
           .causality = FMUKIT_OUTPUT,
           .field = FMUKIT_FIELD(waits, y),
           .depends_on = FMUKIT_NO_INPUTS},
    [WAIT] = {.name = "wait",
              .description = "real time that a communication step takes",
              .causality = FMUKIT_PARAMETER,
              .field = FMUKIT_FIELD(waits, wait),
              .unit = "s"},
};

static fmukit_status initialize(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    ((waits *)model)->state = 1;
    return FMUKIT_OK;
}

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    waits *m = model;
    m->y = m->state;
    return FMUKIT_OK;
}

static fmukit_status step(fmukit_instance *fmu, void *model, double t, double t_end)
{
    (void)fmu;
    waits *m = model;
    struct timespec pause = {(time_t)m->wait, (long)(1e9 * (m->wait - (double)(time_t)m->wait))};
    if (m->wait > 0) nanosleep(&pause, NULL);
    m->state += (t_end - t) * (m->u - m->state);
    return FMUKIT_OK;
}

static void state(fmukit_stream *s, void *model)
{
    fmukit_real(s, &((waits *)model)->state);
}

const fmukit_model fmukit_this_model = {
    .name = "Waits",
    .version = "1",
    .size = sizeof(waits),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .functions = {.initialize = initialize, .evaluate = evaluate, .step = step, .state = state},
};
