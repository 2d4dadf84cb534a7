// SPDX-License-Identifier: MIT
// Small helpers of the program.
#ifndef TAKT_APP_SUPPORT_H
#define TAKT_APP_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "takt/status.h"

/// Writes a message into `err`, which may be NULL, and returns `status`.
takt_status cli_fail(takt_error *err, takt_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
takt_status cli_fail_memory(takt_error *err);

/// Makes room for item number `n_items` in a malloc'ed array whose pointer lies at `items`. Returns false when
/// memory is exhausted; the array is then unchanged.
bool cli_grow(void *items, int n_items, int *capacity, size_t item_size);

/// Seconds on a clock that never jumps.
double cli_clock(void);

/// Are both the same regular file, or the same path where there is none yet?
bool cli_is_same_file(const char *a, const char *b);

/// Does a path end so, in small or capital letters? `ending` has its dot: ".csv".
bool cli_ends_in(const char *path, const char *ending);

/// Reads a whole file, at most 1 GiB; a 0 is put behind it. Owned by the caller.
takt_status cli_file_read(const char *path, char **out, size_t *size, takt_error *err);

#endif
