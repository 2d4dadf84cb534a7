// SPDX-License-Identifier: MIT
// Broyden's method for fixed points w = G(w): the inverse of I - dG/dw is learnt from the changes of w and G, and
// kept from problem to problem while these change little. (Broyden 1965, in the form of Sherman and Morrison.)
#ifndef TAKT_NUM_BROYDEN_H
#define TAKT_NUM_BROYDEN_H

#include <stdbool.h>

/// Sets the n x n matrix to the identity: dG/dw = 0.
void takt_broyden_reset(int n, double *inverse);

/// The step to the next w: d = inverse * r, where r = G(w) - w.
void takt_broyden_step(int n, const double *inverse, const double *r, double *d);

/// Learns that a change of w by dw changed G by dg. `scale` says how large each value typically is; `room` has
/// 2 n numbers. A change that would make the matrix singular is not learnt; then it returns false.
bool takt_broyden_learn(int n, double *inverse, const double *dw, const double *dg,
                        const double *scale, double *room);

/// The norm of the inverse: how much an error of G may grow in w, both measured by `scale`; at least 1.
double takt_broyden_gain(int n, const double *inverse, const double *scale);

#endif
