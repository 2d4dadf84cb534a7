// SPDX-License-Identifier: MIT
// Inputs that no connection drives: they keep the value that they have at the start.
#ifndef TAKT_SYSTEM_OPEN_INPUTS_H
#define TAKT_SYSTEM_OPEN_INPUTS_H

#include "base/text.h"
#include "system/system.h"

/// An input without a connection.
typedef struct takt_open_input {
    takt_reference reference;
    const takt_value *value; ///< that it keeps; NULL: not known before the FMU runs
    bool is_given; ///< by the project or an option, not by the FMU
} takt_open_input;

/// Finds them, in the order of the system, in `arena`. Returns false when memory is exhausted.
bool takt_system_find_open_inputs(const takt_system *system, takt_arena *arena,
                                  takt_open_input **out, int *n_out);

/// Describes them: "  Tank.u = 0\n", a line each, below a heading; nothing if there are none.
void takt_system_add_open_inputs(const takt_system *system, takt_text *out);

#endif
