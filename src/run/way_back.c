// SPDX-License-Identifier: MIT
// Back to the last communication point; see way_back.h.
#include "run/way_back.h"

#include "run/calls.h"
#include "run/derivatives.h"

struct takt_way_back {
    takt_values start; // y at the last communication point
};

takt_status takt_way_back_create(takt_run *run, takt_error *err)
{
    struct takt_way_back *back = takt_arena_alloc(&run->arena, sizeof *back);
    if (!back) return takt_fail_memory(err);
    run->way_back = back;
    return takt_values_init(&back->start, run->plan->n_outputs) ? TAKT_OK : takt_fail_memory(err);
}

void takt_way_back_destroy(takt_run *run)
{
    if (run->way_back) takt_values_clear(&run->way_back->start, run->plan->n_outputs);
    run->way_back = NULL;
}

takt_status takt_way_back_save(takt_run *run, takt_error *err)
{
    bool ok = takt_values_copy(&run->state.y, &run->way_back->start, run->plan->n_outputs);
    takt_derivatives_save(run);
    takt_status st = ok ? TAKT_OK : takt_fail_memory(err);
    for (int i = 0; i < run->work.n_instances && !st; i++)
        st = takt_run_save(run, i, TAKT_SLOT_POINT, run->state.grid.time, err);
    return st;
}

takt_status takt_way_back_take(takt_run *run, takt_error *err)
{
    bool ok = takt_values_copy(&run->way_back->start, &run->state.y, run->plan->n_outputs);
    takt_derivatives_restore(run);
    takt_status st = ok ? TAKT_OK : takt_fail_memory(err);
    for (int i = 0; i < run->work.n_instances && !st; i++)
        st = takt_run_restore(run, i, TAKT_SLOT_POINT, run->state.grid.time, err);
    return st;
}

const takt_values *takt_way_back_start(const takt_run *run)
{
    return &run->way_back->start;
}

bool takt_way_back_is_open(const takt_run *run, takt_status st)
{
    if (st != TAKT_ERR_SIMULATION) return false;
    for (int i = 0; i < run->work.n_instances; i++)
        if (run->work.instances[i].has_failed) return false;
    return true;
}
