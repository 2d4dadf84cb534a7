// SPDX-License-Identifier: MIT
// Memory of SUNDIALS; see solver_memory.h. Which solver an allocation is for follows from the thread: those that are in
// SUNDIALS are in a list. (A variable of the thread would be simpler, but a library that is loaded later needs memory for it, or room
// that only some hundred libraries share.)
#include "solver_memory.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct guard {
    pthread_t thread;
    fmukit_memory *memory;
    struct guard *next;
    jmp_buf out;
} guard;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static guard *guards; // the latest first

static void enter(guard *own)
{
    pthread_mutex_lock(&lock);
    own->next = guards;
    guards = own;
    pthread_mutex_unlock(&lock);
}

static void leave(const guard *own)
{
    pthread_mutex_lock(&lock);
    guard **at = &guards;
    while (*at != own) at = &(*at)->next;
    *at = own->next;
    pthread_mutex_unlock(&lock);
}

// The latest of this thread; NULL: it is not in SUNDIALS.
static guard *find(void)
{
    pthread_t self = pthread_self();
    pthread_mutex_lock(&lock);
    guard *at = guards;
    while (at && !pthread_equal(at->thread, self)) at = at->next;
    pthread_mutex_unlock(&lock);
    return at;
}

bool fmukit_memory_try(fmukit_memory *memory, void (*job)(void *data), void *data)
{
    guard own = {.thread = pthread_self(), .memory = memory};
    enter(&own);
    if (setjmp(own.out)) {
        leave(&own);
        return false;
    }
    job(data);
    leave(&own);
    return true;
}

void fmukit_memory_clear(fmukit_memory *memory)
{
    for (size_t i = 0; i < memory->n; i++) free(memory->blocks[i]);
    fmukit_memory_end(memory);
}

void fmukit_memory_end(fmukit_memory *memory)
{
    free(memory->blocks);
    memset(memory, 0, sizeof *memory);
}

// ---- what SUNDIALS calls ---------------------------------------------------------------------------

static bool remember(fmukit_memory *memory, void *block)
{
    if (memory->n == memory->capacity) {
        size_t capacity = memory->capacity ? 2 * memory->capacity : 256;
        void **blocks = realloc(memory->blocks, capacity * sizeof *blocks);
        if (!blocks) return false;
        memory->blocks = blocks;
        memory->capacity = capacity;
    }
    memory->blocks[memory->n++] = block;
    return true;
}

// What is freed was allocated not long ago, mostly.
static void forget(fmukit_memory *memory, const void *block)
{
    for (size_t i = memory->n; i-- > 0;)
        if (memory->blocks[i] == block) {
            memory->blocks[i] = memory->blocks[--memory->n];
            return;
        }
}

// A new block, NULL if there is no memory for it.
static void *take(void *block)
{
    guard *own = find();
    if (!own) return block;
    if (block && remember(own->memory, block)) return block;
    free(block);
    longjmp(own->out, 1);
}

void *fmukit_sundials_malloc(size_t size)
{
    return take(malloc(size ? size : 1));
}

void *fmukit_sundials_calloc(size_t n, size_t size)
{
    return take(n && size ? calloc(n, size) : calloc(1, 1));
}

void *fmukit_sundials_realloc(void *old, size_t size)
{
    guard *own = old ? find() : NULL;
    if (own) forget(own->memory, old);
    void *block = realloc(old, size ? size : 1);
    if (own && !block) remember(own->memory, old); // there is room for that
    return take(block);
}

void fmukit_sundials_free(void *block)
{
    guard *own = block ? find() : NULL;
    if (own) forget(own->memory, block);
    free(block);
}
