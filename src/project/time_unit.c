// SPDX-License-Identifier: MIT
// Units of time; see time_unit.h.
#include "project/time_unit.h"

#include <stddef.h>

const char *const takt_time_unit_names[] = {"s", "ms", "min", "h", "d", "a", NULL};

const char *takt_time_unit_name(int unit)
{
    return unit >= 0 && unit <= TAKT_TIME_A ? takt_time_unit_names[unit] : NULL;
}

double takt_time_unit_of(takt_time_unit unit, double seconds)
{
    static const double lengths[] = {[TAKT_TIME_S] = 1,
                                     [TAKT_TIME_MIN] = 60,
                                     [TAKT_TIME_H] = 3600,
                                     [TAKT_TIME_D] = 86400,
                                     [TAKT_TIME_A] = 31536000};
    return unit == TAKT_TIME_MS ? seconds * 1000 : seconds / lengths[unit];
}
