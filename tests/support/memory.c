// SPDX-License-Identifier: MIT
// Counting and failing allocations, by the linker's option --wrap; see memory.h.
#include "support/memory.h"

#include <stddef.h>

static int n_allocations, failing;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_reallocarray(void *memory, size_t n, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_reallocarray(void *memory, size_t n, size_t size);

void test_memory_fail(int n)
{
    n_allocations = 0;
    failing = n;
}

bool test_memory_has_failed(void)
{
    return failing > 0 && n_allocations >= failing;
}

int test_memory_count(void)
{
    return n_allocations;
}

static bool fails(void)
{
    return ++n_allocations == failing;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return fails() ? NULL : __real_realloc(memory, size);
}

void *__wrap_reallocarray(void *memory, size_t n, size_t size)
{
    return fails() ? NULL : __real_reallocarray(memory, n, size);
}
