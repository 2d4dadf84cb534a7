// SPDX-License-Identifier: MIT
// The parser of CSV (csv_reader.c), for readers of whole files and of streams.
#ifndef TAKT_BASE_CSV_PARSE_H
#define TAKT_BASE_CSV_PARSE_H

#include "base/csv_lists.h"
#include "base/error.h"
#include "base/log.h"
#include "base/table.h"

typedef struct takt_csv_parser {
    takt_table *table;
    takt_arena *texts; // for those of cells; names are in that of the table
    const char *begin, *at, *end;
    const char *line_start;
    int line, first_line; // present one, and that of `begin`
    char separator;
    char decimal_mark; // of the numbers so far, where it can be both: '.' or ','; 0: not known
    bool quotes_mean_text;
    bool is_source; // drives a run: its numbers must be finite, its last row complete
    bool joins_names; // some have separators inside, but no quotes around: der(x,2)
    double time_unit; // s
    int row_capacity;
    double **numbers; // of the columns, to be filled; NULL: text, or a list
    takt_csv_list *lists; // likewise; NULL: there can be none
    bool has_time; // of a row before
    bool has_rows; // complete ones, in the table or before it
    double last_time;
    takt_log *log;
    int n_problems;
    bool has_zeros; // is not text
    takt_error first; // problem
    takt_error *err;
} takt_csv_parser;

/// Reads the header. [at, end) holds it and the first row, or all there is.
takt_status takt_csv_parse_head(takt_csv_parser *parser);

/// Reads rows until `row_capacity` is reached, or the end; [at, end) holds complete rows.
takt_status takt_csv_parse_rows(takt_csv_parser *parser);

/// A table without rows has columns of no numbers.
takt_status takt_csv_complete_empty(takt_csv_parser *parser);

/// Does a column hold text? Then bytes of 0 may hide in it, which takt_csv_check_text() finds from `begin` on.
bool takt_csv_has_texts(const takt_csv_parser *parser);
takt_status takt_csv_check_text(takt_csv_parser *parser, const char *end);

/// All problems that were found on the way count now.
takt_status takt_csv_fail(const takt_csv_parser *parser);

#endif
