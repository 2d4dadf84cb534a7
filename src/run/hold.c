// SPDX-License-Identifier: MIT
// Inputs that are held; see hold.h.
#include "run/hold.h"

#include <stdlib.h>
#include <string.h>

#include "instance/coupling.h"

struct takt_hold {
    takt_instance_type type; // first: of the instance, while it has held inputs
    const takt_instance_type *own; // that of the instance without
    bool *is_held; // per variable of the model
    double *reals; // per variable, like the others
    int64_t *integers;
    takt_bytes *bytes;
    int n_held, n_variables;
    takt_values room; // for values on their way
    int n_room[TAKT_N_KINDS];
    double *motion; // likewise
    size_t n_motion;
};

static struct takt_hold *hold_of(const takt_instance *instance)
{
    return (struct takt_hold *)(uintptr_t)instance->type;
}

// ---- on the way to the instance ----------------------------------------------------------------------

// Has room for the values of any access.
static bool make_room(struct takt_hold *hold, const int n[TAKT_N_KINDS])
{
    bool is_enough = true;
    int wanted[TAKT_N_KINDS];
    for (int kind = 0; kind < TAKT_N_KINDS; kind++) {
        is_enough = is_enough && n[kind] <= hold->n_room[kind];
        wanted[kind] = n[kind] > hold->n_room[kind] ? n[kind] : hold->n_room[kind];
    }
    if (is_enough && hold->room.real) return true;
    takt_values room = {0};
    if (!takt_values_init(&room, wanted)) return false;
    if (hold->room.real) takt_values_clear(&hold->room, hold->n_room);
    hold->room = room;
    memcpy(hold->n_room, wanted, sizeof wanted);
    return true;
}

static bool put(const struct takt_hold *hold, int variable, takt_values *values, takt_slot to)
{
    switch (to.kind) {
    case TAKT_KIND_REAL: values->real[to.index] = hold->reals[variable]; return true;
    case TAKT_KIND_INTEGER: values->integer[to.index] = hold->integers[variable]; return true;
    case TAKT_KIND_BYTES:
        return takt_bytes_assign(&values->bytes[to.index], hold->bytes[variable].data,
                                 hold->bytes[variable].size);
    }
    return true;
}

// Puts the held values into those of an access.
static bool put_all(const struct takt_hold *hold, const takt_access *access, takt_values *values)
{
    bool ok = true;
    for (int b = 0; b < access->n_batches; b++) {
        const takt_access_batch *batch = &access->batches[b];
        for (int i = 0; i < batch->n_values && ok; i++) {
            takt_slot to = {takt_type_kind(batch->type), batch->first + i};
            if (hold->is_held[batch->variables[i]]) ok = put(hold, batch->variables[i], values, to);
        }
    }
    return ok;
}

static takt_status hold_set(takt_instance *instance, const takt_access *access,
                            const takt_values *values, takt_error *err)
{
    struct takt_hold *hold = hold_of(instance);
    bool ok = make_room(hold, access->n_values) &&
              takt_values_copy(values, &hold->room, access->n_values) &&
              put_all(hold, access, &hold->room);
    return ok ? hold->own->set(instance, access, &hold->room, err) : takt_fail_memory(err);
}

// A copy of `n` numbers for each input of an access, of which those of held inputs are `first` and then 0.
static double *copy_motion(struct takt_hold *hold, const takt_access *access, const double *from,
                           int n, bool has_value)
{
    size_t n_inputs = (size_t)access->n_values[TAKT_KIND_REAL], size = n_inputs * (size_t)n;
    double *more = size > hold->n_motion ? realloc(hold->motion, size * sizeof *more) : NULL;
    if (more) {
        hold->motion = more;
        hold->n_motion = size;
    }
    if (size > hold->n_motion) return NULL;
    memcpy(hold->motion, from, size * sizeof *from);
    for (int b = 0; b < access->n_batches; b++) {
        const takt_access_batch *batch = &access->batches[b];
        for (int i = 0; i < batch->n_values; i++) {
            int variable = batch->variables[i];
            if (!hold->is_held[variable]) continue;
            for (int d = 0; d < n; d++)
                hold->motion[(size_t)d * n_inputs + (size_t)(batch->first + i)] =
                    d == 0 && has_value ? hold->reals[variable] : 0;
        }
    }
    return hold->motion;
}

static takt_status hold_set_motion(takt_instance *instance, double t, const takt_access *inputs,
                                   int order, const double *derivatives, takt_error *err)
{
    struct takt_hold *hold = hold_of(instance);
    const double *changed = copy_motion(hold, inputs, derivatives, order + 1, true);
    return changed ? hold->own->set_motion(instance, t, inputs, order, changed, err)
                   : takt_fail_memory(err);
}

// Nothing follows what a held input would have been.
static takt_status hold_differentiate(takt_instance *instance, const takt_access *unknowns,
                                      const takt_access *knowns, const double *seed,
                                      double *derivative, takt_error *err)
{
    struct takt_hold *hold = hold_of(instance);
    const double *changed = copy_motion(hold, knowns, seed, 1, false);
    return changed ? hold->own->differentiate(instance, unknowns, knowns, changed, derivative, err)
                   : takt_fail_memory(err);
}

// ---- life --------------------------------------------------------------------------------------------

static struct takt_hold *create(const takt_instance *instance)
{
    struct takt_hold *hold = calloc(1, sizeof *hold);
    size_t n = (size_t)instance->model->n_variables;
    if (!hold) return NULL;
    hold->own = instance->type;
    hold->type = *instance->type;
    hold->type.set = hold_set;
    hold->type.can_advance = NULL;
    hold->type.advance = NULL;
    if (hold->type.set_motion) hold->type.set_motion = hold_set_motion;
    if (hold->type.differentiate) hold->type.differentiate = hold_differentiate;
    hold->n_variables = (int)n;
    hold->is_held = calloc(n, sizeof *hold->is_held);
    hold->reals = calloc(n, sizeof *hold->reals);
    hold->integers = calloc(n, sizeof *hold->integers);
    hold->bytes = calloc(n, sizeof *hold->bytes);
    if (hold->is_held && hold->reals && hold->integers && hold->bytes) return hold;
    takt_hold_destroy(hold);
    return NULL;
}

void takt_hold_destroy(struct takt_hold *hold)
{
    if (!hold) return;
    for (int i = 0; hold->bytes && i < hold->n_variables; i++) takt_bytes_clear(&hold->bytes[i]);
    if (hold->room.real) takt_values_clear(&hold->room, hold->n_room);
    free(hold->is_held);
    free(hold->reals);
    free(hold->integers);
    free(hold->bytes);
    free(hold->motion);
    free(hold);
}

// ---- for others --------------------------------------------------------------------------------------

static bool keep(struct takt_hold *hold, int variable, const takt_values *values, takt_slot from)
{
    hold->n_held += !hold->is_held[variable];
    hold->is_held[variable] = true;
    switch (from.kind) {
    case TAKT_KIND_REAL: hold->reals[variable] = values->real[from.index]; return true;
    case TAKT_KIND_INTEGER: hold->integers[variable] = values->integer[from.index]; return true;
    case TAKT_KIND_BYTES:
        return takt_bytes_assign(&hold->bytes[variable], values->bytes[from.index].data,
                                 values->bytes[from.index].size);
    }
    return true;
}

takt_status takt_hold_inputs(takt_run *run, int i_instance, const takt_access *access,
                             const takt_values *values, takt_error *err)
{
    takt_run_instance *at = &run->work.instances[i_instance];
    if (!at->hold) at->hold = create(at->instance);
    bool ok = at->hold != NULL;
    for (int b = 0; ok && b < access->n_batches; b++) {
        const takt_access_batch *batch = &access->batches[b];
        for (int i = 0; i < batch->n_values && ok; i++)
            ok = keep(at->hold, batch->variables[i], values,
                      (takt_slot){takt_type_kind(batch->type), batch->first + i});
    }
    if (at->hold) at->instance->type = &at->hold->type;
    return ok ? TAKT_OK : takt_fail_memory(err);
}

void takt_hold_release(takt_run *run, int i_instance, const takt_access *access)
{
    takt_run_instance *at = &run->work.instances[i_instance];
    for (int b = 0; at->hold && b < access->n_batches; b++)
        for (int i = 0; i < access->batches[b].n_values; i++) {
            int variable = access->batches[b].variables[i];
            at->hold->n_held -= at->hold->is_held[variable];
            at->hold->is_held[variable] = false;
        }
    if (at->hold && !at->hold->n_held) at->instance->type = at->hold->own;
}

bool takt_hold_has(const takt_run *run, int i_instance, int variable)
{
    const struct takt_hold *hold = run->work.instances[i_instance].hold;
    return hold && hold->is_held[variable];
}

takt_status takt_hold_show(const takt_run *run, int i_instance, takt_values *inputs,
                           takt_error *err)
{
    const takt_run_instance *at = &run->work.instances[i_instance];
    bool ok = !at->hold || put_all(at->hold, &at->plan->inputs, inputs);
    return ok ? TAKT_OK : takt_fail_memory(err);
}

double takt_hold_input(const takt_run *run, int i_instance, int index)
{
    const takt_run_instance *at = &run->work.instances[i_instance];
    if (!at->hold) return run->state.u.real[index];
    int first = at->plan->first_input[TAKT_KIND_REAL];
    int variable = takt_access_index(&at->plan->inputs, TAKT_KIND_REAL, index - first);
    return at->hold->is_held[variable] ? at->hold->reals[variable] : run->state.u.real[index];
}

// ---- snapshots and checkpoints -----------------------------------------------------------------------

static void pack_held(const struct takt_hold *hold, const takt_variable *variables,
                      takt_packer *packer)
{
    for (int v = 0; v < hold->n_variables; v++) {
        if (!hold->is_held[v]) continue;
        takt_pack_integer(packer, v);
        switch (takt_type_kind(variables[v].type)) {
        case TAKT_KIND_REAL: takt_pack_real(packer, hold->reals[v]); break;
        case TAKT_KIND_INTEGER: takt_pack_integer(packer, hold->integers[v]); break;
        case TAKT_KIND_BYTES:
            takt_pack_integer(packer, (int64_t)hold->bytes[v].size);
            takt_pack(packer, hold->bytes[v].data, hold->bytes[v].size);
        }
    }
}

void takt_hold_pack(const takt_run *run, takt_packer *packer)
{
    for (int i = 0; i < run->work.n_instances; i++) {
        const takt_run_instance *at = &run->work.instances[i];
        takt_pack_integer(packer, at->hold ? at->hold->n_held : 0);
        if (at->hold) pack_held(at->hold, at->instance->model->variables, packer);
    }
}

static void unpack_bytes(takt_unpacker *unpacker, takt_bytes *out)
{
    size_t size = (size_t)takt_unpack_integer(unpacker, 0, INT64_MAX);
    const char *data = takt_unpack_place(unpacker, size);
    if (data && !takt_bytes_assign(out, data, size))
        unpacker->failed = unpacker->out_of_memory = true;
}

static void unpack_held(struct takt_hold *hold, const takt_variable *variables,
                        takt_unpacker *unpacker)
{
    int v = (int)takt_unpack_integer(unpacker, 0, hold->n_variables - 1);
    if (unpacker->failed || hold->is_held[v] || variables[v].causality != TAKT_INPUT) {
        unpacker->failed = true;
        return;
    }
    hold->is_held[v] = true;
    hold->n_held++;
    switch (takt_type_kind(variables[v].type)) {
    case TAKT_KIND_REAL: hold->reals[v] = takt_unpack_real(unpacker); break;
    case TAKT_KIND_INTEGER:
        hold->integers[v] = takt_unpack_integer(unpacker, INT64_MIN, INT64_MAX);
        break;
    case TAKT_KIND_BYTES: unpack_bytes(unpacker, &hold->bytes[v]);
    }
}

void takt_hold_unpack(takt_run *run, takt_unpacker *unpacker)
{
    for (int i = 0; i < run->work.n_instances; i++) {
        takt_run_instance *at = &run->work.instances[i];
        const takt_model *model = at->instance->model;
        int n = (int)takt_unpack_integer(unpacker, 0, model->n_variables);
        if (n > 0 && !at->hold && !(at->hold = create(at->instance)))
            unpacker->failed = unpacker->out_of_memory = true;
        if (!at->hold) continue;
        at->hold->n_held = 0;
        memset(at->hold->is_held, 0, (size_t)at->hold->n_variables * sizeof *at->hold->is_held);
        for (int k = 0; k < n && !unpacker->failed; k++)
            unpack_held(at->hold, model->variables, unpacker);
        at->instance->type = at->hold->n_held ? &at->hold->type : at->hold->own;
    }
}
