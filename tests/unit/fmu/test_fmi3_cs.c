// SPDX-License-Identifier: MIT
#include "unit/fmu/tiny3_fixture.h"

static void steps_integrate_and_end_where_asked(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, T_MODE_NORMAL);
    takt_step_result result;
    assert_int_equal(run(f, &result), TAKT_OK);
    assert_int_equal(result.end, TAKT_STEP_DONE);
    assert_false(result.has_event);
    assert_near(result.time, 1, 1e-12);
    assert_near(get_real(f, "x"), 1, 1e-12);
    assert_int_equal(f->instance->type->terminate(f->instance, &f->err), TAKT_OK);
    tiny3_counters *counts = counters(f);
    assert_int_equal(counts->n_terminated, 1);
    assert_false(counts->uses_events);
    f->instance->type->destroy(f->instance);
    f->instance = NULL;
    assert_int_equal(counts->n_instances, 0);
    assert_int_equal(counts->n_terminated, 1);
}

static void every_type_travels_both_ways(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    static const struct {
        const char *type;
        int64_t least, greatest;
    } integers[] = {
        {"i8", INT8_MIN, INT8_MAX},    {"u8", 0, UINT8_MAX},          {"i16", INT16_MIN, INT16_MAX},
        {"u16", 0, UINT16_MAX},        {"i32", INT32_MIN, INT32_MAX}, {"u32", 0, UINT32_MAX},
        {"i64", INT64_MIN, INT64_MAX}, {"u64", -1, INT64_MAX},        {"bool", 0, 1},
        {"e", INT64_MIN, INT64_MAX}};
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        char in[16], out[16];
        snprintf(in, sizeof in, "%s_in", integers[i].type);
        snprintf(out, sizeof out, "%s_out", integers[i].type);
        assert_int_equal(set_one(f, in, 0, integers[i].least), TAKT_OK);
        assert_true(get_integer(f, out) == integers[i].least);
        assert_int_equal(set_one(f, in, 0, integers[i].greatest), TAKT_OK);
        assert_true(get_integer(f, out) == integers[i].greatest);
    }
    assert_int_equal(set_one(f, "f32_in", 0.1, 0), TAKT_OK);
    assert_true(get_real(f, "f32_out") == (double)0.1f);
    assert_int_equal(set_text(f, "s_in", "h\xc3\xa4llo", 6), TAKT_OK);
    assert_string_equal(get_text(f, "s_out", NULL), "h\xc3\xa4llo");
    assert_int_equal(set_text(f, "bin_in", "a\0b", 3), TAKT_OK);
    size_t size = 0;
    assert_memory_equal(get_text(f, "bin_out", &size), "a\0b", 3);
    assert_int_equal(size, 3);
    assert_int_equal(set_text(f, "bin_in", NULL, 0), TAKT_OK);
    get_text(f, "bin_out", &size);
    assert_int_equal(size, 0);
}

static void values_that_do_not_fit_are_refused(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    static const struct {
        const char *name, *message;
        int64_t value;
    } wrong[] = {{"i8_in",
                  "variable 'i8_in' is set to 128, which is no value of "
                  "type Int8",
                  128},
                 {"u8_in", "'u8_in' is set to -1, which is no value of type UInt8", -1},
                 {"i16_in", "'i16_in' is set to 32768", 32768},
                 {"u16_in", "'u16_in' is set to 65536", 65536},
                 {"i32_in", "'i32_in' is set to 2147483648", 2147483648},
                 {"u32_in", "'u32_in' is set to 4294967296", 4294967296}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(set_one(f, wrong[i].name, 0, wrong[i].value), TAKT_ERR_SIMULATION);
        assert_contains(f->err.message, wrong[i].message);
        assert_null(f->instance->calling);
    }
    assert_int_equal(set_one(f, "f32_in", 1e39, 0), TAKT_ERR_SIMULATION);
    assert_contains(f->err.message, "'f32_in' is set to 1e+39, which is no value of type Float32");
    assert_int_equal(set_one(f, "f32_in", INFINITY, 0), TAKT_OK);
    assert_int_equal(set_text(f, "bin_in", "12345678901234567", 17), TAKT_ERR_SIMULATION);
    assert_contains(f->err.message, "variable 'bin_in' is set to 17 bytes; its maxSize is 16");
}

static void null_texts_count_as_empty(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, T_MODE_NO_VALUES);
    size_t size = 1;
    assert_string_equal(get_text(f, "s_out", &size), "");
    get_text(f, "bin_out", &size);
    assert_int_equal(size, 0);
}

static void whole_arrays_take_one_call(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, T_MODE_NORMAL);
    static const char *const names[] = {"u",      "a[1,1]", "a[1,2]", "a[1,3]",
                                        "a[2,1]", "a[2,2]", "a[2,3]"};
    takt_access access = access_to(f, names, 7);
    assert_int_equal(access.batches[0].n_refs, 2);
    assert_true(access.batches[0].is_whole);
    double given[] = {9, 10, 20, 30, 40, 50, 60}, got[7] = {0};
    counters(f)->n_set_float64 = 0;
    takt_values values = {.real = given};
    assert_int_equal(f->instance->type->set(f->instance, &access, &values, &f->err), TAKT_OK);
    assert_int_equal(counters(f)->n_set_float64, 1);
    values.real = got;
    assert_int_equal(f->instance->type->get(f->instance, &access, &values, &f->err), TAKT_OK);
    assert_memory_equal(given, got, sizeof given);
    assert_true(get_real(f, "b[2,1]") == 40);
}

static void a_part_of_an_array_leaves_the_rest(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    assert_int_equal(set_one(f, "a[2,3]", 66, 0), TAKT_OK); // before initialization
    initialize(f, T_MODE_NORMAL);
    assert_true(get_real(f, "b[1,1]") == 1 && get_real(f, "b[2,3]") == 66);
    static const char *const names[] = {"a[2,1]", "u", "a[1,2]"}; // in any order
    takt_access access = access_to(f, names, 3);
    assert_false(access.batches[0].is_whole);
    double given[] = {40, 5, 20}, got[3] = {0};
    takt_values values = {.real = given};
    assert_int_equal(f->instance->type->set(f->instance, &access, &values, &f->err), TAKT_OK);
    values.real = got;
    assert_int_equal(f->instance->type->get(f->instance, &access, &values, &f->err), TAKT_OK);
    assert_memory_equal(given, got, sizeof given);
    static const double all[] = {1, 20, 3, 40, 5, 66};
    for (int i = 0; i < 6; i++) {
        char name[16];
        snprintf(name, sizeof name, "b[%d,%d]", i / 3 + 1, i % 3 + 1);
        assert_true(get_real(f, name) == all[i]);
    }
}

static void parts_know_what_was_set_as_a_whole(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, T_MODE_NORMAL);
    assert_int_equal(set_one(f, "a[1,1]", -1, 0), TAKT_OK);
    static const char *const names[] = {"a[1,1]", "a[1,2]", "a[1,3]", "a[2,1]", "a[2,2]", "a[2,3]"};
    takt_access access = access_to(f, names, 6);
    double given[] = {10, 20, 30, 40, 50, 60};
    takt_values values = {.real = given};
    assert_int_equal(f->instance->type->set(f->instance, &access, &values, &f->err), TAKT_OK);
    assert_int_equal(set_one(f, "a[2,2]", -5, 0), TAKT_OK);
    assert_true(get_real(f, "b[1,1]") == 10);
    assert_true(get_real(f, "b[2,2]") == -5);
    assert_true(get_real(f, "b[2,3]") == 60);
}

static void parts_of_text_arrays_can_be_set(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    assert_int_equal(set_text(f, "strings[2]", "second", 6), TAKT_OK);
    assert_string_equal(get_text(f, "strings_out[1]", NULL), "one");
    assert_string_equal(get_text(f, "strings_out[2]", NULL), "second");
    assert_int_equal(set_text(f, "strings[1]", "first", 5), TAKT_OK);
    assert_string_equal(get_text(f, "strings_out[1]", NULL), "first");
    assert_string_equal(get_text(f, "strings_out[2]", NULL), "second");
}

static void structural_parameters_are_set_in_configuration_mode(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    assert_int_equal(set_one(f, "flag", 0, 1), TAKT_OK);
    assert_int_equal(get_integer(f, "flag"), 1);
    assert_int_equal(counters(f)->n_configured, 1);
    assert_int_equal(set_one(f, "n", 0, 3), TAKT_OK); // as it is
    assert_int_equal(set_one(f, "n", 0, 4), TAKT_ERR_SIMULATION);
    assert_contains(f->err.message, "structural parameter 'n' cannot be set to 4: it gives the "
                                    "size of arrays, which is 3 and must be known before the run");
    assert_int_equal(counters(f)->n_configured, 1);
    initialize(f, T_MODE_NORMAL); // the instance is as good as before
}

static takt_status resize(fixture *f, int64_t n, takt_model **out)
{
    const takt_structural_value value = {takt_map_find(&f->model->names, "n"), n};
    return f->model->type->resize(f->model, &value, 1, out, &f->err);
}

static void resizing_makes_other_elements_without_start_values(void **state)
{
    fixture *f = *state;
    make_fmu(f, (options){0});
    int n_before = f->model->n_variables;
    takt_model *resized = NULL;
    assert_int_equal(resize(f, 5, &resized), TAKT_OK);
    assert_int_equal(resized->n_variables, n_before + 4);
    int last = takt_map_find(&resized->names, "a[2,5]");
    assert_true(last >= 0);
    assert_int_equal(resized->variables[last].array->n_elements, 10);
    assert_false(resized->variables[last].has_start);
    assert_int_equal(resized->variables[takt_map_find(&resized->names, "n")].start.integer, 5);
    int first = takt_map_find(&resized->names, "strings[1]"); // not resized
    assert_true(resized->variables[first].has_start);
    takt_model_close(resized);
    assert_int_equal(f->model->n_variables, n_before);
}

static void sizes_that_cannot_be_are_explained(void **state)
{
    fixture *f = *state;
    make_fmu(f, (options){0});
    static const struct {
        int64_t n;
        const char *message;
    } sizes[] = {{0, "Dimension: 'n' is 0; arrays without elements are not supported"},
                 {1000001, "array 'a' is too large: at most 2000000 elements"},
                 {INT64_MAX, "array 'a' is too large: at most 2000000 elements"},
                 {-1, "Dimension: 'n' is 18446744073709551615, which is too large"}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        takt_model *resized = NULL;
        assert_int_equal(resize(f, sizes[i].n, &resized), TAKT_ERR_INPUT);
        assert_null(resized);
        assert_contains(f->err.message, sizes[i].message);
    }
}

static void an_fmu_may_refuse_a_size(void **state)
{
    fixture *f = *state;
    make_fmu(f, (options){0});
    takt_model *resized = NULL;
    assert_int_equal(resize(f, 4, &resized), TAKT_OK);
    takt_instance *instance = NULL;
    takt_status st = resized->type->instantiate(resized, "tank", f->log.log, &instance, &f->err);
    assert_int_equal(st, TAKT_ERR_SIMULATION);
    assert_null(instance);
    assert_contains(f->err.message, "n = 4: fmi3SetUInt64 of 'n' failed (status error)");
    takt_model_close(resized);
}

static takt_status depend(fixture *f, takt_dependency out[6])
{
    int first = takt_map_find(&f->model->names, "b[1,1]");
    return f->instance->type->depend(f->instance, first, &f->arena, out, &f->err);
}

static void elements_tell_on_what_they_depend(void **state)
{
    fixture *f = *state;
    takt_dependency list[6];
    instantiate(f, (options){.attributes = "providesPerElementDependencies='true'"});
    assert_true(f->model->can.element_dependencies);
    initialize(f, T_MODE_NORMAL);
    if (depend(f, list)) fail_msg("%s", f->err.message);
    for (int i = 0; i < 6; i++) {
        assert_true(list[i].is_known);
        assert_int_equal(list[i].n_known, 2);
        assert_int_equal(list[i].known[0], takt_map_find(&f->model->names, "u"));
        assert_int_equal(list[i].known[1], takt_map_find(&f->model->names, "a[1,1]") + i);
    }
}

static void impossible_dependencies_are_refused(void **state)
{
    fixture *f = *state;
    takt_dependency list[6];
    static const struct {
        int mode;
        const char *message;
    } cases[] = {
        {T_MODE_MANY_DEPENDENCIES, "18446744073709551615 dependencies are more than 20000000"},
        {T_MODE_WRONG_ELEMENT, "names element 7 of 'a', which has 6"},
        {T_MODE_WRONG_REFERENCE, "names value reference 4711, which no variable has"}};
    instantiate(f, (options){0});
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(set_one(f, "mode", 0, cases[i].mode), TAKT_OK);
        assert_int_equal(depend(f, list), TAKT_ERR_SIMULATION);
        assert_contains(f->err.message, cases[i].message);
    }
}

static void resources_are_a_path_with_a_slash(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    const char *path = get_text(f, "resources", NULL);
    assert_int_equal(path[0], '/');
    assert_contains(path, "/resources/");
    assert_int_equal(path[strlen(path) - 1], '/');
}

static void a_wrong_token_is_explained_by_the_fmu(void **state)
{
    fixture *f = *state;
    make_fmu(f, (options){.token = "{other}"});
    assert_int_equal(try_instantiate(f), TAKT_ERR_SIMULATION);
    assert_contains(f->err.message, "fmi3InstantiateCoSimulation of FMU");
    assert_contains(f->err.message, "returned no instance; the FMU says: the token is wrong");
}

static void an_fmu_may_refuse_event_mode(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.token = "{no events}", .attributes = EVENTS});
    assert_contains(f->log.text, "instance 'tank': the FMU refuses event mode");
    initialize(f, T_MODE_NORMAL);
    takt_event event = settle(f);
    assert_true(event.next_time == INFINITY);
    takt_step_result result;
    assert_int_equal(run(f, &result), TAKT_OK);
    handle_events(f, 1); // nothing happens
    assert_int_equal(get_integer(f, "count"), 0);
}

static void problems_are_asked_for_when_details_are_not_wanted(void **state)
{
    fixture *f = *state;
    f->quiet = takt_log_create(TAKT_LEVEL_WARN, NULL, NULL);
    instantiate(f, (options){0});
    assert_int_equal(counters(f)->n_debug_logging, 1);
}

// ---- ends of steps -------------------------------------------------------------------------------

static void errors_end_the_instance(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, T_MODE_ERROR);
    takt_step_result result;
    assert_int_equal(run(f, &result), TAKT_ERR_SIMULATION);
    assert_string_equal(f->err.message, "fmi3DoStep failed (status error); the FMU says: "
                                        "the solver gave up");
    assert_int_equal(set_one(f, "u", 0, 0), TAKT_ERR_SIMULATION);
    assert_contains(f->err.message, "fmi3SetFloat64 cannot be called after the earlier error");
}

static void call(void *library, const char *name)
{
    void (*function)(void);
    void *address = dlsym(library, name);
    memcpy(&function, &address, sizeof function);
    function();
}

static void messages_of_freed_instances_are_dropped(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    f->instance->type->destroy(f->instance);
    f->instance = NULL;
    call(((takt_fmu *)f->model)->library->handle, "tiny3_speak_late");
    assert_null(strstr(f->log.text, "am still here"));
}

static void after_a_fatal_error_nothing_is_called(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, T_MODE_FATAL);
    takt_step_result result;
    assert_int_equal(run(f, &result), TAKT_ERR_SIMULATION);
    assert_contains(f->err.message, "(status fatal)");
    void *handle = ((takt_fmu *)f->model)->library->handle;
    tiny3_counters *counts = counters(f);
    f->instance->type->destroy(f->instance);
    f->instance = NULL;
    assert_int_equal(counts->n_calls_after_fatal, 0);
    assert_int_equal(counts->n_instances, 1);
    call(handle, "tiny3_forget_all");
}

static void unknown_statuses_are_errors(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, T_MODE_UNKNOWN_STATUS);
    takt_step_result result;
    assert_int_equal(run(f, &result), TAKT_ERR_SIMULATION);
    assert_contains(f->err.message, "(status 17, which FMI 3.0 does not know)");
}

static void discarded_steps_are_where_they_started(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, T_MODE_DISCARD);
    takt_step_result result;
    assert_int_equal(run(f, &result), TAKT_OK);
    assert_int_equal(result.end, TAKT_STEP_DISCARDED);
    assert_near(result.time, 0.5, 1e-12);
}

static void an_fmu_may_end_the_simulation(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, T_MODE_TERMINATE);
    takt_step_result result;
    assert_int_equal(run(f, &result), TAKT_OK);
    assert_int_equal(result.end, TAKT_STEP_TERMINATED);
    assert_near(result.time, 0.6, 1e-12);
}

static void warnings_are_logged_and_steps_go_on(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, T_MODE_WARNING);
    takt_step_result result;
    assert_int_equal(run(f, &result), TAKT_OK);
    assert_contains(f->log.text, "instance 'tank': fmi3DoStep returned a warning at t=0");
}

static void set_errors_name_the_variable(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, T_MODE_SET_ERROR);
    assert_int_equal(set_one(f, "i8_in", 0, 1), TAKT_ERR_SIMULATION);
    assert_contains(f->err.message, "fmi3SetInt8 of 'i8_in' failed (status error)");
}

static void callbacks_within_steps_do_no_harm(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, T_MODE_UPDATE);
    takt_step_result result;
    assert_int_equal(run(f, &result), TAKT_OK);
}

static void strange_messages_do_no_harm(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, T_MODE_LOG);
    assert_contains(f->log.text, "tank: tiny3: 50% so far, %n, %s %d\n");
    assert_contains(f->log.text, "tank: strange\n");
    assert_contains(f->log.text, "xxxxxxxx");
    assert_null(strstr(f->log.text, "nobody"));
}

// ---- derivatives ---------------------------------------------------------------------------------

static void derivatives_of_whole_arrays(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, T_MODE_NORMAL);
    static const char *const a[] = {"a[1,1]", "a[1,2]", "a[1,3]", "a[2,1]", "a[2,2]", "a[2,3]"};
    static const char *const b[] = {"b[1,1]", "b[1,2]", "b[1,3]", "b[2,1]", "b[2,2]", "b[2,3]"};
    takt_access knowns = access_to(f, a, 6), unknowns = access_to(f, b, 6);
    const double seed[] = {1, 1, 1, 0, 0, 2};
    double out[6] = {0};
    assert_int_equal(
        f->instance->type->differentiate(f->instance, &unknowns, &knowns, seed, out, &f->err),
        TAKT_OK);
    static const double expected[] = {1, 2, 3, 0, 0, 12};
    assert_memory_equal(out, expected, sizeof out);
}

static void derivatives_of_parts_of_arrays(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    initialize(f, T_MODE_NORMAL);
    static const char *const a[] = {"a[2,3]", "a[1,1]"};
    static const char *const b[] = {"b[1,1]", "b[1,2]", "b[2,3]"};
    takt_access knowns = access_to(f, a, 2), unknowns = access_to(f, b, 3);
    const double seed[] = {2, 1};
    double out[3] = {-1, -1, -1};
    assert_int_equal(
        f->instance->type->differentiate(f->instance, &unknowns, &knowns, seed, out, &f->err),
        TAKT_OK);
    assert_true(out[0] == 1 && out[1] == 0 && out[2] == 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(steps_integrate_and_end_where_asked),
        TEST(every_type_travels_both_ways),
        TEST(values_that_do_not_fit_are_refused),
        TEST(null_texts_count_as_empty),
        TEST(whole_arrays_take_one_call),
        TEST(a_part_of_an_array_leaves_the_rest),
        TEST(parts_know_what_was_set_as_a_whole),
        TEST(parts_of_text_arrays_can_be_set),
        TEST(structural_parameters_are_set_in_configuration_mode),
        TEST(resizing_makes_other_elements_without_start_values),
        TEST(sizes_that_cannot_be_are_explained),
        TEST(an_fmu_may_refuse_a_size),
        TEST(elements_tell_on_what_they_depend),
        TEST(impossible_dependencies_are_refused),
        TEST(resources_are_a_path_with_a_slash),
        TEST(a_wrong_token_is_explained_by_the_fmu),
        TEST(an_fmu_may_refuse_event_mode),
        TEST(problems_are_asked_for_when_details_are_not_wanted),
        TEST(errors_end_the_instance),
        TEST(messages_of_freed_instances_are_dropped),
        TEST(after_a_fatal_error_nothing_is_called),
        TEST(unknown_statuses_are_errors),
        TEST(discarded_steps_are_where_they_started),
        TEST(an_fmu_may_end_the_simulation),
        TEST(warnings_are_logged_and_steps_go_on),
        TEST(set_errors_name_the_variable),
        TEST(callbacks_within_steps_do_no_harm),
        TEST(strange_messages_do_no_harm),
        TEST(derivatives_of_whole_arrays),
        TEST(derivatives_of_parts_of_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
