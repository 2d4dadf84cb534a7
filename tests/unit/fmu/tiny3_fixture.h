// SPDX-License-Identifier: MIT
// An FMU of FMI 3.0 made of tiny3_fmu.c, one instance of it, and short ways to use it; for several tests.
#ifndef TAKT_TESTS_UNIT_FMI_TINY3_FIXTURE_H
#define TAKT_TESTS_UNIT_FMI_TINY3_FIXTURE_H

#include "support/archive.h"
#include "support/test.h"

#include <dlfcn.h>

#include "fmu/model.h"
#include "fmu/open.h"
#include "unit/fmu/tiny3_fmu.h"

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
    "<Float64 name='u' valueReference='1' causality='input' intermediateUpdate='true' start='0'/>\n"
    "<Float64 name='x' valueReference='2' causality='output'/>\n"
    "<Float64 name='y' valueReference='3' causality='output'/>\n"
    "<Float64 name='a' valueReference='4' causality='input' intermediateUpdate='true' "
    "start='1 2 3 4 5 6'>"
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

static inline int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->folder = test_folder_create();
    test_log_init(&f->log);
    snprintf(f->path, sizeof f->path, "%s/tiny3.fmu", f->folder.path);
    *state = f;
    return 0;
}

static inline int teardown(void **state)
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

static inline void make_fmu(fixture *f, options o)
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

static inline takt_status try_instantiate(fixture *f)
{
    return f->model->type->instantiate(f->model, "tank", f->quiet ? f->quiet : f->log.log,
                                       &f->instance, &f->err);
}

static inline void instantiate(fixture *f, options o)
{
    make_fmu(f, o);
    if (try_instantiate(f)) print_error("%s\n", f->err.message);
    assert_non_null(f->instance);
}

static inline tiny3_counters *counters(fixture *f)
{
    return dlsym(((takt_fmu *)f->model)->library->handle, "tiny3_counts");
}

static inline takt_access access_to(fixture *f, const char *const names[], int n)
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

static inline takt_status set_one(fixture *f, const char *name, double real, int64_t integer)
{
    takt_access access = access_to(f, &name, 1);
    takt_values values = {&real, &integer, NULL};
    return f->instance->type->set(f->instance, &access, &values, &f->err);
}

static inline takt_status set_text(fixture *f, const char *name, const char *data, size_t size)
{
    takt_access access = access_to(f, &name, 1);
    takt_bytes bytes = {.data = (char *)data, .size = size};
    takt_values values = {.bytes = &bytes};
    return f->instance->type->set(f->instance, &access, &values, &f->err);
}

static inline double get_real(fixture *f, const char *name)
{
    takt_access access = access_to(f, &name, 1);
    double real = NAN;
    takt_values values = {.real = &real};
    assert_int_equal(f->instance->type->get(f->instance, &access, &values, &f->err), TAKT_OK);
    return real;
}

static inline int64_t get_integer(fixture *f, const char *name)
{
    takt_access access = access_to(f, &name, 1);
    int64_t integer = -99;
    takt_values values = {.integer = &integer};
    if (f->instance->type->get(f->instance, &access, &values, &f->err))
        fail_msg("%s: %s", name, f->err.message);
    return integer;
}

// Lives until the end of the test.
static inline const char *get_text(fixture *f, const char *name, size_t *size)
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

static inline void initialize(fixture *f, int mode)
{
    const takt_interval interval = {.start = 0, .stop = 1, .has_stop = true};
    const takt_instance_type *type = f->instance->type;
    assert_int_equal(set_one(f, "mode", 0, mode), TAKT_OK);
    assert_int_equal(type->enter_initialization(f->instance, &interval, &f->err), TAKT_OK);
    assert_int_equal(set_one(f, "u", 1, 0), TAKT_OK);
    if (type->exit_initialization(f->instance, &f->err)) fail_msg("%s", f->err.message);
}

// Updates until nothing is left to do, and leaves event mode.
static inline takt_event settle(fixture *f)
{
    const takt_instance_type *type = f->instance->type;
    takt_event event = {.needs_update = true};
    for (int i = 0; i < 10 && event.needs_update; i++)
        if (type->update_events(f->instance, &event, &f->err)) fail_msg("%s", f->err.message);
    assert_false(event.needs_update);
    assert_int_equal(type->leave_events(f->instance, &f->err), TAKT_OK);
    return event;
}

static inline takt_event handle_events(fixture *f, double t)
{
    if (f->instance->type->enter_events(f->instance, t, &f->err)) fail_msg("%s", f->err.message);
    return settle(f);
}

static inline takt_status step_to(fixture *f, double from, double to, takt_step_result *result)
{
    return f->instance->type->step(f->instance, from, to - from, true, result, &f->err);
}

// Steps of 0.1 s until something happens or t = 1.
static inline takt_status run(fixture *f, takt_step_result *result)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < 10 && !st; i++) {
        st = step_to(f, i * 0.1, (i + 1) * 0.1, result);
        if (!st && result->end != TAKT_STEP_DONE) break;
    }
    return st;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
