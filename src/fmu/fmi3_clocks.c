// SPDX-License-Identifier: MIT
// Clocks of an FMU of FMI 3.0 (specification 3.0.2, section 2.2.8) as values; see fmi3_clocks.h. Clocks tick
// only in event mode. Triggered ones are values: of inputs they are set, of outputs read. Clocked variables
// have values only while their clocks tick; the latest ones are kept.
#include "fmu/fmi3_clocks.h"

#include <math.h>

static int find_clock(const takt_fmi3_instance *self, int variable)
{
    const takt_fmi3_description *fmi3 = takt_fmi3_of(self);
    uint32_t reference = self->common.base.model->variables[variable].reference; // also of aliases
    for (int i = 0; i < fmi3->n_clocks; i++)
        if (takt_fmi3_clock_variable(self, &fmi3->clocks[i])->reference == reference) return i;
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

// ---- values of clocks ----------------------------------------------------------------------------

takt_status takt_fmi3_clocks_call(takt_fmi3_instance *self, int n, takt_error *err)
{
    self->must_evaluate = true;
    return TAKT_FMU_CALL(self, fmi3SetClock, err, self->clock_refs, (size_t)n, self->clock_values);
}

takt_status takt_fmi3_clocks_set(takt_fmi3_instance *self, const takt_access_batch *batch,
                                 const takt_values *values, takt_error *err)
{
    const takt_fmi3_description *fmi3 = takt_fmi3_of(self);
    if (self->common.phase != TAKT_FMU_HANDLING_EVENTS) return TAKT_OK;
    int n = 0;
    for (int i = 0; i < batch->n_values && n < fmi3->n_clocks; i++) {
        int index = find_clock(self, batch->variables[i]);
        if (index < 0 || fmi3->clocks[index].kind != TAKT_CLOCK_TRIGGERED) continue;
        takt_clock_state *state = &self->clocks[index];
        bool wanted = values->integer[batch->first + i] != 0;
        bool can_be = wanted || fmi3->clocks[index].can_be_deactivated;
        if (wanted == state->is_active || !can_be) continue;
        state->is_active = wanted;
        self->clock_refs[n] = takt_fmi3_clock_variable(self, &fmi3->clocks[index])->reference;
        self->clock_values[n++] = wanted;
    }
    return n > 0 ? takt_fmi3_clocks_call(self, n, err) : TAKT_OK;
}

// Asks the FMU whether one of its own clocks ticks.
static takt_status ask(takt_fmi3_instance *self, const int *variable, takt_clock_state *state,
                       takt_error *err)
{
    const takt_access_batch one = {.n_refs = 1, .n_values = 1, .variables = variable};
    const uint32_t *reference = &self->common.base.model->variables[*variable].reference;
    unsigned char answer = 0; // any byte may come
    takt_status st =
        TAKT_FMU_ACCESS(self, fmi3GetClock, &one, err, reference, 1, (fmi3Clock *)&answer);
    if (!st) state->is_active = answer != 0;
    return st;
}

// Input clocks are known; the others are asked for one by one, since they are few.
takt_status takt_fmi3_clocks_get(takt_fmi3_instance *self, const takt_access_batch *batch,
                                 takt_values *values, takt_error *err)
{
    const takt_fmi3_description *fmi3 = takt_fmi3_of(self);
    takt_status st = TAKT_OK;
    for (int i = 0; i < batch->n_values && !st; i++) {
        int64_t *value = &values->integer[batch->first + i];
        *value = 0;
        int index = find_clock(self, batch->variables[i]);
        if (index < 0 || self->common.phase != TAKT_FMU_HANDLING_EVENTS) continue;
        takt_clock_state *state = &self->clocks[index];
        if (takt_fmi3_clock_variable(self, &fmi3->clocks[index])->causality != TAKT_INPUT)
            st = ask(self, &batch->variables[i], state, err);
        *value = state->is_active;
    }
    return st;
}
