// SPDX-License-Identifier: MIT
// Rows in the order of columns; see row_calls.h. The room is made once: a row is copied without any allocation.
#include "record/row_calls.h"

#include <stdlib.h>

#include "base/sized.h"

typedef struct row_caller {
    takt_observer base;
    takt_arena arena;
    takt_row_sink sink;
    const int *places[TAKT_N_KINDS]; // in y, of the columns of each kind
    int n[TAKT_N_KINDS];
    double *reals;
    int64_t *integers;
    const void **bytes;
    size_t *sizes;
} row_caller;

static takt_status hand_row(takt_observer *observer, double t, const takt_values *y,
                            takt_error *err)
{
    row_caller *own = (row_caller *)observer;
    for (int i = 0; i < own->n[TAKT_KIND_REAL]; i++)
        own->reals[i] = y->real[own->places[TAKT_KIND_REAL][i]];
    for (int i = 0; i < own->n[TAKT_KIND_INTEGER]; i++)
        own->integers[i] = y->integer[own->places[TAKT_KIND_INTEGER][i]];
    for (int i = 0; i < own->n[TAKT_KIND_BYTES]; i++) {
        const takt_bytes *value = &y->bytes[own->places[TAKT_KIND_BYTES][i]];
        own->bytes[i] = value->data ? value->data : "";
        own->sizes[i] = value->size;
    }
    const takt_row row = {sizeof row, t, own->reals, own->integers, own->bytes, own->sizes};
    return own->sink.row(own->sink.context, &row, err);
}

static takt_status finish(takt_observer *observer, takt_error *err)
{
    (void)observer;
    (void)err;
    return TAKT_OK;
}

static void destroy(takt_observer *observer)
{
    row_caller *own = (row_caller *)observer;
    if (own->sink.end) own->sink.end(own->sink.context);
    takt_arena_clear(&own->arena);
    free(own);
}

static const takt_observer_type type = {.row = hand_row, .finish = finish, .destroy = destroy};

static bool make_room(row_caller *own, const takt_plan *plan)
{
    int *places[TAKT_N_KINDS];
    size_t n = (size_t)plan->n_columns;
    for (int kind = 0; kind < TAKT_N_KINDS; kind++) {
        own->places[kind] = places[kind] = takt_arena_array(&own->arena, n, sizeof **places);
        if (!places[kind]) return false;
    }
    for (int i = 0; i < plan->n_columns; i++) {
        takt_slot slot = plan->columns[i].slot;
        places[slot.kind][own->n[slot.kind]++] = slot.index;
    }
    own->reals = takt_arena_array(&own->arena, (size_t)own->n[TAKT_KIND_REAL], sizeof *own->reals);
    own->integers =
        takt_arena_array(&own->arena, (size_t)own->n[TAKT_KIND_INTEGER], sizeof *own->integers);
    own->bytes = takt_arena_array(&own->arena, (size_t)own->n[TAKT_KIND_BYTES], sizeof *own->bytes);
    own->sizes = takt_arena_array(&own->arena, (size_t)own->n[TAKT_KIND_BYTES], sizeof *own->sizes);
    return own->reals && own->integers && own->bytes && own->sizes;
}

takt_status takt_run_add_sink(takt_run *run, const takt_row_sink *sink, takt_error *err)
{
    if (run->is_initialized)
        return takt_fail(err, TAKT_ERR_USAGE, "observers must be set up before initialization");
    row_caller *own = calloc(1, sizeof *own);
    if (!own) return takt_fail_memory(err);
    own->base.type = &type;
    if (!make_room(own, run->plan)) {
        destroy(&own->base);
        return takt_fail_memory(err);
    }
    own->sink = *sink; // from here on it is told of the end
    return takt_run_add_observer(run, &own->base, err);
}

int takt_run_count_kind(const takt_run *run, takt_kind kind)
{
    int n = 0;
    for (int i = 0; i < run->plan->n_columns; i++) n += run->plan->columns[i].slot.kind == kind;
    return n;
}

// ---- functions of the user -----------------------------------------------------------------------------

/// In the run's arena.
typedef struct user {
    takt_run *run;
    takt_row_fn receive;
    void *context;
} user;

static takt_status call_user(void *context, const takt_row *row, takt_error *err)
{
    (void)err;
    const user *own = context;
    if (own->receive(own->context, row)) takt_run_cancel(own->run, 1);
    return TAKT_OK;
}

takt_status takt_run_observe(takt_run *run, takt_row_fn receive, void *context, takt_error *err)
{
    if (!run || !receive)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_run_observe: run and receive must not be NULL");
    user *own = takt_arena_alloc(&run->arena, sizeof *own);
    if (!own) return takt_fail_memory(err);
    *own = (user){run, receive, context};
    return takt_run_add_sink(run, &(takt_row_sink){.row = call_user, .context = own}, err);
}

// ---- columns -----------------------------------------------------------------------------------------

int takt_run_count_columns(const takt_run *run)
{
    return run ? run->plan->n_columns : 0;
}

takt_status takt_run_get_column(const takt_run *run, int index, takt_column_info *out,
                                takt_error *err)
{
    if (index < 0 || index >= takt_run_count_columns(run))
        return takt_fail(err, TAKT_ERR_USAGE, "there is no column number %d", index);
    const takt_column *column = &run->plan->columns[index];
    const takt_model *model = run->plan->system->components[column->reference.component].model;
    const takt_variable *v = &model->variables[column->reference.variable];
    int before = 0; // columns of the same kind
    for (int i = 0; i < index; i++) before += run->plan->columns[i].slot.kind == column->slot.kind;
    const takt_column_info info = {.name = run->column_names[index],
                                   .type = v->type,
                                   .kind = column->slot.kind,
                                   .index = before,
                                   .causality = v->causality,
                                   .unit = v->unit};
    return takt_sized_fill(out, &info, sizeof info, err);
}
