// SPDX-License-Identifier: MIT
// Operations on vectors of SUNDIALS for the solver of the kit: the norm that its tolerance means, and quicker loops.
#ifndef FMUKIT_SRC_VECTOR_H
#define FMUKIT_SRC_VECTOR_H

#include <sundials/sundials_nvector.h>

/// A serial vector gets the operations of this file; so do its clones, and with them all vectors of an integrator.
void fmukit_vector_equip(N_Vector v);
/// The largest |x_i w_i|.
double fmukit_vector_norm(N_Vector x, N_Vector w);

#endif
