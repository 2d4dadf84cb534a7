// SPDX-License-Identifier: MIT
// Iterating Gauss-Seidel: sweeps over the members of a loop, each from the saved states, until the
// values of two sweeps agree (Nicolai 2018, algorithm 3).
//
// The norm is the one that ran, not the one that is printed there: sqrt of the mean of
// ((y_old - y_new) / (|y_old| rtol + atol))^2 over all real connections of the system, of which only
// those inside the loop can change; a value that feeds several inputs counts several times. Values of
// other types must be equal.
#include "run/algorithm.h"
#include "run/calls.h"

#include <math.h>

static takt_status remember(takt_run *run, const takt_run_block *block, takt_error *err)
{
    const int *const *own = block->own;
    for (int i = 0; i < block->n_own[TAKT_KIND_REAL]; i++) {
        int k = own[TAKT_KIND_REAL][i];
        run->previous.real[k] = run->y.real[k];
    }
    for (int i = 0; i < block->n_own[TAKT_KIND_INTEGER]; i++) {
        int k = own[TAKT_KIND_INTEGER][i];
        run->previous.integer[k] = run->y.integer[k];
    }
    for (int i = 0; i < block->n_own[TAKT_KIND_BYTES]; i++) {
        int k = own[TAKT_KIND_BYTES][i];
        const takt_bytes *value = &run->y.bytes[k];
        if (!takt_bytes_assign(&run->previous.bytes[k], value->data, value->size))
            return takt_fail_memory(err);
    }
    return TAKT_OK;
}

static bool discrete_values_agree(const takt_run *run, const takt_run_block *block)
{
    for (int i = 0; i < block->n_own[TAKT_KIND_INTEGER]; i++) {
        int k = block->own[TAKT_KIND_INTEGER][i];
        if (run->previous.integer[k] != run->y.integer[k]) return false;
    }
    for (int i = 0; i < block->n_own[TAKT_KIND_BYTES]; i++) {
        int k = block->own[TAKT_KIND_BYTES][i];
        if (!takt_bytes_equal(&run->previous.bytes[k], &run->y.bytes[k])) return false;
    }
    return true;
}

static double norm_of_change(const takt_run *run, const takt_run_block *block)
{
    const takt_settings *settings = &run->plan->system->settings;
    double sum = 0;
    for (int i = 0; i < block->n_connections; i++) {
        int k = block->sources[i];
        double old = run->previous.real[k];
        double weight = fabs(old) * settings->relative_tolerance + settings->absolute_tolerance;
        double d = (old - run->y.real[k]) / weight;
        sum += d * d;
    }
    return sum == 0 ? 0 : sqrt(sum / run->plan->n_inputs[TAKT_KIND_REAL]);
}

static takt_status rewind_members(takt_run *run, const takt_run_block *block, double t,
                                  takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < block->plan->n_members && !st; i++)
        st = takt_run_restore(run, block->plan->members[i], t, err);
    return st;
}

takt_status takt_fixed_point_advance(takt_run *run, takt_run_block *block,
                                     const takt_step_plan *step, takt_outcome *outcome,
                                     takt_error *err)
{
    int64_t limit = run->plan->system->settings.iterations;
    for (int64_t iteration = 1; iteration <= limit; iteration++) {
        takt_status st = remember(run, block, err);
        if (!st && iteration > 1) st = rewind_members(run, block, step->t, err);
        if (!st) st = takt_seidel_advance(run, block, step, outcome, err);
        if (st || outcome->end != TAKT_STEP_DONE) return st;
        double norm = norm_of_change(run, block);
        takt_log_write(run->log, TAKT_LEVEL_TRACE,
                       "fixed-point: t=%.15g h=%.15g loop of '%s', sweep %d: norm of change %.6g",
                       step->t, step->h, run->instances[block->plan->members[0]].instance->name,
                       (int)iteration, norm);
        if (norm <= 1 && discrete_values_agree(run, block)) return TAKT_OK;
    }
    outcome->is_unconverged = true;
    return TAKT_OK;
}
