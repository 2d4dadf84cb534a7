// SPDX-License-Identifier: MIT
// x' = -x with something odd at t >= 0.5, for model exchange only: what a program that integrates must notice or bear.
#include <fmukit/fmukit.h>

#include <math.h>
#include <unistd.h>

// What happens.
enum {
    NOTHING,
    NOT_A_NUMBER, // the derivative
    FAILS, // evaluate returns an error
    DISCARDS, // no state is possible
    NEVER_RESTS, // the discrete states
    SAME_TIME, // demands an event at once, again and again
    CHATTERS, // the indicator changes its sign wherever the state goes
    ENDS, // wants the simulation to end
    STEP_EVENTS, // after steps of the integrator
    CLOCKWORK, // a time event every 0.1 s from the start on
    HANGS, // evaluate does not return for an hour
    FIRST_AT_START, // a clockwork whose first event is due at the start, and is demanded there
    ALWAYS_AT_ONCE, // every update demands the next event at its own time, from the start on
};

typedef struct oddities {
    double x, der_x, z;
    int mode, events;
    double last_event;
    bool is_up;
    double next;
} oddities;

static const fmukit_variable variables[] = {
    {.name = "x",
     .causality = FMUKIT_OUTPUT,
     .initial = FMUKIT_EXACT,
     .field = FMUKIT_FIELD(oddities, x),
     .start = {.real = 1}},
    {.name = "der(x)", .field = FMUKIT_FIELD(oddities, der_x), .derivative_of = "x"},
    {.name = "z", .field = FMUKIT_FIELD(oddities, z), .is_indicator = true},
    {.name = "mode",
     .type = FMUKIT_INTEGER,
     .causality = FMUKIT_PARAMETER,
     .field = FMUKIT_FIELD(oddities, mode)},
    {.name = "events",
     .type = FMUKIT_INTEGER,
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(oddities, events)},
    {.name = "last_event",
     .description = "When the last event happened",
     .causality = FMUKIT_OUTPUT,
     .variability = FMUKIT_DISCRETE,
     .unit = "s",
     .field = FMUKIT_FIELD(oddities, last_event)},
};

static fmukit_status initialize(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu;
    oddities *m = model;
    m->next = t + 0.1;
    return FMUKIT_OK;
}

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    oddities *m = model;
    bool is_odd = t >= 0.5;
    m->der_x = -m->x;
    m->z = 0.5 - t;
    if (m->mode == NOT_A_NUMBER && is_odd) m->der_x = NAN;
    if (m->mode == CHATTERS && is_odd) m->der_x = m->is_up ? -1 : 1;
    if (m->mode == CHATTERS) m->z = is_odd ? m->x - 0.6 : 1;
    if (m->mode == STEP_EVENTS || m->mode == CLOCKWORK || m->mode >= FIRST_AT_START) m->z = 1;
    if (m->mode == HANGS && is_odd) sleep(3600);
    if (m->mode == DISCARDS && is_odd) return FMUKIT_DISCARD;
    if (m->mode != FAILS || !is_odd) return FMUKIT_OK;
    fmukit_log(fmu, FMUKIT_ERROR, NULL, "the pump is dry");
    return FMUKIT_ERROR;
}

static fmukit_status event(fmukit_instance *fmu, void *model, double t, fmukit_event *event)
{
    (void)fmu;
    oddities *m = model;
    m->events++;
    m->last_event = t;
    bool is_odd = t >= 0.5;
    event->again = m->mode == NEVER_RESTS && is_odd;
    event->terminate = m->mode == ENDS && is_odd;
    m->is_up = m->x > 0.6;
    if (m->mode == CLOCKWORK) {
        if (t >= m->next) m->next = 0.1 * floor(t / 0.1 + 1.5);
        event->has_next_time = true;
        event->next_time = m->next;
    }
    if (m->mode == FIRST_AT_START) {
        event->has_next_time = true;
        event->next_time = m->events == 1 ? t : t + 0.1;
    }
    if ((m->mode == SAME_TIME && is_odd) || m->mode == ALWAYS_AT_ONCE) {
        event->has_next_time = true;
        event->next_time = t;
    }
    return FMUKIT_OK;
}

static fmukit_status step_completed(fmukit_instance *fmu, void *model, double t, bool *has_event)
{
    (void)fmu;
    oddities *m = model;
    *has_event = m->mode == STEP_EVENTS && t >= 0.5 && m->events < 2;
    return FMUKIT_OK;
}

static void state(fmukit_stream *s, void *model)
{
    oddities *m = model;
    fmukit_boolean(s, &m->is_up);
    fmukit_real(s, &m->next);
}

const fmukit_model fmukit_this_model = {
    .name = "Oddities",
    .version = "1",
    .size = sizeof(oddities),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .stop_time = 1,
    .step_size = 0.1,
    .interfaces = FMUKIT_MODEL_EXCHANGE,
    .functions = {.initialize = initialize,
                  .evaluate = evaluate,
                  .event = event,
                  .step_completed = step_completed,
                  .state = state},
};
