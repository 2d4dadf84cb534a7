// SPDX-License-Identifier: MIT
// Units of time that results may have.
#ifndef TAKT_PROJECT_TIME_UNIT_H
#define TAKT_PROJECT_TIME_UNIT_H

/// Units of the times in results that are text.
typedef enum takt_time_unit {
    TAKT_TIME_S,
    TAKT_TIME_MS,
    TAKT_TIME_MIN,
    TAKT_TIME_H,
    TAKT_TIME_D,
    TAKT_TIME_A,
} takt_time_unit;

/// By takt_time_unit, ended by NULL.
extern const char *const takt_time_unit_names[];

/// "s", "ms", ...; NULL where there is no such unit.
const char *takt_time_unit_name(int unit);
/// A time in seconds, in the unit. Written so that round times stay round: 100 ms, 0.1 h.
double takt_time_unit_of(takt_time_unit unit, double seconds);

#endif
