// SPDX-License-Identifier: MIT
// Small tables of text (CSV): plans of sweeps and their manifests. Everything is kept as it is written, with the
// lines where it stands.
#ifndef TAKT_APP_SWEEP_TABLE_H
#define TAKT_APP_SWEEP_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "takt/status.h"

typedef struct cli_table {
    char *text; ///< the file, in which the cells lie
    const char **cells; ///< row by row, without the header
    const char **header;
    int *lines; ///< per row
    int n_columns, n_rows;
    size_t n_complete; ///< bytes up to the last line that ends
} cli_table;

/// Reads a table: separated by commas, semicolons or tabs, perhaps quoted (RFC 4180), the first line has the names of the columns. Every row must
/// have a cell for each column. With `may_be_cut` a last line without its end is left out. Clear it in any case.
takt_status cli_table_read(const char *path, bool may_be_cut, cli_table *out, takt_error *err);
void cli_table_clear(cli_table *table);

/// The cell of a row; row and column from 0.
static inline const char *cli_table_cell(const cli_table *table, int row, int column)
{
    return table->cells[(size_t)row * (size_t)table->n_columns + (size_t)column];
}

/// The column of that name; -1: there is none.
int cli_table_find(const cli_table *table, const char *name);

#endif
