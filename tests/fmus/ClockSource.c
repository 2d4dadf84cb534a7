// SPDX-License-Identifier: MIT
// A clock that ticks every `period` seconds, at times the FMU announces as events, and a number that
// goes along with it.
#include <fmukit/fmukit.h>

typedef struct source {
    bool tick;
    int number;
    double period;
    double t0; // start of the simulation
    int n_ticks; // up to now
} source;

static const fmukit_variable variables[] = {
    {.name = "tick",
     .type = FMUKIT_CLOCK,
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(source, tick),
     .depends_on = FMUKIT_NO_INPUTS},
    {.name = "number",
     .description = "Square of the number of ticks",
     .type = FMUKIT_INTEGER,
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(source, number),
     .clocks = FMUKIT_CLOCKS("tick"),
     .depends_on = FMUKIT_NO_INPUTS},
    {.name = "period",
     .causality = FMUKIT_PARAMETER,
     .field = FMUKIT_FIELD(source, period),
     .start = {.real = 0.25},
     .range = FMUKIT_MIN(1e-3)},
};

static double next_time(const source *m)
{
    return m->t0 + (m->n_ticks + 1) * m->period;
}

static fmukit_status initialize(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu;
    source *m = model;
    m->t0 = t;
    return FMUKIT_OK;
}

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu;
    source *m = model;
    m->tick = t >= next_time(m);
    int n = m->n_ticks + m->tick;
    m->number = n * n;
    return FMUKIT_OK;
}

static fmukit_status event(fmukit_instance *fmu, void *model, double t, fmukit_event *event)
{
    (void)fmu, (void)t;
    source *m = model;
    if (m->tick) m->n_ticks++;
    event->has_next_time = true;
    event->next_time = next_time(m);
    return FMUKIT_OK;
}

static void state(fmukit_stream *s, void *model)
{
    source *m = model;
    fmukit_real(s, &m->t0);
    fmukit_integer(s, &m->n_ticks);
}

const fmukit_model fmukit_this_model = {
    .name = "ClockSource",
    .description = "A clock that ticks regularly",
    .version = "1",
    .size = sizeof(source),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .stop_time = 2,
    .step_size = 0.1,
    .functions = {.initialize = initialize, .evaluate = evaluate, .event = event, .state = state},
};
