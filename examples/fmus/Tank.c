// SPDX-License-Identifier: MIT
// An open tank with an outlet at its bottom: what `takt new-fmu` writes, with equations. The tutorial of docs/kit.md.
#include <fmukit/fmukit.h>
#include <math.h>

typedef struct model {
    double inflow; // inflow, in m3/s
    double volume; // volume, in m3
    double der_volume; // der(volume), in m3/s
    double level; // level, in m
    double outflow; // outflow, in m3/s
    double area; // area, in m2
    double outlet; // outlet, in m2
} model;

static const fmukit_unit units[] = {
    {.name = "m3/s", .m = 3, .s = -1},
    {.name = "m3", .m = 3},
    {.name = "m", .m = 1},
    {.name = "m2", .m = 2},
};

// The index of a row is the variable's value reference.
static const fmukit_variable variables[] = {
    {.name = "inflow",
     .causality = FMUKIT_INPUT,
     .field = FMUKIT_FIELD(model, inflow),
     .unit = "m3/s"},
    {.name = "volume",
     .initial = FMUKIT_EXACT,
     .field = FMUKIT_FIELD(model, volume),
     .start = {.real = 1.0},
     .unit = "m3"},
    {.name = "der(volume)",
     .field = FMUKIT_FIELD(model, der_volume),
     .unit = "m3/s",
     .derivative_of = "volume"},
    {.name = "level",
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(model, level),
     .unit = "m",
     .depends_on = FMUKIT_NO_INPUTS},
    {.name = "outflow",
     .causality = FMUKIT_OUTPUT,
     .field = FMUKIT_FIELD(model, outflow),
     .unit = "m3/s",
     .depends_on = FMUKIT_NO_INPUTS},
    {.name = "area",
     .causality = FMUKIT_PARAMETER,
     .field = FMUKIT_FIELD(model, area),
     .start = {.real = 1.0},
     .unit = "m2"},
    {.name = "outlet",
     .causality = FMUKIT_PARAMETER,
     .field = FMUKIT_FIELD(model, outlet),
     .start = {.real = 0.002},
     .unit = "m2"},
};

// Torricelli's law.
static fmukit_status evaluate(fmukit_instance *fmu, void *data, double t)
{
    (void)fmu, (void)t;
    model *m = data;
    m->level = fmax(m->volume, 0) / m->area;
    m->outflow = m->outlet * sqrt(2 * 9.81 * m->level);
    m->der_volume = m->inflow - m->outflow;
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    .name = "Tank",
    .description = "An open tank with an outlet at its bottom",
    .version = "1",
    .size = sizeof(model),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .units = units,
    .n_units = sizeof units / sizeof *units,
    .functions = {.evaluate = evaluate},
};
