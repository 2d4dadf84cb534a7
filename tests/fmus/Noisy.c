// SPDX-License-Identifier: MIT
// x' = u - x, with an output that is wrong by up to 1e-5 in a way that depends on all bits of x, like that of a
// solver whose decisions do.
#include <fmukit/fmukit.h>

#include <stdint.h>
#include <string.h>

typedef struct noisy {
    double u, x, der_x, y;
} noisy;

static const fmukit_variable variables[] = {
    {.name = "u", .causality = FMUKIT_INPUT, .field = FMUKIT_FIELD(noisy, u)},
    {.name = "x", .initial = FMUKIT_EXACT, .field = FMUKIT_FIELD(noisy, x), .start = {.real = 1}},
    {.name = "der(x)", .field = FMUKIT_FIELD(noisy, der_x), .derivative_of = "x"},
    {.name = "y",
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(noisy, y),
     .depends_on = FMUKIT_NO_INPUTS},
};

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    noisy *m = model;
    uint64_t bits;
    memcpy(&bits, &m->x, sizeof bits);
    bits *= UINT64_C(0x9E3779B97F4A7C15);
    m->der_x = m->u - m->x;
    m->y = m->x + 1e-5 * ((double)(bits >> 40) / (1 << 24) - 0.5);
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    .name = "Noisy",
    .description = "An output with noise",
    .size = sizeof(noisy),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .stop_time = 10,
    .step_size = 0.1,
    .functions = {.evaluate = evaluate},
};
