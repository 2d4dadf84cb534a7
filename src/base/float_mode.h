// SPDX-License-Identifier: MIT
// How the processor computes with floating-point numbers in this thread: rounding, traps, and whether tiny
// numbers count as zero. Code of FMUs may change it, and everything after it would compute differently.
#ifndef TAKT_BASE_FLOAT_MODE_H
#define TAKT_BASE_FLOAT_MODE_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__) || defined(__SSE2__)
#include <immintrin.h>

// Workers for Windows and for 32 bits look at the older unit as well, whose control word their FMUs' run-time libraries may change; in Takt's own process
// that is seen less often (surroundings.h).
#if defined(__i386__)
enum { TAKT_FLOAT_SEES_X87 = 1, TAKT_FLOAT_USUAL_X87 = 0x037F };
#elif defined(TAKT_FMU_IS_WINDOWS) // where numbers have 53 bits in it
enum { TAKT_FLOAT_SEES_X87 = 1, TAKT_FLOAT_USUAL_X87 = 0x027F };
#else
enum { TAKT_FLOAT_SEES_X87 = 0, TAKT_FLOAT_USUAL_X87 = 0 };
#endif

enum {
    TAKT_FLOAT_BITS = 0xFFC0, ///< all but the flags that say what has happened
    /// To nearest, no traps, tiny numbers kept.
    TAKT_FLOAT_USUAL = 0x1F80 | TAKT_FLOAT_USUAL_X87 << 16,
    TAKT_FLOAT_ROUNDING = 0x6000 | 0x0C00 << 16, ///< the upper bits are those of the older unit
    TAKT_FLOAT_TRAPS = 0x1F80 | 0x003F << 16, ///< a trap is on where its bit is 0
    TAKT_FLOAT_TINY = 0x8040, ///< flush to zero, denormals are zero
    TAKT_FLOAT_PRECISION = 0x0300 << 16, ///< of the older unit
};

static inline uint64_t takt_float_mode(void)
{
    unsigned short x87 = 0;
    if (TAKT_FLOAT_SEES_X87) __asm__ volatile("fnstcw %0" : "=m"(x87));
    return (_mm_getcsr() & TAKT_FLOAT_BITS) | (uint64_t)x87 << 16;
}

/// Sets the mode; flags of what has happened are cleared, else a trap would act on them.
static inline void takt_float_mode_set(uint64_t mode)
{
    const unsigned short x87 = (unsigned short)(mode >> 16);
    if (TAKT_FLOAT_SEES_X87) __asm__ volatile("fnclex\n\tfldcw %0" : : "m"(x87));
    _mm_setcsr((unsigned)mode & TAKT_FLOAT_BITS);
}

#elif defined(__aarch64__)

enum {
    TAKT_FLOAT_BITS = 0x01C09F00,
    TAKT_FLOAT_USUAL = 0,
    TAKT_FLOAT_ROUNDING = 0x00C00000,
    TAKT_FLOAT_TRAPS = 0x00009F00,
    TAKT_FLOAT_TINY = 0x01000000,
    TAKT_FLOAT_PRECISION = 0,
};

static inline uint64_t takt_float_mode(void)
{
    uint64_t mode;
    __asm__ volatile("mrs %0, fpcr" : "=r"(mode));
    return mode & TAKT_FLOAT_BITS;
}

static inline void takt_float_mode_set(uint64_t mode)
{
    __asm__ volatile("msr fpcr, %0" : : "r"(mode));
}

#else // not known: nothing is noticed

enum {
    TAKT_FLOAT_USUAL,
    TAKT_FLOAT_ROUNDING = 0,
    TAKT_FLOAT_TRAPS = 0,
    TAKT_FLOAT_TINY = 0,
    TAKT_FLOAT_PRECISION = 0,
};

static inline uint64_t takt_float_mode(void)
{
    return TAKT_FLOAT_USUAL;
}

static inline void takt_float_mode_set(uint64_t mode)
{
    (void)mode;
}

#endif

/// Is the mode the one that every program begins with? A few instructions.
static inline bool takt_float_mode_is_usual(void)
{
    return takt_float_mode() == TAKT_FLOAT_USUAL;
}

#endif
