// SPDX-License-Identifier: MIT
// Reading result files of any kind, with what their side file says; see results.h.
#include "record/results.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/csv_reader.h"
#include "base/csv_stream.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
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
    if (!path) return 0;
    return takt_path_ends_in(path, ".csv") || takt_path_ends_in(path, ".tsv") ||
           takt_path_ends_in(path, ".mat");
}

takt_status takt_results_check_ending(const char *path, takt_error *err)
{
    if (!path) return takt_fail_missing(err, __func__, "path");
    const char *name = takt_path_name(path), *dot = strrchr(name, '.');
    struct stat status;
    bool is_device = stat(path, &status) == 0 && !S_ISREG(status.st_mode);
    if (takt_results_is_path(path) || !dot || dot == name || is_device) return TAKT_OK;
    return takt_fail(err, TAKT_ERR_USAGE,
                     "%s: results are not written as '%s'; possible are .csv, .tsv and .mat", path,
                     dot);
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

static bool add_side_texts(takt_table *table, const json_t *side)
{
    json_t *about;
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
             take_text(table, about, "type", &column->type) &&
             take_text(table, about, "variability", &column->variability);
    }
    return ok;
}

// A side file helps, but the results are complete without it: one with other content is passed over, with a warning.
static takt_status add_side_file(takt_table *table, const char *path, takt_log *log,
                                 takt_error *err)
{
    enum { MAX_SIZE = 1 << 30 };
    char *text = NULL;
    size_t size;
    json_error_t problem;
    takt_status st = takt_file_read(path, MAX_SIZE, &text, &size, err);
    if (st) return st;
    takt_json_begin();
    json_t *side = json_loadb(text, size, JSON_REJECT_DUPLICATES, &problem);
    bool ok = !takt_json_has_failed();
    if (ok && !side)
        takt_log_problem(log, TAKT_LEVEL_WARN, path, problem.line,
                         "units and types are not taken from here: %s", problem.text);
    if (ok && side) ok = add_side_texts(table, side);
    json_decref(side);
    free(text);
    return ok ? TAKT_OK : takt_fail_memory(err);
}

static takt_status add_description(takt_table *table, const char *path, takt_log *log,
                                   takt_error *err)
{
    const char *side = takt_results_side_file(&table->arena, path);
    if (!side) return takt_fail_memory(err);
    return takt_path_is_file(side) ? add_side_file(table, side, log, err) : TAKT_OK;
}

takt_status takt_results_read(const char *path, takt_log *log, takt_table **out, takt_error *err)
{
    takt_table *table = NULL;
    takt_status st = takt_results_is_mat(path) ? takt_mat_read(path, &table, err)
                                               : takt_csv_read(path, log, &table, err);
    if (st) return st;
    st = add_description(table, path, log, err);
    if (st) {
        takt_table_destroy(table);
        return st;
    }
    *out = table;
    return TAKT_OK;
}

// ---- files of any size ---------------------------------------------------------------------------

struct takt_results_stream {
    takt_csv_stream *csv; // one of both
    takt_mat_stream *mat;
    takt_table *table; // of it
};

takt_status takt_results_stream_open(const char *path, takt_log *log, takt_results_stream **out,
                                     takt_error *err)
{
    takt_results_stream *s = calloc(1, sizeof *s);
    if (!s) return takt_fail_memory(err);
    takt_status st = takt_results_is_mat(path) ? takt_mat_stream_open(path, &s->mat, err)
                                               : takt_csv_stream_open(path, log, &s->csv, err);
    if (!st) {
        s->table = s->mat ? takt_mat_stream_table(s->mat) : takt_csv_stream_table(s->csv);
        st = add_description(s->table, path, log, err);
    }
    if (st) {
        takt_results_stream_close(s);
        return st;
    }
    *out = s;
    return TAKT_OK;
}

const takt_table *takt_results_stream_table(const takt_results_stream *s)
{
    return s->table;
}

takt_status takt_results_stream_next(takt_results_stream *s, takt_error *err)
{
    return s->mat ? takt_mat_stream_next(s->mat, err) : takt_csv_stream_next(s->csv, err);
}

void takt_results_stream_close(takt_results_stream *s)
{
    if (!s) return;
    takt_mat_stream_close(s->mat);
    takt_csv_stream_close(s->csv);
    free(s);
}

takt_status takt_results_list(const char *path, char **out, takt_error *err)
{
    takt_results_stream *stream = NULL;
    takt_text names = {0};
    if (!path || !out) return takt_fail_missing(err, __func__, path ? "out" : "path");
    takt_status st = takt_results_stream_open(path, NULL, &stream, err);
    if (st) return st;
    const takt_table *table = takt_results_stream_table(stream);
    for (int i = 1; i < table->n_columns; i++)
        takt_text_print(&names, "%s\n", table->columns[i].name);
    takt_results_stream_close(stream);
    if (!names.failed && !names.data) takt_text_add(&names, "");
    *out = takt_text_take(&names);
    return *out ? TAKT_OK : takt_fail_memory(err);
}
