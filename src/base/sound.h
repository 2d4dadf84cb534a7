// SPDX-License-Identifier: MIT
// Memory that was copied from a file as it is: are its numbers such that the program may use them? Values that no program could
// have written are one matter (somebody has forged the file), those that lead out of arrays another; both are found here.
#ifndef TAKT_BASE_SOUND_H
#define TAKT_BASE_SOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// Truth values are 0 or 1; any other byte must not be looked at as one.
static inline bool takt_sound_bools(size_t n, const bool *values)
{
    const unsigned char *bytes = (const unsigned char *)values;
    for (size_t i = 0; i < n; i++)
        if (bytes[i] > 1) return false;
    return true;
}

static inline bool takt_sound_bool(const bool *value)
{
    return takt_sound_bools(1, value);
}

static inline bool takt_sound_within(int64_t value, int64_t least, int64_t greatest)
{
    return value >= least && value <= greatest;
}

/// Something that is counted, and may go on to be.
static inline bool takt_sound_count(int64_t n)
{
    return takt_sound_within(n, 0, 1 << 30);
}

static inline bool takt_sound_counts(size_t n, const int *values)
{
    for (size_t i = 0; i < n; i++)
        if (!takt_sound_count(values[i])) return false;
    return true;
}

/// The same over the whole length of a run.
static inline bool takt_sound_long_count(int64_t n)
{
    return takt_sound_within(n, 0, INT64_MAX / 4);
}

#endif
