// SPDX-License-Identifier: MIT
// The one model behind all built-in functions: out[j] = offset + factor * (in[0][j] + in[1][j] + ...).
// They differ in the names and numbers of variables, and whether factor and offset are parameters.
#ifndef TAKT_BUILTIN_FUNCTION_H
#define TAKT_BUILTIN_FUNCTION_H

#include "instance/instance.h"

typedef struct takt_function {
    const char *name; ///< "sum"
    int n_terms; ///< how many inputs are summed up
    int dimension; ///< how many outputs there are
    bool is_linear; ///< factor and offset are its parameters; otherwise 1 and 0
    double factor, offset;
    bool has_term_index, has_element_index; ///< in the names: in[0], in[0][1], out[1]
} takt_function;

/// Makes the model of a function; `source` is kept as its path.
takt_status takt_function_create(const takt_function *function, const char *source,
                                 takt_model **out, takt_error *err);

#endif
