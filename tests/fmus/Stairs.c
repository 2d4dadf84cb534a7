// SPDX-License-Identifier: MIT
// Counts seconds by time events; an FMU for both interfaces without any continuous state.
#include <fmukit/fmukit.h>

typedef struct stairs {
    int n;
    double t_last;
} stairs;

static const fmukit_variable variables[] = {
    {.name = "n",
     .type = FMUKIT_INTEGER,
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(stairs, n),
     .depends_on = FMUKIT_NO_INPUTS},
    {.name = "t_last",
     .description = "When it was counted last",
     .causality = FMUKIT_OUTPUT,
     .variability = FMUKIT_DISCRETE,
     .unit = "s",
     .field = FMUKIT_FIELD(stairs, t_last),
     .depends_on = FMUKIT_NO_INPUTS},
};

static fmukit_status event(fmukit_instance *fmu, void *model, double t, fmukit_event *event)
{
    (void)fmu;
    stairs *m = model;
    if (t >= m->n + 1) {
        m->n++;
        m->t_last = t;
    }
    event->has_next_time = true;
    event->next_time = m->n + 1;
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    .name = "Stairs",
    .version = "1",
    .size = sizeof(stairs),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .stop_time = 10,
    .step_size = 0.3,
    .interfaces = FMUKIT_CO_SIMULATION | FMUKIT_MODEL_EXCHANGE,
    .functions = {.event = event},
};
