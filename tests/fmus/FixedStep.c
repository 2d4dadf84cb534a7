// SPDX-License-Identifier: MIT
// y = k * u, but all communication steps must have the same size.
#include "FmuLikeGain.h"

const fmukit_model fmukit_this_model = {.name = "FixedStep", .fixed_step = true, GAIN_MODEL};
