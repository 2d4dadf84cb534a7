// SPDX-License-Identifier: MIT
// Lotka-Volterra, the prey: x' = (a - b y) x. The number of predators y is held during a step, so
// x grows exponentially and the step is exact.
#include <fmukit/fmukit.h>

#include <math.h>

typedef struct prey {
    double y, x;
    double a, b, x0;
    double population;
} prey;

enum { Y, X, A, B, X0 };

static const fmukit_variable variables[] = {
    [Y] = {.name = "y",
           .description = "Number of predators",
           .causality = FMUKIT_INPUT,
           .field = FMUKIT_FIELD(prey, y)},
    [X] = {.name = "x",
           .description = "Number of prey",
           .causality = FMUKIT_OUTPUT,
           .field = FMUKIT_FIELD(prey, x),
           .depends_on = FMUKIT_NO_INPUTS},
    [A] = {.name = "a",
           .description = "Growth rate without predators",
           .causality = FMUKIT_PARAMETER,
           .unit = "1/s",
           .field = FMUKIT_FIELD(prey, a),
           .start = {.real = 0.1}},
    [B] = {.name = "b",
           .description = "Death rate per predator",
           .causality = FMUKIT_PARAMETER,
           .unit = "1/s",
           .field = FMUKIT_FIELD(prey, b),
           .start = {.real = 0.02}},
    [X0] = {.name = "x0",
            .description = "Number of prey at the beginning",
            .causality = FMUKIT_PARAMETER,
            .field = FMUKIT_FIELD(prey, x0),
            .start = {.real = 10},
            .range = FMUKIT_MIN(0)},
};

static const fmukit_unit units[] = {{.name = "1/s", .s = -1}};

static fmukit_status initialize(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    prey *m = model;
    m->population = m->x0;
    return FMUKIT_OK;
}

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    prey *m = model;
    m->x = m->population;
    return FMUKIT_OK;
}

static fmukit_status step(fmukit_instance *fmu, void *model, double t, double t_end)
{
    (void)fmu;
    prey *m = model;
    m->population = m->population * exp((m->a - m->b * m->y) * (t_end - t));
    return FMUKIT_OK;
}

static fmukit_status output_derivative(fmukit_instance *fmu, void *model, fmukit_element output,
                                       int order, double *value)
{
    (void)fmu, (void)output, (void)order; // only x, only the first
    const prey *m = model;
    *value = (m->a - m->b * m->y) * m->population;
    return FMUKIT_OK;
}

static void state(fmukit_stream *s, void *model)
{
    prey *m = model;
    fmukit_real(s, &m->population);
}

const fmukit_model fmukit_this_model = {
    .name = "LotkaVolterraPrey",
    .description = "Prey of the Lotka-Volterra equations",
    .version = "1",
    .size = sizeof(prey),
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
