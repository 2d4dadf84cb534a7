// SPDX-License-Identifier: MIT
// Two masses and a spring, left half: a mass that a force pulls, m v' = F, x' = v. The same file is an FMU for
// co-simulation, integrated by the kit, and for model exchange.
#include <fmukit/fmukit.h>

typedef struct mass {
    double force, x, v, der_x, der_v;
    double m;
} mass;

enum { FORCE, X, DER_X, V, DER_V, M };

static const fmukit_variable variables[] = {
    [FORCE] = {.name = "F",
               .description = "Pulls to the right",
               .causality = FMUKIT_INPUT,
               .unit = "N",
               .field = FMUKIT_FIELD(mass, force)},
    [X] = {.name = "x",
           .description = "Position",
           .causality = FMUKIT_OUTPUT,
           .initial = FMUKIT_EXACT,
           .unit = "m",
           .field = FMUKIT_FIELD(mass, x),
           .depends_on = FMUKIT_NO_INPUTS},
    [DER_X] = {.name = "der(x)",
               .unit = "m/s",
               .field = FMUKIT_FIELD(mass, der_x),
               .derivative_of = "x",
               .depends_on = FMUKIT_NO_INPUTS,
               .depends_on_states = FMUKIT_STATES("v")},
    [V] = {.name = "v",
           .description = "Velocity",
           .causality = FMUKIT_OUTPUT,
           .initial = FMUKIT_EXACT,
           .unit = "m/s",
           .field = FMUKIT_FIELD(mass, v),
           .depends_on = FMUKIT_NO_INPUTS},
    [DER_V] = {.name = "der(v)",
               .unit = "m/s2",
               .field = FMUKIT_FIELD(mass, der_v),
               .derivative_of = "v",
               .depends_on_states = FMUKIT_NO_STATES},
    [M] = {.name = "m",
           .description = "Mass",
           .causality = FMUKIT_PARAMETER,
           .unit = "kg",
           .field = FMUKIT_FIELD(mass, m),
           .start = {.real = 1}},
};

static const fmukit_unit units[] = {{.name = "m", .m = 1},
                                    {.name = "m/s", .m = 1, .s = -1},
                                    {.name = "m/s2", .m = 1, .s = -2},
                                    {.name = "kg", .kg = 1},
                                    {.name = "N", .kg = 1, .m = 1, .s = -2}};

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    mass *m = model;
    m->der_x = m->v;
    m->der_v = m->force / m->m;
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    .name = "LeftMass",
    .description = "Two masses and a spring: the left mass",
    .version = "1",
    .size = sizeof(mass),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .units = units,
    .n_units = sizeof units / sizeof *units,
    .stop_time = 2,
    .step_size = 0.01,
    .functions = {.evaluate = evaluate},
};
