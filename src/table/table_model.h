// SPDX-License-Identifier: MIT
// The model made from a table, shared by table.c and table_instance.c.
#ifndef TAKT_TABLE_TABLE_MODEL_H
#define TAKT_TABLE_TABLE_MODEL_H

#include "base/table.h"
#include "instance/instance.h"

/// The values of a column in the storage of its type; the other pointers are NULL.
typedef struct takt_table_values {
    const double *real;
    const int64_t *integer;
    const char **texts;
} takt_table_values;

/// Variables are the columns in their order, without the time, then the parameters.
typedef struct takt_table_model {
    takt_model base;
    takt_table *table; ///< shared with other models of the same file
    takt_table_values *columns;
    int n_columns;
    int i_interpolation, i_events; ///< the parameters; -1: a column has that name
} takt_table_model;

extern const takt_instance_type takt_table_instances;

#endif
