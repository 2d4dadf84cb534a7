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

#include "base/clock.h"
#include "run/adaptive.h"
#include "run/calls.h"
#include "run/step_log.h"

static const double FAILED = 25; // leads to the smallest factor

// Before a half step: the loops that iterate go back to its beginning, in a slot of their own.
static takt_status save_members(takt_run *run, double t, takt_error *err)
{
    takt_status st = TAKT_OK;
    run->i_slot = 1;
    for (int i = 0; i < run->plan->n_blocks && !st; i++) {
        const takt_run_block *block = &run->blocks[i];
        if (!takt_block_iterates(block)) continue;
        for (int k = 0; k < block->plan->n_members && !st; k++)
            st = takt_run_save(run, block->plan->members[k], t, err);
    }
    return st;
}

static takt_status half_step(takt_run *run, const takt_step_plan *step, bool *succeeded,
                             takt_error *err)
{
    takt_outcome outcome = {.end = TAKT_STEP_DONE};
    takt_status st = save_members(run, step->t, err);
    if (!st) st = takt_run_advance(run, step, &outcome, err);
    run->i_slot = 0;
    *succeeded = !st && outcome.end == TAKT_STEP_DONE && !outcome.is_unconverged;
    return takt_run_can_go_back(run, st) ? TAKT_OK : st;
}

/// Sums of squares of both estimates.
typedef struct sums {
    double richardson, slope;
    int n; ///< of values
} sums;

static void add_inputs(const takt_run *run, int i_instance, sums *out)
{
    const takt_settings *settings = &run->plan->system->settings;
    const takt_plan_instance *instance = &run->plan->instances[i_instance];
    const struct takt_adaptive *at = run->adaptive;
    const int *sources = run->plan->sources[TAKT_KIND_REAL] + instance->first_input[TAKT_KIND_REAL];
    for (int i = 0; i < instance->inputs.n_values[TAKT_KIND_REAL]; i++) {
        int k = sources[i];
        double y2 = run->y.real[k];
        double weight = fabs(y2) * settings->relative_tolerance + settings->absolute_tolerance;
        double r = (y2 - at->full[k]) / weight;
        double s = (at->middle[k] - 0.5 * (at->start.real[k] + at->full[k])) / weight;
        out->richardson += r * r;
        out->slope += s * s;
    }
    out->n += instance->inputs.n_values[TAKT_KIND_REAL];
}

// Both estimates over all real connections; a value that feeds several inputs counts several times. Connections
// for the initialization only, like those inside a group, do not count: no step depends on them.
static double estimate(const takt_run *run)
{
    const takt_settings *settings = &run->plan->system->settings;
    sums all = {0};
    for (int i = 0; i < run->n_instances; i++) add_inputs(run, i, &all);
    if (all.n == 0) return 0;
    if (settings->error_estimate == TAKT_ESTIMATE_RICHARDSON) all.slope = 0;
    if (settings->error_estimate == TAKT_ESTIMATE_SLOPE) all.richardson = 0;
    return sqrt(fmax(all.richardson, all.slope) / all.n);
}

takt_status takt_richardson_test(takt_run *run, double t, double h, double t_end, double *error,
                                 bool *is_complete, takt_error *err)
{
    uint64_t begin = takt_ticks();
    struct takt_adaptive *at = run->adaptive;
    size_t size = (size_t)run->plan->n_outputs[TAKT_KIND_REAL] * sizeof(double);
    double t_mid = t + h / 2;
    takt_step_plan first = {t, h / 2, .is_final = true};
    takt_step_plan second = {t_mid, t_end - t_mid, .is_final = false};
    bool succeeded = false;
    memcpy(at->full, run->y.real, size);
    takt_status st = takt_adaptive_rewind(run, err);
    if (!st) st = half_step(run, &first, &succeeded, err);
    if (!st && succeeded) {
        memcpy(at->middle, run->y.real, size);
        st = half_step(run, &second, &succeeded, err);
    }
    *error = succeeded ? estimate(run) : FAILED;
    *is_complete = succeeded;
    run->error_test_ticks += takt_ticks() - begin;
    return st;
}
