// SPDX-License-Identifier: MIT
// Parallel stepping. A wave is work whose parts do not depend on each other: with Gauss-Jacobi everywhere all
// instances, else the blocks of one level of the plan (of a Jacobi block each member by itself). Its parts
// may be done by several threads, and the results are the same bit for bit, because every part reads and
// writes values of its own.
//
// Whether that pays is measured, wave by wave, again from time to time and when steps have become much slower:
// some steps are done serially, then some in parallel, and the quicker way stays. Where no wave gains, blocks
// are advanced in the plain way. Cheap instances never wake a thread. A step log is written in the order of
// the plan, so with one there is one thread.
#ifndef TAKT_RUN_WAVES_H
#define TAKT_RUN_WAVES_H

#include "run/algorithm.h"

/// Prepares waves if the setting `jobs` allows more than one thread, else run->waves stays NULL.
takt_status takt_waves_create(takt_run *run, takt_error *err);
void takt_waves_destroy(takt_run *run);

/// Every wave of several parts is done by threads, without measuring; for tests.
takt_status takt_waves_force(takt_run *run, takt_error *err);

/// Forms the waves anew, after algorithms of blocks have changed.
void takt_waves_arrange(takt_run *run);

/// Makes up the mind about the next step, when run->n_plain is used up or trials are overdue.
bool takt_waves_choose(takt_run *run);

/// Is the next step to be made in waves? To be asked once per step.
static inline bool takt_waves_are_due(takt_run *run)
{
    bool is_due = --run->n_plain < 0 || run->master_ticks > run->trials_due;
    return is_due && takt_waves_choose(run);
}

/// Advances all blocks, after takt_waves_are_due().
takt_status takt_waves_advance(takt_run *run, const takt_step_plan *step, takt_outcome *outcome,
                               takt_error *err);

#endif
