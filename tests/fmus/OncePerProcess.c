// SPDX-License-Identifier: MIT
// y = k * u, but a second instance in the same library is refused.
#include "FmuLikeGain.h"

const fmukit_model fmukit_this_model = {
    .name = "OncePerProcess", .once_per_process = true, GAIN_MODEL};
