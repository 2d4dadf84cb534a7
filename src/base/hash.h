// SPDX-License-Identifier: MIT
// Fingerprints of files.
#ifndef TAKT_BASE_HASH_H
#define TAKT_BASE_HASH_H

#include <stdio.h>

#include "base/error.h"

enum { TAKT_HASH_SIZE = 65 }; ///< 64 hexadecimal digits and a final 0

/// The SHA-256 of an open file, from its beginning to its end; the position is back at the beginning
/// afterwards. Messages do not name the file.
takt_status takt_hash_file(FILE *file, char out[TAKT_HASH_SIZE], takt_error *err);

/// The SHA-256 of bytes.
void takt_hash_bytes(const void *data, size_t size, char out[TAKT_HASH_SIZE]);

#endif
