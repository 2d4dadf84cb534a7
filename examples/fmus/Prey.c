// SPDX-License-Identifier: MIT
// Lotka-Volterra, the prey, by its differential equation: x' = (a - b y) x. The same file is an FMU for
// co-simulation, integrated by the kit, and for model exchange.
#include <fmukit/fmukit.h>

typedef struct prey {
    double y, x, der_x;
    double a, b;
} prey;

enum { Y, X, DER_X, A, B };

static const fmukit_variable variables[] = {
    [Y] = {.name = "y",
           .description = "Number of predators",
           .causality = FMUKIT_INPUT,
           .field = FMUKIT_FIELD(prey, y)},
    [X] = {.name = "x",
           .description = "Number of prey",
           .causality = FMUKIT_OUTPUT,
           .initial = FMUKIT_EXACT,
           .field = FMUKIT_FIELD(prey, x),
           .start = {.real = 10},
           .nominal = 10},
    [DER_X] = {.name = "der(x)", .field = FMUKIT_FIELD(prey, der_x), .derivative_of = "x"},
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
};

static const fmukit_unit units[] = {{.name = "1/s", .s = -1}};

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    prey *m = model;
    m->der_x = (m->a - m->b * m->y) * m->x;
    return FMUKIT_OK;
}

static fmukit_status derivative(fmukit_instance *fmu, void *model, fmukit_element unknown,
                                fmukit_element known, double *value)
{
    (void)fmu;
    const prey *m = model;
    if (unknown.variable == DER_X && known.variable == X) *value = m->a - m->b * m->y;
    if (unknown.variable == DER_X && known.variable == Y) *value = -m->b * m->x;
    if (unknown.variable == X && known.variable == X) *value = 1;
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    .name = "Prey",
    .description = "Lotka-Volterra: prey, by its differential equation",
    .version = "1",
    .size = sizeof(prey),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .units = units,
    .n_units = sizeof units / sizeof *units,
    .stop_time = 100,
    .step_size = 0.1,
    .functions = {.evaluate = evaluate, .derivative = derivative},
};
