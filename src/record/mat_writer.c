// SPDX-License-Identifier: MIT
// Results as a MAT file; see mat_format.h for the layout and row_writer.h for the thread. Rows are
// appended to the last matrix, and after each portion the number of rows in its head is put right, so
// that memory does not grow with the run and a killed run leaves a valid file. Texts cannot be written.
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "record/mat_format.h"
#include "record/row_writer.h"

typedef struct mat_writer {
    takt_row_writer base;
    takt_mat_places places;
    int *varying; // columns that go into each row
    int n_varying;
    int *constant; // columns of data_1
    double *constants; // data_1: the time and the constants at the start, the same at the end
    bool has_constants; // their values are known
} mat_writer;

static double number(const takt_row_writer *w, const takt_cell *cells, int column)
{
    const takt_cell *cell = &cells[column + 1];
    takt_type type = w->columns[column].type;
    if (w->columns[column].slot.kind == TAKT_KIND_REAL) return cell->real;
    return type == TAKT_UINT64 ? (double)(uint64_t)cell->integer : (double)cell->integer;
}

// ---- head ----------------------------------------------------------------------------------------

static bool is_constant(const takt_variable *variable)
{
    return variable->variability == TAKT_CONSTANT || variable->variability == TAKT_FIXED ||
           variable->causality == TAKT_PARAMETER ||
           variable->causality == TAKT_STRUCTURAL_PARAMETER;
}

// Sorts the columns into constants, others, and texts, which are left out.
static bool sort_columns(mat_writer *w, const takt_plan *plan, takt_mat_variable *variables,
                         int *n_variables, takt_arena *names)
{
    int n_texts = 0;
    const char *first_text = NULL;
    for (int i = 0; i < plan->n_columns; i++) {
        takt_reference ref = plan->columns[i].reference;
        const takt_component *owner = &plan->system->components[ref.component];
        const takt_variable *variable = &owner->model->variables[ref.variable];
        const char *name = takt_system_name(plan->system, ref.component, ref.variable, names);
        if (!name) return false;
        if (plan->columns[i].slot.kind == TAKT_KIND_BYTES) {
            if (n_texts++ == 0) first_text = name;
            continue;
        }
        bool is_fixed = is_constant(variable);
        variables[(*n_variables)++] =
            (takt_mat_variable){name, variable->unit, variable->description, is_fixed};
        if (is_fixed)
            w->constant[w->places.n_constants++] = i;
        else
            w->varying[w->n_varying++] = i;
    }
    if (n_texts)
        takt_log_write(plan->system->log, TAKT_LEVEL_WARN,
                       "MAT files hold no text: %s%s left out of the results; CSV has everything",
                       first_text, n_texts > 1 ? " and other columns are" : " is");
    return true;
}

static takt_status mat_head(takt_row_writer *base, const takt_plan *plan, takt_error *err)
{
    mat_writer *w = (mat_writer *)base;
    size_t n = (size_t)plan->n_columns;
    takt_arena names = {0};
    takt_mat_variable *variables = takt_arena_array(&names, n, sizeof *variables);
    w->varying = takt_arena_array(&base->arena, n, sizeof *w->varying);
    w->constant = takt_arena_array(&base->arena, n, sizeof *w->constant);
    w->constants = takt_arena_array(&base->arena, 2 * (n + 1), sizeof *w->constants);
    int n_variables = 0;
    bool ok = variables && w->varying && w->constant && w->constants &&
              sort_columns(w, plan, variables, &n_variables, &names) &&
              takt_mat_add_head(&base->buffer, variables, n_variables, &w->places);
    takt_arena_clear(&names);
    return ok ? TAKT_OK : takt_fail_memory(err);
}

// ---- rows ----------------------------------------------------------------------------------------

static bool mat_row(takt_row_writer *base, const takt_cell *cells, const takt_bytes *texts)
{
    (void)texts;
    mat_writer *w = (mat_writer *)base;
    if (!w->has_constants) {
        int n = w->places.n_constants;
        w->has_constants = true;
        w->constants[0] = cells[0].real;
        for (int i = 0; i < n; i++)
            w->constants[i + 1] = w->constants[n + 2 + i] = number(base, cells, w->constant[i]);
    }
    takt_buffer *buffer = &base->buffer;
    size_t size = ((size_t)w->n_varying + 1) * sizeof(double);
    if (!takt_buffer_reserve(buffer, size)) return false;
    // The head may have any length: doubles in the buffer are not aligned.
    char *out = buffer->data + buffer->length;
    memcpy(out, &cells[0].real, sizeof(double));
    for (int i = 0; i < w->n_varying; i++) {
        double value = number(base, cells, w->varying[i]);
        memcpy(out + ((size_t)i + 1) * sizeof value, &value, sizeof value);
    }
    buffer->length += size;
    return true;
}

static int write_at(int fd, const void *data, size_t size, size_t position)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = pwrite(fd, (const char *)data + done, size - done, (off_t)(position + done));
        if (n < 0 && errno != EINTR) return errno;
        if (n > 0) done += (size_t)n;
    }
    return 0;
}

static int mat_commit(takt_row_writer *base, uint64_t n_rows, double t)
{
    mat_writer *w = (mat_writer *)base;
    size_t n_1 = (size_t)w->places.n_constants + 1;
    if (n_rows > INT32_MAX) return EFBIG;
    int32_t n = (int32_t)n_rows;
    w->constants[n_1] = t;
    int problem = write_at(base->fd, w->constants, 2 * n_1 * sizeof(double), w->places.constants);
    return problem ? problem : write_at(base->fd, &n, sizeof n, w->places.n_rows);
}

// The constants and the number of rows are those of the file.
static void mat_adopt(takt_row_writer *base, const char *head)
{
    mat_writer *w = (mat_writer *)base;
    size_t n_1 = (size_t)w->places.n_constants + 1, size = 2 * n_1 * sizeof(double);
    memcpy(w->constants, head + w->places.constants, size);
    memcpy(base->buffer.data + w->places.constants, w->constants, size);
    memcpy(base->buffer.data + w->places.n_rows, head + w->places.n_rows, sizeof(int32_t));
    w->has_constants = true;
}

static const takt_row_format mat = {.what = "results",
                                    .option = "--output-file",
                                    .head = mat_head,
                                    .row = mat_row,
                                    .commit = mat_commit,
                                    .adopt = mat_adopt,
                                    .needs_file = true,
                                    .keeps_old = true};

takt_status takt_mat_writer_open_at(const takt_plan *plan, const char *path,
                                    const takt_row_begin *begin, takt_observer **out,
                                    takt_error *err)
{
    return takt_row_writer_open_at(&mat, sizeof(mat_writer), plan, path, begin, out, err);
}

takt_status takt_mat_writer_open(const takt_plan *plan, const char *path, takt_observer **out,
                                 takt_error *err)
{
    return takt_mat_writer_open_at(plan, path, NULL, out, err);
}
