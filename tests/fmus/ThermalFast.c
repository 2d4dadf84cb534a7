// SPDX-License-Identifier: MIT
// The fast half of a stiff pair; the other half is ThermalSlow.
#define START 0
#define CAPACITY 0.01
#define LOSS 0.1
#define AMBIENT 10
#define SOURCE 0
#include "thermal_body.h"

const fmukit_model fmukit_this_model = {
    .name = "ThermalFast",
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
