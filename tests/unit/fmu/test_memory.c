// SPDX-License-Identifier: MIT
// Every allocation of src/fmu and of what it uses fails once; and the step loop has none.
#include "support/archive.h"
#include "support/memory.h"
#include "support/test.h"

#include "base/file.h"
#include "base/xml_tree.h"
#include "description/read.h"
#include "fmu/open.h"

static const char description[] =
    "<fmiModelDescription fmiVersion='2.0' modelName='Tiny' guid='{tiny}'>"
    "<CoSimulation modelIdentifier='tiny' canGetAndSetFMUstate='true'/>"
    "<UnitDefinitions><Unit name='K'><BaseUnit K='1'/></Unit></UnitDefinitions>"
    "<TypeDefinitions><SimpleType name='E'><Enumeration><Item name='a' value='1'/></Enumeration>"
    "</SimpleType></TypeDefinitions><LogCategories><Category name='c'/></LogCategories>"
    "<ModelVariables>"
    "<ScalarVariable name='u' valueReference='0' causality='input'><Real start=' 0 "
    "'/></ScalarVariable>"
    "<ScalarVariable name='x' valueReference='1' causality='output'><Real "
    "unit='K'/></ScalarVariable>"
    "<ScalarVariable name='i_in' valueReference='0' causality='input'><Integer start='0'/>"
    "</ScalarVariable>"
    "<ScalarVariable name='b_in' valueReference='0' causality='input'><Boolean start='0'/>"
    "</ScalarVariable>"
    "<ScalarVariable name='s_in' valueReference='0' causality='input'><String start=''/>"
    "</ScalarVariable>"
    "<ScalarVariable name='label' valueReference='2' causality='parameter' variability='fixed'>"
    "<String start='hello'/></ScalarVariable>"
    "<ScalarVariable name='e' valueReference='2'><Enumeration declaredType='E'/></ScalarVariable>"
    "</ModelVariables><ModelStructure><Outputs><Unknown index='2' dependencies='1'/></Outputs>"
    "</ModelStructure></fmiModelDescription>";

static const char description_fmi1[] =
    "<fmiModelDescription fmiVersion='1.0' modelName='Tiny' modelIdentifier='tiny1' guid='{tiny1}'"
    " numberOfContinuousStates='0' numberOfEventIndicators='0'>"
    "<UnitDefinitions><BaseUnit unit='K'/></UnitDefinitions>"
    "<TypeDefinitions><Type name='E'><EnumerationType><Item name='a'/></EnumerationType></Type>"
    "</TypeDefinitions><ModelVariables>"
    "<ScalarVariable name='u' valueReference='0' causality='input'><Real/></ScalarVariable>"
    "<ScalarVariable name='-u' valueReference='0' causality='input' alias='negatedAlias'><Real/>"
    "</ScalarVariable>"
    "<ScalarVariable name='x' valueReference='1' causality='output'><Real unit='K'/>"
    "<DirectDependency><Name>u</Name><Name>v</Name></DirectDependency></ScalarVariable>"
    "<ScalarVariable name='b' valueReference='0' causality='input'><Boolean/></ScalarVariable>"
    "<ScalarVariable name='label' valueReference='0' variability='parameter'>"
    "<String start='hello'/></ScalarVariable></ModelVariables>"
    "<Implementation><CoSimulation_StandAlone><Capabilities/></CoSimulation_StandAlone>"
    "</Implementation></fmiModelDescription>";

typedef struct fixture {
    test_folder folder;
    char path[512], path_fmi1[512];
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->folder = test_folder_create();
    snprintf(f->path, sizeof f->path, "%s/tiny.fmu", f->folder.path);
    test_archive(f->path,
                 (test_entry[]){{.name = "binaries/linux64/tiny.so", .file = TEST_TINY},
                                {.name = "modelDescription.xml", .data = description}},
                 2);
    snprintf(f->path_fmi1, sizeof f->path_fmi1, "%s/tiny1.fmu", f->folder.path);
    test_archive(f->path_fmi1,
                 (test_entry[]){{.name = "binaries/linux64/tiny1.so", .file = TEST_TINY1},
                                {.name = "modelDescription.xml", .data = description_fmi1}},
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

static takt_status read_tree(void)
{
    takt_xml_tree *tree = NULL;
    takt_status st =
        takt_xml_tree_open_memory(description, sizeof description - 1, "m", &tree, NULL);
    takt_xml_tree_close(tree);
    return st;
}

static takt_status read_text(const char *text)
{
    takt_model model = {.description_file = "m.xml"};
    takt_description out;
    takt_status st = takt_description_read_memory(text, strlen(text), NULL, &model, &out, NULL);
    takt_map_clear(&model.names);
    takt_arena_clear(&model.arena);
    return st;
}

static takt_status read_fmi2(void)
{
    return read_text(description);
}

static takt_status read_fmi1(void)
{
    return read_text(description_fmi1);
}

static void reading_survives_every_failing_allocation(void **state)
{
    (void)state;
    takt_status (*const readers[])(void) = {read_tree, read_fmi1, read_fmi2};
    for (int i = 0; i < 3; i++) {
        int n = 0;
        for (takt_status st = TAKT_ERR_MEMORY; st != TAKT_OK; n++) {
            test_memory_fail(n + 1);
            st = readers[i]();
            bool has_failed = test_memory_has_failed();
            test_memory_fail(0);
            assert_int_equal(st, has_failed ? TAKT_ERR_MEMORY : TAKT_OK);
        }
        assert_true(n > 2);
    }
}

// Opens, makes an instance and steps once.
static takt_status use(const char *path)
{
    takt_model *model = NULL;
    takt_instance *instance = NULL;
    takt_status st = takt_fmu_open(path, NULL, &model, NULL);
    if (!st) st = model->type->instantiate(model, "tank", NULL, &instance, NULL);
    const takt_interval interval = {0};
    takt_step_result result;
    if (!st) st = instance->type->enter_initialization(instance, &interval, NULL);
    if (!st) st = instance->type->exit_initialization(instance, NULL);
    if (!st) st = instance->type->step(instance, 0, 1, true, &result, NULL);
    if (instance) instance->type->destroy(instance);
    takt_model_close(model);
    return st;
}

// First with an empty cache each time, then with a filled one.
static void assert_survives(const char *path, const char *cache)
{
    for (int is_filled = 0; is_filled < 2; is_filled++) {
        bool has_failed = true;
        for (int n = 1; has_failed; n++) {
            if (!is_filled) takt_tree_remove(cache);
            test_memory_fail(n);
            takt_status st = use(path);
            has_failed = test_memory_has_failed();
            test_memory_fail(0);

            // The cache can do without memory in some places; and an FMU that gets none refuses to be
            // instantiated.
            assert_true(st == TAKT_OK ||
                        (has_failed && (st == TAKT_ERR_MEMORY || st == TAKT_ERR_SIMULATION)));
            assert_int_equal(test_folder_count(cache) <= 2, true); // an entry and the lock
        }
    }
}

static void running_survives_every_failing_allocation(void **state)
{
    fixture *f = *state;
    char cache[600];
    snprintf(cache, sizeof cache, "%s/cache", f->folder.path);
    char *old = getenv("TAKT_CACHE_DIR");
    old = old ? strdup(old) : NULL;
    setenv("TAKT_CACHE_DIR", cache, 1);
    assert_survives(f->path, cache);
    takt_tree_remove(cache);
    assert_survives(f->path_fmi1, cache);
    if (old) setenv("TAKT_CACHE_DIR", old, 1);
    free(old);
}

// Sets all inputs, steps, and gets all of them.
static void turn(takt_instance *instance, const takt_access *access, takt_values *values)
{
    takt_step_result result;
    assert_int_equal(instance->type->set(instance, access, values, NULL), TAKT_OK);
    assert_int_equal(instance->type->step(instance, 0, 1, true, &result, NULL), TAKT_OK);
    assert_int_equal(instance->type->get(instance, access, values, NULL), TAKT_OK);
}

static void assert_steps_without_allocation(const char *path, const int variables[4])
{
    takt_model *model = NULL;
    takt_instance *instance = NULL;
    takt_arena arena = {0};
    takt_access access;
    takt_values values;
    const takt_interval interval = {0};
    assert_int_equal(takt_fmu_open(path, NULL, &model, NULL), TAKT_OK);
    assert_int_equal(model->type->instantiate(model, "tank", NULL, &instance, NULL), TAKT_OK);
    assert_true(takt_access_create(&arena, model, variables, 4, &access, NULL));
    assert_true(takt_values_init(&values, access.n_values));
    assert_true(takt_bytes_assign(&values.bytes[0], "some text", 9));
    assert_int_equal(instance->type->enter_initialization(instance, &interval, NULL), TAKT_OK);
    assert_int_equal(instance->type->exit_initialization(instance, NULL), TAKT_OK);
    turn(instance, &access, &values);
    long before = test_memory_count();
    for (int i = 0; i < 100; i++) turn(instance, &access, &values);
    assert_int_equal(test_memory_count(), before);
    takt_values_clear(&values, access.n_values);
    takt_arena_clear(&arena);
    instance->type->destroy(instance);
    takt_model_close(model);
}

static void steps_do_not_allocate(void **state)
{
    fixture *f = *state;
    assert_steps_without_allocation(f->path, (int[]){0, 2, 3, 4});
    assert_steps_without_allocation(f->path_fmi1, (int[]){0, 1, 3, 4});
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reading_survives_every_failing_allocation),
        TEST(running_survives_every_failing_allocation),
        TEST(steps_do_not_allocate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
