// SPDX-License-Identifier: MIT
// Pending and discarded steps of FMI 1.0 and 2.0; see step.h.
#include "fmu/step.h"

#include <math.h>

#include "base/clock.h"

// ---- the signal of the FMU -----------------------------------------------------------------------

takt_status takt_step_signal_init(takt_step_signal *signal, takt_error *err)
{
    if (!takt_condition_init(&signal->ended)) return takt_fail_memory(err);
    signal->is_ready = takt_mutex_init(&signal->lock);
    if (signal->is_ready) return TAKT_OK;
    takt_condition_clear(&signal->ended);
    return takt_fail_memory(err);
}

void takt_step_signal_clear(takt_step_signal *signal)
{
    if (!signal->is_ready) return;
    takt_condition_clear(&signal->ended);
    takt_mutex_clear(&signal->lock);
    signal->is_ready = false;
}

void takt_step_signal_send(takt_step_signal *signal)
{
    takt_mutex_lock(&signal->lock);
    signal->has_ended = true;
    takt_condition_signal(&signal->ended);
    takt_mutex_unlock(&signal->lock);
}

// Waits for the signal, so many seconds at most. An FMU may wake us too early: then it is asked too early.
static void wait_for_signal(takt_step_signal *signal, double seconds)
{
    double until = takt_clock() + seconds;
    takt_mutex_lock(&signal->lock);
    bool is_early = true;
    while (!signal->has_ended && is_early)
        is_early = takt_condition_wait_until(&signal->ended, &signal->lock, until);
    if (signal->has_ended) signal->is_used = true;
    signal->has_ended = false;
    takt_mutex_unlock(&signal->lock);
}

// ---- pending steps -------------------------------------------------------------------------------

// A long wait: logs what the FMU says about it.
static void log_waiting(takt_fmu_instance *self, const takt_step_calls *calls, double waited)
{
    const char *text = NULL;
    if (!calls->get_text || calls->get_text(self, &text) > TAKT_FMU_WARNING) text = NULL;
    takt_log_write(self->base.log, TAKT_LEVEL_INFO,
                   "instance '%s' at t=%.15g s: the step has been pending for %.0f s%s%s",
                   self->base.name, self->time, waited, text ? ": " : "", text ? text : "");
}

// The FMU does not say how its step is going. Canceled, it can be freed.
static void give_up(takt_fmu_instance *self, const takt_step_calls *calls)
{
    if (self->library->is_dead) return;
    int canceled = calls->cancel ? calls->cancel(self) : TAKT_FMU_DISCARD;
    if (canceled <= TAKT_FMU_WARNING)
        self->phase = TAKT_FMU_FAILED;
    else if (canceled == TAKT_FMU_FATAL)
        takt_fmu_note_failure(self, canceled);
    else if (self->phase < TAKT_FMU_FAILED)
        self->phase = TAKT_FMU_STUCK;
}

// Waits for the end of an asynchronous step and its status.
static takt_status wait_for_step(takt_fmu_instance *self, const takt_step_calls *calls, int *status,
                                 takt_error *err)
{
    const double shortest = 1e-5, longest = 0.01, longest_with_signal = 0.1; // s
    if (!calls->get_status) {
        takt_status st = takt_fmu_fail(self, calls->do_step_name, NULL, TAKT_FMU_PENDING, err);
        self->phase = TAKT_FMU_STUCK;
        return takt_within(err, st, "FMU %s has no function %s to wait for a step",
                           self->base.model->path, calls->get_status_name);
    }
    double begin = takt_clock(), next_message = 1; // s; then 10, 100, ...
    for (double pause = shortest; *status == TAKT_FMU_PENDING; pause = fmin(2 * pause, longest)) {
        wait_for_signal(calls->signal, calls->signal->is_used ? longest_with_signal : pause);
        int asked = calls->get_status(self, status);
        if (asked != TAKT_FMU_OK && asked != TAKT_FMU_WARNING) {
            takt_status st = takt_fmu_check(self, asked, calls->get_status_name, NULL, NULL, err);
            give_up(self, calls);
            return st;
        }
        double waited = takt_clock() - begin;
        if (*status != TAKT_FMU_PENDING || waited < next_message) continue;
        log_waiting(self, calls, waited);
        next_message *= 10;
    }
    return TAKT_OK;
}

// How far a discarded step came, and whether the FMU wants to stop.
static void end_discarded(takt_fmu_instance *self, const takt_step_calls *calls, double t, double h,
                          takt_step_result *result)
{
    bool is_terminated = calls->get_terminated && calls->get_terminated(self);
    double reached = t;
    if (!calls->get_last_time || calls->get_last_time(self, &reached) > TAKT_FMU_WARNING)
        reached = t;
    if (reached > t + h && reached <= t + h * (1 + 1e-9)) reached = t + h; // rounding
    if (!(reached >= t && reached <= t + h)) reached = t; // also when it is not a number
    self->time = reached;
    *result = (takt_step_result){.end = is_terminated ? TAKT_STEP_TERMINATED : TAKT_STEP_DISCARDED,
                                 .time = reached};
}

takt_status takt_fmu_end_step(takt_fmu_instance *self, const takt_step_calls *calls, int status,
                              double t, double h, takt_step_result *result, takt_error *err)
{
    if (status == TAKT_FMU_PENDING) {
        takt_status st = wait_for_step(self, calls, &status, err);
        if (st) return st;
    }
    bool is_discarded = false;
    takt_status st = takt_fmu_check(self, status, calls->do_step_name, NULL, &is_discarded, err);
    if (st) return st;
    if (!is_discarded) return takt_fmu_step_done(self, t, h, result);
    end_discarded(self, calls, t, h, result);
    return TAKT_OK;
}
