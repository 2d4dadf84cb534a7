// SPDX-License-Identifier: MIT
// Every allocation for FMUs of FMI 3.0 fails once; and steps and events have none.
#include "support/archive.h"
#include "support/memory.h"
#include "support/test.h"

#include "description/read.h"
#include "fmu/open.h"
#include "instance/instance.h"

static const char description[] =
    "<fmiModelDescription fmiVersion='3.0' modelName='Tiny' instantiationToken='{tiny3}'>"
    "<CoSimulation modelIdentifier='tiny3' canGetAndSetFMUState='true' hasEventMode='true' "
    "providesDirectionalDerivatives='true'/>"
    "<UnitDefinitions><Unit name='K'><BaseUnit K='1'/></Unit></UnitDefinitions>"
    "<TypeDefinitions><EnumerationType name='E'><Item name='a' value='1'/></EnumerationType>"
    "<ClockType name='C' intervalVariability='constant' intervalDecimal='0.25'/></TypeDefinitions>"
    "<LogCategories><Category name='c'/></LogCategories>"
    "<ModelVariables><Float64 name='time' valueReference='0' causality='independent'/>"
    "<Float64 name='u' valueReference='1' causality='input' start=' 0 ' unit='K'>"
    "<Alias name='v' description='d'/></Float64>"
    "<Float64 name='x' valueReference='2' causality='output'/>"
    "<Float64 name='a' valueReference='4' causality='input' start='1 2 3 4 5 6'>"
    "<Dimension start='2'/><Dimension valueReference='70'/><Alias name='z'/></Float64>"
    "<Float64 name='b' valueReference='5' causality='output'><Dimension start='2'/>"
    "<Dimension start='3'/></Float64>"
    "<Int8 name='i' valueReference='8' causality='input' start='0'/>"
    "<String name='s' valueReference='26' causality='input'><Start value='text'/></String>"
    "<Binary name='bin' valueReference='28' causality='input' maxSize='16'><Start value='ff'/>"
    "</Binary>"
    "<String name='strings' valueReference='44' causality='input'><Dimension start='2'/>"
    "<Start value='one'/><Start value='two'/></String>"
    "<Clock name='periodic' valueReference='50' causality='input' declaredType='C'/>"
    "<Int32 name='ticks' valueReference='56' causality='output' clocks='50'/>"
    "<UInt64 name='n' valueReference='70' causality='structuralParameter' start='3'/>"
    "</ModelVariables><ModelStructure><Output valueReference='2' dependencies='1 4'/>"
    "<Output valueReference='5'/><Output valueReference='56'/>"
    "<InitialUnknown valueReference='2'/></ModelStructure></fmiModelDescription>";

typedef struct fixture {
    test_folder folder;
    char path[512];
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->folder = test_folder_create();
    snprintf(f->path, sizeof f->path, "%s/tiny3.fmu", f->folder.path);
    test_archive(f->path,
                 (test_entry[]){{.name = "binaries/x86_64-linux/tiny3.so", .file = TEST_TINY3},
                                {.name = "modelDescription.xml", .data = description}},
                 2);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    test_folder_remove(&f->folder);
    free(f);
    return 0;
}

static void read_description(void *context)
{
    (void)context;
    takt_model model = {.description_file = "m.xml"};
    takt_description out;
    takt_status st =
        takt_description_read_memory(description, sizeof description - 1, NULL, &model, &out, NULL);
    assert_int_equal(st, test_memory_has_failed() ? TAKT_ERR_MEMORY : TAKT_OK);
    takt_map_clear(&model.names);
    takt_map_clear(&model.array_names);
    takt_arena_clear(&model.arena);
}

static void reading_survives_every_failing_allocation(void **state)
{
    (void)state;
    assert_true(test_memory_fail_each(read_description, NULL) > 40);
}

// Everything that a step and an event need.
typedef struct user {
    takt_model *model;
    takt_instance *instance;
    takt_arena arena;
    takt_access all, inputs, some, a, b; ///< all: the inputs, and one more
    takt_values values;
    double seed, derivative;
    void *state;
} user;

static bool find(user *u, const char *const names[], int n, takt_access *out)
{
    int variables[16];
    for (int i = 0; i < n; i++) variables[i] = takt_map_find(&u->model->names, names[i]);
    return takt_access_create(&u->arena, u->model, variables, n, out, NULL);
}

static takt_status start(user *u, const char *path)
{
    static const char *const all[] = {"u",      "a[1,1]", "a[1,2]", "a[1,3]", "a[2,1]", "a[2,2]",
                                      "a[2,3]", "i",      "s",      "bin",    "ticks"};
    static const char *const some[] = {"a[2,2]", "strings[2]"};
    static const char *const a[] = {"a[1,2]"}, *const b[] = {"b[1,2]"};
    const takt_interval interval = {0};
    takt_status st = takt_fmu_open(path, NULL, &u->model, NULL);
    if (!st && !(find(u, all, 11, &u->all) && find(u, all, 10, &u->inputs) &&
                 find(u, some, 2, &u->some) && find(u, a, 1, &u->a) && find(u, b, 1, &u->b) &&
                 takt_values_init(&u->values, u->all.n_values)))
        st = TAKT_ERR_MEMORY;
    if (!st) st = u->model->type->instantiate(u->model, "tank", NULL, &u->instance, NULL);
    if (!st) st = u->instance->type->enter_initialization(u->instance, &interval, NULL);
    return st ? st : u->instance->type->exit_initialization(u->instance, NULL);
}

static takt_status turn(user *u, double t)
{
    takt_instance *instance = u->instance;
    const takt_instance_type *type = instance->type;
    takt_step_result result;
    takt_event event = {.needs_update = true};
    takt_status st = type->set(instance, &u->inputs, &u->values, NULL);
    if (!st) st = type->set(instance, &u->some, &u->values, NULL);
    while (!st && event.needs_update) st = type->update_events(instance, &event, NULL);
    if (!st) st = type->leave_events(instance, NULL);
    if (!st) st = type->save(instance, &u->state, NULL);
    if (!st) st = type->step(instance, t, 0.25, true, &result, NULL);
    if (!st) st = type->get(instance, &u->all, &u->values, NULL);
    if (!st) st = type->get(instance, &u->some, &u->values, NULL);
    if (!st) st = type->differentiate(instance, &u->b, &u->a, &u->seed, &u->derivative, NULL);
    return st ? st : type->enter_events(instance, t + 0.25, NULL);
}

static void end(user *u)
{
    if (u->instance) {
        u->instance->type->free_state(u->instance, &u->state);
        u->instance->type->destroy(u->instance);
    }
    takt_values_clear(&u->values, u->all.n_values);
    takt_arena_clear(&u->arena);
    takt_model_close(u->model);
}

static void use(void *context)
{
    const fixture *f = context;
    user u = {0};
    takt_status st = start(&u, f->path);
    if (!st) st = turn(&u, 0);
    // The cache can do without memory in some places.
    assert_true(st == TAKT_OK || (test_memory_has_failed() && st == TAKT_ERR_MEMORY));
    end(&u);
}

static void running_survives_every_failing_allocation(void **state)
{
    use(*state); // fills the cache
    assert_true(test_memory_fail_each(use, *state) > 40);
}

static void resize(void *context)
{
    const takt_model *model = context;
    const takt_structural_value value = {takt_map_find(&model->names, "n"), 4};
    takt_model *resized = NULL;
    takt_status st = model->type->resize(model, &value, 1, &resized, NULL);
    assert_true(st == TAKT_OK || (test_memory_has_failed() && st == TAKT_ERR_MEMORY));
    assert_true((resized != NULL) == (st == TAKT_OK));
    takt_model_close(resized);
}

static void resizing_survives_every_failing_allocation(void **state)
{
    fixture *f = *state;
    takt_model *model = NULL;
    assert_int_equal(takt_fmu_open(f->path, NULL, &model, NULL), TAKT_OK);
    assert_true(test_memory_fail_each(resize, model) > 40);
    takt_model_close(model);
}

static void steps_and_events_do_not_allocate(void **state)
{
    fixture *f = *state;
    user u = {.seed = 1};
    assert_int_equal(start(&u, f->path), TAKT_OK);
    for (int i = 0; i < 2; i++) assert_int_equal(turn(&u, 0.25 * i), TAKT_OK);
    long before = test_memory_count();
    for (int i = 2; i < 100; i++) assert_int_equal(turn(&u, 0.25 * i), TAKT_OK);
    assert_int_equal(test_memory_count(), before);
    assert_true(u.derivative == 2);
    assert_int_equal(u.values.integer[1], 100); // ticks
    end(&u);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reading_survives_every_failing_allocation),
        TEST(running_survives_every_failing_allocation),
        TEST(resizing_survives_every_failing_allocation),
        TEST(steps_and_events_do_not_allocate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
