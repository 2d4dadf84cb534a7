// SPDX-License-Identifier: MIT
// Trial runs: a part of the interval is simulated, within limits, and what happened is noted.
//
// Noted are the real values of all connected outputs, instance by instance: value number i belongs to the same
// output in every trial, whatever the plan.
#ifndef TAKT_ADVISE_TRIAL_H
#define TAKT_ADVISE_TRIAL_H

#include "plan/plan.h"
#include "takt/run.h"

enum { TAKT_TRIAL_POINTS = 8 };

/// What is known of one instance after a trial.
typedef struct takt_trial_instance {
    takt_call_statistics do_step;
    int64_t n_changes; ///< of its connected outputs that are not real
} takt_trial_instance;

/// What happened in a trial. Lies, with its arrays, in the arena that it was made with.
typedef struct takt_trial {
    takt_error failure; ///< status TAKT_OK: none
    double t_begin, t_end; ///< s; the part of the interval that was simulated
    double stop; ///< s; of the whole interval
    double h_largest; ///< s; of its steps
    double wall; ///< s of real time
    int64_t n_steps, n_rejected, n_doubtful;
    int n_values; ///< connected real outputs
    double *scales; ///< of each: the largest magnitude seen, at least 1 % of the nominal value
    int *n_jumps; ///< of each: how often it jumped
    int n_points; ///< communication points whose values are kept
    double times[TAKT_TRIAL_POINTS]; ///< s
    double *values[TAKT_TRIAL_POINTS];
    takt_trial_instance *instances;
} takt_trial;

/// Called now and then between two steps; may call the instances, and brings everything back afterwards.
/// Returns false when the run cannot go on.
typedef bool takt_trial_visit(void *context, takt_run *run, const takt_trial *trial);

/// How a trial is made.
typedef struct takt_trial_setup {
    const takt_plan *plan; ///< must outlive `out`
    takt_watch *watch; ///< NULL: none
    int64_t max_steps;
    double deadline; ///< s, on takt_clock()
    const takt_trial
        *like; ///< keeps values at the same times, and ends with the last; NULL: at own ones
    takt_trial_visit *visit; ///< NULL: none
    void *context;
} takt_trial_setup;

/// Makes a trial. Fails only when memory is exhausted or no run can be made; failures of the run are noted.
takt_status takt_trial_make(const takt_trial_setup *setup, takt_arena *arena, takt_trial *out,
                            takt_error *err);

/// Which output value number `i_value` is: "component.variable"; NULL when memory is exhausted. `i_instance` may
/// be NULL.
const char *takt_trial_name(const takt_plan *plan, int i_value, takt_arena *arena, int *i_instance);

/// The largest difference of the values that two trials have kept, relative to their scales. `i_value` and
/// `time` say where; -1: they have no point in common.
double takt_trial_compare(const takt_trial *a, const takt_trial *b, int *i_value, double *time);

#endif
