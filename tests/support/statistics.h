// SPDX-License-Identifier: MIT
// Statistics files (`--stats`) in tests.
#ifndef TAKT_TESTS_SUPPORT_STATISTICS_H
#define TAKT_TESTS_SUPPORT_STATISTICS_H

#include <jansson.h>

#include "support/command.h"

/// Reads a statistics file; the caller ends it with json_decref().
json_t *test_statistics_read(test_sandbox *box, const char *name);

/// Numbers and texts by a path like "instances/Part1/do_step/count"; a missing one fails the test.
double test_number(const json_t *json, const char *path);
const char *test_word(const json_t *json, const char *path);

#endif
