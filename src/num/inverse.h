// SPDX-License-Identifier: MIT
// An estimate B of (I - dG/dw)^-1 for fixed points w = G(w), learnt from changes of w and G by Broyden's method: as a
// matrix for few unknowns (broyden.h), and by the latest changes alone for many. Then
//
//   B = I + sum u_k v_k'        one pair of vectors per change
//
// so that memory and work grow linearly with n. When there is no room left, B is made anew from the newer half of the
// changes. (Limited-memory Broyden: van de Rotten and Verduyn Lunel 2003; here with restarts.)
#ifndef TAKT_NUM_INVERSE_H
#define TAKT_NUM_INVERSE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct takt_inverse {
    int n; ///< unknowns
    int room; ///< changes that are kept; 0: a matrix is
    double *numbers; ///< takt_inverse_size() of them, which are all that is carried
} takt_inverse;

size_t takt_inverse_size(int n, int room);

/// Sets B to the identity: dG/dw = 0.
void takt_inverse_reset(const takt_inverse *b);

/// May the numbers be used, after they have come from a file?
bool takt_inverse_is_sound(const takt_inverse *b);

/// The step to the next w: d = B r, where r = G(w) - w.
void takt_inverse_step(const takt_inverse *b, const double *r, double *d);

/// Learns that a change of w by dw changed G by dg. `scale` says how large each value typically is; `room` has
/// 2 n numbers. A change that would make B singular is not learnt; then it returns false.
bool takt_inverse_learn(const takt_inverse *b, const double *dw, const double *dg,
                        const double *scale, double *room);

/// The norm of B: how much an error of G may grow in w, both measured by `scale`; at least 1. Of many unknowns it is
/// an estimate from below. `room` has 2 n numbers.
double takt_inverse_gain(const takt_inverse *b, const double *scale, double *room);

#endif
