// SPDX-License-Identifier: MIT
// How large the chunks of arenas are; apart from arena.c, so that the linker can put another rule in its
// place: in test programs every item gets a chunk of its own (tests/support/memory.h).
#include "base/arena_chunk.h"

enum { FIRST_CHUNK = 512, LARGEST_CHUNK = 16 * 1024 };

size_t takt_arena_chunk_size(size_t newest, size_t size)
{
    if (size > LARGEST_CHUNK / 4) return size;
    size_t next = newest ? 2 * newest : FIRST_CHUNK;
    if (next > LARGEST_CHUNK) next = LARGEST_CHUNK;
    while (next < 2 * size) next *= 2;
    return next;
}
