// SPDX-License-Identifier: MIT
// y = u1 + u2 + u3. Inputs that are not connected are zero.
#include "common.h"

typedef struct model {
    double u1, u2, u3, y;
} model;

static const fmukit_variable variables[] = {
    INPUT(u1, NULL),
    INPUT(u2, NULL),
    INPUT(u3, NULL),
    OUTPUT(y, FMUKIT_INPUTS("u1", "u2", "u3"), "u1 + u2 + u3"),
};

static fmukit_status evaluate(fmukit_instance *fmu, void *data, double t)
{
    (void)fmu, (void)t;
    model *m = data;
    m->y = m->u1 + m->u2 + m->u3;
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    MODEL("Sum", "Sum of three inputs"),
    .functions = {.evaluate = evaluate},
};
