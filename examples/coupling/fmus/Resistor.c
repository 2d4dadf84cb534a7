// SPDX-License-Identifier: MIT
// A resistor that changes with time: i = (va - vb) / R, R = 1.5 + amplitude sin(0.2 pi t + phase).
#include <math.h>

#include "common.h"

typedef struct model {
    double va, vb, i;
    double amplitude, phase;
} model;

static const fmukit_variable variables[] = {
    INPUT(va, "Voltage of the first end"),
    INPUT(vb, "Voltage of the second end"),
    OUTPUT(i, FMUKIT_INPUTS("va", "vb"), "Current from the first end to the second"),
    PARAMETER(amplitude, 1, "ohm; less than 1.5"),
    PARAMETER(phase, 0, "rad"),
};

static fmukit_status evaluate(fmukit_instance *fmu, void *data, double t)
{
    (void)fmu;
    model *m = data;
    m->i = (m->va - m->vb) / (1.5 + m->amplitude * sin(0.2 * PI * t + m->phase));
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    MODEL("Resistor", "Resistor that changes with time"),
    .functions = {.evaluate = evaluate, .step = step_without_states},
};
