// SPDX-License-Identifier: MIT
// A cell of the circuit with varying resistors that gets the voltage of the node and delivers the
// current (Petridis and Clauss 2015, table 3):
//     0.5 x' + x - ii - source(t) = 0,  ii = (vi - x) / R(t)
#include "cell.h"

typedef struct model {
    double vi, ii, x;
    cell cell;
    int substeps;
} model;

static const fmukit_variable variables[] = {
    INPUT(vi, "Voltage of the node"),
    OUTPUT(ii, FMUKIT_INPUTS("vi"), "Current into the cell"),
    STATE(x, "Voltage of the capacitor"),
    CELL_PARAMETERS,
};

static double slope(const void *data, double t, double x)
{
    const model *m = data;
    double ii = (m->vi - x) / cell_resistance(&m->cell, t);
    return 2 * (cell_source(&m->cell, t) + ii - x);
}

static fmukit_status evaluate(fmukit_instance *fmu, void *data, double t)
{
    (void)fmu;
    model *m = data;
    m->ii = (m->vi - m->x) / cell_resistance(&m->cell, t);
    return FMUKIT_OK;
}

static fmukit_status step(fmukit_instance *fmu, void *data, double t, double t_end)
{
    model *m = data;
    return integrate(fmu, m, slope, t, t_end, m->substeps, &m->x);
}

const fmukit_model fmukit_this_model = {
    MODEL("CellCurrent", "Cell with a varying resistor: voltage in, current out"),
    .functions = {.evaluate = evaluate, .step = step},
};
