// SPDX-License-Identifier: MIT
// The equations of the heating plant, a boiler with a water tank, and of its controller, which follows the weather. They
// are used by the FMUs Plant and Controller, and by BuildingOnePiece.
#ifndef BUILDING_PLANT_H
#define BUILDING_PLANT_H

#include <math.h>

static const double boiler_power = 14000; // W
static const double tank_capacity = 2000 * 4186.0; // J/K
static const double tank_loss = 4; // W/K
static const double T_cellar = 15; // degC

// K/s, of the water; heat is what the house takes, W.
static inline double plant_rate(double T, double level, double heat)
{
    return (level * boiler_power - heat - tank_loss * (T - T_cellar)) / tank_capacity;
}

static const double gain = 0.05, reset_time = 7200, tracking_time = 3600; // 1/K, s, s

// degC: the colder it is, the warmer the water.
static inline double controller_goal(double T_out)
{
    return fmin(48, fmax(24, 24 + 0.55 * (18 - T_out)));
}

// The boiler's level, 0 .. 1. `sum` is the integral part.
static inline double controller_level(double T, double T_out, double sum)
{
    return fmin(1, fmax(0, gain * (controller_goal(T_out) - T) + sum));
}

// 1/s, of the integral part, which does not run away while the level is at its limit.
static inline double controller_rate(double T, double T_out, double sum)
{
    double error = controller_goal(T_out) - T, wanted = gain * error + sum;
    return gain * error / reset_time + (controller_level(T, T_out, sum) - wanted) / tracking_time;
}

#endif
