// SPDX-License-Identifier: MIT
// The third section of the circuit with varying resistors when a cell delivers the voltage of the node:
// it gets the voltage and the current into the other cell and delivers the current into this one:
//     0.01 x3' + 0.0001 (x3 - vi) = 0,  ii = 0.0001 (x3 - vi) - other
#include "common.h"

typedef struct model {
    double vi, other, ii, x3;
    int substeps;
} model;

static const fmukit_variable variables[] = {
    INPUT(vi, "Voltage of the node"),
    INPUT(other, "Current into the other cell"),
    OUTPUT(ii, FMUKIT_INPUTS("vi", "other"), "Current into the cell that delivers vi"),
    STATE(x3, "Voltage of the capacitor"),
    SUBSTEPS(40),
};

static double slope(const void *data, double t, double x)
{
    (void)t;
    const model *m = data;
    return -0.01 * (x - m->vi);
}

static fmukit_status evaluate(fmukit_instance *fmu, void *data, double t)
{
    (void)fmu, (void)t;
    model *m = data;
    m->ii = 1e-4 * (m->x3 - m->vi) - m->other;
    return FMUKIT_OK;
}

static fmukit_status step(fmukit_instance *fmu, void *data, double t, double t_end)
{
    model *m = data;
    return integrate(fmu, m, slope, t, t_end, m->substeps, &m->x3);
}

const fmukit_model fmukit_this_model = {
    MODEL("NodeCurrent", "Node with a capacitor: voltage and current in, current out"),
    .functions = {.evaluate = evaluate, .step = step},
};
