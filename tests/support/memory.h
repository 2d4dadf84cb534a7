// SPDX-License-Identifier: MIT
// Counts the allocations of our own code and makes chosen ones fail. The linker leads every call of
// malloc, calloc, realloc and reallocarray in a test program here (see tests/CMakeLists.txt); those
// inside of other libraries are not touched. All numbers are per thread.
//
// Every item of an arena is an allocation of its own in a test program: what is tested does not depend on where
// chunks end (and that on the length of a path), and the address sanitizer sees items that are left.
#ifndef TAKT_TESTS_SUPPORT_MEMORY_H
#define TAKT_TESTS_SUPPORT_MEMORY_H

/// How many allocations this thread has asked for so far.
long test_memory_count(void);

/// The n-th allocation of this thread from now on fails, once; 0: none does.
void test_memory_fail(long n);

/// Arenas of this thread from now on use chunks as in the library, or one per item again.
void test_memory_use_chunks(int used);

/// While paused, allocations of this thread neither count nor fail: for what a test does itself.
void test_memory_pause(int paused);

/// Has the allocation chosen by test_memory_fail() failed?
int test_memory_has_failed(void);

/// Calls `attempt` with the first allocation failing, then the second, and so on, until it gets
/// through without meeting the failing one. `attempt` checks that a failure is reported and cleans
/// up; sanitizers tell what it left behind. Returns the number of allocations that were failed.
long test_memory_fail_each(void (*attempt)(void *context), void *context);

#endif
