// SPDX-License-Identifier: MIT
// Noise of instances: how far results differ that should be equal. Trials and repetitions of steps that would be the same for an
// exact instance measure it, and whatever compares results takes nothing within it for an effect.
//
// Random outputs, those of integrators with a tolerance of their own, and rounded ones have it alike.
#ifndef TAKT_RUN_NOISE_H
#define TAKT_RUN_NOISE_H

/// Two results of a noisy instance differ by at most this multiple of what others have differed by.
#define TAKT_NOISE_MOST 3.

/// What is known, per real value of y.
typedef struct takt_noise {
    double *of; ///< differences of results that should be equal; carried
    double *resolution; ///< the smallest difference that was seen; carried
    const double *scale; ///< borrowed
    double tolerance; ///< relative
} takt_noise;

/// Two results of value i differ by this, and should not.
void takt_noise_learn(takt_noise *noise, int i, double difference);

/// Results of trials differ by this in value i. Rounded outputs have a coarse resolution, and tell nothing about what is smaller.
static inline void takt_noise_see(takt_noise *noise, int i, double difference)
{
    if (difference > 0 && difference < noise->resolution[i]) noise->resolution[i] = difference;
}

/// Differences of value i up to this may be noise.
static inline double takt_noise_of(const takt_noise *noise, int i)
{
    return TAKT_NOISE_MOST * noise->of[i];
}

#endif
