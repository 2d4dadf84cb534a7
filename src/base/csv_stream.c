// SPDX-License-Identifier: MIT
// CSV files of any size; see csv_stream.h. The parser works on a part of the file that ends with a complete row; what is
// left moves to the beginning of the buffer before more is read.
#include "base/csv_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/csv_parse.h"
#include "base/file.h"

// Bytes of text and of numbers that are held, at first; rows.
enum { STREAM_BUFFER = 1 << 22, STREAM_ROWS_SIZE = 1 << 23, STREAM_MOST_ROWS = 1 << 16 };

struct takt_csv_stream {
    takt_csv_parser parser;
    FILE *file;
    char *buffer;
    size_t capacity, used; // of the buffer, bytes
    bool is_last; // the buffer holds the end of the file
    takt_arena texts; // of the present rows
};

// The end of the last complete row in the buffer; NULL: there is none. Line ends may be part of texts in quotes.
static const char *find_complete(const takt_csv_stream *s, int n_wanted)
{
    const takt_csv_parser *r = &s->parser;
    const char *end = s->buffer + s->used, *complete = NULL;
    bool has_texts = !r->numbers || takt_csv_has_texts(r), in_quotes = false;
    if (!has_texts) {
        for (complete = end; complete > r->at && complete[-1] != '\n';) complete--;
        return complete > r->at ? complete : NULL;
    }
    int n = 0;
    for (const char *p = r->at; p < end; p++) {
        if (*p == '"') in_quotes = !in_quotes;
        if (*p != '\n' || in_quotes) continue;
        complete = p + 1;
        n++;
    }
    return n >= n_wanted ? complete : NULL;
}

enum { MAX_ROW = 1 << 30 }; // bytes

// A row does not end in the buffer. What is no text has no rows at all; to look for them would take all memory.
static takt_status grow_buffer(takt_csv_stream *s, size_t used)
{
    takt_csv_parser *r = &s->parser;
    if (memchr(s->buffer, 0, used))
        return takt_fail(r->err, TAKT_ERR_INPUT,
                         "%s:%d: a row does not end, and has bytes of 0; the file is not text in "
                         "UTF-8",
                         r->table->file, r->line);
    if (s->capacity >= MAX_ROW)
        return takt_fail(r->err, TAKT_ERR_INPUT,
                         "%s:%d: a row has more than %zu bytes; is this a file of results?",
                         r->table->file, r->line, s->capacity / 2);
    char *larger = realloc(s->buffer, 2 * s->capacity);
    if (!larger) return takt_fail_memory(r->err);
    s->buffer = larger;
    s->capacity *= 2;
    return TAKT_OK;
}

// Moves what is left to the beginning of the buffer and reads on, until there are so many complete rows.
static takt_status fill_buffer(takt_csv_stream *s, int n_wanted)
{
    takt_csv_parser *r = &s->parser;
    const char *complete = NULL;
    while (!complete && !s->is_last) {
        size_t left = (size_t)(s->buffer + s->used - r->at);
        memmove(s->buffer, r->at, left);
        takt_status st = left > s->capacity / 2 ? grow_buffer(s, left) : TAKT_OK;
        if (st) return st;
        s->used = left + fread(s->buffer + left, 1, s->capacity - left, s->file);
        s->is_last = s->used < s->capacity;
        if (ferror(s->file))
            return takt_fail(r->err, TAKT_ERR_INPUT, "%s: cannot be read: %s", r->table->file,
                             strerror(errno));
        r->begin = r->at = r->line_start = s->buffer;
        r->first_line = r->line;
        complete = find_complete(s, n_wanted);
    }
    r->end = s->is_last ? s->buffer + s->used : complete;
    return TAKT_OK;
}

static takt_status open_stream(takt_csv_stream *s, const char *path, takt_log *log, takt_error *err)
{
    takt_csv_parser *r = &s->parser;
    r->table = calloc(1, sizeof *r->table);
    s->buffer = malloc(s->capacity = STREAM_BUFFER);
    if (!r->table || !s->buffer) return takt_fail_memory(err);
    r->table->file = takt_arena_copy(&r->table->arena, path);
    if (!r->table->file) return takt_fail_memory(err);
    r->texts = &r->table->arena;
    r->line = r->first_line = 1;
    r->separator = ',';
    r->time_unit = 1;
    r->log = log;
    r->err = err;
    r->at = s->buffer;
    takt_status st = takt_file_open(path, &s->file, err);
    if (!st) st = fill_buffer(s, 2); // whether names have separators inside shows in the first row
    if (st) return st;
    if (s->used >= 3 && memcmp(r->at, "\xef\xbb\xbf", 3) == 0) r->at += 3;
    st = takt_csv_parse_head(r);
    if (st) return r->n_problems && st != TAKT_ERR_MEMORY ? takt_csv_fail(r) : st;
    int n = STREAM_ROWS_SIZE / (int)sizeof(double) / r->table->n_columns;
    r->row_capacity = n < 16 ? 16 : n > STREAM_MOST_ROWS ? STREAM_MOST_ROWS : n;
    r->numbers = calloc((size_t)r->table->n_columns, sizeof *r->numbers);
    r->texts = &s->texts;
    return r->numbers ? TAKT_OK : takt_fail_memory(err);
}

takt_status takt_csv_stream_open(const char *path, takt_log *log, takt_csv_stream **out,
                                 takt_error *err)
{
    takt_csv_stream *s = calloc(1, sizeof *s);
    if (!s) return takt_fail_memory(err);
    takt_status st = open_stream(s, path, log, err);
    if (st) {
        takt_csv_stream_close(s);
        return st;
    }
    *out = s;
    return TAKT_OK;
}

takt_table *takt_csv_stream_table(takt_csv_stream *s)
{
    return s->parser.table;
}

takt_status takt_csv_stream_next(takt_csv_stream *s, takt_error *err)
{
    takt_csv_parser *r = &s->parser;
    takt_table *table = r->table;
    r->err = err;
    table->n_rows = 0;
    takt_arena_clear(&s->texts);
    for (int i = 0; i < table->n_columns; i++)
        if (table->columns[i].large)
            memset((void *)table->columns[i].large, 0, (size_t)r->row_capacity * sizeof(int64_t));
    takt_status st = TAKT_OK;
    while (!st && table->n_rows == 0 && (r->at < r->end || !s->is_last)) {
        if (r->at == r->end) st = fill_buffer(s, 1);
        if (!st) st = takt_csv_parse_rows(r);
        if (!st && r->at == r->end && takt_csv_has_texts(r)) st = takt_csv_check_text(r, r->end);
        if (!st && s->is_last && table->n_rows == 0) break;
    }
    if (!st && !r->has_rows) st = takt_csv_complete_empty(r);
    bool is_done = st || table->n_rows == 0;
    if (is_done && r->n_problems && st != TAKT_ERR_MEMORY) st = takt_csv_fail(r);
    return st;
}

void takt_csv_stream_close(takt_csv_stream *s)
{
    if (!s) return;
    if (s->file) fclose(s->file);
    takt_table_destroy(s->parser.table);
    takt_arena_clear(&s->texts);
    free(s->parser.numbers);
    free(s->buffer);
    free(s);
}
