// SPDX-License-Identifier: MIT
// y = k u + gain s(t), where s is 0 until t = 2, 4 until t = 4, then 2 (Petridis and Clauss 2015,
// section 5.4).
#include "common.h"

typedef struct model {
    double u, y;
    double k, gain;
} model;

static const fmukit_variable variables[] = {
    INPUT(u, NULL),
    OUTPUT(y, FMUKIT_INPUTS("u"), "k u + gain s(t)"),
    PARAMETER(k, 1, "Factor of the input"),
    PARAMETER(gain, 1, "Factor of the signal, which is 0, from 2 s on 4, from 4 s on 2"),
};

// Jumps happen a little early: communication points carry rounding errors.
static double signal(double t)
{
    double s = t + 1e-9;
    return s < 2 ? 0 : s < 4 ? 4 : 2;
}

static fmukit_status evaluate(fmukit_instance *fmu, void *data, double t)
{
    (void)fmu;
    model *m = data;
    m->y = m->k * m->u + m->gain * signal(t);
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    MODEL("SteppedSource", "Multiple of its input plus a signal that jumps twice"),
    .functions = {.evaluate = evaluate, .step = step_without_states},
};
