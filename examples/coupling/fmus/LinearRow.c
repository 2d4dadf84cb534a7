// SPDX-License-Identifier: MIT
// One row of a linear system whose matrix changes with time, solved for its own unknown:
//     (d0 + d1 t) x + (a0 + a1 t) u1 + (b0 + b1 t) u2 = r
// Being linear it never fails, however large its inputs become.
#include "common.h"

typedef struct model {
    double u1, u2, r, x;
    double d0, d1, a0, a1, b0, b1;
} model;

static const fmukit_variable variables[] = {
    INPUT(u1, "First of the other unknowns"),
    INPUT(u2, "Second of the other unknowns"),
    INPUT(r, "Right-hand side"),
    OUTPUT(x, FMUKIT_INPUTS("u1", "u2", "r"), "The unknown of this row"),
    PARAMETER(d0, 1, "Coefficient of x"),
    PARAMETER(d1, 0, "its change, 1/s"),
    PARAMETER(a0, 0, "Coefficient of u1"),
    PARAMETER(a1, 0, "its change, 1/s"),
    PARAMETER(b0, 0, "Coefficient of u2"),
    PARAMETER(b1, 0, "its change, 1/s"),
};

static fmukit_status evaluate(fmukit_instance *fmu, void *data, double t)
{
    (void)fmu;
    model *m = data;
    double a = m->a0 + m->a1 * t, b = m->b0 + m->b1 * t, d = m->d0 + m->d1 * t;
    m->x = (m->r - a * m->u1 - b * m->u2) / d;
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    MODEL("LinearRow", "One row of a linear system that changes with time"),
    .functions = {.evaluate = evaluate},
};
