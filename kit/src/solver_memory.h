// SPDX-License-Identifier: MIT
// Memory of SUNDIALS, which writes through null pointers where an allocation fails. Its libraries are linked as copies in
// which malloc() and so on have other names, those of this file (FmuKit.cmake): a failed allocation leaves SUNDIALS by
// longjmp(), and what it had is given back as a whole. It never sees a failure.
#ifndef FMUKIT_SOLVER_MEMORY_H
#define FMUKIT_SOLVER_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/// What SUNDIALS has allocated for one solver; begins as {0}.
typedef struct fmukit_memory {
    void **blocks;
    size_t n, capacity;
} fmukit_memory;

/// Runs a job that calls SUNDIALS. False: one of its allocations has failed and the job was left there; what was made with
/// this memory must not be touched any more, but for fmukit_memory_clear(). The job may run others. It must not be left while
/// it owns something that nobody else knows.
bool fmukit_memory_try(fmukit_memory *memory, void (*job)(void *data), void *data);

/// After a failure: gives everything back.
void fmukit_memory_clear(fmukit_memory *memory);
/// After SUNDIALS has given everything back by itself.
void fmukit_memory_end(fmukit_memory *memory);

/// In place of the functions of the C library.
void *fmukit_sundials_malloc(size_t size);
void *fmukit_sundials_calloc(size_t n, size_t size);
void *fmukit_sundials_realloc(void *old, size_t size);
void fmukit_sundials_free(void *block);

#endif
