// SPDX-License-Identifier: MIT
// A run when memory is exhausted: every allocation fails once.
#include "support/memory.h"

#include "unit/run/models.h"

static test_coupling c;

// Real values, integers and texts that grow, through a loop.
static const test_variable talker_variables[] = {
    {"u", TAKT_INPUT, .start = "0"},
    {"n_in", TAKT_INPUT, .type = TAKT_INT32, .start = "0"},
    {"text_in", TAKT_INPUT, .type = TAKT_STRING, .start = "x"},
    {"y", TAKT_OUTPUT, .depends = "u"},
    {"n", TAKT_OUTPUT, .type = TAKT_INT32, .depends = "n_in"},
    {"text", TAKT_OUTPUT, .type = TAKT_STRING, .depends = "text_in"},
    {"note", TAKT_PARAMETER, .type = TAKT_STRING, .start = "short"},
    {0},
};
static void talker_output(test_instance *at)
{
    static const char letters[] =
        "a text that becomes longer and longer, so that it needs new memory";
    size_t n = (size_t)(40 * at->time);
    at->real[3] = 0.3 * at->real[0] + at->time;
    at->integer[4] = at->integer[1] > 3 ? 3 : at->integer[1] + 1;
    takt_bytes_assign(&at->bytes[5], letters, n < sizeof letters ? n : sizeof letters - 1);
}

// The instances themselves always get memory.
static const takt_instance_type *real_type;
static takt_instance_type type;

#define PAUSED(call)                                                                               \
    test_memory_pause(1);                                                                          \
    takt_status st = real_type->call;                                                              \
    test_memory_pause(0);                                                                          \
    return st

static takt_status instantiate(const takt_model *model, const char *name, takt_log *log,
                               takt_instance **out, takt_error *err)
{
    PAUSED(instantiate(model, name, log, out, err));
}
static takt_status set(takt_instance *instance, const takt_access *access,
                       const takt_values *values, takt_error *err)
{
    PAUSED(set(instance, access, values, err));
}
static takt_status get(takt_instance *instance, const takt_access *access, takt_values *values,
                       takt_error *err)
{
    PAUSED(get(instance, access, values, err));
}
static takt_status save(takt_instance *instance, void **state, takt_error *err)
{
    PAUSED(save(instance, state, err));
}
static takt_status restore(takt_instance *instance, void *state, takt_error *err)
{
    PAUSED(restore(instance, state, err));
}

static takt_status set_motion(takt_instance *instance, double t, const takt_access *inputs,
                              int order, const double *derivatives, takt_error *err)
{
    PAUSED(set_motion(instance, t, inputs, order, derivatives, err));
}

static void attempt(void *context)
{
    const takt_plan *plan = context;
    takt_run *run = NULL;
    takt_error err = {0};
    takt_progress progress = TAKT_RUNNING;
    takt_status st = takt_run_make(plan, NULL, &run, &err);
    if (!st) st = takt_run_initialize(run, &err);
    for (int i = 0; !st && progress == TAKT_RUNNING; i++) {
        if (i == 1 && !run->automatic) st = takt_run_set_algorithm(run, "quasi-newton", &err);
        if (!st) st = takt_run_step(run, &progress, &err);
    }
    takt_run_destroy(run);
    if (test_memory_has_failed()) {
        assert_int_equal(st, TAKT_ERR_MEMORY);
        assert_contains(err.message, "out of memory");
    } else if (st) {
        fail_msg("%s", err.message);
    }
}

// Fails every allocation of runs of the plan in turn; instances get theirs.
static void fail_each(test_model *models)
{
    const takt_system *system = c.system.system;
    real_type = system->models[0]->type;
    type = *real_type;
    type.instantiate = instantiate;
    type.set = set, type.get = get, type.save = save, type.restore = restore;
    type.set_motion = set_motion;
    for (int k = 0; k < system->n_models; k++) system->models[k]->type = &type;
    assert_true(test_memory_fail_each(attempt, c.plan) > 20);
    for (int k = 0; k < system->n_models; k++) system->models[k]->type = real_type;
    test_uncouple(&c);
    assert_int_equal(models[0].counts.states, 0);
    assert_int_equal(models[0].counts.destroy, models[0].counts.instantiate);
}

static const char *const connections =
    "a.y>b.u b.y>a.u a.n>b.n_in b.n>a.n_in a.text>b.text_in b.text>a.text_in";

static void exhausted_memory_is_reported_everywhere(void **state)
{
    (void)state;
    const char *controls[] = {"fixed", "convergence", "richardson"};
    for (int i = 0; i < 3; i++) {
        test_model models[] = {
            {"Talker", talker_variables, .output = talker_output, REWINDS}, CLOCK, {0}};
        char settings[200];
        snprintf(settings, sizeof settings,
                 "algorithm=fixed-point step-control=%s step-size=0.5 step-max=0.5 step-min=0.1 "
                 "stop-time=2 set=a.note=longer algorithm-at=1:b=newton",
                 controls[i]);
        test_couple(&c, models, "a:Talker b:Talker clock:Clock", connections, settings);
        fail_each(models);
    }
}

static void exhausted_memory_is_reported_by_steps_by_prediction(void **state)
{
    (void)state;
    static const char *const settings[] = {"stop-time=0.1 tolerance=1e-3",
                                           "stop-time=0.1 tolerance=1e-3 output-interval=0",
                                           "stop-time=2 step-size=0.5"};
    for (int i = 0; i < 6; i++) {
        test_model models[] = {
            {"Talker", talker_variables, .output = talker_output, REWINDS}, CLOCK, {0}};
        models[0].can.interpolate_inputs = i < 3;
        test_couple(&c, models, "a:Talker b:Talker clock:Clock", connections, settings[i % 3]);
        assert_non_null(c.run->automatic);
        fail_each(models);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exhausted_memory_is_reported_everywhere),
        cmocka_unit_test(exhausted_memory_is_reported_by_steps_by_prediction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
