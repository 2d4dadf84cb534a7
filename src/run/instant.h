// SPDX-License-Identifier: MIT
// Loops at one instant: real values x of outputs that depend on themselves, x = G(x), without time going on.
// Used during initialization and in event mode. Discrete values are left alone: whoever owns the loop
// freezes them in its sweeps.
#ifndef TAKT_RUN_INSTANT_H
#define TAKT_RUN_INSTANT_H

#include "num/newton.h"
#include "run/run.h"

/// Which values are guessed. In turn: one instance after the other is set and read, so that few values need a
/// guess, but errors grow where gains are large. At once: all are set, then all are read.
typedef enum takt_instant_way {
    TAKT_IN_TURN,
    TAKT_AT_ONCE,
    TAKT_N_INSTANT_WAYS,
} takt_instant_way;

/// Indices in y of the real values that are guessed.
typedef struct takt_torn {
    const int *values;
    int n;
} takt_torn;

/// Sets inputs and reads outputs, once around the loop. The guessed values are in y, and are replaced by what
/// the instances show.
typedef takt_status takt_instant_sweep_fn(void *context, takt_instant_way way, takt_error *err);

typedef struct takt_instant {
    takt_run *run;
    takt_torn torn[TAKT_N_INSTANT_WAYS];
    takt_instant_way way; ///< the present one: that of the solution
    takt_instant_sweep_fn *sweep;
    void *context; ///< of the sweep
    takt_newton newton; ///< with the number of values and the tolerances
    double *x, *g, *noise, *uncertainty; ///< one number per guessed value
    double *start, *begin, *first; ///< likewise: where an attempt begins, and each way
    double *last; ///< likewise: where repetition ended
    double *units; ///< likewise: of the absolute tolerance, by takt_scale_unit()
    double *singular; ///< likewise: where the matrix was singular
    takt_instant_way singular_way; ///< the way of these values
    takt_solution solution; ///< of the last takt_instant_solve()
    bool has_noise; ///< the last solution is limited by noise
    bool needs_proof; ///< that the solution is the only one nearby; set by whoever owns the loop
    bool is_unproven; ///< that could not be found out
} takt_instant;

/// Makes room. Tolerances follow from the settings of the system. Fails if memory is exhausted.
bool takt_instant_init(takt_instant *at, takt_run *run, takt_arena *arena, takt_torn in_turn,
                       takt_torn at_once);

/// Solves x = G(x), beginning with the values in y; the outcome is in `solution`. If solved, the last sweep
/// was made with the solution, and y holds what it showed.
takt_status takt_instant_solve(takt_instant *at, takt_error *err);

/// Writes the solution, or if there is none where repetition ended, to y, for another sweep.
void takt_instant_show(const takt_instant *at);

/// For a sweep that met a value that is not finite: makes all guessed values in y NaN.
void takt_instant_spoil(const takt_instant *at);

/// The tolerance for value k of y where it is x.
double takt_instant_tolerance(const takt_instant *at, int k, double x);

/// How uncertain noise leaves the solution: in units of takt_instant_tolerance(), the largest.
double takt_instant_doubt(const takt_instant *at);

/// Notes a doubt if noise left the solution more uncertain than the tolerances of the user, or if it may not be the only
/// one, and returns whether it did. `where` begins the message.
bool takt_instant_warn(const takt_instant *at, const char *where);

/// What is wrong with a loop that is not solved, as the end of a sentence: names what is not determined. Makes sweeps.
takt_status takt_instant_explain(takt_instant *at, char *text, size_t size, takt_error *err);

#endif
