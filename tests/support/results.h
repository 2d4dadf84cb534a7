// SPDX-License-Identifier: MIT
// Result files in tests: read strictly, so that every reading also proves that the file is valid.
#ifndef TAKT_TESTS_SUPPORT_RESULTS_H
#define TAKT_TESTS_SUPPORT_RESULTS_H

#include "support/command.h"

/// A CSV file of numbers. Fields that are no numbers (strings) have the value NaN.
typedef struct test_results {
    char *text; ///< the names point into it
    const char **names;
    double *values; ///< row by row
    int n_columns, n_rows;
} test_results;

/// Reads CSV text: the first column is `time`, all rows are complete, the last one ends with a
/// newline, times do not decrease. Anything else fails the test. Clear it with test_results_clear().
void test_results_parse(test_results *results, const char *text);
void test_results_read(test_results *results, test_sandbox *box, const char *name);
void test_results_clear(test_results *results);

/// The value of a column by name; an unknown name fails the test.
double test_result(const test_results *results, int row, const char *column);
double test_result_time(const test_results *results, int row);

/// The only row within 1e-9 s of a time; fails the test when there is none.
int test_row_at(const test_results *results, double time);

/// The first row in which a column differs from 0; -1: none.
int test_first_nonzero(const test_results *results, const char *column);

#endif
