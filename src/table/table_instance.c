// SPDX-License-Identifier: MIT
// Instances of a table. Their only state is the time, so that rewinding costs nothing.
//
// At a jump a step delivers the values before it, and the values after it follow when events are
// handled at the same time: that is what two rows of the same time say. So an instance keeps from
// which side it looks at its time, and up to which time its events have been handled.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/times.h"
#include "instance/pack.h"
#include "table/knots.h"
#include "table/table_model.h"

typedef struct moment {
    double t; // s
    bool is_left; // the values before a jump at t, not those after it
    double handled; // s; events up to this time have been handled
} moment;

typedef struct table_instance {
    takt_instance base;
    const takt_table_model *model;
    moment now;
    int row; // the last one at or before now (before: seen from the left); -1: none
    bool holds; // real columns, too
    bool has_events;
    takt_bytes interpolation; // as it was set
    double *events; // their times, ascending
    int n_events;
    double *knots; // likewise; NULL: nobody has asked
} table_instance;

static const double *times(const table_instance *self)
{
    return self->model->table->columns[0].numbers;
}

// ---- creation ----------------------------------------------------------------------------------------

static void table_destroy(takt_instance *instance)
{
    table_instance *self = (table_instance *)instance;
    if (!self) return;
    takt_bytes_clear(&self->interpolation);
    free(self->events);
    free(self->knots);
    free(self);
}

static takt_status table_instantiate(const takt_model *model, const char *name, takt_log *log,
                                     takt_instance **out, takt_error *err)
{
    table_instance *self = calloc(1, sizeof *self);
    if (!self) return takt_fail_memory(err);
    self->base =
        (takt_instance){.type = &takt_table_instances, .model = model, .name = name, .log = log};
    self->model = (const takt_table_model *)model;
    self->has_events = true;
    if (!takt_bytes_assign(&self->interpolation, "linear", 6)) {
        table_destroy(&self->base);
        return takt_fail_memory(err);
    }
    *out = &self->base;
    return TAKT_OK;
}

// ---- where in the table --------------------------------------------------------------------------

// How many of `n` ascending times lie before t, or at t as well.
static int count_before(const double *t_rows, int n, double t, bool or_at)
{
    int low = 0, high = n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (t_rows[middle] < t || (or_at && t_rows[middle] == t))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void go_to(table_instance *self, double t, bool is_left)
{
    const double *t_rows = times(self);
    int n = self->model->table->n_rows, row = self->row;
    self->now.t = t;
    self->now.is_left = is_left;
    // Usually it is the same row or the next one.
    for (int i = 0; i < 2 && row >= 0 && row + 1 < n; i++, row++) {
        bool begins = is_left ? t_rows[row] < t : t_rows[row] <= t;
        bool ends = is_left ? t_rows[row + 1] >= t : t_rows[row + 1] > t;
        if (!begins) break;
        if (!ends) continue;
        self->row = row;
        return;
    }
    self->row = count_before(t_rows, n, t, !is_left) - 1;
}

static double next_event(const table_instance *self)
{
    int i = count_before(self->events, self->n_events, self->now.handled, true);
    return i < self->n_events ? self->events[i] : INFINITY;
}

// ---- initialization ------------------------------------------------------------------------------

static bool is_linear(const table_instance *self, int column)
{
    return self->model->columns[column].real && !self->holds &&
           self->base.model->variables[column].variability == TAKT_CONTINUOUS;
}

static bool is_same_value(const takt_table_values *column, int a, int b)
{
    if (column->texts) return strcmp(column->texts[a], column->texts[b]) == 0;
    if (column->integer) return column->integer[a] == column->integer[b];
    return column->real[a] == column->real[b];
}

// Is there an event at the time of row `row`: does a value that is held change, or any one jump?
static bool has_event_at(const table_instance *self, int row)
{
    bool is_jump = times(self)[row] == times(self)[row - 1];
    for (int i = 0; i < self->model->n_columns; i++)
        if ((is_jump || !is_linear(self, i)) &&
            !is_same_value(&self->model->columns[i], row - 1, row))
            return true;
    return false;
}

static takt_status find_events(table_instance *self, takt_error *err)
{
    int n_rows = self->model->table->n_rows, n = 0;
    free(self->events);
    self->n_events = 0;
    self->events = calloc((size_t)n_rows, sizeof *self->events);
    if (!self->events) return takt_fail_memory(err);
    for (int i = 1; self->has_events && i < n_rows; i++) {
        double t = times(self)[i];
        if ((n == 0 || self->events[n - 1] != t) && has_event_at(self, i)) self->events[n++] = t;
    }
    self->n_events = n;
    return TAKT_OK;
}

static void mark_knots(const table_instance *self, const takt_access *outputs, double relative,
                       bool *is_knot)
{
    for (int i = 0; self->has_events && i < outputs->n_values[TAKT_KIND_REAL]; i++) {
        int column = takt_access_index(outputs, TAKT_KIND_REAL, i);
        if (column >= self->model->n_columns || !is_linear(self, column)) continue;
        takt_polyline line = {times(self), self->model->columns[column].real,
                              self->model->table->n_rows};
        takt_polyline_mark_knots(&line, relative, is_knot);
    }
}

static takt_status table_find_knots(takt_instance *instance, const takt_access *outputs,
                                    double relative, const double **out, int *n_out,
                                    takt_error *err)
{
    table_instance *self = (table_instance *)instance;
    int n_rows = self->model->table->n_rows, n = 0;
    bool *is_knot = calloc((size_t)n_rows, sizeof *is_knot);
    free(self->knots);
    self->knots = calloc((size_t)n_rows, sizeof *self->knots);
    bool has_memory = is_knot && self->knots;
    if (has_memory) mark_knots(self, outputs, relative, is_knot);
    for (int i = 0; has_memory && i < n_rows; i++)
        if (is_knot[i]) self->knots[n++] = times(self)[i];
    free(is_knot);
    if (!has_memory) return takt_fail_memory(err);
    *out = self->knots;
    *n_out = n;
    return TAKT_OK;
}

static takt_status table_enter_initialization(takt_instance *instance,
                                              const takt_interval *interval, takt_error *err)
{
    table_instance *self = (table_instance *)instance;
    const char *word = self->interpolation.data;
    self->holds = strcmp(word, "hold") == 0;
    if (!self->holds && strcmp(word, "linear") != 0)
        return takt_fail(err, TAKT_ERR_INPUT,
                         "the interpolation of table %s cannot be '%s'; choose linear or hold",
                         self->base.model->path, word);
    takt_status st = find_events(self, err);
    if (st) return st;
    // An event at the start, but for rounding, belongs to it.
    self->now.handled = interval->start;
    double event = next_event(self);
    if (event - interval->start <= 4 * DBL_EPSILON * fabs(interval->start))
        self->now.handled = event;
    go_to(self, self->now.handled, false);
    return TAKT_OK;
}

static takt_status table_exit_initialization(takt_instance *instance, takt_error *err)
{
    (void)instance, (void)err;
    return TAKT_OK;
}

// ---- values --------------------------------------------------------------------------------------

static takt_status table_set(takt_instance *instance, const takt_access *access,
                             const takt_values *values, takt_error *err)
{
    table_instance *self = (table_instance *)instance;
    for (int g = 0; g < access->n_batches; g++) {
        const takt_access_batch *batch = &access->batches[g];
        for (int i = 0; i < batch->n_values; i++) {
            int at = batch->first + i;
            if (batch->variables[i] == self->model->i_events)
                self->has_events = values->integer[at] != 0;
            else if (batch->variables[i] == self->model->i_interpolation &&
                     !takt_bytes_assign(&self->interpolation, values->bytes[at].data,
                                        values->bytes[at].size))
                return takt_fail_memory(err);
        }
    }
    return TAKT_OK;
}

static double interpolate(const table_instance *self, int column)
{
    const double *y = self->model->columns[column].real, *t_rows = times(self);
    int row = self->row, last = self->model->table->n_rows - 1;
    if (row < 0) return y[0];
    if (row == last || !is_linear(self, column) || y[row] == y[row + 1]) return y[row];
    double share = (self->now.t - t_rows[row]) / (t_rows[row + 1] - t_rows[row]);
    return y[row] * (1 - share) + y[row + 1] * share;
}

// The slope of the line that begins now or has begun; 0 where there is none.
static double slope(const table_instance *self, int column)
{
    const double *y = self->model->columns[column].real, *t_rows = times(self);
    int row = self->row, last = self->model->table->n_rows - 1;
    while (row < last && t_rows[row + 1] <= self->now.t) row++; // it may be seen from the left
    if (row < 0 || row == last || !is_linear(self, column)) return 0;
    double value = (y[row + 1] - y[row]) / (t_rows[row + 1] - t_rows[row]);
    return isfinite(value) ? value : 0; // rows may be too near to each other
}

static takt_status table_get_derivatives(takt_instance *instance, const takt_access *outputs,
                                         double *derivatives, takt_error *err)
{
    const table_instance *self = (const table_instance *)instance;
    (void)err;
    for (int i = 0; i < outputs->n_values[TAKT_KIND_REAL]; i++)
        derivatives[i] = slope(self, takt_access_index(outputs, TAKT_KIND_REAL, i));
    return TAKT_OK;
}

static takt_status get_text(const table_instance *self, int variable, takt_bytes *out,
                            takt_error *err)
{
    const char *text = self->interpolation.data;
    if (variable < self->model->n_columns)
        text = self->model->columns[variable].texts[self->row < 0 ? 0 : self->row];
    return takt_bytes_assign(out, text, strlen(text)) ? TAKT_OK : takt_fail_memory(err);
}

static int64_t get_integer(const table_instance *self, int variable)
{
    if (variable >= self->model->n_columns) return self->has_events;
    return self->model->columns[variable].integer[self->row < 0 ? 0 : self->row];
}

static takt_status table_get(takt_instance *instance, const takt_access *access,
                             takt_values *values, takt_error *err)
{
    const table_instance *self = (const table_instance *)instance;
    takt_status st = TAKT_OK;
    for (int g = 0; g < access->n_batches; g++) {
        const takt_access_batch *batch = &access->batches[g];
        takt_kind kind = takt_type_kind(batch->type);
        for (int i = 0; i < batch->n_values && !st; i++) {
            int variable = batch->variables[i], at = batch->first + i;
            if (kind == TAKT_KIND_REAL)
                values->real[at] = interpolate(self, variable);
            else if (kind == TAKT_KIND_INTEGER)
                values->integer[at] = get_integer(self, variable);
            else
                st = get_text(self, variable, &values->bytes[at], err);
        }
    }
    return st;
}

// ---- steps and events ----------------------------------------------------------------------------

static takt_status table_step(takt_instance *instance, double t, double h, bool is_final,
                              takt_step_result *result, takt_error *err)
{
    (void)is_final, (void)err;
    table_instance *self = (table_instance *)instance;
    double end = t + h, event = next_event(self);
    bool is_at_event = takt_times_equal(event, end, h);
    go_to(self, is_at_event ? event : end, self->has_events);
    *result = (takt_step_result){.end = TAKT_STEP_DONE, .time = end};
    return TAKT_OK;
}

// The event at which a step ended may lie a rounding error after t, and so may the one at the start.
static takt_status table_enter_events(takt_instance *instance, double t, takt_error *err)
{
    (void)err;
    table_instance *self = (table_instance *)instance;
    bool is_at_event = self->now.is_left && self->now.t == next_event(self);
    go_to(self, fmax(t, is_at_event ? self->now.t : self->now.handled), false);
    self->now.handled = self->now.t;
    return TAKT_OK;
}

static takt_status table_update_events(takt_instance *instance, takt_event *out, takt_error *err)
{
    (void)err;
    out->next_time = next_event((table_instance *)instance);
    return TAKT_OK;
}

static takt_status table_leave_events(takt_instance *instance, takt_error *err)
{
    (void)instance, (void)err;
    return TAKT_OK;
}

static takt_status table_save(takt_instance *instance, void **state, takt_error *err)
{
    if (!*state) *state = malloc(sizeof(moment));
    if (!*state) return takt_fail_memory(err);
    *(moment *)*state = ((table_instance *)instance)->now;
    return TAKT_OK;
}

static takt_status table_restore(takt_instance *instance, void *state, takt_error *err)
{
    (void)err;
    table_instance *self = (table_instance *)instance;
    self->now = *(const moment *)state;
    go_to(self, self->now.t, self->now.is_left);
    return TAKT_OK;
}

static void table_free_state(takt_instance *instance, void **state)
{
    (void)instance;
    free(*state);
    *state = NULL;
}

static takt_status table_serialize(takt_instance *instance, void *state, takt_bytes *out,
                                   takt_error *err)
{
    (void)instance;
    const moment *saved = state;
    takt_packer packer = {.out = out};
    out->size = 0;
    takt_pack_real(&packer, saved->t);
    takt_pack_integer(&packer, saved->is_left);
    takt_pack_real(&packer, saved->handled);
    return packer.failed ? takt_fail_memory(err) : TAKT_OK;
}

static takt_status table_deserialize(takt_instance *instance, const void *data, size_t size,
                                     void **state, takt_error *err)
{
    takt_unpacker unpacker = {.next = data, .left = size};
    moment read = {.t = takt_unpack_real(&unpacker)};
    read.is_left = takt_unpack_integer(&unpacker, 0, 1);
    read.handled = takt_unpack_real(&unpacker);
    takt_status st = takt_unpack_end(&unpacker, err);
    if (!st) st = table_save(instance, state, err);
    if (!st) *(moment *)*state = read;
    return st;
}

// ---- model ---------------------------------------------------------------------------------------

static takt_status fail_value(const takt_table_model *self, int variable, int row, takt_type type,
                              takt_error *err)
{
    char time[TAKT_NUMBER_SIZE], value[TAKT_NUMBER_SIZE];
    takt_number_write(time, self->table->columns[0].numbers[row]);
    takt_number_write(value, self->table->columns[variable + 1].numbers[row]);
    return takt_fail(err, TAKT_ERR_INPUT, "%s: column '%s' at t = %s s: %s is no value of type %s",
                     self->table->file, self->base.variables[variable].name, time, value,
                     takt_type_name(type));
}

// A whole number of a column as a value of a type. Returns false when it is none.
static bool to_integer(double real, int64_t large, takt_type type, int64_t *out)
{
    int64_t least, greatest;
    takt_type_range(type, &least, &greatest);
    bool is_unsigned = large < 0 && real > 0; // above 2^63
    if (large) {
        *out = large;
        return is_unsigned ? type == TAKT_UINT64 : large >= least && large <= greatest;
    }
    // 2^63 is the first double that does not fit.
    bool fits = real >= (double)least && real <= (double)greatest && real < 0x1p63;
    if (!fits || real != floor(real)) return false;
    *out = (int64_t)real;
    return true;
}

// The number of an item by its name. Returns false when there is none.
static bool find_item(const takt_type_definition *definition, const char *name, int64_t *out)
{
    for (int i = 0; i < definition->n_items; i++)
        if (strcmp(definition->items[i].name, name) == 0) {
            *out = definition->items[i].value;
            return true;
        }
    return false;
}

static takt_status fail_item(const takt_table_model *self, int variable, int row,
                             const takt_type_definition *definition, takt_error *err)
{
    char time[TAKT_NUMBER_SIZE];
    takt_number_write(time, self->table->columns[0].numbers[row]);
    return takt_fail(err, TAKT_ERR_INPUT,
                     "%s: column '%s' at t = %s s: the enumeration '%s' has no item '%s'",
                     self->table->file, self->base.variables[variable].name, time, definition->name,
                     self->table->columns[variable + 1].texts[row]);
}

// Names become the numbers of an enumeration's items. A column may drive several inputs, but not give them different numbers.
static takt_status name_items(takt_table_model *self, int variable,
                              const takt_type_definition *definition, takt_error *err)
{
    const char **texts = self->table->columns[variable + 1].texts;
    takt_table_values *column = &self->columns[variable];
    takt_variable *about = &self->base.variables[variable];
    int n = self->table->n_rows;
    int64_t *integer = takt_arena_array(&self->base.arena, (size_t)n, sizeof *integer);
    if (!integer) return takt_fail_memory(err);
    for (int i = 0; i < n; i++)
        if (!find_item(definition, texts[i], &integer[i]))
            return fail_item(self, variable, i, definition, err);
    if (about->type == TAKT_ENUMERATION &&
        memcmp(column->integer, integer, (size_t)n * sizeof *integer) != 0)
        return takt_fail(err, TAKT_ERR_INPUT,
                         "%s: column '%s' drives enumerations that give different numbers to the "
                         "same names; use a column for each",
                         self->table->file, about->name);
    *column = (takt_table_values){.integer = integer};
    about->type = TAKT_ENUMERATION;
    return TAKT_OK;
}

// Numbers become whole numbers or truth values, if all of them are such; names become items.
static takt_status table_retype(takt_model *model, int variable, takt_type type,
                                const takt_type_definition *definition, takt_error *err)
{
    takt_table_model *self = (takt_table_model *)model;
    if (variable >= self->n_columns) return TAKT_OK;
    if (self->table->columns[variable + 1].texts && type == TAKT_ENUMERATION && definition)
        return name_items(self, variable, definition, err);
    if (!self->columns[variable].real || model->variables[variable].type == type) return TAKT_OK;
    if (takt_type_kind(type) != TAKT_KIND_INTEGER || type == TAKT_CLOCK) return TAKT_OK;
    const double *real = self->columns[variable].real;
    const int64_t *large = self->table->columns[variable + 1].large;
    int n = self->table->n_rows;
    int64_t *integer = takt_arena_array(&model->arena, (size_t)n, sizeof *integer);
    if (!integer) return takt_fail_memory(err);
    for (int i = 0; i < n; i++)
        if (!to_integer(real[i], large ? large[i] : 0, type, &integer[i]))
            return fail_value(self, variable, i, type, err);
    self->columns[variable] = (takt_table_values){.integer = integer};
    model->variables[variable].type = type;
    model->variables[variable].variability = TAKT_DISCRETE;
    return TAKT_OK;
}

static void table_hold(takt_model *model, int variable)
{
    if (variable < ((takt_table_model *)model)->n_columns)
        model->variables[variable].variability = TAKT_DISCRETE;
}

static void table_close_model(takt_model *model)
{
    takt_table_model *self = (takt_table_model *)model;
    takt_table_destroy(self->table);
    free(self);
}

const takt_instance_type takt_table_instances = {
    .name = "table",
    .instantiate = table_instantiate,
    .destroy = table_destroy,
    .enter_initialization = table_enter_initialization,
    .exit_initialization = table_exit_initialization,
    .set = table_set,
    .get = table_get,
    .step = table_step,
    .enter_events = table_enter_events,
    .update_events = table_update_events,
    .leave_events = table_leave_events,
    .find_knots = table_find_knots,
    .save = table_save,
    .restore = table_restore,
    .free_state = table_free_state,
    .serialize = table_serialize,
    .deserialize = table_deserialize,
    .get_derivatives = table_get_derivatives,
    .retype = table_retype,
    .hold = table_hold,
    .close_model = table_close_model,
};
