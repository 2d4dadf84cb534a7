// SPDX-License-Identifier: MIT
// What limits the size of steps; see limits.h.
#include "run/limits.h"

#include <math.h>
#include <stdio.h>

struct takt_limits {
    int64_t n[TAKT_N_LIMITS];
    takt_limit_count *of[TAKT_N_KINDS]; // per value of y
    const char **names[TAKT_N_KINDS]; // per value of y; NULL: not made yet
};

static const char *const words[TAKT_N_LIMITS] = {
    [TAKT_LIMIT_START] = "start",     [TAKT_LIMIT_ERROR] = "error",
    [TAKT_LIMIT_GROWTH] = "growth",   [TAKT_LIMIT_STEP_MAX] = "step_max",
    [TAKT_LIMIT_STOP] = "stop",       [TAKT_LIMIT_EVENT] = "event",
    [TAKT_LIMIT_FAILURE] = "failure",
};

takt_status takt_limits_create(takt_run *run, takt_error *err)
{
    struct takt_limits *own = takt_arena_alloc(&run->arena, sizeof *own);
    bool has_memory = own != NULL;
    for (int kind = 0; kind < TAKT_N_KINDS && has_memory; kind++) {
        size_t n = (size_t)run->plan->n_outputs[kind];
        own->of[kind] = takt_arena_array(&run->arena, n, sizeof *own->of[kind]);
        own->names[kind] = takt_arena_array(&run->arena, n, sizeof *own->names[kind]);
        has_memory = own->of[kind] && own->names[kind];
    }
    if (!has_memory) return takt_fail_memory(err);
    run->limits = own;
    return TAKT_OK;
}

void takt_limits_note_step(takt_run *run, takt_cause cause)
{
    struct takt_limits *own = run->limits;
    own->n[cause.limit]++;
    if (cause.limit == TAKT_LIMIT_ERROR && cause.value.index >= 0)
        own->of[cause.value.kind][cause.value.index].n_steps++;
}

void takt_limits_note_rejection(takt_run *run, takt_slot value, double error)
{
    if (value.index < 0) return;
    takt_limit_count *count = &run->limits->of[value.kind][value.index];
    count->n_rejected++;
    count->largest = fmax(count->largest, error);
}

int64_t takt_limits_count(const takt_run *run, takt_limit limit)
{
    return run->limits ? run->limits->n[limit] : 0;
}

takt_limit_count takt_limits_of(const takt_run *run, takt_slot value)
{
    return run->limits ? run->limits->of[value.kind][value.index] : (takt_limit_count){0};
}

// Is the value one of these, which begin at `first`? Then `variable` is which.
static bool is_among(const takt_access *access, const int *first, takt_slot value, int *variable)
{
    int index = value.index - first[value.kind];
    if (index < 0 || index >= access->n_values[value.kind]) return false;
    *variable = takt_access_index(access, value.kind, index);
    return true;
}

// The component and its variable that deliver a value of y.
static bool find_source(const takt_run *run, takt_slot value, takt_reference *out)
{
    for (int i = 0; i < run->work.n_instances && value.index >= 0; i++) {
        const takt_plan_instance *at = &run->plan->instances[i];
        out->component = i;
        if (is_among(&at->outputs, at->first_output, value, &out->variable) ||
            is_among(&at->tested, at->first_tested, value, &out->variable))
            return true;
    }
    return false;
}

const char *takt_limits_name(takt_run *run, takt_slot value)
{
    takt_reference from;
    if (!run->limits || !find_source(run, value, &from)) return "";
    const char **name = &run->limits->names[value.kind][value.index];
    if (!*name)
        *name = takt_system_name(run->plan->system, from.component, from.variable, &run->arena);
    return *name ? *name : "";
}

void takt_limits_write_name(const takt_run *run, takt_slot value, char *out, size_t size)
{
    takt_reference from;
    out[0] = 0;
    if (!find_source(run, value, &from)) return;
    const takt_component *owner = &run->plan->system->components[from.component];
    snprintf(out, size, "%s%s%s", owner->is_group ? "" : owner->name, owner->is_group ? "" : ".",
             owner->model->variables[from.variable].name);
}

const char *takt_limit_word(takt_limit limit)
{
    return words[limit];
}
