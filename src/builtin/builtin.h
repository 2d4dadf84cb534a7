// SPDX-License-Identifier: MIT
// Components that need no FMU: functions of their inputs alone. Their source names the function and
// its size:
//     builtin:linear?factor=2&offset=1        out = offset + factor * in
//     builtin:sum?inputs=3                    out = in[0] + in[1] + in[2]
//     builtin:vectorsum?inputs=2&dimension=3  out[j] = in[0][j] + in[1][j]
// They have no state: a step does nothing, and outputs follow the inputs at once. They can be rewound.
#ifndef TAKT_BUILTIN_BUILTIN_H
#define TAKT_BUILTIN_BUILTIN_H

#include "instance/model.h"

/// Does a source name a built-in component?
bool takt_builtin_is_source(const char *source);

/// Opens the model of a built-in component. The result is owned by the caller; see
/// takt_model_close().
takt_status takt_builtin_open(const char *source, takt_model **out, takt_error *err);

#endif
