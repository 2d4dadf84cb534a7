// SPDX-License-Identifier: MIT
// The third equation of Roessler's system, z' = 0.2 + z (x - 5.7), and the algebraic one, w = y + z.
#include "common.h"

typedef struct model {
    double x, y, z, w;
    int substeps;
} model;

static const fmukit_variable variables[] = {
    INPUT(x, NULL),
    INPUT(y, NULL),
    OUTPUT(z, FMUKIT_NO_INPUTS, "The state"),
    OUTPUT(w, FMUKIT_INPUTS("y"), "y + z"),
    SUBSTEPS(4),
};

static double slope(const void *data, double t, double z)
{
    (void)t;
    const model *m = data;
    return 0.2 + z * (m->x - 5.7);
}

static fmukit_status evaluate(fmukit_instance *fmu, void *data, double t)
{
    (void)fmu, (void)t;
    model *m = data;
    m->w = m->y + m->z;
    return FMUKIT_OK;
}

static fmukit_status step(fmukit_instance *fmu, void *data, double t, double t_end)
{
    model *m = data;
    return integrate(fmu, m, slope, t, t_end, m->substeps, &m->z);
}

const fmukit_model fmukit_this_model = {
    MODEL("RoesslerZ", "Third part of Roessler's system"),
    .functions = {.evaluate = evaluate, .step = step},
};
