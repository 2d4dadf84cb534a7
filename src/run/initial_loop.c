// SPDX-License-Identifier: MIT
// Initial loops: outputs that depend on inputs that depend on these outputs, before the first step.
//
// A sweep carries out the actions of a stage in order. Real values that are read only after they were needed
// are *torn*: they are guessed and solved for, see instant.h, while all discrete values stay as they are.
// Then discrete values travel once, and where one has changed the real values are solved again, until
// everything rests. Discrete values that come back to an earlier pattern will never rest.
#include "run/initial_loop.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "run/calls.h"
#include "run/gather.h"
#include "run/instant.h"

enum {
    MAX_ROUNDS = 1000, // of solving again because a discrete value changed
    MAX_NAMED = 6, // connections named in a message
};

typedef struct loop {
    takt_run *run;
    const takt_init_stage *stage;
    takt_arena arena;
    takt_values buffer; // values of one action
    int n_buffer[TAKT_N_KINDS];
    takt_instant instant;
    bool is_frozen; // discrete values do not travel
    bool discrete_changed; // in the last sweep in which they did
    uint64_t *patterns; // of discrete values, one per round
    bool is_solved; // for the real values
    const char *trouble; // of the discrete ones; NULL: none
} loop;

// ---- single actions ------------------------------------------------------------------------------

static takt_status set_inputs(loop *at, const takt_init_action *action, takt_error *err)
{
    takt_run *run = at->run;
    const int *n = action->access.n_values;
    for (int i = 0; i < n[TAKT_KIND_REAL]; i++)
        at->buffer.real[i] = run->state.u.real[action->index[TAKT_KIND_REAL][i]];
    for (int i = 0; i < n[TAKT_KIND_INTEGER]; i++)
        at->buffer.integer[i] = run->state.u.integer[action->index[TAKT_KIND_INTEGER][i]];
    for (int i = 0; i < n[TAKT_KIND_BYTES]; i++) {
        const takt_bytes *value = &run->state.u.bytes[action->index[TAKT_KIND_BYTES][i]];
        if (!takt_bytes_assign(&at->buffer.bytes[i], value->data, value->size))
            return takt_fail_memory(err);
    }
    takt_run_instance *instance = &run->work.instances[action->instance];
    uint64_t begin = takt_ticks();
    takt_status st =
        instance->instance->type->set(instance->instance, &action->access, &at->buffer, err);
    takt_call_note(instance, TAKT_ACTIVITY_SET, run->state.grid.time, begin);
    return st;
}

// What the real input `to` gets from its source.
static double source_value(const takt_run *run, int to)
{
    const takt_plan *plan = run->plan;
    double value = run->state.y.real[plan->sources[TAKT_KIND_REAL][to]];
    return plan->factors ? plan->factors[to] * value + plan->offsets[to] : value;
}

// Values that adapters bring come from integers: they are discrete, whatever they become.
static bool is_adapted_value_new(const takt_run *run, int i_instance)
{
    const takt_plan_instance *plan = run->work.instances[i_instance].plan;
    for (int i = 0; i < plan->n_adapters; i++) {
        const takt_adapter *adapter = &plan->adapters[i];
        int64_t value = takt_run_adapted(run, adapter);
        double real = adapter->factor * (double)value + adapter->offset;
        if (adapter->to.kind == TAKT_KIND_REAL ? run->state.u.real[adapter->to.index] != real
                                               : run->state.u.integer[adapter->to.index] != value)
            return true;
    }
    return false;
}

static takt_status gather_discrete(loop *at, const takt_init_action *action, takt_error *err)
{
    takt_run *run = at->run;
    const int *const *sources = run->plan->sources, *unused = run->plan->unused;
    for (int i = 0; i < action->access.n_values[TAKT_KIND_INTEGER]; i++) {
        int to = action->index[TAKT_KIND_INTEGER][i];
        if (sources[TAKT_KIND_INTEGER][to] == unused[TAKT_KIND_INTEGER]) continue;
        int64_t value = run->state.y.integer[sources[TAKT_KIND_INTEGER][to]];
        at->discrete_changed |= value != run->state.u.integer[to];
        run->state.u.integer[to] = value;
    }
    for (int i = 0; i < action->access.n_values[TAKT_KIND_BYTES]; i++) {
        int to = action->index[TAKT_KIND_BYTES][i];
        const takt_bytes *value = &run->state.y.bytes[sources[TAKT_KIND_BYTES][to]];
        at->discrete_changed |= !takt_bytes_equal(value, &run->state.u.bytes[to]);
        if (!takt_bytes_assign(&run->state.u.bytes[to], value->data, value->size))
            return takt_fail_memory(err);
    }
    at->discrete_changed |= is_adapted_value_new(run, action->instance);
    return takt_run_adapt(run, action->instance, err);
}

// Brings values of y to the inputs of the action; those that only an adapter sets keep what they have until
// it does.
static takt_status gather(loop *at, const takt_init_action *action, takt_error *err)
{
    takt_run *run = at->run;
    int unused = run->plan->unused[TAKT_KIND_REAL];
    for (int i = 0; i < action->access.n_values[TAKT_KIND_REAL]; i++) {
        int to = action->index[TAKT_KIND_REAL][i];
        if (run->plan->sources[TAKT_KIND_REAL][to] != unused)
            run->state.u.real[to] = source_value(run, to);
    }
    return at->is_frozen ? TAKT_OK : gather_discrete(at, action, err);
}

static takt_status get_outputs(loop *at, const takt_init_action *action, takt_error *err)
{
    takt_run *run = at->run;
    takt_run_instance *instance = &run->work.instances[action->instance];
    uint64_t begin = takt_ticks();
    takt_status st =
        instance->instance->type->get(instance->instance, &action->access, &at->buffer, err);
    takt_call_note(instance, TAKT_ACTIVITY_GET, run->state.grid.time, begin);
    if (st) return st;
    const int *n = action->access.n_values;
    for (int i = 0; i < n[TAKT_KIND_REAL]; i++)
        run->state.y.real[action->index[TAKT_KIND_REAL][i]] = at->buffer.real[i];
    for (int i = 0; i < n[TAKT_KIND_INTEGER]; i++)
        run->state.y.integer[action->index[TAKT_KIND_INTEGER][i]] = at->buffer.integer[i];
    for (int i = 0; i < n[TAKT_KIND_BYTES]; i++) {
        takt_bytes *to = &run->state.y.bytes[action->index[TAKT_KIND_BYTES][i]];
        if (!takt_bytes_assign(to, at->buffer.bytes[i].data, at->buffer.bytes[i].size))
            return takt_fail_memory(err);
    }
    return TAKT_OK;
}

static takt_status fail_action(loop *at, const takt_init_action *action, takt_status st,
                               takt_error *err)
{
    takt_run_instance *instance = &at->run->work.instances[action->instance];
    instance->has_failed = true;
    return takt_within(err, st, "instance '%s' during initialization", instance->instance->name);
}

// Real values of an output that was read.
static bool is_finite(const loop *at, const takt_init_action *action)
{
    return action->is_set ||
           takt_are_finite(at->buffer.real, (size_t)action->access.n_values[TAKT_KIND_REAL]);
}

static takt_status act(loop *at, const takt_init_action *action, takt_error *err)
{
    takt_status st = TAKT_OK;
    if (action->is_set) {
        st = gather(at, action, err);
        if (!st) st = set_inputs(at, action, err);
    } else {
        st = get_outputs(at, action, err);
    }
    return st ? fail_action(at, action, st, err) : TAKT_OK;
}

// Carries out the actions that read, set or both. In a loop it ends at the first value that is not finite: no
// instance gets it.
static takt_status carry_out(loop *at, bool reads, bool sets, bool *goes_on, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < at->stage->n_actions && !st && *goes_on; i++) {
        const takt_init_action *action = &at->stage->actions[i];
        if (!(action->is_set ? sets : reads)) continue;
        st = act(at, action, err);
        *goes_on = !at->stage->is_loop || is_finite(at, action);
    }
    return st;
}

// A takt_instant_sweep_fn. Torn values are in y until they are read.
static takt_status sweep(void *context, takt_instant_way way, takt_error *err)
{
    loop *at = context;
    bool goes_on = true;
    takt_status st = carry_out(at, way == TAKT_IN_TURN, true, &goes_on, err);
    if (!st && way == TAKT_AT_ONCE) st = carry_out(at, true, false, &goes_on, err);
    if (!goes_on) takt_instant_spoil(&at->instant);
    return st;
}

// ---- discrete values -----------------------------------------------------------------------------

static bool has_discrete(const loop *at)
{
    for (int i = 0; i < at->stage->n_actions; i++) {
        const takt_init_action *action = &at->stage->actions[i];
        const int *n = action->access.n_values;
        if (!action->is_set) continue;
        if (n[TAKT_KIND_INTEGER] > 0 || n[TAKT_KIND_BYTES] > 0 ||
            at->run->plan->instances[action->instance].n_adapters > 0)
            return true;
    }
    return false;
}

// FNV-1a, a hash function by Fowler, Noll and Vo.
static uint64_t mix(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static uint64_t mix_inputs(const takt_run *run, const takt_init_action *action, uint64_t hash)
{
    const takt_plan_instance *plan = &run->plan->instances[action->instance];
    for (int i = 0; i < action->access.n_values[TAKT_KIND_INTEGER]; i++)
        hash =
            mix(hash, &run->state.u.integer[action->index[TAKT_KIND_INTEGER][i]], sizeof(int64_t));
    for (int i = 0; i < action->access.n_values[TAKT_KIND_BYTES]; i++) {
        const takt_bytes *value = &run->state.u.bytes[action->index[TAKT_KIND_BYTES][i]];
        hash = mix(hash, &value->size, sizeof value->size);
        hash = mix(hash, value->data, value->size);
    }
    for (int i = 0; i < plan->n_adapters; i++)
        if (plan->adapters[i].to.kind == TAKT_KIND_REAL)
            hash = mix(hash, &run->state.u.real[plan->adapters[i].to.index], sizeof(double));
    return hash;
}

// Stands for the present discrete values; has it been there in an earlier round?
static bool is_pattern_known(loop *at, int round)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (int i = 0; i < at->stage->n_actions; i++)
        if (at->stage->actions[i].is_set) hash = mix_inputs(at->run, &at->stage->actions[i], hash);
    at->patterns[round] = hash;
    for (int i = 0; i < round; i++)
        if (at->patterns[i] == hash) return true;
    return false;
}

// ---- solving -------------------------------------------------------------------------------------

static takt_status solve_real(loop *at, takt_error *err)
{
    at->is_frozen = true;
    takt_status st = takt_instant_solve(&at->instant, err);
    at->is_frozen = false;
    at->is_solved = at->instant.solution == TAKT_SOLVED;
    return st;
}

// Lets discrete values travel from where the real ones are solved. Where these are not, other discrete values
// may help.
static takt_status update(loop *at, takt_error *err)
{
    takt_status st = TAKT_OK;
    takt_instant_show(&at->instant);
    at->is_frozen = true;
    if (!at->is_solved) st = sweep(at, at->instant.way, err); // the last one was made elsewhere
    at->is_frozen = at->discrete_changed = false;
    takt_instant_show(&at->instant);
    return st ? st : sweep(at, at->instant.way, err);
}

static takt_status solve(loop *at, takt_error *err)
{
    at->patterns = takt_arena_array(&at->arena, MAX_ROUNDS, sizeof *at->patterns);
    if (!at->patterns) return takt_fail_memory(err);
    takt_status st = sweep(at, TAKT_IN_TURN, err);
    for (int round = 0; round < MAX_ROUNDS && !st; round++) {
        if (is_pattern_known(at, round)) {
            at->trouble = "does not rest: its discrete values return to an earlier pattern";
            return TAKT_OK;
        }
        st = solve_real(at, err);
        if (!st) st = update(at, err);
        if (!st && !at->discrete_changed) return TAKT_OK;
    }
    at->trouble = "does not rest: its discrete values change again and again";
    return st;
}

// ---- preparation ---------------------------------------------------------------------------------

static bool prepare(loop *at)
{
    size_t n_read = (size_t)takt_stage_n_read(at->stage);
    int *in_turn = takt_arena_array(&at->arena, 2 * n_read, sizeof *in_turn);
    int *at_once = in_turn + n_read;
    if (!in_turn) return false;
    bool *marks = at->run->work.marks;
    const takt_plan *plan = at->run->plan;
    if (!takt_instant_init(
            &at->instant, at->run, &at->arena,
            (takt_torn){in_turn, takt_stage_tear(plan, at->stage, true, marks, in_turn)},
            (takt_torn){at_once, takt_stage_tear(plan, at->stage, false, marks, at_once)}))
        return false;
    at->instant.sweep = sweep;
    at->instant.context = at;
    at->instant.needs_proof = true;
    return true;
}

// The guess to start from: what the sources show now.
static takt_status guess(loop *at, takt_error *err)
{
    for (int i = 0; i < at->stage->n_actions; i++) {
        const takt_init_action *action = &at->stage->actions[i];
        takt_status st = action->is_set ? TAKT_OK : get_outputs(at, action, err);
        if (st) return fail_action(at, action, st, err);
    }
    const takt_torn *torn = &at->instant.torn[TAKT_IN_TURN];
    for (int i = 0; i < torn->n; i++) {
        double *y = &at->run->state.y.real[torn->values[i]];
        if (!isfinite(*y)) *y = 0;
    }
    return TAKT_OK;
}

// "initialization: the loop through a.u, b.u"
static void describe(const loop *at, char *text, size_t size)
{
    const takt_plan *plan = at->run->plan;
    int length = snprintf(text, size, "initialization: the loop through "), n_named = 0;
    for (int i = 0; i < at->stage->n_actions && n_named < MAX_NAMED; i++) {
        const takt_init_action *action = &at->stage->actions[i];
        const takt_component *component = &plan->system->components[action->instance];
        for (int g = 0; action->is_set && g < action->access.n_batches; g++) {
            int variable = action->access.batches[g].variables[0];
            int n = snprintf(text + length, size - (size_t)length, "%s%s.%s", n_named++ ? ", " : "",
                             component->name, component->model->variables[variable].name);
            if (n > 0 && (size_t)(length + n) < size) length += n;
        }
    }
    if (n_named >= MAX_NAMED) snprintf(text + length, size - (size_t)length, ", ...");
}

static takt_status solve_loop(loop *at, takt_error *err)
{
    if (!prepare(at)) return takt_fail_memory(err);
    takt_status st = guess(at, err);
    if (!st) st = has_discrete(at) ? solve(at, err) : solve_real(at, err);
    if (st) return st;
    char name[512], trouble[TAKT_MESSAGE_SIZE];
    describe(at, name, sizeof name);
    takt_instant_warn(&at->instant, name);
    if (at->is_solved && !at->trouble) return TAKT_OK;
    at->is_frozen = true;
    if (at->trouble)
        snprintf(trouble, sizeof trouble, "%s", at->trouble);
    else
        st = takt_instant_explain(&at->instant, trouble, sizeof trouble, err);
    if (st) return st;
    return takt_fail(err, TAKT_ERR_SIMULATION,
                     "%s %s; check the connections and start values of these instances", name,
                     trouble);
}

takt_status takt_run_do_init_stage(takt_run *run, const takt_init_stage *stage, takt_error *err)
{
    loop at = {.run = run, .stage = stage};
    for (int i = 0; i < stage->n_actions; i++)
        for (int kind = 0; kind < TAKT_N_KINDS; kind++)
            if (stage->actions[i].access.n_values[kind] > at.n_buffer[kind])
                at.n_buffer[kind] = stage->actions[i].access.n_values[kind];
    if (!takt_values_init(&at.buffer, at.n_buffer)) return takt_fail_memory(err);
    takt_status st = stage->is_loop ? solve_loop(&at, err) : sweep(&at, TAKT_IN_TURN, err);
    takt_values_clear(&at.buffer, at.n_buffer);
    takt_arena_clear(&at.arena);
    return st;
}
