// SPDX-License-Identifier: MIT
// Saved states of FMUs of FMI 3.0 (specification 3.0.2, section 2.2.9), also as bytes: the FMU's own state,
// and what the instance knows besides: the mode, planned ticks, the latest values of clocked variables.
#include "fmu/fmi3_states.h"

#include <stdlib.h>
#include <string.h>

#include "fmu/states.h"

typedef struct saved_state {
    fmi3FMUState fmu;
    takt_fmu_phase phase;
    double next_event; ///< s
    takt_values clocked; ///< parallel to takt_fmi3_instance::clocked.values
    takt_clock_state clocks[];
} saved_state;

static size_t size_of_clocks(const takt_fmi3_instance *self)
{
    return (size_t)takt_fmi3_of(self)->n_clocks * sizeof *self->clocks;
}

// The state of the caller, or a new one; NULL when memory is exhausted.
static saved_state *state_for(const takt_fmi3_instance *self, void **state)
{
    if (*state) return *state;
    saved_state *saved = calloc(1, sizeof *saved + size_of_clocks(self));
    if (saved && !takt_values_init(&saved->clocked, self->clocked.access.n_values)) {
        free(saved);
        saved = NULL;
    }
    *state = saved;
    return saved;
}

takt_status takt_fmi3_save(takt_instance *instance, void **state, takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    saved_state *saved = state_for(self, state);
    if (!saved) return takt_fail_memory(err);
    takt_status st = takt_fmu_save(instance, &saved->fmu, err);
    saved->phase = self->common.phase;
    saved->next_event = self->next_event;
    memcpy(saved->clocks, self->clocks, size_of_clocks(self));
    if (!takt_values_copy(&self->clocked.values, &saved->clocked, self->clocked.access.n_values))
        return takt_fail_memory(err);
    return st;
}

takt_status takt_fmi3_restore(takt_instance *instance, void *state, takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    const saved_state *saved = state;
    takt_status st = takt_fmu_restore(instance, saved->fmu, err);
    if (st) return st;
    self->common.phase = saved->phase;
    self->next_event = saved->next_event;
    self->must_evaluate = true;
    memcpy(self->clocks, saved->clocks, size_of_clocks(self));
    bool ok =
        takt_values_copy(&saved->clocked, &self->clocked.values, self->clocked.access.n_values);
    return ok ? TAKT_OK : takt_fail_memory(err);
}

void takt_fmi3_free_state(takt_instance *instance, void **state)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    saved_state *saved = *state;
    *state = NULL;
    if (!saved) return;
    takt_fmu_free_state(instance, &saved->fmu);
    takt_values_clear(&saved->clocked, self->clocked.access.n_values);
    free(saved);
}

// ---- bytes ---------------------------------------------------------------------------------------

static void pack_clock(takt_packer *packer, const takt_clock_state *clock)
{
    takt_pack_integer(packer, clock->is_active);
    takt_pack_integer(packer, clock->has_ticked);
    takt_pack_real(packer, clock->next);
    takt_pack_real(packer, clock->interval);
    takt_pack_integer(packer, (int64_t)clock->counter);
    takt_pack_integer(packer, (int64_t)clock->shift_counter);
    takt_pack_integer(packer, (int64_t)clock->resolution);
    takt_pack_real(packer, clock->origin);
    takt_pack_integer(packer, (int64_t)clock->n_ticks);
}

static void unpack_clock(takt_unpacker *unpacker, takt_clock_state *clock)
{
    clock->is_active = takt_unpack_integer(unpacker, 0, 1);
    clock->has_ticked = takt_unpack_integer(unpacker, 0, 1);
    clock->next = takt_unpack_real(unpacker);
    clock->interval = takt_unpack_real(unpacker);
    clock->counter = (uint64_t)takt_unpack_integer(unpacker, INT64_MIN, INT64_MAX);
    clock->shift_counter = (uint64_t)takt_unpack_integer(unpacker, INT64_MIN, INT64_MAX);
    clock->resolution = (uint64_t)takt_unpack_integer(unpacker, INT64_MIN, INT64_MAX);
    clock->origin = takt_unpack_real(unpacker);
    clock->n_ticks = (uint64_t)takt_unpack_integer(unpacker, 0, INT64_MAX);
}

takt_status takt_fmi3_serialize(takt_instance *instance, void *state, takt_bytes *out,
                                takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    const saved_state *saved = state;
    int n_clocks = takt_fmi3_of(self)->n_clocks;
    takt_packer packer = {.out = out};
    out->size = 0;
    takt_pack_integer(&packer, saved->phase);
    takt_pack_real(&packer, saved->next_event);
    takt_pack_integer(&packer, n_clocks);
    for (int i = 0; i < n_clocks; i++) pack_clock(&packer, &saved->clocks[i]);
    takt_pack_values(&packer, &saved->clocked, self->clocked.access.n_values);
    if (packer.failed) return takt_fail_memory(err);
    return takt_fmu_pack_state(instance, saved->fmu, &packer, err);
}

takt_status takt_fmi3_deserialize(takt_instance *instance, const void *data, size_t size,
                                  void **state, takt_error *err)
{
    takt_fmi3_instance *self = (takt_fmi3_instance *)instance;
    takt_unpacker unpacker = {.next = data, .left = size};
    saved_state *saved = state_for(self, state);
    if (!saved) return takt_fail_memory(err);
    int n_clocks = takt_fmi3_of(self)->n_clocks;
    saved->phase =
        (takt_fmu_phase)takt_unpack_integer(&unpacker, TAKT_FMU_INSTANTIATED, TAKT_FMU_TERMINATED);
    saved->next_event = takt_unpack_real(&unpacker);
    takt_unpack_integer(&unpacker, n_clocks, n_clocks);
    for (int i = 0; i < n_clocks; i++) unpack_clock(&unpacker, &saved->clocks[i]);
    takt_unpack_values(&unpacker, &saved->clocked, self->clocked.access.n_values);
    return takt_fmu_unpack_state(instance, &unpacker, &saved->fmu, err);
}
