// SPDX-License-Identifier: MIT
// Clocks whose times the FMU gives in other ways than by a decimal number: `third` ticks three times a
// second, `changing` after 0.1, 0.2, 0.3, ... s, and `countdown` 0.05 s after each tick of `third`.
#include <fmukit/fmukit.h>

enum { THIRD, CHANGING, COUNTDOWN, N_CLOCKS };

typedef struct timer {
    bool clocks[N_CLOCKS];
    int ticks[N_CLOCKS], before[N_CLOCKS];
    bool is_armed; // the countdown is to be announced
} timer;

#define CLOCK(name_, index, ...)                                                                   \
    [index] = {.name = name_,                                                                      \
               .type = FMUKIT_CLOCK,                                                               \
               .causality = FMUKIT_INPUT,                                                          \
               .field = FMUKIT_FIELD(timer, clocks[index]),                                        \
               .clock = {__VA_ARGS__}}
#define TICKS(name_, index, clock_)                                                                \
    {                                                                                              \
        .name = name_, .type = FMUKIT_INTEGER, .causality = FMUKIT_OUTPUT,                         \
        .field = FMUKIT_FIELD(timer, ticks[index]), .depends_on = FMUKIT_INPUTS(clock_)            \
    }

static const fmukit_variable variables[] = {
    CLOCK("third", THIRD, .kind = FMUKIT_PERIODIC, .counter = 1, .shift_counter = 1,
          .resolution = 3),
    CLOCK("changing", CHANGING, .kind = FMUKIT_CHANGING),
    CLOCK("countdown", COUNTDOWN, .kind = FMUKIT_COUNTDOWN),
    TICKS("thirds", THIRD, "third"),
    TICKS("changes", CHANGING, "changing"),
    TICKS("countdowns", COUNTDOWN, "countdown"),
};

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    timer *m = model;
    for (int i = 0; i < N_CLOCKS; i++) m->ticks[i] = m->before[i] + m->clocks[i];
    return FMUKIT_OK;
}

static fmukit_status event(fmukit_instance *fmu, void *model, double t, fmukit_event *event)
{
    (void)fmu, (void)t, (void)event;
    timer *m = model;
    if (m->clocks[THIRD]) m->is_armed = true;
    for (int i = 0; i < N_CLOCKS; i++) m->before[i] = m->ticks[i];
    return FMUKIT_OK;
}

static fmukit_interval interval(fmukit_instance *fmu, void *model, size_t clock, double *seconds)
{
    (void)fmu;
    timer *m = model;
    if (clock == COUNTDOWN && !m->is_armed) return FMUKIT_INTERVAL_UNKNOWN; // or it is on its way
    *seconds = clock == CHANGING ? 0.1 * (m->before[CHANGING] + 1) : 0.05;
    if (clock == COUNTDOWN) m->is_armed = false;
    return FMUKIT_INTERVAL_NEW;
}

static void state(fmukit_stream *s, void *model)
{
    timer *m = model;
    fmukit_integers(s, m->before, N_CLOCKS);
    fmukit_boolean(s, &m->is_armed);
}

const fmukit_model fmukit_this_model = {
    .name = "ClockTimer",
    .description = "Clocks with fractions, changing intervals and countdowns",
    .version = "1",
    .size = sizeof(timer),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .stop_time = 2,
    .step_size = 0.1,
    .functions = {.evaluate = evaluate, .event = event, .interval = interval, .state = state},
};
