// SPDX-License-Identifier: MIT
// The controller of the heating plant: a PI controller whose goal follows the weather. See plant.h.
#include <fmukit/fmukit.h>

#include "plant.h"

typedef struct controller {
    double T, T_out, level, sum, der_sum;
} controller;

static const fmukit_variable variables[] = {
    {.name = "T",
     .description = "Water in the tank",
     .causality = FMUKIT_INPUT,
     .unit = "degC",
     .field = FMUKIT_FIELD(controller, T),
     .start = {.real = 35}},
    {.name = "T_out",
     .description = "Air outside",
     .causality = FMUKIT_INPUT,
     .unit = "degC",
     .field = FMUKIT_FIELD(controller, T_out)},
    {.name = "level",
     .description = "Of the boiler, 0 to 1",
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(controller, level)},
    {.name = "sum",
     .description = "Integral part",
     .initial = FMUKIT_EXACT,
     .field = FMUKIT_FIELD(controller, sum)},
    {.name = "der(sum)",
     .unit = "1/s",
     .field = FMUKIT_FIELD(controller, der_sum),
     .derivative_of = "sum"},
};

static const fmukit_unit units[] = {{.name = "1/s", .s = -1},
                                    {.name = "degC", .K = 1, .offset = 273.15}};

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    controller *m = model;
    m->level = controller_level(m->T, m->T_out, m->sum);
    m->der_sum = controller_rate(m->T, m->T_out, m->sum);
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    .name = "Controller",
    .description = "Controller of a boiler, by the weather",
    .version = "1",
    .size = sizeof(controller),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .units = units,
    .n_units = sizeof units / sizeof *units,
    .step_size = 900,
    .functions = {.evaluate = evaluate},
};
