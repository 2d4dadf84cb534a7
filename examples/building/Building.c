// SPDX-License-Identifier: MIT
// A building as an FMU: the equations of house.h, integrated by the kit's implicit solver with an exact linear solver, a
// hysteresis per zone as events, and result files of its own. With ONE_PIECE defined it includes plant and controller, as
// a reference without coupling (BuildingOnePiece).
#include <fmukit/results.h>
#include <fmukit/solver.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "house.h"
#ifdef ONE_PIECE
#include "plant.h"
enum {
    N_PLANT = 3,
    IS_ONE_PIECE = 1
}; // unknowns behind those of the house: water, integral part, energy
#else
enum { N_PLANT = 0, IS_ONE_PIECE = 0 };
#endif

enum { MAX_UNKNOWNS = 200000, N_COLUMNS = 2 * MAX_ZONES };

typedef struct building {
    surroundings in;
    int zones;
    double cell, T_set, hysteresis, result_interval; // m, degC, K, s
    const char *folder;
    double heat, stored, energy[N_ENERGIES], imbalance;
    double T_air[MAX_ZONES], T_operative[MAX_ZONES];
    bool is_heating[MAX_ZONES];
    double level, plant_energy; // of the one piece
    int unknowns;

    // Made from the parameters when the instance is initialized.
    house house;
    double *memory, *row_states;
    fmukit_solver *solver;
    fmukit_results *results;
    int n_rows_columns;
    double made_for_cell; // m; 0: not yet

    // State, besides the solver's.
    double stored_first; // J
    double next_row; // s
} building;

// ---- variables -------------------------------------------------------------------------------------

#define ZONE(number)                                                                               \
    {.name = "zone[" #number "].T_air",                                                            \
     .causality = FMUKIT_OUTPUT,                                                                   \
     .unit = "degC",                                                                               \
     .nominal = 10,                                                                                \
     .field = FMUKIT_FIELD(building, T_air[number - 1]),                                           \
     .depends_on = FMUKIT_NO_INPUTS},                                                              \
        {.name = "zone[" #number "].T_operative",                                                  \
         .causality = FMUKIT_OUTPUT,                                                               \
         .unit = "degC",                                                                           \
         .nominal = 10,                                                                            \
         .field = FMUKIT_FIELD(building, T_operative[number - 1]),                                 \
         .depends_on = FMUKIT_NO_INPUTS},                                                          \
    {                                                                                              \
        .name = "zone[" #number "].is_heating", .type = FMUKIT_BOOLEAN,                            \
        .field = FMUKIT_FIELD(building, is_heating[number - 1])                                    \
    }

#define ENERGY(text, what, place)                                                                  \
    {                                                                                              \
        .name = text, .description = what, .causality = FMUKIT_OUTPUT, .unit = "J",                \
        .nominal = 1e9, .field = FMUKIT_FIELD(building, place), .depends_on = FMUKIT_NO_INPUTS     \
    }

static const fmukit_variable variables[] = {
    {.name = "T_out",
     .description = "Air outside",
     .causality = FMUKIT_INPUT,
     .unit = "degC",
     .nominal = 10,
     .field = FMUKIT_FIELD(building, in.T_out)},
    {.name = "sun",
     .description = "On a horizontal surface",
     .causality = FMUKIT_INPUT,
     .unit = "W/m2",
     .nominal = 100,
     .field = FMUKIT_FIELD(building, in.sun)},
    {.name = "T_supply",
     .description = "Water for the heated floors",
     .causality = IS_ONE_PIECE ? FMUKIT_LOCAL : FMUKIT_INPUT,
     .unit = "degC",
     .nominal = 10,
     .start = {.real = 35},
     .field = FMUKIT_FIELD(building, in.T_supply)},
    {.name = "zones",
     .description = "Number of zones",
     .type = FMUKIT_INTEGER,
     .causality = FMUKIT_PARAMETER,
     .start = {.integer = 10},
     .range = FMUKIT_RANGE(1, MAX_ZONES),
     .field = FMUKIT_FIELD(building, zones)},
    {.name = "cell",
     .description = "Longest cell of the walls",
     .causality = FMUKIT_PARAMETER,
     .unit = "m",
     .start = {.real = 0.02},
     .range = FMUKIT_RANGE(0.0005, 0.1),
     .field = FMUKIT_FIELD(building, cell)},
    {.name = "T_set",
     .description = "Wanted operative temperature",
     .causality = FMUKIT_PARAMETER,
     .variability = FMUKIT_TUNABLE,
     .unit = "degC",
     .start = {.real = 21},
     .field = FMUKIT_FIELD(building, T_set)},
    {.name = "hysteresis",
     .description = "Between switching on and off",
     .causality = FMUKIT_PARAMETER,
     .unit = "K",
     .start = {.real = 1},
     .range = FMUKIT_MIN(0.01),
     .field = FMUKIT_FIELD(building, hysteresis)},
    {.name = "result_interval",
     .description = "Between rows of the FMU's own results; 0: there are none",
     .causality = FMUKIT_PARAMETER,
     .unit = "s",
     .range = FMUKIT_MIN(0),
     .field = FMUKIT_FIELD(building, result_interval)},
    {.name = "ResultsRootDir",
     .description = "Folder for the FMU's own results",
     .type = FMUKIT_STRING,
     .causality = FMUKIT_PARAMETER,
     .field = FMUKIT_FIELD(building, folder)},
    {.name = "heat",
     .description = "What the floors take from the plant",
     .causality = FMUKIT_OUTPUT,
     .unit = "W",
     .nominal = 1000,
     .field = FMUKIT_FIELD(building, heat),
     .depends_on = FMUKIT_NO_INPUTS},
    ENERGY("stored", "In walls and air, above 0 degC", stored),
    ENERGY("energy.heat", "From the plant since the start", energy[ENERGY_HEAT]),
    ENERGY("energy.gains", "From sun and people since the start", energy[ENERGY_GAINS]),
    ENERGY("energy.losses", "To the surroundings since the start", energy[ENERGY_LOSSES]),
    ENERGY("imbalance", "What the solver has lost or invented", imbalance),
    {.name = "unknowns",
     .description = "Of the differential equations",
     .type = FMUKIT_INTEGER,
     .field = FMUKIT_FIELD(building, unknowns)},
#ifdef ONE_PIECE
    {.name = "level", .causality = FMUKIT_OUTPUT, .field = FMUKIT_FIELD(building, level)},
    ENERGY("plant.energy", "Delivered by the plant since the start", plant_energy),
#endif
    ZONE(1),
    ZONE(2),
    ZONE(3),
    ZONE(4),
    ZONE(5),
    ZONE(6),
    ZONE(7),
    ZONE(8),
    ZONE(9),
    ZONE(10),
    ZONE(11),
    ZONE(12),
    ZONE(13),
    ZONE(14),
    ZONE(15),
    ZONE(16),
    ZONE(17),
    ZONE(18),
    ZONE(19),
    ZONE(20),
};

static const fmukit_unit units[] = {{.name = "W", .kg = 1, .m = 2, .s = -3},
                                    {.name = "J", .kg = 1, .m = 2, .s = -2},
                                    {.name = "W/m2", .kg = 1, .s = -3},
                                    {.name = "m", .m = 1},
                                    {.name = "s", .s = 1},
                                    {.name = "K", .K = 1},
                                    {.name = "degC", .K = 1, .offset = 273.15}};

// ---- equations -------------------------------------------------------------------------------------

// What acts on the house, with these states.
static surroundings surroundings_at(const building *m, const double *x)
{
    surroundings at = m->in;
#ifdef ONE_PIECE
    at.T_supply = x[m->house.n];
#else
    (void)x;
#endif
    return at;
}

static fmukit_status rates(fmukit_instance *fmu, void *model, double t, const double *x,
                           double *out)
{
    (void)fmu;
    building *m = model;
    surroundings at = surroundings_at(m, x);
    house_rates(&m->house, t, x, &at, out);
#ifdef ONE_PIECE
    const double *plant = x + m->house.n;
    double heat = x[m->house.loop], level = controller_level(plant[0], at.T_out, plant[1]);
    out[m->house.n] = plant_rate(plant[0], level, heat);
    out[m->house.n + 1] = controller_rate(plant[0], at.T_out, plant[1]);
    out[m->house.n + 2] = heat;
#endif
    return FMUKIT_OK;
}

static fmukit_status prepare(fmukit_instance *fmu, void *model, double t, const double *x,
                             double gamma)
{
    (void)fmu, (void)t;
    building *m = model;
    surroundings at = surroundings_at(m, x);
    house_prepare(&m->house, x, &at, gamma);
    return FMUKIT_OK;
}

static fmukit_status solve(fmukit_instance *fmu, void *model, const double *r, double *z)
{
    (void)fmu;
    building *m = model;
    house_solve(&m->house, r, z);
    for (size_t i = m->house.n; i < m->house.n + N_PLANT; i++) z[i] = r[i];
    return FMUKIT_OK;
}

// Positive where a zone's valve has to be switched.
static double urge(const building *m, int zone, double T)
{
    double limit = m->T_set + (m->house.is_heating[zone] ? 0.5 : -0.5) * m->hysteresis;
    return m->house.is_heating[zone] ? T - limit : limit - T;
}

static fmukit_status indicators(fmukit_instance *fmu, void *model, double t, const double *x,
                                double *out)
{
    (void)fmu, (void)t;
    const building *m = model;
    surroundings at = surroundings_at(m, x);
    for (int i = 0; i < m->house.n_zones; i++)
        out[i] = urge(m, i, house_operative(&m->house, x, &at, i));
    return FMUKIT_OK;
}

// Rows of the FMU's own results that lie in the internal step.
static fmukit_status completed(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu;
    building *m = model;
    double row[N_COLUMNS];
    fmukit_status status = FMUKIT_OK;
    for (; m->result_interval > 0 && m->next_row <= t && status == FMUKIT_OK;
         m->next_row += m->result_interval) {
        status = fmukit_solver_at(m->solver, m->next_row, m->row_states);
        if (status != FMUKIT_OK) return status;
        surroundings at = surroundings_at(m, m->row_states);
        for (int i = 0; i < m->house.n_zones; i++) {
            row[2 * i] = m->row_states[m->house.first_air + (size_t)i];
            row[2 * i + 1] = house_operative(&m->house, m->row_states, &at, i);
        }
        status = fmukit_results_row(m->results, m->next_row, row);
    }
    return status;
}

// ---- life ------------------------------------------------------------------------------------------

static void destroy(fmukit_instance *fmu, void *model)
{
    building *m = model;
    fmukit_solver_destroy(m->solver);
    fmukit_results_destroy(m->results);
    fmukit_free(fmu, m->memory);
    fmukit_free(fmu, m->row_states);
    m->solver = NULL;
    m->results = NULL;
    m->memory = m->row_states = NULL;
    m->made_for_cell = 0;
}

static fmukit_results *make_results(fmukit_instance *fmu, int n_zones)
{
    char texts[N_COLUMNS][32];
    const char *names[N_COLUMNS];
    for (int i = 0; i < 2 * n_zones; i++) {
        snprintf(texts[i], sizeof texts[i], "zone[%d].%s [degC]", i / 2 + 1,
                 i % 2 ? "T_operative" : "T_air");
        names[i] = texts[i];
    }
    return fmukit_results_create(fmu, names, 2 * (size_t)n_zones);
}

// Scales of the unknowns, for the solver; they are copied there.
static void find_nominals(const building *m, size_t n, double *nominals)
{
    for (size_t i = 0; i < n; i++) nominals[i] = i < m->house.first_valve ? 10 : 1;
    nominals[m->house.loop] = 1000;
    for (size_t i = m->house.first_energy; i < m->house.n; i++) nominals[i] = 1e9;
    if (IS_ONE_PIECE) nominals[m->house.n] = 10, nominals[m->house.n + 2] = 1e9;
}

// The house and all that depends on its size, if the parameters have changed.
static fmukit_status make(fmukit_instance *fmu, building *m)
{
    if (m->made_for_cell == m->cell && m->house.n_zones == m->zones) return FMUKIT_OK;
    destroy(fmu, m);
    m->memory = fmukit_alloc(fmu, 1, house_memory(m->zones, m->cell));
    m->results = make_results(fmu, m->zones);
    if (!m->memory || !m->results) return FMUKIT_ERROR;
    house_fill(&m->house, m->zones, m->cell, m->memory);
    size_t n = m->house.n + N_PLANT;
    if (n > MAX_UNKNOWNS) {
        fmukit_log(fmu, FMUKIT_ERROR, NULL, "%lu unknowns are too many; choose a larger `cell`",
                   (unsigned long)n);
        return FMUKIT_ERROR;
    }
    m->row_states = fmukit_alloc(fmu, n, sizeof *m->row_states);
    if (!m->row_states) return FMUKIT_ERROR;
    find_nominals(m, n, m->row_states);
    const fmukit_equations e = {.n = n,
                                .rates = rates,
                                .nominals = m->row_states,
                                .linear = IS_ONE_PIECE ? FMUKIT_KRYLOV : FMUKIT_OWN,
                                .prepare = prepare,
                                .solve = solve,
                                .n_indicators = (size_t)m->zones,
                                .indicators = indicators,
                                .max_step = 3600,
                                .completed = completed};
    m->solver = fmukit_solver_create(fmu, m, &e);
    m->made_for_cell = m->solver ? m->cell : 0;
    m->unknowns = (int)n;
    return m->solver ? FMUKIT_OK : FMUKIT_ERROR;
}

static fmukit_status initialize(fmukit_instance *fmu, void *model, double t)
{
    building *m = model;
    fmukit_status status = make(fmu, m);
    if (status != FMUKIT_OK) return status;
    double *x = fmukit_solver_states(m->solver);
    house_start(&m->house, 20, x);
#ifdef ONE_PIECE
    x[m->house.n] = 35;
    x[m->house.n + 1] = x[m->house.n + 2] = 0;
#endif
    for (int i = 0; i < m->zones; i++) m->house.is_heating[i] = 20 < m->T_set - m->hysteresis / 2;
    fmukit_solver_restart(m->solver);
    m->stored_first = house_stored(&m->house, x);
    m->next_row = t;
    return fmukit_results_place(m->results, m->folder, "zones.csv");
}

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    building *m = model;
    if (!m->solver) return FMUKIT_OK;
    const house *h = &m->house;
    const double *x = fmukit_solver_states(m->solver);
    surroundings at = surroundings_at(m, x);
    m->heat = x[h->loop];
    m->stored = house_stored(h, x);
    for (int i = 0; i < N_ENERGIES; i++) m->energy[i] = x[h->first_energy + (size_t)i];
    m->imbalance = m->stored - m->stored_first - m->energy[ENERGY_HEAT] - m->energy[ENERGY_GAINS] +
                   m->energy[ENERGY_LOSSES];
    for (int i = 0; i < h->n_zones; i++) {
        m->T_air[i] = x[h->first_air + (size_t)i];
        m->T_operative[i] = house_operative(h, x, &at, i);
        m->is_heating[i] = h->is_heating[i];
    }
#ifdef ONE_PIECE
    m->in.T_supply = x[h->n];
    m->level = controller_level(x[h->n], at.T_out, x[h->n + 1]);
    m->plant_energy = x[h->n + 2];
#endif
    return FMUKIT_OK;
}

static fmukit_status step(fmukit_instance *fmu, void *model, double t, double t_end)
{
    (void)fmu;
    building *m = model;
    fmukit_status status = fmukit_results_begin_step(m->results, t);
    return status == FMUKIT_OK ? fmukit_solver_advance(m->solver, t, t_end) : status;
}

static fmukit_status event(fmukit_instance *fmu, void *model, double t, fmukit_event *event)
{
    (void)fmu, (void)t, (void)event;
    building *m = model;
    if (!m->solver) return FMUKIT_OK;
    for (int i = 0; i < m->house.n_zones; i++)
        if (urge(m, i, m->T_operative[i]) > -1e-9) m->house.is_heating[i] = !m->house.is_heating[i];
    return FMUKIT_OK;
}

static fmukit_status terminate(fmukit_instance *fmu, void *model)
{
    (void)fmu;
    building *m = model;
    return m->results ? fmukit_results_finish(m->results) : FMUKIT_OK;
}

static void state(fmukit_stream *s, void *model)
{
    building *m = model;
    bool has_house = m->solver != NULL;
    fmukit_boolean(s, &has_house);
    if (!has_house) return;
    if (fmukit_is_loading(s) && make(fmukit_stream_instance(s), m) != FMUKIT_OK) {
        fmukit_refuse(s, "there is no memory for its house");
        return;
    }
    fmukit_solver_state(s, m->solver);
    fmukit_results_state(s, m->results);
    fmukit_real(s, &m->stored_first);
    fmukit_real(s, &m->next_row);
    for (int i = 0; i < m->house.n_zones; i++) fmukit_boolean(s, &m->house.is_heating[i]);
}

const fmukit_model fmukit_this_model = {
#ifdef ONE_PIECE
    .name = "BuildingOnePiece",
    .description = "Zones, walls, plant and controller as one system of equations",
#else
    .name = "Building",
    .description = "A row of zones with walls of several layers and heated floors",
#endif
    .version = "1",
    .size = sizeof(building),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .units = units,
    .n_units = sizeof units / sizeof *units,
    .stop_time = 31536000,
    .step_size = 900,
    .interpolates_inputs = true,
    .functions = {.destroy = destroy,
                  .initialize = initialize,
                  .evaluate = evaluate,
                  .step = step,
                  .event = event,
                  .terminate = terminate,
                  .state = state},
};
