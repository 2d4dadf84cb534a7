// SPDX-License-Identifier: MIT
// Memory with one lifetime. What is taken from an arena is zeroed, aligned for any type, and freed
// all at once by takt_arena_clear(), never singly.
#ifndef TAKT_BASE_ARENA_H
#define TAKT_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

typedef struct takt_arena {
    struct takt_arena_chunk *chunks; ///< newest first; a zeroed arena is empty and ready for use
    size_t size; ///< bytes of all chunks
    bool has_failed; ///< memory was exhausted once, for who cannot tell "none" from that
} takt_arena;

void takt_arena_clear(takt_arena *arena);

/// These return NULL when memory is exhausted. An array of 0 items is not NULL.
void *takt_arena_alloc(takt_arena *arena, size_t size);
void *takt_arena_array(takt_arena *arena, size_t n_items, size_t item_size);
char *takt_arena_copy(takt_arena *arena, const char *text);
char *takt_arena_copy_n(takt_arena *arena, const char *text, size_t length);
char *takt_arena_print(takt_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// A text without the blanks at its ends: the text itself shortened, or a copy. NULL: out of
/// memory.
const char *takt_arena_trim(takt_arena *arena, const char *text);

/// Makes room for item number `n_items` in a malloc'ed array whose pointer lies at `items`. Returns
/// false when memory is exhausted; the array is then unchanged. New room is zeroed.
bool takt_grow(void *items, int n_items, int *capacity, size_t item_size);

#endif
