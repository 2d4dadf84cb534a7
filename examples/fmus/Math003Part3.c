// SPDX-License-Identifier: MIT
// Math003, part 3: an integrator, x4' = 2 x3. Its input is held during a step, so the step is exact.
#include <fmukit/fmukit.h>

typedef struct integrator {
    double x3, x4;
    double y; // the integral
} integrator;

static const fmukit_variable variables[] = {
    {.name = "x3", .causality = FMUKIT_INPUT, .field = FMUKIT_FIELD(integrator, x3)},
    {.name = "x4",
     .description = "Integral of 2 x3",
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(integrator, x4),
     .depends_on = FMUKIT_NO_INPUTS},
};

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    integrator *m = model;
    m->x4 = m->y;
    return FMUKIT_OK;
}

static fmukit_status step(fmukit_instance *fmu, void *model, double t, double t_end)
{
    (void)fmu;
    integrator *m = model;
    m->y += (t_end - t) * m->x3 * 2;
    return FMUKIT_OK;
}

static void state(fmukit_stream *s, void *model)
{
    integrator *m = model;
    fmukit_real(s, &m->y);
}

const fmukit_model fmukit_this_model = {
    .name = "Math003Part3",
    .description = "Math003: integrator",
    .version = "1",
    .size = sizeof(integrator),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .stop_time = 10,
    .step_size = 0.1,
    .functions = {.evaluate = evaluate, .step = step, .state = state},
};
