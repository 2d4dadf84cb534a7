// SPDX-License-Identifier: MIT
// Parallel stepping; see waves.h.
#include "run/waves.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/pool.h"
#include "base/text.h"

enum {
    N_TRIALS = 4, // steps of each way that are measured; the quickest counts
    FIRST_PERIOD = 64, // steps until the next trials; doubles each time
    LAST_PERIOD = 8192,
};

static const double MIN_GAIN = 3e-6; // s per wave; what handing work to threads costs at least
static const double MIN_RATIO = 0.95; // of parallel to serial time; below it threads pay

// A member of a Jacobi block, or a whole block.
typedef struct part {
    bool is_block;
    bool is_tied; // to the caller's thread
    int index; // of the instance or block
    uint64_t ticks; // of its quickest step
} part;

typedef enum way { TRY_SERIAL, TRY_PARALLEL, SERIAL, PARALLEL } way;

typedef struct wave {
    const int *blocks; // those of the wave, in the order of the plan
    int n_blocks;
    part *parts; // in the order of the plan
    int n_parts;
    int *order; // of parts: by thread, then as in the plan
    int *first; // per thread, its first place in `order`; one more at the end
    way way;
    int64_t n_left; // steps until the way is looked at again
    int64_t period;
    uint64_t serial, parallel; // ticks of the quickest trial
} wave;

// What one thread has come to.
typedef struct worker {
    uint64_t ticks; // of its parts, while they are assigned
    int i_part; // that did not simply reach the end of the step; -1: none
    takt_status status;
    takt_outcome outcome;
    takt_error err;
} worker;

struct takt_waves {
    takt_arena arena;
    takt_pool *pool; // its threads are made when they are first needed
    int n_threads;
    bool is_forced; // always parallel
    bool *is_tied; // per instance
    int *first; // per level, its first place in `blocks`
    int *blocks; // sorted by level
    part *parts; // of all waves
    int *order; // likewise
    int *firsts; // likewise
    const part **sorted; // for sharing
    int *thread_of; // likewise
    wave *waves;
    int n_waves;
    worker *workers; // per thread

    takt_run *run; // what the threads are working on
    const wave *now;
    const takt_step_plan *step;
};

// ---- sharing the work ------------------------------------------------------------------------------

static int compare_ticks(const void *a, const void *b)
{
    uint64_t left = (*(const part *const *)a)->ticks, right = (*(const part *const *)b)->ticks;
    return left < right ? 1 : left > right ? -1 : 0;
}

static int least_busy(const takt_waves *waves)
{
    int least = 0;
    for (int i = 1; i < waves->n_threads; i++)
        if (waves->workers[i].ticks < waves->workers[least].ticks) least = i;
    return least;
}

// The order in which threads find their parts, from thread_of.
static void sort_by_thread(const takt_waves *waves, wave *of, const int *thread_of)
{
    int place = 0;
    for (int t = 0; t < waves->n_threads; t++) {
        of->first[t] = place;
        for (int i = 0; i < of->n_parts; i++)
            if (thread_of[i] == t) of->order[place++] = i;
    }
    of->first[waves->n_threads] = place;
}

// Gives the longest parts away first, each to the thread that has least to do so far. Returns what the
// busiest thread then has to do, in ticks.
static uint64_t share(takt_waves *waves, wave *of)
{
    int *thread_of = waves->thread_of;
    const part **sorted = waves->sorted;
    uint64_t most = 0;
    for (int i = 0; i < waves->n_threads; i++) waves->workers[i].ticks = 0;
    for (int i = 0; i < of->n_parts; i++) {
        sorted[i] = &of->parts[i];
        if (of->parts[i].is_tied) waves->workers[0].ticks += of->parts[i].ticks;
    }
    qsort(sorted, (size_t)of->n_parts, sizeof *sorted, compare_ticks);
    for (int i = 0; i < of->n_parts; i++) {
        int thread = sorted[i]->is_tied ? 0 : least_busy(waves);
        if (!sorted[i]->is_tied) waves->workers[thread].ticks += sorted[i]->ticks;
        thread_of[sorted[i] - of->parts] = thread;
    }
    for (int i = 0; i < waves->n_threads; i++)
        if (waves->workers[i].ticks > most) most = waves->workers[i].ticks;
    sort_by_thread(waves, of, thread_of);
    return most;
}

// ---- arranging -------------------------------------------------------------------------------------

static bool is_all_jacobi(const takt_run *run)
{
    for (int i = 0; i < run->plan->n_blocks; i++)
        if (run->blocks[i].algorithm != TAKT_ALGORITHM_JACOBI) return false;
    return true;
}

static void add_parts(const takt_run *run, wave *to, int i_block)
{
    const takt_run_block *block = &run->blocks[i_block];
    bool is_jacobi = block->algorithm == TAKT_ALGORITHM_JACOBI, is_tied = false;
    for (int k = 0; k < block->plan->n_members; k++) {
        int member = block->plan->members[k];
        is_tied |= run->waves->is_tied[member];
        if (is_jacobi && !takt_run_is_function(run, member))
            to->parts[to->n_parts++] =
                (part){.index = member, .is_tied = run->waves->is_tied[member], .ticks = 1};
    }
    if (!is_jacobi)
        to->parts[to->n_parts++] =
            (part){.is_block = true, .index = i_block, .is_tied = is_tied, .ticks = 1};
}

// Sorts the blocks by level; those of a level stay in the order of the plan.
static void sort_by_level(const takt_plan *plan, int *first, int *sorted)
{
    memset(first, 0, ((size_t)plan->n_levels + 1) * sizeof *first);
    for (int i = 0; i < plan->n_blocks; i++) first[plan->blocks[i].level + 1]++;
    for (int i = 0; i < plan->n_levels; i++) first[i + 1] += first[i];
    for (int i = 0; i < plan->n_blocks; i++) sorted[first[plan->blocks[i].level]++] = i;
    memmove(first + 1, first, (size_t)plan->n_levels * sizeof *first);
    first[0] = 0;
}

void takt_waves_arrange(takt_run *run)
{
    takt_waves *waves = run->waves;
    if (!waves) return;
    const takt_plan *plan = run->plan;
    sort_by_level(plan, waves->first, waves->blocks);
    bool is_one = is_all_jacobi(run);
    part *parts = waves->parts;
    waves->n_waves = is_one ? 1 : plan->n_levels;
    run->steps_in_waves = false;
    for (int i = 0; i < waves->n_waves; i++) {
        int first = is_one ? 0 : waves->first[i];
        int end = is_one ? plan->n_blocks : waves->first[i + 1];
        wave *next = &waves->waves[i];
        *next = (wave){.blocks = waves->blocks + first,
                       .n_blocks = end - first,
                       .parts = parts,
                       .order = waves->order + (parts - waves->parts),
                       .first = waves->firsts + i * (waves->n_threads + 1),
                       .way = SERIAL,
                       .period = FIRST_PERIOD};
        for (int k = first; k < end; k++) add_parts(run, next, waves->blocks[k]);
        parts += next->n_parts;
        run->steps_in_waves |= next->n_parts > 1;
        if (waves->is_forced) share(waves, next);
    }
}

takt_status takt_waves_force(takt_run *run, takt_error *err)
{
    takt_waves *waves = run->waves;
    if (!waves) return TAKT_OK;
    waves->is_forced = true;
    takt_waves_arrange(run);
    return takt_pool_start(waves->pool, err);
}

// ---- doing the work --------------------------------------------------------------------------------

static takt_status do_part(takt_run *run, const part *what, const takt_step_plan *step,
                           takt_outcome *outcome, takt_error *err)
{
    return what->is_block
               ? takt_run_advance_block(run, &run->blocks[what->index], step, outcome, err)
               : takt_run_advance_instance(run, what->index, step, outcome, err);
}

// What a thread does: its parts, up to the first that does not reach the end of the step.
static void work(void *context, int i_thread)
{
    const takt_waves *waves = context;
    const wave *now = waves->now;
    worker *self = &waves->workers[i_thread];
    self->status = TAKT_OK;
    self->outcome = (takt_outcome){.end = TAKT_STEP_DONE};
    self->i_part = -1;
    for (int i = now->first[i_thread]; i < now->first[i_thread + 1]; i++) {
        const part *what = &now->parts[now->order[i]];
        self->status = do_part(waves->run, what, waves->step, &self->outcome, &self->err);
        if (!self->status && self->outcome.end == TAKT_STEP_DONE) continue;
        self->i_part = now->order[i];
        return;
    }
}

// The end of the wave is that of its first part in the order of the plan, as if there were one thread.
static takt_status judge(const takt_waves *waves, takt_outcome *outcome, takt_error *err)
{
    const worker *first = NULL;
    bool is_unconverged = false;
    for (int i = 0; i < waves->n_threads; i++) {
        const worker *other = &waves->workers[i];
        is_unconverged |= other->outcome.is_unconverged;
        if (other->i_part >= 0 && (!first || other->i_part < first->i_part)) first = other;
    }
    if (!first) {
        outcome->is_unconverged |= is_unconverged;
        return TAKT_OK;
    }
    *outcome = first->outcome;
    if (first->status && err) *err = first->err;
    return first->status;
}

// Parts by themselves leave to the end what Jacobi blocks do after their members.
static takt_status end_blocks(takt_run *run, const wave *now, const takt_step_plan *step,
                              takt_outcome *outcome, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < now->n_blocks && !st && outcome->end == TAKT_STEP_DONE; i++) {
        takt_run_block *block = &run->blocks[now->blocks[i]];
        if (block->algorithm == TAKT_ALGORITHM_JACOBI)
            st = takt_jacobi_end(run, block, step, outcome, err);
    }
    return st;
}

static takt_status advance_parallel(takt_run *run, wave *now, const takt_step_plan *step,
                                    takt_outcome *outcome, takt_error *err)
{
    takt_waves *waves = run->waves;
    waves->run = run;
    waves->now = now;
    waves->step = step;
    takt_pool_run(waves->pool, work, waves);
    run->n_parallel++;
    takt_status st = judge(waves, outcome, err);
    return st ? st : end_blocks(run, now, step, outcome, err);
}

static takt_status advance_serial(takt_run *run, const wave *now, const takt_step_plan *step,
                                  takt_outcome *outcome, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < now->n_blocks && !st && outcome->end == TAKT_STEP_DONE; i++)
        st = takt_run_advance_block(run, &run->blocks[now->blocks[i]], step, outcome, err);
    return st;
}

// The same part by part, and how long each of them takes.
static takt_status measure_serial(takt_run *run, wave *now, const takt_step_plan *step,
                                  takt_outcome *outcome, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < now->n_parts && !st && outcome->end == TAKT_STEP_DONE; i++) {
        part *what = &now->parts[i];
        uint64_t begin = takt_ticks();
        st = do_part(run, what, step, outcome, err);
        uint64_t ticks = takt_ticks() - begin;
        if (ticks < what->ticks) what->ticks = ticks;
    }
    return st ? st : end_blocks(run, now, step, outcome, err);
}

// ---- choosing a way --------------------------------------------------------------------------------

static double ticks_per_second(const takt_run *run)
{
    double seconds = takt_clock() - run->first_clock;
    return seconds > 0 ? (double)(takt_ticks() - run->first_tick) / seconds : 1e9;
}

static void go(wave *which, way next, int64_t n_steps)
{
    which->way = next;
    which->n_left = n_steps;
}

static void go_on(wave *which, way next)
{
    go(which, next, which->period);
    if (which->period < LAST_PERIOD) which->period *= 2;
}

// After the serial trials: is it worth while to try threads?
static void judge_serial(takt_run *run, wave *which)
{
    takt_waves *waves = run->waves;
    uint64_t busiest = share(waves, which);
    double gain = (double)which->serial - (double)busiest;
    bool is_worth_it = gain > MIN_GAIN * ticks_per_second(run);
    takt_error err;
    if (is_worth_it && takt_pool_start(waves->pool, &err)) {
        takt_log_write(run->log, TAKT_LEVEL_WARN, "steps are made one after the other: %s",
                       err.message);
        run->steps_in_waves = false;
        is_worth_it = false;
    }
    if (is_worth_it)
        go(which, TRY_PARALLEL, N_TRIALS);
    else
        go_on(which, SERIAL);
}

static void begin_trials(wave *which)
{
    which->serial = which->parallel = UINT64_MAX;
    for (int i = 0; i < which->n_parts; i++) which->parts[i].ticks = UINT64_MAX;
    go(which, TRY_SERIAL, N_TRIALS);
}

static void choose_way(takt_run *run, wave *which)
{
    switch (which->way) {
    case TRY_SERIAL: judge_serial(run, which); break;
    case TRY_PARALLEL:
        go_on(which,
              (double)which->parallel < MIN_RATIO * (double)which->serial ? PARALLEL : SERIAL);
        break;
    case SERIAL:
    case PARALLEL: begin_trials(which); break;
    }
}

static takt_status advance_wave(takt_run *run, wave *now, const takt_step_plan *step,
                                takt_outcome *outcome, takt_error *err)
{
    if (now->n_parts < 2) return advance_serial(run, now, step, outcome, err);
    if (run->waves->is_forced) return advance_parallel(run, now, step, outcome, err);
    if (now->n_left-- == 0) {
        choose_way(run, now);
        now->n_left--;
    }
    if (now->way == SERIAL) return advance_serial(run, now, step, outcome, err);
    if (now->way == PARALLEL) return advance_parallel(run, now, step, outcome, err);
    uint64_t begin = takt_ticks();
    bool is_serial = now->way == TRY_SERIAL;
    takt_status st = (is_serial ? measure_serial : advance_parallel)(run, now, step, outcome, err);
    uint64_t ticks = takt_ticks() - begin, *best = is_serial ? &now->serial : &now->parallel;
    if (ticks < *best) *best = ticks;
    return st;
}

takt_status takt_waves_advance(takt_run *run, const takt_step_plan *step, takt_outcome *outcome,
                               takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < run->waves->n_waves && !st && outcome->end == TAKT_STEP_DONE; i++)
        st = advance_wave(run, &run->waves->waves[i], step, outcome, err);
    return st;
}

// ---- life ------------------------------------------------------------------------------------------

static bool is_tied(const takt_settings *settings, const char *name)
{
    for (int i = 0; i < settings->one_thread.n_items; i++)
        if (takt_glob_matches(settings->one_thread.items[i], name)) return true;
    return false;
}

static bool allocate(takt_waves *waves, const takt_plan *plan)
{
    takt_arena *arena = &waves->arena;
    size_t n = (size_t)plan->system->n_components, n_levels = (size_t)plan->n_levels;
    size_t n_threads = (size_t)waves->n_threads;
    waves->is_tied = takt_arena_array(arena, n, sizeof *waves->is_tied);
    waves->first = takt_arena_array(arena, n_levels + 1, sizeof *waves->first);
    waves->blocks = takt_arena_array(arena, n, sizeof *waves->blocks);
    waves->parts = takt_arena_array(arena, n, sizeof *waves->parts);
    waves->sorted = takt_arena_array(arena, n, sizeof *waves->sorted);
    waves->order = takt_arena_array(arena, n, sizeof *waves->order);
    waves->thread_of = takt_arena_array(arena, n, sizeof *waves->thread_of);
    waves->firsts = takt_arena_array(arena, n_levels, (n_threads + 1) * sizeof *waves->firsts);
    waves->waves = takt_arena_array(arena, n_levels, sizeof *waves->waves);
    waves->workers = takt_arena_array(arena, n_threads, sizeof *waves->workers);
    return waves->is_tied && waves->first && waves->blocks && waves->parts && waves->sorted &&
           waves->order && waves->thread_of && waves->firsts && waves->waves && waves->workers;
}

takt_status takt_waves_create(takt_run *run, takt_error *err)
{
    const takt_system *system = run->plan->system;
    const takt_settings *settings = &system->settings;
    int64_t n_threads = settings->jobs > 0 ? settings->jobs : takt_pool_processors();
    if (n_threads > system->n_components) n_threads = system->n_components;
    if (n_threads < 2) return TAKT_OK;
    run->waves = calloc(1, sizeof *run->waves);
    if (!run->waves) return takt_fail_memory(err);
    run->waves->n_threads = (int)n_threads;
    run->waves->pool = takt_pool_create((int)n_threads);
    if (!run->waves->pool || !allocate(run->waves, run->plan)) return takt_fail_memory(err);
    for (int i = 0; i < system->n_components; i++)
        run->waves->is_tied[i] = is_tied(settings, system->components[i].name);
    takt_waves_arrange(run);
    return TAKT_OK;
}

void takt_waves_destroy(takt_run *run)
{
    if (!run->waves) return;
    if (run->n_parallel > 0)
        takt_log_write(run->log, TAKT_LEVEL_INFO, "%d threads have stepped instances side by side",
                       run->waves->n_threads);
    takt_pool_destroy(run->waves->pool);
    takt_arena_clear(&run->waves->arena);
    free(run->waves);
    run->waves = NULL;
}
