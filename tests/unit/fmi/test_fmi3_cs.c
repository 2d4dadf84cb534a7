// SPDX-License-Identifier: MIT
#include "support/archive.h"
#include "support/test.h"

#include <dlfcn.h>

#include "fmi/fmu.h"
#include "fmi/fmu_model.h"
#include "unit/fmi/tiny3_fmu.h"

#define PAIR(type, name, in, out)                                                                  \
    "<" type " name='" name "_in' valueReference='" in "' causality='input' start='0'/>\n"         \
    "<" type " name='" name "_out' valueReference='" out "' causality='output'/>\n"

static const char description[] =
    "<fmiModelDescription fmiVersion='3.0' modelName='Tiny' instantiationToken='%s'>\n"
    "<CoSimulation modelIdentifier='tiny3' canGetAndSetFMUState='true'\n"
    " providesDirectionalDerivatives='true' %s/>\n"
    "<TypeDefinitions><EnumerationType name='E'><Item name='a' value='1'/></EnumerationType>"
    "</TypeDefinitions>\n"
    "<LogCategories><Category name='logStatusError'/><Category name='all'/></LogCategories>\n"
    "<ModelVariables>\n"
    "<Float64 name='time' valueReference='0' causality='independent'/>\n"
    "<Float64 name='u' valueReference='1' causality='input' start='0'/>\n"
    "<Float64 name='x' valueReference='2' causality='output'/>\n"
    "<Float64 name='y' valueReference='3' causality='output'/>\n"
    "<Float64 name='a' valueReference='4' causality='input' start='1 2 3 4 5 6'>"
    "<Dimension start='2'/><Dimension valueReference='70'/></Float64>\n"
    "<Float64 name='b' valueReference='5' causality='output'>"
    "<Dimension start='2'/><Dimension start='3'/></Float64>\n" PAIR(
        "Float32", "f32", "6", "7") PAIR("Int8", "i8", "8", "9") PAIR("UInt8", "u8", "10", "11")
        PAIR("Int16", "i16", "12", "13") PAIR("UInt16", "u16", "14", "15") PAIR(
            "Int32", "i32", "16", "17") PAIR("UInt32", "u32", "18", "19")
            PAIR("Int64", "i64", "20", "21") PAIR("UInt64", "u64", "22", "23") PAIR(
                "Boolean", "bool", "24",
                "25") "<String name='s_in' valueReference='26' causality='input'><Start "
                      "value=''/></String>\n"
                      "<String name='s_out' valueReference='27' causality='output'/>\n"
                      "<Binary name='bin_in' valueReference='28' causality='input' maxSize='16'>"
                      "<Start value=''/></Binary>\n"
                      "<Binary name='bin_out' valueReference='29' causality='output'/>\n"
                      "<Enumeration name='e_in' valueReference='30' declaredType='E' "
                      "causality='input' start='1'/>\n"
                      "<Enumeration name='e_out' valueReference='31' declaredType='E' "
                      "causality='output'/>\n"
                      "<Int32 name='mode' valueReference='40' causality='parameter' start='0'/>\n"
                      "<Int32 name='count' valueReference='41' causality='output'/>\n"
                      "<String name='resources' valueReference='42' causality='output'/>\n"
                      "<Int32 name='evaluated' valueReference='43' causality='output'/>\n"
                      "<String name='strings' valueReference='44' causality='input'><Dimension "
                      "start='2'/>"
                      "<Start value='one'/><Start value='two'/></String>\n"
                      "<String name='strings_out' valueReference='45' "
                      "causality='output'><Dimension start='2'/>"
                      "</String>\n"
                      "<UInt64 name='n' valueReference='70' causality='structuralParameter' "
                      "start='3'/>\n"
                      "<Boolean name='flag' valueReference='71' causality='structuralParameter' "
                      "start='false'/>\n"
                      "%s</ModelVariables><ModelStructure/></fmiModelDescription>\n";

static const char clocks[] =
    "<Clock name='periodic' valueReference='50' causality='input' intervalVariability='constant' "
    "intervalDecimal='0.25' shiftDecimal='0.25'/>\n"
    "<Clock name='countdown' valueReference='51' causality='input' "
    "intervalVariability='countdown'/>\n"
    "<Clock name='triggered' valueReference='52' causality='input' "
    "intervalVariability='triggered' canBeDeactivated='true'/>\n"
    "<Clock name='out_clock' valueReference='53' causality='output' "
    "intervalVariability='triggered'/>\n"
    "<Clock name='changing' valueReference='54' causality='input' "
    "intervalVariability='changing'/>\n"
    "<Clock name='tunable' valueReference='55' causality='input' intervalVariability='tunable'/>\n"
    "<Int32 name='ticks' valueReference='56' causality='output' clocks='50'/>\n"
    "<Int32 name='countdown_ticks' valueReference='57' causality='output' clocks='51'/>\n"
    "<Int32 name='out_ticks' valueReference='58' causality='output' clocks='53'/>\n"
    "<Int32 name='clocked_in' valueReference='59' causality='input' clocks='50' start='7'/>\n"
    "<Int32 name='changing_ticks' valueReference='60' causality='output'/>\n"
    "<Int32 name='tunable_ticks' valueReference='61' causality='output'/>\n";

#define EVENTS "hasEventMode='true' mightReturnEarlyFromDoStep='true'"

typedef struct options {
    const char *token, *attributes, *variables; // NULL: as it should be, none, none
} options;

typedef struct fixture {
    test_folder folder;
    char path[512];
    test_log log;
    takt_log *quiet;
    takt_model *model;
    takt_instance *instance;
    takt_arena arena;
    takt_error err;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->folder = test_folder_create();
    test_log_init(&f->log);
    snprintf(f->path, sizeof f->path, "%s/tiny3.fmu", f->folder.path);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    if (f->instance) f->instance->type->destroy(f->instance);
    takt_model_close(f->model);
    takt_arena_clear(&f->arena);
    test_log_clear(&f->log);
    takt_log_destroy(f->quiet);
    test_folder_remove(&f->folder);
    free(f);
    return 0;
}

static void make_fmu(fixture *f, options o)
{
    char text[16384];
    snprintf(text, sizeof text, description, o.token ? o.token : "{tiny3}",
             o.attributes ? o.attributes : "", o.variables ? o.variables : "");
    test_archive(f->path,
                 (test_entry[]){{.name = "binaries/x86_64-linux/tiny3.so", .file = TEST_TINY3},
                                {.name = "modelDescription.xml", .data = text}},
                 2);
    assert_int_equal(takt_fmu_open(f->path, f->log.log, &f->model, &f->err), TAKT_OK);
}

static takt_status try_instantiate(fixture *f)
{
    return f->model->type->instantiate(f->model, "tank", f->quiet ? f->quiet : f->log.log,
                                       &f->instance, &f->err);
}

static void instantiate(fixture *f, options o)
{
    make_fmu(f, o);
    if (try_instantiate(f)) print_error("%s\n", f->err.message);
    assert_non_null(f->instance);
}

static tiny3_counters *counters(fixture *f)
{
    return dlsym(((takt_fmu *)f->model)->library->handle, "tiny3_counts");
}

static takt_access access_to(fixture *f, const char *const names[], int n)
{
    int variables[32];
    for (int i = 0; i < n; i++) {
        variables[i] = takt_map_find(&f->model->names, names[i]);
        if (variables[i] < 0) print_error("there is no '%s'\n", names[i]);
        assert_true(variables[i] >= 0);
    }
    takt_access access;
    assert_true(takt_access_create(&f->arena, f->model, variables, n, &access, NULL));
    return access;
}

static takt_status set_one(fixture *f, const char *name, double real, int64_t integer)
{
    takt_access access = access_to(f, &name, 1);
    takt_values values = {&real, &integer, NULL};
    return f->instance->type->set(f->instance, &access, &values, &f->err);
}

static takt_status set_text(fixture *f, const char *name, const char *data, size_t size)
{
    takt_access access = access_to(f, &name, 1);
    takt_bytes bytes = {.data = (char *)data, .size = size};
    takt_values values = {.bytes = &bytes};
    return f->instance->type->set(f->instance, &access, &values, &f->err);
}

static double get_real(fixture *f, const char *name)
{
    takt_access access = access_to(f, &name, 1);
    double real = NAN;
    takt_values values = {.real = &real};
    assert_int_equal(f->instance->type->get(f->instance, &access, &values, &f->err), TAKT_OK);
    return real;
}

static int64_t get_integer(fixture *f, const char *name)
{
    takt_access access = access_to(f, &name, 1);
    int64_t integer = -99;
    takt_values values = {.integer = &integer};
    if (f->instance->type->get(f->instance, &access, &values, &f->err))
        fail_msg("%s: %s", name, f->err.message);
    return integer;
}

// Lives until the end of the test.
static const char *get_text(fixture *f, const char *name, size_t *size)
{
    takt_access access = access_to(f, &name, 1);
    takt_bytes bytes = {0};
    takt_values values = {.bytes = &bytes};
    assert_int_equal(f->instance->type->get(f->instance, &access, &values, &f->err), TAKT_OK);
    const char *copy = takt_arena_copy_n(&f->arena, bytes.data, bytes.size);
    if (size) *size = bytes.size;
    takt_bytes_clear(&bytes);
    return copy;
}

static void initialize(fixture *f, int mode)
{
    const takt_interval interval = {.start = 0, .stop = 1, .has_stop = true};
    const takt_instance_type *type = f->instance->type;
    assert_int_equal(set_one(f, "mode", 0, mode), TAKT_OK);
    assert_int_equal(type->enter_initialization(f->instance, &interval, &f->err), TAKT_OK);
    assert_int_equal(set_one(f, "u", 1, 0), TAKT_OK);
    if (type->exit_initialization(f->instance, &f->err)) fail_msg("%s", f->err.message);
}

// Updates until nothing is left to do, and leaves event mode.
static takt_event settle(fixture *f)
{
    const takt_instance_type *type = f->instance->type;
    takt_event event = {.needs_update = true};
    for (int i = 0; i < 10 && event.needs_update; i++)
        if (type->update_events(f->instance, &event, &f->err)) fail_msg("%s", f->err.message);
    assert_false(event.needs_update);
    assert_int_equal(type->leave_events(f->instance, &f->err), TAKT_OK);
    return event;
}

static takt_event handle_events(fixture *f, double t)
{
    if (f->instance->type->enter_events(f->instance, t, &f->err)) fail_msg("%s", f->err.message);
    return settle(f);
}

static takt_status step_to(fixture *f, double from, double to, takt_step_result *result)
{
    return f->instance->type->step(f->instance, from, to - from, true, result, &f->err);
}

// Steps of 0.1 s until something happens or t = 1.
static takt_status run(fixture *f, takt_step_result *result)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < 10 && !st; i++) {
        st = step_to(f, i * 0.1, (i + 1) * 0.1, result);
        if (!st && result->end != TAKT_STEP_DONE) break;
    }
    return st;
}

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
    assert_int_equal(access.groups[0].n_refs, 2);
    assert_true(access.groups[0].is_whole);
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
    assert_false(access.groups[0].is_whole);
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
                                    "size of arrays, which is 3 in the FMU");
    assert_int_equal(counters(f)->n_configured, 1);
    initialize(f, T_MODE_NORMAL); // the instance is as good as before
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
    assert_contains(f->log.text, "the FMU refuses event mode");
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
    assert_contains(f->err.message, "fmi3SetFloat64 cannot be called after the error before");
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
    void (*forget)(void);
    void *address = dlsym(handle, "tiny3_forget_all");
    memcpy(&forget, &address, sizeof forget);
    forget();
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
    assert_contains(f->log.text, "fmi3DoStep returned a warning at t=0");
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

// ---- events --------------------------------------------------------------------------------------

static void after_initialization_there_is_event_mode(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = EVENTS});
    assert_true(f->model->can.events);
    assert_true(counters(f)->uses_events && counters(f)->may_return_early);
    initialize(f, T_MODE_NEXT_EVENT);
    takt_event event = settle(f);
    assert_near(event.next_time, 0.3, 1e-15);
    assert_int_equal(get_integer(f, "count"), 2); // the first update asked for another one
    takt_step_result result;
    assert_int_equal(step_to(f, 0, 0.3, &result), TAKT_OK);
    event = handle_events(f, 0.3);
    assert_true(event.next_time == INFINITY);
    assert_int_equal(get_integer(f, "count"), 4);
}

static void early_returns_tell_when(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = EVENTS});
    initialize(f, T_MODE_EARLY);
    settle(f);
    takt_step_result result;
    assert_int_equal(run(f, &result), TAKT_OK);
    assert_int_equal(result.end, TAKT_STEP_EARLY);
    assert_true(result.has_event);
    assert_near(result.time, 0.55, 1e-15);
    handle_events(f, result.time);
    assert_int_equal(step_to(f, 0.55, 0.6, &result), TAKT_OK);
    assert_int_equal(result.end, TAKT_STEP_DONE);
    assert_near(get_real(f, "x"), 0.6, 1e-12);
}

static void a_time_that_is_no_number_is_not_believed(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = EVENTS});
    initialize(f, T_MODE_EARLY_NAN);
    settle(f);
    takt_step_result result;
    assert_int_equal(run(f, &result), TAKT_OK);
    assert_int_equal(result.end, TAKT_STEP_EARLY);
    assert_near(result.time, 0.5, 1e-12);
}

static void an_update_may_end_the_simulation(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = EVENTS});
    initialize(f, T_MODE_TERMINATE_IN_EVENT);
    assert_true(settle(f).terminates);
}

static void discrete_states_are_evaluated_before_reading(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = EVENTS " providesEvaluateDiscreteStates='true'"});
    initialize(f, T_MODE_NORMAL);
    assert_int_equal(get_integer(f, "evaluated"), 1);
    assert_int_equal(get_integer(f, "evaluated"), 1); // nothing was set in between
    assert_int_equal(set_one(f, "u", 2, 0), TAKT_OK);
    assert_int_equal(get_integer(f, "evaluated"), 2);
    settle(f);
    assert_int_equal(get_integer(f, "evaluated"), 2);
}

// ---- clocks --------------------------------------------------------------------------------------

// Goes from event to event up to t = 1 and keeps the times of the first ones.
static int run_clocks(fixture *f, double *times, int max)
{
    takt_event event = settle(f);
    double t = 0;
    int n = 0;
    while (event.next_time <= 1 + 1e-9 && n < max) {
        takt_step_result result;
        assert_int_equal(step_to(f, t, event.next_time, &result), TAKT_OK);
        t = times[n++] = event.next_time;
        event = handle_events(f, t);
    }
    return n;
}

static void clocks_tick_when_the_fmu_says(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = EVENTS, .variables = clocks});
    initialize(f, T_MODE_NORMAL);
    double times[32];
    int n = run_clocks(f, times, 32);
    // periodic: 0.25, 0.5, ...; changing: 0.1, 0.3, 0.7; tunable: 0.1, 0.3, 0.5, 0.6, 0.7, ...
    static const double expected[] = {0.1, 0.25, 0.3, 0.5, 0.6, 0.7, 0.75, 0.8, 0.9, 1};
    for (int i = 0, k = 0; i < n; i++) { // nearly equal times may come one after the other
        if (k > 0 && fabs(times[i] - expected[k - 1]) < 1e-9) continue;
        assert_true(k < 10);
        assert_near(times[i], expected[k++], 1e-9);
    }
    assert_int_equal(get_integer(f, "ticks"), 4);
    assert_int_equal(get_integer(f, "changing_ticks"), 3);
    assert_int_equal(get_integer(f, "tunable_ticks"), 8);
    assert_int_equal(get_integer(f, "countdown_ticks"), 0);
}

static void clocked_variables_keep_their_value_between_ticks(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = EVENTS, .variables = clocks});
    initialize(f, T_MODE_NORMAL);
    assert_int_equal(get_integer(f, "ticks"), 0);
    assert_int_equal(get_integer(f, "clocked_in"), 7);
    takt_event event = settle(f);
    for (double t = 0; t < 0.25;) {
        takt_step_result result;
        assert_int_equal(step_to(f, t, event.next_time, &result), TAKT_OK);
        t = event.next_time;
        assert_int_equal(set_one(f, "clocked_in", 0, 8), TAKT_OK); // has no effect here
        assert_int_equal(f->instance->type->enter_events(f->instance, t, &f->err), TAKT_OK);
        if (t == 0.25) assert_int_equal(set_one(f, "clocked_in", 0, 9), TAKT_OK);
        assert_int_equal(get_integer(f, "ticks"), t == 0.25);
        assert_int_equal(get_integer(f, "periodic"), t == 0.25);
        event = settle(f);
    }
    assert_int_equal(get_integer(f, "ticks"), 1);
    assert_int_equal(get_integer(f, "clocked_in"), 9);
    assert_int_equal(get_integer(f, "periodic"), 0);
}

static void triggered_clocks_are_values_in_event_mode(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = EVENTS, .variables = clocks});
    initialize(f, T_MODE_NORMAL);
    settle(f);
    assert_int_equal(set_one(f, "triggered", 0, 1), TAKT_OK); // outside event mode: nothing
    assert_int_equal(get_integer(f, "out_clock"), 0);
    takt_step_result result;
    assert_int_equal(step_to(f, 0, 0.05, &result), TAKT_OK);
    assert_int_equal(f->instance->type->enter_events(f->instance, 0.05, &f->err), TAKT_OK);
    assert_int_equal(set_one(f, "triggered", 0, 1), TAKT_OK);
    assert_int_equal(set_one(f, "triggered", 0, 1), TAKT_OK); // ticks already
    assert_int_equal(get_integer(f, "triggered"), 1);
    assert_int_equal(get_integer(f, "out_clock"), 1);
    assert_int_equal(get_integer(f, "out_ticks"), 1);
    assert_int_equal(set_one(f, "triggered", 0, 0), TAKT_OK);
    assert_int_equal(get_integer(f, "out_clock"), 0);
    assert_int_equal(set_one(f, "triggered", 0, 1), TAKT_OK);
    settle(f);
    assert_int_equal(get_integer(f, "out_clock"), 0);
    assert_int_equal(get_integer(f, "out_ticks"), 1);
}

static void countdowns_start_in_event_mode(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = EVENTS, .variables = clocks});
    initialize(f, T_MODE_NORMAL);
    assert_int_equal(set_one(f, "triggered", 0, 1), TAKT_OK);
    takt_event event = settle(f);
    takt_step_result result;
    assert_near(event.next_time, 0.1, 1e-15); // others tick first
    assert_int_equal(step_to(f, 0, 0.1, &result), TAKT_OK);
    event = handle_events(f, 0.1);
    assert_near(event.next_time, 0.15, 1e-15);
    assert_int_equal(step_to(f, 0.1, 0.15, &result), TAKT_OK);
    event = handle_events(f, 0.15);
    assert_int_equal(get_integer(f, "countdown_ticks"), 1);
    assert_near(event.next_time, 0.25, 1e-15);
}

static void impossible_intervals_are_refused(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = EVENTS, .variables = clocks});
    initialize(f, T_MODE_BAD_INTERVAL);
    assert_int_equal(set_one(f, "triggered", 0, 1), TAKT_OK);
    takt_event event;
    assert_int_equal(f->instance->type->update_events(f->instance, &event, &f->err),
                     TAKT_ERR_SIMULATION);
    assert_contains(f->err.message, "clock 'countdown' has an interval of nan s");
}

// ---- states and derivatives ----------------------------------------------------------------------

static void states_hold_the_ticks_too(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = EVENTS, .variables = clocks});
    initialize(f, T_MODE_NORMAL);
    const takt_instance_type *type = f->instance->type;
    takt_event event = settle(f);
    takt_step_result result;
    void *saved = NULL;
    assert_int_equal(type->save(f->instance, &saved, &f->err), TAKT_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(step_to(f, 0, 0.1, &result), TAKT_OK);
        event = handle_events(f, 0.1);
        assert_near(event.next_time, 0.25, 1e-15);
        assert_int_equal(get_integer(f, "changing_ticks"), 1);
        assert_near(get_real(f, "x"), 0.1, 1e-15);
        assert_int_equal(type->restore(f->instance, saved, &f->err), TAKT_OK);
        assert_int_equal(get_integer(f, "changing_ticks"), 0);
    }
    assert_int_equal(type->save(f->instance, &saved, &f->err), TAKT_OK);
    assert_int_equal(counters(f)->n_states, 1);
    type->free_state(f->instance, &saved);
    assert_null(saved);
    assert_int_equal(counters(f)->n_states, 0);
}

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

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

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
        TEST(resources_are_a_path_with_a_slash),
        TEST(a_wrong_token_is_explained_by_the_fmu),
        TEST(an_fmu_may_refuse_event_mode),
        TEST(problems_are_asked_for_when_details_are_not_wanted),
        TEST(errors_end_the_instance),
        TEST(after_a_fatal_error_nothing_is_called),
        TEST(unknown_statuses_are_errors),
        TEST(discarded_steps_are_where_they_started),
        TEST(an_fmu_may_end_the_simulation),
        TEST(warnings_are_logged_and_steps_go_on),
        TEST(set_errors_name_the_variable),
        TEST(callbacks_within_steps_do_no_harm),
        TEST(strange_messages_do_no_harm),
        TEST(after_initialization_there_is_event_mode),
        TEST(early_returns_tell_when),
        TEST(a_time_that_is_no_number_is_not_believed),
        TEST(an_update_may_end_the_simulation),
        TEST(discrete_states_are_evaluated_before_reading),
        TEST(clocks_tick_when_the_fmu_says),
        TEST(clocked_variables_keep_their_value_between_ticks),
        TEST(triggered_clocks_are_values_in_event_mode),
        TEST(countdowns_start_in_event_mode),
        TEST(impossible_intervals_are_refused),
        TEST(states_hold_the_ticks_too),
        TEST(derivatives_of_whole_arrays),
        TEST(derivatives_of_parts_of_arrays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
