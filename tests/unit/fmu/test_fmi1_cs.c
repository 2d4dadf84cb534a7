// SPDX-License-Identifier: MIT
// FMUs of FMI 1.0 as instances, with the hand-made tiny1_fmu.c.
#include "support/archive.h"
#include "support/test.h"

#include <dlfcn.h>

#include "fmu/model.h"
#include "fmu/open.h"
#include "unit/fmu/tiny1_fmu.h"

static const char description[] =
    "<?xml version='1.0' encoding='ISO-8859-1'?>\n"
    "<fmiModelDescription fmiVersion='1.0' modelName='Tiny' modelIdentifier='tiny1' guid='%s'\n"
    " generationTool='Anvil' numberOfContinuousStates='0' numberOfEventIndicators='0'>\n"
    "<ModelVariables>\n"
    "<ScalarVariable name='u' valueReference='0' causality='input'><Real/></ScalarVariable>\n"
    "<ScalarVariable name='minus u' valueReference='0' causality='input' alias='negatedAlias'>"
    "<Real/></ScalarVariable>\n"
    "<ScalarVariable name='x' valueReference='1' causality='output'><Real/><DirectDependency/>"
    "</ScalarVariable>\n"
    "<ScalarVariable name='minus x' valueReference='1' causality='output' alias='negatedAlias'>"
    "<Real/></ScalarVariable>\n"
    "<ScalarVariable name='y' valueReference='2' causality='output'><Real/><DirectDependency>"
    "<Name>u</Name></DirectDependency></ScalarVariable>\n"
    "<ScalarVariable name='u at start' valueReference='3' causality='output'><Real/>"
    "</ScalarVariable>\n"
    "<ScalarVariable name='stop' valueReference='4' causality='output'><Real/></ScalarVariable>\n"
    "<ScalarVariable name='number' valueReference='0'><Integer/></ScalarVariable>\n"
    "<ScalarVariable name='minus number' valueReference='0' alias='negatedAlias'><Integer/>"
    "</ScalarVariable>\n"
    "<ScalarVariable name='mode' valueReference='1' variability='parameter'><Integer start='0'/>"
    "</ScalarVariable>\n"
    "<ScalarVariable name='minus mode' valueReference='1' variability='parameter' "
    "alias='negatedAlias'><Integer start='0'/></ScalarVariable>\n"
    "<ScalarVariable name='b in' valueReference='0' causality='input'><Boolean/></ScalarVariable>\n"
    "<ScalarVariable name='not b in' valueReference='0' causality='input' alias='negatedAlias'>"
    "<Boolean/></ScalarVariable>\n"
    "<ScalarVariable name='b out' valueReference='1' causality='output'><Boolean/>"
    "</ScalarVariable>\n"
    "<ScalarVariable name='not b out' valueReference='1' causality='output' alias='negatedAlias'>"
    "<Boolean/></ScalarVariable>\n"
    "<ScalarVariable name='label' valueReference='0' variability='parameter'>"
    "<String start='gr\xfc\xdf'/></ScalarVariable>\n"
    "<ScalarVariable name='location' valueReference='1'><String/></ScalarVariable>\n"
    "<ScalarVariable name='mime' valueReference='2'><String/></ScalarVariable>\n"
    "<ScalarVariable name='calls' valueReference='3'><String/></ScalarVariable>\n"
    "</ModelVariables>\n"
    "<Implementation>%s</Implementation></fmiModelDescription>\n";

#define STAND_ALONE(attributes)                                                                    \
    "<CoSimulation_StandAlone><Capabilities " attributes "/></CoSimulation_StandAlone>"
#define TOOL                                                                                       \
    "<CoSimulation_Tool><Capabilities/><Model entryPoint='fmu://resources/m.mo' "                  \
    "manualStart='false' type='application/x-anvil'/></CoSimulation_Tool>"

typedef struct fixture {
    test_folder folder;
    char path[512];
    test_log log;
    takt_model *model;
    takt_instance *instance;
    takt_arena arena;
    takt_values values;
    takt_error err;
} fixture;

static const int n_values[TAKT_N_KINDS] = {8, 8, 8};

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->folder = test_folder_create();
    test_log_init(&f->log);
    snprintf(f->path, sizeof f->path, "%s/tiny 1.fmu", f->folder.path);
    assert_true(takt_values_init(&f->values, n_values));
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    if (f->instance) f->instance->type->destroy(f->instance);
    takt_model_close(f->model);
    takt_values_clear(&f->values, n_values);
    takt_arena_clear(&f->arena);
    test_log_clear(&f->log);
    test_folder_remove(&f->folder);
    free(f);
    return 0;
}

static takt_status try_open(fixture *f, const char *guid, const char *implementation)
{
    char text[8192];
    snprintf(text, sizeof text, description, guid, implementation);
    const test_entry entries[] = {{.name = "binaries/linux64/tiny1.so", .file = TEST_TINY1},
                                  {.name = "modelDescription.xml", .data = text}};
    test_archive(f->path, entries, 2);
    return takt_fmu_open(f->path, f->log.log, &f->model, &f->err);
}

static takt_status try_instantiate(fixture *f, const char *guid, const char *implementation)
{
    assert_int_equal(try_open(f, guid, implementation), TAKT_OK);
    return f->model->type->instantiate(f->model, "tank", f->log.log, &f->instance, &f->err);
}

static void instantiate(fixture *f)
{
    assert_int_equal(try_instantiate(f, "{tiny1}", STAND_ALONE("")), TAKT_OK);
}

static takt_access access_to(fixture *f, const char *const names[], int n)
{
    int variables[8];
    takt_access access;
    for (int i = 0; i < n; i++) {
        variables[i] = takt_map_find(&f->model->names, names[i]);
        assert_true(variables[i] >= 0);
    }
    assert_true(takt_access_create(&f->arena, f->model, variables, n, &access, NULL));
    return access;
}

static void set_number(fixture *f, const char *name, double value)
{
    takt_access access = access_to(f, &name, 1);
    f->values.real[0] = value;
    f->values.integer[0] = (int64_t)value;
    assert_int_equal(f->instance->type->set(f->instance, &access, &f->values, &f->err), TAKT_OK);
    assert_true(f->values.real[0] == value); // what was given stays
}

static double get_number(fixture *f, const char *name)
{
    takt_access access = access_to(f, &name, 1);
    assert_int_equal(f->instance->type->get(f->instance, &access, &f->values, &f->err), TAKT_OK);
    return access.n_values[TAKT_KIND_REAL] ? f->values.real[0] : (double)f->values.integer[0];
}

static const char *get_text(fixture *f, const char *name)
{
    takt_access access = access_to(f, &name, 1);
    assert_int_equal(f->instance->type->get(f->instance, &access, &f->values, &f->err), TAKT_OK);
    return f->values.bytes[0].data;
}

static void enter(fixture *f, int mode)
{
    const takt_interval interval = {.start = 0, .stop = 1, .has_stop = true};
    set_number(f, "mode", mode);
    assert_int_equal(f->instance->type->enter_initialization(f->instance, &interval, &f->err),
                     TAKT_OK);
}

static takt_status leave(fixture *f)
{
    return f->instance->type->exit_initialization(f->instance, &f->err);
}

static void start(fixture *f, int mode)
{
    instantiate(f);
    enter(f, mode);
    set_number(f, "u", 1);
    assert_int_equal(leave(f), TAKT_OK);
}

// The second of two steps, in which something may happen.
static takt_status second_step(fixture *f, takt_step_result *result)
{
    assert_int_equal(f->instance->type->step(f->instance, 0, 0.1, true, result, &f->err), TAKT_OK);
    assert_int_equal(result->end, TAKT_STEP_DONE);
    return f->instance->type->step(f->instance, 0.1, 0.1, true, result, &f->err);
}

static void a_run_goes_through_all_calls_in_order(void **state)
{
    fixture *f = *state;
    takt_step_result result;
    start(f, T1_NORMAL);
    assert_string_equal(f->model->type->name, "FMI 1.0 co-simulation");
    assert_int_equal(second_step(f, &result), TAKT_OK);
    assert_near(result.time, 0.2, 1e-15);
    assert_near(get_number(f, "x"), 0.2, 1e-15);
    assert_string_equal(get_text(f, "calls"), "isIdg");
    assert_true(get_number(f, "stop") == 1);
    assert_int_equal(f->instance->type->terminate(f->instance, &f->err), TAKT_OK);
    assert_false(takt_model_can_rewind(f->model));
}

static void inputs_set_before_the_first_output_is_read_count_for_initialization(void **state)
{
    fixture *f = *state;
    instantiate(f);
    enter(f, T1_NORMAL);
    set_number(f, "u", 3);
    assert_true(get_number(f, "y") == 6); // is initialized now
    set_number(f, "u", 4);
    assert_true(get_number(f, "y") == 8);
    assert_int_equal(leave(f), TAKT_OK);
    assert_true(get_number(f, "u at start") == 3);
    assert_string_equal(get_text(f, "calls"), "isIgsg");
}

static void negated_aliases_turn_the_sign_both_ways(void **state)
{
    fixture *f = *state;
    takt_step_result result;
    start(f, T1_NORMAL);
    set_number(f, "minus u", 5);
    assert_true(get_number(f, "u") == -5);
    assert_true(get_number(f, "minus u") == 5);
    assert_int_equal(second_step(f, &result), TAKT_OK);
    assert_near(get_number(f, "x"), -1, 1e-15);
    assert_near(get_number(f, "minus x"), 1, 1e-15);
    assert_true(get_number(f, "minus number") == -get_number(f, "number"));
    set_number(f, "minus mode", 7);
    assert_true(get_number(f, "mode") == -7);

    static const char *const mixed[] = {"x", "minus x", "u"};
    takt_access access = access_to(f, mixed, 3);
    assert_int_equal(f->instance->type->get(f->instance, &access, &f->values, &f->err), TAKT_OK);
    assert_true(f->values.real[0] == -f->values.real[1] && f->values.real[2] == -5);
}

static void booleans_are_bytes_and_can_be_negated(void **state)
{
    fixture *f = *state;
    takt_step_result result;
    start(f, T1_NORMAL);
    set_number(f, "not b in", 0);
    assert_true(get_number(f, "b in") == 1);
    assert_int_equal(second_step(f, &result), TAKT_OK);
    static const char *const names[] = {"b in", "not b in", "b out", "not b out"};
    takt_access access = access_to(f, names, 4);
    assert_int_equal(f->instance->type->get(f->instance, &access, &f->values, &f->err), TAKT_OK);
    const int64_t expected[] = {1, 0, 1, 0};
    assert_memory_equal(f->values.integer, expected, sizeof expected);
    f->values.integer[0] = 0;
    f->values.integer[1] = 7; // true; negated it agrees with the first one
    access = access_to(f, names, 2);
    assert_int_equal(f->instance->type->set(f->instance, &access, &f->values, &f->err), TAKT_OK);
    assert_true(get_number(f, "b in") == 0);
}

static void the_location_is_an_encoded_uri_and_strings_get_their_start(void **state)
{
    fixture *f = *state;
    start(f, T1_NORMAL);
    assert_string_equal(get_text(f, "mime"), "application/x-fmu-sharedlibrary");
    assert_contains(get_text(f, "location"), "file:///");
    assert_contains(get_text(f, "location"), "/content");
    assert_null(strstr(get_text(f, "location"), "resources"));
    assert_string_equal(get_text(f, "label"), "gr\xc3\xbc\xc3\x9f"); // UTF-8 now
}

static void failures_name_the_function_and_what_the_fmu_says(void **state)
{
    fixture *f = *state;
    takt_step_result result;
    start(f, T1_ERROR);
    assert_int_equal(second_step(f, &result), TAKT_ERR_SIMULATION);
    assert_string_equal(f->err.message,
                        "fmiDoStep failed (status error); the FMU says: the solver gave up");
    assert_int_equal(f->instance->type->terminate(f->instance, &f->err), TAKT_ERR_SIMULATION);
    assert_contains(f->err.message, "fmiTerminateSlave cannot be called after the earlier error");
}

static void a_failed_initialization_is_reported(void **state)
{
    fixture *f = *state;
    instantiate(f);
    enter(f, T1_INITIALIZATION_FAILS);
    assert_int_equal(leave(f), TAKT_ERR_SIMULATION);
    assert_string_equal(f->err.message,
                        "fmiInitializeSlave failed (status error); the FMU says: no solution");
}

static void after_a_fatal_error_nothing_is_called(void **state)
{
    fixture *f = *state;
    takt_step_result result;
    start(f, T1_FATAL);
    void (*forget)(void);
    void *address = dlsym(((takt_fmu *)f->model)->library->handle, "tiny1_forget");
    memcpy(&forget, &address, sizeof forget);
    assert_int_equal(second_step(f, &result), TAKT_ERR_SIMULATION);
    f->instance->type->destroy(f->instance);
    f->instance = NULL;
    assert_int_equal(f->model->type->instantiate(f->model, "b", NULL, &f->instance, &f->err),
                     TAKT_ERR_SIMULATION);
    assert_contains(f->err.message, "has failed fatally before");
    forget(); // what the FMU was not asked to free
}

static void unknown_status_values_are_failures(void **state)
{
    fixture *f = *state;
    takt_step_result result;
    start(f, T1_UNKNOWN_STATUS);
    assert_int_equal(second_step(f, &result), TAKT_ERR_SIMULATION);
    assert_contains(f->err.message, "(status 17, which FMI 1.0 does not know)");
}

static void a_discarded_step_tells_how_far_it_came(void **state)
{
    fixture *f = *state;
    takt_step_result result;
    start(f, T1_DISCARD);
    assert_int_equal(second_step(f, &result), TAKT_OK);
    assert_int_equal(result.end, TAKT_STEP_DISCARDED);
    assert_near(result.time, 0.14, 1e-15);
}

static void pending_steps_are_waited_for(void **state)
{
    fixture *f = *state;
    takt_step_result result;
    start(f, T1_PENDING);
    assert_int_equal(second_step(f, &result), TAKT_OK);
    assert_int_equal(result.end, TAKT_STEP_DONE);
    assert_near(get_number(f, "x"), 0.2, 1e-15);
}

static void steps_that_end_in_another_thread_are_noticed(void **state)
{
    fixture *f = *state;
    takt_step_result result;
    start(f, T1_PENDING_THREAD);
    assert_int_equal(second_step(f, &result), TAKT_OK);
    assert_int_equal(result.end, TAKT_STEP_DONE);
    assert_near(get_number(f, "x"), 0.2, 1e-15);
}

// Derivatives of negated aliases have the other sign, too.
static void derivatives_by_time_are_set_and_read(void **state)
{
    fixture *f = *state;
    takt_step_result result;
    assert_int_equal(try_instantiate(f, "{tiny1}",
                                     STAND_ALONE("canInterpolateInputs='true' "
                                                 "maxOutputDerivativeOrder='1'")),
                     TAKT_OK);
    enter(f, T1_NORMAL);
    set_number(f, "u", 1);
    assert_int_equal(leave(f), TAKT_OK);
    const char *const outputs[] = {"x", "minus x"}, *const input = "minus u";
    takt_access to = access_to(f, &input, 1), from = access_to(f, outputs, 2);
    assert_true(takt_model_interpolates(f->model, takt_map_find(&f->model->names, "minus u")));
    assert_true(takt_model_derives(f->model, takt_map_find(&f->model->names, "minus x")));
    assert_false(takt_model_interpolates(f->model, takt_map_find(&f->model->names, "b in")));
    double motion[] = {-1, -3}, derivatives[2] = {7, 7};
    assert_int_equal(f->instance->type->set_motion(f->instance, 0, &to, 1, motion, &f->err),
                     TAKT_OK);
    assert_int_equal(second_step(f, &result), TAKT_OK);
    assert_near(get_number(f, "x"), 2 * (0.1 + 3 * 0.1 * 0.1 / 2), 1e-15);
    assert_int_equal(f->instance->type->get_derivatives(f->instance, &from, derivatives, &f->err),
                     TAKT_OK);
    assert_true(derivatives[0] == 1 && derivatives[1] == -1);
    assert_true(motion[1] == -3); // what was given stays
    const char *const wrong = "y";
    from = access_to(f, &wrong, 1);
    assert_int_equal(f->instance->type->get_derivatives(f->instance, &from, derivatives, &f->err),
                     TAKT_ERR_SIMULATION);
    assert_string_equal(f->err.message, "fmiGetRealOutputDerivatives of 'y' failed (status error)");
}

// The FMU's function returns an error for other orders than 1.
static void inputs_follow_lines_where_the_fmu_refuses_more(void **state)
{
    fixture *f = *state;
    takt_step_result result;
    assert_int_equal(try_instantiate(f, "{tiny1}", STAND_ALONE("canInterpolateInputs='true'")),
                     TAKT_OK);
    enter(f, T1_NORMAL);
    set_number(f, "u", 1);
    assert_int_equal(leave(f), TAKT_OK);
    const char *const input = "u";
    takt_access to = access_to(f, &input, 1);
    const double motion[] = {1, 3, 100};
    const takt_instance_type *type = f->instance->type;
    assert_int_equal(takt_instance_motion_order(f->instance), 6);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(type->set_motion(f->instance, 0, &to, 2, motion, &f->err), TAKT_OK);
        assert_int_equal(takt_instance_motion_order(f->instance), 1);
    }
    const char *said =
        "info: instance 'tank': the FMU refuses derivatives of its inputs of order 2; "
        "its inputs follow straight lines\n";
    const char *found = strstr(f->log.text, said);
    assert_non_null(found);
    assert_null(strstr(found + 1, said)); // once
    assert_int_equal(second_step(f, &result), TAKT_OK);
    assert_near(get_number(f, "x"), 2 * (0.1 + 3 * 0.1 * 0.1 / 2), 1e-15);
}

// This FMU keeps derivatives until there are others.
static void a_lower_order_ends_the_higher_derivatives(void **state)
{
    fixture *f = *state;
    takt_step_result result;
    assert_int_equal(try_instantiate(f, "{tiny1}", STAND_ALONE("canInterpolateInputs='true'")),
                     TAKT_OK);
    enter(f, T1_CURVES);
    assert_int_equal(leave(f), TAKT_OK);
    const char *const input = "u";
    takt_access to = access_to(f, &input, 1);
    const takt_instance_type *type = f->instance->type;
    set_number(f, "u", 1);
    assert_int_equal(type->set_motion(f->instance, 0, &to, 2, (double[]){1, 3, 60}, &f->err),
                     TAKT_OK);
    assert_int_equal(type->step(f->instance, 0, 0.1, true, &result, &f->err), TAKT_OK);
    double x = 0.1 + 3 * 0.01 / 2 + 60 * 0.001 / 6;
    assert_near(get_number(f, "x"), x, 1e-15);
    assert_int_equal(type->set_motion(f->instance, 0.1, &to, 1, (double[]){1, 3}, &f->err),
                     TAKT_OK);
    assert_int_equal(type->step(f->instance, 0.1, 0.1, true, &result, &f->err), TAKT_OK);
    assert_near(get_number(f, "x"), x + 0.1 + 3 * 0.01 / 2, 1e-15);
    assert_int_equal(takt_instance_motion_order(f->instance), 6);
}

static void messages_find_their_instance(void **state)
{
    fixture *f = *state;
    start(f, T1_LOG);
    assert_contains(f->log.text, "warn: tank: tiny1: u and b in differ\n");
    assert_contains(f->log.text, "debug: tank: tiny1: 50% so far, %n, %s %d\n");
    assert_contains(f->log.text, "debug: tank: no name\n");
    assert_contains(f->log.text, "warn: tank: no component\n");
    assert_null(strstr(f->log.text, "nobody"));
}

static void messages_of_threads_of_the_fmu_arrive(void **state)
{
    fixture *f = *state;
    start(f, T1_LOG_FROM_THREAD);
    assert_contains(f->log.text, "warn: tank: tiny1: from a thread of my own\n");
}

static void messages_of_two_instances_are_told_apart(void **state)
{
    fixture *f = *state;
    takt_instance *second = NULL;
    start(f, T1_NORMAL);
    assert_int_equal(f->model->type->instantiate(f->model, "other", f->log.log, &second, &f->err),
                     TAKT_OK);
    takt_instance *first = f->instance;
    f->instance = second;
    enter(f, T1_LOG);
    assert_int_equal(leave(f), TAKT_OK);
    assert_contains(f->log.text, "warn: other: tiny1: u and b in differ\n");
    assert_null(strstr(f->log.text, "warn: tank:"));
    f->instance = first;
    second->type->destroy(second);
}

static void a_refused_instantiation_says_why(void **state)
{
    fixture *f = *state;
    assert_int_equal(try_instantiate(f, "{other}", STAND_ALONE("")), TAKT_ERR_SIMULATION);
    assert_contains(f->err.message, "fmiInstantiateSlave of FMU ");
    assert_contains(f->err.message,
                    "returned no instance; the FMU says: the GUID is wrong: {other}");
}

static void an_fmu_for_one_instance_per_process_gets_library_copies(void **state)
{
    fixture *f = *state;
    takt_instance *second = NULL;
    assert_int_equal(
        try_instantiate(f, "{tiny1}", STAND_ALONE("canBeInstantiatedOnlyOncePerProcess='true'")),
        TAKT_OK);
    assert_int_equal(f->model->type->instantiate(f->model, "b", NULL, &second, &f->err), TAKT_OK);
    assert_true(get_number(f, "number") == 1);
    takt_instance *first = f->instance;
    f->instance = second;
    assert_true(get_number(f, "number") == 1); // with a counter of its own
    f->instance = first;
    second->type->destroy(second);
}

static void tool_coupling_is_tried_with_a_warning(void **state)
{
    fixture *f = *state;
    assert_int_equal(try_instantiate(f, "{tiny1}", TOOL), TAKT_OK);
    assert_contains(f->log.text, "says that it needs Anvil to run (CoSimulation_Tool)");
    assert_string_equal(get_text(f, "mime"), "application/x-anvil");
}

static void tool_coupling_that_does_not_work_is_refused(void **state)
{
    fixture *f = *state;
    assert_int_equal(try_instantiate(f, "{other}", TOOL), TAKT_ERR_SIMULATION);
    assert_contains(f->err.message,
                    "is for tool coupling and needs Anvil to run: fmiInstantiateSlave of");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_run_goes_through_all_calls_in_order),
        TEST(inputs_set_before_the_first_output_is_read_count_for_initialization),
        TEST(negated_aliases_turn_the_sign_both_ways),
        TEST(booleans_are_bytes_and_can_be_negated),
        TEST(the_location_is_an_encoded_uri_and_strings_get_their_start),
        TEST(failures_name_the_function_and_what_the_fmu_says),
        TEST(a_failed_initialization_is_reported),
        TEST(after_a_fatal_error_nothing_is_called),
        TEST(unknown_status_values_are_failures),
        TEST(a_discarded_step_tells_how_far_it_came),
        TEST(pending_steps_are_waited_for),
        TEST(steps_that_end_in_another_thread_are_noticed),
        TEST(derivatives_by_time_are_set_and_read),
        TEST(inputs_follow_lines_where_the_fmu_refuses_more),
        TEST(a_lower_order_ends_the_higher_derivatives),
        TEST(messages_find_their_instance),
        TEST(messages_of_threads_of_the_fmu_arrive),
        TEST(messages_of_two_instances_are_told_apart),
        TEST(a_refused_instantiation_says_why),
        TEST(an_fmu_for_one_instance_per_process_gets_library_copies),
        TEST(tool_coupling_is_tried_with_a_warning),
        TEST(tool_coupling_that_does_not_work_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
