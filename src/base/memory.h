// SPDX-License-Identifier: MIT
// Reading memory that may not be there.
#ifndef TAKT_BASE_MEMORY_H
#define TAKT_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/// Copies n bytes from an address that an FMU has given; false where there is no memory to read. Where
/// the system does not allow the check, the address is taken to be right.
bool takt_memory_read(void *to, const void *from, size_t n);

#endif
