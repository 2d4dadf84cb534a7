// SPDX-License-Identifier: MIT
// y = k u + offset from the first step on; until then y is y0. So a loop of these FMUs starts from
// values that do not solve its equations, as a program does that has no initialization mode.
#include "common.h"

typedef struct model {
    double u, y;
    double k, offset, y0;
    bool has_stepped;
} model;

static const fmukit_variable variables[] = {
    INPUT(u, NULL),
    {.name = "y",
     .description = "y0 at the start, then k u + offset",
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(model, y),
     .depends_on = FMUKIT_INPUTS("u"),
     .depends_on_initially = FMUKIT_NO_INPUTS},
    PARAMETER(k, 1, "Factor of the input"),
    PARAMETER(offset, 0, NULL),
    PARAMETER(y0, 0, "Output before the first step"),
};

static fmukit_status evaluate(fmukit_instance *fmu, void *data, double t)
{
    (void)fmu, (void)t;
    model *m = data;
    m->y = m->has_stepped ? m->k * m->u + m->offset : m->y0;
    return FMUKIT_OK;
}

static fmukit_status step(fmukit_instance *fmu, void *data, double t, double t_end)
{
    (void)t_end;
    model *m = data;
    m->has_stepped = true;
    return check_inputs(fmu, m, t);
}

static void state(fmukit_stream *s, void *data)
{
    model *m = data;
    fmukit_boolean(s, &m->has_stepped);
}

const fmukit_model fmukit_this_model = {
    MODEL("HeldAffine", "Linear function of its input that starts from a given output"),
    .functions = {.evaluate = evaluate, .step = step, .state = state},
};
