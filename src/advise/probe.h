// SPDX-License-Identifier: MIT
// Measurements between two steps of a trial: instances are stepped from the present state with inputs that are
// held, changed a little, and go back.
//
//   rewinding   the same step twice from a saved state: are the results the same bits?
//   noise       inputs moved by equal tiny amounts: what is left of the outputs' second differences
//   settling    inputs changed by a jump: after what time does the change of the outputs not grow any more
//   loops       torn values changed one by one: the contraction factor of a sweep, rho, for several step sizes
#ifndef TAKT_ADVISE_PROBE_H
#define TAKT_ADVISE_PROBE_H

#include "advise/trial.h"

/// Sizes of steps: that of the longest step of a trial, and each a tenth of the one before.
enum { TAKT_PROBE_SIZES = 5 };

/// What was measured of one instance; the worst of all points.
typedef struct takt_instance_facts {
    bool is_rewound; ///< its rewinding has been looked at
    double inexact; ///< largest relative difference after a rewind; 0: the same bits
    int i_inexact; ///< which of its connected real outputs
    bool has_noise; ///< its noise has been measured
    double noise; ///< relative
    int i_noise; ///< which of its connected real outputs
    bool settles; ///< a change of inputs has come to an end within less than the longest step
    double settling; ///< s; by when most of it has happened
    double h; ///< s; the longest step at that point
} takt_instance_facts;

/// What was measured of one loop, at the point where its contraction factor was largest.
typedef struct takt_loop_facts {
    bool is_measured;
    double t; ///< s
    double h[TAKT_PROBE_SIZES]; ///< s; step sizes, descending
    double rho[TAKT_PROBE_SIZES]; ///< contraction factors
    int i_strongest; ///< of the torn values the one through which most of it goes; index in takt_block::torn
} takt_loop_facts;

typedef struct takt_probe {
    takt_arena *arena;
    double h; ///< s; the longest step
    double deadline; ///< s, on takt_clock(); nothing is begun after it
    bool is_late; ///< something was not measured because of it
    takt_instance_facts *instances; ///< per instance
    takt_loop_facts *loops; ///< per block
    const char *failure; ///< why measuring ended; NULL: it did not
} takt_probe;

/// `h` is the size of the longest step, s. Everything but `out` itself lies in `arena`.
takt_status takt_probe_create(const takt_plan *plan, double h, double deadline, takt_arena *arena,
                              takt_probe *out, takt_error *err);

/// Measures everything where the run is; a takt_trial_visit whose context is the takt_probe.
bool takt_probe_visit(void *context, takt_run *run, const takt_trial *trial);

#endif
