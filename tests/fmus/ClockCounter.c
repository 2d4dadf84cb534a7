// SPDX-License-Identifier: MIT
// Counts the ticks of two clocks: one that is triggered from outside and comes with a number, and a
// periodic one, which the importing program lets tick.
#include <fmukit/fmukit.h>

typedef struct counter {
    bool tick, sample;
    int number;
    int ticks, sum, samples;
    int previous_ticks, previous_sum, previous_samples;
} counter;

static const fmukit_variable variables[] = {
    {.name = "tick",
     .type = FMUKIT_CLOCK,
     .causality = FMUKIT_INPUT,
     .field = FMUKIT_FIELD(counter, tick)},
    {.name = "number",
     .type = FMUKIT_INTEGER,
     .causality = FMUKIT_INPUT,
     .field = FMUKIT_FIELD(counter, number),
     .clocks = FMUKIT_CLOCKS("tick")},
    {.name = "sample",
     .type = FMUKIT_CLOCK,
     .causality = FMUKIT_INPUT,
     .field = FMUKIT_FIELD(counter, sample),
     .clock = {.kind = FMUKIT_PERIODIC, .interval = 0.5, .shift = 0.25}},
    {.name = "ticks",
     .type = FMUKIT_INTEGER,
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(counter, ticks),
     .depends_on = FMUKIT_INPUTS("tick")},
    {.name = "sum",
     .description = "Sum of all numbers that came with a tick",
     .type = FMUKIT_INTEGER,
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(counter, sum),
     .depends_on = FMUKIT_INPUTS("tick", "number")},
    {.name = "samples",
     .type = FMUKIT_INTEGER,
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(counter, samples),
     .depends_on = FMUKIT_INPUTS("sample")},
};

// What the counts will be, if the clocks that tick now are the right ones.
static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    counter *m = model;
    m->ticks = m->previous_ticks + m->tick;
    m->sum = m->previous_sum + (m->tick ? m->number : 0);
    m->samples = m->previous_samples + m->sample;
    return FMUKIT_OK;
}

static fmukit_status event(fmukit_instance *fmu, void *model, double t, fmukit_event *event)
{
    (void)fmu, (void)t, (void)event;
    counter *m = model;
    m->previous_ticks = m->ticks;
    m->previous_sum = m->sum;
    m->previous_samples = m->samples;
    return FMUKIT_OK;
}

static void state(fmukit_stream *s, void *model)
{
    counter *m = model;
    fmukit_integer(s, &m->previous_ticks);
    fmukit_integer(s, &m->previous_sum);
    fmukit_integer(s, &m->previous_samples);
}

const fmukit_model fmukit_this_model = {
    .name = "ClockCounter",
    .description = "Counts the ticks of two clocks",
    .version = "1",
    .size = sizeof(counter),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .stop_time = 2,
    .step_size = 0.1,
    .functions = {.evaluate = evaluate, .event = event, .state = state},
};
