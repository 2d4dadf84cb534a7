// SPDX-License-Identifier: MIT
// x' = u - x with a method of two steps whose past is not in the saved state. After a rewind it begins
// anew, as the solvers in many FMUs do: what follows is near to what it would have been, but not the same.
#include <fmukit/fmukit.h>

typedef struct rough {
    double u, x;
    double past, h_past; // derivative and size of the step before; 0: none
    double t_past; // its end
} rough;

static const fmukit_variable variables[] = {
    {.name = "u", .causality = FMUKIT_INPUT, .field = FMUKIT_FIELD(rough, u)},
    {.name = "x",
     .causality = FMUKIT_OUTPUT,
     .initial = FMUKIT_EXACT,
     .field = FMUKIT_FIELD(rough, x),
     .start = {.real = 1},
     .depends_on = FMUKIT_NO_INPUTS},
};

static fmukit_status step(fmukit_instance *fmu, void *model, double t, double t_end)
{
    (void)fmu;
    rough *m = model;
    double h = t_end - t, slope = m->u - m->x;
    double curve = m->h_past > 0 && m->t_past == t ? (slope - m->past) / m->h_past : 0;
    m->past = slope;
    m->h_past = h;
    m->t_past = t_end;
    m->x += h * slope + h * h / 2 * curve;
    return FMUKIT_OK;
}

const fmukit_model fmukit_this_model = {
    .name = "Rough",
    .description = "Its state is not restored exactly",
    .size = sizeof(rough),
    .variables = variables,
    .n_variables = sizeof variables / sizeof *variables,
    .functions = {.step = step},
};
