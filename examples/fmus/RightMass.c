// SPDX-License-Identifier: MIT
// Two masses and a spring, right half: a mass with a spring and a damper to its left end, where another mass
// is. It gives back the force with which it pulls there: F = k (x - x_left) + d (v - v_left), m v' = -F.
#include <fmukit/fmukit.h>

typedef struct mass {
    double x_left, v_left, force, x, v, der_x, der_v;
    double m, k, d;
} mass;

enum { X_LEFT, V_LEFT, FORCE, X, DER_X, V, DER_V, M, K, D };

static const fmukit_variable variables[] = {
    [X_LEFT] = {.name = "x_left",
                .description = "Position of the left end",
                .causality = FMUKIT_INPUT,
                .unit = "m",
                .field = FMUKIT_FIELD(mass, x_left)},
    [V_LEFT] = {.name = "v_left",
                .description = "Velocity of the left end",
                .causality = FMUKIT_INPUT,
                .unit = "m/s",
                .field = FMUKIT_FIELD(mass, v_left)},
    [FORCE] = {.name = "F",
               .description = "Pulls the left end to the right",
               .causality = FMUKIT_OUTPUT,
               .unit = "N",
               .field = FMUKIT_FIELD(mass, force)},
    [X] = {.name = "x",
           .description = "Position, seen from where the spring is relaxed",
           .causality = FMUKIT_OUTPUT,
           .initial = FMUKIT_EXACT,
           .unit = "m",
           .field = FMUKIT_FIELD(mass, x),
           .start = {.real = 1},
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
               .derivative_of = "v"},
    [M] = {.name = "m",
           .description = "Mass",
           .causality = FMUKIT_PARAMETER,
           .unit = "kg",
           .field = FMUKIT_FIELD(mass, m),
           .start = {.real = 2}},
    [K] = {.name = "k",
           .description = "Stiffness of the spring",
           .causality = FMUKIT_PARAMETER,
           .unit = "N/m",
           .field = FMUKIT_FIELD(mass, k),
           .start = {.real = 100}},
    [D] = {.name = "d",
           .description = "Constant of the damper",
           .causality = FMUKIT_PARAMETER,
           .unit = "N.s/m",
           .field = FMUKIT_FIELD(mass, d),
           .start = {.real = 1}},
};

static const fmukit_unit units[] = {{.name = "m", .m = 1},
                                    {.name = "m/s", .m = 1, .s = -1},
                                    {.name = "m/s2", .m = 1, .s = -2},
                                    {.name = "kg", .kg = 1},
                                    {.name = "N", .kg = 1, .m = 1, .s = -2},
                                    {.name = "N/m", .kg = 1, .s = -2},
                                    {.name = "N.s/m", .kg = 1, .s = -1}};

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    mass *m = model;
    m->force = m->k * (m->x - m->x_left) + m->d * (m->v - m->v_left);
    m->der_x = m->v;
    m->der_v = -m->force / m->m;
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    .name = "RightMass",
    .description = "Two masses and a spring: the right mass, with the spring",
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
