// SPDX-License-Identifier: MIT
// The equations of all members as those of one instance: states, derivatives and event indicators lie one
// after the other, member by member. Before derivatives or indicators are read, the flow brings outputs to
// inputs. At an event all members are updated, and values passed on, until nothing changes (FMI 2.0.5,
// section 3.2.2: all FMUs that are connected iterate together).
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "group/group_instance.h"

// Signs of indicators are watched after so many events at the same time: the members in which one changes are
// named if this turns out to be chattering.
enum { SUSPICIOUS_EVENTS = 100 };

static int n_states(const takt_group *group, int m)
{
    return group->equations[m]->n_states;
}

static int n_indicators(const takt_group *group, int m)
{
    return group->equations[m]->n_indicators;
}

// ---- time, states and the flow -------------------------------------------------------------------

static takt_status set_time(takt_instance *instance, double t, takt_error *err)
{
    takt_group *group = (takt_group *)instance;
    if (t != group->t) group->is_flown = false;
    group->t = t;
    for (int m = 0; m < group->n_members; m++) {
        group->equations[m]->t = t;
        takt_status st = group->equations[m]->calls->set_time(group->members[m], t, err);
        if (st) return takt_group_fail(group, m, st, err);
    }
    return TAKT_OK;
}

static takt_status set_states(takt_instance *instance, const double *x, int n,
                              takt_ode_answer *answer, takt_error *err)
{
    takt_group *group = (takt_group *)instance;
    size_t size = (size_t)n * sizeof *x;
    if (memcmp(group->x, x, size) != 0) group->is_flown = false;
    memcpy(group->x, x, size);
    for (int m = 0; m < group->n_members; m++) {
        takt_me *me = group->equations[m];
        const double *own = x + group->first_state[m];
        if (me->n_states == 0) continue;
        memcpy(me->x, own, (size_t)me->n_states * sizeof *own);
        takt_status st = me->calls->set_states(group->members[m], own, me->n_states, answer, err);
        if (st) return takt_group_fail(group, m, st, err);
        if (*answer == TAKT_ODE_FINE) continue;
        snprintf(group->trouble.text, sizeof group->trouble.text,
                 "member '%s' refuses its continuous states at t=%.15g s (discard)",
                 group->members[m]->name, group->t);
        group->is_flown = false;
        return TAKT_OK;
    }
    return TAKT_OK;
}

takt_status takt_group_flow(takt_group *group, takt_ode_answer *answer, takt_error *err)
{
    if (group->is_flown) return TAKT_OK;
    takt_status st = takt_flow_run(&group->flow, group->t, answer, err);
    group->is_flown = !st && *answer == TAKT_ODE_FINE;
    return st;
}

takt_status takt_group_flow_surely(takt_group *group, takt_error *err)
{
    takt_ode_answer answer = TAKT_ODE_FINE;
    takt_status st = takt_group_flow(group, &answer, err);
    if (st || answer == TAKT_ODE_FINE) return st;
    return takt_fail(err, TAKT_ERR_SIMULATION, "%s", group->trouble.text);
}

// Reads a number per state from every member, by one of two functions.
static takt_status read_all(takt_group *group, bool is_nominal, double *out, takt_error *err)
{
    for (int m = 0; m < group->n_members; m++) {
        const takt_me_interface *calls = group->equations[m]->calls;
        if (n_states(group, m) == 0) continue;
        takt_status st = (is_nominal ? calls->get_nominals : calls->get_states)(
            group->members[m], out + group->first_state[m], n_states(group, m), err);
        if (st) return takt_group_fail(group, m, st, err);
    }
    return TAKT_OK;
}

static takt_status get_states(takt_instance *instance, double *x, int n, takt_error *err)
{
    (void)n;
    return read_all((takt_group *)instance, false, x, err);
}

static takt_status get_nominals(takt_instance *instance, double *nominal, int n, takt_error *err)
{
    (void)n;
    return read_all((takt_group *)instance, true, nominal, err);
}

// ---- derivatives and indicators --------------------------------------------------------------------

// Describes the trouble with the derivatives of member m: one is not finite, or the member refuses them.
static void check(takt_group *group, int m, const double *dx, takt_ode_answer *answer)
{
    takt_trouble *trouble = &group->trouble;
    const char *name = group->members[m]->name;
    if (*answer != TAKT_ODE_FINE)
        snprintf(trouble->text, sizeof trouble->text,
                 "member '%s' cannot be evaluated at t=%.15g s (discard)", name, group->t);
    for (int i = 0; i < n_states(group, m) && *answer == TAKT_ODE_FINE; i++) {
        if (isfinite(dx[i])) continue;
        *answer = TAKT_ODE_TOO_FAR;
        snprintf(trouble->text, sizeof trouble->text,
                 "member '%s': the derivative of continuous state %d of %d is %g at t=%.15g s",
                 name, i + 1, n_states(group, m), dx[i], group->t);
    }
}

static takt_status get_derivatives(takt_instance *instance, double *dx, int n,
                                   takt_ode_answer *answer, takt_error *err)
{
    (void)n;
    takt_group *group = (takt_group *)instance;
    takt_status st = takt_group_flow(group, answer, err);
    if (st) return st;
    for (int m = 0; m < group->n_members && *answer == TAKT_ODE_FINE; m++) {
        double *own = dx + group->first_state[m];
        if (n_states(group, m) == 0) continue;
        group->equations[m]->n_derivatives++;
        st = group->equations[m]->calls->get_derivatives(group->members[m], own, n_states(group, m),
                                                         answer, err);
        if (st) return takt_group_fail(group, m, st, err);
        check(group, m, own, answer);
    }
    return TAKT_OK;
}

static takt_status get_indicators(takt_instance *instance, double *g, int n,
                                  takt_ode_answer *answer, takt_error *err)
{
    (void)n;
    takt_group *group = (takt_group *)instance;
    takt_status st = takt_group_flow(group, answer, err);
    for (int m = 0; m < group->n_members && !st && *answer == TAKT_ODE_FINE; m++) {
        if (n_indicators(group, m) == 0) continue;
        st = group->equations[m]->calls->get_indicators(
            group->members[m], g + group->first_indicator[m], n_indicators(group, m), answer, err);
        if (st) return takt_group_fail(group, m, st, err);
    }
    return st;
}

// ---- events ----------------------------------------------------------------------------------------

static takt_status completed_step(takt_instance *instance, bool is_final, bool *has_event,
                                  bool *terminates, takt_error *err)
{
    takt_group *group = (takt_group *)instance;
    takt_status st = takt_group_flow_surely(group, err);
    for (int m = 0; m < group->n_members && !st; m++) {
        bool own_event = false, own_end = false;
        st = group->equations[m]->calls->completed_step(group->members[m], is_final, &own_event,
                                                        &own_end, err);
        if (st) return takt_group_fail(group, m, st, err);
        *has_event |= own_event;
        *terminates |= own_end;
    }
    return st;
}

// Marks the members with indicators on the other side of zero than after the last event.
static takt_status watch_indicators(takt_group *group, takt_error *err)
{
    takt_ode_answer answer = TAKT_ODE_FINE;
    double *last = group->indicators, *now = last + group->me.n_indicators;
    takt_status st = get_indicators(&group->base, now, group->me.n_indicators, &answer, err);
    for (int m = 0; m < group->n_members && !st && answer == TAKT_ODE_FINE; m++)
        for (int i = group->first_indicator[m]; i < group->first_indicator[m + 1]; i++)
            group->active[m] |= (last[i] > 0) != (now[i] > 0);
    if (!st && answer == TAKT_ODE_FINE)
        memcpy(last, now, (size_t)group->me.n_indicators * sizeof *now);
    return st;
}

static takt_status enter_events(takt_instance *instance, takt_error *err)
{
    takt_group *group = (takt_group *)instance;
    bool is_suspicious = group->me.n_events > SUSPICIOUS_EVENTS;
    if (!is_suspicious) memset(group->active, 0, (size_t)group->n_members * sizeof *group->active);
    takt_status st = is_suspicious ? watch_indicators(group, err) : TAKT_OK;
    for (int m = 0; m < group->n_members && !st; m++) {
        st = group->equations[m]->calls->enter_events(group->members[m], err);
        if (st) return takt_group_fail(group, m, st, err);
        group->equations[m]->is_in_events = true;
    }
    group->n_updates = 0;
    return st;
}

static takt_status enter_continuous(takt_instance *instance, takt_error *err)
{
    takt_group *group = (takt_group *)instance;
    for (int m = 0; m < group->n_members; m++) {
        takt_status st = group->equations[m]->calls->enter_continuous(group->members[m], err);
        if (st) return takt_group_fail(group, m, st, err);
        group->equations[m]->is_in_events = false;
    }
    group->is_flown = false;
    return group->me.n_events > SUSPICIOUS_EVENTS ? watch_indicators(group, err) : TAKT_OK;
}

// Has a value changed that member m gets from other members? Solutions of loops differ a little each time.
static bool has_new_inputs(const takt_group *group, int m)
{
    const takt_plan_instance *at = &group->flow.plan->instances[m];
    int first = at->first_input[TAKT_KIND_REAL], n = at->inputs.n_values[TAKT_KIND_REAL];
    double relative = group->flow.has_loops ? group->me.options.relative : 0;
    for (int i = first; i < first + n; i++) {
        double before = group->u_before[i], now = group->flow.u[i];
        if (fabs(now - before) > relative * fmax(fabs(before), fabs(now))) return true;
    }
    return false;
}

// Passes values from member to member. Marks in `changed` the members for which one has changed.
static takt_status transport(takt_group *group, takt_error *err)
{
    size_t n = (size_t)group->flow.plan->n_inputs[TAKT_KIND_REAL];
    memset(group->changed, 0, (size_t)group->n_members * sizeof *group->changed);
    memcpy(group->u_before, group->flow.u, n * sizeof *group->u_before);
    takt_status st = takt_group_transfer_run(&group->transfer, group->changed, err);
    group->is_flown = false;
    if (!st) st = takt_group_flow_surely(group, err);
    for (int m = 0; m < group->n_members && !st; m++) group->changed[m] |= has_new_inputs(group, m);
    return st;
}

static takt_status update(takt_instance *instance, takt_me_update *out, takt_error *err)
{
    takt_group *group = (takt_group *)instance;
    *out = (takt_me_update){.next_time = INFINITY};
    takt_status st = group->n_updates++ == 0 ? transport(group, err) : TAKT_OK;
    for (int m = 0; m < group->n_members && !st; m++) {
        takt_me_update own = {.next_time = INFINITY};
        st = group->equations[m]->calls->update(group->members[m], &own, err);
        if (st) return takt_group_fail(group, m, st, err);
        out->needs_update |= own.needs_update;
        out->terminates |= own.terminates;
        out->states_changed |= own.states_changed;
        out->nominals_changed |= own.nominals_changed;
        out->next_time = fmin(out->next_time, own.next_time);
        group->active[m] |= own.needs_update || own.states_changed || own.next_time <= group->t;
    }
    if (st || out->terminates) return st;
    st = transport(group, err);
    for (int m = 0; m < group->n_members && !st; m++) {
        out->needs_update |= group->changed[m];
        group->active[m] |= group->changed[m];
    }
    return st;
}

static takt_status begin(takt_instance *instance, double *kept, bool is_again, takt_error *err)
{
    takt_group *group = (takt_group *)instance;
    group->is_flown = false;
    return takt_flow_begin(&group->flow, group->t, kept, is_again, err);
}

const takt_me_interface takt_group_calls = {
    .begin = begin,
    .set = takt_group_set,
    .set_time = set_time,
    .set_states = set_states,
    .get_states = get_states,
    .get_nominals = get_nominals,
    .get_derivatives = get_derivatives,
    .get_indicators = get_indicators,
    .completed_step = completed_step,
    .enter_events = enter_events,
    .update = update,
    .enter_continuous = enter_continuous,
};
