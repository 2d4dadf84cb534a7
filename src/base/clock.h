// SPDX-License-Identifier: MIT
// Time of the real world. Ticks are the cheapest clock of the machine, for timing single FMI calls;
// their length is found by comparing with the clock over a whole run.
#ifndef TAKT_BASE_CLOCK_H
#define TAKT_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/// Seconds on a clock that never jumps.
static inline double takt_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline uint64_t takt_ticks(void)
{
#if defined(__x86_64__)
    return __rdtsc();
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

#endif
