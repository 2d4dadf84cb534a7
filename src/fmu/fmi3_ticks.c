// SPDX-License-Identifier: MIT
// When clocks of an FMU of FMI 3.0 tick (specification 3.0.2, section 2.2.8); see fmi3_ticks.h. Clocks tick only
// in event mode. Input clocks whose times the FMU knows are scheduled here.
#include "fmu/fmi3_ticks.h"

#include <float.h>
#include <math.h>

#include "fmu/fmi3_values.h"

// Input clocks that tick at times the FMU gives.
static bool is_scheduled(const takt_fmi3_instance *self, const takt_fmi3_clock *clock)
{
    return clock->kind != TAKT_CLOCK_TRIGGERED &&
           takt_fmi3_clock_variable(self, clock)->causality == TAKT_INPUT && self->uses_events;
}

// ---- times ---------------------------------------------------------------------------------------

// Ticks are counted and not added up, so that they do not drift.
static double periodic_tick(const takt_clock_state *state)
{
    if (state->resolution)
        return state->origin +
               ((double)state->shift_counter + (double)state->n_ticks * (double)state->counter) /
                   (double)state->resolution;
    return state->origin + (double)state->n_ticks * state->interval;
}

static takt_status fail_interval(const takt_fmi3_instance *self, const takt_fmi3_clock *clock,
                                 double interval, takt_error *err)
{
    return takt_fail(err, TAKT_ERR_SIMULATION, "clock '%s' has an interval of %g s, which is %s",
                     takt_fmi3_clock_variable(self, clock)->name, interval,
                     interval == 0 ? "not allowed for a periodic clock" : "not possible");
}

/// What an FMU says about a clock: seconds, or counter / resolution.
typedef struct span {
    double seconds;
    uint64_t counter, resolution; ///< 0: there is no fraction
    fmi3IntervalQualifier qualifier; ///< of intervals
} span;

// Calls one of the four functions that give intervals and shifts.
static takt_status call_span(takt_fmi3_instance *self, const takt_fmi3_clock *clock, bool is_shift,
                             span *out, takt_error *err)
{
    const takt_access_batch batch = {.n_refs = 1, .n_values = 1, .variables = &clock->variable};
    const uint32_t *vr = &takt_fmi3_clock_variable(self, clock)->reference;
    if (is_shift && clock->supports_fraction)
        return TAKT_FMU_ACCESS(self, fmi3GetShiftFraction, &batch, err, vr, 1, &out->counter,
                               &out->resolution);
    if (is_shift)
        return TAKT_FMU_ACCESS(self, fmi3GetShiftDecimal, &batch, err, vr, 1, &out->seconds);
    if (clock->supports_fraction)
        return TAKT_FMU_ACCESS(self, fmi3GetIntervalFraction, &batch, err, vr, 1, &out->counter,
                               &out->resolution, &out->qualifier);
    return TAKT_FMU_ACCESS(self, fmi3GetIntervalDecimal, &batch, err, vr, 1, &out->seconds,
                           &out->qualifier);
}

static takt_status ask(takt_fmi3_instance *self, const takt_fmi3_clock *clock, bool is_shift,
                       span *out, takt_error *err)
{
    *out = (span){.qualifier = fmi3IntervalNotYetKnown};
    takt_status st = call_span(self, clock, is_shift, out, err);
    bool is_known = is_shift || out->qualifier != fmi3IntervalNotYetKnown;
    if (st || !clock->supports_fraction || !is_known) return st;
    if (out->resolution == 0 && (is_shift || out->qualifier == fmi3IntervalChanged))
        return takt_fail(err, TAKT_ERR_SIMULATION, "%s of '%s': the resolution is 0",
                         is_shift ? "fmi3GetShiftFraction" : "fmi3GetIntervalFraction",
                         takt_fmi3_clock_variable(self, clock)->name);
    if (out->resolution) out->seconds = (double)out->counter / (double)out->resolution;
    return TAKT_OK;
}

// Asks the FMU for the interval of a clock until its next tick.
static takt_status ask_interval(takt_fmi3_instance *self, const takt_fmi3_clock *clock, span *out,
                                takt_error *err)
{
    takt_status st = ask(self, clock, false, out, err);
    bool is_periodic = clock->kind <= TAKT_CLOCK_TUNABLE;
    if (st || out->qualifier != fmi3IntervalChanged) return st;
    bool is_possible =
        isfinite(out->seconds) && (is_periodic ? out->seconds > 0 : out->seconds >= 0);
    return is_possible ? TAKT_OK : fail_interval(self, clock, out->seconds, err);
}

static takt_status ask_shift(takt_fmi3_instance *self, const takt_fmi3_clock *clock, span *out,
                             takt_error *err)
{
    takt_status st = ask(self, clock, true, out, err);
    if (!st && !(isfinite(out->seconds) && out->seconds >= 0))
        st = fail_interval(self, clock, out->seconds, err);
    return st;
}

// Takes interval and shift of a periodic clock. Fractions count if both have the same resolution.
static void take_spans(takt_clock_state *state, double t, const span *interval, const span *shift)
{
    bool has_fractions = interval->resolution && shift->resolution == interval->resolution;
    state->interval = interval->seconds;
    state->resolution = has_fractions ? interval->resolution : 0;
    state->counter = interval->counter;
    state->shift_counter = shift->counter;
    state->origin = t + (has_fractions ? 0 : shift->seconds);
    state->next = periodic_tick(state);
}

static takt_status start_periodic(takt_fmi3_instance *self, const takt_fmi3_clock *clock,
                                  takt_clock_state *state, takt_error *err)
{
    bool has_fractions = clock->resolution && clock->interval_counter;
    uint64_t resolution = has_fractions ? clock->resolution : 0;
    span interval = {clock->interval, clock->interval_counter, resolution, fmi3IntervalChanged};
    span shift = {clock->shift, clock->shift_counter, resolution, fmi3IntervalChanged};
    takt_status st = TAKT_OK;
    if (!clock->has_interval) {
        st = ask_interval(self, clock, &interval, err);
        if (st || interval.qualifier == fmi3IntervalNotYetKnown) return st;
        st = ask_shift(self, clock, &shift, err);
        if (!st && !(interval.seconds > 0)) st = fail_interval(self, clock, interval.seconds, err);
    }
    if (!st) take_spans(state, self->common.time, &interval, &shift);
    return st;
}

// The interval of a countdown, or of a clock whose interval changes, counts from now on.
static takt_status plan_aperiodic(takt_fmi3_instance *self, const takt_fmi3_clock *clock,
                                  takt_clock_state *state, takt_error *err)
{
    span interval;
    takt_status st = ask_interval(self, clock, &interval, err);
    if (st) return st;
    bool is_same =
        clock->kind == TAKT_CLOCK_CHANGING && interval.qualifier == fmi3IntervalUnchanged;
    if (interval.qualifier == fmi3IntervalChanged) state->interval = interval.seconds;
    if (interval.qualifier == fmi3IntervalChanged || is_same)
        state->next = self->common.time + state->interval;
    return TAKT_OK;
}

// A tunable clock of which the FMU decides may have changed.
static takt_status plan_tunable(takt_fmi3_instance *self, const takt_fmi3_clock *clock,
                                takt_clock_state *state, takt_error *err)
{
    span interval;
    takt_status st = ask_interval(self, clock, &interval, err);
    if (st || interval.qualifier != fmi3IntervalChanged || interval.seconds == state->interval)
        return st;
    if (state->n_ticks > 0) { // the new interval counts from the latest tick
        state->n_ticks--;
        state->origin = periodic_tick(state);
        state->n_ticks = 1;
    } else {
        state->origin = state->next;
    }
    state->shift_counter = 0;
    state->counter = interval.counter;
    state->resolution = interval.resolution;
    state->interval = interval.seconds;
    state->next = periodic_tick(state);
    return TAKT_OK;
}

static takt_status plan(takt_fmi3_instance *self, const takt_fmi3_clock *clock,
                        takt_clock_state *state, takt_error *err)
{
    bool has_ticked = state->has_ticked;
    state->has_ticked = false;
    if (has_ticked && clock->kind <= TAKT_CLOCK_TUNABLE) {
        state->n_ticks++;
        state->next = periodic_tick(state);
    } else if (has_ticked) {
        state->next = INFINITY;
    }
    if (clock->kind == TAKT_CLOCK_TUNABLE && !clock->has_interval)
        return plan_tunable(self, clock, state, err);
    if (clock->kind == TAKT_CLOCK_COUNTDOWN || (clock->kind == TAKT_CLOCK_CHANGING && has_ticked))
        return plan_aperiodic(self, clock, state, err);
    return TAKT_OK;
}

// ---- ticks ---------------------------------------------------------------------------------------

takt_status takt_fmi3_ticks_start(takt_fmi3_instance *self, takt_error *err)
{
    const takt_fmi3_description *fmi3 = takt_fmi3_of(self);
    takt_status st = TAKT_OK;
    for (int i = 0; i < fmi3->n_clocks && !st; i++) {
        const takt_fmi3_clock *clock = &fmi3->clocks[i];
        if (!is_scheduled(self, clock)) continue;
        if (clock->kind <= TAKT_CLOCK_TUNABLE)
            st = start_periodic(self, clock, &self->clocks[i], err);
        else
            st = plan_aperiodic(self, clock, &self->clocks[i], err);
    }
    return st;
}

// Communication points may miss a tick by rounding errors.
static bool is_due(const takt_clock_state *state, double t)
{
    double slack = 8 * DBL_EPSILON * fabs(t) + 1e-9 * state->interval;
    return !state->has_ticked && state->next <= t + slack;
}

takt_status takt_fmi3_ticks_begin(takt_fmi3_instance *self, takt_error *err)
{
    const takt_fmi3_description *fmi3 = takt_fmi3_of(self);
    int n = 0;
    for (int i = 0; i < fmi3->n_clocks; i++) {
        takt_clock_state *state = &self->clocks[i];
        if (!is_due(state, self->common.time)) continue;
        self->clock_refs[n] = takt_fmi3_clock_variable(self, &fmi3->clocks[i])->reference;
        self->clock_values[n++] = fmi3ClockActive;
        state->is_active = state->has_ticked = true;
    }
    return n > 0 ? takt_fmi3_clocks_call(self, n, err) : TAKT_OK;
}

// Asks which clocks the FMU itself lets tick.
static takt_status ask_clocks(takt_fmi3_instance *self, takt_error *err)
{
    const takt_fmi3_description *fmi3 = takt_fmi3_of(self);
    takt_status st = TAKT_OK;
    for (int i = 0; i < fmi3->n_clocks && !st; i++) {
        if (takt_fmi3_clock_variable(self, &fmi3->clocks[i])->causality == TAKT_INPUT) continue;
        takt_access_batch batch = {.type = TAKT_CLOCK, .n_values = 1, .n_refs = 1};
        batch.variables = &fmi3->clocks[i].variable;
        st = takt_fmi3_clocks_get(self, &batch, &(takt_values){.integer = (int64_t[1]){0}}, err);
    }
    return st;
}

takt_status takt_fmi3_ticks_keep(takt_fmi3_instance *self, takt_error *err)
{
    takt_clocked_values *clocked = &self->clocked;
    if (takt_fmi3_of(self)->n_clocked == 0) return TAKT_OK;
    takt_status st = ask_clocks(self, err);
    for (int g = 0; g < clocked->access.n_batches && !st; g++) {
        const takt_access_batch *batch = &clocked->access.batches[g];
        for (int i = 0, n; i < batch->n_values && !st; i += n) {
            n = 1;
            if (takt_fmi3_may_get(self, batch->variables[i]))
                st = takt_fmi3_get_run(self, batch, i, &clocked->values, &n, err);
        }
    }
    return st;
}

takt_status takt_fmi3_ticks_plan(takt_fmi3_instance *self, takt_error *err)
{
    const takt_fmi3_description *fmi3 = takt_fmi3_of(self);
    takt_status st = TAKT_OK;
    for (int i = 0; i < fmi3->n_clocks && !st; i++) {
        self->clocks[i].is_active = false;
        if (is_scheduled(self, &fmi3->clocks[i]))
            st = plan(self, &fmi3->clocks[i], &self->clocks[i], err);
    }
    return st;
}

double takt_fmi3_ticks_next(const takt_fmi3_instance *self)
{
    double next = INFINITY;
    for (int i = 0; i < takt_fmi3_of(self)->n_clocks; i++) next = fmin(next, self->clocks[i].next);
    return next;
}
