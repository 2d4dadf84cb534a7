// SPDX-License-Identifier: MIT
// y = k * u + c without state: coupled with itself, a loop that has to be solved at initialization
// and converges by plain iteration only for |k| < 1.
#include <fmukit/fmukit.h>

typedef struct loop {
    double u, y, k, c;
} loop;

enum { U, Y, K, C };

static const fmukit_variable variables[] = {
    [U] = {.name = "u", .causality = FMUKIT_INPUT, .field = FMUKIT_FIELD(loop, u)},
    [Y] = {.name = "y",
           .causality = FMUKIT_OUTPUT,
           .field = FMUKIT_FIELD(loop, y),
           .depends_on = FMUKIT_INPUTS("u")},
    [K] = {.name = "k",
           .causality = FMUKIT_PARAMETER,
           .field = FMUKIT_FIELD(loop, k),
           .start = {.real = 0.5}},
    [C] = {.name = "c",
           .causality = FMUKIT_PARAMETER,
           .field = FMUKIT_FIELD(loop, c),
           .start = {.real = 1}},
};

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    loop *m = model;
    m->y = m->k * m->u + m->c;
    return FMUKIT_OK;
}

static fmukit_status derivative(fmukit_instance *fmu, void *model, fmukit_element unknown,
                                fmukit_element known, double *value)
{
    (void)fmu, (void)unknown; // there is only y
    const loop *m = model;
    *value = known.variable == U ? m->k : known.variable == K ? m->u : 1;
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    .name = "InitLoop",
    .description = "y = k * u + c",
    .size = sizeof(loop),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .functions = {.evaluate = evaluate, .derivative = derivative},
};
