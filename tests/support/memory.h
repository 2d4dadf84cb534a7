// SPDX-License-Identifier: MIT
// Counting allocations and letting one of them fail. For tests whose file name ends with "_memory.c":
// they are linked so that calls of malloc() and its relatives in our code pass through here.
#ifndef TAKT_TESTS_SUPPORT_MEMORY_H
#define TAKT_TESTS_SUPPORT_MEMORY_H

#include <stdbool.h>

/// Lets the n-th allocation from now on fail (1: the next one), and only that; 0: none.
void test_memory_fail(int n);

/// Has an allocation failed since the last call of test_memory_fail()?
bool test_memory_has_failed(void);

/// How many allocations there were since the last call of test_memory_fail().
int test_memory_count(void);

#endif
