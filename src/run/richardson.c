// SPDX-License-Identifier: MIT
// Error test by step doubling (Nicolai 2018, algorithm 6): the step is repeated in two halves.
// Two estimates, both in the norm of the error, the weights from the result of the halves:
//   Richardson   y_2 - y_1             the halves against the full step
//   slope        y_mid - (y_0+y_1)/2   the middle against the straight line of the full step
// The first sees errors of integration. It misses a jump of a variable that depends on time alone,
// since both ways end at the same value; the second sees that. A row may differ from the printed
// formulas of the papers; this is what their program computed in its final form.
#include <math.h>
#include <string.h>

#include "run/algorithm.h"
#include "run/calls.h"
#include "run/estimator.h"
#include "run/system_step.h"
#include "run/way_back.h"

static const double FAILED = 25; // leads to the smallest factor

// Real values after the full step and after the first half.
typedef struct values {
    double *full, *middle;
} values;

static takt_status create(takt_run *run, void **data, takt_error *err)
{
    values *own = takt_arena_alloc(&run->arena, sizeof *own);
    if (!own) return takt_fail_memory(err);
    size_t n = (size_t)run->plan->n_outputs[TAKT_KIND_REAL];
    own->full = takt_arena_array(&run->arena, n, sizeof(double));
    own->middle = takt_arena_array(&run->arena, n, sizeof(double));
    if (!own->full || !own->middle) return takt_fail_memory(err);
    *data = own;
    return TAKT_OK;
}

// Before a half step: the loops that iterate go back to its beginning, in a slot of their own.
static takt_status save_members(takt_run *run, const takt_step *step, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < run->plan->n_blocks && !st; i++) {
        const takt_run_block *block = &run->work.blocks[i];
        if (!takt_block_iterates(block)) continue;
        for (int k = 0; k < block->plan->n_members && !st; k++)
            st = takt_run_save(run, block->plan->members[k], step->slot, step->t, err);
    }
    return st;
}

// What is doubtful in one half, is so in both.
static void join_outcomes(const takt_outcome *half, takt_outcome *both)
{
    both->is_unchecked |= half->is_unchecked;
    if (half->is_early) {
        both->is_early = true;
        both->i_early = half->i_early;
        both->early_time = half->early_time;
    }
    if (!both->loop) both->loop = half->loop;
    both->norm = fmax(both->norm, half->norm);
}

static takt_status half_step(takt_run *run, const takt_step *step, takt_outcome *both,
                             bool *succeeded, takt_error *err)
{
    takt_outcome outcome = {.end = TAKT_STEP_DONE};
    takt_status st = save_members(run, step, err);
    if (!st) st = takt_system_step(run, step, &outcome, err);
    join_outcomes(&outcome, both);
    *succeeded =
        !st && outcome.end == TAKT_STEP_DONE && !outcome.is_unconverged && !outcome.is_early;
    return takt_way_back_is_open(run, st) ? TAKT_OK : st;
}

/// Sums of squares of both estimates.
typedef struct sums {
    double richardson, slope;
    int n; ///< of values
} sums;

static void add_inputs(const takt_run *run, int i_instance, const values *own,
                       const takt_values *start, sums *out)
{
    const takt_settings *settings = &run->plan->system->settings;
    const takt_plan_instance *instance = &run->plan->instances[i_instance];
    const int *sources = run->plan->sources[TAKT_KIND_REAL] + instance->first_input[TAKT_KIND_REAL];
    for (int i = 0; i < instance->inputs.n_values[TAKT_KIND_REAL]; i++) {
        int k = sources[i];
        double y2 = run->state.y.real[k];
        double weight = fabs(y2) * settings->relative_tolerance + settings->absolute_tolerance;
        double r = (y2 - own->full[k]) / weight;
        double s = (own->middle[k] - 0.5 * (start->real[k] + own->full[k])) / weight;
        out->richardson += r * r;
        out->slope += s * s;
    }
    out->n += instance->inputs.n_values[TAKT_KIND_REAL];
}

// Both estimates over all real connections; a value that feeds several inputs counts several times. Connections
// for the initialization only, like those inside a group, do not count: no step depends on them.
static double compare(const takt_run *run, const values *own, const takt_values *start)
{
    const takt_settings *settings = &run->plan->system->settings;
    sums all = {0};
    for (int i = 0; i < run->work.n_instances; i++) add_inputs(run, i, own, start, &all);
    if (all.n == 0) return 0;
    if (settings->error_estimate == TAKT_ESTIMATE_RICHARDSON) all.slope = 0;
    if (settings->error_estimate == TAKT_ESTIMATE_SLOPE) all.richardson = 0;
    return sqrt(fmax(all.richardson, all.slope) / all.n);
}

static takt_status estimate(void *data, takt_run *run, const takt_trial *trial, takt_estimate *out,
                            takt_error *err)
{
    values *own = data;
    size_t size = (size_t)run->plan->n_outputs[TAKT_KIND_REAL] * sizeof(double);
    double t = trial->step.t, h = trial->step.h, t_mid = t + h / 2;
    bool is_single = trial->h_wanted / 2 < run->plan->system->settings.step_fallback;
    takt_step first = {t, h / 2, .is_final = run->work.n_snapshots == 0, .is_single = is_single,
                       .slot = TAKT_SLOT_BETWEEN};
    takt_step second = {t_mid, trial->t_end - t_mid, .is_final = false, .is_single = is_single,
                        .slot = TAKT_SLOT_BETWEEN};
    bool succeeded = false;
    memcpy(own->full, run->state.y.real, size);
    out->outcome = (takt_outcome){.end = TAKT_STEP_DONE};
    takt_status st = takt_way_back_take(run, err);
    if (!st) st = half_step(run, &first, &out->outcome, &succeeded, err);
    if (!st && succeeded) {
        memcpy(own->middle, run->state.y.real, size);
        st = half_step(run, &second, &out->outcome, &succeeded, err);
    }
    out->error = succeeded ? compare(run, own, trial->start) : FAILED;
    out->is_complete = succeeded;
    return st;
}

const takt_estimator_type takt_richardson_estimator = {
    .name = "richardson", .halves = true, .create = create, .estimate = estimate};
