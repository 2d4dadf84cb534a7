// SPDX-License-Identifier: MIT
// What an error test looks at, with the norm of the largest error. A step has been made twice: in one piece,
// and in two halves, whose result is kept.
//
//   continuous values that inputs get    Richardson   |halves - full|
//                                        slope        |middle - (start + full) / 2|
//   continuous outputs that nobody reads Richardson
//   discrete values that inputs get      must not change
//
// All in units of the value's tolerance (scale.h); the largest counts. Differences that rounding explains do not.
//
// Whoever reads a discrete value that changes has used the wrong one for a part of the step, and neither
// estimate need see that. So a step in which one changes is too large, unless it is so small that the time of the
// change is known well enough, or the change was announced for the end of the step. What has changed in each of
// the latest kept steps is no event but a course of its own: an integer is then let alone, and a real
// value tested like a continuous one. This memory is state.
#ifndef TAKT_RUN_TESTED_H
#define TAKT_RUN_TESTED_H

#include "run/run.h"

/// A step whose result can be tested.
typedef struct takt_tested_step {
    double h, t_end; ///< s
    const takt_values *start, *full, *middle, *end; ///< y; `middle` and `end` are of the halves
} takt_tested_step;

/// Makes run->tested.
takt_status takt_tested_create(takt_run *run, takt_error *err);

/// Reads the outputs that nobody reads.
takt_status takt_tested_read(takt_run *run, double t, takt_error *err);

/// The size of a last piece, s, that the second half of a step of size h should have; 0: none. An instance that
/// answers to the values before a step, and not to those that are delivered in it, answers to the end of the
/// step in the next one. If the answer is discrete, it must be seen before the step is kept.
double takt_tested_last_piece(const takt_run *run, double h);

/// Has a discrete value changed in the full step, so that it is too large? `middle` and `end` are not looked at.
/// Then it is `changed`.
bool takt_tested_has_changed(const takt_run *run, const takt_tested_step *step, takt_slot *changed);

/// The largest error, in units of the tolerance; TAKT_TESTED_FAILED where it has no size. `worst` is the value that
/// has it.
double takt_tested_error(const takt_run *run, const takt_tested_step *step, takt_slot *worst);

#define TAKT_TESTED_FAILED 25.0 ///< leads to the smallest factor

/// A step from `start` to y is kept.
void takt_tested_note(takt_run *run);

/// What is carried from step to step, for snapshots; empty: there is no error test.
takt_memory takt_tested_memory(takt_run *run);

#endif
