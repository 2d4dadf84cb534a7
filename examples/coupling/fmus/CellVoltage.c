// SPDX-License-Identifier: MIT
// The cell of CellCurrent with the direction of the signals reversed: it gets the current and
// delivers the voltage of the node:
//     0.5 x' + x - ii - source(t) = 0,  vi = x + R(t) ii
#include "cell.h"

typedef struct model {
    double ii, vi, x;
    cell cell;
    int substeps;
} model;

static const fmukit_variable variables[] = {
    INPUT(ii, "Current into the cell"),
    OUTPUT(vi, FMUKIT_INPUTS("ii"), "Voltage of the node"),
    STATE(x, "Voltage of the capacitor"),
    CELL_PARAMETERS,
};

static double slope(const void *data, double t, double x)
{
    const model *m = data;
    return 2 * (cell_source(&m->cell, t) + m->ii - x);
}

static fmukit_status evaluate(fmukit_instance *fmu, void *data, double t)
{
    (void)fmu;
    model *m = data;
    m->vi = m->x + cell_resistance(&m->cell, t) * m->ii;
    return FMUKIT_OK;
}

static fmukit_status step(fmukit_instance *fmu, void *data, double t, double t_end)
{
    model *m = data;
    return integrate(fmu, m, slope, t, t_end, m->substeps, &m->x);
}

const fmukit_model fmukit_this_model = {
    MODEL("CellVoltage", "Cell with a varying resistor: current in, voltage out"),
    .functions = {.evaluate = evaluate, .step = step},
};
