// SPDX-License-Identifier: MIT
// The third section of the circuit with varying resistors when the cells deliver their states: it
// solves the equation of the node and delivers everything that follows from it:
//     vi = (x1/R1 + x2/R2 + 0.0001 x3) / (1/R1 + 1/R2 + 0.0001),  iik = (vi - xk) / Rk
#include "cell.h"

typedef struct model {
    double x1, x2, vi, ii1, ii2, x3;
    int substeps;
} model;

static const fmukit_variable variables[] = {
    INPUT(x1, "Voltage of the capacitor of cell 1"),
    INPUT(x2, "Voltage of the capacitor of cell 2"),
    OUTPUT(vi, FMUKIT_INPUTS("x1", "x2"), "Voltage of the node"),
    OUTPUT(ii1, FMUKIT_INPUTS("x1", "x2"), "Current into cell 1"),
    OUTPUT(ii2, FMUKIT_INPUTS("x1", "x2"), "Current into cell 2"),
    STATE(x3, "Voltage of the capacitor"),
    SUBSTEPS(40),
};

static double resistance(double swing, double t)
{
    return cell_resistance(&(cell){.swing = swing}, t);
}

static double voltage(const model *m, double t, double x3)
{
    double g1 = 1 / resistance(1000, t), g2 = 1 / resistance(-1000, t);
    return (m->x1 * g1 + m->x2 * g2 + 1e-4 * x3) / (g1 + g2 + 1e-4);
}

static double slope(const void *data, double t, double x)
{
    return -0.01 * (x - voltage(data, t, x));
}

static fmukit_status evaluate(fmukit_instance *fmu, void *data, double t)
{
    (void)fmu;
    model *m = data;
    m->vi = voltage(m, t, m->x3);
    m->ii1 = (m->vi - m->x1) / resistance(1000, t);
    m->ii2 = (m->vi - m->x2) / resistance(-1000, t);
    return FMUKIT_OK;
}

static fmukit_status step(fmukit_instance *fmu, void *data, double t, double t_end)
{
    model *m = data;
    return integrate(fmu, m, slope, t, t_end, m->substeps, &m->x3);
}

const fmukit_model fmukit_this_model = {
    MODEL("NodeStates", "Node with a capacitor: states in, voltage and currents out"),
    .functions = {.evaluate = evaluate, .step = step},
};
