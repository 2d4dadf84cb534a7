// SPDX-License-Identifier: MIT
// The equations of a house; see house.h. Walls are chains that begin, and some also end, at the air of a zone. So the
// linear equations of an implicit step fall apart: each chain is eliminated by itself, what remains is a small system for
// the air of the zones, and with that all chains are known.
#include "house.h"

#include <math.h>
#include <string.h>

static const double T_ground = 10; // degC
static const double ventilation = 0.5 / 3600; // 1/s, changes of air
static const double rho_c_air = 1.2 * 1005; // J/(m3 K)
static const double window_loss = 1.3; // W/(m2 K)
static const double window_gain = 0.45; // of the sun on a horizontal surface
static const double absorption = 0.5, film_out = 25; // of outer surfaces; W/(m2 K)
static const double pipe = 6; // W/(m2 K), from the water to the screed, with the valve open
static const double valve_time = 240; // s, of a thermal actuator
static const double loop_time = 300; // s, of the water on its way to the floors and back
static const double pi = 3.14159265358979323846;

static const construction floor_construction = {
    {{0.07, 1.4, 2.0e6}, {0.10, 0.035, 3.0e4}, {0.20, 2.1, 2.4e6}}, 3, {1 / 9.0, 0.5}};
static const construction roof_construction = {
    {{0.0125, 0.25, 8.0e5}, {0.18, 2.1, 2.4e6}, {0.20, 0.035, 3.0e4}}, 3, {1 / 7.7, 1 / 25.0}};
static const construction outer_construction = {
    {{0.015, 0.7, 1.4e6}, {0.24, 0.5, 1.2e6}, {0.14, 0.035, 3.0e4}, {0.01, 0.9, 1.8e6}},
    4,
    {1 / 7.7, 1 / 25.0}};
static const construction inner_construction = {
    {{0.015, 0.7, 1.4e6}, {0.115, 0.5, 1.2e6}, {0.015, 0.7, 1.4e6}}, 3, {1 / 7.7, 1 / 7.7}};

// ---- the house -------------------------------------------------------------------------------------

static size_t count_cells(int n_zones, double cell)
{
    int zone = wall_count(&floor_construction, cell) + wall_count(&roof_construction, cell) +
               wall_count(&outer_construction, cell);
    int inner = wall_count(&inner_construction, cell);
    return (size_t)(n_zones * zone + (n_zones - 1) * inner);
}

static size_t count_unknowns(int n_zones, double cell)
{
    return count_cells(n_zones, cell) + 2 * (size_t)n_zones + 1 + N_ENERGIES;
}

// Per wall: capacities, conductances (one more), pivots; and one vector.
size_t house_memory(int n_zones, double cell)
{
    size_t walls = 4 * (size_t)n_zones;
    return (3 * count_cells(n_zones, cell) + walls + count_unknowns(n_zones, cell)) *
           sizeof(double);
}

static double *add_wall(house *h, const construction *c, double cell, double area, house_wall put,
                        double *memory)
{
    house_wall *w = &h->walls[h->n_walls++];
    *w = put;
    w->chain.n = wall_count(c, cell);
    w->chain.is_double = put.sides[0] == SIDE_ZONE && put.sides[1] == SIDE_ZONE;
    w->first = (int)h->first_air; // so far
    w->i_pipe = put.i_pipe >= 0 ? wall_end_of(c, cell, put.i_pipe) - 1 : -1;
    w->chain.capacity = memory;
    w->chain.conductance = memory + w->chain.n;
    w->chain.inverse = w->chain.conductance + w->chain.n + 1;
    wall_fill(&w->chain, c, cell, area);
    h->first_air += (size_t)w->chain.n;
    return w->chain.inverse + w->chain.n;
}

void house_fill(house *h, int n_zones, double cell, double *memory)
{
    *h = (house){.n_zones = n_zones, .air_capacity = 5 * rho_c_air, .memory = memory};
    for (int i = 0; i < n_zones; i++) {
        double area = 16 + 4 * (i % 3); // m2
        h->area[i] = area;
        h->volume[i] = 2.6 * area;
        h->window[i] = 0.15 * area + (i % 2);
        house_wall at = {.sides = {SIDE_ZONE, SIDE_GROUND}, .zones = {i, i}, .i_pipe = 0};
        memory = add_wall(h, &floor_construction, cell, area, at, memory);
        at.sides[1] = SIDE_ROOF;
        at.i_pipe = -1;
        memory = add_wall(h, &roof_construction, cell, area, at, memory);
        at.sides[1] = SIDE_OUTSIDE;
        bool is_end = i == 0 || i == n_zones - 1;
        double outer = 2.6 * 8 + (is_end ? 2.6 * 5 : 0) - h->window[i];
        memory = add_wall(h, &outer_construction, cell, outer, at, memory);
        at.sides[1] = SIDE_ZONE;
        at.zones[1] = i + 1;
        if (i + 1 < n_zones) memory = add_wall(h, &inner_construction, cell, 2.6 * 5, at, memory);
    }
    h->first_valve = h->first_air + (size_t)n_zones;
    h->loop = h->first_valve + (size_t)n_zones;
    h->first_energy = h->loop + 1;
    h->n = h->first_energy + N_ENERGIES;
    h->work = memory;
}

void house_start(const house *h, double T, double *x)
{
    for (size_t i = 0; i < h->n; i++) x[i] = i < h->first_valve ? T : 0;
}

// ---- heat flows ------------------------------------------------------------------------------------

static void find_sides(const house *h, const house_wall *w, const double *x, const surroundings *at,
                       double sides[2])
{
    for (int s = 0; s < 2; s++) {
        double sun = w->sides[s] == SIDE_ROOF ? at->sun : 0.4 * at->sun;
        switch (w->sides[s]) {
        case SIDE_ZONE: sides[s] = x[h->first_air + (size_t)w->zones[s]]; break;
        case SIDE_GROUND: sides[s] = T_ground; break;
        case SIDE_ROOF:
        case SIDE_OUTSIDE: sides[s] = at->T_out + absorption * sun / film_out; break;
        }
    }
}

// W/K, from a zone's air to the outside: window and ventilation.
static double direct_loss(const house *h, int zone)
{
    return window_loss * h->window[zone] + ventilation * rho_c_air * h->volume[zone];
}

// W; people and machines by day, and the sun through the window.
static double gains(const house *h, int zone, double t, double sun)
{
    double hour = fmod(t / 3600, 24), day = 0;
    if (hour > 7 && hour < 18) {
        double s = sin(pi * (hour - 7) / 11);
        day = s * s;
    }
    return h->area[zone] * (2 + 8 * day) + window_gain * sun * h->window[zone];
}

static double opening(const house *h, const double *x, int zone)
{
    return x[h->first_valve + (size_t)zone];
}

// The wall that is the floor of a zone comes first of its walls.
static const house_wall *floor_of(const house *h, int zone)
{
    return &h->walls[4 * zone];
}

double house_heat(const house *h, const double *x, const surroundings *at, int zone)
{
    const house_wall *w = floor_of(h, zone);
    double T = x[w->first + w->i_pipe];
    return opening(h, x, zone) * pipe * h->area[zone] * (at->T_supply - T);
}

static void add_walls(const house *h, const double *x, const surroundings *at, double *heat)
{
    for (int i = 0; i < h->n_walls; i++) {
        const house_wall *w = &h->walls[i];
        double sides[2];
        find_sides(h, w, x, at, sides);
        wall_flow(&w->chain, x + w->first, sides, heat + w->first);
        for (int s = 0; s < 2; s++) {
            double out = wall_loss(&w->chain, x + w->first, sides, s);
            if (w->sides[s] == SIDE_ZONE)
                heat[h->first_air + (size_t)w->zones[s]] += out;
            else
                heat[h->first_energy + ENERGY_LOSSES] += out;
        }
    }
}

static void add_zones(const house *h, double t, const double *x, const surroundings *at,
                      double *heat)
{
    double *energy = heat + h->first_energy;
    energy[ENERGY_HEAT] = x[h->loop];
    for (int i = 0; i < h->n_zones; i++) {
        double loss = direct_loss(h, i) * (x[h->first_air + (size_t)i] - at->T_out);
        double gain = gains(h, i, t, at->sun), warmth = house_heat(h, x, at, i);
        const house_wall *floor = floor_of(h, i);
        heat[h->first_air + (size_t)i] += gain - loss;
        heat[floor->first + floor->i_pipe] += warmth;
        heat[h->loop] += warmth;
        energy[ENERGY_GAINS] += gain;
        energy[ENERGY_LOSSES] += loss;
    }
}

void house_rates(const house *h, double t, const double *x, const surroundings *at, double *rates)
{
    memset(rates, 0, h->n * sizeof *rates);
    add_walls(h, x, at, rates);
    add_zones(h, t, x, at, rates);
    for (int i = 0; i < h->n_walls; i++) {
        const house_wall *w = &h->walls[i];
        for (int k = 0; k < w->chain.n; k++) rates[w->first + k] /= w->chain.capacity[k];
    }
    for (int i = 0; i < h->n_zones; i++) {
        rates[h->first_air + (size_t)i] /= h->air_capacity * h->volume[i];
        rates[h->first_valve + (size_t)i] = (h->is_heating[i] - opening(h, x, i)) / valve_time;
    }
    rates[h->loop] = (rates[h->loop] - x[h->loop]) / loop_time;
}

// ---- linear equations ------------------------------------------------------------------------------

// The equations of the zones' air, symmetric and positive: Cholesky.
static void factorize_zones(house *h)
{
    int n = h->n_zones;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = h->schur[i][j];
            for (int k = 0; k < j; k++) sum -= h->schur[i][k] * h->schur[j][k];
            h->schur[i][j] = i == j ? sqrt(sum) : sum / h->schur[j][j];
        }
    }
}

void house_prepare(house *h, const double *x, const surroundings *at, double gamma)
{
    h->gamma = gamma;
    h->prepared_for = *at;
    memset(h->schur, 0, sizeof h->schur);
    for (int i = 0; i < h->n_zones; i++) {
        const house_wall *floor = floor_of(h, i);
        h->valves[i] = opening(h, x, i);
        h->pipes[i] = x[floor->first + floor->i_pipe];
        h->schur[i][i] = h->air_capacity * h->volume[i] + gamma * direct_loss(h, i);
    }
    for (int i = 0; i < h->n_walls; i++) {
        house_wall *w = &h->walls[i];
        bool is_heated = w->i_pipe >= 0;
        int zone = w->zones[0];
        double more = is_heated ? h->valves[zone] * pipe * h->area[zone] : 0;
        wall_factorize(&w->chain, gamma, w->i_pipe, more);
        const double g[2] = {gamma * w->chain.conductance[0],
                             gamma * w->chain.conductance[w->chain.n]};
        for (int a = 0; a < 2; a++) {
            if (w->sides[a] != SIDE_ZONE) continue;
            h->schur[w->zones[a]][w->zones[a]] += g[a];
            for (int b = 0; b < 2; b++)
                if (w->sides[b] == SIDE_ZONE)
                    h->schur[w->zones[a]][w->zones[b]] -= g[a] * w->chain.corners[a][b] * g[b];
        }
    }
    factorize_zones(h);
}

static void solve_zones(const house *h, double *b)
{
    int n = h->n_zones;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < i; k++) b[i] -= h->schur[i][k] * b[k];
        b[i] /= h->schur[i][i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int k = i + 1; k < n; k++) b[i] -= h->schur[k][i] * b[k];
        b[i] /= h->schur[i][i];
    }
}

// Valves come first, since nothing here acts on them; z holds heat in place of temperatures until chains are solved.
static void solve_valves(const house *h, const double *r, double *z)
{
    for (int i = 0; i < h->n_walls; i++) {
        const house_wall *w = &h->walls[i];
        for (int k = 0; k < w->chain.n; k++)
            z[w->first + k] = w->chain.capacity[k] * r[w->first + k];
    }
    for (int i = 0; i < h->n_zones; i++) {
        size_t air = h->first_air + (size_t)i, valve = h->first_valve + (size_t)i;
        const house_wall *floor = floor_of(h, i);
        z[air] = h->air_capacity * h->volume[i] * r[air];
        z[valve] = r[valve] / (1 + h->gamma / valve_time);
        z[floor->first + floor->i_pipe] +=
            h->gamma * pipe * h->area[i] * (h->prepared_for.T_supply - h->pipes[i]) * z[valve];
    }
}

// A wall between two zones, with air at 0 on both sides, acts on both.
static void reduce_double(const house *h, const house_wall *w, const double *b, double *air)
{
    const wall *chain = &w->chain;
    memcpy(h->work, b, (size_t)chain->n * sizeof *b);
    wall_reduce(chain, 0, h->work);
    wall_complete(chain, 0, h->work);
    air[w->zones[0]] += h->gamma * chain->conductance[0] * h->work[0];
    air[w->zones[1]] += h->gamma * chain->conductance[chain->n] * h->work[chain->n - 1];
}

// Chains with air at 0 act on the air, which is then known, and acts on the chains.
static void solve_temperatures(const house *h, double *z)
{
    double *air = z + h->first_air;
    for (int i = 0; i < h->n_walls; i++) {
        const house_wall *w = &h->walls[i];
        double *b = z + w->first;
        if (w->chain.is_double) {
            reduce_double(h, w, b, air);
            continue;
        }
        wall_reduce(&w->chain, 0, b);
        air[w->zones[0]] += h->gamma * w->chain.conductance[0] * wall_first(&w->chain, b);
    }
    solve_zones(h, air);
    for (int i = 0; i < h->n_walls; i++) {
        const house_wall *w = &h->walls[i];
        if (w->chain.is_double) wall_reduce(&w->chain, air[w->zones[1]], z + w->first);
        wall_complete(&w->chain, air[w->zones[0]], z + w->first);
    }
}

// Nothing in the house depends on the power at the plant and on energies: they follow from the rest.
static void solve_energies(const house *h, const double *r, double *z)
{
    double sum[N_ENERGIES] = {0}, warmth = 0;
    for (int i = 0; i < h->n_zones; i++) {
        const house_wall *floor = floor_of(h, i);
        double k = pipe * h->area[i];
        warmth += k * (h->prepared_for.T_supply - h->pipes[i]) * z[h->first_valve + (size_t)i] -
                  k * h->valves[i] * z[floor->first + floor->i_pipe];
        sum[ENERGY_LOSSES] += direct_loss(h, i) * z[h->first_air + (size_t)i];
    }
    for (int i = 0; i < h->n_walls; i++) {
        const house_wall *w = &h->walls[i];
        const wall *chain = &w->chain;
        if (w->sides[1] != SIDE_ZONE)
            sum[ENERGY_LOSSES] += chain->conductance[chain->n] * z[w->first + chain->n - 1];
    }
    double share = h->gamma / loop_time;
    z[h->loop] = (r[h->loop] + share * warmth) / (1 + share);
    sum[ENERGY_HEAT] = z[h->loop];
    for (int i = 0; i < N_ENERGIES; i++) {
        size_t at = h->first_energy + (size_t)i;
        z[at] = r[at] + h->gamma * sum[i];
    }
}

void house_solve(house *h, const double *r, double *z)
{
    solve_valves(h, r, z);
    solve_temperatures(h, z);
    solve_energies(h, r, z);
}

// ---- results ---------------------------------------------------------------------------------------

double house_operative(const house *h, const double *x, const surroundings *at, int zone)
{
    double area = 0, sum = 0;
    int first = zone > 0 ? 4 * zone - 1 : 0,
        last = 4 * zone + 3; // with the wall to the zone before
    for (int i = first; i <= last && i < h->n_walls; i++) {
        const house_wall *w = &h->walls[i];
        double sides[2];
        find_sides(h, w, x, at, sides);
        int s = w->zones[0] == zone ? 0 : 1;
        area += w->chain.film[s];
        sum += w->chain.film[s] * wall_surface(&w->chain, x + w->first, sides, s);
    }
    return 0.5 * (x[h->first_air + (size_t)zone] + sum / area);
}

double house_stored(const house *h, const double *x)
{
    double sum = -loop_time * x[h->loop]; // what the plant has yet to deliver
    for (int i = 0; i < h->n_walls; i++) {
        const house_wall *w = &h->walls[i];
        for (int k = 0; k < w->chain.n; k++) sum += w->chain.capacity[k] * x[w->first + k];
    }
    for (int i = 0; i < h->n_zones; i++)
        sum += h->air_capacity * h->volume[i] * x[h->first_air + (size_t)i];
    return sum;
}
