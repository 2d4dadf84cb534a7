// SPDX-License-Identifier: MIT
// System, plan and their descriptions when memory is exhausted: every allocation fails once.
#include "support/memory.h"
#include "support/system.h"

#include "plan/plan.h"
#include "system/describe.h"

static const test_variable variables[] = {{"u", TAKT_INPUT, .start = "0"},
                                          {"k", TAKT_PARAMETER, .start = "0"},
                                          {"s", TAKT_PARAMETER, .type = TAKT_STRING, .start = ""},
                                          {"y", TAKT_OUTPUT, .depends = "u"},
                                          {"z", .causality = TAKT_OUTPUT},
                                          {0}};

// Steps on trial show that z is behind a state.
static void integrate(test_instance *at, double t, double h)
{
    (void)t;
    at->state[0] += h * at->real[0];
}

static void show(test_instance *at)
{
    at->real[4] = at->state[0];
}

static test_model models[] = {
    {"Gain", variables, .can = {.rewind = true, .once_per_process = true}},
    {"Other", .variables = variables, .output = show, .step = integrate,
     .can = {.variable_step = true}},
    {0}};

// Models and instances themselves always get memory.
static takt_instance_type type;

static takt_status instantiate(const takt_model *model, const char *name, takt_log *log,
                               takt_instance **out, takt_error *err)
{
    test_memory_pause(1);
    takt_status st = test_instance_type.instantiate(model, name, log, out, err);
    test_memory_pause(0);
    return st;
}

static takt_status open_model(void *context, const takt_model_source *source, takt_model **out,
                              takt_error *err)
{
    test_memory_pause(1);
    takt_status st = test_model_open(context, source, out, err);
    test_memory_pause(0);
    if (!st) (*out)->type = &type;
    return st;
}

static takt_status describe(const takt_plan *plan, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (int format = TAKT_FORMAT_TEXT; format <= TAKT_FORMAT_DOT && !st; format++) {
        char *text = NULL;
        st = takt_plan_describe(plan, (takt_format)format, &text, err);
        free(text);
        text = NULL;
        if (!st && format != TAKT_FORMAT_DOT)
            st = takt_system_describe_content(plan->system, (takt_format)format, &text, err);
        free(text);
    }
    return st;
}

static void attempt(void *context)
{
    takt_project *project = context;
    takt_system *system = NULL;
    takt_plan *plan = NULL;
    takt_error err = {0};
    takt_status st = takt_system_make(project, open_model, models, &system, &err);
    if (!st) st = takt_plan_create(system, &plan, &err);
    if (!st) st = describe(plan, &err);
    int has_failed = test_memory_has_failed();
    takt_plan_destroy(plan);
    takt_system_destroy(system);
    if (st) assert_int_equal(st, TAKT_ERR_MEMORY);
    if (st) assert_string_equal(err.message, "out of memory");
    assert_int_equal(st, has_failed ? TAKT_ERR_MEMORY : TAKT_OK);
}

static void exhausted_memory_is_reported_everywhere(void **state)
{
    (void)state;
    test_system s;
    type = test_instance_type;
    type.instantiate = instantiate;
    test_project_init(&s, "A:Gain B:Other C:Other D:Other", "A.y>B.u B.y>C.u C.z>A.u D.y>D.u",
                      "algorithm=jacobi algorithm=C=seidel record=*.y record=A.*");
    assert_int_equal(takt_project_set_value(s.project, "A.s=a text", NULL), TAKT_OK);
    assert_int_equal(takt_project_set_value(s.project, "B.k=5", NULL), TAKT_OK);
    assert_true(test_memory_fail_each(attempt, s.project) > 50);
    test_system_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(exhausted_memory_is_reported_everywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
