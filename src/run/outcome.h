// SPDX-License-Identifier: MIT
// How an attempt to step ended.
#ifndef TAKT_RUN_OUTCOME_H
#define TAKT_RUN_OUTCOME_H

#include "run/run.h"

/// None of these ends is an error.
typedef struct takt_outcome {
    takt_step_end end; ///< of the first instance that did not reach t + h, else TAKT_STEP_DONE
    int i_instance; ///< which one that was
    double time; ///< s; how far it came
    bool is_unconverged; ///< an iteration reached its limit
    bool is_unchecked; ///< a loop was not iterated, although its values do not agree
    const char *loop; ///< the name of the first loop of which one of these is true; borrowed
    double norm; ///< how far off it is, in units of the tolerance
    bool
        is_early; ///< an instance has met an event within the step that concerns others; see early.h
    int i_early; ///< which one
    double early_time; ///< s; when
    bool has_requests; ///< an instance has an event, or asks to end
} takt_outcome;

#endif
