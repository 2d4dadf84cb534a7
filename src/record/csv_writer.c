// SPDX-License-Identifier: MIT
// Results as CSV, or with tabs in place of commas as TSV: `time` (or `time [h]`) first, then one column per recorded
// variable; see row_writer.h.
//
// Many numbers of a row have just been written: parameters do not change, and a connected input has the
// value of its output. So the texts of numbers are kept in a table, found by the bits of the number.
#include <string.h>

#include "base/number.h"
#include "record/csv_format.h"
#include "record/results.h"
#include "record/row_writer.h"

enum { LEAST_TEXTS = 1 << 10, MOST_TEXTS = 1 << 16, LONGEST_TEXT = 24 };

// A number and its text. At first all of them are 0 and hold "0", which is right wherever it is found.
typedef struct number_text {
    uint64_t bits;
    uint64_t length;
    char text[LONGEST_TEXT];
} number_text;

typedef struct csv_writer {
    takt_row_writer common; // first
    number_text *texts; // in the arena
    int shift; // from 64 bits to an index of texts
    char separator;
    takt_time_unit time_unit;
} csv_writer;

static takt_status make_texts(csv_writer *self, takt_error *err)
{
    size_t n = LEAST_TEXTS;
    self->shift = 54;
    for (; n < 2 * (size_t)self->common.n_columns && n < MOST_TEXTS; n *= 2) self->shift--;
    self->texts = takt_arena_array(&self->common.arena, n, sizeof *self->texts);
    if (!self->texts) return takt_fail_memory(err);
    for (size_t i = 0; i < n; i++) self->texts[i] = (number_text){0, 1, "0"};
    return TAKT_OK;
}

// Needs room for TAKT_NUMBER_SIZE characters.
static inline void add_real(csv_writer *self, takt_buffer *buffer, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    number_text *known = &self->texts[bits * 0x9e3779b97f4a7c15u >> self->shift];
    char *out = buffer->data + buffer->length;
    if (known->bits == bits) {
        memcpy(out, known->text, LONGEST_TEXT); // the same size for all is faster
    } else {
        known->bits = bits;
        known->length = takt_number_write(out, value);
        memcpy(known->text, out, LONGEST_TEXT);
    }
    buffer->length += known->length;
}

static takt_status csv_head(takt_row_writer *w, const takt_plan *plan, takt_error *err)
{
    csv_writer *self = (csv_writer *)w;
    takt_status st = make_texts(self, err);
    if (st) return st;
    self->separator = takt_results_separator(w->name);
    self->time_unit = plan->system->settings.output_time_unit;
    takt_arena names = {0};
    bool ok = takt_csv_add_name(&w->buffer, "time");
    if (ok && self->time_unit != TAKT_TIME_S)
        ok = takt_csv_add_unit(&w->buffer, takt_time_unit_name((int)self->time_unit));
    for (int i = 0; ok && i < plan->n_columns; i++) {
        takt_reference ref = plan->columns[i].reference;
        const char *name = takt_system_name(plan->system, ref.component, ref.variable, &names);
        ok = name && takt_buffer_reserve(&w->buffer, 1);
        if (ok) takt_buffer_put(&w->buffer, self->separator);
        ok = ok && takt_csv_add_name(&w->buffer, name);
    }
    takt_arena_clear(&names);
    ok = ok && takt_buffer_reserve(&w->buffer, 1);
    if (!ok) return takt_fail_memory(err);
    takt_buffer_put(&w->buffer, '\n');
    return TAKT_OK;
}

static bool csv_row(takt_row_writer *w, const takt_cell *cells, const takt_bytes *texts)
{
    // Room for all numbers at once; only texts look again.
    csv_writer *self = (csv_writer *)w;
    takt_buffer *buffer = &w->buffer;
    if (!takt_buffer_reserve(buffer, ((size_t)w->n_columns + 2) * TAKT_NUMBER_SIZE)) return false;
    takt_csv_add_time(buffer, takt_time_unit_of(self->time_unit, cells[0].real));
    for (int i = 0; i < w->n_columns; i++) {
        const takt_row_column *column = &w->columns[i];
        takt_buffer_put(buffer, self->separator);
        if (column->slot.kind == TAKT_KIND_REAL) {
            add_real(self, buffer, cells[i + 1].real);
        } else if (column->slot.kind == TAKT_KIND_INTEGER) {
            takt_csv_add_integer(buffer, column->type, cells[i + 1].integer);
        } else {
            const takt_bytes *text = &texts[column->text];
            size_t rest = (size_t)(w->n_columns - i + 1) * TAKT_NUMBER_SIZE;
            if (!takt_csv_add_bytes(buffer, column->type, text->data, text->size) ||
                !takt_buffer_reserve(buffer, rest))
                return false;
        }
    }
    takt_buffer_put(buffer, '\n');
    return true;
}

static const takt_row_format csv = {.what = "results",
                                    .option = "--output-file",
                                    .head = csv_head,
                                    .row = csv_row,
                                    .keeps_old = true};

takt_status takt_csv_writer_open_at(const takt_plan *plan, const char *path,
                                    const takt_row_begin *begin, takt_observer **out,
                                    takt_error *err)
{
    return takt_row_writer_open_at(&csv, sizeof(csv_writer), plan, path, begin, out, err);
}

takt_status takt_csv_writer_open(const takt_plan *plan, const char *path, takt_observer **out,
                                 takt_error *err)
{
    return takt_csv_writer_open_at(plan, path, NULL, out, err);
}
