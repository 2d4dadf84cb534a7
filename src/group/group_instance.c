// SPDX-License-Identifier: MIT
// The group as an instance: calls are passed on to its members, except for steps, which me/me.h takes with the
// equations of all. Until the end of the initialization the plan of the whole system orders the values that
// travel between members.
#include "group/group_instance.h"

#include "me/jacobian.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A step failed at events after so many of them, or of updates: then the members that had events are named.
enum { MANY_EVENTS = 500 };

// The integrator controls the error of single steps, and these errors add up. No error comes from the coupling,
// so that the tolerance can be held for the whole run: single steps get a fraction of it, as far as rounding allows.
static const double LOCAL_FACTOR = 0.1, LEAST_RELATIVE = 1e-12;

// ---- creation ------------------------------------------------------------------------------------------

static void group_destroy(takt_instance *instance)
{
    takt_group *group = (takt_group *)instance;
    if (!group) return;
    takt_me_clear(&group->me);
    for (int m = 0; m < group->n_members; m++)
        if (group->members[m]) group->members[m]->type->destroy(group->members[m]);
    takt_flow_clear(&group->flow);
    takt_group_transfer_clear(&group->transfer);
    takt_splitter_clear(&group->splitter);
    takt_arena_clear(&group->arena);
    free(group);
}

static takt_status make_members(takt_group *group, takt_error *err)
{
    const takt_system *inner = &group->model->continuous;
    size_t n = (size_t)inner->n_components;
    group->members = takt_arena_array(&group->arena, n, sizeof *group->members);
    group->equations = takt_arena_array(&group->arena, n, sizeof *group->equations);
    group->active = takt_arena_array(&group->arena, n, sizeof *group->active);
    group->changed = takt_arena_array(&group->arena, n, sizeof *group->changed);
    group->first_state = takt_arena_array(&group->arena, n + 1, sizeof *group->first_state);
    group->first_indicator = takt_arena_array(&group->arena, n + 1, sizeof *group->first_indicator);
    if (!group->members || !group->equations || !group->active || !group->changed ||
        !group->first_state || !group->first_indicator)
        return takt_fail_memory(err);
    group->n_members = inner->n_components;
    for (int m = 0; m < group->n_members; m++) {
        const takt_component *c = &inner->components[m];
        takt_status st = c->model->type->instantiate(c->model, c->name, group->base.log,
                                                     &group->members[m], err);
        if (st) return takt_within(err, st, "member '%s'", c->name);
        takt_me *me = c->model->type->equations->me(group->members[m]);
        group->equations[m] = me;
        group->first_state[m + 1] = group->first_state[m] + me->n_states;
        group->first_indicator[m + 1] = group->first_indicator[m] + me->n_indicators;
    }
    return TAKT_OK;
}

// The smaller of two numbers, where 0 stands for none.
static double smaller(double a, double b)
{
    return !(a > 0) || (b > 0 && b < a) ? b : a;
}

// All get the solver of the first member: warns where another member should have had another solver.
static void warn_of_solver(const takt_group *group, int m)
{
    takt_ode_method used = group->equations[0]->options.method;
    takt_ode_method own = group->equations[m]->options.method;
    if (own == used) return;
    takt_log_write(group->base.log, TAKT_LEVEL_WARN,
                   "'%s' is integrated together with '%s', by %s, not by its own solver %s",
                   group->members[m]->name, group->members[0]->name, takt_ode_method_name(used),
                   takt_ode_method_name(own));
}

// The solver of the first member, and the smallest tolerance and step of all.
static takt_me_options choose_options(const takt_group *group)
{
    takt_me_options options = {.method = group->equations[0]->options.method};
    for (int m = 0; m < group->n_members; m++) {
        const takt_me_options *own = &group->equations[m]->options;
        options.relative = smaller(options.relative, own->relative);
        options.h_fixed = smaller(options.h_fixed, own->h_fixed);
        warn_of_solver(group, m);
    }
    return options;
}

static takt_status make_rest(takt_group *group, takt_error *err)
{
    const takt_group_model *model = group->model;
    int n_x = group->first_state[group->n_members], n_g = group->first_indicator[group->n_members];
    size_t n_u = (size_t)model->flow->n_inputs[TAKT_KIND_REAL];
    group->x = takt_arena_array(&group->arena, (size_t)n_x, sizeof *group->x);
    group->indicators = takt_arena_array(&group->arena, 2 * (size_t)n_g, sizeof *group->indicators);
    group->u_before = takt_arena_array(&group->arena, n_u, sizeof *group->u_before);
    bool ok = group->x && group->indicators && group->u_before &&
              takt_flow_init(&group->flow, model->flow, group->members, &group->trouble) &&
              takt_group_transfer_init(&group->transfer, model->transfer, group->members);
    if (!ok) return takt_fail_memory(err);
    const takt_me_options options = choose_options(group);
    takt_pattern pattern;
    takt_status st =
        takt_me_init(&group->me, &group->base, &takt_group_calls, n_x, n_g, &options, err);
    group->me.n_kept = takt_flow_n_guesses(&group->flow);
    if (st || (options.method != TAKT_CVODE_BDF && options.method != TAKT_CVODE_ADAMS)) return st;
    if (!takt_group_pattern(model, group->first_state, &group->arena, &pattern))
        return takt_fail_memory(err);
    return pattern.n_rows ? takt_me_jacobian_create(&group->me, &pattern, err) : TAKT_OK;
}

static takt_status group_instantiate(const takt_model *model, const char *name, takt_log *log,
                                     takt_instance **out, takt_error *err)
{
    takt_group *group = calloc(1, sizeof *group);
    if (!group) return takt_fail_memory(err);
    group->base =
        (takt_instance){.type = &takt_group_type, .model = model, .name = name, .log = log};
    group->model = (const takt_group_model *)model;
    group->splitter.model = group->model;
    takt_status st = make_members(group, err);
    if (!st) st = make_rest(group, err);
    if (st)
        group_destroy(&group->base);
    else
        *out = &group->base;
    return st;
}

// Puts what is known about its cause in front of an error.
static takt_status explain(const takt_group *group, takt_status st, takt_error *err)
{
    enum { SHOWN = 6 };
    if (st != TAKT_ERR_SIMULATION) return st;
    if (group->trouble.text[0] && (!err || !strstr(err->message, group->trouble.text)))
        return takt_within(err, st, "%s", group->trouble.text);
    if (group->me.n_events < MANY_EVENTS && group->n_updates < MANY_EVENTS) return st;
    char names[256] = "";
    size_t length = 0;
    int n = 0;
    for (int m = 0; m < group->n_members; m++) {
        if (!group->active[m] || n++ >= SHOWN) continue;
        int added = snprintf(names + length, sizeof names - length, "%s'%s'", n > 1 ? ", " : "",
                             group->members[m]->name);
        if (added > 0 && length + (size_t)added < sizeof names) length += (size_t)added;
    }
    return n ? takt_within(err, st, "events of %s%s", names, n > SHOWN ? ", ..." : "") : st;
}

static takt_status group_enter_initialization(takt_instance *instance,
                                              const takt_interval *interval, takt_error *err)
{
    takt_group *group = (takt_group *)instance;
    if (!(group->me.options.relative > 0) && interval->has_tolerance)
        group->me.options.relative = interval->tolerance;
    group->me.t = interval->start;
    for (int m = 0; m < group->n_members; m++) {
        takt_instance *member = group->members[m];
        takt_status st = member->type->enter_initialization(member, interval, err);
        if (st) return takt_group_fail(group, m, st, err);
    }
    return TAKT_OK;
}

// Each member first comes to rest on its own, then all together.
static takt_status group_exit_initialization(takt_instance *instance, takt_error *err)
{
    takt_group *group = (takt_group *)instance;
    takt_me *me = &group->me;
    group->t = me->t;
    for (int m = 0; m < group->n_members; m++) {
        takt_instance *member = group->members[m];
        takt_status st = member->type->exit_initialization(member, err);
        if (st) return takt_group_fail(group, m, st, err);
        me->terminates |= group->equations[m]->terminates;
    }
    group->is_stepping = true;
    if (me->terminates) return TAKT_OK;
    double tolerance = me->options.relative > 0 ? me->options.relative : TAKT_ME_TOLERANCE;
    me->options.relative = fmax(LOCAL_FACTOR * tolerance, fmin(tolerance, LEAST_RELATIVE));
    takt_flow_set_tolerance(&group->flow, me->options.relative);
    takt_status st = takt_group_calls.enter_events(instance, err);
    if (!st) st = takt_me_start(me, me->t, err);
    if (!st) memcpy(group->x, me->x, (size_t)me->n_states * sizeof *me->x);
    return explain(group, st, err);
}

static takt_status group_terminate(takt_instance *instance, takt_error *err)
{
    takt_group *group = (takt_group *)instance;
    for (int m = 0; m < group->n_members; m++) {
        takt_instance *member = group->members[m];
        takt_status st = member->type->terminate ? member->type->terminate(member, err) : TAKT_OK;
        if (st) return takt_group_fail(group, m, st, err);
    }
    return TAKT_OK;
}

// ---- values ----------------------------------------------------------------------------------------

takt_status takt_group_set(takt_instance *instance, const takt_access *access,
                           const takt_values *values, takt_error *err)
{
    takt_group *group = (takt_group *)instance;
    const takt_split *split = takt_splitter_find(&group->splitter, access);
    if (!split) return takt_fail_memory(err);
    takt_status st = TAKT_OK;
    group->is_flown = false;
    for (int i = 0; i < split->n_portions && !st; i++) {
        const takt_portion *portion = &split->portions[i];
        takt_instance *member = group->members[portion->member];
        if (!takt_portion_fill(portion, values)) return takt_fail_memory(err);
        st = group->is_stepping
                 ? takt_equations_set(member, &portion->access, &portion->values, err)
                 : member->type->set(member, &portion->access, &portion->values, err);
        if (st) return takt_group_fail(group, portion->member, st, err);
    }
    return st;
}

static takt_status group_set(takt_instance *instance, const takt_access *access,
                             const takt_values *values, takt_error *err)
{
    takt_group *group = (takt_group *)instance;
    takt_status st = group->is_stepping ? takt_me_prepare_set(&group->me, access, err) : TAKT_OK;
    return st ? st : takt_group_set(instance, access, values, err);
}

static takt_status group_set_motion(takt_instance *instance, double t, const takt_access *inputs,
                                    int order, const double *derivatives, takt_error *err)
{
    return takt_me_set_motion(&((takt_group *)instance)->me, t, inputs, order, derivatives, err);
}

static takt_status group_get(takt_instance *instance, const takt_access *access,
                             takt_values *values, takt_error *err)
{
    takt_group *group = (takt_group *)instance;
    const takt_split *split = takt_splitter_find(&group->splitter, access);
    if (!split) return takt_fail_memory(err);
    bool is_flowing = group->is_stepping && !group->me.terminates;
    takt_status st = is_flowing ? takt_group_flow_surely(group, err) : TAKT_OK;
    for (int i = 0; i < split->n_portions && !st; i++) {
        takt_portion *portion = &split->portions[i];
        takt_instance *member = group->members[portion->member];
        st = member->type->get(member, &portion->access, &portion->values, err);
        if (st) return takt_group_fail(group, portion->member, st, err);
        if (!takt_portion_return(portion, values)) return takt_fail_memory(err);
    }
    return st;
}

static takt_status group_step(takt_instance *instance, double t, double h, bool is_final,
                              takt_step_result *result, takt_error *err)
{
    takt_group *group = (takt_group *)instance;
    group->trouble.text[0] = 0;
    group->n_updates = 0;
    return explain(group, takt_me_step(&group->me, t, h, is_final, result, err), err);
}

// ---- states ----------------------------------------------------------------------------------------

// What takt_me_state::fmu is for a group: a saved state of each member.
static void **member_states(const takt_me_state *state)
{
    return state->fmu;
}

// Saves what the group itself has of a state, with room for the states of its members.
static takt_status save_own(takt_group *group, void **state, takt_error *err)
{
    takt_me_state *saved = *state;
    takt_status st = takt_me_save(&group->me, &saved, err);
    *state = saved;
    if (st) return st;
    if (!saved->fmu) saved->fmu = calloc((size_t)group->n_members, sizeof(void *));
    return saved->fmu ? TAKT_OK : takt_fail_memory(err);
}

static takt_status group_save(takt_instance *instance, void **state, takt_error *err)
{
    takt_group *group = (takt_group *)instance;
    takt_status st = save_own(group, state, err);
    if (st) return st;
    const takt_me_state *saved = *state;
    for (int m = 0; m < group->n_members; m++) {
        takt_instance *member = group->members[m];
        takt_me *me = group->equations[m];
        me->t = group->me.t;
        memcpy(me->x, group->me.x + group->first_state[m], (size_t)me->n_states * sizeof *me->x);
        st = member->type->save(member, &member_states(saved)[m], err);
        if (st) return takt_group_fail(group, m, st, err);
    }
    return TAKT_OK;
}

// A member that cannot save its state is in continuous-time mode after restoring: it follows the others.
static takt_status follow_mode(takt_group *group, int m, takt_error *err)
{
    takt_me *me = group->equations[m];
    if (me->is_in_events == group->me.is_in_events || group->me.terminates) return TAKT_OK;
    me->is_in_events = group->me.is_in_events;
    return me->is_in_events ? me->calls->enter_events(group->members[m], err)
                            : me->calls->enter_continuous(group->members[m], err);
}

static takt_status restore_parts(takt_instance *instance, void *state, takt_error *err)
{
    takt_group *group = (takt_group *)instance;
    const takt_me_state *saved = state;
    takt_status st = takt_me_restore(&group->me, saved, err);
    for (int m = 0; m < group->n_members && !st; m++) {
        takt_instance *member = group->members[m];
        st = member->type->restore(member, member_states(saved)[m], err);
        if (!st) st = follow_mode(group, m, err);
        if (st) return takt_group_fail(group, m, st, err);
    }
    group->t = saved->t;
    memcpy(group->x, saved->x, (size_t)group->me.n_states * sizeof *group->x);
    return st;
}

static void forget_flow(takt_group *group)
{
    group->is_flown = false;
    takt_flow_forget(&group->flow);
}

static takt_status group_restore(takt_instance *instance, void *state, takt_error *err)
{
    takt_group *group = (takt_group *)instance;
    takt_status st = restore_parts(instance, state, err);
    forget_flow(group);
    group->transfer.has_values = false;
    if (!st) st = takt_me_relive(&group->me, state, restore_parts, err);
    if (group->me.needs_restart) forget_flow(group);
    return st;
}

static void group_free_state(takt_instance *instance, void **state)
{
    takt_group *group = (takt_group *)instance;
    takt_me_state *saved = *state;
    if (saved && saved->fmu) {
        void **states = member_states(saved);
        for (int m = 0; m < group->n_members; m++)
            if (states[m]) group->members[m]->type->free_state(group->members[m], &states[m]);
        free(saved->fmu);
        saved->fmu = NULL;
    }
    takt_me_free_state(&group->me, &saved);
    *state = NULL;
}

// The bytes of the group, then for each member their number and its bytes.
static takt_status group_serialize(takt_instance *instance, void *state, takt_bytes *out,
                                   takt_error *err)
{
    takt_group *group = (takt_group *)instance;
    const takt_me_state *saved = state;
    takt_packer packer = {.out = out};
    takt_bytes bytes = {0};
    takt_status st = TAKT_OK;
    out->size = 0;
    takt_me_pack(&group->me, saved, &packer);
    for (int m = 0; m < group->n_members && !st; m++) {
        takt_instance *member = group->members[m];
        st = member->type->serialize(member, member_states(saved)[m], &bytes, err);
        if (st) takt_group_fail(group, m, st, err);
        takt_pack_integer(&packer, (int64_t)bytes.size);
        takt_pack(&packer, bytes.data, bytes.size);
    }
    takt_bytes_clear(&bytes);
    return !st && packer.failed ? takt_fail_memory(err) : st;
}

static takt_status group_deserialize(takt_instance *instance, const void *data, size_t size,
                                     void **state, takt_error *err)
{
    takt_group *group = (takt_group *)instance;
    takt_unpacker unpacker = {.next = data, .left = size};
    takt_status st = save_own(group, state, err);
    if (st) return st;
    takt_me_state *saved = *state;
    takt_me_unpack(&group->me, saved, &unpacker);
    for (int m = 0; m < group->n_members; m++) {
        takt_instance *member = group->members[m];
        int64_t n = takt_unpack_integer(&unpacker, 0, INT64_MAX);
        const char *bytes = takt_unpack_place(&unpacker, (size_t)n);
        if (!bytes) break;
        st = member->type->deserialize(member, bytes, (size_t)n, &member_states(saved)[m], err);
        if (st) return takt_group_fail(group, m, st, err);
    }
    return takt_unpack_end(&unpacker, err);
}

static bool group_work(const takt_instance *instance, int i_member, takt_work *out)
{
    const takt_group *group = (const takt_group *)instance;
    if (i_member >= group->n_members) return false;
    const takt_me *me = group->equations[i_member];
    *out = (takt_work){group->members[i_member]->name, me->n_derivatives, me->n_directional};
    return true;
}

static const takt_instance *group_member(const takt_instance *instance, int i_member)
{
    const takt_group *group = (const takt_group *)instance;
    return i_member < group->n_members ? group->members[i_member] : NULL;
}

const takt_instance_type takt_group_type = {
    .name = "group for model exchange",
    .instantiate = group_instantiate,
    .destroy = group_destroy,
    .enter_initialization = group_enter_initialization,
    .exit_initialization = group_exit_initialization,
    .set = group_set,
    .get = group_get,
    .step = group_step,
    .terminate = group_terminate,
    .save = group_save,
    .restore = group_restore,
    .free_state = group_free_state,
    .serialize = group_serialize,
    .deserialize = group_deserialize,
    .set_motion = group_set_motion,
    .work = group_work,
    .member = group_member,
    .close_model = takt_group_model_close,
};
