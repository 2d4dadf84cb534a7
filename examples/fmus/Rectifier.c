// SPDX-License-Identifier: MIT
// A bridge rectifier with switching diodes: a source behind R and L, two pairs of diodes, a capacitor with a
// load. A diode is a small resistance while it conducts and a very large one else, so the equations are stiff
// (time constants from nanoseconds to tenths of a second). Each pair is switched by an event indicator: while it
// blocks, by its voltage; while it conducts, by its current.
#include <math.h>

#include <fmukit/solver.h>

typedef struct rectifier {
    double i, der_i, v, der_v;
    double z1, z2;
    bool on1, on2;
    int switches;
    double source, i1, i2;
    double V, f, R, L, C, load, r_on, r_off, v0;
} rectifier;

// Both conditions would be 0 at the same time, and rounding errors would decide, so they are kept apart.
static const double I_BACK = 1e-6; // A, at which a pair blocks
static const double V_FORWARD = 1e-3; // V, at which a pair conducts

#define PARAMETER(Name, member, value, Unit, text)                                                 \
    {                                                                                              \
        .name = Name, .description = text, .causality = FMUKIT_PARAMETER, .unit = Unit,            \
        .field = FMUKIT_FIELD(rectifier, member), .start = {.real = value}, .range = FMUKIT_MIN(0) \
    }

static const fmukit_variable variables[] = {
    {.name = "i",
     .description = "Current of the source",
     .causality = FMUKIT_OUTPUT,
     .initial = FMUKIT_EXACT,
     .unit = "A",
     .field = FMUKIT_FIELD(rectifier, i)},
    {.name = "der(i)", .field = FMUKIT_FIELD(rectifier, der_i), .derivative_of = "i"},
    {.name = "v",
     .description = "Voltage of the load",
     .causality = FMUKIT_OUTPUT,
     .unit = "V",
     .field = FMUKIT_FIELD(rectifier, v),
     .nominal = 100},
    {.name = "der(v)", .field = FMUKIT_FIELD(rectifier, der_v), .derivative_of = "v"},
    {.name = "z1",
     .description = "Switches the pair for positive current",
     .field = FMUKIT_FIELD(rectifier, z1),
     .is_indicator = true},
    {.name = "z2",
     .description = "Switches the pair for negative current",
     .field = FMUKIT_FIELD(rectifier, z2),
     .is_indicator = true},
    {.name = "on1",
     .type = FMUKIT_BOOLEAN,
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(rectifier, on1),
     .depends_on_states = FMUKIT_NO_STATES},
    {.name = "on2",
     .type = FMUKIT_BOOLEAN,
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(rectifier, on2),
     .depends_on_states = FMUKIT_NO_STATES},
    {.name = "switches",
     .description = "How often a pair of diodes has been switched",
     .type = FMUKIT_INTEGER,
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(rectifier, switches),
     .depends_on_states = FMUKIT_NO_STATES},
    PARAMETER("V", V, 325, "V", "Amplitude of the source"),
    PARAMETER("f", f, 50, "Hz", "Its frequency"),
    PARAMETER("R", R, 0.5, "Ohm", "Resistance of the source"),
    PARAMETER("L", L, 1e-3, "H", "Inductance of the source"),
    PARAMETER("C", C, 1e-3, "F", "Capacitance"),
    PARAMETER("load", load, 100, "Ohm", "Resistance of the load"),
    PARAMETER("r_on", r_on, 0.01, "Ohm", "Resistance of a pair that conducts"),
    PARAMETER("r_off", r_off, 1e6, "Ohm", "Resistance of a pair that blocks"),
    PARAMETER("v0", v0, 300, "V", "Voltage of the load at the beginning"),
};

static fmukit_status initialize(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    rectifier *m = model;
    m->v = m->v0;
    return FMUKIT_OK;
}

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu;
    rectifier *m = model;
    double g1 = 1 / (m->on1 ? m->r_on : m->r_off), g2 = 1 / (m->on2 ? m->r_on : m->r_off);
    m->source = m->V * sin(2 * 3.14159265358979323846 * m->f * t);
    // The voltage between the pairs, such that their currents add up to that of the source.
    double bridge = (m->i + (g1 - g2) * m->v) / (g1 + g2);
    m->i1 = g1 * (bridge - m->v);
    m->i2 = g2 * (-bridge - m->v);
    m->der_i = (m->source - m->R * m->i - bridge) / m->L;
    m->der_v = (m->i1 + m->i2 - m->v / m->load) / m->C;
    m->z1 = m->on1 ? m->i1 + I_BACK : bridge - m->v - V_FORWARD;
    m->z2 = m->on2 ? m->i2 + I_BACK : -bridge - m->v - V_FORWARD;
    return FMUKIT_OK;
}

static fmukit_status event(fmukit_instance *fmu, void *model, double t, fmukit_event *event)
{
    (void)fmu, (void)t;
    rectifier *m = model;
    bool on1 = m->z1 > 0, on2 = m->z2 > 0;
    m->switches += (on1 != m->on1) + (on2 != m->on2);
    event->again = on1 != m->on1 || on2 != m->on2;
    m->on1 = on1;
    m->on2 = on2;
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    .name = "Rectifier",
    .description = "A bridge rectifier with switching diodes",
    .version = "1",
    .size = sizeof(rectifier),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .stop_time = 5.1,
    .step_size = 1e-3,
    .integrator = &fmukit_implicit,
    .functions = {.initialize = initialize, .evaluate = evaluate, .event = event},
};
