// SPDX-License-Identifier: MIT
// Allocation functions as the linker sees them with --wrap; see memory.h.
#include "support/memory.h"

#include <errno.h>
#include <stdlib.h>

#include "base/arena_chunk.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t n, size_t size);
size_t __real_takt_arena_chunk_size(size_t newest, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t n, size_t size);

size_t __wrap_takt_arena_chunk_size(size_t newest, size_t size);

static _Thread_local long n_calls, n_left;
static _Thread_local int has_failed, is_paused, uses_chunks;

static int is_refused(void)
{
    if (is_paused) return 0;
    n_calls++;
    if (n_left == 0 || --n_left > 0) return 0;
    has_failed = 1;
    errno = ENOMEM;
    return 1;
}

void *__wrap_malloc(size_t size)
{
    return is_refused() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return is_refused() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return is_refused() ? NULL : __real_realloc(old, size);
}

void *__wrap_reallocarray(void *old, size_t n, size_t size)
{
    return is_refused() ? NULL : __real_reallocarray(old, n, size);
}

size_t __wrap_takt_arena_chunk_size(size_t newest, size_t size)
{
    return uses_chunks ? __real_takt_arena_chunk_size(newest, size) : size;
}

void test_memory_use_chunks(int used)
{
    uses_chunks = used;
}

void test_memory_pause(int paused)
{
    is_paused = paused;
}

long test_memory_count(void)
{
    return n_calls;
}

void test_memory_fail(long n)
{
    n_left = n;
    has_failed = 0;
}

int test_memory_has_failed(void)
{
    return has_failed;
}

long test_memory_fail_each(void (*attempt)(void *context), void *context)
{
    for (long n = 1;; n++) {
        test_memory_fail(n);
        attempt(context);
        int met = has_failed;
        test_memory_fail(0);
        if (!met) return n - 1;
    }
}
