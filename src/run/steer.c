// SPDX-License-Identifier: MIT
// What the user sets during a run is an event: others see it at the same time, and predictions begin anew. Instances with an event
// mode get their values there (FMI 3.0.2, section 3.2.3: discrete inputs and tunable parameters), others between two steps.
#include "run/steer.h"

#include <string.h>

#include "run/calls.h"
#include "run/event_loop.h"
#include "run/events.h"
#include "run/rows.h"

/// A start value, in the run's arena.
typedef struct takt_kept_start {
    struct takt_kept_start *next;
    takt_steer_values given;
} takt_kept_start;

// ---- what may be set -----------------------------------------------------------------------------------

bool takt_steer_is_connected(const takt_run *run, int i_instance, int variable)
{
    const takt_access *inputs = &run->plan->instances[i_instance].inputs;
    for (int b = 0; b < inputs->n_batches; b++)
        for (int i = 0; i < inputs->batches[b].n_values; i++)
            if (inputs->batches[b].variables[i] == variable) return true;
    return false;
}

static const char *reason_before(const takt_variable *variable)
{
    if (variable->causality == TAKT_STRUCTURAL_PARAMETER)
        return "is a structural parameter, which must be known when the system is made";
    if (variable->variability == TAKT_CONSTANT) return "is a constant";
    bool can = variable->causality == TAKT_PARAMETER || variable->causality == TAKT_INPUT ||
               variable->initial == TAKT_EXACT || variable->initial == TAKT_APPROX;
    return can ? NULL : "has no start value: it is calculated";
}

static const char *reason_later(const takt_variable *variable)
{
    if (variable->causality == TAKT_INPUT || takt_variable_is_tuned(variable)) return NULL;
    return variable->causality == TAKT_PARAMETER
               ? "is a parameter that is fixed during a run: set it before the initialization"
               : "is calculated by the FMU: only inputs and tunable parameters can be set";
}

bool takt_steer_can_set(const takt_run *run, int i_instance, int variable, const char **why)
{
    const takt_variable *v = &run->plan->system->components[i_instance].model->variables[variable];
    const char *reason = run->is_initialized ? reason_later(v) : reason_before(v);
    if (!reason && run->is_initialized && takt_steer_is_connected(run, i_instance, variable))
        reason = "gets its value from a connection";
    if (why) *why = reason;
    return !reason;
}

// ---- before the initialization ---------------------------------------------------------------------------

static bool copy_values(takt_arena *arena, const takt_steer_values *from, takt_values *to)
{
    const int *n = from->access.n_values;
    to->real = takt_arena_array(arena, (size_t)n[TAKT_KIND_REAL], sizeof *to->real);
    to->integer = takt_arena_array(arena, (size_t)n[TAKT_KIND_INTEGER], sizeof *to->integer);
    to->bytes = takt_arena_array(arena, (size_t)n[TAKT_KIND_BYTES], sizeof *to->bytes);
    if (!to->real || !to->integer || !to->bytes) return false;
    if (n[TAKT_KIND_REAL])
        memcpy(to->real, from->values.real, (size_t)n[TAKT_KIND_REAL] * sizeof *to->real);
    if (n[TAKT_KIND_INTEGER])
        memcpy(to->integer, from->values.integer,
               (size_t)n[TAKT_KIND_INTEGER] * sizeof *to->integer);
    for (int i = 0; i < n[TAKT_KIND_BYTES]; i++) {
        const takt_bytes *bytes = &from->values.bytes[i];
        char *copy = takt_arena_alloc(arena, bytes->size + 1); // zeroed
        if (!copy) return false;
        if (bytes->size) memcpy(copy, bytes->data, bytes->size);
        to->bytes[i] = (takt_bytes){copy, bytes->size, bytes->size + 1};
    }
    return true;
}

// The same access in the run's arena: in the order of its batches the variables get the same places.
static bool copy_access(takt_run *run, const takt_steer_values *given, takt_access *out)
{
    const takt_model *model = run->plan->system->components[given->i_instance].model;
    size_t n = 0;
    for (int b = 0; b < given->access.n_batches; b++)
        n += (size_t)given->access.batches[b].n_values;
    int *variables = takt_arena_array(&run->arena, n, sizeof *variables), k = 0;
    if (!variables) return false;
    for (int b = 0; b < given->access.n_batches; b++)
        for (int i = 0; i < given->access.batches[b].n_values; i++)
            variables[k++] = given->access.batches[b].variables[i];
    return takt_access_create(&run->arena, model, variables, k, out, NULL);
}

takt_status takt_steer_keep_start(takt_run *run, const takt_steer_values *given, takt_error *err)
{
    takt_kept_start *start = takt_arena_alloc(&run->arena, sizeof *start);
    if (!start) return takt_fail_memory(err);
    start->given = *given;
    if (!copy_access(run, given, &start->given.access) ||
        !copy_values(&run->arena, given, &start->given.values))
        return takt_fail_memory(err);
    takt_kept_start **end = &run->starts;
    while (*end) end = &(*end)->next; // later ones win
    *end = start;
    return TAKT_OK;
}

takt_status takt_steer_set_starts(takt_run *run, int i_instance, bool of_inputs, takt_error *err)
{
    takt_instance *instance = run->work.instances[i_instance].instance;
    takt_status st = TAKT_OK;
    for (const takt_kept_start *at = run->starts; at && !st; at = at->next)
        if (at->given.i_instance == i_instance && at->given.are_inputs == of_inputs)
            st = instance->type->set(instance, &at->given.access, &at->given.values, err);
    return st;
}

// ---- later -------------------------------------------------------------------------------------------------

/// All that is to be set at once.
typedef struct steering {
    takt_run *run;
    const takt_steer_values *given;
    int n;
} steering;

// Sets the values of instances with an event mode, which are in it now, or of the others.
static takt_status set_all(const steering *s, bool in_events, takt_error *err)
{
    double t = s->run->state.grid.time;
    takt_status st = TAKT_OK;
    for (int k = 0; k < s->n && !st; k++) {
        const takt_steer_values *given = &s->given[k];
        if (takt_run_has_event_mode(s->run, given->i_instance) != in_events) continue;
        st = takt_run_set_values(s->run, given->i_instance, &given->access, &given->values, t, err);
        if (!st && !in_events) st = takt_run_get_outputs(s->run, given->i_instance, t, err);
    }
    return st;
}

static takt_status set_in_events(void *context, takt_error *err)
{
    return set_all(context, true, err);
}

takt_status takt_steer_begin(takt_run *run, takt_error *err)
{
    takt_status st = run->work.is_steered ? TAKT_OK : takt_rows_keep_before(run, err);
    run->work.is_steered = true;
    return st;
}

takt_status takt_steer_set(takt_run *run, const takt_steer_values *given, int n, takt_error *err)
{
    steering s = {run, given, n};
    takt_status st = takt_steer_begin(run, err);
    if (!st) st = set_all(&s, false, err);
    run->steer = set_in_events;
    run->steer_context = &s;
    if (!st) st = takt_run_handle_events(run, false, err);
    run->steer = NULL;
    run->steer_context = NULL;
    if (st) run->has_failed = true;
    return st;
}

takt_status takt_steer_show(takt_run *run, takt_error *err)
{
    run->work.is_steered = false;
    return takt_rows_write_after(run, err);
}
