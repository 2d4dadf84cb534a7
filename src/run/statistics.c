// SPDX-License-Identifier: MIT
// Counts and times of a run for users; the layout of the JSON is that of docs/reference/files.md.
#include <jansson.h>
#include <stdlib.h>

#include "base/clock.h"
#include "run/advance.h"

static takt_call_statistics call(const takt_counter *counter, double seconds_per_tick)
{
    return (takt_call_statistics){counter->count, (double)counter->ticks * seconds_per_tick};
}

static double seconds_per_tick(const takt_run *run)
{
    double seconds = takt_clock() - run->first_clock;
    uint64_t ticks = takt_ticks() - run->first_tick;
    return ticks ? seconds / (double)ticks : 0;
}

// Room for the parts of an instance; false: out of memory.
static bool make_parts(takt_run *run, int i_instance, takt_instance_statistics *out)
{
    const takt_instance *instance = run->instances[i_instance].instance;
    takt_work work;
    if (!instance->type->work) return true;
    while (instance->type->work(instance, out->n_parts, &work)) out->n_parts++;
    out->parts = takt_arena_array(&run->arena, (size_t)out->n_parts, sizeof *out->parts);
    return out->parts != NULL;
}

static void fill_parts(const takt_instance *instance, takt_instance_statistics *out)
{
    takt_part_statistics *parts = (takt_part_statistics *)out->parts; // made above, for the run
    takt_work work;
    for (int i = 0; i < out->n_parts && instance->type->work(instance, i, &work); i++)
        parts[i] = (takt_part_statistics){work.name, work.derivatives, work.directional};
}

// The arrays are made on the first call and live as long as the run. False: out of memory.
static bool make_arrays(takt_run *run)
{
    if (run->loop_statistics) return true;
    size_t n = (size_t)run->n_instances;
    takt_instance_statistics *instances = takt_arena_array(&run->arena, n, sizeof *instances);
    takt_loop_statistics *loops =
        takt_arena_array(&run->arena, (size_t)run->plan->n_blocks, sizeof *loops);
    if (!instances || !loops) return false;
    int n_loops = 0;
    for (int i = 0; i < run->plan->n_blocks; i++) {
        const takt_block *block = &run->plan->blocks[i];
        if (!block->is_loop) continue;
        const char **members =
            takt_arena_array(&run->arena, (size_t)block->n_members, sizeof *members);
        if (!members) return false;
        for (int k = 0; k < block->n_members; k++)
            members[k] = run->plan->system->components[block->members[k]].name;
        loops[n_loops++] =
            (takt_loop_statistics){.members = members, .n_members = block->n_members};
    }
    for (int i = 0; i < run->n_instances; i++)
        if (!make_parts(run, i, &instances[i])) return false;
    run->instance_statistics = instances;
    run->loop_statistics = loops;
    run->n_loop_statistics = n_loops;
    return true;
}

void takt_run_statistics(takt_run *run, takt_statistics *out)
{
    double unit = seconds_per_tick(run);
    for (int i = 0; i < run->n_instances; i++) takt_run_count_untimed(&run->instances[i]);
    *out = (takt_statistics){
        .start_time = run->grid.start,
        .stop_time = run->grid.time,
        .wall = run->is_finished ? run->wall : takt_clock() - run->first_clock,
        .output = (double)run->output_ticks * unit,
        .master = (double)run->master_ticks * unit,
        .error_test = (double)run->error_test_ticks * unit,
        .steps = run->n_steps,
        .rejected = run->n_error_failures + run->n_discarded,
        .convergence_failures = run->n_convergence_failures,
        .error_test_failures = run->n_error_failures,
        .rows = run->n_rows,
        .iteration_limit_exceeded = run->n_limit_exceeded,
    };
    for (int i = 0; i < run->n_instances; i++)
        out->do_step_total += run->instances[i].do_step.count;
    if (!make_arrays(run)) return;
    for (int i = 0; i < run->n_instances; i++) {
        const takt_run_instance *at = &run->instances[i];
        takt_instance_statistics *to = &run->instance_statistics[i];
        *to = (takt_instance_statistics){
            .name = at->instance->name,
            .n_parts = to->n_parts,
            .parts = to->parts,
            .do_step = call(&at->do_step, unit),
            .get_state = call(&at->get_state, unit),
            .set_state = call(&at->set_state, unit),
            .set = call(&at->set, unit),
            .get = call(&at->get, unit),
        };
        fill_parts(at->instance, to);
    }
    for (int i = 0, k = 0; i < run->plan->n_blocks; i++)
        if (run->plan->blocks[i].is_loop) {
            takt_loop_statistics *loop = &run->loop_statistics[k++];
            loop->algorithm = takt_algorithm_name(run->blocks[i].algorithm);
            loop->sweeps = run->blocks[i].sweeps;
        }
    out->n_instances = run->n_instances;
    out->instances = run->instance_statistics;
    out->n_loops = run->n_loop_statistics;
    out->loops = run->loop_statistics;
}

static json_t *call_json(takt_call_statistics call)
{
    return json_pack("{s:I, s:f}", "count", (json_int_t)call.count, "time", call.time);
}

static void add_part_json(json_t *one, const takt_part_statistics *part)
{
    json_object_set_new_nocheck(one, "derivatives", json_integer((json_int_t)part->derivatives));
    json_object_set_new_nocheck(one, "directional_derivatives",
                                json_integer((json_int_t)part->directional_derivatives));
}

// "derivatives" of an instance for model exchange; "members" with theirs of a group.
static void add_parts_json(json_t *one, const takt_instance_statistics *at)
{
    if (at->n_parts == 1) add_part_json(one, &at->parts[0]);
    if (at->n_parts < 2) return;
    json_t *members = json_object();
    for (int i = 0; i < at->n_parts; i++) {
        json_t *member = json_object();
        add_part_json(member, &at->parts[i]);
        json_object_set_new_nocheck(members, at->parts[i].name, member);
    }
    json_object_set_new_nocheck(one, "members", members);
}

static json_t *instances_json(const takt_statistics *statistics)
{
    json_t *all = json_object();
    for (int i = 0; i < statistics->n_instances; i++) {
        const takt_instance_statistics *at = &statistics->instances[i];
        json_t *one =
            json_pack("{s:o, s:o, s:o, s:o, s:o}", "do_step", call_json(at->do_step), "get_state",
                      call_json(at->get_state), "set_state", call_json(at->set_state), "set",
                      call_json(at->set), "get", call_json(at->get));
        add_parts_json(one, at);
        json_object_set_new_nocheck(all, at->name, one);
    }
    return all;
}

static json_t *loops_json(const takt_statistics *statistics)
{
    json_t *all = json_array();
    for (int i = 0; i < statistics->n_loops; i++) {
        const takt_loop_statistics *at = &statistics->loops[i];
        json_t *members = json_array();
        for (int k = 0; k < at->n_members; k++)
            json_array_append_new(members, json_string_nocheck(at->members[k]));
        json_array_append_new(all, json_pack("{s:o, s:s, s:I}", "members", members, "algorithm",
                                             at->algorithm, "sweeps", (json_int_t)at->sweeps));
    }
    return all;
}

char *takt_run_statistics_json(takt_run *run, const char *status)
{
    takt_statistics s;
    takt_run_statistics(run, &s);
    json_t *all = json_pack(
        "{s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "takt",
        TAKT_VERSION, "status", status, "start_time", s.start_time, "stop_time", s.stop_time,
        "wall", s.wall, "output", s.output, "master", s.master, "error_test", s.error_test, "steps",
        (json_int_t)s.steps, "rejected", (json_int_t)s.rejected, "convergence_failures",
        (json_int_t)s.convergence_failures, "iteration_limit_exceeded",
        (json_int_t)s.iteration_limit_exceeded, "error_test_failures",
        (json_int_t)s.error_test_failures, "do_step_total", (json_int_t)s.do_step_total,
        "instances", instances_json(&s), "loops", loops_json(&s));
    char *text = all ? json_dumps(all, JSON_INDENT(2)) : NULL;
    json_decref(all);
    return text;
}
