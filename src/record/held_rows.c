// SPDX-License-Identifier: MIT
// Rows around a time; see held_rows.h. Rows that are not needed any more make room when they are at least half of those at
// hand, so that a row is moved once on average.
#include "record/held_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

double takt_boolean_read(const char *word)
{
    return strcasecmp(word, "true") == 0 ? 1 : strcasecmp(word, "false") == 0 ? 0 : NAN;
}

static takt_status fail_replaced(const takt_held_rows *held, takt_error *err)
{
    return takt_fail(err, TAKT_ERR_INPUT, "%s: the file was replaced while it was read",
                     held->table->file);
}

// ---- the file ------------------------------------------------------------------------------------

static bool has_other_words(const takt_table_column *column, int n_rows)
{
    for (int i = 0; column->texts && i < n_rows; i++)
        if (isnan(takt_boolean_read(column->texts[i]))) return true;
    return false;
}

static takt_status read_once(takt_held_rows *held, takt_error *err)
{
    const takt_table *table = held->table;
    held->has_other_words = calloc((size_t)table->n_columns, sizeof *held->has_other_words);
    if (!held->has_other_words) return takt_fail_memory(err);
    for (;;) {
        takt_status st = takt_results_stream_next(held->stream, err);
        if (st || table->n_rows == 0) return st;
        const double *t = table->columns[0].numbers;
        if (held->n == 0) held->t_first = t[0];
        held->t_last = t[table->n_rows - 1];
        held->n += table->n_rows;
        for (int i = 0; i < table->n_columns; i++)
            if (!held->has_other_words[i])
                held->has_other_words[i] = has_other_words(&table->columns[i], table->n_rows);
    }
}

takt_status takt_held_rows_open(takt_held_rows *held, const char *path, takt_log *log,
                                takt_error *err)
{
    *held = (takt_held_rows){0};
    takt_status st = takt_results_stream_open(path, log, &held->stream, err);
    if (st) return st;
    held->table = takt_results_stream_table(held->stream);
    int n_columns = held->table->n_columns;
    st = read_once(held, err);
    takt_results_stream_close(held->stream);
    held->stream = NULL;
    // What there is to warn of was told.
    if (!st) st = takt_results_stream_open(path, NULL, &held->stream, err);
    if (st) return st;
    held->table = takt_results_stream_table(held->stream);
    st = takt_results_stream_next(held->stream, err);
    if (!st && (held->table->n_columns != n_columns || (held->n > 0) != (held->table->n_rows > 0)))
        st = fail_replaced(held, err);
    held->is_fresh = true;
    return st;
}

static void free_texts(takt_held_column *column, int64_t n)
{
    for (int64_t i = 0; column->texts && i < n; i++) free(column->texts[i]);
}

void takt_held_rows_clear(takt_held_rows *held)
{
    for (int i = 0; held->columns && i < held->n_columns; i++) {
        free_texts(&held->columns[i], held->end - held->first);
        free(held->columns[i].numbers);
        free(held->columns[i].texts);
    }
    takt_results_stream_close(held->stream);
    free(held->has_other_words);
    free(held->columns);
    free(held->t);
    *held = (takt_held_rows){0};
}

takt_status takt_held_rows_choose(takt_held_rows *held, const int *sources, int n, takt_error *err)
{
    held->columns = calloc((size_t)n + 1, sizeof *held->columns);
    if (!held->columns) return takt_fail_memory(err);
    held->n_columns = n;
    for (int i = 0; i < n; i++)
        held->columns[i] =
            (takt_held_column){.source = sources[i],
                               .has_texts = held->table->columns[sources[i]].texts != NULL,
                               .has_other_words = held->has_other_words[sources[i]]};
    return TAKT_OK;
}

// ---- rows ----------------------------------------------------------------------------------------

// Rows before `t`, but for the last one.
static void drop(takt_held_rows *held, double t)
{
    size_t n = (size_t)(held->end - held->first), n_gone = 0;
    while (n_gone + 1 < n && held->t[n_gone + 1] < t) n_gone++;
    if (n_gone == 0 || n_gone < n - n_gone) return;
    size_t n_left = n - n_gone;
    memmove(held->t, held->t + n_gone, n_left * sizeof *held->t);
    for (int i = 0; i < held->n_columns; i++) {
        takt_held_column *c = &held->columns[i];
        free_texts(c, (int64_t)n_gone);
        if (c->numbers) memmove(c->numbers, c->numbers + n_gone, n_left * sizeof *c->numbers);
        if (c->texts) memmove(c->texts, c->texts + n_gone, n_left * sizeof *c->texts);
    }
    held->first += (int64_t)n_gone;
}

static bool grow(void *items, size_t n, size_t size)
{
    void *old, *larger;
    memcpy(&old, items, sizeof old);
    larger = realloc(old, n * size);
    if (larger) memcpy(items, &larger, sizeof larger);
    return larger != NULL;
}

static takt_status reserve(takt_held_rows *held, int n_more, takt_error *err)
{
    int64_t wanted = held->end - held->first + n_more, twice = 2 * (int64_t)held->capacity;
    if (wanted <= held->capacity) return TAKT_OK;
    if (wanted < twice) wanted = twice;
    if (wanted > INT32_MAX)
        return takt_fail(err, TAKT_ERR_INPUT, "%s: too many rows within the time tolerance",
                         held->table->file);
    size_t n = (size_t)wanted;
    bool ok = grow(&held->t, n, sizeof *held->t);
    for (int i = 0; ok && i < held->n_columns; i++) {
        takt_held_column *c = &held->columns[i];
        ok = c->has_texts && !c->reads_booleans ? grow(&c->texts, n, sizeof *c->texts)
                                                : grow(&c->numbers, n, sizeof *c->numbers);
    }
    if (!ok) return takt_fail_memory(err);
    held->capacity = (int)wanted;
    return TAKT_OK;
}

// Copies `n` rows of a column behind the `at` that are held; false: memory is exhausted, and no text was added.
static bool add_column(takt_held_column *c, const takt_table_column *source, size_t at, int n)
{
    if (!c->has_texts) {
        memcpy(c->numbers + at, source->numbers, (size_t)n * sizeof *c->numbers);
        return true;
    }
    for (int i = 0; i < n; i++) {
        if (c->reads_booleans) {
            c->numbers[at + (size_t)i] = takt_boolean_read(source->texts[i]);
            continue;
        }
        char *copy = strdup(source->texts[i]);
        if (!copy) {
            while (i-- > 0) free(c->texts[at + (size_t)i]);
            return false;
        }
        c->texts[at + (size_t)i] = copy;
    }
    return true;
}

// The rows of the table come behind those at hand.
static takt_status add_rows(takt_held_rows *held, int n, takt_error *err)
{
    size_t at = (size_t)(held->end - held->first);
    const double *t = held->table->columns[0].numbers;
    if (at && t[0] < held->t[at - 1]) return fail_replaced(held, err);
    int i = 0;
    for (; i < held->n_columns; i++) {
        takt_held_column *c = &held->columns[i];
        if (!add_column(c, &held->table->columns[c->source], at, n)) break;
    }
    if (i < held->n_columns) {
        while (i-- > 0)
            for (int k = 0; held->columns[i].texts && k < n; k++)
                free(held->columns[i].texts[at + (size_t)k]);
        return takt_fail_memory(err);
    }
    memcpy(held->t + at, t, (size_t)n * sizeof *t);
    held->end += n;
    return TAKT_OK;
}

takt_status takt_held_rows_advance(takt_held_rows *held, double t, takt_error *err)
{
    takt_status st = TAKT_OK;
    drop(held, t);
    if (!held->is_fresh) st = takt_results_stream_next(held->stream, err);
    held->is_fresh = false;
    int64_t left = held->n - held->end; // the file may have grown meanwhile
    int n = left < held->table->n_rows ? (int)left : held->table->n_rows;
    if (!st && n == 0) st = fail_replaced(held, err); // by a shorter one
    if (!st) st = reserve(held, n, err);
    return st ? st : add_rows(held, n, err);
}
