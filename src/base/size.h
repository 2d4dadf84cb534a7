// SPDX-License-Identifier: MIT
// Sizes in bytes as people write them: "500MB", "4 GB", "1.5GiB".
#ifndef TAKT_BASE_SIZE_H
#define TAKT_BASE_SIZE_H

#include <stdbool.h>
#include <stdint.h>

enum { TAKT_SIZE_TEXT = 24 };

/// Reads a number of bytes, perhaps with a unit: k, M, G, T are powers of 1000, Ki, Mi, Gi, Ti of 1024; a "B" may
/// follow, and capitals do not matter. Returns false for anything else, also for negative ones.
bool takt_size_read(const char *text, int64_t *out);

/// Writes a size with three digits and its unit: "1.23 GB".
const char *takt_size_write(int64_t size, char out[TAKT_SIZE_TEXT]);

#endif
