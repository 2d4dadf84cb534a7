// SPDX-License-Identifier: MIT
// y = u^2 + offset.
#include "common.h"

typedef struct model {
    double u, y, offset;
} model;

static const fmukit_variable variables[] = {
    INPUT(u, NULL),
    OUTPUT(y, FMUKIT_INPUTS("u"), "u^2 + offset"),
    PARAMETER(offset, 0, NULL),
};

static fmukit_status evaluate(fmukit_instance *fmu, void *data, double t)
{
    (void)fmu, (void)t;
    model *m = data;
    m->y = m->u * m->u + m->offset;
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    MODEL("Square", "Square of its input"),
    .functions = {.evaluate = evaluate, .step = step_without_states},
};
