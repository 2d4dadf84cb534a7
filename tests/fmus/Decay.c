// SPDX-License-Identifier: MIT
// x_i' = -i x_i for an array of states, whose size is a structural parameter (FMI 3.0).
#include <fmukit/fmukit.h>

enum { MAX_N = 5 };

typedef struct decay {
    uint64_t n;
    double x[MAX_N], der_x[MAX_N];
} decay;

static const fmukit_variable variables[] = {
    {.name = "n",
     .type = FMUKIT_UINT64,
     .causality = FMUKIT_STRUCTURAL_PARAMETER,
     .field = FMUKIT_FIELD(decay, n),
     .start = {.natural = 3},
     .range = FMUKIT_RANGE(1, MAX_N)},
    {.name = "x",
     .causality = FMUKIT_OUTPUT,
     .initial = FMUKIT_EXACT,
     .field = FMUKIT_FIELD(decay, x),
     .dimensions = {FMUKIT_SIZE_OF("n", MAX_N)},
     .start = {.real = 1}},
    {.name = "der_x",
     .field = FMUKIT_FIELD(decay, der_x),
     .dimensions = {FMUKIT_SIZE_OF("n", MAX_N)},
     .derivative_of = "x"},
};

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    decay *m = model;
    for (uint64_t i = 0; i < m->n; i++) m->der_x[i] = -(double)(i + 1) * m->x[i];
    return FMUKIT_OK;
}

static fmukit_status derivative(fmukit_instance *fmu, void *model, fmukit_element unknown,
                                fmukit_element known, double *value)
{
    (void)fmu, (void)model;
    *value = unknown.index == known.index ? -(double)(known.index + 1) : 0;
    if (unknown.variable == 1) *value = unknown.index == known.index;
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    .name = "Decay",
    .version = "1",
    .size = sizeof(decay),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .stop_time = 1,
    .step_size = 0.1,
    .functions = {.evaluate = evaluate, .derivative = derivative},
};
