// SPDX-License-Identifier: MIT
#include "support/system.h"

#include <jansson.h>

#include "system/describe.h"

static const test_variable gain_variables[] = {
    {"k", TAKT_PARAMETER, .start = "2", .min = 0, .max = 10},
    {"u", TAKT_INPUT, .start = "0"},
    {"y", TAKT_OUTPUT, .depends = "u"},
    {"x", TAKT_LOCAL, .initial = TAKT_APPROX, .start = "1"},
    {"c", TAKT_LOCAL, .is_constant = true, .start = "3"},
    {0}};

static const test_variable mixed_variables[] = {
    {"n", TAKT_INPUT, .type = TAKT_INT32, .start = "0"},
    {"b", TAKT_INPUT, .type = TAKT_BOOLEAN, .start = "false"},
    {"s", TAKT_INPUT, .type = TAKT_STRING, .start = ""},
    {"e", TAKT_OUTPUT, .type = TAKT_ENUMERATION},
    {"m", TAKT_OUTPUT, .type = TAKT_INT32},
    {"mode", TAKT_PARAMETER, .type = TAKT_ENUMERATION},
    {"tank.level", TAKT_PARAMETER, .start = "1"},
    {0}};

static const test_variable sized_variables[] = {{"size", TAKT_STRUCTURAL_PARAMETER, .start = "1"},
                                                {0}};

static test_model models[] = {
    {"Gain", gain_variables, .can = {.rewind = true, .variable_step = true}},
    {"Mixed", .variables = mixed_variables},
    {"Timed", gain_variables,
     .experiment = {true, true, false, true, .start = 1, .stop = 5, .step = 0.5}},
    {"Longer", gain_variables, .experiment = {.has_stop = true, .stop = 8}},
    {"Sized", .variables = sized_variables},
    {0}};

// Makes a system that has this error and nothing else wrong.
static void assert_error(const char *components, const char *connections, const char *message)
{
    test_system s;
    test_system_try(&s, models, components, connections, "");
    assert_int_equal(s.status, TAKT_ERR_INPUT);
    assert_null(s.system);
    assert_contains(s.log.text, message);
    assert_int_equal(takt_log_count(s.log.log, TAKT_LEVEL_ERROR), 1);
    assert_string_equal(s.err.message, "test.ssd: 1 problem");
    test_system_clear(&s);
}

static void names_become_indices_and_models_are_shared(void **state)
{
    (void)state;
    test_system s;
    test_system_init(&s, models, "A:Gain B:Mixed C:Gain", "C.u>A.y C.y>A.u", "");
    assert_int_equal(s.system->n_components, 3);
    assert_int_equal(s.system->n_models, 2);
    assert_ptr_equal(s.system->components[0].model, s.system->components[2].model);
    assert_int_equal(models[0].n_open, 1);
    // The source is the output, at whichever end it is written.
    const takt_connection *c = s.system->connections;
    assert_int_equal(s.system->n_connections, 2);
    assert_true(c[0].from == 0 && c[0].from_variable == 2 && c[0].to == 2 && c[0].to_variable == 1);
    assert_true(c[1].from == 2 && c[1].to == 0);
    test_system_clear(&s);
    assert_int_equal(models[0].n_open, 0);
}

static void unknown_names_are_reported_with_a_suggestion(void **state)
{
    (void)state;
    assert_error("Tank:Gain B:Gain", "Tnk.y>B.u",
                 "error: test.ssd:101: there is no component 'Tnk'; did you mean 'Tank'?\n");
    assert_error("Tank:Mixed B:Gain", "B.y>Tank.tank.lvel",
                 "error: test.ssd:101: component 'Tank' has no variable 'tank.lvel'; did you mean "
                 "'tank.level'?\n");
    assert_error("A:Gain B:Gain", "A.output>B.u",
                 "error: test.ssd:101: component 'A' has no variable 'output'\n");
}

static void wrong_connections_are_reported(void **state)
{
    (void)state;
    assert_error(
        "A:Gain B:Gain", "A.u>B.u",
        "error: test.ssd:101: A.u and B.u are both inputs; one end of a connection must be "
        "an output\n");
    assert_error("A:Gain B:Gain", "A.y>B.y",
                 "error: test.ssd:101: A.y (output) cannot be connected with B.y (output); a "
                 "connection leads from an output to an input or a tunable parameter\n");
    assert_error("A:Gain B:Sized", "A.c>B.size",
                 "error: test.ssd:101: B.size is a structural parameter, which is needed before "
                 "anything is computed; it cannot be connected: give it a value by a parameter "
                 "binding or --set\n");
    assert_error("A:Gain B:Gain", "A.y>B.k",
                 "A.y (output) cannot be connected with B.k (parameter)");
    assert_error("A:Gain B:Mixed", "A.y>B.n",
                 "error: test.ssd:101: A.y is Float64, but B.n is Int32; a real number would have "
                 "to be rounded\n");
    assert_error("A:Gain B:Gain", "A.y>B.u B.y>B.u",
                 "error: test.ssd:102: input B.u is driven twice: by B.y here and by A.y in line "
                 "101\n");
}

static void enumerations_and_integers_and_a_component_with_itself_can_be_connected(void **state)
{
    (void)state;
    test_system s;
    test_system_init(&s, models, "A:Mixed B:Gain", "A.e>A.n B.y>B.u", "");
    assert_int_equal(s.system->n_connections, 2);
    test_system_clear(&s);
}

static void wrong_components_are_reported(void **state)
{
    (void)state;
    assert_error("A:Gain A:Gain", "",
                 "error: test.ssd:2: there is already a component 'A', in line 1; give this one "
                 "another name\n");
    test_system s;
    test_system_try(&s, models, "A:Missing B:Gone C:Gain D:Missing", "A.y>C.u C.z>A.u", "");
    assert_int_equal(s.status, TAKT_ERR_INPUT);
    assert_contains(s.log.text,
                    "error: test.ssd:1: component 'A': FMU Missing: cannot open: No such "
                    "file or directory\n");
    assert_contains(s.log.text, "error: test.ssd:2: component 'B': FMU Gone: cannot open");
    assert_contains(s.log.text, "error: test.ssd:102: component 'C' has no variable 'z'");
    assert_int_equal(takt_log_count(s.log.log, TAKT_LEVEL_ERROR), 3);
    test_system_clear(&s);
    for (int i = 0; models[i].name; i++) assert_int_equal(models[i].n_open, 0);
}

static void declared_connectors_must_agree_with_the_model(void **state)
{
    (void)state;
    test_system s;
    test_project_init(&s, "A:Gain", "", "");
    static const char *const connectors[][3] = {
        {"y", "output", "Float64"}, {"k", "parameter", NULL},   {"c", "constant", NULL},
        {"x", "unspecified", NULL}, {"u", "output", "Float64"}, {"y", "output", "Int32"},
        {"z", "input", NULL},       {"u", "constant", NULL}};
    for (int i = 0; i < 8; i++) {
        takt_project_connector connector = {.name = connectors[i][0],
                                            .kind = connectors[i][1],
                                            .type = connectors[i][2],
                                            .place = {"test.ssd", 11 + i}};
        assert_true(takt_project_add_connector(s.project, &connector));
    }
    s.status = takt_system_make(s.project, test_model_open, models, &s.system, &s.err);
    assert_int_equal(s.status, TAKT_ERR_INPUT);
    assert_contains(s.log.text, "test.ssd:15: connector A.u is declared as output, but the FMU's "
                                "variable is input\n");
    assert_contains(s.log.text, "test.ssd:16: connector A.y is declared as Int32, but the FMU's "
                                "variable is Float64\n");
    assert_contains(s.log.text, "test.ssd:17: component 'A' has no variable 'z'\n");
    assert_contains(s.log.text, "test.ssd:18: connector A.u is declared as constant");
    assert_int_equal(takt_log_count(s.log.log, TAKT_LEVEL_ERROR), 4);
    test_system_clear(&s);
}

// ---- start values ------------------------------------------------------------------------------

static void assign(test_system *s, const char *component, const char *variable, const char *value,
                   const char *type)
{
    takt_project_assignment a = {.component = component,
                                 .variable = variable,
                                 .value = value,
                                 .type = type,
                                 .place = {"test.ssd", 201 + s->project->n_assignments}};
    assert_true(takt_project_add_assignment(s->project, &a));
}

static void make(test_system *s)
{
    s->status = takt_system_make(s->project, test_model_open, models, &s->system, &s->err);
}

static void the_last_start_value_of_a_variable_counts(void **state)
{
    (void)state;
    test_system s;
    test_project_init(&s, "A:Gain B:Mixed", "", "");
    assign(&s, "A", "x", "7", NULL);
    assign(&s, "A", "k", "3", "Float64");
    assign(&s, NULL, "A.k", "4", "Int32");
    assign(&s, NULL, "B.tank.level", "0.5", NULL);
    assign(&s, "B", "s", "hello", "String");
    assert_int_equal(takt_project_set_value(s.project, "A.k=5", NULL), TAKT_OK);
    make(&s);
    assert_int_equal(s.status, TAKT_OK);
    assert_int_equal(s.system->n_starts[0], 2);
    assert_int_equal(s.system->starts[0][0].variable, 0);
    assert_true(s.system->starts[0][0].value.real == 5);
    assert_true(s.system->starts[0][1].value.real == 7);
    assert_int_equal(s.system->n_starts[1], 2);
    assert_string_equal(s.system->starts[1][0].value.text, "hello");
    assert_true(s.system->starts[1][1].value.real == 0.5);
    test_system_clear(&s);
}

static void impossible_start_values_are_reported(void **state)
{
    (void)state;
    test_system s;
    test_project_init(&s, "A:Gain B:Mixed", "", "");
    assign(&s, "A", "k", "abc", NULL); // 201
    assign(&s, "A", "k", "1", "Boolean");
    assign(&s, "A", "y", "1", NULL);
    assign(&s, "A", "c", "1", NULL);
    assign(&s, "C", "k", "1", NULL); // 205
    assign(&s, NULL, "A.l", "1", NULL);
    assign(&s, NULL, "D.k", "1", NULL);
    assign(&s, NULL, "k", "1", NULL);
    assign(&s, "B", "mode", "eco", NULL);
    assign(&s, "B", "n", "1.5", "Float64"); // 210
    make(&s);
    assert_int_equal(s.status, TAKT_ERR_INPUT);
    assert_string_equal(
        s.log.text,
        "error: test.ssd:201: A.k: 'abc' is not a value of type Float64\n"
        "error: test.ssd:202: A.k is Float64, but the value is declared as Boolean\n"
        "error: test.ssd:203: A.y cannot be set: it is calculated by the FMU (causality output, "
        "variability continuous, initial calculated)\n"
        "error: test.ssd:204: A.c cannot be set: it is constant (causality local, variability "
        "constant, initial exact)\n"
        "error: test.ssd:205: there is no component 'C'\n"
        "error: test.ssd:206: component 'A' has no variable 'l'\n"
        "error: test.ssd:207: there is no component 'D'\n"
        "error: test.ssd:208: 'k' names no variable; write COMPONENT.VARIABLE\n"
        "error: test.ssd:209: B.mode: 'eco' is not a value of type Enumeration; write the "
        "number of the item\n"
        "error: test.ssd:210: B.n is Int32, but the value is declared as Float64\n"
        "info: test.ssd: no stop time is given: the simulation ends at 1 s; see stop-time\n"
        "info: test.ssd: no step size is given: a hundredth of the interval, 0.01 s, is taken; see "
        "step-size\n");
    assert_string_equal(s.err.message, "test.ssd: 10 problems");
    test_system_clear(&s);
}

static void a_value_outside_of_the_limits_is_a_warning(void **state)
{
    (void)state;
    test_system s;
    test_project_init(&s, "A:Gain", "", "");
    assign(&s, NULL, "k", "-1", NULL);
    assign(&s, NULL, "k", "nan", NULL);
    assign(&s, NULL, "k", "11", NULL); // an only component needs no name
    make(&s);
    assert_int_equal(s.status, TAKT_OK);
    assert_contains(s.log.text, "warn: test.ssd:201: A.k = -1 is less than the FMU's minimum 0\n");
    assert_null(strstr(s.log.text, "test.ssd:202"));
    assert_contains(s.log.text,
                    "warn: test.ssd:203: A.k = 11 is greater than the FMU's maximum 10\n");
    assert_true(s.system->starts[0][0].value.real == 11);
    test_system_clear(&s);
}

static void an_unknown_variable_of_an_only_component_is_reported_with_a_suggestion(void **state)
{
    (void)state;
    test_system s;
    test_project_init(&s, "A:Mixed", "", "");
    assign(&s, NULL, "moda", "1", NULL);
    make(&s);
    assert_int_equal(s.status, TAKT_ERR_INPUT);
    assert_contains(s.log.text, "component 'A' has no variable 'moda'; did you mean 'mode'?\n");
    test_system_clear(&s);
}

static void only_wrong_options_are_wrong_usage(void **state)
{
    (void)state;
    test_system s;
    test_project_init(&s, "A:Gain", "", "stop-time=-1");
    assert_int_equal(takt_project_set_value(s.project, "A.kk=1", NULL), TAKT_OK);
    make(&s);
    assert_int_equal(s.status, TAKT_ERR_USAGE);
    assert_contains(s.log.text, "error: component 'A' has no variable 'kk'; did you mean 'k'?\n");
    assert_contains(s.log.text, "error: stop-time -1 s is not after start-time 0 s\n");
    test_system_clear(&s);
}

// ---- experiment --------------------------------------------------------------------------------

static void assert_times(const char *components, const char *settings, double start, double stop,
                         double step)
{
    test_system s;
    test_system_init(&s, models, components, "", settings);
    assert_true(s.system->settings.start_time == start);
    assert_true(s.system->settings.stop_time == stop);
    assert_true(s.system->settings.step_size == step);
    test_system_clear(&s);
}

static void missing_settings_come_from_the_models(void **state)
{
    (void)state;
    assert_times("A:Timed", "", 1, 5, 0.5);
    assert_times("A:Timed B:Longer", "", 0, 8, 0.5);
    assert_times("A:Gain", "", 0, 1, 0.01);
    assert_times("A:Gain", "start-time=3", 3, 4, 0.01);
    assert_times("A:Longer", "start-time=10", 10, 11, 0.01);
    assert_times("A:Timed", "start-time=2 stop-time=3 step-size=0.1", 2, 3, 0.1);
    assert_times("A:Gain", "stop-time=1 step-size=5", 0, 1, 5);
}

static void impossible_intervals_are_errors(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"stop-time=0", "stop-time 0 s is not after start-time 0 s"},
        {"start-time=5 stop-time=4", "stop-time 4 s is not after start-time 5 s"},
        {"start-time=-1e308 stop-time=1.7e308", "is not after start-time"},
        {"stop-time=1e6 step-size=1e-12", "step-size 1e-12 s is too small"},
        {"algorithm=B=seidel", "there is no component 'B'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_system s;
        test_system_try(&s, models, "A:Gain", "", cases[i][0]);
        assert_int_equal(s.status, TAKT_ERR_USAGE);
        assert_contains(s.log.text, cases[i][1]);
        test_system_clear(&s);
    }
}

static void events_beside_a_model_with_equal_steps_are_a_doubt(void **state)
{
    (void)state;
    test_model own[] = {
        {"Rigid", .variables = gain_variables},
        {"Restless", gain_variables, .can = {.variable_step = true, .events = true}},
        {0}};
    test_system s;
    test_system_init(&s, own, "A:Rigid B:Restless", "", "stop-time=1 step-size=0.1");
    assert_contains(s.log.text,
                    "warn: test.ssd:1: component 'A' takes only steps of equal size, so "
                    "events of component 'B' reach others up to a step late; compare the "
                    "results with those of a smaller step-size\n");
    assert_int_equal(takt_log_count_doubts(s.log.log), 1);
    test_system_clear(&s);
    test_system_init(&s, own, "A:Rigid", "", "stop-time=1 step-size=0.1");
    assert_int_equal(takt_log_count_doubts(s.log.log), 0);
    test_system_clear(&s);
    test_system_init(&s, own, "B:Restless", "", "stop-time=1 step-size=0.1");
    assert_int_equal(takt_log_count_doubts(s.log.log), 0);
    test_system_clear(&s);
}

static void a_model_with_equal_steps_is_warned_of_a_shorter_last_one(void **state)
{
    (void)state;
    test_system s;
    test_system_init(&s, models, "A:Mixed B:Gain", "", "stop-time=1 step-size=0.3");
    assert_contains(s.log.text,
                    "warn: test.ssd:1: component 'A' takes only steps of equal size, but "
                    "the last step before the stop time 1 s is shorter than 0.3 s");
    assert_int_equal(takt_log_count(s.log.log, TAKT_LEVEL_WARN), 1);
    assert_int_equal(takt_log_count_doubts(s.log.log), 1);
    test_system_clear(&s);
    test_system_init(&s, models, "A:Mixed", "", "stop-time=1 step-size=0.1");
    assert_int_equal(takt_log_count(s.log.log, TAKT_LEVEL_WARN), 0);
    test_system_clear(&s);
    test_system_init(&s, models, "A:Mixed", "", "stop-time=1 step-size=0.3 overstep-end=true");
    assert_int_equal(takt_log_count(s.log.log, TAKT_LEVEL_WARN), 0);
    test_system_clear(&s);
}

// ---- results -----------------------------------------------------------------------------------

static void assert_recorded(const char *settings, const char *expected)
{
    test_system s;
    test_system_init(&s, models, "A:Gain B:Mixed", "", settings);
    takt_text text = {0};
    for (int i = 0; i < s.system->n_recorded; i++) {
        takt_arena arena = {0};
        takt_reference at = s.system->recorded[i];
        takt_text_print(&text, "%s%s", i ? " " : "",
                        takt_system_name(s.system, at.component, at.variable, &arena));
        takt_arena_clear(&arena);
    }
    assert_string_equal(text.data ? text.data : "", expected);
    takt_text_clear(&text);
    test_system_clear(&s);
}

static void outputs_are_recorded_unless_patterns_are_given(void **state)
{
    (void)state;
    assert_recorded("", "A.y B.e B.m");
    assert_recorded("record=A.*", "A.k A.u A.y A.x A.c");
    assert_recorded("record=B.tank* record=*.y", "A.y B.tank.level");
    assert_recorded("record-exclude=B.*", "A.y");
    assert_recorded("record=* record-exclude=A.* record-exclude=B.?", "B.mode B.tank.level");
    assert_recorded("record=nothing", "");
}

static void a_pattern_without_a_match_is_a_warning(void **state)
{
    (void)state;
    test_system s;
    test_system_init(&s, models, "A:Gain", "", "record=A.y record=A.* record-exclude=level");
    assert_contains(s.log.text, "warn: record-exclude: 'level' matches no variable; names are "
                                "COMPONENT.VARIABLE\n");
    assert_int_equal(takt_log_count(s.log.log, TAKT_LEVEL_WARN), 1);
    test_system_clear(&s);
    test_system_init(&s, models, "A:Gain B:Mixed", "",
                     "record=A.yy record=y record=a.u record=*.z");
    assert_contains(s.log.text, "record: 'A.yy' matches no variable; did you mean 'A.y'?\n");
    assert_contains(s.log.text, "record: 'y' matches no variable; names are COMPONENT.VARIABLE");
    assert_contains(s.log.text, "record: 'a.u' matches no variable; did you mean 'A.u'?\n");
    assert_contains(s.log.text, "record: '*.z' matches no variable; names are COMPONENT.VARIABLE");
    test_system_clear(&s);
}

// ---- description -------------------------------------------------------------------------------

static void content_is_described_as_text_and_as_json(void **state)
{
    (void)state;
    test_system s;
    test_system_init(&s, models, "A:Timed B:Gain", "A.y>B.u", "tolerance=0.25");
    char *text = NULL;
    assert_int_equal(takt_system_describe_content(s.system, TAKT_FORMAT_TEXT, &text, NULL), 0);
    assert_contains(text,
                    "System test (test.ssd): components 2, connections 1, recorded variables 2\n");
    assert_contains(text, "Component A\n  model       Timed (plain C), Timed\n");
    assert_contains(text, "  default     start_time 1, stop_time 5, step_size 0.5\n");
    assert_contains(text, "    k         Float64     parameter           fixed  = 2\n");
    assert_contains(text, "  A.y -> B.u\n");
    assert_contains(text, "  tolerance            0.25\n");
    free(text);

    assert_int_equal(takt_system_describe_content(s.system, TAKT_FORMAT_JSON, &text, NULL), 0);
    json_t *all = json_loads(text, 0, NULL);
    assert_non_null(all);
    json_t *first = json_array_get(json_object_get(all, "components"), 0);
    assert_string_equal(json_string_value(json_object_get(first, "name")), "A");
    json_t *variable = json_array_get(json_object_get(first, "variables"), 0);
    assert_string_equal(json_string_value(json_object_get(variable, "causality")), "parameter");
    assert_true(json_real_value(json_object_get(variable, "start")) == 2);
    json_t *settings = json_object_get(all, "settings");
    assert_true(json_number_value(json_object_get(settings, "step-size")) == 0.5);
    assert_true(json_is_false(json_object_get(settings, "overstep-end")));
    json_t *connection = json_array_get(json_object_get(all, "connections"), 0);
    assert_string_equal(json_string_value(json_object_get(connection, "to")), "B.u");
    json_decref(all);
    free(text);

    takt_error err = {0};
    assert_int_equal(takt_system_describe_content(s.system, TAKT_FORMAT_DOT, &text, &err),
                     TAKT_ERR_USAGE);
    test_system_clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_become_indices_and_models_are_shared),
        cmocka_unit_test(unknown_names_are_reported_with_a_suggestion),
        cmocka_unit_test(wrong_connections_are_reported),
        cmocka_unit_test(enumerations_and_integers_and_a_component_with_itself_can_be_connected),
        cmocka_unit_test(wrong_components_are_reported),
        cmocka_unit_test(declared_connectors_must_agree_with_the_model),
        cmocka_unit_test(the_last_start_value_of_a_variable_counts),
        cmocka_unit_test(impossible_start_values_are_reported),
        cmocka_unit_test(a_value_outside_of_the_limits_is_a_warning),
        cmocka_unit_test(an_unknown_variable_of_an_only_component_is_reported_with_a_suggestion),
        cmocka_unit_test(only_wrong_options_are_wrong_usage),
        cmocka_unit_test(missing_settings_come_from_the_models),
        cmocka_unit_test(impossible_intervals_are_errors),
        cmocka_unit_test(events_beside_a_model_with_equal_steps_are_a_doubt),
        cmocka_unit_test(a_model_with_equal_steps_is_warned_of_a_shorter_last_one),
        cmocka_unit_test(outputs_are_recorded_unless_patterns_are_given),
        cmocka_unit_test(a_pattern_without_a_match_is_a_warning),
        cmocka_unit_test(content_is_described_as_text_and_as_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
