// SPDX-License-Identifier: MIT
// A ball that bounces on the floor and comes to rest: continuous states, an event indicator, and states
// that jump. Written once, it is an FMU for co-simulation and for model exchange.
#include <fmukit/fmukit.h>

typedef struct ball {
    double h, der_h, v, der_v;
    double above;
    int bounces;
    bool flying;
    double g, e, v_min;
} ball;

enum { H, DER_H, V, DER_V, ABOVE, BOUNCES, FLYING, G, E, V_MIN };

static const fmukit_variable variables[] = {
    [H] = {.name = "h",
           .description = "Height above the floor",
           .causality = FMUKIT_OUTPUT,
           .initial = FMUKIT_EXACT,
           .unit = "m",
           .field = FMUKIT_FIELD(ball, h),
           .start = {.real = 1}},
    [DER_H] = {.name = "der(h)",
               .unit = "m/s",
               .field = FMUKIT_FIELD(ball, der_h),
               .derivative_of = "h",
               .depends_on_states = FMUKIT_STATES("v")},
    [V] = {.name = "v",
           .description = "Velocity",
           .causality = FMUKIT_OUTPUT,
           .initial = FMUKIT_EXACT,
           .unit = "m/s",
           .field = FMUKIT_FIELD(ball, v)},
    [DER_V] = {.name = "der(v)",
               .unit = "m/s2",
               .field = FMUKIT_FIELD(ball, der_v),
               .derivative_of = "v",
               .depends_on_states = FMUKIT_NO_STATES},
    [ABOVE] = {.name = "above",
               .description = "Changes its sign where the ball meets the floor",
               .unit = "m",
               .field = FMUKIT_FIELD(ball, above),
               .is_indicator = true,
               .depends_on_states = FMUKIT_STATES("h")},
    [BOUNCES] = {.name = "bounces",
                 .type = FMUKIT_INTEGER,
                 .causality = FMUKIT_OUTPUT,
                 .field = FMUKIT_FIELD(ball, bounces),
                 .depends_on_states = FMUKIT_NO_STATES},
    [FLYING] = {.name = "flying",
                .type = FMUKIT_BOOLEAN,
                .causality = FMUKIT_OUTPUT,
                .field = FMUKIT_FIELD(ball, flying),
                .depends_on_states = FMUKIT_NO_STATES},
    [G] = {.name = "g",
           .description = "Gravity",
           .causality = FMUKIT_PARAMETER,
           .unit = "m/s2",
           .field = FMUKIT_FIELD(ball, g),
           .start = {.real = 9.81}},
    [E] = {.name = "e",
           .description = "What remains of the velocity",
           .causality = FMUKIT_PARAMETER,
           .field = FMUKIT_FIELD(ball, e),
           .start = {.real = 0.7},
           .range = FMUKIT_RANGE(0, 1)},
    [V_MIN] = {.name = "v_min",
               .description = "Below this velocity the ball stays on the floor",
               .causality = FMUKIT_PARAMETER,
               .unit = "m/s",
               .field = FMUKIT_FIELD(ball, v_min),
               .start = {.real = 0.1}},
};

static const fmukit_unit units[] = {
    {.name = "m", .m = 1}, {.name = "m/s", .m = 1, .s = -1}, {.name = "m/s2", .m = 1, .s = -2}};

static fmukit_status initialize(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    ball *m = model;
    m->flying = m->h > 0 || m->v > 0;
    return FMUKIT_OK;
}

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    ball *m = model;
    m->der_h = m->v;
    m->der_v = m->flying ? -m->g : 0;
    m->above = m->flying ? m->h : 1;
    return FMUKIT_OK;
}

static fmukit_status event(fmukit_instance *fmu, void *model, double t, fmukit_event *event)
{
    (void)fmu, (void)t, (void)event;
    ball *m = model;
    if (!m->flying || m->h > 0 || m->v >= 0) return FMUKIT_OK;
    m->h = 0;
    m->v *= -m->e;
    m->bounces++;
    if (m->v >= m->v_min) return FMUKIT_OK;
    m->v = 0;
    m->flying = false;
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    .name = "Ball",
    .description = "A ball that bounces and comes to rest",
    .version = "1",
    .size = sizeof(ball),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .units = units,
    .n_units = sizeof units / sizeof *units,
    .stop_time = 3,
    .step_size = 0.01,
    .functions = {.initialize = initialize, .evaluate = evaluate, .event = event},
};
