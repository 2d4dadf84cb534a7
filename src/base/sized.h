// SPDX-License-Identifier: MIT
// Structs of the public API that the caller provides begin with their size, so that programs built with an older header
// work with a library that knows more fields.
#ifndef TAKT_BASE_SIZED_H
#define TAKT_BASE_SIZED_H

#include <string.h>

#include "base/error.h"

/// Copies `full`, of `size` bytes, to the caller's struct `out`, as far as that has room. TAKT_ERR_USAGE: its size was not set.
static inline takt_status takt_sized_fill(void *out, const void *full, size_t size, takt_error *err)
{
    size_t room = 0;
    if (out) memcpy(&room, out, sizeof room);
    if (room < 2 * sizeof room || room > 1u << 16)
        return takt_fail(
            err, TAKT_ERR_USAGE,
            "the struct for the result must begin with its size: {.size = sizeof ...}");
    size_t n = room < size ? room : size;
    memcpy((char *)out + sizeof room, (const char *)full + sizeof room, n - sizeof room);
    return TAKT_OK;
}

/// Copies what the caller gives, `in` (NULL: nothing), to `full`, of `size` bytes; fields that it does not know stay. TAKT_ERR_USAGE: its
/// size was not set.
static inline takt_status takt_sized_take(void *full, const void *in, size_t size, takt_error *err)
{
    size_t room = 0;
    if (!in) return TAKT_OK;
    memcpy(&room, in, sizeof room);
    if (room < sizeof room || room > 1u << 16)
        return takt_fail(err, TAKT_ERR_USAGE,
                         "the struct with options must begin with its size: {.size = sizeof ...}");
    size_t n = room < size ? room : size;
    memcpy((char *)full + sizeof room, (const char *)in + sizeof room, n - sizeof room);
    return TAKT_OK;
}

#endif
