// SPDX-License-Identifier: MIT
// The heating plant: a boiler heats a tank, the house takes water from it. See plant.h.
#include <fmukit/fmukit.h>

#include "plant.h"

typedef struct plant {
    double level, heat, T, energy, der_T, der_energy;
} plant;

static const fmukit_variable variables[] = {
    {.name = "level",
     .description = "Of the boiler, 0 to 1",
     .causality = FMUKIT_INPUT,
     .field = FMUKIT_FIELD(plant, level)},
    {.name = "heat",
     .description = "What the house takes",
     .causality = FMUKIT_INPUT,
     .unit = "W",
     .nominal = 1000,
     .field = FMUKIT_FIELD(plant, heat)},
    {.name = "T",
     .description = "Water in the tank",
     .causality = FMUKIT_OUTPUT,
     .initial = FMUKIT_EXACT,
     .start = {.real = 35},
     .unit = "degC",
     .nominal = 10,
     .field = FMUKIT_FIELD(plant, T),
     .depends_on = FMUKIT_NO_INPUTS},
    {.name = "energy",
     .description = "Delivered since the start",
     .causality = FMUKIT_OUTPUT,
     .initial = FMUKIT_EXACT,
     .unit = "J",
     .nominal = 1e9,
     .field = FMUKIT_FIELD(plant, energy),
     .depends_on = FMUKIT_NO_INPUTS},
    {.name = "der(T)",
     .unit = "K/s",
     .field = FMUKIT_FIELD(plant, der_T),
     .derivative_of = "T",
     .depends_on_states = FMUKIT_STATES("T")},
    {.name = "der(energy)",
     .unit = "W",
     .field = FMUKIT_FIELD(plant, der_energy),
     .derivative_of = "energy",
     .depends_on_states = FMUKIT_NO_STATES},
};

static const fmukit_unit units[] = {{.name = "W", .kg = 1, .m = 2, .s = -3},
                                    {.name = "J", .kg = 1, .m = 2, .s = -2},
                                    {.name = "K/s", .K = 1, .s = -1},
                                    {.name = "degC", .K = 1, .offset = 273.15}};

static fmukit_status evaluate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    plant *m = model;
    m->der_T = plant_rate(m->T, m->level, m->heat);
    m->der_energy = m->heat;
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    .name = "Plant",
    .description = "Boiler and water tank",
    .version = "1",
    .size = sizeof(plant),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .units = units,
    .n_units = sizeof units / sizeof *units,
    .step_size = 900,
    .functions = {.evaluate = evaluate},
};
