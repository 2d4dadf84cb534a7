// SPDX-License-Identifier: MIT
// Reading a project when memory is exhausted: every allocation of ours fails once.
#include "support/memory.h"
#include "support/test.h"

#include "base/file.h"
#include "project/project.h"

static const char text[] =
    "<ssd:SystemStructureDescription version='1.0' name='test'\n"
    " xmlns:ssd='http://ssp-standard.org/SSP1/SystemStructureDescription'\n"
    " xmlns:ssc='http://ssp-standard.org/SSP1/SystemStructureCommon'\n"
    " xmlns:ssv='http://ssp-standard.org/SSP1/SystemStructureParameterValues'>\n"
    "<ssd:System name='s'><ssd:Connectors><ssd:Connector name='out' kind='output'/>"
    "</ssd:Connectors><ssd:Elements><ssd:Component name='A' source='A.fmu'><ssd:Connectors>"
    "<ssd:Connector name='y' kind='output'><ssc:Real/></ssd:Connector></ssd:Connectors>"
    "<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues>"
    "<ssv:ParameterSet version='1.0' name='p'><ssv:Parameters>"
    "<ssv:Parameter name='k'><ssv:Real value='1'/></ssv:Parameter>"
    "</ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding>"
    "</ssd:ParameterBindings></ssd:Component></ssd:Elements><ssd:Connections>"
    "<ssd:Connection startElement='A' startConnector='y' endElement='A' endConnector='u'/>"
    "</ssd:Connections></ssd:System>"
    "<ssd:Annotations><ssc:Annotation type='org.takt.experiment'>"
    "<takt:Experiment xmlns:takt='https://takt.org/experiment' record='A.* B.* C.*'>"
    "<takt:Loop member='A' algorithm='seidel'/></takt:Experiment></ssc:Annotation>"
    "</ssd:Annotations></ssd:SystemStructureDescription>";

static void attempt(void *context)
{
    takt_project *project = NULL;
    takt_error err = {0};
    takt_status st = takt_project_open(context, NULL, &project, &err);
    if (!st) st = takt_project_set(project, "record", "x", &err);
    if (!st) st = takt_project_set_value(project, "A.k=1", &err);
    int has_failed = test_memory_has_failed();
    takt_project_close(project);
    assert_int_equal(st, has_failed ? TAKT_ERR_MEMORY : TAKT_OK);
}

static void exhausted_memory_is_reported(void **state)
{
    (void)state;
    takt_arena arena = {0};
    takt_error err = {0};
    char *folder;
    assert_int_equal(takt_folder_create_temporary(&arena, NULL, "test", &folder, &err), TAKT_OK);
    char *path = takt_path_join(&arena, folder, "plant.ssd");
    assert_int_equal(takt_file_write(path, text, strlen(text), &err), TAKT_OK);
    assert_true(test_memory_fail_each(attempt, path) > 8);
    takt_tree_remove(folder);
    takt_arena_clear(&arena);
}

// Reads a project with all that SSP has, gives it values, and writes it.
static void attempt_ssp(void *context)
{
    static const char *const paths[] = {"nested.ssd",   "by_id.ssd", "dictionary.ssd", "arrays.ssd",
                                        "values/a.ssd", "variants",  "text_arrays.ssd"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        takt_project *project = NULL;
        takt_error err = {0};
        char path[500];
        snprintf(path, sizeof path, TEST_DATA "/ssp/%s", paths[i]);
        takt_status st = takt_project_open(path, NULL, &project, &err);
        if (!st) st = takt_project_set_values(project, TEST_DATA "/ssp/values/sub/p.ssv", &err);
        if (!st) st = takt_project_set(project, "step-size", "1", &err);
        if (!st) st = takt_project_save(project, context, &err);
        int has_failed = test_memory_has_failed();
        takt_project_close(project);
        if (st != (has_failed ? TAKT_ERR_MEMORY : TAKT_OK)) fail_msg("%s: %s", path, err.message);
        if (has_failed) return;
    }
}

static void exhausted_memory_is_reported_by_ssp(void **state)
{
    (void)state;
    takt_arena arena = {0};
    takt_error err = {0};
    char *folder;
    assert_int_equal(takt_folder_create_temporary(&arena, NULL, "test", &folder, &err), TAKT_OK);
    char *path = takt_path_join(&arena, folder, "out.ssd");
    assert_true(test_memory_fail_each(attempt_ssp, path) > 100);
    takt_tree_remove(folder);
    takt_arena_clear(&arena);
}

// The variant is found by the name that it has inside, for which the files are read.
static void attempt_variant(void *context)
{
    (void)context;
    takt_project *project = NULL;
    takt_error err = {0};
    takt_status st =
        takt_project_open_variant(TEST_DATA "/ssp/variants", "the second", NULL, &project, &err);
    int has_failed = test_memory_has_failed();
    takt_project_close(project);
    assert_int_equal(st, has_failed ? TAKT_ERR_MEMORY : TAKT_OK);
}

static void exhausted_memory_is_no_missing_variant(void **state)
{
    (void)state;
    assert_true(test_memory_fail_each(attempt_variant, NULL) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(exhausted_memory_is_reported),
                                       cmocka_unit_test(exhausted_memory_is_reported_by_ssp),
                                       cmocka_unit_test(exhausted_memory_is_no_missing_variant)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
