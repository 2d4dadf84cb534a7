// SPDX-License-Identifier: MIT
// y = k u + c until an event at 0.5 s, then y = -k u + c: feedthrough that changes in event mode.
#include <fmukit/fmukit.h>

typedef struct event_gain {
    double u, y, k, c;
    bool is_turned;
} event_gain;

static const fmukit_variable variables[] = {
    {.name = "u", .causality = FMUKIT_INPUT, .field = FMUKIT_FIELD(event_gain, u)},
    {.name = "y",
     .causality = FMUKIT_OUTPUT,
     .initial = FMUKIT_CALCULATED,
     .field = FMUKIT_FIELD(event_gain, y)},
    {.name = "k",
     .causality = FMUKIT_PARAMETER,
     .field = FMUKIT_FIELD(event_gain, k),
     .start = {.real = 1}},
    {.name = "c", .causality = FMUKIT_PARAMETER, .field = FMUKIT_FIELD(event_gain, c)},
};

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    event_gain *m = model;
    m->y = (m->is_turned ? -m->k : m->k) * m->u + m->c;
    return FMUKIT_OK;
}

static fmukit_status event(fmukit_instance *fmu, void *model, double t, fmukit_event *event)
{
    (void)fmu;
    event_gain *m = model;
    m->is_turned = t >= 0.5;
    event->has_next_time = !m->is_turned;
    event->next_time = 0.5;
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    .name = "EventGain",
    .version = "1",
    .size = sizeof(event_gain),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .stop_time = 1,
    .step_size = 0.1,
    .functions = {.evaluate = evaluate, .event = event},
};
