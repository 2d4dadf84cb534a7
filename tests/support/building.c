// SPDX-License-Identifier: MIT
// The building in one piece; see building.h.
#include "support/building.h"

#include <math.h>
#include <stdlib.h>

#include "num/ode.h"

enum { MAX_NODES = 2000, MAX_EDGES = 3000, MAX_PLACES = 20, MAX_SURFACES = 100 };

// What a conductance leads to, besides nodes.
enum { GROUND = -1, ROOF_AIR = -2, FACADE_AIR = -3, OUTER_AIR = -4 };

typedef struct edge {
    int from, to; // a node; a node or one of the above
    double conductance; // W/K
} edge;

// A surface that a zone sees.
typedef struct surface {
    int zone, node;
    double film, conductance; // W/K; of the air at the surface alone, and from the air to the node
} surface;

typedef struct layer {
    double thickness, conductivity, capacity; // m, W/(m K), J/(m3 K)
} layer;

typedef struct network {
    int n_zones, n_nodes, n_edges, n_surfaces;
    double capacity[MAX_NODES]; // J/K
    edge edges[MAX_EDGES];
    surface surfaces[MAX_SURFACES];
    int air[MAX_PLACES], pipe[MAX_PLACES]; // nodes
    double area[MAX_PLACES], window[MAX_PLACES]; // m2
    bool is_on[MAX_PLACES];
    const test_results *weather;
} network;

// Unknowns behind the temperatures: valves, then these.
enum { LOOP, ENERGY, WATER, INTEGRAL, N_REST };

static int rest_of(const network *w, int which)
{
    return w->n_nodes + w->n_zones + which;
}

// ---- the network -----------------------------------------------------------------------------------

static int add_node(network *w, double capacity)
{
    assert_true(w->n_nodes < MAX_NODES);
    w->capacity[w->n_nodes] = capacity;
    return w->n_nodes++;
}

static void connect(network *w, int from, int to, double conductance)
{
    assert_true(w->n_edges < MAX_EDGES);
    w->edges[w->n_edges++] = (edge){from, to, conductance};
}

static void add_surface(network *w, int zone, int node, double area, double film, double to_node)
{
    assert_true(w->n_surfaces < MAX_SURFACES);
    w->surfaces[w->n_surfaces++] = (surface){zone, node, area / film, area / (film + to_node)};
}

// From the air of a zone to `end`, which may be the air of another zone. Returns the last node of the first layer.
static int add_wall(network *w, int zone, int end, const layer *layers, int n_layers, double area,
                    double film, double film_end, double cell)
{
    int before = w->air[zone], last_of_first = -1, node = -1;
    double resistance = film, half = 0; // m2 K/W, from the node before
    for (int k = 0; k < n_layers; k++) {
        int n = (int)fmax(2, ceil(layers[k].thickness / cell - 1e-9));
        double length = layers[k].thickness / n;
        half = length / 2 / layers[k].conductivity;
        for (int i = 0; i < n; i++) {
            node = add_node(w, area * length * layers[k].capacity);
            connect(w, node, before, area / (resistance + half));
            if (before == w->air[zone]) add_surface(w, zone, node, area, film, half);
            before = node;
            resistance = half;
        }
        if (k == 0) last_of_first = node;
    }
    connect(w, node, end, area / (half + film_end));
    for (int i = 0; i < w->n_zones; i++)
        if (w->air[i] == end) add_surface(w, i, node, area, film_end, half);
    return last_of_first;
}

static void build(network *w, int n_zones, double cell)
{
    static const layer floor[] = {{0.07, 1.4, 2.0e6}, {0.10, 0.035, 3.0e4}, {0.20, 2.1, 2.4e6}};
    static const layer roof[] = {{0.0125, 0.25, 8.0e5}, {0.18, 2.1, 2.4e6}, {0.20, 0.035, 3.0e4}};
    static const layer outer[] = {
        {0.015, 0.7, 1.4e6}, {0.24, 0.5, 1.2e6}, {0.14, 0.035, 3.0e4}, {0.01, 0.9, 1.8e6}};
    static const layer inner[] = {{0.015, 0.7, 1.4e6}, {0.115, 0.5, 1.2e6}, {0.015, 0.7, 1.4e6}};
    w->n_zones = n_zones;
    for (int i = 0; i < n_zones; i++) {
        w->area[i] = 16 + 4 * (i % 3);
        w->window[i] = 0.15 * w->area[i] + i % 2;
        double volume = 2.6 * w->area[i], air = 1.2 * 1005;
        w->air[i] = add_node(w, 5 * air * volume);
        connect(w, w->air[i], OUTER_AIR, 1.3 * w->window[i] + 0.5 / 3600 * air * volume);
        w->is_on[i] = true; // it begins at 20 degC
    }
    for (int i = 0; i < n_zones; i++) {
        w->pipe[i] = add_wall(w, i, GROUND, floor, 3, w->area[i], 1 / 9.0, 0.5, cell);
        add_wall(w, i, ROOF_AIR, roof, 3, w->area[i], 1 / 7.7, 1 / 25.0, cell);
        double length = 8 + (i == 0 || i == n_zones - 1 ? 5 : 0);
        add_wall(w, i, FACADE_AIR, outer, 4, 2.6 * length - w->window[i], 1 / 7.7, 1 / 25.0, cell);
        if (i + 1 < n_zones)
            add_wall(w, i, w->air[i + 1], inner, 3, 2.6 * 5, 1 / 7.7, 1 / 7.7, cell);
    }
}

// ---- the equations ---------------------------------------------------------------------------------

static double weather_at(const network *w, double t, const char *column)
{
    int i = (int)(t / 3600);
    if (i > w->weather->n_rows - 2) i = w->weather->n_rows - 2;
    double s = t / 3600 - i;
    return (1 - s) * test_result(w->weather, i, column) +
           s * test_result(w->weather, i + 1, column);
}

static double controlled_level(double water, double T_out, double integral)
{
    double goal = fmin(48, fmax(24, 24 + 0.55 * (18 - T_out)));
    return fmin(1, fmax(0, 0.05 * (goal - water) + integral));
}

// The derivatives of plant and controller.
static void run_plant(const network *w, const double *x, double T_out, double *dx)
{
    double water = x[rest_of(w, WATER)], integral = x[rest_of(w, INTEGRAL)];
    double goal = fmin(48, fmax(24, 24 + 0.55 * (18 - T_out))), wanted = 0.05 * (goal - water);
    double level = controlled_level(water, T_out, integral), power = x[rest_of(w, LOOP)];
    dx[rest_of(w, WATER)] = (14000 * level - power - 4 * (water - 15)) / (2000 * 4186.0);
    dx[rest_of(w, INTEGRAL)] = wanted / 7200 + (level - (wanted + integral)) / 3600;
    dx[rest_of(w, ENERGY)] = power;
}

static double heat_of_day(double t)
{
    double hour = fmod(t / 3600, 24), s = sin(acos(-1) * (hour - 7) / 11);
    return hour > 7 && hour < 18 ? 2 + 8 * s * s : 2;
}

static takt_status derivatives(void *context, double t, const double *x, double *dx,
                               takt_ode_answer *answer, takt_error *err)
{
    (void)answer, (void)err;
    const network *w = context;
    double T_out = weather_at(w, t, "T_out [degC]"), sun = weather_at(w, t, "sun [W/m2]");
    const double outside[] = {[-GROUND] = 10,
                              [-ROOF_AIR] = T_out + 0.5 * sun / 25,
                              [-FACADE_AIR] = T_out + 0.5 * 0.4 * sun / 25,
                              [-OUTER_AIR] = T_out};
    for (int i = 0; i < w->n_nodes; i++) dx[i] = 0;
    for (int i = 0; i < w->n_edges; i++) {
        const edge *e = &w->edges[i];
        double flow = e->conductance * ((e->to < 0 ? outside[-e->to] : x[e->to]) - x[e->from]);
        dx[e->from] += flow;
        if (e->to >= 0) dx[e->to] -= flow;
    }
    double taken = 0; // W, by all floors
    for (int i = 0; i < w->n_zones; i++) {
        double valve = x[w->n_nodes + i];
        double heat = valve * 6 * w->area[i] * (x[rest_of(w, WATER)] - x[w->pipe[i]]);
        dx[w->pipe[i]] += heat;
        dx[w->air[i]] += w->area[i] * heat_of_day(t) + 0.45 * sun * w->window[i];
        dx[w->n_nodes + i] = (w->is_on[i] - valve) / 240;
        taken += heat;
    }
    for (int i = 0; i < w->n_nodes; i++) dx[i] /= w->capacity[i];
    dx[rest_of(w, LOOP)] = (taken - x[rest_of(w, LOOP)]) / 300;
    run_plant(w, x, T_out, dx);
    return TAKT_OK;
}

// Mean of the air and of the surfaces around it.
static double operative(const network *w, const double *x, int zone)
{
    double air = x[w->air[zone]], sum = 0, films = 0;
    for (int i = 0; i < w->n_surfaces; i++) {
        const surface *s = &w->surfaces[i];
        if (s->zone != zone) continue;
        sum += s->film * air + s->conductance * (x[s->node] - air);
        films += s->film;
    }
    return (air + sum / films) / 2;
}

// 21 degC with a hysteresis of 1 K.
static takt_status roots(void *context, double t, const double *x, double *g,
                         takt_ode_answer *answer, takt_error *err)
{
    (void)t, (void)answer, (void)err;
    const network *w = context;
    for (int i = 0; i < w->n_zones; i++)
        g[i] = w->is_on[i] ? 21.5 - operative(w, x, i) : operative(w, x, i) - 20.5;
    return TAKT_OK;
}

// ---- solving ---------------------------------------------------------------------------------------

static void write_hour(const network *w, const double *x, double t, double *to)
{
    double T_out = weather_at(w, t, "T_out [degC]"), water = x[rest_of(w, WATER)];
    to[TEST_BUILDING_HEAT] = x[rest_of(w, LOOP)];
    to[TEST_BUILDING_ENERGY] = x[rest_of(w, ENERGY)];
    to[TEST_BUILDING_WATER] = water;
    to[TEST_BUILDING_LEVEL] = controlled_level(water, T_out, x[rest_of(w, INTEGRAL)]);
    for (int i = 0; i < w->n_zones; i++) {
        to[TEST_BUILDING_ZONES + 2 * i] = x[w->air[i]];
        to[TEST_BUILDING_ZONES + 2 * i + 1] = operative(w, x, i);
    }
}

// To the end of an hour; the weather bends there, so that the integration begins again. Returns how often valves were
// switched.
static int solve_hour(network *w, takt_ode *ode, double *t, double *x, double t_end)
{
    int n_switchings = 0;
    double g[MAX_PLACES];
    takt_ode_answer answer = TAKT_ODE_FINE;
    while (*t < t_end) {
        takt_ode_end end;
        assert_false(takt_ode_restart(ode, *t, x, NULL));
        assert_false(takt_ode_integrate(ode, t_end, t, x, &end, NULL));
        if (end != TAKT_ODE_ROOT) continue;
        roots(w, *t, x, g, &answer, NULL);
        for (int i = 0; i < w->n_zones; i++) {
            if (g[i] > 0) continue;
            w->is_on[i] = !w->is_on[i];
            n_switchings++;
        }
    }
    return n_switchings;
}

void test_building_solve(test_building *out, const test_results *weather, int n_zones, double cell,
                         int n_hours)
{
    network *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->weather = weather;
    build(w, n_zones, cell);
    int n = rest_of(w, N_REST);
    double *x = calloc(2 * (size_t)n, sizeof *x), *absolute = x + n, t = 0;
    *out = (test_building){.n_hours = n_hours, .width = TEST_BUILDING_ZONES + 2 * n_zones};
    out->values = calloc((size_t)(n_hours + 1) * (size_t)out->width, sizeof *out->values);
    assert_true(x && out->values);
    for (int i = 0; i < n; i++) absolute[i] = 1e-10;
    absolute[rest_of(w, LOOP)] = 1e-7;
    absolute[rest_of(w, ENERGY)] = 1e-2;
    for (int i = 0; i < w->n_nodes; i++) x[i] = 20;
    x[rest_of(w, WATER)] = 35;
    const takt_ode_problem problem = {.n = n,
                                      .n_roots = n_zones,
                                      .relative = 1e-10,
                                      .absolute = absolute,
                                      .context = w,
                                      .derivatives = derivatives,
                                      .roots = roots};
    takt_ode *ode = NULL;
    assert_false(takt_ode_create(TAKT_CVODE_BDF, &problem, &ode, NULL));
    for (int i = 0; i <= n_hours; i++) {
        write_hour(w, x, t, out->values + i * out->width);
        if (i < n_hours) out->n_switchings += solve_hour(w, ode, &t, x, 3600.0 * (i + 1));
    }
    takt_ode_destroy(ode);
    free(x);
    free(w);
}

void test_building_clear(test_building *building)
{
    free(building->values);
    building->values = NULL;
}
