// SPDX-License-Identifier: MIT
// Three signals of time: r_i = offset_i + slope_i t + amplitude_i sin(frequency_i t).
#include <math.h>

#include "common.h"

typedef struct model {
    double r1, r2, r3;
    double offset1, offset2, offset3;
    double slope1, slope2, slope3;
    double amplitude1, amplitude2, amplitude3;
    double frequency1, frequency2, frequency3;
} model;

#define SIGNAL(i)                                                                                  \
    OUTPUT(r##i, FMUKIT_NO_INPUTS, "offset + slope t + amplitude sin(frequency t)"),               \
        PARAMETER(offset##i, 0, NULL), PARAMETER(slope##i, 0, "1/s"),                              \
        PARAMETER(amplitude##i, 0, NULL), PARAMETER(frequency##i, 1, "rad/s")

static const fmukit_variable variables[] = {SIGNAL(1), SIGNAL(2), SIGNAL(3)};

#define VALUE(m, i, t)                                                                             \
    ((m)->offset##i + (m)->slope##i * (t) + (m)->amplitude##i * sin((m)->frequency##i * (t)))

static fmukit_status evaluate(fmukit_instance *fmu, void *data, double t)
{
    (void)fmu;
    model *m = data;
    m->r1 = VALUE(m, 1, t);
    m->r2 = VALUE(m, 2, t);
    m->r3 = VALUE(m, 3, t);
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    MODEL("Signals", "Three signals of time"),
    .functions = {.evaluate = evaluate},
};
