// SPDX-License-Identifier: MIT
// What different rates need, made once; see auto.h and rate.c.
#include <math.h>
#include <string.h>

#include "run/auto.h"
#include "run/scale.h"

// The most steps of others in one window: as a slow instance chooses it, and where the user gave its size.
enum { MOST_STEPS = 32, MOST_SIZED_STEPS = 512 };

// Sizes by `step-size-of`.
static void find_sizes(takt_auto *own, double *sizes)
{
    const takt_system *system = own->run->plan->system;
    for (int i = 0; i < own->run->work.n_instances; i++) {
        sizes[i] = system->components[i].step_size;
        own->rate.is_sized |= sizes[i] > 0;
    }
}

// An instance may wait if its values can be tested, and do not depend at once on each other with those of others.
static bool may_wait(const takt_auto *own, int i_instance)
{
    const takt_couple *couple = &own->couple;
    const takt_run_instance *at = &own->run->work.instances[i_instance];
    bool has_values = couple->first_tested[i_instance] < couple->first_tested[i_instance + 1];
    return (has_values || own->rate.sizes[i_instance] > 0) && !at->is_function &&
           at->instance->model->can.variable_step;
}

static int find_waiting(takt_auto *own)
{
    const takt_run *run = own->run;
    int n = 0;
    for (int b = 0; b < run->plan->n_blocks; b++)
        for (int m = 0; m < run->plan->blocks[b].n_members; m++) {
            int i = run->plan->blocks[b].members[m];
            own->rate.may_be_slow[i] = !own->couple.loops[b].algebraic && may_wait(own, i);
            n += own->rate.may_be_slow[i];
        }
    return n;
}

static bool make_records(takt_auto *own)
{
    takt_rate *rate = &own->rate;
    takt_arena *arena = &own->run->arena;
    size_t n = (size_t)(rate->is_sized ? MOST_SIZED_STEPS : MOST_STEPS);
    rate->records = takt_arena_array(arena, n, sizeof *rate->records);
    rate->times = takt_arena_array(arena, n, sizeof *rate->times);
    rate->ks = takt_arena_array(arena, n, sizeof *rate->ks);
    rate->causes = takt_arena_array(arena, n, sizeof *rate->causes);
    rate->is_row = takt_arena_array(arena, n, sizeof *rate->is_row);
    if (!rate->records || !rate->times || !rate->ks || !rate->causes || !rate->is_row) return false;
    for (; rate->most_records < (int)n; rate->most_records++)
        if (!takt_values_init(&rate->records[rate->most_records], own->run->plan->n_outputs))
            return false;
    return true;
}

static bool make_copies(takt_auto *own)
{
    takt_run *run = own->run;
    takt_rate *rate = &own->rate;
    size_t n = (size_t)run->work.n_instances;
    takt_memory scales = takt_scale_memory(run);
    rate->scales = takt_arena_alloc(&run->arena, scales.size);
    rate->before.instances = takt_arena_array(&run->arena, n, sizeof *rate->before.instances);
    return rate->scales && rate->before.instances &&
           takt_values_init(&rate->before.u, run->plan->n_inputs) &&
           takt_values_init(&rate->before.y, run->plan->n_outputs);
}

static bool make_arrays(takt_auto *own)
{
    takt_run *run = own->run;
    takt_rate *rate = &own->rate;
    takt_arena *arena = &run->arena;
    size_t n_y = (size_t)run->plan->n_outputs[TAKT_KIND_REAL];
    rate->is_tested = own->is_tested;
    rate->is_tested_now = takt_arena_array(arena, n_y, sizeof *rate->is_tested_now);
    rate->values = takt_arena_array(arena, n_y, sizeof *rate->values);
    rate->sources = takt_arena_array(arena, n_y, sizeof *rate->sources);
    rate->places = takt_arena_array(arena, n_y, sizeof *rate->places);
    rate->predicted = takt_arena_array(arena, n_y, sizeof *rate->predicted);
    rate->given = takt_arena_array(arena, n_y * TAKT_MAX_COEFFICIENTS, sizeof *rate->given);
    bool has_ranges = takt_ranges_create(arena, (int)n_y, &rate->tested_now);
    rate->scratch = takt_arena_alloc(arena, takt_history_size((int)n_y));
    return has_ranges && rate->is_tested_now && rate->values && rate->sources && rate->places &&
           rate->predicted && rate->given && rate->scratch;
}

takt_status takt_rate_create(takt_auto *own, takt_error *err)
{
    takt_run *run = own->run;
    takt_rate *rate = &own->rate;
    size_t n = (size_t)run->work.n_instances;
    double *sizes = takt_arena_array(&run->arena, n, sizeof *sizes);
    rate->may_be_slow = takt_arena_array(&run->arena, n, sizeof *rate->may_be_slow);
    rate->is_told = takt_arena_array(&run->arena, n, sizeof *rate->is_told);
    if (!sizes || !rate->may_be_slow || !rate->is_told) return takt_fail_memory(err);
    rate->sizes = sizes;
    if (own->is_fixed || run->plan->system->settings.same_steps) return TAKT_OK;
    find_sizes(own, sizes);
    rate->is_possible = own->saves_states && find_waiting(own) > 0 && n > 1;
    if (!rate->is_possible) return TAKT_OK;
    bool has_room = make_arrays(own) && make_copies(own) && make_records(own);
    return has_room ? TAKT_OK : takt_fail_memory(err);
}

void takt_rate_destroy(takt_auto *own)
{
    takt_rate *rate = &own->rate;
    for (int i = 0; i < rate->most_records; i++)
        takt_values_clear(&rate->records[i], own->run->plan->n_outputs);
    takt_values_clear(&rate->before.u, own->run->plan->n_inputs);
    takt_values_clear(&rate->before.y, own->run->plan->n_outputs);
}

void takt_rate_begin(takt_auto *own)
{
    takt_rate *rate = &own->rate;
    *rate->state = (takt_rate_state){
        .k = 1, .n_needed = TAKT_RATE_WINS, .t_wait = -INFINITY, .h_failed = INFINITY};
    if (!rate->is_possible) return;
    rate->points->n_values = own->history->n_values;
    for (int i = 0; i < own->run->work.n_instances; i++) {
        rate->is_slow[i] = false;
        rate->n_wins[i] = 0;
        rate->worst[i] = 0;
    }
}
