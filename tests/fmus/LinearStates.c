// SPDX-License-Identifier: MIT
// A linear system without direct feedthrough.
#include "linear_system.h"

const fmukit_model fmukit_this_model = {
    .name = "LinearStates",
    .description = "A linear system with up to 4 states, 3 inputs and 2 outputs",
    .version = "1",
    .size = sizeof(linear),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .stop_time = 10,
    .step_size = 0.1,
    .functions = {.initialize = initialize, .evaluate = evaluate},
};
