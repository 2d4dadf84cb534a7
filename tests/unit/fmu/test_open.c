// SPDX-License-Identifier: MIT
// Opening FMUs: the cache, and all that can be wrong with a file.
#include "support/archive.h"
#include "support/test.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "fmu/kinds.h"
#include "fmu/model.h"
#include "fmu/open.h"

#define DESCRIPTION                                                                                \
    "<fmiModelDescription fmiVersion='2.0' modelName='M' guid='g'>"                                \
    "<CoSimulation modelIdentifier='m'/></fmiModelDescription>"

typedef struct fixture {
    test_folder folder;
    char path[512], cache[512], temporary[512];
    char *old_cache, *old_temporary;
    test_log log;
    takt_arena arena;
    takt_error err;
} fixture;

static char *copy_variable(const char *name)
{
    const char *value = getenv(name);
    return value ? strdup(value) : NULL;
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->folder = test_folder_create();
    test_log_init(&f->log);
    snprintf(f->path, sizeof f->path, "%s/m.fmu", f->folder.path);
    snprintf(f->cache, sizeof f->cache, "%s/cache", f->folder.path);
    snprintf(f->temporary, sizeof f->temporary, "%s/tmp", f->folder.path);
    mkdir(f->temporary, 0700);
    f->old_cache = copy_variable("TAKT_CACHE_DIR");
    f->old_temporary = copy_variable("TMPDIR");
    setenv("TAKT_CACHE_DIR", f->cache, 1);
    setenv("TMPDIR", f->temporary, 1);
    *state = f;
    return 0;
}

static void restore_variable(const char *name, char *value)
{
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
    free(value);
}

static int teardown(void **state)
{
    fixture *f = *state;
    restore_variable("TAKT_CACHE_DIR", f->old_cache);
    restore_variable("TMPDIR", f->old_temporary);
    test_log_clear(&f->log);
    takt_arena_clear(&f->arena);
    test_folder_remove(&f->folder);
    free(f);
    return 0;
}

static void make_fmu(fixture *f, const char *description)
{
    test_archive(f->path,
                 (test_entry[]){{.name = "binaries/linux64/m.so", .data = "not a library"},
                                {.name = "binaries/win64/m.dll", .data = "MZ"},
                                {.name = "resources/table.txt", .data = "1 2 3"},
                                {.name = "modelDescription.xml", .data = description}},
                 4);
}

static takt_model *open_model(fixture *f)
{
    takt_model *model = NULL;
    f->err = (takt_error){0};
    if (takt_fmu_open(f->path, f->log.log, &model, &f->err)) print_error("%s\n", f->err.message);
    assert_non_null(model);
    return model;
}

static const char *folder_of(const takt_model *model)
{
    return ((const takt_fmu *)model)->unpacked.folder;
}

static void assert_refused(fixture *f, const char *message)
{
    takt_model *model = NULL;
    f->err = (takt_error){0};
    assert_int_equal(takt_fmu_open(f->path, f->log.log, &model, &f->err), TAKT_ERR_INPUT);
    assert_null(model);
    assert_contains(f->err.message, message);
    assert_int_equal(test_folder_count(f->temporary), 0);
}

// Entries of the cache besides the lock; private folders left behind would count, too.
static int n_entries(fixture *f)
{
    char lock[600];
    snprintf(lock, sizeof lock, "%s/lock", f->cache);
    return test_folder_count(f->cache) - takt_path_is_file(lock);
}

static void an_fmu_is_unpacked_once_and_found_again(void **state)
{
    fixture *f = *state;
    make_fmu(f, DESCRIPTION);
    takt_model *model = open_model(f);
    assert_string_equal(model->platforms, "linux64 win64");
    assert_string_equal(model->path, f->path);
    char *table = takt_path_join(&f->arena, folder_of(model), "resources/table.txt");
    struct stat first, second;
    assert_int_equal(stat(table, &first), 0);
    takt_model_close(model);
    assert_int_equal(n_entries(f), 1);

    model = open_model(f);
    assert_int_equal(stat(table, &second), 0);
    assert_int_equal(first.st_ino, second.st_ino);
    takt_model_close(model);
    assert_int_equal(n_entries(f), 1);
    assert_int_equal(test_folder_count(f->temporary), 0);
}

static void a_damaged_entry_is_made_anew(void **state)
{
    fixture *f = *state;
    make_fmu(f, DESCRIPTION);
    takt_model *model = open_model(f);
    char *table = takt_path_join(&f->arena, folder_of(model), "resources/table.txt");
    char *manifest = takt_path_join(&f->arena, folder_of(model), "../manifest");
    takt_model_close(model);

    unlink(table);
    takt_model_close(open_model(f));
    assert_true(takt_path_is_file(table));

    chmod(table, 0644);
    test_truncate(table, 1);
    takt_model_close(open_model(f));
    struct stat status;
    assert_int_equal(stat(table, &status), 0);
    assert_int_equal(status.st_size, 5);

    test_truncate(manifest, 20);
    unlink(table);
    takt_model_close(open_model(f));
    assert_true(takt_path_is_file(table));
    assert_int_equal(n_entries(f), 1);
}

static void without_a_cache_a_private_folder_is_used_and_removed(void **state)
{
    fixture *f = *state;
    setenv("TAKT_CACHE_DIR", "/proc/nowhere", 1);
    make_fmu(f, DESCRIPTION);
    takt_model *model = open_model(f);
    assert_contains(folder_of(model), f->temporary);
    assert_int_equal(test_folder_count(f->temporary), 1);
    takt_model_close(model);
    assert_int_equal(test_folder_count(f->temporary), 0);
    make_fmu(f, "<x/>");
    assert_refused(f, "the root element is 'x'");
}

static void a_cache_whose_entry_cannot_be_replaced_does_not_matter(void **state)
{
    fixture *f = *state;
    make_fmu(f, DESCRIPTION);
    char *lock = takt_path_join(&f->arena, f->cache, "lock");
    takt_folder_create(lock, NULL); // the lock cannot be taken
    takt_model *model = open_model(f);
    assert_non_null(((takt_fmu *)model)->unpacked.private_folder);
    assert_int_equal(test_folder_count(f->cache), 2);
    takt_model_close(model);
    assert_int_equal(test_folder_count(f->cache), 1);
}

static void abandoned_folders_are_removed_after_a_week(void **state)
{
    fixture *f = *state;
    char *old = takt_path_join(&f->arena, f->cache, ".new-old/content");
    char *young = takt_path_join(&f->arena, f->cache, ".new-young");
    takt_folder_create(old, NULL);
    takt_folder_create(young, NULL);
    old = takt_path_folder(&f->arena, old);
    const struct timespec times[2] = {{1000000000, 0}, {1000000000, 0}};
    assert_int_equal(utimensat(AT_FDCWD, old, times, 0), 0);
    make_fmu(f, DESCRIPTION);
    takt_model_close(open_model(f));
    assert_false(takt_path_is_folder(old));
    assert_true(takt_path_is_folder(young));
}

// Opens and closes again and again, damaging the entry now and then, as long as all is well.
static int open_often(fixture *f, int seed)
{
    for (int i = 0; i < 30; i++) {
        takt_model *model = NULL;
        if (takt_fmu_open(f->path, NULL, &model, NULL)) return 1;
        char path[1024], *data;
        size_t size;
        snprintf(path, sizeof path, "%s/resources/table.txt", folder_of(model));
        // Another process may have damaged the entry after it was checked; that is no failure of the
        // cache. The description was read in any case.
        if (takt_file_read(path, 100, &data, &size, NULL) == TAKT_OK) free(data);
        if ((i + seed) % 7 == 0) unlink(path);
        takt_model_close(model);
    }
    return 0;
}

static void processes_at_once_do_not_disturb_each_other(void **state)
{
    fixture *f = *state;
    make_fmu(f, DESCRIPTION);
    enum { N_PROCESSES = 3 };
    pid_t children[N_PROCESSES];
    for (int i = 0; i < N_PROCESSES; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) _exit(open_often(f, i));
    }
    for (int i = 0; i < N_PROCESSES; i++) {
        int status = -1;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    assert_int_equal(n_entries(f), 1);
    assert_int_equal(test_folder_count(f->temporary), 0);
}

static void bad_files_are_refused_and_leave_nothing(void **state)
{
    fixture *f = *state;
    assert_refused(f, "m.fmu: cannot be opened: No such file or directory");
    takt_file_write(f->path, "hello", 5, NULL);
    assert_refused(f, "m.fmu: is not a zip archive (the first bytes are \"hello\")");
    assert_int_equal(strncmp(f->err.message, "FMU /", 5), 0);
    make_fmu(f, DESCRIPTION);
    test_truncate(f->path, 200);
    assert_refused(f, "m.fmu: is not a complete zip archive");
    test_archive(f->path, &(test_entry){.name = "../evil", .data = "x"}, 1);
    assert_refused(f, "m.fmu: the archive is refused: entry '../evil' would be written outside");
    test_archive(f->path, &(test_entry){.name = "a.txt", .data = "x"}, 1);
    assert_refused(f, "m.fmu: the archive has no modelDescription.xml at its top; is it an FMU?");
    make_fmu(f, "<!DOCTYPE x [<!ENTITY a 'b'>]><x/>");
    assert_refused(f, "m.fmu/modelDescription.xml:1: a DOCTYPE is not allowed");
    make_fmu(f, "<fmiModelDescription fmiVersion='2.0'/>");
    assert_refused(f,
                   "m.fmu/modelDescription.xml:1: fmiModelDescription has no attribute modelName "
                   "(and 2 more errors)");
}

// An FMU that cannot run here can be looked at.
static void scheduled_execution_is_refused_only_when_it_is_to_run(void **state)
{
    fixture *f = *state;
    takt_model *model = NULL;
    takt_instance *instance = NULL;
    make_fmu(f, "<fmiModelDescription fmiVersion='3.0' modelName='M' instantiationToken='g'>"
                "<ScheduledExecution modelIdentifier='m'/><ModelVariables/><ModelStructure/>"
                "</fmiModelDescription>");
    assert_int_equal(takt_fmu_open(f->path, f->log.log, &model, &f->err), TAKT_OK);
    assert_string_equal(model->name, "M");
    assert_contains(f->log.text, "cannot run: it offers only scheduled execution");
    assert_int_equal(model->type->instantiate(model, "m", f->log.log, &instance, &f->err),
                     TAKT_ERR_INPUT);
    assert_contains(f->err.message,
                    "m.fmu: offers only scheduled execution, which is not supported");
    takt_model_close(model);
}

static takt_status instantiate(fixture *f, takt_model *model)
{
    takt_instance *instance = NULL;
    takt_status st = model->type->instantiate(model, "tank", f->log.log, &instance, &f->err);
    assert_null(instance);
    return st;
}

static void a_library_that_is_none_fails_when_loaded(void **state)
{
    fixture *f = *state;
    make_fmu(f, DESCRIPTION);
    takt_model *model = open_model(f);
    assert_int_equal(instantiate(f, model), TAKT_ERR_INPUT);
    assert_contains(f->err.message, "FMU ");
    assert_contains(f->err.message, "m.fmu: the library cannot be loaded: ");
    takt_model_close(model);
}

static void a_missing_platform_is_said_early_and_fails_late(void **state)
{
    fixture *f = *state;
    test_archive(f->path,
                 (test_entry[]){{.name = "binaries/darwin64/m.dylib", .data = "MZ"},
                                {.name = "binaries/win32/m.dll", .data = "MZ"},
                                {.name = "modelDescription.xml", .data = DESCRIPTION}},
                 3);
    takt_model *model = open_model(f);
    assert_contains(f->log.text, "m.fmu cannot run here: it has no library for linux64\n");
    assert_int_equal(instantiate(f, model), TAKT_ERR_INPUT);
    assert_contains(f->err.message, "has no library for this platform: binaries/linux64/m.so is "
                                    "missing; it has libraries for: darwin64 win32");
    takt_model_close(model);
    test_archive(f->path, &(test_entry){.name = "modelDescription.xml", .data = DESCRIPTION}, 1);
    model = open_model(f);
    assert_int_equal(instantiate(f, model), TAKT_ERR_INPUT);
    assert_contains(f->err.message,
                    "has no compiled libraries; export it with binaries for linux64");
    takt_model_close(model);
}

static void a_needed_tool_is_a_warning(void **state)
{
    fixture *f = *state;
    make_fmu(f, "<fmiModelDescription fmiVersion='2.0' modelName='M' guid='g' generationTool='T'>"
                "<CoSimulation modelIdentifier='m' needsExecutionTool='true'/>"
                "</fmiModelDescription>");
    takt_model_close(open_model(f));
    assert_contains(f->log.text, "m.fmu says that it needs T to run (needsExecutionTool)\n");
}

static void open_fixed(fixture *f, bool is_me, const char *message)
{
    takt_model *model = NULL;
    f->err = (takt_error){0};
    takt_fmu_options options = {
        .prefers_me = is_me, .is_interface_fixed = true, .shown = "p.ssp/resources/m.fmu"};
    takt_status st = takt_fmu_open_with(f->path, &options, f->log.log, &model, &f->err);
    assert_int_equal(st, message ? TAKT_ERR_INPUT : TAKT_OK);
    if (message) assert_string_equal(f->err.message, message);
    if (model) assert_string_equal(model->path, "p.ssp/resources/m.fmu");
    if (model) assert_int_equal(((takt_fmu *)model)->model.type == &takt_fmi2_me, is_me);
    takt_model_close(model);
}

static void an_interface_that_is_asked_for_must_be_offered(void **state)
{
    fixture *f = *state;
    make_fmu(f, DESCRIPTION);
    open_fixed(f, false, NULL);
    open_fixed(f, true,
               "FMU p.ssp/resources/m.fmu: does not offer model exchange, which the project asks "
               "for; choose the implementation any");
    make_fmu(f, "<fmiModelDescription fmiVersion='2.0' modelName='M' guid='g'>"
                "<ModelExchange modelIdentifier='m'/></fmiModelDescription>");
    open_fixed(f, true, NULL);
    open_fixed(f, false,
               "FMU p.ssp/resources/m.fmu: does not offer co-simulation, which the project asks "
               "for; choose the implementation any");
    make_fmu(f, "<fmiModelDescription fmiVersion='2.0' modelName='M' guid='g'>"
                "<ModelExchange modelIdentifier='m'/><CoSimulation modelIdentifier='m'/>"
                "</fmiModelDescription>");
    open_fixed(f, true, NULL);
    open_fixed(f, false, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_fmu_is_unpacked_once_and_found_again),
        TEST(a_damaged_entry_is_made_anew),
        TEST(without_a_cache_a_private_folder_is_used_and_removed),
        TEST(a_cache_whose_entry_cannot_be_replaced_does_not_matter),
        TEST(abandoned_folders_are_removed_after_a_week),
        TEST(processes_at_once_do_not_disturb_each_other),
        TEST(bad_files_are_refused_and_leave_nothing),
        TEST(a_library_that_is_none_fails_when_loaded),
        TEST(a_missing_platform_is_said_early_and_fails_late),
        TEST(scheduled_execution_is_refused_only_when_it_is_to_run),
        TEST(a_needed_tool_is_a_warning),
        TEST(an_interface_that_is_asked_for_must_be_offered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
