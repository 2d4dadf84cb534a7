// SPDX-License-Identifier: MIT
// Elements of arrays and aliases of FMI 3.0.
#ifndef TAKT_DESCRIPTION_FMI3_EXPAND_H
#define TAKT_DESCRIPTION_FMI3_EXPAND_H

#include "description/fmi3_reader.h"

/// Makes elements of arrays and aliases, sorts the references, enters all names, and moves arrays into
/// the model. Indices in the other lists are then those of the model.
takt_status takt_fmi3_expand(takt_description_reader *reader, takt_error *err);

#endif
