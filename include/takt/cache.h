// SPDX-License-Identifier: MIT
// The cache of unpacked FMUs and packages, which runs share.
#ifndef TAKT_CACHE_H
#define TAKT_CACHE_H

#include <stdint.h>

#include "takt/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Describes the cache: its folder, its size and limit, and what is in it, the most recently used first; as text or
/// JSON. The text is owned by the caller and freed with takt_free().
TAKT_API takt_status takt_cache_describe(takt_format format, char **out, takt_error *err);

/// Sets the limit of the cache from now on, as "500MB" or "8 GB"; the environment variable TAKT_CACHE_LIMIT has
/// precedence. takt_cache_clean() applies it.
TAKT_API takt_status takt_cache_limit_to(const char *size, takt_error *err);

/// Removes the least recently used parts of the cache until it has at most its limit, or everything. What a process
/// uses stays in any case. Counts what is gone.
TAKT_API takt_status takt_cache_clean(int everything, int *n_removed, int64_t *bytes,
                                      takt_error *err);

/// What archives may grow to when they are unpacked is said by the environment variables TAKT_UNPACK_LIMIT (a size)
/// and TAKT_UNPACK_ENTRIES (a number of files). TAKT_ERR_USAGE: one of them has another content.
TAKT_API takt_status takt_unpack_limits_check(takt_error *err);

#ifdef __cplusplus
}
#endif
#endif
