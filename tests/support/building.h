// SPDX-License-Identifier: MIT
// The system of examples/building in one piece, written once more and independently: a network of capacities and
// conductances with zones, walls, valves, plant and controller, integrated together by CVODE at a relative tolerance of
// 1e-10. Neither the kit nor the code of the example has a part in it; constants are those of its README and sources.
#ifndef TAKT_TESTS_SUPPORT_BUILDING_H
#define TAKT_TESTS_SUPPORT_BUILDING_H

#include "support/results.h"

/// A solution at whole hours, from 0 on.
typedef struct test_building {
    int n_hours;
    double *
        values; ///< per hour: power and energy from the plant, water, level, then air and operative temperature per zone
    int width;
    int n_switchings; ///< of valves
} test_building;

enum {
    TEST_BUILDING_HEAT,
    TEST_BUILDING_ENERGY,
    TEST_BUILDING_WATER,
    TEST_BUILDING_LEVEL,
    TEST_BUILDING_ZONES
};

/// `weather` has the columns of weather.csv, hour by hour.
void test_building_solve(test_building *out, const test_results *weather, int n_zones, double cell,
                         int n_hours);
void test_building_clear(test_building *building);

#endif
