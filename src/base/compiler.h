// SPDX-License-Identifier: MIT
// Hints to the compiler beyond the C standard.
#ifndef TAKT_BASE_COMPILER_H
#define TAKT_BASE_COMPILER_H

/// Before a function that is rarely called: it is kept out of the code of its callers.
#define TAKT_COLD __attribute__((cold, noinline))

/// Before a function that may be called often, but not on the shortest way through its caller, which would
/// have to save registers for it.
#define TAKT_APART __attribute__((noinline))

/// Before a function that must become part of its callers, which know numbers that it loops to.
#define TAKT_INLINE static inline __attribute__((always_inline))

/// A condition that is true on the way that should be the shortest.
#define TAKT_LIKELY(condition) __builtin_expect(!!(condition), 1)

#endif
