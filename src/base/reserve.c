// SPDX-License-Identifier: MIT
// Memory for libraries that do not bear failed allocations; see reserve.h. The reserve is static: it takes no
// room until it is used. It is global, as the allocations of those libraries are.
#include "base/reserve.h"

#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { RESERVE_SIZE = 1 << 20, ALIGNMENT = 16 };

// Blocks of the reserve follow each other; the place is free again when all are.
typedef struct block {
    _Alignas(ALIGNMENT) size_t size;
} block;

static _Alignas(ALIGNMENT) unsigned char reserve[RESERVE_SIZE];
static size_t n_used;
static int n_blocks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

// "initial-exec": making a variable of a thread must not need memory.
typedef struct thread_state {
    bool is_inside, has_failed;
} thread_state;
static _Thread_local thread_state state __attribute__((tls_model("initial-exec")));

void takt_reserve_begin(void)
{
    state = (thread_state){.is_inside = true};
}

bool takt_reserve_end(void)
{
    state.is_inside = false;
    return !state.has_failed;
}

bool takt_reserve_has_failed(void)
{
    return state.has_failed;
}

bool takt_reserve_owns(const void *memory)
{
    uintptr_t at = (uintptr_t)memory, begin = (uintptr_t)reserve;
    return at >= begin && at < begin + RESERVE_SIZE;
}

size_t takt_reserve_size(const void *memory)
{
    return ((const block *)memory)[-1].size;
}

void *takt_reserve_take(size_t size)
{
    if (!state.is_inside) return NULL;
    state.has_failed = true;
    size_t rounded = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    if (rounded < size) return NULL;
    void *memory = NULL;
    pthread_mutex_lock(&lock);
    if (rounded <= RESERVE_SIZE - n_used && RESERVE_SIZE - n_used - rounded >= sizeof(block)) {
        block *head = (block *)(void *)(reserve + n_used);
        head->size = size;
        memory = head + 1;
        n_used += sizeof(block) + rounded;
        n_blocks++;
    }
    pthread_mutex_unlock(&lock);
    return memory;
}

static void give_back(void)
{
    pthread_mutex_lock(&lock);
    if (--n_blocks == 0) n_used = 0;
    pthread_mutex_unlock(&lock);
}

void *takt_reserve_malloc(size_t size)
{
    void *memory = malloc(size);
    return memory ? memory : takt_reserve_take(size);
}

void *takt_reserve_calloc(size_t n, size_t size)
{
    void *memory = calloc(n, size);
    if (memory || (size && n > SIZE_MAX / size)) return memory;
    memory = takt_reserve_take(n * size);
    return memory ? memset(memory, 0, n * size) : NULL;
}

void *takt_reserve_realloc(void *old, size_t size)
{
    bool is_ours = takt_reserve_owns(old);
    void *memory = is_ours ? malloc(size) : realloc(old, size);
    if (memory && !is_ours) return memory;
    if (!memory) memory = takt_reserve_take(size);
    if (!memory || !old) return memory;
    size_t old_size = is_ours ? takt_reserve_size(old) : malloc_usable_size(old);
    memcpy(memory, old, old_size < size ? old_size : size);
    takt_reserve_free(old);
    return memory;
}

void takt_reserve_free(void *memory)
{
    if (takt_reserve_owns(memory))
        give_back();
    else
        free(memory);
}
