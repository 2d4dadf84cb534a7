// SPDX-License-Identifier: MIT
#include "support/test.h"

#include "base/file.h"
#include "project/project.h"
#include "project/uri.h"

static void assert_open_fails(const char *path, const char *message)
{
    takt_project *project = NULL;
    takt_error err = {0};
    assert_int_equal(takt_project_open(path, NULL, &project, &err), TAKT_ERR_INPUT);
    assert_null(project);
    assert_string_equal(err.message, message);
}

static void a_missing_file_is_named(void **state)
{
    (void)state;
    assert_open_fails("no/such.ssd", "no/such.ssd: cannot be opened: No such file or directory");
    assert_open_fails("no/such.fmu", "no/such.fmu: cannot be opened: No such file or directory");
    assert_open_fails("/", "/: has no SystemStructure.ssd at its top; is it an SSP?");
}

// A file with this name in a new folder; returns the path.
static char *write_file(takt_arena *arena, char **folder, const char *name)
{
    takt_error err = {0};
    assert_int_equal(takt_folder_create_temporary(arena, NULL, "test", folder, &err), TAKT_OK);
    char *path = takt_path_join(arena, *folder, name);
    assert_int_equal(takt_file_write(path, "", 0, &err), TAKT_OK);
    return path;
}

static void kinds_of_files_that_cannot_be_read_are_refused(void **state)
{
    (void)state;
    static const char *const names[][2] = {
        {"a.txt", "the kind of project is known neither from the file's name nor from its content; "
                  "possible are .ssp, .ssd, .fmu, .msim, OspSystemStructure.xml and the "
                  "configuration of the EAS master"},
        {"a.msim", "the project has no simulators; write lines like simulator 0 0 NAME #4682b4 "
                   "\"PATH.fmu\""},
    };
    for (int i = 0; i < 2; i++) {
        takt_arena arena = {0};
        char *folder;
        char *path = write_file(&arena, &folder, names[i][0]);
        assert_open_fails(path, takt_arena_print(&arena, "%s: %s", path, names[i][1]));
        takt_tree_remove(folder);
        takt_arena_clear(&arena);
    }
}

static void a_single_fmu_is_a_component_named_after_the_file(void **state)
{
    (void)state;
    takt_arena arena = {0};
    char *folder;
    char *path = write_file(&arena, &folder, "My.Tank.fmu");
    takt_project *project = NULL;
    takt_error err = {0};
    assert_int_equal(takt_project_open(path, NULL, &project, &err), TAKT_OK);
    assert_string_equal(takt_project_name(project), "My.Tank");
    assert_int_equal(project->n_components, 1);
    assert_string_equal(project->components[0].name, "My.Tank");
    assert_string_equal(project->components[0].source, path);
    takt_project_close(project);
    takt_tree_remove(folder);
    takt_arena_clear(&arena);
}

static void a_name_that_is_not_utf8_is_made_so(void **state)
{
    (void)state;
    takt_project *project = NULL;
    takt_error err = {0};
    assert_int_equal(takt_project_create("a/\xfft\xc3\xbcr\xc3.fmu", NULL, &project, &err), 0);
    assert_string_equal(takt_project_name(project), "_t\xc3\xbcr_");
    takt_project_close(project);
}

static void settings_and_values_are_changed_through_the_api(void **state)
{
    (void)state;
    takt_project *project = NULL;
    takt_error err = {0};
    assert_int_equal(takt_project_create("x.ssd", NULL, &project, &err), TAKT_OK);
    assert_int_equal(takt_project_set(project, "step-size", "10ms", &err), TAKT_OK);
    assert_true(project->settings.step_size == 0.01);
    assert_null(takt_project_place_of(project, &project->settings.step_size).file);
    assert_string_equal(takt_project_place_of(project, &project->settings.stop_time).file, "x.ssd");
    assert_int_equal(takt_project_set(project, "step-size", "0", &err), TAKT_ERR_USAGE);
    assert_int_equal(takt_project_set(project, NULL, "0", &err), TAKT_ERR_USAGE);
    assert_int_equal(takt_project_set_value(project, "Tank.name=a=b", &err), TAKT_OK);
    assert_int_equal(project->n_assignments, 1);
    assert_string_equal(project->assignments[0].variable, "Tank.name");
    assert_string_equal(project->assignments[0].value, "a=b");
    assert_int_equal(takt_project_set_value(project, "Tank.level", &err), TAKT_ERR_USAGE);
    assert_string_equal(
        err.message,
        "'Tank.level' sets no value; write COMPONENT.VARIABLE=VALUE, such as Tank.level=1");
    assert_int_equal(takt_project_set_value(project, "=1", &err), TAKT_ERR_USAGE);
    takt_project_close(project);
    takt_project_close(NULL);
}

static void uris_become_paths_in_the_folder_of_the_project(void **state)
{
    (void)state;
    static const char *const good[][3] = {
        {"a.ssd", "b.fmu", "b.fmu"},
        {"x/a.ssd", "b.fmu", "x/b.fmu"},
        {"/x/a.ssd", "resources//./b%2Bc.fmu", "/x/resources/b+c.fmu"},
        {"x/a.ssd", "../b.fmu", "x/../b.fmu"},
        {"x/a.ssd", "./b%C3%A4.fmu", "x/b\xc3\xa4.fmu"},
        {"a.ssd", ".hidden/b.fmu", ".hidden/b.fmu"},
        {"x/a.ssd", "/y/./b.fmu", "/y/b.fmu"},
        {"x/a.ssd", "file:///y/b%20c.fmu", "/y/b c.fmu"},
    };
    static const char *const bad[] = {"",    "#id", "http://a/b", "file://a/b", "/",    "a?b",
                                      "a#b", "a%",  "a%2",        "a%zz",       "a%00", "."};
    takt_arena arena = {0};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        const char *path = NULL;
        assert_int_equal(takt_uri_resolve(&arena, good[i][0], good[i][1], &path, NULL), TAKT_OK);
        assert_string_equal(path, good[i][2]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *path = NULL;
        assert_int_equal(takt_uri_resolve(&arena, "a.ssd", bad[i], &path, NULL), TAKT_ERR_INPUT);
        assert_null(path);
    }
    takt_arena_clear(&arena);
}

static void doubts_count_from_the_opening_on_and_without_a_log(void **state)
{
    (void)state;
    takt_error err = {0};
    takt_project *project = NULL;
    assert_int_equal(takt_project_create("plant.ssd", NULL, &project, &err), TAKT_OK);
    takt_problem_doubt(&project->problems, (takt_place){"plant.ssd", 4}, "odd %s", "unit");
    assert_int_equal(takt_project_check_doubts(project, &err), TAKT_OK);
    assert_int_equal(takt_project_set(project, "strict", "true", &err), TAKT_OK);
    assert_int_equal(takt_project_check_doubts(project, &err), TAKT_ERR_INPUT);
    assert_contains(err.message, "plant.ssd: 1 warning says that results may be wrong");
    assert_contains(err.message, "the first: odd unit");
    takt_project_close(project);

    test_log log;
    test_log_init(&log);
    takt_log_doubt(log.log, NULL, 0, "about another project");
    assert_int_equal(takt_project_create("plant.ssd", log.log, &project, &err), TAKT_OK);
    assert_int_equal(takt_project_set(project, "strict", "true", &err), TAKT_OK);
    assert_int_equal(takt_project_check_doubts(project, &err), TAKT_OK);
    takt_project_close(project);
    test_log_clear(&log);
}

static void problems_are_counted_and_the_first_is_kept(void **state)
{
    (void)state;
    takt_problems problems = {0};
    takt_error err = {0};
    assert_int_equal(takt_problems_end(&problems, "x", &err), TAKT_OK);
    takt_problem(&problems, TAKT_LEVEL_WARN, (takt_place){"a", 1}, "a warning");
    assert_int_equal(takt_problems_end(&problems, "x", &err), TAKT_OK);
    takt_problem(&problems, TAKT_LEVEL_ERROR, (takt_place){0}, "option %d", 1);
    assert_int_equal(takt_problems_end(&problems, "x", &err), TAKT_ERR_USAGE);
    assert_string_equal(err.message, "option 1");
    takt_problem(&problems, TAKT_LEVEL_ERROR, (takt_place){"a", 1}, "second");
    assert_int_equal(takt_problems_end(&problems, "x", &err), TAKT_ERR_INPUT);
    assert_string_equal(err.message, "x: 2 problems; the first: option 1");
}

static void many_warnings_end_the_search_for_similar_names(void **state)
{
    (void)state;
    takt_problems problems = {0};
    assert_true(takt_problems_suggests(&problems, 1000000));
    takt_problem(&problems, TAKT_LEVEL_WARN, (takt_place){0}, "a name is not known");
    takt_problem(&problems, TAKT_LEVEL_INFO, (takt_place){0}, "another one");
    assert_false(takt_problems_suggests(&problems, 1000000));
    assert_true(takt_problems_suggests(&problems, 1000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_warnings_end_the_search_for_similar_names),
        cmocka_unit_test(a_missing_file_is_named),
        cmocka_unit_test(kinds_of_files_that_cannot_be_read_are_refused),
        cmocka_unit_test(a_single_fmu_is_a_component_named_after_the_file),
        cmocka_unit_test(a_name_that_is_not_utf8_is_made_so),
        cmocka_unit_test(settings_and_values_are_changed_through_the_api),
        cmocka_unit_test(uris_become_paths_in_the_folder_of_the_project),
        cmocka_unit_test(doubts_count_from_the_opening_on_and_without_a_log),
        cmocka_unit_test(problems_are_counted_and_the_first_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
