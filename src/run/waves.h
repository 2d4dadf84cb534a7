// SPDX-License-Identifier: MIT
// Parallel stepping. A wave is work whose tasks do not depend on each other: all instances where all get the
// values of the last communication point, else the blocks of one level of the plan (of a simultaneous block
// each member by itself). Its tasks may be done by several threads, and the results are the same bit for bit,
// because every task reads and writes values of its own. Instances that step in two phases compute elsewhere:
// they are begun before and ended after the work of the threads.
//
// Whether that pays is measured, wave by wave, again from time to time and when steps have become much slower:
// some steps are done serially, then some in parallel, and the quicker way stays. Where no wave gains, blocks
// are advanced in the plain way. Cheap instances never wake a thread. A step log is written in the order of
// the plan, so with one there is one thread.
#ifndef TAKT_RUN_WAVES_H
#define TAKT_RUN_WAVES_H

#include "run/outcome.h"

/// Prepares waves if the setting `jobs` allows more than one thread, or an instance steps in two phases, else
/// run->waves stays NULL.
takt_status takt_waves_create(takt_run *run, takt_error *err);
void takt_waves_destroy(takt_run *run);

/// Every wave of several tasks is done by threads, without measuring; for tests.
takt_status takt_waves_force(takt_run *run, takt_error *err);

/// What is done with each block of the plan in place of its algorithm, for steps by prediction. It must not fail.
typedef struct takt_waves_work {
    void (*advance)(void *context, int i_block);
    /// The same in phases, for blocks whose instance computes elsewhere: `begin` and then `go_on` until it returns false.
    bool (*begin)(void *context, int i_block);
    bool (*go_on)(void *context, int i_block);
    void *context;
    const bool *is_tied; ///< per block: to the caller's thread
    const bool *is_split; ///< per block: it has these phases
} takt_waves_work;

/// From now on that is done, level by level. Does nothing where there is one thread, and no phases.
void takt_waves_use(takt_run *run, const takt_waves_work *work);

/// Does it with the blocks of one level, after takt_waves_choose().
void takt_waves_advance_level(takt_run *run, int level);

/// Forms the waves anew, after algorithms of blocks have changed.
void takt_waves_arrange(takt_run *run);

/// When waves are considered again. The beginning of takt_waves.
typedef struct takt_waves_turn {
    int64_t n_plain; ///< plain steps until then
    uint64_t trials_due; ///< takt_run_counts::master_ticks, if these come first
} takt_waves_turn;

/// Must be decided whether the next step is made in waves?
static inline bool takt_waves_are_due(const takt_run *run)
{
    const takt_waves_turn *turn = (const takt_waves_turn *)run->waves;
    return turn && (turn->n_plain <= 0 || run->counts.master_ticks > turn->trials_due);
}

/// After a plain step.
static inline void takt_waves_count_plain(takt_run *run)
{
    if (run->waves) ((takt_waves_turn *)run->waves)->n_plain--;
}

/// Decides whether the next step is made in waves, when that is due.
bool takt_waves_choose(takt_run *run);

/// Advances all blocks in waves.
takt_status takt_waves_advance(takt_run *run, const takt_step *step, takt_outcome *outcome,
                               takt_error *err);

#endif
