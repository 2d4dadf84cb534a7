// SPDX-License-Identifier: MIT
// y = k * u, but the state cannot be saved and restored.
#include "FmuLikeGain.h"

const fmukit_model fmukit_this_model = {.name = "NoRewind", .no_rewind = true, GAIN_MODEL};
