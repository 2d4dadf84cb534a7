// SPDX-License-Identifier: MIT
// Manifests of sweeps, for tests.
#ifndef TAKT_TESTS_SUPPORT_MANIFEST_H
#define TAKT_TESTS_SUPPORT_MANIFEST_H

#include "support/command.h"

enum { TEST_MOST_VARIANTS = 4000 };

/// The lines of a manifest by the index of their variant, from 1.
typedef struct test_manifest {
    char *text; ///< begins with the header
    char *lines[TEST_MOST_VARIANTS];
    int n_lines; ///< without the header
} test_manifest;

/// No variant may be there twice, and the last line must be whole. Clear it.
void test_manifest_read(test_sandbox *box, const char *name, test_manifest *out);
void test_manifest_clear(test_manifest *manifest);

/// The same but for the time that variants took.
void test_manifest_assert_same(const test_manifest *a, const test_manifest *b);

#endif
