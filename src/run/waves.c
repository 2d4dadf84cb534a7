// SPDX-License-Identifier: MIT
// Parallel stepping; see waves.h.
#include "run/waves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/pool.h"
#include "run/advance.h"
#include "run/algorithm.h"
#include "run/control.h"
#include "run/derivatives.h"
#include "run/pass.h"

enum {
    N_TRIALS = 4, // steps of each way that are measured; the quickest counts
    FIRST_PERIOD = 64, // steps until the next trials; doubles each time
    LAST_PERIOD = 8192,
};

static const double MIN_GAIN = 3e-6; // s per wave; what handing work to threads costs at least
static const double MIN_RATIO = 0.95; // of parallel to serial time; below it threads pay

// The next trials come early when steps have taken this many times as long as in the last ones, and at
// least so long.
static const double MAX_SLOWDOWN = 4, MIN_TIME = 10e-3; // s

// A piece of work: a member of a simultaneous block, or a whole block.
typedef struct task {
    bool is_block;
    bool is_tied; // to the caller's thread
    bool is_split; // one instance that steps in two phases: it needs no thread
    bool is_begun; // between the phases
    int index; // of the instance or block
    uint64_t ticks; // of its quickest step
    uint64_t begin; // tick at which the first phase began
} task;

typedef struct wave {
    const int *blocks; // those of the wave, in the order of the plan
    int n_blocks;
    task *tasks; // in the order of the plan
    int n_tasks;
    int *order; // of tasks: by thread, then as in the plan
    int *first; // per thread, its first place in `order`; one more at the end
    bool is_parallel;
    bool
        is_settled; // there is nothing to try: no thread could help, and instances that compute elsewhere do so at once
    uint64_t serial, parallel; // ticks of the quickest trial that came to its end
} wave;

typedef enum phase { PLAIN, TRY_SERIAL, TRY_PARALLEL, IN_WAVES, FORCED } phase;

// What one thread has come to.
typedef struct worker {
    uint64_t ticks; // of its tasks, while they are assigned
    int i_task; // that did not simply reach the end of the step; -1: none
    takt_status status;
    takt_outcome outcome;
    takt_error err;
} worker;

typedef struct takt_waves {
    takt_waves_turn turn; // must be the first
    takt_arena arena;
    takt_pool *pool; // its threads are made when they are first needed
    int n_threads;
    bool has_used_threads;
    phase phase;
    int64_t n_left; // steps in waves until the next phase
    int64_t period; // steps between trials
    int *first; // per level, its first place in `blocks`
    int *blocks; // sorted by level
    task *tasks; // of all waves
    int *order; // likewise
    int *firsts; // likewise
    const task **sorted; // for sharing
    int *thread_of; // likewise
    wave *waves;
    int n_waves;
    worker *
        workers; // per thread; then for the tasks that need none the first unusual and the first failed

    takt_waves_work special; // advance: NULL: blocks do what their algorithms do

    takt_run *run; // what the threads are working on
    const wave *now;
    const takt_step *step;
} takt_waves;

// ---- sharing the work ------------------------------------------------------------------------------

static int compare_ticks(const void *a, const void *b)
{
    uint64_t left = (*(const task *const *)a)->ticks, right = (*(const task *const *)b)->ticks;
    return left < right ? 1 : left > right ? -1 : 0;
}

static int least_busy(const takt_waves *waves)
{
    int least = 0;
    for (int i = 1; i < waves->n_threads; i++)
        if (waves->workers[i].ticks < waves->workers[least].ticks) least = i;
    return least;
}

// The order in which threads find their tasks, from thread_of.
static void sort_by_thread(const takt_waves *waves, wave *of, const int *thread_of)
{
    int place = 0;
    for (int t = 0; t < waves->n_threads; t++) {
        of->first[t] = place;
        for (int i = 0; i < of->n_tasks; i++)
            if (thread_of[i] == t) of->order[place++] = i;
    }
    of->first[waves->n_threads] = place;
}

// Gives the longest tasks away first, each to the thread that has least to do so far. Returns what the
// busiest thread then has to do, in ticks.
static uint64_t share(takt_waves *waves, wave *of)
{
    int *thread_of = waves->thread_of;
    const task **sorted = waves->sorted;
    uint64_t most = 0;
    for (int i = 0; i < waves->n_threads; i++) waves->workers[i].ticks = 0;
    for (int i = 0; i < of->n_tasks; i++) {
        sorted[i] = &of->tasks[i];
        if (of->tasks[i].is_tied && !of->tasks[i].is_split)
            waves->workers[0].ticks += of->tasks[i].ticks;
    }
    qsort(sorted, (size_t)of->n_tasks, sizeof *sorted, compare_ticks);
    for (int i = 0; i < of->n_tasks; i++) {
        const task *next = sorted[i];
        int thread = next->is_split ? -1 : next->is_tied ? 0 : least_busy(waves);
        if (!next->is_split && !next->is_tied) waves->workers[thread].ticks += next->ticks;
        thread_of[next - of->tasks] = thread; // -1: none
    }
    for (int i = 0; i < waves->n_threads; i++)
        if (waves->workers[i].ticks > most) most = waves->workers[i].ticks;
    sort_by_thread(waves, of, thread_of);
    return most;
}

// ---- arranging -------------------------------------------------------------------------------------

static bool is_all_simultaneous(const takt_run *run)
{
    if (run->waves->special.advance) return false;
    for (int i = 0; i < run->plan->n_blocks; i++)
        if (!takt_block_is_simultaneous(&run->work.blocks[i])) return false;
    return true;
}

// Of steps by prediction each block is a task.
static void add_special_task(const takt_run *run, wave *to, int i_block)
{
    const takt_block *block = &run->plan->blocks[i_block];
    bool is_tied = run->waves->special.is_tied[i_block];
    for (int k = 0; k < block->n_members; k++)
        is_tied |= run->plan->system->components[block->members[k]].in_one_thread;
    to->tasks[to->n_tasks++] = (task){.is_block = true,
                                      .index = i_block,
                                      .is_tied = is_tied,
                                      .is_split = run->waves->special.is_split[i_block],
                                      .ticks = 1};
}

static void add_tasks(const takt_run *run, wave *to, int i_block)
{
    const takt_run_block *block = &run->work.blocks[i_block];
    if (run->waves->special.advance) {
        add_special_task(run, to, i_block);
        return;
    }
    bool is_simultaneous = takt_block_is_simultaneous(block), is_tied = false, is_split = false;
    for (int k = 0; k < block->plan->n_members; k++) {
        int member = block->plan->members[k];
        bool is_own_tied = run->plan->system->components[member].in_one_thread;
        is_tied |= is_own_tied;
        is_split = takt_run_has_two_phases(run, member);
        if (is_simultaneous && !run->work.instances[member].is_function)
            to->tasks[to->n_tasks++] =
                (task){.index = member, .is_tied = is_own_tied, .is_split = is_split, .ticks = 1};
    }
    if (is_simultaneous) return;
    is_split = is_split && block->plan->n_members == 1 && block->use->type->is_pass;
    to->tasks[to->n_tasks++] = (task){
        .is_block = true, .index = i_block, .is_tied = is_tied, .is_split = is_split, .ticks = 1};
}

// Have only instances that compute elsewhere a choice?
static bool needs_no_trials(const takt_waves *waves, const wave *of)
{
    int n_split = 0;
    for (int i = 0; i < of->n_tasks; i++) n_split += of->tasks[i].is_split;
    return of->n_tasks > 1 && n_split > 0 && (waves->n_threads == 1 || n_split == of->n_tasks);
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

// Inputs that move within a step need the derivatives of other instances, unless these were gathered before
// the step, and an event of any instance makes their past void: neither may be done by two threads at once.
static bool has_event_mode(const takt_run *run)
{
    for (int i = 0; i < run->work.n_instances; i++)
        if (run->work.instances[i].instance->model->can.events) return true;
    return false;
}

void takt_waves_arrange(takt_run *run)
{
    takt_waves *waves = run->waves;
    if (!waves) return;
    const takt_plan *plan = run->plan;
    sort_by_level(plan, waves->first, waves->blocks);
    bool is_one = is_all_simultaneous(run), is_useful = false;
    task *tasks = waves->tasks;
    waves->n_waves = is_one ? 1 : plan->n_levels;
    for (int i = 0; i < waves->n_waves; i++) {
        int first = is_one ? 0 : waves->first[i];
        int end = is_one ? plan->n_blocks : waves->first[i + 1];
        wave *next = &waves->waves[i];
        *next = (wave){.blocks = waves->blocks + first,
                       .n_blocks = end - first,
                       .tasks = tasks,
                       .order = waves->order + (tasks - waves->tasks),
                       .first = waves->firsts + i * (waves->n_threads + 1)};
        for (int k = first; k < end; k++) add_tasks(run, next, waves->blocks[k]);
        tasks += next->n_tasks;
        is_useful |= next->n_tasks > 1;
        next->is_settled = needs_no_trials(waves, next);
        next->is_parallel = next->is_settled || (waves->phase == FORCED && next->n_tasks > 1);
        if (next->is_parallel) share(waves, next);
    }
    if (run->derivatives && (!is_one || has_event_mode(run))) is_useful = false;
    run->waves->turn.n_plain = is_useful ? 0 : INT64_MAX;
    run->waves->turn.trials_due = UINT64_MAX;
    if (waves->phase != FORCED) waves->phase = PLAIN;
    waves->period = FIRST_PERIOD;
}

takt_status takt_waves_force(takt_run *run, takt_error *err)
{
    if (!run->waves) return TAKT_OK;
    run->waves->phase = FORCED;
    takt_waves_arrange(run);
    return takt_pool_start(run->waves->pool, err);
}

// ---- doing the work --------------------------------------------------------------------------------

static takt_status do_task(takt_run *run, const task *what, const takt_step *step,
                           takt_outcome *outcome, takt_error *err)
{
    const takt_waves_work *special = &run->waves->special;
    if (special->advance) {
        special->advance(special->context, what->index);
        return TAKT_OK;
    }
    if (!what->is_block) return takt_run_advance_instance(run, what->index, step, outcome, err);
    takt_run_block *block = &run->work.blocks[what->index];
    block->n_sweeps_before = block->n_sweeps;
    if (block->use->type->is_pass) return takt_pass_alone(run, block, step, outcome, err);
    return block->use->type->advance(run, block, step, outcome, err);
}

static void reset(worker *self)
{
    self->status = TAKT_OK;
    self->outcome = (takt_outcome){.end = TAKT_STEP_DONE};
    self->i_task = -1;
}

// Says which thread calls the instances of a task, for those who watch; 0: that of the run.
static void note_thread(const takt_run *run, const task *what, uint64_t thread)
{
    if (!what->is_block) {
        atomic_store(&run->work.instances[what->index].instance->thread, thread);
        return;
    }
    const takt_block *block = run->work.blocks[what->index].plan;
    for (int i = 0; i < block->n_members; i++)
        atomic_store(&run->work.instances[block->members[i]].instance->thread, thread);
}

// What a thread does: its tasks, up to the first that does not reach the end of the step.
static void work(void *context, int i_thread)
{
    const takt_waves *waves = context;
    const wave *now = waves->now;
    worker *self = &waves->workers[i_thread];
    reset(self);
    for (int i = now->first[i_thread]; i < now->first[i_thread + 1]; i++) {
        const task *what = &now->tasks[now->order[i]];
        if (i_thread) note_thread(waves->run, what, takt_thread_id());
        self->status = do_task(waves->run, what, waves->step, &self->outcome, &self->err);
        if (i_thread) note_thread(waves->run, what, 0);
        if (!self->status && self->outcome.end == TAKT_STEP_DONE) continue;
        self->i_task = now->order[i];
        return;
    }
}

// Have other threads than that of the caller something to do?
static bool needs_threads(const takt_waves *waves, const wave *now)
{
    return now->first[1] < now->first[waves->n_threads];
}

static void share_out(takt_waves *waves, const wave *now)
{
    if (needs_threads(waves, now)) {
        waves->has_used_threads = true;
        takt_pool_run(waves->pool, work, waves);
        return;
    }
    for (int i = 1; i < waves->n_threads; i++) reset(&waves->workers[i]);
    work(waves, 0);
}

// The instance of a task that is split.
static int instance_of(const takt_run *run, const task *what)
{
    return what->is_block ? run->work.blocks[what->index].plan->members[0] : what->index;
}

static takt_status begin_task(takt_run *run, task *what, const takt_step *step, takt_error *err)
{
    int i = instance_of(run, what);
    takt_status st = what->is_block ? takt_run_gather_for_step(run, i, step, err) : TAKT_OK;
    if (!st) st = takt_run_advance_begin(run, i, step, &what->begin, err);
    what->is_begun = !st;
    return st;
}

// The first phase of all steps that have two: from then on these instances compute elsewhere.
static void begin_split(takt_waves *waves, const wave *now, const takt_step *step)
{
    worker *self = &waves->workers[waves->n_threads], *failed = self + 1;
    const takt_waves_work *special = &waves->special;
    reset(self);
    reset(failed);
    for (int i = 0; i < now->n_tasks && failed->i_task < 0; i++) {
        if (!now->tasks[i].is_split) continue;
        if (special->advance) {
            now->tasks[i].is_begun = special->begin(special->context, now->tasks[i].index);
            continue;
        }
        failed->status = begin_task(waves->run, &now->tasks[i], step, &failed->err);
        if (failed->status) failed->i_task = i;
    }
    for (int i = 0; i < now->n_tasks; i++) {
        if (!now->tasks[i].is_begun) continue;
        takt_instance *instance =
            waves->run->work.instances[instance_of(waves->run, &now->tasks[i])].instance;
        if (instance->type->depart) instance->type->depart(instance);
    }
}

// The other phases of steps by prediction: each goes on in turn, so that all compute at the same time.
static void end_special(const takt_waves *waves, const wave *now)
{
    const takt_waves_work *special = &waves->special;
    for (bool is_any = true; is_any;) {
        is_any = false;
        for (int i = 0; i < now->n_tasks; i++) {
            task *what = &now->tasks[i];
            if (what->is_begun) what->is_begun = special->go_on(special->context, what->index);
            is_any |= what->is_begun;
        }
    }
}

// The second phase, of all that have begun, whatever became of the others.
static void end_split(takt_waves *waves, const wave *now, const takt_step *step)
{
    worker *self = &waves->workers[waves->n_threads], *failed = self + 1;
    for (int i = 0; i < now->n_tasks; i++) {
        task *what = &now->tasks[i];
        if (!what->is_begun) continue;
        worker own = {.i_task = i, .outcome = {.end = TAKT_STEP_DONE}};
        own.status = takt_run_advance_end(waves->run, instance_of(waves->run, what), step,
                                          what->begin, &own.outcome, &own.err);
        what->is_begun = false;
        if (what->is_block) waves->run->work.blocks[what->index].n_sweeps++;
        bool has_requests = self->outcome.has_requests | own.outcome.has_requests;
        if (own.status && (failed->i_task < 0 || i < failed->i_task)) *failed = own;
        if (!own.status && own.outcome.end != TAKT_STEP_DONE && self->i_task < 0) *self = own;
        self->outcome.has_requests = has_requests;
    }
}

// Has an instance of this task returned an error? Then it cannot be called again, nor go back.
static bool is_broken(const takt_run *run, const task *what)
{
    if (!what->is_block) return run->work.instances[what->index].has_failed;
    const takt_block *block = run->work.blocks[what->index].plan;
    for (int i = 0; i < block->n_members; i++)
        if (run->work.instances[block->members[i]].has_failed) return true;
    return false;
}

// The worker with the first task in the order of the plan that did not reach the end of the step, of all tasks
// or of the broken ones; NULL: there is none.
static const worker *find_first(const takt_run *run, const wave *now, bool only_broken)
{
    const worker *first = NULL;
    for (int i = 0; i < run->waves->n_threads + 2; i++) {
        const worker *other = &run->waves->workers[i];
        if (other->i_task < 0 || (first && first->i_task < other->i_task)) continue;
        if (!only_broken || is_broken(run, &now->tasks[other->i_task])) first = other;
    }
    return first;
}

// The end of the wave is that of its first task in the order of the plan, as if there were one thread; but an
// attempt cannot be repeated when a task that one thread would not have reached is broken. What instances
// request is kept of all that were stepped.
static takt_status judge(const takt_run *run, const wave *now, takt_outcome *outcome,
                         takt_error *err)
{
    const takt_waves *waves = run->waves;
    bool has_requests = outcome->has_requests;
    for (int i = 0; i < waves->n_threads + 2; i++) {
        const takt_outcome *own = &waves->workers[i].outcome;
        outcome->is_unconverged |= own->is_unconverged;
        outcome->is_unchecked |= own->is_unchecked;
        if (!outcome->loop) outcome->loop = own->loop;
        outcome->norm = fmax(outcome->norm, own->norm);
        has_requests |= waves->workers[i].outcome.has_requests;
    }
    const worker *first = find_first(run, now, false), *broken = NULL;
    if (first && takt_control_reduces_steps(run) && first->outcome.end != TAKT_STEP_TERMINATED)
        broken = find_first(run, now, true);
    if (broken) first = broken;
    if (first) *outcome = first->outcome;
    outcome->has_requests = has_requests;
    if (first && first->status && err) *err = first->err;
    return first ? first->status : TAKT_OK;
}

static takt_status do_parallel(takt_run *run, wave *now, const takt_step *step,
                               takt_outcome *outcome, takt_error *err)
{
    takt_waves *waves = run->waves;
    waves->run = run;
    waves->now = now;
    waves->step = step;
    uint64_t begin = takt_ticks();
    begin_split(waves, now, step);
    share_out(waves, now);
    if (waves->special.advance)
        end_special(waves, now);
    else
        end_split(waves, now, step);
    uint64_t ticks = takt_ticks() - begin;
    run->counts.n_parallel++;
    takt_status st = judge(run, now, outcome, err);
    if (!st && outcome->end == TAKT_STEP_DONE && ticks < now->parallel) now->parallel = ticks;
    return st;
}

static takt_status do_serial(takt_run *run, wave *now, const takt_step *step, takt_outcome *outcome,
                             takt_error *err)
{
    takt_status st = TAKT_OK;
    uint64_t begin = takt_ticks(), total = 0;
    for (int i = 0; i < now->n_tasks && !st && outcome->end == TAKT_STEP_DONE; i++) {
        task *what = &now->tasks[i];
        st = do_task(run, what, step, outcome, err);
        uint64_t ticks = takt_ticks() - begin - total;
        if (ticks < what->ticks) what->ticks = ticks;
        total += ticks;
    }
    if (!st && outcome->end == TAKT_STEP_DONE && total < now->serial) now->serial = total;
    return st;
}

// Members by themselves leave to the end what Jacobi blocks do after them.
static takt_status end_blocks(takt_run *run, const wave *now, const takt_step *step,
                              takt_outcome *outcome, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < now->n_blocks && !st && outcome->end == TAKT_STEP_DONE; i++) {
        takt_run_block *block = &run->work.blocks[now->blocks[i]];
        if (!takt_block_is_simultaneous(block)) continue;
        st = takt_pass_functions(run, block->plan, step, outcome, err);
        block->n_sweeps++;
    }
    return st;
}

takt_status takt_waves_advance(takt_run *run, const takt_step *step, takt_outcome *outcome,
                               takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < run->waves->n_waves && !st && outcome->end == TAKT_STEP_DONE; i++) {
        wave *now = &run->waves->waves[i];
        st = (now->is_parallel ? do_parallel : do_serial)(run, now, step, outcome, err);
        if (!st) st = end_blocks(run, now, step, outcome, err);
    }
    return st;
}

void takt_waves_use(takt_run *run, const takt_waves_work *work)
{
    if (!run->waves) return;
    run->waves->special = *work;
    takt_waves_arrange(run);
}

void takt_waves_advance_level(takt_run *run, int level)
{
    wave *now = &run->waves->waves[level];
    takt_outcome outcome = {
        .end = TAKT_STEP_DONE}; // that of every task, whose own end is kept elsewhere
    (now->is_parallel ? do_parallel : do_serial)(run, now, NULL, &outcome, NULL);
}

// ---- choosing --------------------------------------------------------------------------------------

static double ticks_per_second(const takt_run *run)
{
    double seconds = takt_clock() - run->counts.first_clock;
    return seconds > 0 ? (double)(takt_ticks() - run->counts.first_tick) / seconds : 1e9;
}

static void begin_trials(takt_waves *waves)
{
    for (int i = 0; i < waves->n_waves; i++) {
        wave *which = &waves->waves[i];
        which->is_parallel = which->is_settled;
        which->serial = which->parallel = UINT64_MAX;
        for (int k = 0; k < which->n_tasks; k++) which->tasks[k].ticks = UINT64_MAX;
    }
}

// After the serial trials: which waves are worth a trial with threads?
static bool find_candidates(takt_run *run)
{
    takt_waves *waves = run->waves;
    double min_gain = MIN_GAIN * ticks_per_second(run);
    bool is_any = false, has_work = false; // for threads
    for (int i = 0; i < waves->n_waves; i++) {
        wave *which = &waves->waves[i];
        is_any |= which->is_settled;
        if (which->is_settled || which->n_tasks < 2 || which->serial == UINT64_MAX) continue;
        double busiest = (double)share(waves, which);
        which->is_parallel = (double)which->serial - busiest > min_gain;
        is_any |= which->is_parallel;
        has_work |= which->is_parallel && needs_threads(waves, which);
    }
    takt_error err;
    if (!has_work || !takt_pool_start(waves->pool, &err)) return is_any;
    takt_log_write(run->log, TAKT_LEVEL_WARN, "steps are made one after the other: %s",
                   err.message);
    waves->period = INT64_MAX;
    return false;
}

// After the trials with threads: which waves gained?
static bool find_winners(takt_waves *waves)
{
    bool is_any = false;
    for (int i = 0; i < waves->n_waves; i++) {
        wave *which = &waves->waves[i];
        bool is_faster = (double)which->parallel < MIN_RATIO * (double)which->serial;
        which->is_parallel = which->is_settled || (which->is_parallel && is_faster);
        is_any |= which->is_parallel;
    }
    return is_any;
}

static bool go(takt_waves *waves, phase next, int64_t n_steps)
{
    waves->phase = next;
    waves->n_left = n_steps - 1; // this one is made now
    return true;
}

// When steps have become so slow that their cost must be another one, on the clock of master_ticks.
static uint64_t find_deadline(const takt_run *run, int64_t n_steps)
{
    double ticks = 0; // per step
    for (int i = 0; i < run->waves->n_waves; i++) {
        const wave *which = &run->waves->waves[i];
        uint64_t least = which->is_parallel ? which->parallel : which->serial;
        if (least < UINT64_MAX) ticks += (double)least;
    }
    ticks = MAX_SLOWDOWN * ticks * (double)n_steps + MIN_TIME * ticks_per_second(run);
    return run->counts.master_ticks + (uint64_t)fmin(ticks, 1e18);
}

// Goes on in the way that was found, until the trials are to be repeated.
static bool go_on(takt_run *run, bool in_waves)
{
    takt_waves *waves = run->waves;
    int64_t period = waves->period;
    run->waves->turn.trials_due = period < INT64_MAX ? find_deadline(run, period) : UINT64_MAX;
    if (waves->period < LAST_PERIOD) waves->period *= 2;
    if (in_waves) return go(waves, IN_WAVES, period);
    waves->phase = PLAIN;
    run->waves->turn.n_plain = period; // with this one
    return false;
}

bool takt_waves_choose(takt_run *run)
{
    takt_waves *waves = run->waves;
    run->waves->turn.n_plain = 0; // ask again
    if (run->step_log) return false;
    bool is_late = run->counts.master_ticks > run->waves->turn.trials_due;
    if (waves->phase == FORCED || (waves->phase != PLAIN && waves->n_left-- > 0 && !is_late))
        return true;
    switch (waves->phase) {
    case TRY_SERIAL:
        return find_candidates(run) ? go(waves, TRY_PARALLEL, N_TRIALS) : go_on(run, false);
    case TRY_PARALLEL: return go_on(run, find_winners(waves));
    default:
        begin_trials(waves);
        run->waves->turn.trials_due = UINT64_MAX;
        return go(waves, TRY_SERIAL, N_TRIALS);
    }
}

// ---- life ------------------------------------------------------------------------------------------

static bool allocate(takt_waves *waves, const takt_plan *plan)
{
    takt_arena *arena = &waves->arena;
    size_t n = (size_t)plan->system->n_components, n_levels = (size_t)plan->n_levels;
    size_t n_threads = (size_t)waves->n_threads;
    waves->first = takt_arena_array(arena, n_levels + 1, sizeof *waves->first);
    waves->blocks = takt_arena_array(arena, n, sizeof *waves->blocks);
    waves->tasks = takt_arena_array(arena, n, sizeof *waves->tasks);
    waves->sorted = takt_arena_array(arena, n, sizeof *waves->sorted);
    waves->order = takt_arena_array(arena, n, sizeof *waves->order);
    waves->thread_of = takt_arena_array(arena, n, sizeof *waves->thread_of);
    waves->firsts = takt_arena_array(arena, n_levels, (n_threads + 1) * sizeof *waves->firsts);
    waves->waves = takt_arena_array(arena, n_levels, sizeof *waves->waves);
    waves->workers = takt_arena_array(arena, n_threads + 2, sizeof *waves->workers);
    return waves->first && waves->blocks && waves->tasks && waves->sorted && waves->order &&
           waves->thread_of && waves->firsts && waves->waves && waves->workers;
}

// Instances that step in two phases compute side by side even without threads.
static bool has_two_phases(const takt_run *run)
{
    for (int i = 0; i < run->work.n_instances; i++)
        if (takt_run_has_two_phases(run, i)) return true;
    return false;
}

takt_status takt_waves_create(takt_run *run, takt_error *err)
{
    const takt_system *system = run->plan->system;
    const takt_settings *settings = &system->settings;
    int64_t n_threads = settings->jobs > 0 ? settings->jobs : takt_pool_processors();
    if (n_threads > system->n_components) n_threads = system->n_components;
    if (n_threads < 2 && !has_two_phases(run)) return TAKT_OK;
    run->waves = calloc(1, sizeof *run->waves);
    if (!run->waves) return takt_fail_memory(err);
    run->waves->n_threads = (int)n_threads;
    run->waves->pool = takt_pool_create((int)n_threads);
    if (!run->waves->pool || !allocate(run->waves, run->plan)) return takt_fail_memory(err);
    takt_waves_arrange(run);
    return TAKT_OK;
}

void takt_waves_destroy(takt_run *run)
{
    if (!run->waves) return;
    if (run->waves->has_used_threads)
        takt_log_write(run->log, TAKT_LEVEL_INFO, "%d threads have stepped instances side by side",
                       run->waves->n_threads);
    takt_pool_destroy(run->waves->pool);
    takt_arena_clear(&run->waves->arena);
    free(run->waves);
    run->waves = NULL;
}
