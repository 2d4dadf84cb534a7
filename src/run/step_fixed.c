// SPDX-License-Identifier: MIT
// Fixed steps: every attempt counts. A loop that does not converge goes on with the values of its
// last sweep (Nicolai 2018, section 5.3); there is no way back.
#include <math.h>

#include "run/calls.h"
#include "run/rows.h"
#include "run/step.h"
#include "run/step_log.h"

void takt_step_terminate(takt_run *run, const takt_outcome *outcome)
{
    run->progress = TAKT_TERMINATED;
    takt_log_write(run->log, TAKT_LEVEL_WARN,
                   "instance '%s' ended the simulation at t=%.15g s; the last row is at t=%.15g s",
                   run->instances[outcome->i_instance].instance->name, outcome->time,
                   run->last_row);
}

static takt_status fail_discarded(const takt_run *run, const takt_outcome *outcome, double h,
                                  takt_error *err)
{
    return takt_fail(
        err, TAKT_ERR_SIMULATION,
        "instance '%s' at t=%.15g s: the FMU discarded the step of %.15g s (it came to "
        "t=%.15g s); try a smaller --step-size, or --step-control convergence",
        run->instances[outcome->i_instance].instance->name, run->grid.time, h, outcome->time);
}

static takt_status note_unconverged(takt_run *run, const takt_step_plan *step, takt_error *err)
{
    run->n_limit_exceeded++;
    takt_step_log_decision(run, step, "not converged, going on");
    if (!run->plan->system->settings.strict) return TAKT_OK;
    return takt_fail(err, TAKT_ERR_SIMULATION,
                     "t=%.15g s: a loop did not converge within %lld iterations (--strict); try a "
                     "smaller --step-size, more --iterations or another --algorithm",
                     step->t, (long long)run->plan->system->settings.iterations);
}

static takt_status save_states(takt_run *run, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < run->n_instances && !st; i++)
        if (run->instances[i].saves_state) st = takt_run_save(run, i, run->grid.time, err);
    return st;
}

takt_status takt_step_fixed(takt_run *run, takt_error *err)
{
    bool is_event;
    double t = run->grid.time;
    double stop = takt_run_has_stops(run) ? takt_run_next_stop(run, &is_event) : INFINITY;
    double next = takt_grid_next(&run->grid);
    bool is_to_stop = stop < next && !takt_times_equal(stop, next, run->grid.h);
    double h = is_to_stop ? stop - t : takt_grid_size(&run->grid, next);
    takt_step_plan step = {t, h, .is_final = true};
    takt_outcome outcome;
    takt_status st = run->saves_states ? save_states(run, err) : TAKT_OK;
    if (!st) st = takt_run_advance(run, &step, &outcome, err);
    if (st) return st;
    if (outcome.end == TAKT_STEP_DISCARDED) return fail_discarded(run, &outcome, step.h, err);
    if (outcome.end == TAKT_STEP_TERMINATED) {
        takt_step_terminate(run, &outcome);
        return TAKT_OK;
    }
    if (outcome.is_unconverged) st = note_unconverged(run, &step, err);
    if (st) return st;
    if (is_to_stop)
        run->grid.time = stop; // a point between those of the grid
    else
        takt_grid_advance(&run->grid, next);
    return TAKT_OK;
}
