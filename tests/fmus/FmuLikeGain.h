// SPDX-License-Identifier: MIT
// y = k * u for test FMUs that differ from the example Gain only in what they can do.
#ifndef TESTS_FMUS_FMULIKEGAIN_H
#define TESTS_FMUS_FMULIKEGAIN_H

#include <fmukit/fmukit.h>

typedef struct gain {
    double u, y, k;
} gain;

static const fmukit_variable variables[] = {
    {.name = "u", .causality = FMUKIT_INPUT, .field = FMUKIT_FIELD(gain, u)},
    {.name = "y",
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(gain, y),
     .depends_on = FMUKIT_INPUTS("u")},
    {.name = "k",
     .causality = FMUKIT_PARAMETER,
     .field = FMUKIT_FIELD(gain, k),
     .start = {.real = 1}},
};

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    gain *m = model;
    m->y = m->k * m->u;
    return FMUKIT_OK;
}

#define GAIN_MODEL                                                                                 \
    .size = sizeof(gain), .variables = variables,                                                  \
    .n_variables = sizeof variables / sizeof *variables, .functions = {.evaluate = evaluate}

#endif
