// SPDX-License-Identifier: MIT
// Trial runs; see trial.h.
#include "advise/trial.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/times.h"
#include "run/master.h"

// A step that is this much shorter than those before it was made to enclose a jump: `auto` encloses jumps within
// less, and no difficulty of another kind needs as much. Its values jump if they change by many tolerances, and much
// faster than in the step before.
static const double ENCLOSING = 1e-3, JUMP = 100, FASTER = 10;

enum { N_BEFORE = 8 }; // steps before it

// What a trial needs while it runs.
typedef struct trial_work {
    takt_run *run;
    takt_trial *trial;
    const takt_trial_setup *setup;
    double *before, *now; // values
    double *rates; // 1/s; of their change in the step before
    int64_t *integers; // per value of y of this kind
    double sizes[N_BEFORE]; // s; of the latest steps
    int64_t next_point; // number of the step after which values are kept
} trial_work;

static int count_values(const takt_plan *plan)
{
    int n = 0;
    for (int i = 0; i < plan->system->n_components; i++)
        n += plan->instances[i].outputs.n_values[TAKT_KIND_REAL];
    return n;
}

static void read_values(const takt_run *run, double *out)
{
    for (int i = 0; i < run->work.n_instances; i++) {
        const takt_run_instance *at = &run->work.instances[i];
        size_t n = (size_t)at->plan->outputs.n_values[TAKT_KIND_REAL];
        memcpy(out, at->outputs.real, n * sizeof *out);
        out += n;
    }
}

// ---- after each step -----------------------------------------------------------------------------------

static bool encloses_jump(const trial_work *work, double h)
{
    double longest = 0;
    for (int i = 0; i < N_BEFORE; i++) longest = fmax(longest, work->sizes[i]);
    return h < ENCLOSING * longest;
}

static void note_jumps(trial_work *work, double h)
{
    takt_trial *trial = work->trial;
    double least = JUMP * work->run->plan->system->settings.tolerance;
    bool is_enclosing = encloses_jump(work, h);
    for (int i = 0; i < trial->n_values; i++) {
        double change = fabs(work->now[i] - work->before[i]);
        bool is_large = change > least * trial->scales[i] && change > FASTER * h * work->rates[i];
        if (is_enclosing && is_large) trial->n_jumps[i]++;
        work->rates[i] = change / h;
    }
    memmove(work->sizes + 1, work->sizes, (N_BEFORE - 1) * sizeof *work->sizes);
    work->sizes[0] = h;
}

// Changes of integers, truth values and enumerations.
static void note_changes(trial_work *work)
{
    const takt_run *run = work->run;
    for (int i = 0; i < run->work.n_instances; i++) {
        const takt_plan_instance *plan = &run->plan->instances[i];
        int first = plan->first_output[TAKT_KIND_INTEGER];
        for (int k = first; k < first + plan->outputs.n_values[TAKT_KIND_INTEGER]; k++) {
            work->trial->instances[i].n_changes += run->state.y.integer[k] != work->integers[k];
            work->integers[k] = run->state.y.integer[k];
        }
    }
}

static void keep_point(trial_work *work)
{
    takt_trial *trial = work->trial;
    trial->times[trial->n_points] = trial->t_end;
    memcpy(trial->values[trial->n_points++], work->now,
           (size_t)trial->n_values * sizeof *work->now);
}

// Points of its own are those after 4, 8, 16, ... steps; the last one is kept at the end.
static void note_point(trial_work *work)
{
    takt_trial *trial = work->trial;
    const takt_trial *like = work->setup->like;
    if (like) {
        // What the first trial had in between may have been left out by this one.
        while (trial->n_points < like->n_points &&
               takt_times_equal(like->times[trial->n_points], trial->t_end, trial->h_largest))
            keep_point(work);
    } else if (trial->n_steps == work->next_point && trial->n_points < TAKT_TRIAL_POINTS - 1) {
        work->next_point *= 2;
        keep_point(work);
    }
}

static void note_step(trial_work *work)
{
    takt_trial *trial = work->trial;
    double t = takt_run_time(work->run), h = t - trial->t_end;
    trial->t_end = t;
    trial->n_steps++;
    trial->h_largest = fmax(trial->h_largest, h);
    read_values(work->run, work->now);
    for (int i = 0; i < trial->n_values; i++)
        trial->scales[i] = fmax(trial->scales[i], fabs(work->now[i]));
    note_jumps(work, h);
    note_changes(work);
    memcpy(work->before, work->now, (size_t)trial->n_values * sizeof *work->now);
    note_point(work);
}

// ---- the trial -----------------------------------------------------------------------------------------

static void begin(trial_work *work)
{
    takt_trial *trial = work->trial;
    const takt_run *run = work->run;
    const takt_plan *plan = run->plan;
    trial->t_begin = trial->t_end = takt_run_time(run);
    trial->stop = takt_run_stop_time(run);
    work->next_point = 4;
    read_values(run, work->before);
    memcpy(work->integers, run->state.y.integer,
           (size_t)plan->n_outputs[TAKT_KIND_INTEGER] * sizeof *work->integers);
    for (int i = 0, n = 0; i < run->work.n_instances; i++) {
        const takt_model *model = plan->system->components[i].model;
        const takt_access *outputs = &plan->instances[i].outputs;
        for (int k = 0; k < outputs->n_values[TAKT_KIND_REAL]; k++, n++) {
            double nominal = takt_access_variable(outputs, model, TAKT_KIND_REAL, k)->nominal;
            trial->scales[n] = fmax(0.01 * fabs(nominal), fabs(work->before[n]));
        }
    }
}

static bool is_at_end(const trial_work *work)
{
    const takt_trial *trial = work->trial, *like = work->setup->like;
    if (trial->n_steps >= work->setup->max_steps || takt_clock() > work->setup->deadline)
        return true;
    return like && trial->n_points == like->n_points;
}

// At the points the visitor is called; there is a step before it, which tells a good size.
static takt_status step_to_end(trial_work *work, takt_error *err)
{
    takt_trial *trial = work->trial;
    takt_progress progress = TAKT_RUNNING;
    takt_status st = TAKT_OK;
    while (!st && progress == TAKT_RUNNING && !is_at_end(work)) {
        int n_points = trial->n_points;
        st = takt_run_step(work->run, &progress, err);
        if (st) break;
        note_step(work);
        bool is_visited = work->setup->visit && trial->n_points > n_points;
        if (is_visited && progress == TAKT_RUNNING &&
            !work->setup->visit(work->setup->context, work->run, trial))
            break;
    }
    if (!work->setup->like && trial->n_steps > 0) keep_point(work);
    return st;
}

static void note_statistics(trial_work *work)
{
    takt_statistics statistics = {.size = sizeof statistics};
    takt_run_statistics(work->run, &statistics, NULL);
    const takt_doubtful_steps *d = statistics.doubtful_steps;
    work->trial->wall = statistics.wall;
    work->trial->n_rejected = statistics.rejected;
    work->trial->n_doubtful =
        d->unconverged + d->below_fallback + d->at_step_min + d->not_iterated + d->event_alone;
    for (int i = 0; i < statistics.n_instances; i++)
        work->trial->instances[i].do_step = statistics.instances[i]->do_step;
}

static bool make_room(trial_work *work, const takt_plan *plan, takt_arena *arena)
{
    takt_trial *trial = work->trial;
    size_t n = (size_t)(trial->n_values = count_values(plan));
    trial->scales = takt_arena_array(arena, n, sizeof *trial->scales);
    trial->n_jumps = takt_arena_array(arena, n, sizeof *trial->n_jumps);
    trial->instances =
        takt_arena_array(arena, (size_t)plan->system->n_components, sizeof *trial->instances);
    double *room = takt_arena_array(arena, (TAKT_TRIAL_POINTS + 3) * n, sizeof *room);
    work->integers =
        takt_arena_array(arena, (size_t)plan->n_outputs[TAKT_KIND_INTEGER], sizeof *work->integers);
    if (!trial->scales || !trial->n_jumps || !trial->instances || !room || !work->integers)
        return false;
    for (int i = 0; i < TAKT_TRIAL_POINTS; i++) trial->values[i] = room + (size_t)i * n;
    work->before = room + TAKT_TRIAL_POINTS * n;
    work->now = work->before + n;
    work->rates = work->now + n;
    return true;
}

takt_status takt_trial_make(const takt_trial_setup *setup, takt_arena *arena, takt_trial *out,
                            takt_error *err)
{
    *out = (takt_trial){0};
    trial_work work = {.trial = out, .setup = setup};
    if (!make_room(&work, setup->plan, arena)) return takt_fail_memory(err);
    takt_status st =
        takt_run_make(setup->plan, &(takt_run_setup){.watch = setup->watch}, &work.run, err);
    if (st) return st;
    st = takt_run_initialize(work.run, &out->failure);
    if (!st) {
        begin(&work);
        st = step_to_end(&work, &out->failure);
    }
    out->failure.status = st;
    note_statistics(&work);
    takt_run_destroy(work.run);
    return st == TAKT_ERR_MEMORY ? takt_fail_memory(err) : TAKT_OK;
}

// ---- afterwards ----------------------------------------------------------------------------------------

const char *takt_trial_name(const takt_plan *plan, int i_value, takt_arena *arena, int *i_instance)
{
    for (int i = 0; i < plan->system->n_components; i++) {
        const takt_access *outputs = &plan->instances[i].outputs;
        int n = outputs->n_values[TAKT_KIND_REAL];
        if (i_value < n) {
            if (i_instance) *i_instance = i;
            return takt_system_name(plan->system, i,
                                    takt_access_index(outputs, TAKT_KIND_REAL, i_value), arena);
        }
        i_value -= n;
    }
    return NULL;
}

double takt_trial_compare(const takt_trial *a, const takt_trial *b, int *i_value, double *time)
{
    double largest = 0;
    *i_value = -1;
    for (int p = 0; p < a->n_points && p < b->n_points; p++) {
        for (int i = 0; i < a->n_values; i++) {
            double scale = fmax(a->scales[i], b->scales[i]);
            double difference = fabs(a->values[p][i] - b->values[p][i]) / scale;
            if (*i_value >= 0 && difference <= largest) continue;
            largest = difference;
            *i_value = i;
            *time = a->times[p];
        }
    }
    return largest;
}
