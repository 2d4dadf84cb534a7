// SPDX-License-Identifier: MIT
#include "support/archive.h"
#include "support/test.h"

#include "base/file.h"
#include "base/process.h"

typedef struct fixture {
    test_folder folder;
    char output[512];
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->folder = test_folder_create();
    snprintf(f->output, sizeof f->output, "%s/output", f->folder.path);
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

static void output_and_exit_code_are_kept(void **state)
{
    fixture *f = *state;
    static const char *const words[] = {"sh", "-c", "echo a; echo b >&2; cat; exit 3", NULL};
    int exit_code = -1;
    char *text = NULL;
    size_t size;
    assert_int_equal(takt_process_run(words, f->output, &exit_code, NULL), TAKT_OK);
    assert_int_equal(exit_code, 3);
    assert_int_equal(takt_file_read(f->output, 1000, &text, &size, NULL), TAKT_OK);
    assert_string_equal(text, "a\nb\n");
    free(text);
}

static void a_signal_is_distinguished(void **state)
{
    fixture *f = *state;
    static const char *const words[] = {"sh", "-c", "kill -9 $$", NULL};
    int exit_code = -1;
    assert_int_equal(takt_process_run(words, f->output, &exit_code, NULL), TAKT_OK);
    assert_int_equal(exit_code, 128 + 9);
}

static void a_program_that_is_not_there_is_named(void **state)
{
    fixture *f = *state;
    static const char *const words[] = {"takt-no-such-program", NULL};
    int exit_code = -1;
    takt_error err = {0};
    assert_int_equal(takt_process_run(words, f->output, &exit_code, &err), TAKT_ERR_OUTPUT);
    assert_string_equal(err.message, "the program takt-no-such-program cannot be run: No such file "
                                     "or directory");
    assert_int_equal(exit_code, -1);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(output_and_exit_code_are_kept),
        TEST(a_signal_is_distinguished),
        TEST(a_program_that_is_not_there_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
