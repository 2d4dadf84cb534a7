// SPDX-License-Identifier: MIT
// A body that exchanges heat with a neighbour, loses some and gets some from a source:
//   C T' = G (T_other - T) + loss (ambient - T) + source sin(2 t).
// The file that includes this defines START, CAPACITY, LOSS, AMBIENT and SOURCE.
#include <fmukit/fmukit.h>

#include <math.h>

typedef struct body {
    double other, temperature, derivative;
    double capacity, conductance, loss, ambient, source;
} body;

#define PARAMETER(text, member, value)                                                             \
    {                                                                                              \
        .name = text, .causality = FMUKIT_PARAMETER, .field = FMUKIT_FIELD(body, member),          \
        .start = {                                                                                 \
            .real = value                                                                          \
        }                                                                                          \
    }

static const fmukit_variable variables[] = {
    {.name = "T_other",
     .description = "Temperature of the neighbour",
     .causality = FMUKIT_INPUT,
     .unit = "degC",
     .field = FMUKIT_FIELD(body, other)},
    {.name = "T",
     .description = "Temperature",
     .causality = FMUKIT_OUTPUT,
     .initial = FMUKIT_EXACT,
     .unit = "degC",
     .field = FMUKIT_FIELD(body, temperature),
     .start = {.real = START},
     .depends_on = FMUKIT_NO_INPUTS},
    {.name = "der(T)", .field = FMUKIT_FIELD(body, derivative), .derivative_of = "T"},
    PARAMETER("C", capacity, CAPACITY),
    PARAMETER("G", conductance, 100),
    PARAMETER("loss", loss, LOSS),
    PARAMETER("ambient", ambient, AMBIENT),
    PARAMETER("source", source, SOURCE),
};

static const fmukit_unit units[] = {{.name = "degC", .K = 1, .offset = 273.15}};

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu;
    body *m = model;
    double heat = m->conductance * (m->other - m->temperature) +
                  m->loss * (m->ambient - m->temperature) + m->source * sin(2 * t);
    m->derivative = heat / m->capacity;
    return FMUKIT_OK;
}
