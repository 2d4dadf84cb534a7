// SPDX-License-Identifier: MIT
// What the two kinds of cells of the circuit with varying resistors share: the source, sine or
// square wave, and the resistance, which swings between 1 and 2001 ohm.
#ifndef EXAMPLES_COUPLING_CELL_H
#define EXAMPLES_COUPLING_CELL_H

#include <math.h>

#include "common.h"

typedef struct cell {
    double frequency; // of the source, rad/s
    bool is_square;
    double swing; // of the resistance, ohm
} cell;

#define CELL_PARAMETERS                                                                            \
    {.name = "frequency",                                                                          \
     .description = "Of the source, rad/s",                                                        \
     .causality = FMUKIT_PARAMETER,                                                                \
     .field = FMUKIT_FIELD(model, cell.frequency),                                                 \
     .start = {.real = 3 * PI}},                                                                   \
        {.name = "is_square",                                                                      \
         .description = "The source jumps between 1 and -1",                                       \
         .type = FMUKIT_BOOLEAN,                                                                   \
         .causality = FMUKIT_PARAMETER,                                                            \
         .field = FMUKIT_FIELD(model, cell.is_square)},                                            \
        {.name = "swing",                                                                          \
         .description = "The resistance is swing sin(0.2 pi t) + 1001, ohm",                       \
         .causality = FMUKIT_PARAMETER,                                                            \
         .field = FMUKIT_FIELD(model, cell.swing),                                                 \
         .start = {.real = 1000}},                                                                 \
        SUBSTEPS(40)

// Jumps happen 1e-9 early: communication points carry rounding errors.
static inline double cell_source(const cell *c, double t)
{
    double value = sin(c->frequency * t + (c->is_square ? 1e-9 : 0));
    return !c->is_square ? value : value >= 0 ? 1 : -1;
}

static inline double cell_resistance(const cell *c, double t)
{
    return c->swing * sin(0.2 * PI * t) + 1001;
}

#endif
