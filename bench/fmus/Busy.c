// SPDX-License-Identifier: MIT
// A model whose steps take as long as wanted, for benchmarks: y' = u - y by many small Euler steps.
#include <fmukit/fmukit.h>

typedef struct busy {
    double u, y, state;
    int32_t turns;
} busy;

enum { U, Y, TURNS };

static const fmukit_variable variables[] = {
    [U] = {.name = "u", .causality = FMUKIT_INPUT, .field = FMUKIT_FIELD(busy, u)},
    [Y] = {.name = "y",
           .causality = FMUKIT_OUTPUT,
           .field = FMUKIT_FIELD(busy, y),
           .depends_on = FMUKIT_NO_INPUTS},
    [TURNS] = {.name = "turns",
               .description = "Euler steps in a communication step",
               .type = FMUKIT_INT32,
               .causality = FMUKIT_PARAMETER,
               .field = FMUKIT_FIELD(busy, turns),
               .start = {.integer = 1},
               .range = FMUKIT_MIN(1)},
};

static fmukit_status initialize(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    ((busy *)model)->state = 1;
    return FMUKIT_OK;
}

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    busy *m = model;
    m->y = m->state;
    return FMUKIT_OK;
}

static fmukit_status step(fmukit_instance *fmu, void *model, double t, double t_end)
{
    (void)fmu;
    busy *m = model;
    double h = (t_end - t) / m->turns;
    for (int i = 0; i < m->turns; i++) m->state += h * (m->u - m->state);
    return FMUKIT_OK;
}

static void state(fmukit_stream *s, void *model)
{
    fmukit_real(s, &((busy *)model)->state);
}

const fmukit_model fmukit_this_model = {
    .name = "Busy",
    .version = "1",
    .size = sizeof(busy),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .functions = {.initialize = initialize, .evaluate = evaluate, .step = step, .state = state},
};
