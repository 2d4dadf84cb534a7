// SPDX-License-Identifier: MIT
// Reading memory that may not be there.
#ifndef TAKT_BASE_MEMORY_H
#define TAKT_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/// Copies n bytes from an address that someone else has given; false where there is no memory to read. Where
/// the system does not let us ask, the address is trusted.
bool takt_memory_read(void *to, const void *from, size_t n);

#endif
