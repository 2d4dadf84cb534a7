// SPDX-License-Identifier: MIT
// Every example with every algorithm.
#ifndef TAKT_TESTS_SUPPORT_EXAMPLES_H
#define TAKT_TESTS_SUPPORT_EXAMPLES_H

#include <glob.h>

#include "support/ssd.h"

/// One project with an algorithm; `stop`: "--stop-time=...", or NULL for that of the project.
typedef void test_example_fn(test_sandbox *box, const char *project, const char *algorithm,
                             const char *stop);

/// Calls a function for every project file among the examples: with one of the algorithms for half a second; if the variable of the environment is "all"
/// with each of them, up to its end.
static inline void test_each_example(test_sandbox *box, const char *variable, test_example_fn *each)
{
    static const char *const algorithms[] = {"auto",   "jacobi",       "seidel",  "fixed-point",
                                             "newton", "quasi-newton", "anderson"};
    enum { N_ALGORITHMS = sizeof algorithms / sizeof *algorithms };
    const char *asked = getenv(variable);
    bool is_all = asked && strcmp(asked, "all") == 0;
    glob_t found = {0};
    assert_int_equal(glob(TAKT_EXAMPLES "/*/*.ssd", 0, NULL, &found), 0);
    assert_int_equal(glob(TAKT_EXAMPLES "/coupling/*/*.ssd", GLOB_APPEND, NULL, &found), 0);
    assert_true(found.gl_pathc > 25);
    for (size_t i = 0; i < found.gl_pathc; i++)
        for (size_t k = 0; k < N_ALGORITHMS; k++) {
            const char *stop = strstr(found.gl_pathv[i], "/building/") ? "--stop-time=3d" : NULL;
            if (!is_all) stop = "--stop-time=0.5";
            if (is_all || k == i % N_ALGORITHMS) each(box, found.gl_pathv[i], algorithms[k], stop);
        }
    globfree(&found);
}

#endif
