// SPDX-License-Identifier: MIT
// Test programs of several files: which files there are.
#ifndef TAKT_TESTS_SUPPORT_PROGRAMS_H
#define TAKT_TESTS_SUPPORT_PROGRAMS_H

/// A file of a test program and its main(), which has another name there (see tests/CMakeLists.txt).
typedef struct test_file {
    const char *name;
    int (*run)(void);
} test_file;

/// What main() of a file returns where it cannot test anything.
enum { TEST_SKIPPED = 77 };

/// Made by the build; ends with an entry of zeros.
extern const test_file test_files[];

#endif
