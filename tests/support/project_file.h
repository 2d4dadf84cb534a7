// SPDX-License-Identifier: MIT
// Project files in tests of their readers: a text written into a folder of its own and opened.
#ifndef TAKT_TESTS_SUPPORT_PROJECT_FILE_H
#define TAKT_TESTS_SUPPORT_PROJECT_FILE_H

#include "project/project.h"
#include "support/test.h"

typedef struct test_project_file {
    test_log log;
    takt_arena arena;
    char *folder, *path;
    takt_project *project; ///< NULL when it could not be opened
    takt_status status; ///< of takt_project_open()
    takt_error err;
} test_project_file;

/// Writes the text into the file `name` of a new folder and opens it as a project, which may fail. End
/// it with test_project_file_clear().
void test_project_file_try(test_project_file *f, const char *name, const char *text);

/// The same, and fails the test when it cannot be opened.
void test_project_file_open(test_project_file *f, const char *name, const char *text);

void test_project_file_clear(test_project_file *f);

/// The path of another file of the folder.
const char *test_project_file_path(test_project_file *f, const char *name);

/// Fails unless the log contains "error: <path>:<line>: <message>" (or another level).
#define assert_problem(f, level, line, message)                                                    \
    test_problem(f, level, line, message, __FILE__, __LINE__)
void test_problem(const test_project_file *f, const char *level, int line, const char *message,
                  const char *at_file, int at_line);

#endif
