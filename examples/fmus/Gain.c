// SPDX-License-Identifier: MIT
// y = k * u: the smallest useful FMU. No state, direct feedthrough, derivatives of the output.
#include <fmukit/fmukit.h>

typedef struct gain {
    double u, y, k;
} gain;

enum { U, Y, K };

static const fmukit_variable variables[] = {
    [U] = {.name = "u", .causality = FMUKIT_INPUT, .field = FMUKIT_FIELD(gain, u)},
    [Y] = {.name = "y",
           .description = "k * u",
           .causality = FMUKIT_OUTPUT,
           .field = FMUKIT_FIELD(gain, y),
           .depends_on = FMUKIT_INPUTS("u")},
    [K] = {.name = "k",
           .description = "Factor",
           .causality = FMUKIT_PARAMETER,
           .variability = FMUKIT_TUNABLE,
           .field = FMUKIT_FIELD(gain, k),
           .start = {.real = 1}},
};

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    gain *m = model;
    m->y = m->k * m->u;
    return FMUKIT_OK;
}

static fmukit_status derivative(fmukit_instance *fmu, void *model, fmukit_element unknown,
                                fmukit_element known, double *value)
{
    (void)fmu, (void)unknown; // there is only y
    const gain *m = model;
    *value = known.variable == U ? m->k : m->u;
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    .name = "Gain",
    .description = "Multiplies its input by a factor",
    .version = "1",
    .size = sizeof(gain),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .functions = {.evaluate = evaluate, .derivative = derivative},
};
