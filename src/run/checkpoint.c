// SPDX-License-Identifier: MIT
// A run as bytes; see checkpoint.h. Everything is in one fixed order. What is read is checked for its size, and for indices,
// counts and truth values; pieces of memory are copied as they are, then their owners look at them. The checksum of the file
// does not protect from somebody who has written one of his own.
#include "run/checkpoint.h"

#include <math.h>
#include <string.h>

#include "run/algorithm.h"
#include "run/algorithms.h"
#include "run/blocks.h"
#include "run/hold.h"
#include "run/pass.h"
#include "run/pieces.h"
#include "run/rows.h"
#include "run/steady.h"
#include "run/waves.h"

enum { MAX_NAME = 64 }; // of pieces and algorithms

takt_status takt_checkpoint_check_moment(const takt_run *run, takt_error *err)
{
    if (run->is_initialized && !run->has_failed && !run->is_finished) return TAKT_OK;
    return takt_fail(err, TAKT_ERR_USAGE,
                     "a checkpoint is possible only between initialization and the end of a run");
}

// ---- texts and memory ------------------------------------------------------------------------------

static void pack_text(takt_packer *packer, const char *text)
{
    size_t size = strlen(text);
    takt_pack_integer(packer, (int64_t)size);
    takt_pack(packer, text, size);
}

// Up to MAX_NAME - 1 characters.
static void unpack_text(takt_unpacker *unpacker, char out[MAX_NAME])
{
    size_t size = (size_t)takt_unpack_integer(unpacker, 0, MAX_NAME - 1);
    out[0] = 0;
    takt_unpack(unpacker, out, size);
    out[unpacker->failed ? 0 : size] = 0;
}

static void pack_memory(takt_packer *packer, const char *name, takt_memory memory)
{
    size_t size = memory.data ? memory.size : 0;
    pack_text(packer, name);
    takt_pack_integer(packer, (int64_t)size);
    if (size) takt_pack(packer, memory.data, size);
}

// The version of the memory goes on as it is in this process, so that no two contents have the same one.
static void unpack_memory(takt_unpacker *unpacker, const char *name, takt_memory memory)
{
    char found[MAX_NAME];
    int64_t size = memory.data ? (int64_t)memory.size : 0;
    unpack_text(unpacker, found);
    if (strcmp(found, name) != 0) unpacker->failed = true;
    takt_unpack_integer(unpacker, size, size);
    const char *from = takt_unpack_place(unpacker, (size_t)size);
    if (!from || !size) return;
    int64_t version = memory.version ? *memory.version : 0;
    memcpy(memory.data, from, (size_t)size);
    if (memory.version) {
        size_t place = (size_t)((const char *)memory.version - (const char *)memory.data);
        memcpy((char *)memory.data + place, &version, sizeof version);
    }
}

static void unpack_piece(const takt_run *run, takt_unpacker *unpacker, const takt_piece *piece)
{
    unpack_memory(unpacker, piece->name, piece->memory);
    bool is_there = !unpacker->failed && piece->memory.data && piece->is_sound;
    if (is_there && !piece->is_sound(run)) unpacker->failed = true;
}

// ---- state -----------------------------------------------------------------------------------------

static void pack_instance_state(takt_packer *packer, const takt_instance_state *at)
{
    takt_pack_integer(packer, at->has_event);
    takt_pack_real(packer, at->next_event);
    takt_pack_real(packer, at->end_time);
    takt_pack_real(packer, at->early_time);
    takt_pack_integer(packer, at->has_twin);
}

static void unpack_instance_state(takt_unpacker *unpacker, takt_instance_state *at)
{
    at->has_event = takt_unpack_integer(unpacker, 0, 1);
    at->next_event = takt_unpack_real(unpacker);
    at->end_time = takt_unpack_real(unpacker);
    at->early_time = takt_unpack_real(unpacker);
    at->has_twin = takt_unpack_integer(unpacker, 0, 1);
}

static void pack_control(takt_packer *packer, const takt_control_state *control)
{
    takt_pack_real(packer, control->h_next);
    takt_pack_integer(packer, control->cause.limit);
    takt_pack_integer(packer, control->cause.value.kind);
    takt_pack_integer(packer, control->cause.value.index);
    takt_pack(packer, control->memory, sizeof control->memory);
}

static void unpack_control(takt_unpacker *unpacker, const takt_plan *plan,
                           takt_control_state *control)
{
    control->h_next = takt_unpack_real(unpacker);
    control->cause.limit = (takt_limit)takt_unpack_integer(unpacker, 0, TAKT_N_LIMITS - 1);
    int64_t kind = takt_unpack_integer(unpacker, 0, TAKT_N_KINDS - 1);
    control->cause.value.kind = (takt_kind)kind;
    int64_t n_values = plan->n_outputs[kind]; // without any: 0, which nobody reads
    control->cause.value.index =
        (int)takt_unpack_integer(unpacker, -1, n_values ? n_values - 1 : 0);
    takt_unpack(unpacker, control->memory, sizeof control->memory);
}

static void pack_grid(takt_packer *packer, const takt_grid *grid)
{
    takt_pack_real(packer, grid->h);
    takt_pack_integer(packer, grid->is_exact);
    takt_pack_integer(packer, grid->n);
    takt_pack_real(packer, grid->time);
}

// The stop time is that of the present settings.
static void unpack_grid(takt_unpacker *unpacker, const takt_run *run, takt_grid *grid)
{
    takt_settings settings = run->plan->system->settings;
    double h = takt_unpack_real(unpacker);
    if (!(h > 0)) unpacker->failed = true;
    if (unpacker->failed) return;
    settings.step_size = h;
    *grid = takt_grid_start(&settings);
    grid->is_exact = takt_unpack_integer(unpacker, 0, 1);
    grid->n = takt_unpack_integer(unpacker, 0, INT64_MAX / 2);
    grid->time = takt_unpack_real(unpacker);
    if (!isfinite(grid->time)) unpacker->failed = true;
}

static void pack_state(takt_run *run, takt_packer *packer)
{
    const takt_run_state *state = &run->state;
    pack_grid(packer, &state->grid);
    takt_pack_integer(packer, state->progress);
    takt_pack_values(packer, &state->u, run->plan->n_inputs);
    takt_pack_values(packer, &state->y, run->plan->n_outputs);
    for (int i = 0; i < run->work.n_instances; i++)
        pack_instance_state(packer, &state->instances[i]);
    takt_pack_integer(packer, state->has_requests);
    takt_pack_real(packer, state->next_event);
    takt_pack_integer(packer, state->i_aimed);
    takt_pack_real(packer, state->aimed_time);
    pack_control(packer, &state->control);
    takt_pack_integer(packer, state->rows.next);
    takt_pack_real(packer, state->rows.time);
    takt_pack_integer(packer, state->rows.is_begun);
    takt_pack_integer(packer, state->n_events);
    takt_pack_integer(packer, state->i_change);
}

static void unpack_state(takt_run *run, takt_unpacker *unpacker)
{
    takt_run_state *state = &run->state;
    unpack_grid(unpacker, run, &state->grid);
    state->progress = (takt_progress)takt_unpack_integer(unpacker, TAKT_RUNNING, TAKT_TERMINATED);
    takt_unpack_values(unpacker, &state->u, run->plan->n_inputs);
    takt_unpack_values(unpacker, &state->y, run->plan->n_outputs);
    for (int i = 0; i < run->work.n_instances; i++)
        unpack_instance_state(unpacker, &state->instances[i]);
    state->has_requests = takt_unpack_integer(unpacker, 0, 1);
    state->next_event = takt_unpack_real(unpacker);
    state->i_aimed = (int)takt_unpack_integer(unpacker, -1, run->work.n_instances - 1);
    state->aimed_time = takt_unpack_real(unpacker);
    unpack_control(unpacker, run->plan, &state->control);
    state->rows.next = takt_unpack_integer(unpacker, INT64_MIN / 2, INT64_MAX / 2);
    state->rows.time = takt_unpack_real(unpacker);
    state->rows.is_begun = takt_unpack_integer(unpacker, 0, 1);
    state->n_events = takt_unpack_integer(unpacker, 0, INT64_MAX / 2);
    state->i_change = (int)takt_unpack_integer(unpacker, 0, INT32_MAX);
}

// A stop time that is no multiple of the step size has cut the last step: the next one leads to the point behind it.
static void uncut(takt_grid *grid)
{
    if (grid->is_exact && grid->n > 0 &&
        takt_points_at(&grid->points, (double)grid->n) > grid->time &&
        !takt_grid_is_at(grid, takt_points_at(&grid->points, (double)grid->n)))
        grid->n--;
}

// The stop time may be another one now.
static takt_status check_stop(takt_run *run, takt_error *err)
{
    takt_run_state *state = &run->state;
    takt_grid *grid = &state->grid;
    if (state->progress == TAKT_TERMINATED) return TAKT_OK;
    bool is_over = grid->oversteps && grid->time - grid->stop <= grid->h;
    if (grid->stop < grid->time && !takt_grid_is_at(grid, grid->stop) && !is_over)
        return takt_fail(err, TAKT_ERR_USAGE,
                         "the stop time %.15g s lies before the checkpoint at t=%.15g s",
                         grid->stop, grid->time);
    bool was_finished = state->progress == TAKT_FINISHED;
    if (was_finished && grid->stop > grid->time) uncut(grid);
    state->progress = takt_grid_is_done(grid) ? TAKT_FINISHED : TAKT_RUNNING;
    if (was_finished) takt_rows_take_turn(run); // the last row is there, whether it was due or not
    return TAKT_OK;
}

// ---- counts ----------------------------------------------------------------------------------------

enum { N_COUNTS = 7 };

static void list_counts(takt_run_counts *counts, int64_t *out[N_COUNTS])
{
    int64_t *const all[N_COUNTS] = {&counts->n_steps,
                                    &counts->n_rejected,
                                    &counts->n_rows,
                                    &counts->n_limit_exceeded,
                                    &counts->n_convergence_failures,
                                    &counts->n_error_failures,
                                    &counts->n_discarded};
    memcpy(out, all, sizeof all);
}

// The instance of that name; as many as there are: none.
static int find_instance(const takt_run *run, const char *name)
{
    int i = 0;
    while (i < run->work.n_instances &&
           !(name && strcmp(run->work.instances[i].instance->name, name) == 0))
        i++;
    return i;
}

static void pack_doubt(const takt_run *run, takt_packer *packer, const takt_doubt_count *doubt)
{
    takt_pack_integer(packer, doubt->n);
    takt_pack_real(packer, doubt->first_time);
    takt_pack_real(packer, doubt->worst_time);
    takt_pack_real(packer, doubt->worst);
    takt_pack_integer(packer, find_instance(run, doubt->loop));
    takt_pack_integer(packer, doubt->flip.is_noted);
    takt_pack_integer(packer, doubt->flip.kind);
    takt_pack_integer(packer, doubt->flip.index);
    takt_pack_real(packer, doubt->flip.t);
    takt_pack_real(packer, doubt->flip.before);
    takt_pack_real(packer, doubt->flip.after);
}

static void unpack_doubt(const takt_run *run, takt_unpacker *unpacker, takt_doubt_count *doubt)
{
    doubt->n = takt_unpack_integer(unpacker, 0, INT64_MAX / 2);
    doubt->first_time = takt_unpack_real(unpacker);
    doubt->worst_time = takt_unpack_real(unpacker);
    doubt->worst = takt_unpack_real(unpacker);
    int64_t n = run->work.n_instances, loop = takt_unpack_integer(unpacker, 0, n);
    doubt->loop = loop < n && !unpacker->failed ? run->work.instances[loop].instance->name : NULL;
    doubt->flip.is_noted = takt_unpack_integer(unpacker, 0, 1);
    int64_t kind = takt_unpack_integer(unpacker, 0, TAKT_N_KINDS - 1);
    int64_t n_values = run->plan->n_outputs[kind];
    doubt->flip.kind = (takt_kind)kind;
    doubt->flip.index = (int)takt_unpack_integer(unpacker, 0, n_values ? n_values - 1 : 0);
    if (n_values == 0) doubt->flip.is_noted = false;
    doubt->flip.t = takt_unpack_real(unpacker);
    doubt->flip.before = takt_unpack_real(unpacker);
    doubt->flip.after = takt_unpack_real(unpacker);
}

static void pack_counts(takt_run *run, takt_packer *packer)
{
    int64_t *counts[N_COUNTS];
    list_counts(&run->counts, counts);
    for (int i = 0; i < N_COUNTS; i++) takt_pack_integer(packer, *counts[i]);
    for (int i = 0; i < TAKT_N_DOUBTS; i++) pack_doubt(run, packer, &run->counts.doubts[i]);
}

static void unpack_counts(takt_run *run, takt_unpacker *unpacker)
{
    int64_t *counts[N_COUNTS];
    list_counts(&run->counts, counts);
    for (int i = 0; i < N_COUNTS; i++) *counts[i] = takt_unpack_integer(unpacker, 0, INT64_MAX / 2);
    for (int i = 0; i < TAKT_N_DOUBTS; i++) unpack_doubt(run, unpacker, &run->counts.doubts[i]);
}

// ---- blocks ----------------------------------------------------------------------------------------

// An algorithm may have been changed during the run.
static takt_status unpack_block(takt_run *run, takt_run_block *block, takt_unpacker *unpacker,
                                takt_error *err)
{
    char name[MAX_NAME];
    takt_algorithm algorithm;
    takt_unpacker ahead = *unpacker;
    unpack_text(&ahead, name);
    const takt_algorithm_type *type = !ahead.failed && takt_algorithm_find(name, &algorithm)
                                          ? takt_algorithm_type_of(algorithm)
                                          : NULL;
    if (!type || (type->facts->iterates && !block->plan->is_loop)) {
        unpacker->failed = true;
        return TAKT_OK;
    }
    takt_status st = takt_block_prepare(run, block, type, err);
    if (st) return st;
    takt_block_use(block, type);
    unpack_memory(unpacker, name, takt_algorithm_memory(block->use));
    if (!unpacker->failed && !takt_algorithm_is_sound(block->use)) unpacker->failed = true;
    block->use->saved_version = -1; // of a past that this process does not have
    return TAKT_OK;
}

takt_status takt_checkpoint_pack(takt_run *run, takt_packer *packer, takt_error *err)
{
    takt_piece pieces[TAKT_N_PIECES];
    takt_pieces_find(run, pieces);
    pack_state(run, packer);
    pack_counts(run, packer);
    takt_steady_pack(run, packer);
    takt_hold_pack(run, packer);
    for (int i = 0; i < TAKT_N_PIECES; i++) pack_memory(packer, pieces[i].name, pieces[i].memory);
    for (int i = 0; i < run->plan->n_blocks; i++) {
        const takt_algorithm_use *use = run->work.blocks[i].use;
        pack_memory(packer, use->type->facts->name, takt_algorithm_memory(use));
    }
    return packer->failed ? takt_fail_memory(err) : TAKT_OK;
}

takt_status takt_checkpoint_unpack(takt_run *run, takt_unpacker *unpacker, takt_error *err)
{
    takt_piece pieces[TAKT_N_PIECES];
    takt_status st = TAKT_OK;
    run->has_failed = true; // until all is there
    unpack_state(run, unpacker);
    unpack_counts(run, unpacker);
    takt_steady_unpack(run, unpacker);
    takt_hold_unpack(run, unpacker);
    takt_pieces_find(run, pieces);
    for (int i = 0; i < TAKT_N_PIECES; i++) unpack_piece(run, unpacker, &pieces[i]);
    for (int i = 0; i < run->plan->n_blocks && !st && !unpacker->failed; i++)
        st = unpack_block(run, &run->work.blocks[i], unpacker, err);
    if (!st && takt_unpack_end(unpacker, err))
        st = unpacker->out_of_memory
                 ? takt_fail_memory(err)
                 : takt_fail(err, TAKT_ERR_INPUT, "it holds no state of this system");
    if (st) return st;
    takt_pass_prepare_held(run);
    takt_blocks_arrange(run);
    takt_waves_arrange(run);
    run->work.moment++;
    st = check_stop(run, err);
    run->has_failed = st != TAKT_OK;
    return st;
}

// ---- instances -------------------------------------------------------------------------------------

// A call to an instance failed: it must not be called again, and the run cannot go on.
static takt_status fail(takt_run *run, int i_instance, takt_status st, takt_error *err)
{
    run->work.instances[i_instance].has_failed = run->has_failed = true;
    return takt_within(err, st, "instance '%s' at t=%.15g s",
                       run->work.instances[i_instance].instance->name, run->state.grid.time);
}

// Behind the state of the instance: that of its twin, and how many bytes these are.
static takt_status pack_twin(takt_run_instance *at, takt_bytes *out, takt_error *err)
{
    takt_bytes twin = {0};
    takt_packer packer = {.out = out};
    void *state = at->states[TAKT_SLOT_TWIN];
    takt_status st = at->instance->type->serialize(at->instance, state, &twin, err);
    if (!st) {
        takt_pack(&packer, twin.data, twin.size);
        takt_pack_integer(&packer, (int64_t)twin.size);
        if (packer.failed) st = takt_fail_memory(err);
    }
    takt_bytes_clear(&twin);
    return st;
}

// Leaves the size of the state of the instance in `size`.
static takt_status unpack_twin(takt_run_instance *at, const void *data, size_t *size,
                               takt_error *err)
{
    void *state = NULL;
    takt_instance *instance = at->instance;
    size_t own_size = *size < sizeof(int64_t) ? 0 : *size - sizeof(int64_t);
    takt_unpacker unpacker = {.next = (const char *)data + own_size, .left = *size - own_size};
    size_t twin_size = (size_t)takt_unpack_integer(&unpacker, 0, (int64_t)own_size);
    if (unpacker.failed) return takt_fail(err, TAKT_ERR_INPUT, "its state is incomplete");
    *size = own_size - twin_size;
    takt_status st =
        instance->type->deserialize(instance, (const char *)data + *size, twin_size, &state, err);
    if (!st) st = instance->type->restore(instance, state, err);
    if (!st) st = instance->type->save(instance, &at->states[TAKT_SLOT_TWIN], err);
    if (state) instance->type->free_state(instance, &state);
    return st;
}

takt_status takt_checkpoint_pack_instance(takt_run *run, int i_instance, takt_bytes *out,
                                          takt_error *err)
{
    takt_instance *instance = run->work.instances[i_instance].instance;
    void *state = NULL;
    takt_status st = instance->type->save(instance, &state, err);
    if (!st) st = instance->type->serialize(instance, state, out, err);
    if (!st && run->state.instances[i_instance].has_twin)
        st = pack_twin(&run->work.instances[i_instance], out, err);
    if (state) instance->type->free_state(instance, &state);
    return st ? fail(run, i_instance, st, err) : TAKT_OK;
}

takt_status takt_checkpoint_unpack_instance(takt_run *run, int i_instance, const void *data,
                                            size_t size, takt_error *err)
{
    takt_instance *instance = run->work.instances[i_instance].instance;
    void *state = NULL;
    takt_status st = TAKT_OK;
    if (run->state.instances[i_instance].has_twin)
        st = unpack_twin(&run->work.instances[i_instance], data, &size, err);
    if (!st) st = instance->type->deserialize(instance, data, size, &state, err);
    if (!st) st = instance->type->restore(instance, state, err);
    if (state) instance->type->free_state(instance, &state);
    return st ? fail(run, i_instance, st, err) : TAKT_OK;
}
