// SPDX-License-Identifier: MIT
// Back to the last communication point; see way_back.h.
#include "run/way_back.h"

#include <string.h>

#include "run/algorithm.h"
#include "run/calls.h"
#include "run/derivatives.h"

struct takt_way_back {
    takt_values start; // y at the last communication point
    takt_instance_state *instances; // what they had announced
    bool has_requests;
    double next_event; // s
};

takt_status takt_way_back_create(takt_run *run, takt_error *err)
{
    struct takt_way_back *back = takt_arena_alloc(&run->arena, sizeof *back);
    if (!back) return takt_fail_memory(err);
    run->way_back = back;
    back->instances =
        takt_arena_array(&run->arena, (size_t)run->work.n_instances, sizeof *back->instances);
    if (!back->instances) return takt_fail_memory(err);
    return takt_values_init(&back->start, run->plan->n_outputs) ? TAKT_OK : takt_fail_memory(err);
}

void takt_way_back_destroy(takt_run *run)
{
    if (run->way_back) takt_values_clear(&run->way_back->start, run->plan->n_outputs);
    run->way_back = NULL;
}

// Copies what algorithms carry from step to step, unless it is the same as in the copy.
static void save_algorithms(takt_run *run)
{
    for (int i = 0; i < run->plan->n_blocks && run->work.carries; i++) {
        takt_algorithm_use *use = run->work.blocks[i].use;
        takt_memory own = takt_algorithm_memory(use);
        if (!own.data || (own.version && *own.version == use->saved_version)) continue;
        memcpy(use->saved, own.data, own.size);
        if (own.version) use->saved_version = *own.version;
    }
}

static void restore_algorithms(takt_run *run)
{
    for (int i = 0; i < run->plan->n_blocks && run->work.carries; i++) {
        const takt_algorithm_use *use = run->work.blocks[i].use;
        takt_memory own = takt_algorithm_memory(use);
        if (!own.data || (own.version && *own.version == use->saved_version)) continue;
        memcpy(own.data, use->saved, own.size);
    }
}

static void save_announced(takt_run *run)
{
    struct takt_way_back *back = run->way_back;
    memcpy(back->instances, run->state.instances,
           (size_t)run->work.n_instances * sizeof *back->instances);
    back->has_requests = run->state.has_requests;
    back->next_event = run->state.next_event;
}

static void restore_announced(takt_run *run)
{
    const struct takt_way_back *back = run->way_back;
    memcpy(run->state.instances, back->instances,
           (size_t)run->work.n_instances * sizeof *back->instances);
    run->state.has_requests = back->has_requests;
    run->state.next_event = back->next_event;
}

takt_status takt_way_back_save(takt_run *run, takt_error *err)
{
    bool ok = takt_values_copy(&run->state.y, &run->way_back->start, run->plan->n_outputs);
    takt_derivatives_save(run);
    save_algorithms(run);
    save_announced(run);
    return ok ? takt_run_save_all(run, run->state.grid.time, err) : takt_fail_memory(err);
}

takt_status takt_way_back_take(takt_run *run, takt_error *err)
{
    bool ok = takt_values_copy(&run->way_back->start, &run->state.y, run->plan->n_outputs);
    takt_derivatives_restore(run);
    restore_algorithms(run);
    restore_announced(run);
    takt_status st = ok ? TAKT_OK : takt_fail_memory(err);
    for (int i = 0; i < run->work.n_instances && !st; i++)
        if (!takt_run_is_behind(run, i))
            st = takt_run_restore(run, i, TAKT_SLOT_POINT, run->state.grid.time, err);
    return st;
}

const takt_values *takt_way_back_start(const takt_run *run)
{
    return &run->way_back->start;
}

const takt_instance_state *takt_way_back_announced(const takt_run *run)
{
    return run->way_back->instances;
}

bool takt_way_back_is_open(const takt_run *run, takt_status st)
{
    if (st != TAKT_ERR_SIMULATION) return false;
    for (int i = 0; i < run->work.n_instances; i++)
        if (run->work.instances[i].has_failed) return false;
    return true;
}
