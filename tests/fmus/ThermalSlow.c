// SPDX-License-Identifier: MIT
// The slow half of a stiff pair; the other half is ThermalFast.
#define START 20
#define CAPACITY 1
#define LOSS 1
#define AMBIENT 0
#define SOURCE 20
#include "thermal_body.h"

const fmukit_model fmukit_this_model = {
    .name = "ThermalSlow",
    .description = "A body that exchanges heat",
    .version = "1",
    .size = sizeof(body),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .units = units,
    .n_units = sizeof units / sizeof *units,
    .stop_time = 10,
    .step_size = 0.01,
    .functions = {.evaluate = evaluate},
};
