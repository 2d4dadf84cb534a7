// SPDX-License-Identifier: MIT
// What limits the size of steps, counted: how often each variable did, and how often something else.
//
// Whoever chooses a size notes its cause in takt_run_state::control. When a step of that size is kept, the cause is
// counted; when an attempt is taken back, the value with the largest error. Counts only report. Nothing is looked up
// nor formatted for them: names are made when somebody asks.
#ifndef TAKT_RUN_LIMITS_H
#define TAKT_RUN_LIMITS_H

#include "run/run.h"

/// The counts of one value of y.
typedef struct takt_limit_count {
    int64_t n_steps; ///< that were kept, and whose size it determined
    int64_t n_rejected; ///< attempts in which it had the largest error
    double largest; ///< error, in units of the tolerance
} takt_limit_count;

static const takt_slot TAKT_NO_VALUE = {TAKT_KIND_REAL, -1};

/// The cause for which a real value is responsible; -1: none is known.
static inline takt_cause takt_cause_of_error(int i_real)
{
    return (takt_cause){TAKT_LIMIT_ERROR, {TAKT_KIND_REAL, i_real}};
}

/// Makes run->limits.
takt_status takt_limits_create(takt_run *run, takt_error *err);

/// A step is kept whose size had this cause.
void takt_limits_note_step(takt_run *run, takt_cause cause);

/// An attempt is taken back for this value (index -1: none is to blame), which had this error.
void takt_limits_note_rejection(takt_run *run, takt_slot value, double error);

/// How often steps were limited by a cause.
int64_t takt_limits_count(const takt_run *run, takt_limit limit);

/// Those of a value of y.
takt_limit_count takt_limits_of(const takt_run *run, takt_slot value);

/// "Tank.level"; "" for no value, and where memory is exhausted. Lives as long as the run.
const char *takt_limits_name(takt_run *run, takt_slot value);

/// The same without memory of its own, perhaps not in full.
void takt_limits_write_name(const takt_run *run, takt_slot value, char *out, size_t size);

/// The word for a cause, in the statistics and in the step log.
const char *takt_limit_word(takt_limit limit);

#endif
