// SPDX-License-Identifier: MIT
// What the kit itself needs of its solver.
#ifndef FMUKIT_SRC_SOLVER_H
#define FMUKIT_SRC_SOLVER_H

#include <fmukit/solver.h>

/// Is it for so many unknowns and indicators?
bool fmukit_solver_fits(const fmukit_solver *solver, size_t n, size_t n_indicators);
/// Called by `completed`: the step ends here with FMUKIT_EVENT.
void fmukit_solver_stop(fmukit_solver *solver);
/// The size of the next internal step, s; 0: not known.
double *fmukit_solver_size(fmukit_solver *solver);

#endif
