// SPDX-License-Identifier: MIT
// What every test includes: cmocka with the headers it needs, and a log that remembers.
#ifndef TAKT_TESTS_SUPPORT_TEST_H
#define TAKT_TESTS_SUPPORT_TEST_H

// cmocka.h needs these four before it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "takt/log.h"

/// A log that keeps every message as a line "level: file:line: source: text" for comparison.
typedef struct test_log {
    takt_log *log;
    char text[65536];
    size_t length;
} test_log;

/// Starts with an empty log of level trace, or another level; end it with test_log_clear().
void test_log_init(test_log *log);
void test_log_init_level(test_log *log, takt_level level);
void test_log_clear(test_log *log);

/// Fails with both texts printed unless `text` contains `piece`.
#define assert_contains(text, piece) test_contains(text, piece, __FILE__, __LINE__)
void test_contains(const char *text, const char *piece, const char *file, int line);

/// Fails with both numbers printed unless they differ by at most `tolerance`.
#define assert_near(a, b, tolerance) test_near(a, b, tolerance, __FILE__, __LINE__)
void test_near(double a, double b, double tolerance, const char *file, int line);

#endif
