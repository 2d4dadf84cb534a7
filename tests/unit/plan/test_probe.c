// SPDX-License-Identifier: MIT
// Steps on trial tell outputs behind states from those that react at once, where models do not say it.
#include "support/system.h"

#include "plan/plan.h"

// Nothing is said about y.
static const test_variable silent_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", .causality = TAKT_OUTPUT}, {0}};
static const test_variable gain_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, .depends = "u"}, {0}};

static void show_state(test_instance *at)
{
    at->real[1] = at->state[0];
}

static void show_input(test_instance *at)
{
    at->real[1] = 2 * at->real[0];
}

static void integrate(test_instance *at, double t, double h)
{
    (void)t;
    at->state[0] += h * (1 + at->real[0]);
}

static void integrate_twice(test_instance *at, double t, double h)
{
    (void)t;
    at->state[0] += h * at->state[1] + h * h / 2 * at->real[0];
    at->state[1] += h * at->real[0];
}

static void copy_in_step(test_instance *at, double t, double h)
{
    (void)t, (void)h;
    at->state[0] = 2 * at->real[0]; // many FMUs compute outputs only here
}

static void multiply(test_instance *at, double t, double h)
{
    (void)t, (void)h;
    at->state[0] = at->real[0] * at->real[0]; // its slope is 0 where it starts
}

static void sample(test_instance *at, double t, double h)
{
    if (t + h > 0.005) at->state[0] = at->real[0];
}

static void ignore(test_instance *at, double t, double h)
{
    (void)t;
    at->state[0] += h; // what it will react to later cannot be known
}

static void mix(test_instance *at, double t, double h)
{
    (void)t;
    at->state[0] += h * at->real[0];
    at->state[1] = at->state[0] + 1e-3 * at->real[0];
}

static void show_mixed(test_instance *at)
{
    at->real[1] = at->state[1];
}

#define REWINDS .can = {.rewind = true, .variable_step = true}

static test_model models[] = {
    {"Gain", gain_variables, .output = show_input, REWINDS},
    {"Integrator", silent_variables, .output = show_state, .step = integrate, REWINDS},
    {"Twice", silent_variables, .output = show_state, .step = integrate_twice, REWINDS},
    {"Direct", silent_variables, .output = show_input, REWINDS},
    {"InStep", silent_variables, .output = show_state, .step = copy_in_step, REWINDS},
    {"Square", silent_variables, .output = show_state, .step = multiply, REWINDS},
    {"Sampled", silent_variables, .output = show_state, .step = sample, REWINDS},
    {"Deaf", silent_variables, .output = show_state, .step = ignore, REWINDS},
    {"Mixed", silent_variables, .output = show_mixed, .step = mix, REWINDS},
    {"Failing", silent_variables, .output = show_state, .step = integrate, REWINDS,
     .fault = TEST_FAILS},
    {"Rigid", silent_variables, .output = show_state, .step = integrate, .can = {.rewind = true}},
    {"Only", silent_variables, .output = show_state, .step = integrate,
     .can = {.rewind = true, .variable_step = true, .once_per_process = true}},
    {0}};

static test_model *find_model(const char *name)
{
    test_model *model = models;
    while (strcmp(model->name, name) != 0) model++;
    return model;
}

// Couples a component of the model with a gain. Is the loop algebraic? `message` is in the log.
static bool is_algebraic(const char *name, bool is_static, const char *message)
{
    char components[64];
    test_system s;
    takt_plan *plan = NULL;
    takt_error err = {0};
    snprintf(components, sizeof components, "g:Gain m:%s", name);
    test_system_init(&s, models, components, "g.y>m.u m.y>g.u", "step-size=0.1 stop-time=1");
    takt_status st = is_static ? takt_plan_create_static(s.system, &plan, &err)
                               : takt_plan_create(s.system, &plan, &err);
    if (st) fail_msg("%s", err.message);
    if (*message)
        assert_contains(s.log.text, message);
    else
        assert_string_equal(s.log.text, "");
    bool is = plan->blocks[0].is_algebraic;
    takt_plan_destroy(plan);
    test_system_clear(&s);
    return is;
}

static void outputs_behind_states_close_no_algebraic_loop(void **state)
{
    (void)state;
    const char *message = "info: component 'm' does not say on which inputs its outputs depend; in "
                          "steps on trial 1 of 1 were seen to react to inputs only through states, "
                          "not at once: y\n";
    assert_false(is_algebraic("Integrator", false, message));
    assert_false(is_algebraic("Twice", false, message));
}

static void what_is_in_doubt_reacts_at_once(void **state)
{
    (void)state;
    static const char *const names[] = {"Direct", "InStep", "Square", "Sampled", "Deaf", "Mixed"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_true(is_algebraic(names[i], false,
                                 "none was seen to react to inputs only through states, so all are "
                                 "taken to react at once\n"));
    assert_true(
        is_algebraic("Failing", false, "and cannot be tried, so all are taken to react at"));
}

static void no_instance_is_made_where_it_must_not(void **state)
{
    (void)state;
    static const char *const names[] = {"Only", "Rigid"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_true(is_algebraic(names[i], false, ""));
    find_model("Integrator")->counts = (test_counts){0};
    assert_true(is_algebraic("Integrator", true, ""));
    assert_int_equal(find_model("Integrator")->counts.step, 0);
    assert_int_equal(find_model("Gain")->counts.step, 0); // it says on what it depends
}

// Outside of loops nothing is tried: it would decide nothing.
static void only_members_of_loops_are_tried(void **state)
{
    (void)state;
    test_system s;
    takt_plan *plan = NULL;
    find_model("Integrator")->counts = (test_counts){0};
    test_system_init(&s, models, "g:Gain m:Integrator", "g.y>m.u", "step-size=0.1 stop-time=1");
    assert_int_equal(takt_plan_create(s.system, &plan, NULL), TAKT_OK);
    assert_int_equal(find_model("Integrator")->counts.step, 0);
    takt_plan_destroy(plan);
    test_system_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_behind_states_close_no_algebraic_loop),
        cmocka_unit_test(what_is_in_doubt_reacts_at_once),
        cmocka_unit_test(no_instance_is_made_where_it_must_not),
        cmocka_unit_test(only_members_of_loops_are_tried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
