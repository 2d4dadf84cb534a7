// SPDX-License-Identifier: MIT
// Rows in memory; see takt/series.h. Arrays grow to twice their size, so that
// a row costs no allocation but now and then.
#include "takt/series.h"

#include <stdlib.h>
#include <string.h>

#include "record/row_calls.h"

struct takt_series {
    takt_arena arena; // texts
    double *times, *reals;
    int64_t *integers;
    takt_bytes *bytes; // in the arena
    int64_t n_rows, capacity;
    size_t n[TAKT_N_KINDS]; // columns of each kind
    int n_owners; // the user, and the run as long as it exists
};

static bool grow(void **array, size_t n_rows, size_t n_columns, size_t size)
{
    if (n_columns == 0) return true;
    if (n_rows > SIZE_MAX / 2 / size / n_columns) return false;
    void *larger = realloc(*array, n_rows * n_columns * size);
    if (larger) *array = larger;
    return larger != NULL;
}

static bool make_room(takt_series *to)
{
    if (to->n_rows < to->capacity) return true;
    int64_t capacity = to->capacity ? 2 * to->capacity : 256;
    size_t n = (size_t)capacity;
    if (!grow((void **)&to->times, n, 1, sizeof *to->times) ||
        !grow((void **)&to->reals, n, to->n[TAKT_KIND_REAL], sizeof *to->reals) ||
        !grow((void **)&to->integers, n, to->n[TAKT_KIND_INTEGER], sizeof *to->integers) ||
        !grow((void **)&to->bytes, n, to->n[TAKT_KIND_BYTES], sizeof *to->bytes))
        return false;
    to->capacity = capacity;
    return true;
}

static bool keep_bytes(takt_series *to, const takt_row *row)
{
    size_t n = to->n[TAKT_KIND_BYTES];
    for (size_t i = 0; i < n; i++) {
        char *copy = takt_arena_alloc(&to->arena, row->sizes[i] + 1); // zeroed
        if (!copy) return false;
        if (row->sizes[i]) memcpy(copy, row->bytes[i], row->sizes[i]);
        to->bytes[(size_t)to->n_rows * n + i] = (takt_bytes){copy, row->sizes[i], 0};
    }
    return true;
}

static takt_status add_row(void *context, const takt_row *row, takt_error *err)
{
    takt_series *to = context;
    if (!make_room(to) || !keep_bytes(to, row)) return takt_fail_memory(err);
    size_t i = (size_t)to->n_rows;
    size_t n_reals = to->n[TAKT_KIND_REAL], n_integers = to->n[TAKT_KIND_INTEGER];
    to->times[i] = row->time;
    if (n_reals) memcpy(to->reals + i * n_reals, row->reals, n_reals * sizeof *to->reals);
    if (n_integers)
        memcpy(to->integers + i * n_integers, row->integers, n_integers * sizeof *to->integers);
    to->n_rows++;
    return TAKT_OK;
}

// The user and the run end in any order.
static void release(void *context)
{
    takt_series *series = context;
    if (--series->n_owners) return;
    takt_arena_clear(&series->arena);
    free(series->times);
    free(series->reals);
    free(series->integers);
    free(series->bytes);
    free(series);
}

takt_status takt_run_collect(takt_run *run, takt_series **out, takt_error *err)
{
    if (!run || !out)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_run_collect: no argument may be NULL");
    takt_series *series = calloc(1, sizeof *series);
    if (!series) return takt_fail_memory(err);
    for (int kind = 0; kind < TAKT_N_KINDS; kind++)
        series->n[kind] = (size_t)takt_run_count_kind(run, (takt_kind)kind);
    series->n_owners = 2;
    const takt_row_sink sink = {add_row, release, series};
    takt_status st = takt_run_add_sink(run, &sink, err);
    if (!st) {
        *out = series;
        return TAKT_OK;
    }
    if (series->n_owners == 2) series->n_owners = 1; // the run never got it
    release(series);
    return st;
}

void takt_series_destroy(takt_series *series)
{
    if (series) release(series);
}

// ---- questions ---------------------------------------------------------------------------------------

int64_t takt_series_count(const takt_series *series)
{
    return series ? series->n_rows : 0;
}

const double *takt_series_times(const takt_series *series)
{
    return series ? series->times : NULL;
}

const double *takt_series_reals(const takt_series *series)
{
    return series ? series->reals : NULL;
}

const int64_t *takt_series_integers(const takt_series *series)
{
    return series ? series->integers : NULL;
}

int takt_series_width(const takt_series *series, takt_kind kind)
{
    bool is_kind = kind == TAKT_KIND_REAL || kind == TAKT_KIND_INTEGER || kind == TAKT_KIND_BYTES;
    return series && is_kind ? (int)series->n[kind] : 0;
}

const void *takt_series_bytes(const takt_series *series, int64_t row, int index, size_t *size)
{
    bool is_there = row >= 0 && row < takt_series_count(series) && index >= 0 &&
                    index < takt_series_width(series, TAKT_KIND_BYTES);
    const takt_bytes *value =
        is_there ? &series->bytes[(size_t)row * series->n[TAKT_KIND_BYTES] + (size_t)index] : NULL;
    if (size) *size = value ? value->size : 0;
    return value ? value->data : "";
}
