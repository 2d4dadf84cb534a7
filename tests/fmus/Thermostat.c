// SPDX-License-Identifier: MIT
// A room with a heater that is switched at two temperatures: an FMU with events. Between events
// T' = k (T_end - T), which is solved exactly, so events are found exactly as well.
#include <fmukit/fmukit.h>

#include <math.h>

typedef struct room {
    double outside, T;
    bool heating;
    int switches;
    double k, heat, lower, upper, T0;
} room;

static const fmukit_variable variables[] = {
    {.name = "outside",
     .description = "Temperature around the room",
     .causality = FMUKIT_INPUT,
     .unit = "degC",
     .field = FMUKIT_FIELD(room, outside)},
    {.name = "T",
     .description = "Temperature of the room",
     .causality = FMUKIT_OUTPUT,
     .initial = FMUKIT_CALCULATED,
     .unit = "degC",
     .field = FMUKIT_FIELD(room, T),
     .depends_on = FMUKIT_NO_INPUTS},
    {.name = "heating",
     .type = FMUKIT_BOOLEAN,
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(room, heating),
     .depends_on = FMUKIT_NO_INPUTS},
    {.name = "switches",
     .description = "How often the heater has been switched",
     .type = FMUKIT_INTEGER,
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(room, switches),
     .depends_on = FMUKIT_NO_INPUTS},
    {.name = "k",
     .causality = FMUKIT_PARAMETER,
     .unit = "1/s",
     .field = FMUKIT_FIELD(room, k),
     .start = {.real = 0.1},
     .range = FMUKIT_MIN(1e-6)},
    {.name = "heat",
     .description = "By how much the heater raises the final temperature",
     .causality = FMUKIT_PARAMETER,
     .unit = "K",
     .field = FMUKIT_FIELD(room, heat),
     .start = {.real = 30}},
    {.name = "lower",
     .causality = FMUKIT_PARAMETER,
     .unit = "degC",
     .field = FMUKIT_FIELD(room, lower),
     .start = {.real = 19}},
    {.name = "upper",
     .causality = FMUKIT_PARAMETER,
     .unit = "degC",
     .field = FMUKIT_FIELD(room, upper),
     .start = {.real = 21}},
    {.name = "T0",
     .causality = FMUKIT_PARAMETER,
     .unit = "degC",
     .field = FMUKIT_FIELD(room, T0),
     .start = {.real = 20}},
};

static const fmukit_unit units[] = {
    {.name = "degC", .K = 1, .offset = 273.15}, {.name = "K", .K = 1}, {.name = "1/s", .s = -1}};

static fmukit_status initialize(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    room *m = model;
    m->T = m->T0;
    return FMUKIT_OK;
}

// The time until the next switch; INFINITY: there is none.
static double time_to_switch(const room *m, double T_end)
{
    double limit = m->heating ? m->upper : m->lower;
    bool is_there = m->heating ? m->T >= limit : m->T <= limit;
    bool will_be = m->heating ? T_end > limit : T_end < limit;
    if (is_there) return 0;
    return will_be ? log((m->T - T_end) / (limit - T_end)) / m->k : INFINITY;
}

static fmukit_status step(fmukit_instance *fmu, void *model, double t, double t_end)
{
    room *m = model;
    double T_end = m->outside + (m->heating ? m->heat : 0);
    double t_switch = t + time_to_switch(m, T_end);
    if (t_switch <= t_end) {
        m->T = m->heating ? m->upper : m->lower; // without rounding errors
        fmukit_stopped_at(fmu, t_switch);
        return FMUKIT_EVENT;
    }
    m->T = T_end + (m->T - T_end) * exp(-m->k * (t_end - t));
    return FMUKIT_OK;
}

static fmukit_status event(fmukit_instance *fmu, void *model, double t, fmukit_event *event)
{
    (void)event;
    room *m = model;
    bool is_heating = m->heating ? m->T < m->upper : m->T <= m->lower;
    if (is_heating == m->heating) return FMUKIT_OK;
    m->heating = is_heating;
    m->switches++;
    fmukit_log(fmu, FMUKIT_OK, NULL, "heater %s at %g", is_heating ? "on" : "off", t);
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    .name = "Thermostat",
    .description = "A room with a heater that is switched at two temperatures",
    .version = "1",
    .size = sizeof(room),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .units = units,
    .n_units = sizeof units / sizeof *units,
    .stop_time = 100,
    .step_size = 1,
    .functions = {.initialize = initialize, .step = step, .event = event},
};
