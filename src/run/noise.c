// SPDX-License-Identifier: MIT
// Noise of instances; see noise.h.
#include "run/noise.h"

#include <math.h>

// How measured noise fades with each measurement.
static const double FADING = 0.9;
// In tolerances: larger differences are none.
static const double MOST = 3;

void takt_noise_learn(takt_noise *noise, int i, double difference)
{
    if (difference > MOST * noise->tolerance * noise->scale[i]) return; // a jump
    noise->of[i] = fmax(FADING * noise->of[i], difference);
}
