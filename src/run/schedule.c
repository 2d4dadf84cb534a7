// SPDX-License-Identifier: MIT
// Changes of algorithm during a run; see schedule.h.
#include "run/schedule.h"

#include <string.h>

#include "run/algorithms.h"
#include "run/blocks.h"
#include "run/waves.h"

struct takt_schedule {
    takt_algorithm_change *changes; // in the order of time
    int n_changes;
};

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
    if (takt_algorithm_find(name, &out->algorithm) && takt_algorithm_type_of(out->algorithm))
        return TAKT_OK;
    return takt_fail(err, TAKT_ERR_USAGE, "'%s' is not an algorithm that can be changed to", name);
}

static bool has_name(const takt_instance *instance, const choice *what)
{
    return strlen(instance->name) == what->length &&
           strncmp(instance->name, what->loop, what->length) == 0;
}

// Members of a group are known by their own names.
static bool is_instance_meant(const takt_instance *instance, const choice *what)
{
    if (has_name(instance, what)) return true;
    if (!instance->type->member) return false;
    const takt_instance *member;
    for (int i = 0; (member = instance->type->member(instance, i)); i++)
        if (has_name(member, what)) return true;
    return false;
}

static bool is_meant(const takt_run *run, const takt_run_block *block, const choice *what)
{
    if (!what->loop) return true;
    for (int k = 0; k < block->plan->n_members; k++)
        if (is_instance_meant(run->work.instances[block->plan->members[k]].instance, what))
            return true;
    return false;
}

// Only loops have anything to iterate; other blocks take one pass.
static const takt_algorithm_type *type_for(const takt_run_block *block, const choice *what)
{
    return takt_algorithm_type_of(takt_algorithm_for_block(what->algorithm, block->plan->is_loop,
                                                           block->plan->is_algebraic, true));
}

// Makes sure that all blocks that are meant can use the algorithm.
static takt_status prepare_choice(takt_run *run, const choice *what, takt_error *err)
{
    bool is_found = false;
    for (int i = 0; i < run->plan->n_blocks; i++) {
        takt_run_block *block = &run->work.blocks[i];
        if (!is_meant(run, block, what)) continue;
        is_found = true;
        takt_status st = takt_block_prepare(run, block, type_for(block, what), err);
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

// An algebraic loop is not solved by an algorithm that does not iterate.
static void report_unsolved(const takt_run *run, const choice *what, const char *text)
{
    for (int i = 0; i < run->plan->n_blocks; i++) {
        const takt_run_block *block = &run->work.blocks[i];
        const takt_algorithm_facts *facts = type_for(block, what)->facts;
        if (!block->plan->is_algebraic || facts->iterates || !is_meant(run, block, what)) continue;
        takt_log_doubt(
            run->log, NULL, 0,
            "algorithm '%s' does not iterate, so the algebraic loop of component '%s' is "
            "not solved, and its results may be wrong by any amount; choose fixed-point "
            "or newton",
            text, run->plan->system->components[block->plan->members[0]].name);
    }
}

static takt_status change_algorithm(takt_run *run, const char *text, bool is_new, takt_error *err)
{
    choice what;
    takt_status st = prepare_text(run, text, &what, err);
    if (st) return st;
    if (is_new) report_unsolved(run, &what, text);
    for (int i = 0; i < run->plan->n_blocks; i++)
        if (is_meant(run, &run->work.blocks[i], &what))
            takt_block_use(&run->work.blocks[i], type_for(&run->work.blocks[i], &what));
    takt_blocks_arrange(run);
    takt_waves_arrange(run);
    return TAKT_OK;
}

takt_status takt_run_set_algorithm(takt_run *run, const char *text, takt_error *err)
{
    if (!run || !text)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_run_set_algorithm: no argument may be NULL");
    if (!takt_run_enter(run)) return takt_run_fail_used(run, err);
    takt_status st = change_algorithm(run, text, true, err);
    return takt_run_leave(run, st, err);
}

// ---- the project's schedule ----------------------------------------------------------------------

static takt_status within_schedule(const takt_algorithm_change *change, takt_status st,
                                   takt_error *err)
{
    return st ? takt_within(err, st, "algorithm-at %.15g s", change->time) : TAKT_OK;
}

// Adds a change behind those of the same time.
static void add(struct takt_schedule *schedule, const takt_algorithm_change *change)
{
    int k = schedule->n_changes++;
    for (; k > 0 && schedule->changes[k - 1].time > change->time; k--)
        schedule->changes[k] = schedule->changes[k - 1];
    schedule->changes[k] = *change;
}

takt_status takt_schedule_create(takt_run *run, takt_error *err)
{
    const takt_text_list *items = &run->plan->system->settings.algorithm_at;
    if (items->n_items == 0) return TAKT_OK;
    struct takt_schedule *schedule = takt_arena_alloc(&run->arena, sizeof *schedule);
    if (!schedule) return takt_fail_memory(err);
    schedule->changes =
        takt_arena_array(&run->arena, (size_t)items->n_items, sizeof *schedule->changes);
    if (!schedule->changes) return takt_fail_memory(err);
    for (int i = 0; i < items->n_items; i++) {
        takt_algorithm_change change = {0};
        takt_algorithm_change_read(items->items[i], &change); // was checked when it was given
        choice what;
        takt_status st = prepare_text(run, change.choice, &what, err);
        if (st) return within_schedule(&change, st, err);
        report_unsolved(run, &what, items->items[i]);
        add(schedule, &change);
    }
    run->schedule = schedule;
    return TAKT_OK;
}

takt_status takt_schedule_follow(takt_run *run, takt_error *err)
{
    for (int *i = &run->state.i_change; *i < run->schedule->n_changes; ++*i) {
        const takt_algorithm_change *change = &run->schedule->changes[*i];
        double t = run->state.grid.time;
        if (change->time > t && !takt_grid_is_at(&run->state.grid, change->time)) return TAKT_OK;
        takt_status st = change_algorithm(run, change->choice, false, err);
        if (st) return within_schedule(change, st, err);
        takt_log_write(run->log, TAKT_LEVEL_INFO, "t=%.15g s: algorithm is now %s", t,
                       change->choice);
    }
    return TAKT_OK;
}
