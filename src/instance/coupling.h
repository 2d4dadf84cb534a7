// SPDX-License-Identifier: MIT
// What travels around a step of one instance: the values that are set before it and those that are read
// after it. It is prepared once, and its buffers stay where they are, so that a step needs no search.
#ifndef TAKT_INSTANCE_COUPLING_H
#define TAKT_INSTANCE_COUPLING_H

#include <math.h>

#include "base/compiler.h"
#include "instance/instance.h"

/// One side of a coupling that a single call about Float64 variables serves.
typedef struct takt_direct {
    const uint32_t *refs;
    size_t n_refs; ///< 0: nothing travels
    double *values;
    size_t n_values; ///< larger than n_refs where there are arrays
} takt_direct;

/// Inputs that move within a step; see takt_instance_type::set_motion.
typedef struct takt_coupling_motion {
    const takt_access *inputs; ///< NULL: none does
    int order;
    const double *derivatives; ///< order by order
    int n_orders; ///< that `derivatives` has: 0 beyond `order`; it may also be left at 0
} takt_coupling_motion;

struct takt_coupling {
    takt_instance *instance;
    int owner; ///< a number of its maker
    int n_advances; ///< how often it was made and ended as most do; for counting
    int n_motions; ///< of these, with inputs that moved
    takt_coupling_motion motion; ///< in the next step, which is made alone
    const double *y; ///< where the inputs come from
    const int *sources; ///< for each real input its index in y
    int n_sources;
    bool is_direct; ///< there is nothing but scalars and whole arrays of type Float64
    takt_direct in, out; ///< if it is direct
    bool gathers; ///< `advance` copies the inputs first, from where they come
    bool is_private; ///< the copied inputs are read by its instance alone
    const double *straight; ///< in y, where the inputs lie side by side; NULL: they must be copied
    const takt_access *inputs, *outputs; ///< borrowed
    takt_values *input_values, *output_values; ///< borrowed; in the order of the accesses
};

/// Advances instances of any types, by `set`, `step` and `get`.
takt_instance_advance_fn takt_instance_advance;

/// Finds out whether a coupling is direct, when all else is known.
void takt_coupling_prepare(takt_coupling *coupling);

/// Counts a step that ended as most do.
static inline void takt_coupling_count(takt_coupling *coupling)
{
    coupling->n_advances++;
    coupling->n_motions += coupling->motion.inputs != NULL;
}

/// Copies the real inputs from where they come.
static inline void takt_coupling_gather(const takt_coupling *coupling)
{
    double *u = coupling->input_values->real;
    for (int i = 0; i < coupling->n_sources; i++) u[i] = coupling->y[coupling->sources[i]];
}

/// Where the inputs of a direct coupling are, which are copied only if necessary.
static inline const double *takt_coupling_find_inputs(const takt_coupling *coupling)
{
    if (TAKT_LIKELY(coupling->straight)) return coupling->straight;
    takt_coupling_gather(coupling);
    return coupling->in.values;
}

/// Are values neither NaN nor infinite? A sum of zeros unless one is: one test for many values.
static inline bool takt_are_finite(const double *values, size_t n)
{
    if (TAKT_LIKELY(n == 1)) return isfinite(values[0]); // the usual case
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += values[i] * 0.0;
    return sum == 0;
}

#endif
