// SPDX-License-Identifier: MIT
// Reading result files of any kind, with what their side file says; see results.h.
#include "record/results.h"

#include <jansson.h>
#include <string.h>

#include "base/csv_reader.h"
#include "base/file.h"
#include "record/mat_reader.h"
#include "takt/results.h"

bool takt_results_is_mat(const char *path)
{
    return takt_path_ends_in(path, ".mat");
}

char takt_results_separator(const char *path)
{
    return takt_path_ends_in(path, ".tsv") ? '\t' : ',';
}

int takt_results_is_path(const char *path)
{
    return takt_path_ends_in(path, ".csv") || takt_path_ends_in(path, ".tsv") ||
           takt_path_ends_in(path, ".mat");
}

takt_status takt_results_check_target(const char *in, const char *out, takt_error *err)
{
    if (!takt_path_is_same_file(in, out)) return TAKT_OK;
    return takt_fail(err, TAKT_ERR_USAGE,
                     "%s: would replace the results it is made of; choose another file", out);
}

char *takt_results_side_file(takt_arena *arena, const char *path)
{
    return takt_arena_print(arena, "%s.json", path);
}

// Copies a text of a JSON object into the table, unless the table has one already.
static bool take_text(takt_table *table, const json_t *object, const char *key, const char **out)
{
    const char *text = json_string_value(json_object_get(object, key));
    if (*out || !text || !*text) return true;
    *out = takt_arena_copy(&table->arena, text);
    return *out != NULL;
}

// A side file helps, but the results are complete without it: one that cannot be used is passed over.
static bool add_side_file(takt_table *table, const char *path)
{
    json_t *side = json_load_file(path, JSON_REJECT_DUPLICATES, NULL), *about;
    size_t i;
    bool ok = true;
    json_array_foreach(json_object_get(side, "columns"), i, about)
    {
        const char *name = json_string_value(json_object_get(about, "name"));
        int index = name ? takt_map_find(&table->names, name) : -1;
        if (index <= 0) continue;
        takt_table_column *column = &table->columns[index];
        ok = ok && take_text(table, about, "unit", &column->unit) &&
             take_text(table, about, "description", &column->description) &&
             take_text(table, about, "type", &column->type);
    }
    json_decref(side);
    return ok;
}

takt_status takt_results_read(const char *path, takt_log *log, takt_table **out, takt_error *err)
{
    takt_table *table = NULL;
    takt_status st = takt_results_is_mat(path) ? takt_mat_read(path, &table, err)
                                               : takt_csv_read(path, log, &table, err);
    if (st) return st;
    const char *side = takt_results_side_file(&table->arena, path);
    bool ok = side && (!takt_path_is_file(side) || add_side_file(table, side));
    if (!ok) {
        takt_table_destroy(table);
        return takt_fail_memory(err);
    }
    *out = table;
    return TAKT_OK;
}
