// SPDX-License-Identifier: MIT
// y = k u + a signal of time. Without state: y follows u at once.
#include <math.h>

#include "common.h"

typedef struct model {
    double u, y;
    double k, offset, amplitude, frequency, phase, decay;
} model;

static const fmukit_variable variables[] = {
    INPUT(u, NULL),
    OUTPUT(y, FMUKIT_INPUTS("u"), "k u + offset + amplitude sin(frequency t + phase) + decay e^-t"),
    PARAMETER(k, 1, "Factor of the input"),
    PARAMETER(offset, 0, NULL),
    PARAMETER(amplitude, 0, NULL),
    PARAMETER(frequency, 1, "rad/s"),
    PARAMETER(phase, 0, "rad"),
    PARAMETER(decay, 0, "Factor of e^-t"),
};

static fmukit_status evaluate(fmukit_instance *fmu, void *data, double t)
{
    (void)fmu;
    model *m = data;
    m->y = m->k * m->u + m->offset + m->amplitude * sin(m->frequency * t + m->phase) +
           m->decay * exp(-t);
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    MODEL("Affine", "Multiple of its input plus a signal of time"),
    .functions = {.evaluate = evaluate, .step = step_without_states},
};
