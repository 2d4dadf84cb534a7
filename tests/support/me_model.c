// SPDX-License-Identifier: MIT
// Plain C models for model exchange: integrated by me/me.h alone, or in a group. They complain when they are
// called in the wrong mode.
#include "support/model.h"

#include "support/memory.h"
#include "support/test.h"

static takt_status check_mode(const test_instance *at, bool is_in_events, const char *call,
                              takt_error *err)
{
    if (at->is_in_events == is_in_events) return TAKT_OK;
    return takt_fail(err, TAKT_ERR_SIMULATION, "%s: %s called in %s mode", at->base.name, call,
                     at->is_in_events ? "event" : "continuous-time");
}

// ---- the equations -------------------------------------------------------------------------------

static takt_status set_time(takt_instance *base, double t, takt_error *err)
{
    test_instance *at = (test_instance *)base;
    at->time = t;
    return check_mode(at, false, "set_time", err);
}

static takt_status set_states(takt_instance *base, const double *x, int n, takt_ode_answer *answer,
                              takt_error *err)
{
    test_instance *at = (test_instance *)base;
    (void)answer;
    memcpy(at->state, x, (size_t)n * sizeof *x);
    return check_mode(at, false, "set_states", err);
}

static takt_status get_states(takt_instance *base, double *x, int n, takt_error *err)
{
    (void)err;
    memcpy(x, ((test_instance *)base)->state, (size_t)n * sizeof *x);
    return TAKT_OK;
}

static takt_status get_nominals(takt_instance *base, double *nominal, int n, takt_error *err)
{
    (void)base, (void)err;
    for (int i = 0; i < n; i++) nominal[i] = 1;
    return TAKT_OK;
}

static takt_status get_derivatives(takt_instance *base, double *dx, int n, takt_ode_answer *answer,
                                   takt_error *err)
{
    test_instance *at = (test_instance *)base;
    (void)n, (void)answer;
    at->model->derivatives(at, dx);
    if (at->model->fault == TEST_GIVES_NAN && at->time > at->model->fault_time) dx[0] = NAN;
    if (at->model->fault == TEST_FAILS && at->time > at->model->fault_time)
        return takt_fail(err, TAKT_ERR_SIMULATION, "%s: fails on request", base->name);
    return TAKT_OK;
}

static takt_status get_indicators(takt_instance *base, double *g, int n, takt_ode_answer *answer,
                                  takt_error *err)
{
    test_instance *at = (test_instance *)base;
    (void)n, (void)answer, (void)err;
    at->model->indicators(at, g);
    return TAKT_OK;
}

static takt_status completed_step(takt_instance *base, bool is_final, bool *has_event,
                                  bool *terminates, takt_error *err)
{
    (void)is_final, (void)has_event, (void)terminates;
    return check_mode((test_instance *)base, false, "completed_step", err);
}

static takt_status enter_events(takt_instance *base, takt_error *err)
{
    test_instance *at = (test_instance *)base;
    takt_status st = check_mode(at, false, "enter_events", err);
    at->is_in_events = true;
    at->counts.enter_events++;
    at->model->counts.enter_events++;
    return st;
}

static takt_status update(takt_instance *base, takt_me_update *out, takt_error *err)
{
    test_instance *at = (test_instance *)base;
    *out = (takt_me_update){.next_time = INFINITY};
    at->counts.update_events++;
    at->model->counts.update_events++;
    if (at->model->update) at->model->update(at, out);
    return check_mode(at, true, "update", err);
}

static takt_status enter_continuous(takt_instance *base, takt_error *err)
{
    test_instance *at = (test_instance *)base;
    takt_status st = check_mode(at, true, "enter_continuous", err);
    at->is_in_events = false;
    return st;
}

static takt_status me_set_raw(takt_instance *base, const takt_access *access,
                              const takt_values *values, takt_error *err)
{
    test_instance *at = (test_instance *)base;
    takt_status st = TAKT_OK;
    for (int g = 0; g < access->n_batches && !st && at->counts.exit; g++)
        for (int i = 0; i < access->batches[g].n_values && !st; i++)
            if (base->model->variables[access->batches[g].variables[i]].variability !=
                TAKT_CONTINUOUS)
                st = check_mode(at, true, "set of a discrete variable", err);
    return st ? st : test_instance_type.set(base, access, values, err);
}

static const takt_me_interface calls = {
    me_set_raw,     set_time,       set_states,   get_states, get_nominals,     get_derivatives,
    get_indicators, completed_step, enter_events, update,     enter_continuous, NULL,
};

// ---- as an instance --------------------------------------------------------------------------------

static takt_me *me_part(takt_instance *base)
{
    return &((test_instance *)base)->me;
}

static void me_destroy(takt_instance *base)
{
    if (base) takt_me_clear(me_part(base));
    test_instance_type.destroy(base);
}

static takt_status me_instantiate(const takt_model *model, const char *name, takt_log *log,
                                  takt_instance **out, takt_error *err)
{
    takt_instance *instance = NULL;
    test_memory_pause(1); // what the test itself needs
    takt_status st = test_instance_type.instantiate(model, name, log, &instance, err);
    test_memory_pause(0);
    if (st) return st;
    const test_model *definition = ((test_instance *)instance)->model;
    st = takt_me_init(me_part(instance), instance, &calls, definition->n_states,
                      definition->n_indicators, &definition->options, err);
    if (st)
        me_destroy(instance);
    else
        *out = instance;
    return st;
}

static takt_status me_exit_initialization(takt_instance *base, takt_error *err)
{
    test_instance *at = (test_instance *)base;
    takt_status st = test_instance_type.exit_initialization(base, err);
    at->is_in_events = true;
    return st ? st : takt_me_start(&at->me, at->time, err);
}

static takt_status me_set(takt_instance *base, const takt_access *access, const takt_values *values,
                          takt_error *err)
{
    test_instance *at = (test_instance *)base;
    takt_status st = at->counts.exit ? takt_me_prepare_set(&at->me, access, err) : TAKT_OK;
    return st ? st : me_set_raw(base, access, values, err);
}

static takt_status me_step(takt_instance *base, double t, double h, bool is_final,
                           takt_step_result *result, takt_error *err)
{
    ((test_instance *)base)->counts.step++;
    ((test_instance *)base)->model->counts.step++;
    return takt_me_step(me_part(base), t, h, is_final, result, err);
}

static takt_status me_save(takt_instance *base, void **state, takt_error *err)
{
    takt_me_state *saved = *state;
    takt_status st = takt_me_save(me_part(base), &saved, err);
    *state = saved;
    return st ? st : test_instance_type.save(base, &saved->fmu, err);
}

static takt_status me_restore(takt_instance *base, void *state, takt_error *err)
{
    const takt_me_state *saved = state;
    takt_status st = test_instance_type.restore(base, saved->fmu, err);
    ((test_instance *)base)->is_in_events = saved->is_in_events;
    return st ? st : takt_me_restore(me_part(base), saved, err);
}

static void me_free_state(takt_instance *base, void **state)
{
    takt_me_state *saved = *state;
    if (saved) test_instance_type.free_state(base, &saved->fmu);
    takt_me_free_state(me_part(base), &saved);
    *state = NULL;
}

static bool me_work(const takt_instance *base, int i_member, takt_work *out)
{
    const takt_me *me = &((const test_instance *)base)->me;
    *out = (takt_work){base->name, me->n_derivatives, me->n_directional};
    return i_member == 0;
}

static takt_status me_enter_initialization(takt_instance *base, const takt_interval *interval,
                                           takt_error *err)
{
    return test_instance_type.enter_initialization(base, interval, err);
}

static takt_status me_get(takt_instance *base, const takt_access *access, takt_values *values,
                          takt_error *err)
{
    return test_instance_type.get(base, access, values, err);
}

static takt_status me_terminate(takt_instance *base, takt_error *err)
{
    return test_instance_type.terminate(base, err);
}

static void me_close_model(takt_model *model)
{
    test_instance_type.close_model(model);
}

static const takt_equations equations = {.me = me_part};

const takt_instance_type test_me_instance_type = {
    .name = "plain C for model exchange",
    .instantiate = me_instantiate,
    .destroy = me_destroy,
    .enter_initialization = me_enter_initialization,
    .exit_initialization = me_exit_initialization,
    .set = me_set,
    .get = me_get,
    .step = me_step,
    .terminate = me_terminate,
    .save = me_save,
    .restore = me_restore,
    .free_state = me_free_state,
    .equations = &equations,
    .work = me_work,
    .close_model = me_close_model,
};
