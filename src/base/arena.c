// SPDX-License-Identifier: MIT
// Arena: a list of chunks, each filled from the front. Chunks grow, so that the arena of one of many
// small objects stays small. Large items get a chunk of their own.
#include "base/arena.h"

#include <limits.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena_chunk.h"

enum { ALIGNMENT = alignof(max_align_t) };

struct takt_arena_chunk {
    struct takt_arena_chunk *next;
    size_t used, size;
    max_align_t memory[];
};

void takt_arena_clear(takt_arena *arena)
{
    while (arena->chunks) {
        struct takt_arena_chunk *chunk = arena->chunks;
        arena->chunks = chunk->next;
        free(chunk);
    }
    arena->size = 0;
    arena->has_failed = false;
}

static struct takt_arena_chunk *add_chunk(takt_arena *arena, size_t size)
{
    size_t item = size;
    size = takt_arena_chunk_size(arena->chunks ? arena->chunks->size : 0, item);
    bool is_own = size == item;
    struct takt_arena_chunk *chunk = calloc(1, sizeof *chunk + size);
    arena->has_failed |= !chunk;
    if (!chunk) return NULL;
    chunk->size = size;
    arena->size += size;
    // A chunk for one large item goes behind the current one, which still has room.
    struct takt_arena_chunk **place = &arena->chunks;
    if (*place && is_own) place = &(*place)->next;
    chunk->next = *place;
    *place = chunk;
    return chunk;
}

static void *take(takt_arena *arena, size_t size, size_t alignment)
{
    if (size > SIZE_MAX / 2) return NULL;
    struct takt_arena_chunk *chunk = arena->chunks;
    size_t start = chunk ? (chunk->used + alignment - 1) / alignment * alignment : 0;
    if (!chunk || start > chunk->size || chunk->size - start < size) {
        chunk = add_chunk(arena, size);
        if (!chunk) return NULL;
        start = 0;
    }
    chunk->used = start + size;
    return (char *)chunk->memory + start;
}

void *takt_arena_alloc(takt_arena *arena, size_t size)
{
    return take(arena, size ? size : 1, ALIGNMENT);
}

void *takt_arena_array(takt_arena *arena, size_t n_items, size_t item_size)
{
    if (item_size && n_items > SIZE_MAX / 2 / item_size) return NULL;
    return takt_arena_alloc(arena, n_items * item_size);
}

char *takt_arena_copy_n(takt_arena *arena, const char *text, size_t length)
{
    if (length == SIZE_MAX) return NULL;
    char *copy = take(arena, length + 1, 1);
    if (copy) memcpy(copy, text, length);
    return copy;
}

char *takt_arena_copy(takt_arena *arena, const char *text)
{
    return takt_arena_copy_n(arena, text, strlen(text));
}

const char *takt_arena_trim(takt_arena *arena, const char *text)
{
    static const char blanks[] = " \t\r\n";
    text += strspn(text, blanks);
    const char *end = text + strlen(text);
    while (end > text && strchr(blanks, end[-1])) end--;
    return *end ? takt_arena_copy_n(arena, text, (size_t)(end - text)) : text;
}

char *takt_arena_print(takt_arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0) return NULL;
    char *text = take(arena, (size_t)length + 1, 1);
    if (!text) return NULL;
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}

bool takt_grow(void *items, int n_items, int *capacity, size_t item_size)
{
    if (n_items < *capacity) return true;
    if (*capacity > INT_MAX / 2) return false;
    int wanted = *capacity ? 2 * *capacity : 8;
    void *old;
    memcpy(&old, items, sizeof old);
    char *grown = reallocarray(old, (size_t)wanted, item_size);
    if (!grown) return false;
    memset(grown + (size_t)*capacity * item_size, 0, (size_t)(wanted - *capacity) * item_size);
    memcpy(items, &grown, sizeof grown);
    *capacity = wanted;
    return true;
}
