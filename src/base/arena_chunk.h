// SPDX-License-Identifier: MIT
// The rule for the sizes of chunks of arenas.
#ifndef TAKT_BASE_ARENA_CHUNK_H
#define TAKT_BASE_ARENA_CHUNK_H

#include <stddef.h>

/// How large a new chunk is, in an arena whose newest one has `newest` bytes (0: it has none), for an item
/// of `size` bytes: `size` itself for an item that gets a chunk of its own, or more.
size_t takt_arena_chunk_size(size_t newest, size_t size);

#endif
