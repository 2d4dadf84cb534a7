// SPDX-License-Identifier: MIT
// Gauss-Seidel, one pass: every member uses what the members before it have just delivered
// (Nicolai 2018, algorithm 2).
#include "run/algorithm.h"
#include "run/pass.h"

const takt_algorithm_type takt_seidel_algorithm = {
    .facts = &takt_algorithms[TAKT_ALGORITHM_SEIDEL],
    .is_pass = true,
    .advance = takt_pass,
};
