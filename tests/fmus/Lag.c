// SPDX-License-Identifier: MIT
// A lag: T x' = u - x. Integrated by the kit, with an input that may move within a step.
#include <fmukit/fmukit.h>

typedef struct lag {
    double u, x, der_x;
    double time_constant;
} lag;

enum { U, X, DER_X, TIME_CONSTANT };

static const fmukit_variable variables[] = {
    [U] = {.name = "u", .causality = FMUKIT_INPUT, .field = FMUKIT_FIELD(lag, u)},
    [X] = {.name = "x",
           .causality = FMUKIT_OUTPUT,
           .initial = FMUKIT_EXACT,
           .field = FMUKIT_FIELD(lag, x),
           .depends_on = FMUKIT_NO_INPUTS},
    [DER_X] = {.name = "der(x)", .field = FMUKIT_FIELD(lag, der_x), .derivative_of = "x"},
    [TIME_CONSTANT] = {.name = "T",
                       .description = "Time constant",
                       .causality = FMUKIT_PARAMETER,
                       .variability = FMUKIT_TUNABLE,
                       .unit = "s",
                       .field = FMUKIT_FIELD(lag, time_constant),
                       .start = {.real = 1}},
};

static const fmukit_unit units[] = {{.name = "s", .s = 1}};

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    lag *m = model;
    m->der_x = (m->u - m->x) / m->time_constant;
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    .name = "Lag",
    .description = "A lag of first order",
    .version = "1",
    .size = sizeof(lag),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .units = units,
    .n_units = sizeof units / sizeof *units,
    .stop_time = 10,
    .step_size = 0.1,
    .functions = {.evaluate = evaluate},
};
