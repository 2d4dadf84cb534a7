// SPDX-License-Identifier: MIT
// Counts and times of a run for users; the layout of the JSON is that of docs/reference/files.md.
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/sized.h"
#include "run/pace.h"
#include "run/steady.h"
#include "run/algorithm.h"
#include "run/control.h"
#include "run/limits.h"
#include "run/pass.h"

static takt_call_statistics call(const takt_counter *counter, double seconds_per_tick)
{
    return (takt_call_statistics){counter->count, (double)counter->ticks * seconds_per_tick};
}

static double seconds_per_tick(const takt_run *run)
{
    double seconds = takt_clock() - run->counts.first_clock;
    uint64_t ticks = takt_ticks() - run->counts.first_tick;
    return ticks ? seconds / (double)ticks : 0;
}

// Arrays of statistics, which live as long as the run, and for each one of pointers to its items: structs of the public API may grow, so
// programs do not count with their size.
struct takt_statistics_room {
    takt_instance_statistics *instances;
    const takt_instance_statistics **instance_list;
    takt_loop_statistics *loops;
    const takt_loop_statistics **loop_list;
    int n_loops;
    takt_variable_limits *limits; // room for all variables; NULL: steps are fixed
    const takt_variable_limits **limit_list;
};

// Pointers to the items of an array. NULL: out of memory.
static void *list_of(takt_run *run, const void *items, size_t n, size_t size)
{
    const void **list = takt_arena_array(&run->arena, n, sizeof *list);
    for (size_t i = 0; list && i < n; i++) list[i] = (const char *)items + i * size;
    return list;
}

// Room for the members of an instance; false: out of memory.
static bool make_members(takt_run *run, int i_instance, takt_instance_statistics *out)
{
    const takt_instance *instance = run->work.instances[i_instance].instance;
    takt_work work;
    if (!instance->type->work) return true;
    while (instance->type->work(instance, out->n_members, &work)) out->n_members++;
    size_t n = (size_t)out->n_members, size = sizeof(takt_member_statistics);
    void *members = takt_arena_array(&run->arena, n, size);
    if (members) out->members = list_of(run, members, n, size);
    return out->members != NULL;
}

static void fill_members(const takt_instance *instance, const takt_instance_statistics *out)
{
    takt_work work;
    for (int i = 0; i < out->n_members && instance->type->work(instance, i, &work); i++)
        *(takt_member_statistics *)out->members[i] = // made above, for the run
            (takt_member_statistics){sizeof(takt_member_statistics), work.name, work.derivatives,
                                     work.directional};
}

static bool make_loop(takt_run *run, const takt_block *block, takt_loop_statistics *out)
{
    const char **members = takt_arena_array(&run->arena, (size_t)block->n_members, sizeof *members);
    if (!members) return false;
    for (int k = 0; k < block->n_members; k++)
        members[k] = run->plan->system->components[block->members[k]].name;
    *out = (takt_loop_statistics){
        .size = sizeof *out, .members = members, .n_members = block->n_members};
    return true;
}

static bool make_instances(takt_run *run, struct takt_statistics_room *room)
{
    size_t n = (size_t)run->work.n_instances;
    room->instances = takt_arena_array(&run->arena, n, sizeof *room->instances);
    if (!room->instances) return false;
    for (int i = 0; i < run->work.n_instances; i++)
        if (!make_members(run, i, &room->instances[i])) return false;
    room->instance_list = list_of(run, room->instances, n, sizeof *room->instances);
    return room->instance_list != NULL;
}

static bool make_loops(takt_run *run, struct takt_statistics_room *room)
{
    size_t n = (size_t)run->plan->n_blocks;
    room->loops = takt_arena_array(&run->arena, n, sizeof *room->loops);
    if (!room->loops) return false;
    for (int i = 0; i < run->plan->n_blocks; i++) {
        const takt_block *block = &run->plan->blocks[i];
        if (block->is_loop && !make_loop(run, block, &room->loops[room->n_loops++])) return false;
    }
    room->loop_list = list_of(run, room->loops, (size_t)room->n_loops, sizeof *room->loops);
    return room->loop_list != NULL;
}

static bool make_limits(takt_run *run, struct takt_statistics_room *room)
{
    size_t n = 0;
    for (int kind = 0; kind < TAKT_N_KINDS; kind++) n += (size_t)run->plan->n_outputs[kind];
    if (!run->limits) return true;
    room->limits = takt_arena_array(&run->arena, n, sizeof *room->limits);
    if (room->limits) room->limit_list = list_of(run, room->limits, n, sizeof *room->limits);
    return room->limit_list != NULL;
}

// Makes the arrays on the first call. False: out of memory.
static bool make_room(takt_run *run)
{
    if (run->statistics) return true;
    struct takt_statistics_room *room = takt_arena_alloc(&run->arena, sizeof *room);
    if (!room || !make_instances(run, room) || !make_loops(run, room) || !make_limits(run, room))
        return false;
    run->statistics = room;
    return true;
}

static takt_statistics totals(const takt_run *run, double unit)
{
    const takt_run_counts *counts = &run->counts;
    takt_statistics out = {
        .start_time = run->state.grid.start,
        .stop_time = run->state.grid.time,
        .wall = run->is_finished ? counts->wall : takt_clock() - counts->first_clock,
        .output = (double)counts->output_ticks * unit,
        .master = (double)counts->master_ticks * unit,
        .error_test = (double)counts->error_test_ticks * unit,
        .steps = counts->n_steps,
        .rejected = counts->n_rejected,
        .convergence_failures = counts->n_convergence_failures,
        .error_test_failures = counts->n_error_failures,
        .rows = counts->n_rows,
        .iteration_limit_exceeded = counts->n_limit_exceeded,
        .doubtful_steps = &run->doubtful_steps,
        .limits = &run->step_limits,
    };
    for (int i = 0; i < run->work.n_instances; i++)
        out.do_step_total += run->work.instances[i].counters[TAKT_ACTIVITY_DO_STEP].count;
    return out;
}

static takt_doubtful_steps doubtful_steps(const takt_run *run)
{
    const takt_doubt_count *doubts = run->counts.doubts;
    return (takt_doubtful_steps){
        .size = sizeof(takt_doubtful_steps),
        .unconverged = doubts[TAKT_DOUBT_UNCONVERGED].n,
        .below_fallback = doubts[TAKT_DOUBT_BELOW_FALLBACK].n,
        .at_step_min = doubts[TAKT_DOUBT_AT_STEP_MIN].n,
        .not_iterated = doubts[TAKT_DOUBT_NOT_ITERATED].n,
        .event_alone = doubts[TAKT_DOUBT_EVENT_ALONE].n,
        .not_repeated = doubts[TAKT_DOUBT_NOT_REPEATED].n,
        .noisy = doubts[TAKT_DOUBT_NOISY].n,
        .step_dependent = doubts[TAKT_DOUBT_STEP_DEPENDENT].n,
        .pulses = doubts[TAKT_DOUBT_PULSES].n,
    };
}

static void fill_instance(const takt_run_instance *at, double unit, takt_instance_statistics *out)
{
    *out = (takt_instance_statistics){
        .size = sizeof *out,
        .name = at->instance->name,
        .n_members = out->n_members,
        .members = out->members,
        .do_step = call(&at->counters[TAKT_ACTIVITY_DO_STEP], unit),
        .get_state = call(&at->counters[TAKT_ACTIVITY_GET_STATE], unit),
        .set_state = call(&at->counters[TAKT_ACTIVITY_SET_STATE], unit),
        .set = call(&at->counters[TAKT_ACTIVITY_SET], unit),
        .get = call(&at->counters[TAKT_ACTIVITY_GET], unit),
        .event = call(&at->counters[TAKT_ACTIVITY_EVENT], unit),
    };
    fill_members(at->instance, out);
}

static void fill_loop(const takt_run *run, const takt_run_block *block, takt_loop_statistics *out)
{
    const takt_algorithm_type *type = block->use->type;
    takt_algorithm_count count = {0};
    int n = type->count ? type->count(block->use->data, &count, 1) : 0;
    out->algorithm =
        takt_control_predicts(run) ? takt_algorithm_name(TAKT_ALGORITHM_AUTO) : type->facts->name;
    out->sweeps = block->n_sweeps;
    out->count_name = n > 0 ? count.name : NULL;
    out->count = n > 0 ? count.value : 0;
}

static int64_t total(const takt_variable_limits *at)
{
    return at->steps + at->rejected;
}

// The worst first; equal ones by name, so that the order does not depend on how the project lists them.
static int compare_limits(const void *a, const void *b)
{
    const takt_variable_limits *x = a, *y = b;
    if (total(x) != total(y)) return total(x) < total(y) ? 1 : -1;
    return strcmp(x->name, y->name);
}

static void fill_limits(takt_run *run, const struct takt_statistics_room *room,
                        takt_step_limits *out)
{
    *out = (takt_step_limits){.size = sizeof *out,
                              .error = takt_limits_count(run, TAKT_LIMIT_ERROR),
                              .growth = takt_limits_count(run, TAKT_LIMIT_GROWTH),
                              .step_max = takt_limits_count(run, TAKT_LIMIT_STEP_MAX),
                              .stop = takt_limits_count(run, TAKT_LIMIT_STOP),
                              .event = takt_limits_count(run, TAKT_LIMIT_EVENT),
                              .failure = takt_limits_count(run, TAKT_LIMIT_FAILURE),
                              .start = takt_limits_count(run, TAKT_LIMIT_START)};
    takt_variable_limits *limits = room ? room->limits : NULL;
    if (!limits) return;
    for (int kind = 0; kind < TAKT_N_KINDS; kind++)
        for (int i = 0; i < run->plan->n_outputs[kind]; i++) {
            takt_slot value = {(takt_kind)kind, i};
            takt_limit_count count = takt_limits_of(run, value);
            if (count.n_steps + count.n_rejected == 0) continue;
            limits[out->n_variables++] =
                (takt_variable_limits){sizeof *limits, takt_limits_name(run, value), count.n_steps,
                                       count.n_rejected, count.largest};
        }
    if (out->n_variables) qsort(limits, (size_t)out->n_variables, sizeof *limits, compare_limits);
    out->variables = room->limit_list;
}

// All but the size.
static takt_statistics collect(takt_run *run)
{
    double unit = seconds_per_tick(run);
    for (int i = 0; i < run->work.n_instances; i++)
        takt_pass_count_untimed(&run->work.instances[i]);
    bool has_room = make_room(run);
    const struct takt_statistics_room *room = run->statistics;
    run->doubtful_steps = doubtful_steps(run);
    fill_limits(run, room, &run->step_limits);
    takt_statistics out = totals(run, unit);
    if (!has_room) return out;
    for (int i = 0; i < run->work.n_instances; i++)
        fill_instance(&run->work.instances[i], unit, &room->instances[i]);
    for (int i = 0, k = 0; i < run->plan->n_blocks; i++)
        if (run->plan->blocks[i].is_loop) fill_loop(run, &run->work.blocks[i], &room->loops[k++]);
    out.n_instances = run->work.n_instances;
    out.instances = room->instance_list;
    out.n_loops = room->n_loops;
    out.loops = room->loop_list;
    return out;
}

takt_status takt_run_statistics(takt_run *run, takt_statistics *out, takt_error *err)
{
    if (!run) return takt_fail_missing(err, __func__, "run");
    takt_statistics full = collect(run);
    return takt_sized_fill(out, &full, sizeof full, err);
}

static json_t *call_json(takt_call_statistics call)
{
    return json_pack("{s:I, s:f}", "count", (json_int_t)call.count, "time", call.time);
}

static void add_member_json(json_t *one, const takt_member_statistics *member)
{
    json_object_set_new_nocheck(one, "derivatives", json_integer((json_int_t)member->derivatives));
    json_object_set_new_nocheck(one, "directional_derivatives",
                                json_integer((json_int_t)member->directional_derivatives));
}

// "derivatives" of an instance for model exchange; "members" with theirs of a group.
static void add_members_json(json_t *one, const takt_instance_statistics *at)
{
    if (at->n_members == 1) add_member_json(one, at->members[0]);
    if (at->n_members < 2) return;
    json_t *members = json_object();
    for (int i = 0; i < at->n_members; i++) {
        json_t *member = json_object();
        add_member_json(member, at->members[i]);
        json_object_set_new_nocheck(members, at->members[i]->name, member);
    }
    json_object_set_new_nocheck(one, "members", members);
}

static json_t *instances_json(const takt_statistics *statistics)
{
    json_t *all = json_object();
    for (int i = 0; i < statistics->n_instances; i++) {
        const takt_instance_statistics *at = statistics->instances[i];
        json_t *one = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "do_step", call_json(at->do_step),
                                "get_state", call_json(at->get_state), "set_state",
                                call_json(at->set_state), "set", call_json(at->set), "get",
                                call_json(at->get), "event", call_json(at->event));
        add_members_json(one, at);
        json_object_set_new_nocheck(all, at->name, one);
    }
    return all;
}

static json_t *loops_json(const takt_statistics *statistics)
{
    json_t *all = json_array();
    for (int i = 0; i < statistics->n_loops; i++) {
        const takt_loop_statistics *at = statistics->loops[i];
        json_t *members = json_array();
        for (int k = 0; k < at->n_members; k++)
            json_array_append_new(members, json_string_nocheck(at->members[k]));
        json_t *one = json_pack("{s:o, s:s, s:I}", "members", members, "algorithm", at->algorithm,
                                "sweeps", (json_int_t)at->sweeps);
        if (at->count_name)
            json_object_set_new_nocheck(one, at->count_name, json_integer((json_int_t)at->count));
        json_array_append_new(all, one);
    }
    return all;
}

static json_t *doubtful_json(const takt_doubtful_steps *steps)
{
    return json_pack(
        "{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "unconverged",
        (json_int_t)steps->unconverged, "below_fallback", (json_int_t)steps->below_fallback,
        "at_step_min", (json_int_t)steps->at_step_min, "not_iterated",
        (json_int_t)steps->not_iterated, "event_alone", (json_int_t)steps->event_alone,
        "not_repeated", (json_int_t)steps->not_repeated, "noisy", (json_int_t)steps->noisy,
        "step_dependent", (json_int_t)steps->step_dependent, "pulses", (json_int_t)steps->pulses);
}

static json_t *limits_json(const takt_step_limits *limits)
{
    json_t *variables = json_array();
    for (int i = 0; i < limits->n_variables; i++) {
        const takt_variable_limits *at = limits->variables[i];
        json_array_append_new(
            variables, json_pack("{s:o, s:I, s:I, s:f}", "name", json_string_nocheck(at->name),
                                 "steps", (json_int_t)at->steps, "rejected",
                                 (json_int_t)at->rejected, "largest_error", at->largest_error));
    }
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}", "error", (json_int_t)limits->error,
                     "growth", (json_int_t)limits->growth, "step_max", (json_int_t)limits->step_max,
                     "stop", (json_int_t)limits->stop, "event", (json_int_t)limits->event,
                     "failure", (json_int_t)limits->failure, "start", (json_int_t)limits->start,
                     "variables", variables);
}

// How punctual a run was that had a pace, and whether one that was to end so has become steady.
static void add_pacing(const takt_run *run, json_t *all)
{
    takt_pace_statistics pace = {.size = sizeof pace};
    takt_steady_state steady = {.size = sizeof steady};
    if (takt_run_pace_statistics(run, &pace, NULL) || takt_run_steady_state(run, &steady, NULL))
        return;
    if (pace.factor > 0)
        json_object_set_new_nocheck(all, "real_time",
                                    json_pack("{s:f, s:I, s:I, s:f, s:f, s:f}", "factor",
                                              pace.factor, "points", (json_int_t)pace.points,
                                              "late", (json_int_t)pace.late, "largest_lateness",
                                              pace.largest_lateness, "mean_lateness",
                                              pace.mean_lateness, "waited", pace.waited));
    if (steady.window > 0)
        json_object_set_new_nocheck(all, "steady",
                                    json_pack("{s:b, s:f, s:f}", "reached", steady.is_steady,
                                              "since", steady.since, "window", steady.window));
}

char *takt_run_statistics_json(takt_run *run, const char *status)
{
    if (!run || !status) return NULL;
    takt_statistics s = collect(run);
    if (!s.instances) return NULL;
    takt_json_begin();
    json_t *all = json_pack(
        "{s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, "
        "s:o}",
        "takt", TAKT_VERSION, "status", status, "start_time", s.start_time, "stop_time",
        s.stop_time, "wall", s.wall, "output", s.output, "master", s.master, "error_test",
        s.error_test, "steps", (json_int_t)s.steps, "rejected", (json_int_t)s.rejected,
        "convergence_failures", (json_int_t)s.convergence_failures, "iteration_limit_exceeded",
        (json_int_t)s.iteration_limit_exceeded, "error_test_failures",
        (json_int_t)s.error_test_failures, "do_step_total", (json_int_t)s.do_step_total,
        "doubtful_steps", doubtful_json(s.doubtful_steps), "instances", instances_json(&s), "loops",
        loops_json(&s), "step_limits", limits_json(s.limits));
    if (all) add_pacing(run, all);
    return takt_json_end(all);
}
