// SPDX-License-Identifier: MIT
// Says that its state can be saved, but keeps its count outside of it: after going back it gives other values.
#include <fmukit/fmukit.h>

typedef struct forgetful {
    int count;
} forgetful;

static int n_steps; // of all instances in the process

static const fmukit_variable variables[] = {
    {.name = "count",
     .type = FMUKIT_INTEGER,
     .causality = FMUKIT_OUTPUT,
     .initial = FMUKIT_EXACT,
     .field = FMUKIT_FIELD(forgetful, count),
     .depends_on = FMUKIT_NO_INPUTS},
};

static fmukit_status step(fmukit_instance *fmu, void *model, double t, double t_end)
{
    (void)fmu, (void)t, (void)t_end;
    ((forgetful *)model)->count = ++n_steps;
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    .name = "Forgetful",
    .description = "Loses a part of its state",
    .size = sizeof(forgetful),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .functions = {.step = step},
};
