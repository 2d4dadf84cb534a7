// SPDX-License-Identifier: MIT
// Algorithms of blocks, and their change during a run; see switch.h.
#include "run/switch.h"

#include <string.h>

#include "run/algorithm.h"
#include "run/newton.h"
#include "run/waves.h"

// Only loops of several members have anything to iterate; the others take one pass.
static takt_algorithm algorithm_for(const takt_run_block *block, takt_algorithm wanted)
{
    return takt_algorithm_iterates(wanted) && block->plan->n_members < 2 ? TAKT_ALGORITHM_SEIDEL
                                                                         : wanted;
}

// Makes sure that a block can use an algorithm; the one in use stays.
static takt_status prepare_block(takt_run *run, takt_run_block *block, takt_algorithm algorithm,
                                 takt_error *err)
{
    const takt_block *plan = block->plan;
    for (int k = 0; k < plan->n_members && takt_algorithm_iterates(algorithm); k++) {
        const takt_instance *member = run->instances[plan->members[k]].instance;
        if (!takt_model_can_rewind(member->model))
            return takt_fail(
                err, TAKT_ERR_USAGE,
                "the loop of '%s' cannot use %s: instance '%s' cannot save and restore "
                "its state; jacobi and seidel are possible",
                run->instances[plan->members[0]].instance->name, takt_algorithm_name(algorithm),
                member->name);
    }
    return algorithm == TAKT_ALGORITHM_NEWTON ? takt_newton_prepare(run, block, err) : TAKT_OK;
}

// Notes what follows from the algorithms of the blocks.
static void note_algorithms(takt_run *run)
{
    run->has_jacobi = run->saves_states = false;
    for (int i = 0; i < run->plan->n_blocks; i++) {
        const takt_run_block *block = &run->blocks[i];
        run->has_jacobi |= block->algorithm == TAKT_ALGORITHM_JACOBI;
        run->saves_states |= takt_block_iterates(block);
        for (int k = 0; k < block->plan->n_members; k++)
            run->instances[block->plan->members[k]].saves_state = takt_block_iterates(block);
    }
    takt_run_divide_blocks(run);
}

takt_status takt_run_prepare_algorithms(takt_run *run, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < run->plan->n_blocks && !st; i++)
        st = prepare_block(run, &run->blocks[i], run->blocks[i].algorithm, err);
    note_algorithms(run);
    return st;
}

// "newton" for all blocks, "LOOP=newton" for the one with a member of that name.
typedef struct choice {
    const char *loop; // NULL: all blocks
    size_t length; // of `loop`
    takt_algorithm algorithm;
} choice;

static takt_status read_choice(const char *text, choice *out, takt_error *err)
{
    const char *equals = strrchr(text, '=');
    const char *name = equals ? equals + 1 : text;
    out->loop = equals ? text : NULL;
    out->length = equals ? (size_t)(equals - text) : 0;
    if (takt_algorithm_find(name, &out->algorithm) && out->algorithm != TAKT_ALGORITHM_AUTO)
        return TAKT_OK;
    return takt_fail(err, TAKT_ERR_USAGE, "'%s' is not an algorithm that can be changed to", name);
}

static bool is_meant(const takt_run *run, const takt_run_block *block, const choice *what)
{
    if (!what->loop) return true;
    for (int k = 0; k < block->plan->n_members; k++) {
        const char *member = run->instances[block->plan->members[k]].instance->name;
        if (strlen(member) == what->length && strncmp(member, what->loop, what->length) == 0)
            return true;
    }
    return false;
}

// Makes sure that all blocks that are meant can use the algorithm.
static takt_status prepare_choice(takt_run *run, const choice *what, takt_error *err)
{
    bool is_found = false;
    for (int i = 0; i < run->plan->n_blocks; i++) {
        takt_run_block *block = &run->blocks[i];
        if (!is_meant(run, block, what)) continue;
        is_found = true;
        takt_status st = prepare_block(run, block, algorithm_for(block, what->algorithm), err);
        if (st) return st;
    }
    if (is_found) return TAKT_OK;
    return takt_fail(err, TAKT_ERR_USAGE, "there is no component '%.*s'", (int)what->length,
                     what->loop);
}

static takt_status prepare_text(takt_run *run, const char *text, choice *out, takt_error *err)
{
    takt_status st = read_choice(text, out, err);
    if (!st) st = prepare_choice(run, out, err);
    return st ? takt_within(err, st, "algorithm '%s'", text) : TAKT_OK;
}

takt_status takt_run_set_algorithm(takt_run *run, const char *text, takt_error *err)
{
    choice what;
    takt_status st = prepare_text(run, text, &what, err);
    if (st) return st;
    for (int i = 0; i < run->plan->n_blocks; i++)
        if (is_meant(run, &run->blocks[i], &what))
            run->blocks[i].algorithm = algorithm_for(&run->blocks[i], what.algorithm);
    note_algorithms(run);
    takt_waves_arrange(run);
    return TAKT_OK;
}

// ---- the project's schedule ----------------------------------------------------------------------

static takt_status within_schedule(const takt_algorithm_change *change, takt_status st,
                                   takt_error *err)
{
    return st ? takt_within(err, st, "algorithm-at %.15g s", change->time) : TAKT_OK;
}

takt_status takt_run_make_schedule(takt_run *run, takt_error *err)
{
    const takt_text_list *items = &run->plan->system->settings.algorithm_at;
    run->schedule = takt_arena_array(&run->arena, (size_t)items->n_items, sizeof *run->schedule);
    if (!run->schedule) return takt_fail_memory(err);
    for (int i = 0; i < items->n_items; i++) {
        takt_algorithm_change change = {0};
        takt_algorithm_change_read(items->items[i], &change); // was checked when it was given
        choice what;
        takt_status st = prepare_text(run, change.choice, &what, err);
        if (st) return within_schedule(&change, st, err);
        int k = run->n_changes++;
        for (; k > 0 && run->schedule[k - 1].time > change.time; k--)
            run->schedule[k] = run->schedule[k - 1];
        run->schedule[k] = change;
    }
    return TAKT_OK;
}

takt_status takt_run_follow_schedule(takt_run *run, takt_error *err)
{
    for (; run->i_change < run->n_changes; run->i_change++) {
        const takt_algorithm_change *change = &run->schedule[run->i_change];
        if (change->time > run->grid.time && !takt_grid_is_at(&run->grid, change->time))
            return TAKT_OK;
        takt_status st = takt_run_set_algorithm(run, change->choice, err);
        if (st) return within_schedule(change, st, err);
        takt_log_write(run->log, TAKT_LEVEL_INFO, "t=%.15g s: algorithm is now %s", run->grid.time,
                       change->choice);
    }
    return TAKT_OK;
}
