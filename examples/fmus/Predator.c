// SPDX-License-Identifier: MIT
// Lotka-Volterra, the predators, by its differential equation: y' = (d x - c) y. The same file is an FMU for
// co-simulation, integrated by the kit, and for model exchange.
#include <fmukit/fmukit.h>

typedef struct predator {
    double x, y, der_y;
    double c, d;
} predator;

enum { X, Y, DER_Y, C, D };

static const fmukit_variable variables[] = {
    [X] = {.name = "x",
           .description = "Number of prey",
           .causality = FMUKIT_INPUT,
           .field = FMUKIT_FIELD(predator, x)},
    [Y] = {.name = "y",
           .description = "Number of predators",
           .causality = FMUKIT_OUTPUT,
           .initial = FMUKIT_EXACT,
           .field = FMUKIT_FIELD(predator, y),
           .start = {.real = 10},
           .nominal = 10},
    [DER_Y] = {.name = "der(y)", .field = FMUKIT_FIELD(predator, der_y), .derivative_of = "y"},
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
};

static const fmukit_unit units[] = {{.name = "1/s", .s = -1}};

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    predator *m = model;
    m->der_y = (m->d * m->x - m->c) * m->y;
    return FMUKIT_OK;
}

static fmukit_status derivative(fmukit_instance *fmu, void *model, fmukit_element unknown,
                                fmukit_element known, double *value)
{
    (void)fmu;
    const predator *m = model;
    if (unknown.variable == DER_Y && known.variable == Y) *value = m->d * m->x - m->c;
    if (unknown.variable == DER_Y && known.variable == X) *value = m->d * m->y;
    if (unknown.variable == Y && known.variable == Y) *value = 1;
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    .name = "Predator",
    .description = "Lotka-Volterra: predators, by its differential equation",
    .version = "1",
    .size = sizeof(predator),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .units = units,
    .n_units = sizeof units / sizeof *units,
    .stop_time = 100,
    .step_size = 0.1,
    .functions = {.evaluate = evaluate, .derivative = derivative},
};
