// SPDX-License-Identifier: MIT
// The equations of a house: a row of zones, each with air, a heated floor, a roof, an outer wall and a window, and walls
// between neighbours. Knows nothing of FMI.
//
// Unknowns, in this order: temperatures of all cells of all walls, of the air of each zone (degC); openings of the
// valves of the heated floors (0 .. 1); the power that the plant feels (W), which follows that of the floors with the time
// that the water takes; heat from the plant, gains and losses since the start (J).
#ifndef BUILDING_HOUSE_H
#define BUILDING_HOUSE_H

#include <stdbool.h>
#include <stddef.h>

#include "wall.h"

enum { MAX_ZONES = 20 };
enum { ENERGY_HEAT, ENERGY_GAINS, ENERGY_LOSSES, N_ENERGIES };

// What comes from outside, at one time.
typedef struct surroundings {
    double T_out; // degC
    double sun; // W/m2, on a horizontal surface
    double T_supply; // degC, of the water for the floors
} surroundings;

// Where a side of a wall is.
typedef enum wall_side { SIDE_ZONE, SIDE_OUTSIDE, SIDE_ROOF, SIDE_GROUND } wall_side;

typedef struct house_wall {
    wall chain;
    wall_side sides[2];
    int zones[2]; // of sides that are zones
    int first; // index of its first cell
    int i_pipe; // the cell with the pipes, counted within the wall; -1: none
} house_wall;

typedef struct house {
    int n_zones, n_walls;
    size_t n; // unknowns
    size_t first_air, first_valve, loop, first_energy;
    house_wall walls[4 * MAX_ZONES];
    double volume[MAX_ZONES], area[MAX_ZONES]; // m3, m2
    double window[MAX_ZONES]; // m2
    double air_capacity; // J/(m3 K); air and furniture
    double T_set, hysteresis; // K; of operative temperatures
    bool is_heating[MAX_ZONES]; // discrete state: the valve opens
    double *memory; // of all walls
    double *work; // n numbers
    double schur[MAX_ZONES][MAX_ZONES]; // factor of the equations of the zones' air
    double gamma; // s
    surroundings prepared_for;
    double valves[MAX_ZONES],
        pipes[MAX_ZONES]; // for `house_solve`: openings, temperatures at the pipes
} house;

// Bytes of memory that house_fill() needs.
size_t house_memory(int n_zones, double cell);
// The house with cells of at most `cell`, m. `memory`, zeroed, must outlive it.
void house_fill(house *h, int n_zones, double cell, double *memory);
// Initial values: everything has the temperature T.
void house_start(const house *h, double T, double *x);

void house_rates(const house *h, double t, const double *x, const surroundings *at, double *rates);
// For solving (I - gamma df/dx) z = r exactly.
void house_prepare(house *h, const double *x, const surroundings *at, double gamma);
void house_solve(house *h, const double *r, double *z);

// degC, the mean of air and surfaces.
double house_operative(const house *h, const double *x, const surroundings *at, int zone);
// W, from the water into the floor of a zone.
double house_heat(const house *h, const double *x, const surroundings *at, int zone);
// J, in all cells, in the air, and on the way in the water, relative to 0 degC.
double house_stored(const house *h, const double *x);

#endif
