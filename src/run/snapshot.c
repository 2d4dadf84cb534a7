// SPDX-License-Identifier: MIT
// Snapshots in memory; see snapshot.h.
#include "run/snapshot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/algorithm.h"
#include "run/blocks.h"
#include "run/hold.h"
#include "run/pass.h"
#include "run/pieces.h"
#include "run/steady.h"
#include "run/waves.h"

// What a block had.
typedef struct block_copy {
    takt_algorithm_use *use;
    void *memory; // a copy of what its algorithm carries; NULL: nothing
} block_copy;

struct takt_snapshot {
    takt_run *run; // NULL: it has ended
    takt_snapshot *next; // of the same run
    takt_arena arena;
    takt_run_state state; // with arrays of its own
    void *pieces[TAKT_N_PIECES]; // copies; NULL: nothing
    block_copy *blocks;
    void **states, **twins; // of the instances; NULL: it has no twin
    takt_bytes steady; // what is known of the end, see steady.h; and what is held
};

// A copy in the snapshot's arena; false: out of memory. Nothing is copied as nothing.
static bool copy_memory(takt_arena *arena, takt_memory from, void **out)
{
    *out = from.data ? takt_arena_alloc(arena, from.size) : NULL;
    if (*out) memcpy(*out, from.data, from.size);
    return *out || !from.data;
}

static void restore_memory(const void *from, takt_memory to)
{
    if (to.data) memcpy(to.data, from, to.size);
}

// ---- taking ----------------------------------------------------------------------------------------

static bool copy_state(takt_run *run, takt_snapshot *to)
{
    const takt_plan *plan = run->plan;
    size_t n = (size_t)run->work.n_instances;
    to->state = run->state;
    to->state.u = to->state.y = (takt_values){0};
    to->state.instances = takt_arena_array(&to->arena, n, sizeof *to->state.instances);
    bool has_u = takt_values_init(&to->state.u, plan->n_inputs);
    bool has_y = takt_values_init(&to->state.y, plan->n_outputs);
    if (!to->state.instances || !has_u || !has_y) return false;
    memcpy(to->state.instances, run->state.instances, n * sizeof *to->state.instances);
    return takt_values_copy(&run->state.u, &to->state.u, plan->n_inputs) &&
           takt_values_copy(&run->state.y, &to->state.y, plan->n_outputs);
}

static bool copy_blocks(takt_run *run, takt_snapshot *to)
{
    to->blocks = takt_arena_array(&to->arena, (size_t)run->plan->n_blocks, sizeof *to->blocks);
    if (!to->blocks) return false;
    for (int i = 0; i < run->plan->n_blocks; i++) {
        to->blocks[i].use = run->work.blocks[i].use;
        if (!copy_memory(&to->arena, takt_algorithm_memory(to->blocks[i].use),
                         &to->blocks[i].memory))
            return false;
    }
    return true;
}

static bool copy_pieces(takt_run *run, takt_snapshot *to)
{
    takt_piece pieces[TAKT_N_PIECES];
    bool has_memory = true;
    takt_pieces_find(run, pieces);
    for (int i = 0; i < TAKT_N_PIECES && has_memory; i++)
        has_memory = copy_memory(&to->arena, pieces[i].memory, &to->pieces[i]);
    return has_memory;
}

static bool copy_steady(const takt_run *run, takt_snapshot *to)
{
    takt_packer packer = {.out = &to->steady};
    takt_steady_pack(run, &packer);
    takt_hold_pack(run, &packer);
    return !packer.failed;
}

// A call to an instance failed: it must not be called again, and the run cannot go on.
static takt_status fail(takt_run *run, int i_instance, takt_status st, takt_error *err)
{
    run->work.instances[i_instance].has_failed = run->has_failed = true;
    return takt_within(err, st, "instance '%s' at t=%.15g s",
                       run->work.instances[i_instance].instance->name, run->state.grid.time);
}

// States can only be saved by the instance that has them.
static takt_status save_twin(takt_run *run, takt_snapshot *to, int i, takt_error *err)
{
    takt_run_instance *at = &run->work.instances[i];
    const takt_instance_type *type = at->instance->type;
    takt_status st = type->restore(at->instance, at->states[TAKT_SLOT_TWIN], err);
    if (!st) st = type->save(at->instance, &to->twins[i], err);
    return st ? st : type->restore(at->instance, to->states[i], err);
}

static takt_status restore_instance(takt_run *run, const takt_snapshot *from, int i,
                                    takt_error *err)
{
    takt_run_instance *at = &run->work.instances[i];
    const takt_instance_type *type = at->instance->type;
    takt_status st = TAKT_OK;
    if (from->twins[i]) {
        st = type->restore(at->instance, from->twins[i], err);
        if (!st) st = type->save(at->instance, &at->states[TAKT_SLOT_TWIN], err);
    }
    return st ? st : type->restore(at->instance, from->states[i], err);
}

static takt_status save_instances(takt_run *run, takt_snapshot *to, takt_error *err)
{
    for (int i = 0; i < run->work.n_instances; i++) {
        takt_instance *instance = run->work.instances[i].instance;
        takt_status st = instance->type->save(instance, &to->states[i], err);
        if (!st && run->state.instances[i].has_twin) st = save_twin(run, to, i, err);
        if (st) return fail(run, i, st, err);
    }
    return TAKT_OK;
}

static takt_status check(const takt_run *run, takt_error *err)
{
    if (!run->is_initialized || run->has_failed || run->is_finished)
        return takt_fail(err, TAKT_ERR_USAGE,
                         "a snapshot is possible only between initialization and the end of a run");
    for (int i = 0; i < run->work.n_instances; i++) {
        const takt_instance *instance = run->work.instances[i].instance;
        if (!takt_model_can_rewind(instance->model))
            return takt_fail(err, TAKT_ERR_USAGE,
                             "instance '%s' cannot save its state, so that no snapshot of the run "
                             "is possible",
                             instance->name);
    }
    return TAKT_OK;
}

static takt_status take(takt_run *run, takt_snapshot **out, takt_error *err)
{
    takt_status st = check(run, err);
    if (st) return st;
    run->thread = takt_thread_id();
    takt_snapshot *to = calloc(1, sizeof *to);
    if (!to) return takt_fail_memory(err);
    to->states = takt_arena_array(&to->arena, (size_t)run->work.n_instances, sizeof *to->states);
    to->twins = takt_arena_array(&to->arena, (size_t)run->work.n_instances, sizeof *to->twins);
    bool has_memory = copy_state(run, to) && copy_blocks(run, to) && to->states && to->twins &&
                      copy_pieces(run, to) && copy_steady(run, to);
    st = has_memory ? save_instances(run, to, err) : takt_fail_memory(err);
    run->work.n_snapshots++;
    to->run = run;
    to->next = run->snapshots;
    run->snapshots = to;
    if (st)
        takt_snapshot_destroy(to);
    else
        *out = to;
    return st;
}

takt_status takt_snapshot_take(takt_run *run, takt_snapshot **out, takt_error *err)
{
    if (!run || !out)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_snapshot_take: no argument may be NULL");
    if (!takt_run_enter(run)) return takt_run_fail_used(run, err);
    takt_status st = take(run, out, err);
    return takt_run_leave(run, st, err);
}

// ---- going back ------------------------------------------------------------------------------------

static bool restore_state(takt_run *run, const takt_snapshot *from)
{
    takt_run_state *state = &run->state, own = *state;
    *state = from->state;
    state->instances = own.instances; // arrays stay where they are: others point to them
    state->u = own.u;
    state->y = own.y;
    memcpy(state->instances, from->state.instances,
           (size_t)run->work.n_instances * sizeof *state->instances);
    return takt_values_copy(&from->state.u, &state->u, run->plan->n_inputs) &&
           takt_values_copy(&from->state.y, &state->y, run->plan->n_outputs);
}

static void restore_blocks(takt_run *run, const takt_snapshot *from)
{
    for (int i = 0; i < run->plan->n_blocks; i++) {
        run->work.blocks[i].use = from->blocks[i].use;
        takt_memory own = takt_algorithm_memory(from->blocks[i].use);
        restore_memory(from->blocks[i].memory, own);
    }
    takt_blocks_arrange(run);
    takt_waves_arrange(run);
}

static bool restore_steady(takt_run *run, const takt_snapshot *from)
{
    takt_unpacker unpacker = {.next = from->steady.data, .left = from->steady.size};
    takt_steady_unpack(run, &unpacker);
    takt_hold_unpack(run, &unpacker);
    takt_pass_prepare_held(run);
    return !unpacker.failed;
}

static void restore_pieces(takt_run *run, const takt_snapshot *from)
{
    takt_piece pieces[TAKT_N_PIECES];
    takt_pieces_find(run, pieces);
    for (int i = 0; i < TAKT_N_PIECES; i++) restore_memory(from->pieces[i], pieces[i].memory);
}

static takt_status restore(takt_run *run, const takt_snapshot *snapshot, takt_error *err)
{
    takt_status st = check(run, err);
    if (st) return st;
    run->thread = takt_thread_id();
    run->work.is_steered = false;
    if (!restore_state(run, snapshot) || !restore_steady(run, snapshot)) st = takt_fail_memory(err);
    if (!st) restore_blocks(run, snapshot);
    if (!st) restore_pieces(run, snapshot);
    for (int i = 0; i < run->work.n_instances && !st; i++) {
        st = restore_instance(run, snapshot, i, err);
        if (st) st = fail(run, i, st, err);
    }
    run->work.moment++;
    atomic_store(&run->shown_time, run->state.grid.time);
    run->has_failed = st != TAKT_OK;
    return st;
}

takt_status takt_snapshot_restore(takt_run *run, const takt_snapshot *snapshot, takt_error *err)
{
    if (!run || !snapshot)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_snapshot_restore: no argument may be NULL");
    if (snapshot->run != run)
        return takt_fail(err, TAKT_ERR_USAGE, "the snapshot is one of another run");
    if (!takt_run_enter(run)) return takt_run_fail_used(run, err);
    takt_status st = restore(run, snapshot, err);
    return takt_run_leave(run, st, err);
}

// Everything but the shell.
static void empty(takt_snapshot *snapshot)
{
    takt_run *run = snapshot->run;
    for (int i = 0; snapshot->states && snapshot->twins && i < run->work.n_instances; i++) {
        takt_instance *instance = run->work.instances[i].instance;
        if (snapshot->states[i]) instance->type->free_state(instance, &snapshot->states[i]);
        if (snapshot->twins[i]) instance->type->free_state(instance, &snapshot->twins[i]);
    }
    takt_values_clear(&snapshot->state.u, run->plan->n_inputs);
    takt_values_clear(&snapshot->state.y, run->plan->n_outputs);
    takt_bytes_clear(&snapshot->steady);
    takt_arena_clear(&snapshot->arena);
    run->work.n_snapshots--;
    snapshot->run = NULL;
}

void takt_snapshots_leave(takt_run *run)
{
    for (takt_snapshot *at = run->snapshots, *next; at; at = next) {
        next = at->next;
        empty(at);
    }
    run->snapshots = NULL;
}

double takt_snapshot_time(const takt_snapshot *snapshot)
{
    return snapshot ? snapshot->state.grid.time : NAN;
}

void takt_snapshot_destroy(takt_snapshot *snapshot)
{
    if (!snapshot) return;
    if (snapshot->run) {
        takt_snapshot **at = &snapshot->run->snapshots;
        while (*at != snapshot) at = &(*at)->next;
        *at = snapshot->next;
        empty(snapshot);
    }
    free(snapshot);
}
