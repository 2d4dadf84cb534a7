// SPDX-License-Identifier: MIT
// Steps that were kept although their tests had not passed: counted by cause, reported at the end of the run
// with the first and the worst of them, and failures with the setting `strict`.
#ifndef TAKT_RUN_DOUBTS_H
#define TAKT_RUN_DOUBTS_H

#include "run/run.h"

/// A step that is kept is doubtful. `loop` is its name, or NULL; `size` how far off it is, in units of the
/// tolerance (NaN: not known). Fails if the setting `strict` is on.
takt_status takt_doubt_note(takt_run *run, takt_doubt cause, const char *loop, double size,
                            takt_error *err);

/// At the end of a run: a warning for each cause.
void takt_doubts_report(const takt_run *run);

#endif
