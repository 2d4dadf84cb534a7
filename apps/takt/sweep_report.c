// SPDX-License-Identifier: MIT
// What is shown of a sweep at its end; see sweep_report.h.
#include "sweep_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support.h"
#include "terminal.h"

enum { MOST_VALUES = 40, MOST_FAILURES = 5 }; // shown

bool sweep_row_is_ok(const cli_table *table, int row)
{
    return strcmp(cli_table_cell(table, row, 1), "ok") == 0;
}

double sweep_number_at(const cli_table *table, int row, int column)
{
    double value;
    const char *text = cli_table_cell(table, row, column);
    bool is_number = takt_number_read(text, text + strlen(text), &value) && isfinite(value);
    return is_number ? value : NAN;
}

// The range of one kept value over all variants.
static void print_range(const cli_table *table, int column, int width)
{
    double sum = 0, least = INFINITY, most = -INFINITY;
    const char *where_least = "", *where_most = "";
    int n = 0;
    for (int row = 0; row < table->n_rows; row++) {
        double x = sweep_row_is_ok(table, row) ? sweep_number_at(table, row, column) : NAN;
        if (isnan(x)) continue;
        if (x < least) least = x, where_least = cli_table_cell(table, row, 0);
        if (x > most) most = x, where_most = cli_table_cell(table, row, 0);
        sum += x;
        n++;
    }
    if (n)
        printf("%-*s %12.6g %9s %12.6g %12.6g %9s\n", width, table->header[column], least,
               where_least, sum / n, most, where_most);
}

static void print_ranges(const sweep_job *job, const cli_table *table)
{
    int first = SWEEP_COLUMNS + job->plan.n_columns, width = 12;
    int last = table->n_columns < first + MOST_VALUES ? table->n_columns : first + MOST_VALUES;
    for (int i = first; i < last; i++)
        if (cli_columns(table->header[i]) > width) width = cli_columns(table->header[i]);
    printf("\n%-*s %12s %9s %12s %12s %9s\n", width, "Kept value", "least", "variant", "mean",
           "most", "variant");
    for (int i = first; i < last; i++) print_range(table, i, width);
    if (last < table->n_columns)
        printf("... and %d others, see the manifest\n", table->n_columns - last);
}

static void print_failures(const cli_table *table, int n_failed)
{
    int n_shown = 0;
    printf("\nFailed:\n");
    for (int row = 0; row < table->n_rows && n_shown < MOST_FAILURES; row++) {
        if (sweep_row_is_ok(table, row)) continue;
        printf("  variant %s: %s\n", cli_table_cell(table, row, 0), cli_table_cell(table, row, 5));
        n_shown++;
    }
    if (n_failed > n_shown) printf("  ... and %d others\n", n_failed - n_shown);
}

static void print_table(const sweep_job *job, const cli_table *table)
{
    int n_ok = 0, n_warned = 0;
    for (int row = 0; row < table->n_rows; row++) {
        n_ok += sweep_row_is_ok(table, row);
        n_warned += sweep_row_is_ok(table, row) && sweep_number_at(table, row, 4) > 0;
    }
    int n_failed = table->n_rows - n_ok;
    printf("Variants: %" PRId64 "; %d ok", job->plan.n_variants, n_ok);
    if (n_warned) printf(" (%d with warnings)", n_warned);
    printf(", %d failed, %" PRId64 " not run\n", n_failed, job->plan.n_variants - table->n_rows);
    if (n_ok && job->keep.n_items) print_ranges(job, table);
    if (n_failed) print_failures(table, n_failed);
}

takt_status sweep_report(const sweep_job *job, const char *manifest, const char *picture,
                         takt_error *err)
{
    cli_table table;
    int n_drawn = 0;
    takt_status st = cli_table_read(manifest, true, &table, err);
    if (!st) print_table(job, &table);
    if (!st) printf("\nManifest: %s\n", manifest);
    if (!st) st = sweep_draw(job, &table, picture, &n_drawn, err);
    if (!st && n_drawn) printf("Picture: %s\n", picture);
    cli_table_clear(&table);
    return st ? st : cli_output_end(stdout, err);
}
