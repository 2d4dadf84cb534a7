// SPDX-License-Identifier: MIT
// Gauss-Jacobi: every member uses the values of the last communication point (Nicolai 2018,
// algorithm 1), which are brought to the inputs before any block is advanced. Results do not depend on the
// order of the members. Functions are no members in this sense: they have no time of their own and belong
// to the connections, so they follow when all others have been stepped.
#include "run/algorithm.h"
#include "run/pass.h"

const takt_algorithm_type takt_jacobi_algorithm = {
    .facts = &takt_algorithms[TAKT_ALGORITHM_JACOBI],
    .is_pass = true,
    .advance = takt_pass,
};
