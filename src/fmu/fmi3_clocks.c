// SPDX-License-Identifier: MIT
// Clocks of an FMU of FMI 3.0 (specification 3.0.2, section 2.2.8). Clocks tick only in event mode. Input
// clocks whose times the FMU knows are scheduled here; triggered ones are values: of inputs they are
// set, of outputs read. Clocked variables have values only while their clocks tick; the latest ones are
// kept.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fmu/fmi3_instance.h"

static const takt_variable *variable_of(const takt_fmi3_instance *self, const takt_clock *clock)
{
    return &self->common.base.model->variables[clock->variable];
}

// Input clocks that tick at times the FMU tells.
static bool is_scheduled(const takt_fmi3_instance *self, const takt_clock *clock)
{
    return clock->kind != TAKT_CLOCK_TRIGGERED &&
           variable_of(self, clock)->causality == TAKT_INPUT && self->uses_events;
}

static int find_clock(const takt_fmi3_instance *self, int variable)
{
    const takt_fmi3_description *fmi3 = takt_fmi3_of(self);
    uint32_t reference = self->common.base.model->variables[variable].reference; // also of aliases
    for (int i = 0; i < fmi3->n_clocks; i++)
        if (variable_of(self, &fmi3->clocks[i])->reference == reference) return i;
    return -1;
}

// ---- clocked variables ---------------------------------------------------------------------------

static int find_clocked(const takt_fmi3_instance *self, int variable)
{
    const takt_fmi3_description *fmi3 = takt_fmi3_of(self);
    int low = 0, high = fmi3->n_clocked;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (fmi3->clocked[middle].variable < variable)
            low = middle + 1;
        else
            high = middle;
    }
    return low < fmi3->n_clocked && fmi3->clocked[low].variable == variable ? low : -1;
}

static bool is_ticking(const takt_fmi3_instance *self, int i_clocked)
{
    const takt_clocked *clocked = &takt_fmi3_of(self)->clocked[i_clocked];
    for (int i = 0; i < clocked->n_clocks; i++)
        if (self->clocks[clocked->clocks[i]].is_active) return true;
    return false;
}

bool takt_fmi3_may_get(const takt_fmi3_instance *self, int variable)
{
    int clocked = find_clocked(self, variable);
    if (clocked < 0) return true;
    if (self->common.phase == TAKT_FMU_HANDLING_EVENTS) return is_ticking(self, clocked);
    return self->common.phase == TAKT_FMU_INITIALIZING && self->clocked.is_initial[clocked];
}

bool takt_fmi3_may_set(const takt_fmi3_instance *self, int variable)
{
    int clocked = find_clocked(self, variable);
    return clocked < 0 || self->common.phase <= TAKT_FMU_INITIALIZING ||
           (self->common.phase == TAKT_FMU_HANDLING_EVENTS && is_ticking(self, clocked));
}

bool takt_fmi3_clocked_copy(const takt_fmi3_instance *self, int variable, takt_values *values,
                            int index)
{
    takt_slot slot = self->clocked.slots[find_clocked(self, variable)];
    const takt_values *known = &self->clocked.values;
    if (slot.kind == TAKT_KIND_REAL) values->real[index] = known->real[slot.index];
    if (slot.kind == TAKT_KIND_INTEGER) values->integer[index] = known->integer[slot.index];
    if (slot.kind != TAKT_KIND_BYTES) return true;
    const takt_bytes *bytes = &known->bytes[slot.index];
    return takt_bytes_assign(&values->bytes[index], bytes->data, bytes->size);
}

// Before the first tick a clocked variable has its start value.
static bool take_start(takt_clocked_values *clocked, takt_slot slot, const takt_variable *variable)
{
    if (!variable->has_start) return true;
    const takt_value *start = &variable->start;
    if (slot.kind == TAKT_KIND_REAL) clocked->values.real[slot.index] = start->real;
    if (slot.kind == TAKT_KIND_INTEGER) clocked->values.integer[slot.index] = start->integer;
    return slot.kind != TAKT_KIND_BYTES ||
           takt_bytes_assign(&clocked->values.bytes[slot.index], start->text, start->size);
}

static bool init_clocked(takt_fmi3_instance *self)
{
    const takt_model *model = self->common.base.model;
    const takt_fmi3_description *fmi3 = takt_fmi3_of(self);
    takt_clocked_values *clocked = &self->clocked;
    size_t n = (size_t)fmi3->n_clocked;
    int *variables = takt_arena_array(&self->arena, n, sizeof *variables);
    clocked->slots = takt_arena_array(&self->arena, n, sizeof *clocked->slots);
    clocked->is_initial = takt_arena_array(&self->arena, n, sizeof *clocked->is_initial);
    if (!variables || !clocked->slots || !clocked->is_initial) return false;
    for (size_t i = 0; i < n; i++) variables[i] = fmi3->clocked[i].variable;
    if (!takt_access_create(&self->arena, model, variables, fmi3->n_clocked, &clocked->access,
                            clocked->slots) ||
        !takt_values_init(&clocked->values, clocked->access.n_values))
        return false;
    for (size_t i = 0; i < n; i++) {
        const takt_variable *variable = &model->variables[variables[i]];
        clocked->is_initial[i] = variable->initial == TAKT_EXACT;
        if (!take_start(clocked, clocked->slots[i], variable)) return false;
    }
    for (int i = 0; i < model->n_initial_unknowns; i++) {
        int known = find_clocked(self, model->initial_unknowns[i].variable);
        if (known >= 0) clocked->is_initial[known] = true;
    }
    return true;
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

static takt_status fail_interval(const takt_fmi3_instance *self, const takt_clock *clock,
                                 double interval, takt_error *err)
{
    return takt_fail(err, TAKT_ERR_SIMULATION, "clock '%s' has an interval of %g s, which is %s",
                     variable_of(self, clock)->name, interval,
                     interval == 0 ? "not allowed for a periodic clock" : "not possible");
}

/// What an FMU says about a clock: seconds, or counter / resolution.
typedef struct span {
    double seconds;
    uint64_t counter, resolution; ///< 0: there is no fraction
    fmi3IntervalQualifier qualifier; ///< of intervals
} span;

// Calls one of the four functions that tell intervals and shifts.
static fmi3Status call_span(const takt_fmi3_instance *self, const takt_clock *clock, bool is_shift,
                            span *out)
{
    const takt_fmi3_functions *f = self->fmi3;
    const uint32_t *vr = &variable_of(self, clock)->reference;
    if (is_shift && clock->supports_fraction)
        return f->fmi3GetShiftFraction(self->component, vr, 1, &out->counter, &out->resolution);
    if (is_shift) return f->fmi3GetShiftDecimal(self->component, vr, 1, &out->seconds);
    if (clock->supports_fraction)
        return f->fmi3GetIntervalFraction(self->component, vr, 1, &out->counter, &out->resolution,
                                          &out->qualifier);
    return f->fmi3GetIntervalDecimal(self->component, vr, 1, &out->seconds, &out->qualifier);
}

static takt_status ask(takt_fmi3_instance *self, const takt_clock *clock, bool is_shift, span *out,
                       takt_error *err)
{
    static const char *const names[2][2] = {{"fmi3GetIntervalDecimal", "fmi3GetIntervalFraction"},
                                            {"fmi3GetShiftDecimal", "fmi3GetShiftFraction"}};
    const takt_fmi3_functions *f = self->fmi3;
    const bool is_there[2][2] = {
        {f->fmi3GetIntervalDecimal != NULL, f->fmi3GetIntervalFraction != NULL},
        {f->fmi3GetShiftDecimal != NULL, f->fmi3GetShiftFraction != NULL}};
    const char *name = names[is_shift][clock->supports_fraction];
    const takt_access_group group = {.n_refs = 1, .n_values = 1, .variables = &clock->variable};
    takt_status st =
        takt_fmu_begin(&self->common, is_there[is_shift][clock->supports_fraction], name, err);
    if (st) return st;
    *out = (span){.qualifier = fmi3IntervalNotYetKnown};
    fmi3Status status = call_span(self, clock, is_shift, out);
    st = takt_fmu_check_access(&self->common, (int)status, name, &group, err);
    bool is_told = is_shift || out->qualifier != fmi3IntervalNotYetKnown;
    if (st || !clock->supports_fraction || !is_told) return st;
    if (out->resolution == 0 && (is_shift || out->qualifier == fmi3IntervalChanged))
        return takt_fail(err, TAKT_ERR_SIMULATION, "%s of '%s': the resolution is 0", name,
                         variable_of(self, clock)->name);
    if (out->resolution) out->seconds = (double)out->counter / (double)out->resolution;
    return TAKT_OK;
}

// Asks the FMU for the interval of a clock until its next tick.
static takt_status ask_interval(takt_fmi3_instance *self, const takt_clock *clock, span *out,
                                takt_error *err)
{
    takt_status st = ask(self, clock, false, out, err);
    bool is_periodic = clock->kind <= TAKT_CLOCK_TUNABLE;
    if (st || out->qualifier != fmi3IntervalChanged) return st;
    bool is_possible =
        isfinite(out->seconds) && (is_periodic ? out->seconds > 0 : out->seconds >= 0);
    return is_possible ? TAKT_OK : fail_interval(self, clock, out->seconds, err);
}

static takt_status ask_shift(takt_fmi3_instance *self, const takt_clock *clock, span *out,
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

static takt_status start_periodic(takt_fmi3_instance *self, const takt_clock *clock,
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
static takt_status plan_aperiodic(takt_fmi3_instance *self, const takt_clock *clock,
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
static takt_status plan_tunable(takt_fmi3_instance *self, const takt_clock *clock,
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

static takt_status plan(takt_fmi3_instance *self, const takt_clock *clock, takt_clock_state *state,
                        takt_error *err)
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

// ---- of an instance -------------------------------------------------------------------------------

takt_status takt_fmi3_clocks_init(takt_fmi3_instance *self, takt_error *err)
{
    size_t n = (size_t)takt_fmi3_of(self)->n_clocks;
    self->clocks = takt_arena_array(&self->arena, n, sizeof *self->clocks);
    self->clock_refs = takt_arena_array(&self->arena, n, sizeof *self->clock_refs);
    self->clock_values = takt_arena_array(&self->arena, n, sizeof *self->clock_values);
    if (!self->clocks || !self->clock_refs || !self->clock_values || !init_clocked(self))
        return takt_fail_memory(err);
    for (size_t i = 0; i < n; i++) self->clocks[i].next = INFINITY;
    return TAKT_OK;
}

void takt_fmi3_clocks_clear(takt_fmi3_instance *self)
{
    takt_values_clear(&self->clocked.values, self->clocked.access.n_values);
}

takt_status takt_fmi3_clocks_start(takt_fmi3_instance *self, takt_error *err)
{
    const takt_fmi3_description *fmi3 = takt_fmi3_of(self);
    takt_status st = TAKT_OK;
    for (int i = 0; i < fmi3->n_clocks && !st; i++) {
        const takt_clock *clock = &fmi3->clocks[i];
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

static takt_status set_clocks(takt_fmi3_instance *self, int n, takt_error *err)
{
    takt_status st =
        takt_fmu_begin(&self->common, self->fmi3->fmi3SetClock != NULL, "fmi3SetClock", err);
    if (st) return st;
    self->must_evaluate = true;
    fmi3Status status =
        self->fmi3->fmi3SetClock(self->component, self->clock_refs, (size_t)n, self->clock_values);
    return takt_fmu_check(&self->common, (int)status, "fmi3SetClock", err);
}

takt_status takt_fmi3_clocks_tick(takt_fmi3_instance *self, takt_error *err)
{
    const takt_fmi3_description *fmi3 = takt_fmi3_of(self);
    int n = 0;
    for (int i = 0; i < fmi3->n_clocks; i++) {
        takt_clock_state *state = &self->clocks[i];
        if (!is_due(state, self->common.time)) continue;
        self->clock_refs[n] = variable_of(self, &fmi3->clocks[i])->reference;
        self->clock_values[n++] = fmi3ClockActive;
        state->is_active = state->has_ticked = true;
    }
    return n > 0 ? set_clocks(self, n, err) : TAKT_OK;
}

// Asks which clocks the FMU itself lets tick.
static takt_status ask_clocks(takt_fmi3_instance *self, takt_error *err)
{
    const takt_fmi3_description *fmi3 = takt_fmi3_of(self);
    takt_status st = TAKT_OK;
    for (int i = 0; i < fmi3->n_clocks && !st; i++) {
        if (variable_of(self, &fmi3->clocks[i])->causality == TAKT_INPUT) continue;
        takt_access_group group = {.type = TAKT_CLOCK, .n_values = 1, .n_refs = 1};
        group.variables = &fmi3->clocks[i].variable;
        st = takt_fmi3_clocks_get(self, &group, &(takt_values){.integer = (int64_t[1]){0}}, err);
    }
    return st;
}

takt_status takt_fmi3_clocks_keep(takt_fmi3_instance *self, takt_error *err)
{
    takt_clocked_values *clocked = &self->clocked;
    if (takt_fmi3_of(self)->n_clocked == 0) return TAKT_OK;
    takt_status st = ask_clocks(self, err);
    for (int g = 0; g < clocked->access.n_groups && !st; g++) {
        const takt_access_group *group = &clocked->access.groups[g];
        for (int i = 0, n; i < group->n_values && !st; i += n) {
            n = 1;
            if (takt_fmi3_may_get(self, group->variables[i]))
                st = takt_fmi3_get_run(self, group, i, &clocked->values, &n, err);
        }
    }
    return st;
}

takt_status takt_fmi3_clocks_plan(takt_fmi3_instance *self, takt_error *err)
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

double takt_fmi3_clocks_next(const takt_fmi3_instance *self)
{
    double next = INFINITY;
    for (int i = 0; i < takt_fmi3_of(self)->n_clocks; i++) next = fmin(next, self->clocks[i].next);
    return next;
}

// ---- values of clocks ----------------------------------------------------------------------------

takt_status takt_fmi3_clocks_set(takt_fmi3_instance *self, const takt_access_group *group,
                                 const takt_values *values, takt_error *err)
{
    const takt_fmi3_description *fmi3 = takt_fmi3_of(self);
    if (self->common.phase != TAKT_FMU_HANDLING_EVENTS) return TAKT_OK;
    int n = 0;
    for (int i = 0; i < group->n_values && n < fmi3->n_clocks; i++) {
        int index = find_clock(self, group->variables[i]);
        if (index < 0 || fmi3->clocks[index].kind != TAKT_CLOCK_TRIGGERED) continue;
        takt_clock_state *state = &self->clocks[index];
        bool wanted = values->integer[group->first + i] != 0;
        bool can_be = wanted || fmi3->clocks[index].can_be_deactivated;
        if (wanted == state->is_active || !can_be) continue;
        state->is_active = wanted;
        self->clock_refs[n] = variable_of(self, &fmi3->clocks[index])->reference;
        self->clock_values[n++] = wanted;
    }
    return n > 0 ? set_clocks(self, n, err) : TAKT_OK;
}

// Input clocks are known; the others are asked for one by one, since they are few.
takt_status takt_fmi3_clocks_get(takt_fmi3_instance *self, const takt_access_group *group,
                                 takt_values *values, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < group->n_values && !st; i++) {
        const takt_variable *variable = &self->common.base.model->variables[group->variables[i]];
        int64_t *value = &values->integer[group->first + i];
        *value = 0;
        int index = find_clock(self, group->variables[i]);
        if (index < 0 || self->common.phase != TAKT_FMU_HANDLING_EVENTS) continue;
        takt_clock_state *state = &self->clocks[index];
        if (variable_of(self, &takt_fmi3_of(self)->clocks[index])->causality != TAKT_INPUT) {
            st = takt_fmu_begin(&self->common, self->fmi3->fmi3GetClock != NULL, "fmi3GetClock",
                                err);
            if (st) break;
            unsigned char answer = 0; // any byte may come
            fmi3Status status = self->fmi3->fmi3GetClock(self->component, &variable->reference, 1,
                                                         (fmi3Clock *)&answer);
            const takt_access_group one = {
                .n_refs = 1, .n_values = 1, .variables = &group->variables[i]};
            st = takt_fmu_check_access(&self->common, (int)status, "fmi3GetClock", &one, err);
            if (!st) state->is_active = answer != 0;
        }
        *value = state->is_active;
    }
    return st;
}
