// SPDX-License-Identifier: MIT
// y = u1 u2.
#include "common.h"

typedef struct model {
    double u1, u2, y;
} model;

static const fmukit_variable variables[] = {
    INPUT(u1, NULL),
    INPUT(u2, NULL),
    OUTPUT(y, FMUKIT_INPUTS("u1", "u2"), "u1 u2"),
};

static fmukit_status evaluate(fmukit_instance *fmu, void *data, double t)
{
    (void)fmu, (void)t;
    model *m = data;
    m->y = m->u1 * m->u2;
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    MODEL("Product", "Product of two inputs"),
    .functions = {.evaluate = evaluate, .step = step_without_states},
};
