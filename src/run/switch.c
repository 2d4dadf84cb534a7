// SPDX-License-Identifier: MIT
// Algorithms of blocks, and their change during a run; see switch.h.
#include "run/switch.h"

#include <string.h>

#include "run/algorithm.h"
#include "run/newton.h"

takt_status takt_run_prepare_algorithms(takt_run *run, takt_error *err)
{
    for (int i = 0; i < run->n_instances; i++) run->instances[i].saves_state = false;
    for (int i = 0; i < run->plan->n_blocks; i++) {
        takt_run_block *block = &run->blocks[i];
        if (!takt_block_iterates(block)) continue;
        for (int k = 0; k < block->plan->n_members; k++)
            run->instances[block->plan->members[k]].saves_state = true;
        if (block->algorithm != TAKT_ALGORITHM_NEWTON) continue;
        takt_status st = takt_newton_prepare(run, block, err);
        if (st) return st;
    }
    return TAKT_OK;
}

// Only loops of several members have anything to iterate; the others take one pass.
static takt_status change_block(takt_run *run, takt_run_block *block, takt_algorithm algorithm,
                                takt_error *err)
{
    const takt_block *plan = block->plan;
    bool iterates = algorithm == TAKT_ALGORITHM_FIXED_POINT || algorithm == TAKT_ALGORITHM_NEWTON;
    if (iterates && plan->n_members < 2) {
        block->algorithm = TAKT_ALGORITHM_SEIDEL;
        return TAKT_OK;
    }
    for (int k = 0; k < plan->n_members && iterates; k++) {
        const takt_instance *member = run->instances[plan->members[k]].instance;
        if (!takt_model_can_rewind(member->model))
            return takt_fail(
                err, TAKT_ERR_USAGE,
                "the loop of '%s' cannot use %s: instance '%s' cannot save and restore "
                "its state; jacobi and seidel are possible",
                run->instances[plan->members[0]].instance->name, takt_algorithm_name(algorithm),
                member->name);
    }
    block->algorithm = algorithm;
    return TAKT_OK;
}

// `loop` is the name of a member, NULL for all blocks.
static takt_status change(takt_run *run, const char *loop, size_t length, const char *name,
                          takt_error *err)
{
    takt_algorithm algorithm;
    if (!takt_algorithm_find(name, &algorithm) || algorithm == TAKT_ALGORITHM_AUTO)
        return takt_fail(err, TAKT_ERR_USAGE, "'%s' is not an algorithm that can be changed to",
                         name);
    bool is_found = false;
    for (int i = 0; i < run->plan->n_blocks; i++) {
        takt_run_block *block = &run->blocks[i];
        bool is_meant = loop == NULL;
        for (int k = 0; k < block->plan->n_members && !is_meant; k++) {
            const char *member = run->instances[block->plan->members[k]].instance->name;
            is_meant = strlen(member) == length && strncmp(member, loop, length) == 0;
        }
        if (!is_meant) continue;
        is_found = true;
        takt_status st = change_block(run, block, algorithm, err);
        if (st) return st;
    }
    if (!is_found)
        return takt_fail(err, TAKT_ERR_USAGE, "there is no component '%.*s'", (int)length, loop);
    return takt_run_prepare_algorithms(run, err);
}

takt_status takt_run_set_algorithm(takt_run *run, const char *choice, takt_error *err)
{
    const char *equals = strrchr(choice, '=');
    takt_status st = equals ? change(run, choice, (size_t)(equals - choice), equals + 1, err)
                            : change(run, NULL, 0, choice, err);
    return st ? takt_within(err, st, "algorithm '%s'", choice) : TAKT_OK;
}

takt_status takt_run_make_schedule(takt_run *run, takt_error *err)
{
    const takt_text_list *items = &run->plan->system->settings.algorithm_at;
    run->schedule = takt_arena_array(&run->arena, (size_t)items->n_items, sizeof *run->schedule);
    if (!run->schedule) return takt_fail_memory(err);
    for (int i = 0; i < items->n_items; i++) {
        takt_algorithm_change change = {0};
        takt_algorithm_change_read(items->items[i], &change); // was checked when it was given
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
        bool is_due = change->time <= run->grid.time ||
                      takt_times_equal(change->time, run->grid.time, run->grid.h);
        if (!is_due) return TAKT_OK;
        takt_status st = takt_run_set_algorithm(run, change->choice, err);
        if (st) return takt_within(err, st, "algorithm-at %.15g s", change->time);
        takt_log_write(run->log, TAKT_LEVEL_INFO, "t=%.15g s: algorithm is now %s", run->grid.time,
                       change->choice);
    }
    return TAKT_OK;
}
