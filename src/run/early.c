// SPDX-License-Identifier: MIT
// Events within a step; see early.h.
//
// Most often the repeated step ends at the event, and the instance says so. With other inputs, which belong to the
// shorter step, the event may have moved: then it is found again, before or after. If only rounding hides it, the
// next attempt finds it at its very beginning; that is what takt_early_aim() and takt_early_stay() are for.
// Any other event at the beginning of a step was caused by inputs that were just set. They are the values of
// the end of the step where their source has been stepped already, so that nothing would be gained by going back.
#include "run/early.h"

#include <math.h>

#include "base/times.h"
#include "run/calls.h"

takt_status takt_early_create(takt_run *run, takt_error *err)
{
    takt_run_work *work = &run->work;
    work->eventful =
        takt_arena_array(&run->arena, (size_t)work->n_instances, sizeof *work->eventful);
    if (!work->eventful) return takt_fail_memory(err);
    for (int i = 0; i < work->n_instances; i++) {
        const takt_model *model = work->instances[i].instance->model;
        if (model->can.events || model->can.early_return) work->eventful[work->n_eventful++] = i;
    }
    return TAKT_OK;
}

bool takt_early_is_possible(const takt_run *run)
{
    bool is_possible = false;
    for (int i = 0; i < run->work.n_instances; i++) {
        const takt_model *model = run->work.instances[i].instance->model;
        if (!takt_model_can_rewind(model) || !model->can.variable_step) return false;
        is_possible |= model->can.early_return && run->plan->instances[i].outputs.n_batches > 0;
    }
    return is_possible;
}

// Was the last communication point made for an event of this instance?
static bool is_aimed_at(const takt_run *run, int i_instance, double t)
{
    return run->state.aimed_time == t && run->state.i_aimed == i_instance;
}

void takt_early_note(takt_run *run, int i_instance, const takt_step *step,
                     const takt_step_result *result)
{
    bool is_read = run->plan->instances[i_instance].outputs.n_batches > 0;
    if (!is_read || !result->has_event) return;
    bool is_at_begin = takt_times_equal(result->time, step->t, step->h);
    if (is_at_begin && !is_aimed_at(run, i_instance, step->t)) return;
    run->state.instances[i_instance].early_time = result->time;
}

void takt_early_take(takt_run *run, takt_outcome *outcome)
{
    outcome->is_early = false;
    for (int k = 0; k < run->work.n_eventful; k++) {
        int i = run->work.eventful[k];
        double t = run->state.instances[i].early_time;
        run->state.instances[i].early_time =
            INFINITY; // not every instance is stepped in every attempt
        if (!(t < INFINITY) || (outcome->is_early && t >= outcome->early_time)) continue;
        outcome->is_early = true;
        outcome->i_early = i;
        outcome->early_time = t;
    }
}

double takt_early_size(double t, double event)
{
    double h = event - t;
    return t + h < event ? nextafter(h, INFINITY) : h;
}

void takt_early_aim(takt_run *run, const takt_outcome *attempt, double time)
{
    run->state.i_aimed = attempt->i_early;
    run->state.aimed_time = time;
}

takt_status takt_early_stay(takt_run *run, const takt_step *step, const takt_outcome *attempt,
                            bool *stays, takt_error *err)
{
    int i = attempt->i_early;
    takt_step_result result = {.end = TAKT_STEP_DONE};
    *stays = takt_times_equal(attempt->early_time, step->t, step->h);
    if (!*stays) return TAKT_OK;
    run->state.aimed_time = NAN; // once is enough
    takt_status st = takt_run_set_inputs(run, i, step->t, err);
    if (!st) st = takt_run_do_step(run, i, step, &result, err);
    if (st) return st;
    *stays = result.end == TAKT_STEP_EARLY && takt_times_equal(result.time, step->t, step->h);
    if (!*stays) return takt_run_restore(run, i, TAKT_SLOT_POINT, step->t, err);
    run->state.instances[i].has_event = run->state.has_requests = true;
    return TAKT_OK;
}
