// SPDX-License-Identifier: MIT
// Polynomials of inputs; see motion.h.
#include "instance/motion.h"

#include <stdlib.h>
#include <string.h>

static bool reserve(takt_motion *motion, int n)
{
    enum { PER_INPUT = TAKT_MAX_MOTION_ORDER + 2 }; // derivatives of order 0 and above, and a value
    if (n <= motion->n_room) return true;
    double *room = realloc(motion->room, PER_INPUT * (size_t)n * sizeof *room);
    if (!room) return false;
    motion->room = room;
    motion->n_room = n;
    return true;
}

bool takt_motion_begin(takt_motion *motion, double t, const takt_access *inputs, int order,
                       const double *derivatives)
{
    int n = inputs->n_values[TAKT_KIND_REAL];
    motion->inputs = NULL;
    if (!reserve(motion, n)) return false;
    if (n == 0) return true;
    memcpy(motion->room, derivatives, (size_t)(order + 1) * (size_t)n * sizeof *derivatives);
    motion->inputs = inputs;
    motion->t = t;
    motion->order = order;
    return true;
}

double *takt_motion_at(takt_motion *motion, double time)
{
    size_t n = (size_t)motion->inputs->n_values[TAKT_KIND_REAL];
    double *values = motion->room + (size_t)(motion->order + 1) * n;
    double passed = time - motion->t;
    memcpy(values, motion->room + (size_t)motion->order * n, n * sizeof *values);
    // Horner's scheme: u + s (u' + s/2 (u'' + s/3 (u''' + ...)))
    for (int d = motion->order; d > 0; d--) {
        const double *lower = motion->room + (size_t)(d - 1) * n;
        double factor = passed / d;
        for (size_t i = 0; i < n; i++) values[i] = lower[i] + factor * values[i];
    }
    return values;
}

void takt_motion_clear(takt_motion *motion)
{
    free(motion->room);
    *motion = (takt_motion){0};
}
