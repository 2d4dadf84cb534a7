// SPDX-License-Identifier: MIT
// All master algorithms that users can name.
#ifndef TAKT_RUN_ALGORITHMS_H
#define TAKT_RUN_ALGORITHMS_H

#include "run/algorithm.h"

/// The implementation of an algorithm; NULL: it has none of its own, plans replace it by others.
const takt_algorithm_type *takt_algorithm_type_of(takt_algorithm algorithm);

#endif
