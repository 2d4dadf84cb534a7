// SPDX-License-Identifier: MIT
// Error test by step doubling (Nicolai 2018, algorithm 6): the step is repeated in two halves.
// Two estimates, both in the norm of the error, the weights from the result of the halves:
//   Richardson   y_2 - y_1             the halves against the full step
//   slope        y_mid - (y_0+y_1)/2   the middle against the straight line of the full step
// The first sees errors of integration. It misses a jump of a variable that depends on time alone,
// since both ways end at the same value; the second sees that. A row may differ from the printed
// formulas of the papers; this is what their program computed in its final form.
#include <math.h>

#include "run/algorithm.h"
#include "run/calls.h"
#include "run/estimator.h"
#include "run/system_step.h"
#include "run/tested.h"
#include "run/way_back.h"

// Of the tolerances, for loops: otherwise the error test sees what the iterations leave, which does not shrink
// with the step.
static const double LOOP_SHARE = 0.05;

// What is kept for a run.
typedef struct results {
    takt_values full, middle; // y after the full step and after the first half
    const int *n; // how many of each kind
} results;

static void destroy(void *data)
{
    results *own = data;
    if (!own) return;
    takt_values_clear(&own->full, own->n);
    takt_values_clear(&own->middle, own->n);
}

static takt_status create(takt_run *run, void **data, takt_error *err)
{
    results *own = takt_arena_alloc(&run->arena, sizeof *own);
    if (!own) return takt_fail_memory(err);
    own->n = run->plan->n_outputs;
    *data = own; // to be destroyed in any case
    if (!takt_values_init(&own->full, own->n) || !takt_values_init(&own->middle, own->n))
        return takt_fail_memory(err);
    if (run->plan->system->settings.norm == TAKT_NORM_PAPERS) return TAKT_OK;
    run->work.loop_share = LOOP_SHARE;
    return takt_tested_create(run, err);
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

// ---- the norm of the papers --------------------------------------------------------------------------

/// Sums of squares of both estimates.
typedef struct sums {
    double richardson, slope;
    int n; ///< of values
    double largest; ///< square of either
    int i_largest; ///< index in y; -1: none
} sums;

static void add_inputs(const takt_run *run, int i_instance, const results *own,
                       const takt_values *start, sums *out)
{
    const takt_settings *settings = &run->plan->system->settings;
    const takt_plan_instance *instance = &run->plan->instances[i_instance];
    const int *sources = run->plan->sources[TAKT_KIND_REAL] + instance->first_input[TAKT_KIND_REAL];
    for (int i = 0; i < instance->inputs.n_values[TAKT_KIND_REAL]; i++) {
        int k = sources[i];
        double y2 = run->state.y.real[k];
        double weight = fabs(y2) * settings->relative_tolerance + settings->absolute_tolerance;
        double r = (y2 - own->full.real[k]) / weight;
        double s = (own->middle.real[k] - 0.5 * (start->real[k] + own->full.real[k])) / weight;
        out->richardson += r * r;
        out->slope += s * s;
        if (!(fmax(r * r, s * s) > out->largest)) continue;
        out->largest = fmax(r * r, s * s);
        out->i_largest = k;
    }
    out->n += instance->inputs.n_values[TAKT_KIND_REAL];
}

// Both estimates over all real connections; a value that feeds several inputs counts several times. Connections
// for the initialization only, like those inside a group, do not count: no step depends on them.
static double mean_error(const takt_run *run, const results *own, const takt_values *start,
                         int *i_worst)
{
    const takt_settings *settings = &run->plan->system->settings;
    sums all = {.i_largest = -1};
    for (int i = 0; i < run->plan->n_blocks;
         i++) // so that the sum does not depend on the project's list
        for (int k = 0; k < run->plan->blocks[i].n_members; k++)
            add_inputs(run, run->plan->blocks[i].members[k], own, start, &all);
    *i_worst = all.i_largest;
    if (all.n == 0) return 0;
    if (settings->error_estimate == TAKT_ESTIMATE_RICHARDSON) all.slope = 0;
    if (settings->error_estimate == TAKT_ESTIMATE_SLOPE) all.richardson = 0;
    return sqrt(fmax(all.richardson, all.slope) / all.n);
}

// ---- the estimate ------------------------------------------------------------------------------------

// Makes the step in two halves; the second one may have a short last piece.
static takt_status make_halves(takt_run *run, const takt_trial *trial, results *own,
                               takt_estimate *out, takt_error *err)
{
    double t = trial->step.t, h = trial->step.h, t_mid = t + h / 2;
    double t_last = trial->t_end - (run->tested ? takt_tested_last_piece(run, h) : 0);
    bool is_single = trial->h_wanted / 2 < run->plan->system->settings.step_fallback;
    takt_step first = {t, h / 2, .is_final = run->work.n_snapshots == 0, .is_single = is_single,
                       .slot = TAKT_SLOT_BETWEEN};
    takt_step second = {t_mid, t_last - t_mid, .is_final = false, .is_single = is_single,
                        .slot = TAKT_SLOT_BETWEEN};
    takt_step last = {t_last, trial->t_end - t_last, .is_final = false, .is_single = is_single,
                      .slot = TAKT_SLOT_BETWEEN};
    bool succeeded = false;
    out->is_complete = false;
    out->outcome = (takt_outcome){.end = TAKT_STEP_DONE};
    takt_status st = takt_way_back_take(run, err);
    if (!st) st = half_step(run, &first, &out->outcome, &succeeded, err);
    if (!st && succeeded && run->tested) st = takt_tested_read(run, t_mid, err);
    if (st || !succeeded) return st;
    if (!takt_values_copy(&run->state.y, &own->middle, own->n)) return takt_fail_memory(err);
    st = half_step(run, &second, &out->outcome, &out->is_complete, err);
    if (st || !out->is_complete || last.h == 0) return st;
    return half_step(run, &last, &out->outcome, &out->is_complete, err);
}

static takt_status estimate(void *data, takt_run *run, const takt_trial *trial, takt_estimate *out,
                            takt_error *err)
{
    results *own = data;
    const takt_tested_step step = {.h = trial->step.h,
                                   .t_end = trial->t_end,
                                   .start = trial->start,
                                   .full = &own->full,
                                   .middle = &own->middle,
                                   .end = &run->state.y};
    takt_status st = run->tested ? takt_tested_read(run, trial->t_end, err) : TAKT_OK;
    if (st) return st;
    if (!takt_values_copy(&run->state.y, &own->full, own->n)) return takt_fail_memory(err);
    out->error = TAKT_TESTED_FAILED;
    if (run->tested && takt_tested_has_changed(run, &step, &out->worst)) return TAKT_OK;
    st = make_halves(run, trial, own, out, err);
    if (!st && out->is_complete && run->tested) st = takt_tested_read(run, trial->t_end, err);
    if (st || !out->is_complete) return st;
    out->error = run->tested ? takt_tested_error(run, &step, &out->worst)
                             : mean_error(run, own, trial->start, &out->worst.index);
    return TAKT_OK;
}

const takt_estimator_type takt_richardson_estimator = {.name = "richardson",
                                                       .halves = true,
                                                       .create = create,
                                                       .destroy = destroy,
                                                       .estimate = estimate};
