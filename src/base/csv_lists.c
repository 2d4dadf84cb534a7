// SPDX-License-Identifier: MIT
// Columns of lists; see csv_lists.h.
#include "base/csv_lists.h"

#include <string.h>

bool takt_csv_next_piece(const char **at, const char *end, const char **piece,
                         const char **piece_end)
{
    const char *p = *at;
    while (p < end && (*p == ' ' || *p == '\t')) p++;
    *piece = p;
    while (p < end && *p != ' ' && *p != '\t') p++;
    *at = *piece_end = p;
    return p > *piece;
}

int takt_csv_count_pieces(const char *begin, const char *end)
{
    const char *piece, *piece_end;
    int n = 0;
    while (takt_csv_next_piece(&begin, end, &piece, &piece_end)) n++;
    return n;
}

// Element number k of a column, counted from 0, with numbers of its own.
static bool fill_element(takt_table *table, const takt_table_column *from,
                         const takt_csv_list *list, int k, takt_table_column *to)
{
    double *numbers = takt_arena_array(&table->arena, (size_t)table->n_rows, sizeof *numbers);
    *to = *from;
    to->array = from->name;
    to->element = k;
    to->n_elements = list->n;
    to->name = takt_arena_print(&table->arena, "%s[%d]", from->name, k + 1);
    if (!numbers || !to->name) return false;
    for (int i = 0; i < table->n_rows; i++)
        numbers[i] = list->numbers[(size_t)i * (size_t)list->n + (size_t)k];
    to->numbers = numbers;
    return true;
}

static takt_status name_columns(takt_table *table, takt_error *err)
{
    takt_map_clear(&table->names);
    for (int i = 0; i < table->n_columns; i++) {
        const char *name = table->columns[i].name;
        if (takt_map_find(&table->names, name) >= 0)
            return takt_fail(err, TAKT_ERR_INPUT,
                             "%s: there are two columns '%s', one of them an element of '%s'",
                             table->file, name,
                             table->columns[i].array ? table->columns[i].array : name);
        if (!takt_map_add(&table->names, name, i)) return takt_fail_memory(err);
    }
    return TAKT_OK;
}

takt_status takt_csv_split_lists(takt_table *table, const takt_csv_list *lists, takt_error *err)
{
    size_t n = 0;
    for (int i = 0; i < table->n_columns; i++) n += (size_t)(lists[i].n ? lists[i].n : 1);
    if (n == (size_t)table->n_columns) return TAKT_OK;
    if (n > INT32_MAX / 2)
        return takt_fail(err, TAKT_ERR_INPUT, "%s: too many columns", table->file);
    takt_table_column *columns = takt_arena_array(&table->arena, n, sizeof *columns), *to = columns;
    if (!columns) return takt_fail_memory(err);
    for (int i = 0; i < table->n_columns; i++) {
        if (lists[i].n == 0) *to++ = table->columns[i];
        for (int k = 0; k < lists[i].n; k++)
            if (!fill_element(table, &table->columns[i], &lists[i], k, to++))
                return takt_fail_memory(err);
    }
    table->columns = columns;
    table->n_columns = (int)n;
    return name_columns(table, err);
}
