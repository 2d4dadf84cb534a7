// SPDX-License-Identifier: MIT
// Lotka-Volterra, the predators: y' = (d x - c) y. The number of prey x is held during a step, so
// y changes exponentially and the step is exact.
#include <fmukit/fmukit.h>

#include <math.h>

typedef struct predator {
    double x, y;
    double c, d, y0;
    double population;
} predator;

enum { X, Y, C, D, Y0 };

static const fmukit_variable variables[] = {
    [X] = {.name = "x",
           .description = "Number of prey",
           .causality = FMUKIT_INPUT,
           .field = FMUKIT_FIELD(predator, x)},
    [Y] = {.name = "y",
           .description = "Number of predators",
           .causality = FMUKIT_OUTPUT,
           .field = FMUKIT_FIELD(predator, y),
           .depends_on = FMUKIT_NO_INPUTS},
    [C] = {.name = "c",
           .description = "Death rate without prey",
           .causality = FMUKIT_PARAMETER,
           .unit = "1/s",
           .field = FMUKIT_FIELD(predator, c),
           .start = {.real = 0.4}},
    [D] = {.name = "d",
           .description = "Growth rate per prey",
           .causality = FMUKIT_PARAMETER,
           .unit = "1/s",
           .field = FMUKIT_FIELD(predator, d),
           .start = {.real = 0.02}},
    [Y0] = {.name = "y0",
            .description = "Number of predators at the beginning",
            .causality = FMUKIT_PARAMETER,
            .field = FMUKIT_FIELD(predator, y0),
            .start = {.real = 10},
            .range = FMUKIT_MIN(0)},
};

static const fmukit_unit units[] = {{.name = "1/s", .s = -1}};

static fmukit_status initialize(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    predator *m = model;
    m->population = m->y0;
    return FMUKIT_OK;
}

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    predator *m = model;
    m->y = m->population;
    return FMUKIT_OK;
}

static fmukit_status step(fmukit_instance *fmu, void *model, double t, double t_end)
{
    (void)fmu;
    predator *m = model;
    m->population = m->population * exp((m->d * m->x - m->c) * (t_end - t));
    return FMUKIT_OK;
}

static fmukit_status output_derivative(fmukit_instance *fmu, void *model, fmukit_element output,
                                       int order, double *value)
{
    (void)fmu, (void)output, (void)order; // only y, only the first
    const predator *m = model;
    *value = (m->d * m->x - m->c) * m->population;
    return FMUKIT_OK;
}

static void state(fmukit_stream *s, void *model)
{
    predator *m = model;
    fmukit_real(s, &m->population);
}

const fmukit_model fmukit_this_model = {
    .name = "LotkaVolterraPredator",
    .description = "Predators of the Lotka-Volterra equations",
    .version = "1",
    .size = sizeof(predator),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .units = units,
    .n_units = sizeof units / sizeof *units,
    .stop_time = 100,
    .step_size = 0.1,
    .max_output_derivative_order = 1,
    .functions = {.initialize = initialize,
                  .evaluate = evaluate,
                  .step = step,
                  .output_derivative = output_derivative,
                  .state = state},
};
