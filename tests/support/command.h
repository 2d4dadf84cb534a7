// SPDX-License-Identifier: MIT
// Running the program `takt` in tests: in a private folder, with its own folder for temporary files,
// with a time limit, capturing what it prints.
#ifndef TAKT_TESTS_SUPPORT_COMMAND_H
#define TAKT_TESTS_SUPPORT_COMMAND_H

#include <sys/types.h>

#include "support/test.h"

enum { TEST_PATH_SIZE = 512 };

/// A private folder. Programs run in `work`; `temp` is their $TMPDIR and must be empty at the end.
typedef struct test_sandbox {
    char root[TEST_PATH_SIZE], work[TEST_PATH_SIZE], temp[TEST_PATH_SIZE];
    char cache[TEST_PATH_SIZE]; ///< $TAKT_CACHE_DIR
    pid_t process; ///< 0: none
    int exit_code; ///< of the last program; 128 + number of the signal that ended it
    char *out, *err; ///< what the last program printed; owned by the sandbox
} test_sandbox;

/// Setup and teardown of a test whose state is a sandbox. The teardown fails the test when
/// something was left in the folder for temporary files.
int test_sandbox_setup(void **state);
int test_sandbox_teardown(void **state);
#define test_in_sandbox(function)                                                                  \
    cmocka_unit_test_setup_teardown(function, test_sandbox_setup, test_sandbox_teardown)

/// Gives the programs of this sandbox an own, empty cache.
void test_sandbox_empty_cache(test_sandbox *box);

/// Runs a program (found by $PATH) with the given words, ended by NULL, until it ends.
void test_run_program(test_sandbox *box, const char *program, ...) __attribute__((sentinel));
#define test_run(box, ...) test_run_program(box, TAKT_PROGRAM, __VA_ARGS__)

/// The same in two parts, for tests that do something in between.
void test_start_program(test_sandbox *box, const char *program, ...) __attribute__((sentinel));
#define test_start(box, ...) test_start_program(box, TAKT_PROGRAM, __VA_ARGS__)
void test_wait(test_sandbox *box);

/// Waits until a file in the work folder has at least so many lines; fails after a while.
void test_wait_for_lines(test_sandbox *box, const char *name, int n_lines);

/// Files in the work folder. The text read is owned by the caller; NULL: there is no such file.
void test_write_file(test_sandbox *box, const char *name, const void *data, size_t size);
void test_write_text(test_sandbox *box, const char *name, const char *text);
char *test_read_file(test_sandbox *box, const char *name, size_t *size);
char *test_read_path(const char *path, size_t *size); ///< any file
/// Makes a link in the work folder, unless there is one.
void test_link(test_sandbox *box, const char *name, const char *target);
bool test_has_file(test_sandbox *box, const char *name);

/// Fails, printing everything, unless the program ended with this exit code.
#define assert_exit(box, code) test_assert_exit(box, code, __FILE__, __LINE__)
void test_assert_exit(const test_sandbox *box, int code, const char *file, int line);

/// The same, and exactly one line on standard error is an error; it contains `piece`.
#define assert_one_error(box, code, piece)                                                         \
    test_assert_one_error(box, code, piece, __FILE__, __LINE__)
void test_assert_one_error(const test_sandbox *box, int code, const char *piece, const char *file,
                           int line);

/// A process that another one has started, from 1 on in the order of their numbers.
pid_t test_child_process(pid_t parent, int which);

/// How often a piece occurs in a text.
int test_count(const char *text, const char *piece);

#endif
