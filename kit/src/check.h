// SPDX-License-Identifier: MIT
// Checks of the author's description at build time.
#ifndef FMUKIT_CHECK_H
#define FMUKIT_CHECK_H

#include "model.h"

#include <stdio.h>

/// Writes every mistake of the description as a line to `out` and returns their number. What a
/// version of FMI (1, 2 or 3) cannot express is a mistake, too.
int fmukit_check(const fmukit_model *model, int version, FILE *out);

#endif
