// SPDX-License-Identifier: MIT
// Results as CSV: `time` first, then one column per recorded variable; see row_writer.h.
#include "base/number.h"
#include "record/csv_format.h"
#include "record/row_writer.h"

static takt_status csv_head(takt_row_writer *w, const takt_plan *plan, takt_error *err)
{
    takt_arena names = {0};
    bool ok = takt_csv_add_name(&w->buffer, "time");
    for (int i = 0; ok && i < plan->n_columns; i++) {
        takt_reference ref = plan->columns[i].reference;
        const char *name = takt_system_name(plan->system, ref.component, ref.variable, &names);
        ok = name && takt_buffer_reserve(&w->buffer, 1);
        if (ok) takt_buffer_put(&w->buffer, ',');
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
    takt_buffer *buffer = &w->buffer;
    if (!takt_buffer_reserve(buffer, ((size_t)w->n_columns + 2) * TAKT_NUMBER_SIZE)) return false;
    takt_csv_add_real(buffer, cells[0].real);
    for (int i = 0; i < w->n_columns; i++) {
        const takt_row_column *column = &w->columns[i];
        takt_buffer_put(buffer, ',');
        if (column->slot.kind == TAKT_KIND_REAL) {
            takt_csv_add_real(buffer, cells[i + 1].real);
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

static const takt_row_format csv = {.head = csv_head, .row = csv_row};

takt_status takt_csv_writer_open(const takt_plan *plan, const char *path, takt_observer **out,
                                 takt_error *err)
{
    return takt_row_writer_open(&csv, sizeof(takt_row_writer), plan, path, out, err);
}
