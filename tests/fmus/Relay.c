// SPDX-License-Identifier: MIT
// A switch with hysteresis, written for model exchange: on above 0.75, off below 0.25. While it is on,
// x' = 1. Inputs alone cause its events, also one that is discrete: `inverted` says that on is off.
#include <fmukit/fmukit.h>

typedef struct relay {
    double u, x, der_x, distance;
    bool inverted, is_on, is_inverted;
    int switches;
} relay;

static const fmukit_variable variables[] = {
    {.name = "u", .causality = FMUKIT_INPUT, .field = FMUKIT_FIELD(relay, u)},
    {.name = "inverted",
     .type = FMUKIT_BOOLEAN,
     .causality = FMUKIT_INPUT,
     .variability = FMUKIT_DISCRETE,
     .field = FMUKIT_FIELD(relay, inverted)},
    {.name = "x",
     .causality = FMUKIT_OUTPUT,
     .initial = FMUKIT_EXACT,
     .field = FMUKIT_FIELD(relay, x),
     .depends_on = FMUKIT_NO_INPUTS},
    {.name = "der(x)",
     .field = FMUKIT_FIELD(relay, der_x),
     .derivative_of = "x",
     .depends_on = FMUKIT_NO_INPUTS,
     .depends_on_states = FMUKIT_NO_STATES},
    {.name = "distance",
     .description = "To the next change of the switch",
     .field = FMUKIT_FIELD(relay, distance),
     .is_indicator = true,
     .depends_on_states = FMUKIT_NO_STATES},
    {.name = "on",
     .type = FMUKIT_BOOLEAN,
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(relay, is_on),
     .depends_on = FMUKIT_NO_INPUTS,
     .depends_on_states = FMUKIT_NO_STATES},
    {.name = "switches",
     .type = FMUKIT_INTEGER,
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(relay, switches),
     .depends_on = FMUKIT_NO_INPUTS,
     .depends_on_states = FMUKIT_NO_STATES},
};

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    relay *m = model;
    m->der_x = m->is_on != m->is_inverted;
    m->distance = m->is_on ? m->u - 0.25 : 0.75 - m->u;
    return FMUKIT_OK;
}

static fmukit_status event(fmukit_instance *fmu, void *model, double t, fmukit_event *event)
{
    (void)fmu, (void)t, (void)event;
    relay *m = model;
    m->is_inverted = m->inverted;
    if (m->distance > 0) return FMUKIT_OK;
    m->is_on = !m->is_on;
    m->switches++;
    return FMUKIT_OK;
}

static void state(fmukit_stream *s, void *model)
{
    relay *m = model;
    fmukit_boolean(s, &m->is_inverted);
}

const fmukit_model fmukit_this_model = {
    .name = "Relay",
    .description = "A switch with hysteresis",
    .version = "1",
    .size = sizeof(relay),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .stop_time = 1,
    .step_size = 0.1,
    .functions = {.evaluate = evaluate, .event = event, .state = state},
};
