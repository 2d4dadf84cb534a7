// SPDX-License-Identifier: MIT
// Pending and discarded steps of FMI 1.0 and 2.0; see fmu_step.h.
#include "fmu/step.h"

#include <math.h>
#include <time.h>

// ---- the signal of the FMU -----------------------------------------------------------------------

takt_status takt_step_signal_init(takt_step_signal *signal, takt_error *err)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes)) return takt_fail_memory(err);
    bool ok = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
              pthread_cond_init(&signal->ended, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    if (!ok) return takt_fail_memory(err);
    signal->is_ready = pthread_mutex_init(&signal->lock, NULL) == 0;
    if (signal->is_ready) return TAKT_OK;
    pthread_cond_destroy(&signal->ended);
    return takt_fail_memory(err);
}

void takt_step_signal_clear(takt_step_signal *signal)
{
    if (!signal->is_ready) return;
    pthread_cond_destroy(&signal->ended);
    pthread_mutex_destroy(&signal->lock);
    signal->is_ready = false;
}

void takt_step_signal_send(takt_step_signal *signal)
{
    pthread_mutex_lock(&signal->lock);
    signal->has_ended = true;
    pthread_cond_signal(&signal->ended);
    pthread_mutex_unlock(&signal->lock);
}

// Waits for the signal, so many seconds at most. An FMU may wake us too early: then it is asked too early.
static void wait_for_signal(takt_step_signal *signal, double seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    double nanoseconds = (double)until.tv_nsec + seconds * 1e9;
    until.tv_sec += (time_t)(nanoseconds / 1e9);
    until.tv_nsec = (long)fmod(nanoseconds, 1e9);
    pthread_mutex_lock(&signal->lock);
    int failed = 0;
    while (!signal->has_ended && !failed)
        failed = pthread_cond_timedwait(&signal->ended, &signal->lock, &until);
    if (signal->has_ended) signal->is_used = true;
    signal->has_ended = false;
    pthread_mutex_unlock(&signal->lock);
}

// ---- pending steps -------------------------------------------------------------------------------

// On a clock that never jumps. (base/clock.h cannot be used beside the clocks of FMI 3.0.)
static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// A long wait: tells the user what the FMU says about it.
static void tell_waiting(takt_fmu_instance *self, const takt_step_calls *calls, double waited)
{
    const char *text = NULL;
    if (!calls->get_text || calls->get_text(self, &text) > TAKT_FMU_WARNING) text = NULL;
    takt_log_write(self->base.log, TAKT_LEVEL_INFO,
                   "instance '%s' at t=%.15g s: the step has been pending for %.0f s%s%s",
                   self->base.name, self->time, waited, text ? ": " : "", text ? text : "");
}

// The FMU does not tell how its step is going. Canceled, it can be freed.
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
        takt_status st = takt_fmu_fail(self, calls->do_step_name, "", TAKT_FMU_PENDING, err);
        self->phase = TAKT_FMU_STUCK;
        return takt_within(err, st, "FMU %s has no function %s to wait for a step",
                           self->base.model->path, calls->get_status_name);
    }
    double begin = seconds_now(), next_message = 1; // s; then 10, 100, ...
    for (double pause = shortest; *status == TAKT_FMU_PENDING; pause = fmin(2 * pause, longest)) {
        wait_for_signal(calls->signal, calls->signal->is_used ? longest_with_signal : pause);
        int asked = calls->get_status(self, status);
        if (asked != TAKT_FMU_OK && asked != TAKT_FMU_WARNING) {
            takt_status st = takt_fmu_check(self, asked, calls->get_status_name, err);
            give_up(self, calls);
            return st;
        }
        double waited = seconds_now() - begin;
        if (*status != TAKT_FMU_PENDING || waited < next_message) continue;
        tell_waiting(self, calls, waited);
        next_message *= 10;
    }
    return TAKT_OK;
}

takt_status takt_fmu_end_step(takt_fmu_instance *self, const takt_step_calls *calls, int status,
                              double t, double h, takt_step_result *result, takt_error *err)
{
    if (status == TAKT_FMU_PENDING) {
        takt_status st = wait_for_step(self, calls, &status, err);
        if (st) return st;
    }
    takt_fmu_end(self);
    if (status == TAKT_FMU_DISCARD) {
        bool is_terminated = calls->get_terminated && calls->get_terminated(self);
        double reached = t;
        if (!calls->get_last_time || calls->get_last_time(self, &reached) > TAKT_FMU_WARNING)
            reached = t;
        if (reached > t + h && reached <= t + h * (1 + 1e-9)) reached = t + h; // rounding
        if (!(reached >= t && reached <= t + h)) reached = t; // also when it is not a number
        self->time = reached;
        *result = (takt_step_result){
            .end = is_terminated ? TAKT_STEP_TERMINATED : TAKT_STEP_DISCARDED, .time = reached};
        return TAKT_OK;
    }
    takt_status st = takt_fmu_check(self, status, calls->do_step_name, err);
    return st ? st : takt_fmu_step_done(self, t, h, result);
}
