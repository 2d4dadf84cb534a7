// SPDX-License-Identifier: MIT
// Secants of a fixed-point problem z = T(z): differences of inputs z, residuals r = T(z) - z and of
// everything else that evaluations deliver. From them the solution is proposed without derivatives: the
// combination of residual differences that comes nearest to -r (least squares) is taken as the way to r = 0,
// and the same combination of the other differences as what changes on the way.
//
// Reused over several steps this is IQN-ILS (Degroote, Bathe, Vierendeels 2009; filtered as by Haelterman
// et al. 2016), with those of the present step only it is Anderson acceleration (Walker, Ni 2011).
#ifndef TAKT_NUM_SECANTS_H
#define TAKT_NUM_SECANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Where the kept secants lie; a part of what is carried, together with the columns.
typedef struct takt_secants_state {
    int n_kept;
    int newest; ///< place of the newest
    int64_t step; ///< number of the present step
} takt_secants_state;

/// All memory belongs to the caller.
typedef struct takt_secants {
    int n; ///< components of z and r
    int n_all; ///< numbers that an evaluation delivers
    int room; ///< for so many secants
    takt_secants_state *state; ///< all 0 at the beginning
    double *columns; ///< takt_secants_size() numbers
    double *work; ///< takt_secants_work() numbers
    int *picked; ///< `room` numbers
} takt_secants;

/// A difference of two evaluations.
typedef struct takt_secant {
    const double *input; ///< n
    const double *residual; ///< n
    const double *all; ///< n_all
} takt_secant;

/// A proposal.
typedef struct takt_secants_result {
    double *step; ///< n: change of z
    double *all; ///< n_all: change of what an evaluation delivers
    double *rest; ///< n: the part of r that no secant explains
    int rank; ///< independent secants
    int n_own; ///< of these, of the present step: the newest ones come first
} takt_secants_result;

size_t takt_secants_size(int n, int n_all, int room);
size_t takt_secants_work(int n, int room);

void takt_secants_clear(takt_secants *secants);

/// May state and columns be used, after they have come from a file?
bool takt_secants_is_sound(const takt_secants *secants);

/// Begins the next step; only secants of this step and the `n_steps` before it are kept.
void takt_secants_begin(takt_secants *secants, int n_steps);

/// Adds a secant; without room the oldest one is lost.
void takt_secants_add(takt_secants *secants, const takt_secant *secant);

/// Number k, the newest being number 0.
takt_secant takt_secants_get(const takt_secants *secants, int k);

/// Proposes a change at the residual r. The components of r count in `units`. Secants that the newer ones
/// explain but for the fraction `filter` are left out.
void takt_secants_solve(const takt_secants *secants, const double *units, const double *r,
                        double filter, takt_secants_result *out);

#endif
