// SPDX-License-Identifier: MIT
// Pending and discarded steps of FMI 1.0 and 2.0; see fmu_step.h.
#include "fmi/fmu_step.h"

#include <time.h>

static void pause_for(long nanoseconds)
{
    nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
}

// Waits for the end of an asynchronous step and its status.
static takt_status wait_for_step(takt_fmu_instance *self, const takt_step_calls *calls, int *status,
                                 takt_error *err)
{
    const long longest = 10000000;
    if (!calls->get_status) {
        takt_status st = takt_fmu_fail(self, calls->do_step_name, "", TAKT_FMU_PENDING, err);
        self->phase = TAKT_FMU_STUCK;
        return takt_within(err, st, "FMU %s has no function %s to wait for a step",
                           self->base.model->path, calls->get_status_name);
    }
    for (long pause = 10000; *status == TAKT_FMU_PENDING;
         pause = pause < longest ? 2 * pause : longest) {
        pause_for(pause);
        int asked = calls->get_status(self, status);
        if (asked != TAKT_FMU_OK && asked != TAKT_FMU_WARNING) {
            takt_status st = takt_fmu_check(self, asked, calls->get_status_name, err);
            if (self->phase < TAKT_FMU_FAILED) self->phase = TAKT_FMU_STUCK;
            return st;
        }
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
    if (st) return st;
    self->time = t + h;
    *result = (takt_step_result){.end = TAKT_STEP_DONE, .time = t + h};
    return TAKT_OK;
}
