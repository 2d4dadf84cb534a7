// SPDX-License-Identifier: MIT
// Algebraic loops in event mode; see event_loop.h. Unlike at initialization, instances are set and read as a
// whole: clocks and what depends on them belong together.
#include "run/event_loop.h"

#include <stdio.h>

#include "base/clock.h"
#include "run/calls.h"
#include "run/gather.h"

enum { MAX_NAMED = 5 };

bool takt_run_has_event_mode(const takt_run *run, int i_instance)
{
    const takt_instance *instance = run->work.instances[i_instance].instance;
    bool has_events = instance->model->can.events || instance->type->equations;
    return has_events && instance->type->enter_events;
}

// ---- tearing ---------------------------------------------------------------------------------------

static void mark_outputs(const takt_plan *plan, int i_instance, bool *marks, bool mark)
{
    const takt_plan_instance *instance = &plan->instances[i_instance];
    int first = instance->first_output[TAKT_KIND_REAL];
    for (int i = 0; i < instance->outputs.n_values[TAKT_KIND_REAL]; i++) marks[first + i] = mark;
}

// The outputs of members that must be guessed; compare takt_stage_tear().
static int tear(const takt_event_loop *loop, bool in_turn, bool *marks, int *torn)
{
    const takt_plan *plan = loop->run->plan;
    int n = 0;
    for (int k = 0; k < loop->n_members; k++) mark_outputs(plan, loop->members[k], marks, true);
    for (int k = 0; k < loop->n_members; k++) {
        const takt_plan_instance *instance = &plan->instances[loop->members[k]];
        const int *sources = plan->sources[TAKT_KIND_REAL] + instance->first_input[TAKT_KIND_REAL];
        for (int i = 0; i < instance->inputs.n_values[TAKT_KIND_REAL]; i++) {
            if (!marks[sources[i]]) continue;
            marks[sources[i]] = false;
            torn[n++] = sources[i];
        }
        if (in_turn) mark_outputs(plan, loop->members[k], marks, false);
    }
    for (int k = 0; k < loop->n_members; k++) mark_outputs(plan, loop->members[k], marks, false);
    return n;
}

// ---- sweeps ----------------------------------------------------------------------------------------

// Discrete inputs, and those that come from discrete values, stay as they are.
static void gather_real(takt_run *run, int i_instance)
{
    const takt_plan *plan = run->plan;
    int first = plan->instances[i_instance].first_input[TAKT_KIND_REAL];
    int end = first + plan->instances[i_instance].inputs.n_values[TAKT_KIND_REAL];
    for (int i = first; i < end; i++) {
        int source = plan->sources[TAKT_KIND_REAL][i];
        if (source == plan->unused[TAKT_KIND_REAL]) continue;
        double y = run->state.y.real[source];
        run->state.u.real[i] = plan->factors ? plan->factors[i] * y + plan->offsets[i] : y;
    }
}

static takt_status set_member(takt_event_loop *loop, int i_instance, takt_error *err)
{
    takt_status st = TAKT_OK;
    if (loop->is_frozen)
        gather_real(loop->run, i_instance);
    else
        st = takt_run_gather(loop->run, i_instance, err);
    return st ? st : takt_run_set_inputs(loop->run, i_instance, loop->t, err);
}

// Unlike takt_run_get_outputs(), does not fail for values that are not finite: another guess may give others.
static takt_status get_member(takt_event_loop *loop, int i_instance, bool *is_finite,
                              takt_error *err)
{
    takt_run_instance *at = &loop->run->work.instances[i_instance];
    const takt_access *outputs = &at->plan->outputs;
    if (outputs->n_batches == 0) return TAKT_OK;
    uint64_t begin = takt_ticks();
    takt_status st = at->instance->type->get(at->instance, outputs, &at->outputs, err);
    takt_call_note(at, TAKT_ACTIVITY_GET, loop->t, begin);
    *is_finite = takt_are_finite(at->outputs.real, (size_t)outputs->n_values[TAKT_KIND_REAL]);
    if (!st) return TAKT_OK;
    at->has_failed = true;
    return takt_within(err, st, "instance '%s' at t=%.15g s", at->instance->name, loop->t);
}

// A takt_instant_sweep_fn. Ends at the first value that is not finite: no member gets it.
static takt_status sweep(void *context, takt_instant_way way, takt_error *err)
{
    takt_event_loop *loop = context;
    takt_status st = TAKT_OK;
    bool is_finite = true;
    for (int k = 0; k < loop->n_members && !st && is_finite; k++) {
        st = set_member(loop, loop->members[k], err);
        if (!st && way == TAKT_IN_TURN) st = get_member(loop, loop->members[k], &is_finite, err);
    }
    for (int k = 0; k < loop->n_members && !st && is_finite && way == TAKT_AT_ONCE; k++)
        st = get_member(loop, loop->members[k], &is_finite, err);
    if (!is_finite) takt_instant_spoil(&loop->instant);
    return st;
}

// ---- creation --------------------------------------------------------------------------------------

static int find_members(takt_event_loop *loop, const takt_block *block)
{
    int n_real = 0;
    for (int k = 0; k < block->n_members; k++) {
        if (!takt_run_has_event_mode(loop->run, block->members[k])) continue;
        loop->members[loop->n_members++] = block->members[k];
        const takt_plan_instance *plan = &loop->run->plan->instances[block->members[k]];
        loop->has_discrete |= plan->inputs.n_values[TAKT_KIND_INTEGER] > 0 ||
                              plan->inputs.n_values[TAKT_KIND_BYTES] > 0 || plan->n_adapters > 0;
        n_real += loop->run->plan->instances[block->members[k]].outputs.n_values[TAKT_KIND_REAL];
    }
    return n_real;
}

bool takt_event_loop_init(takt_event_loop *loop, takt_run *run, const takt_block *block)
{
    *loop = (takt_event_loop){.run = run, .is_frozen = true};
    loop->members = takt_arena_array(&run->arena, (size_t)block->n_members, sizeof *loop->members);
    if (!loop->members) return false;
    size_t n_real = (size_t)find_members(loop, block);
    if (n_real == 0) return true;

    int *torn = takt_arena_array(&run->arena, 2 * n_real, sizeof *torn);
    if (!torn) return false;
    takt_torn in_turn = {torn, tear(loop, true, run->work.marks, torn)};
    if (in_turn.n == 0) return true;
    takt_torn at_once = {torn + n_real, tear(loop, false, run->work.marks, torn + n_real)};
    if (!takt_instant_init(&loop->instant, run, &run->arena, in_turn, at_once)) return false;
    loop->instant.sweep = sweep;
    loop->instant.context = loop;
    return true;
}

// ---- solving ---------------------------------------------------------------------------------------

// "t=1 s: the loop of instance 'a', 'b' in event mode"
static void describe(const takt_event_loop *loop, char *text, size_t size)
{
    int length = snprintf(text, size, "t=%.15g s: the loop of instance ", loop->t);
    for (int k = 0; k < loop->n_members && k < MAX_NAMED; k++) {
        int n = snprintf(text + length, size - (size_t)length, "%s'%s'", k ? ", " : "",
                         loop->run->work.instances[loop->members[k]].instance->name);
        if (n > 0 && (size_t)(length + n) < size) length += n;
    }
    snprintf(text + length, size - (size_t)length, "%s in event mode",
             loop->n_members > MAX_NAMED ? ", ..." : "");
}

static void warn(takt_event_loop *loop)
{
    if (loop->has_warned || !(loop->instant.has_noise || loop->instant.is_unproven)) return;
    char name[512];
    describe(loop, name, sizeof name);
    loop->has_warned = takt_instant_warn(&loop->instant, name);
}

// Lets discrete values travel, in the way in which real ones were solved last. What real values become
// meanwhile is no better guess.
static takt_status pass_discrete(takt_event_loop *loop, takt_error *err)
{
    const takt_torn *torn = &loop->instant.torn[TAKT_AT_ONCE];
    double *y = loop->run->state.y.real, *kept = loop->instant.first;
    for (int i = 0; i < torn->n; i++) kept[i] = y[torn->values[i]];
    loop->is_frozen = false;
    takt_status st = sweep(loop, loop->instant.way, err);
    loop->is_frozen = true;
    for (int i = 0; i < torn->n; i++) y[torn->values[i]] = kept[i];
    return st;
}

takt_status takt_event_loop_solve(takt_event_loop *loop, double t, bool *is_solved, takt_error *err)
{
    takt_status st = TAKT_OK;
    loop->t = t;
    if (loop->has_discrete) st = pass_discrete(loop, err);
    if (!st) st = takt_instant_solve(&loop->instant, err);
    if (st) return st;
    *is_solved = loop->instant.solution == TAKT_SOLVED;
    if (*is_solved) {
        warn(loop);
        return TAKT_OK;
    }
    takt_instant_show(&loop->instant);
    return sweep(loop, TAKT_IN_TURN, err);
}

takt_status takt_event_loop_fail(takt_event_loop *loop, takt_error *err)
{
    char name[512], trouble[TAKT_MESSAGE_SIZE];
    describe(loop, name, sizeof name);
    takt_status st = takt_instant_explain(&loop->instant, trouble, sizeof trouble, err);
    return st ? st : takt_fail(err, TAKT_ERR_SIMULATION, "%s %s", name, trouble);
}
