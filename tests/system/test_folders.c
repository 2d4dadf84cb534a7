// SPDX-License-Identifier: MIT
// Packages are never written without files that could not be read.
#include <sys/stat.h>
#include <unistd.h>

#include "support/command.h"

// A package, as an archive and as a folder.
static void make_package(test_sandbox *box)
{
    test_run(box, "convert", TAKT_EXAMPLES "/math003/math003.ssd", "q.ssp", "-q", NULL);
    assert_exit(box, 0);
    test_run(box, "convert", "q.ssp", "q/", "-q", NULL);
    assert_exit(box, 0);
}

static void too_few_descriptors_lose_no_file(void **state)
{
    test_sandbox *box = *state;
    make_package(box);
    for (int n = 4; n < 12; n++) {
        char limit[32];
        snprintf(limit, sizeof limit, "--nofile=%d:%d", n, n);
        test_run_program(box, "prlimit", limit, TAKT_PROGRAM, "convert", "q.ssp", "o.ssp", NULL);
        if (box->exit_code == 127) continue; // too few for the program to begin
        if (box->exit_code == 0) {
            test_run(box, "check", "o.ssp", NULL);
            assert_exit(box, 0);
        } else {
            assert_contains(box->err, "Too many open files");
            assert_false(test_has_file(box, "o.ssp"));
        }
    }
}

static void linked_folders_are_packed(void **state)
{
    test_sandbox *box = *state;
    make_package(box);
    char resources[2 * TEST_PATH_SIZE], elsewhere[2 * TEST_PATH_SIZE];
    snprintf(resources, sizeof resources, "%s/q/resources", box->work);
    snprintf(elsewhere, sizeof elsewhere, "%s/elsewhere", box->work);
    assert_int_equal(rename(resources, elsewhere), 0);
    assert_int_equal(symlink("../elsewhere", resources), 0);
    test_write_text(box, "elsewhere/notes.txt", "kept");
    test_run(box, "convert", "q", "o.ssp", "-q", NULL);
    assert_exit(box, 0);
    test_run(box, "convert", "o.ssp", "again/", "-q", NULL);
    assert_exit(box, 0);
    assert_true(test_has_file(box, "again/resources/notes.txt"));
    assert_true(test_has_file(box, "again/resources/Math003Part3.fmu"));
}

static void deep_folders_are_told(void **state)
{
    test_sandbox *box = *state;
    make_package(box);
    char path[4 * TEST_PATH_SIZE];
    int n = snprintf(path, sizeof path, "%s/q/extra", box->work);
    for (int i = 0; i < 70; i++) {
        assert_int_equal(mkdir(path, 0700), 0);
        n += snprintf(path + n, sizeof path - (size_t)n, "/d");
    }
    test_run(box, "convert", "q", "o.ssp", NULL);
    assert_one_error(box, 3, "lies in more than 64 folders");
    assert_false(test_has_file(box, "o.ssp"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(too_few_descriptors_lose_no_file),
        test_in_sandbox(linked_folders_are_packed),
        test_in_sandbox(deep_folders_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
