// SPDX-License-Identifier: MIT
// Math003, part 2: a switching controller without memory, so its output follows its inputs at once
// (direct feedthrough). The limits are the papers'; x1 = 1 is tested as x1 > 0.999.
#include <fmukit/fmukit.h>

typedef struct controller {
    double x1, x2, x4, x3;
} controller;

static const fmukit_variable variables[] = {
    {.name = "x1", .causality = FMUKIT_INPUT, .field = FMUKIT_FIELD(controller, x1)},
    {.name = "x2", .causality = FMUKIT_INPUT, .field = FMUKIT_FIELD(controller, x2)},
    {.name = "x4", .causality = FMUKIT_INPUT, .field = FMUKIT_FIELD(controller, x4)},
    {.name = "x3",
     .description = "Control signal: 3, -3 or 0",
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(controller, x3),
     .depends_on = FMUKIT_INPUTS("x1", "x2", "x4")},
};

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    controller *m = model;
    if (m->x1 > 0.999 && m->x2 < 0.01 && m->x4 < 2.5)
        m->x3 = 3;
    else if (m->x1 < 0.001 && m->x2 > 0 && m->x4 > -2.5)
        m->x3 = -3;
    else
        m->x3 = 0;
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    .name = "Math003Part2",
    .description = "Math003: switching controller",
    .version = "1",
    .size = sizeof(controller),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .stop_time = 10,
    .step_size = 0.1,
    .functions = {.evaluate = evaluate},
};
