// SPDX-License-Identifier: MIT
// x = amplitude cos(frequency t) - k sin z. Coupled with z = x: a nonlinear equation for x that has
// exactly one solution for |k| < 1.
#include <math.h>

#include "common.h"

typedef struct model {
    double z, x;
    double amplitude, frequency, k;
} model;

static const fmukit_variable variables[] = {
    INPUT(z, NULL),
    OUTPUT(x, FMUKIT_INPUTS("z"), "amplitude cos(frequency t) - k sin z"),
    PARAMETER(amplitude, 2, NULL),
    PARAMETER(frequency, 20, "rad/s"),
    PARAMETER(k, 0.9, "Largest gain of the loop"),
};

static fmukit_status evaluate(fmukit_instance *fmu, void *data, double t)
{
    (void)fmu;
    model *m = data;
    m->x = m->amplitude * cos(m->frequency * t) - m->k * sin(m->z);
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    MODEL("NonlinearEquation", "A source minus a sine of the input"),
    .functions = {.evaluate = evaluate, .step = step_without_states},
};
