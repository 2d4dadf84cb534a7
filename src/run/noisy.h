// SPDX-License-Identifier: MIT
// Instances whose noise limits the accuracy are named.
#ifndef TAKT_RUN_NOISY_H
#define TAKT_RUN_NOISY_H

#include "run/couple.h"

/// How large the noise of an instance is, in tolerances.
double takt_noisy_size(const takt_couple *couple, int i_instance);

/// The noise of an instance, of this size in tolerances, limits the accuracy.
takt_status takt_noisy_note(const takt_couple *couple, int i_instance, double size,
                            takt_error *err);

/// After noise has been measured: where it is so large that it limits the accuracy, that is said.
takt_status takt_noisy_judge(const takt_couple *couple, int i_instance, takt_error *err);

#endif
