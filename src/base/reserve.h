// SPDX-License-Identifier: MIT
// Memory for libraries that do not bear failed allocations (libxml2, SUNDIALS). Their allocations come
// here; where the system has no memory, a small reserve gives it, the library goes on undisturbed, and what it
// made is thrown away afterwards, because takt_reserve_end() tells. Per thread; any thread may use it.
#ifndef TAKT_BASE_RESERVE_H
#define TAKT_BASE_RESERVE_H

#include <stdbool.h>
#include <stddef.h>

/// Stand around calls of the library. Were all allocations of this thread in between good? If not, what was
/// made is only good for being freed.
void takt_reserve_begin(void);
bool takt_reserve_end(void);

/// Between the two, in callbacks: has an allocation failed?
bool takt_reserve_has_failed(void);

/// In place of the functions of the C library. Memory of the reserve is given only between begin and end.
void *takt_reserve_malloc(size_t size);
void *takt_reserve_calloc(size_t n, size_t size);
void *takt_reserve_realloc(void *old, size_t size);
void takt_reserve_free(void *memory);

/// For hooks that call others first: memory for an allocation that failed, NULL where there is none either.
void *takt_reserve_take(size_t size);
bool takt_reserve_owns(const void *memory);
size_t takt_reserve_size(const void *memory); ///< of memory that it owns

#endif
