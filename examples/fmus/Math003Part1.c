// SPDX-License-Identifier: MIT
// Math003, part 1: two signals that switch on and off at fixed times. The control loop Math003 is
// from A. Nicolai, "MASTERSIM - Masteralgorithmen für die FMI Co-Simulation".
#include <fmukit/fmukit.h>

typedef struct signals {
    double x1, x2;
} signals;

static const fmukit_variable variables[] = {
    {.name = "x1",
     .description = "1 in [1, 2) and from 5 on, else 0",
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(signals, x1),
     .depends_on = FMUKIT_NO_INPUTS},
    {.name = "x2",
     .description = "1 in [3, 4) and from 6 on, else 0",
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(signals, x2),
     .depends_on = FMUKIT_NO_INPUTS},
};

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu;
    signals *m = model;
    m->x1 = t < 1 || (t >= 2 && t < 5) ? 0 : 1;
    m->x2 = t < 3 || (t >= 4 && t < 6) ? 0 : 1;
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    .name = "Math003Part1",
    .description = "Math003: signals x1 and x2 that switch at fixed times",
    .version = "1",
    .size = sizeof(signals),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .stop_time = 10,
    .step_size = 0.1,
    .functions = {.evaluate = evaluate},
};
