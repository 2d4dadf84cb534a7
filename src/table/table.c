// SPDX-License-Identifier: MIT
// Makes a model from a table; see table.h. What its instances do is in table_instance.c.
#include "table/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/csv_reader.h"
#include "base/file.h"
#include "table/table_model.h"

bool takt_table_is_path(const char *path)
{
    return takt_path_ends_in(path, ".csv") || takt_path_ends_in(path, ".tsv");
}

// ---- columns -------------------------------------------------------------------------------------

// "true" and "false" only? Programs write them in their own ways: True, TRUE.
static bool is_truth(const char **texts, int n)
{
    for (int i = 0; i < n; i++)
        if (strcasecmp(texts[i], "true") != 0 && strcasecmp(texts[i], "false") != 0) return false;
    return true;
}

static bool make_truth(takt_table_model *self, takt_table_values *column)
{
    int n = self->table->n_rows;
    int64_t *integer = takt_arena_array(&self->base.arena, (size_t)n, sizeof *integer);
    for (int i = 0; integer && i < n; i++) integer[i] = strcasecmp(column->texts[i], "true") == 0;
    *column = (takt_table_values){.integer = integer};
    return integer != NULL;
}

// The unit of a column becomes one of the model; of rare ones only the name is known.
static bool add_unit(takt_model *model, takt_map *known, const char *name)
{
    if (!name || takt_map_find(known, name) >= 0) return true;
    const takt_unit *common = takt_unit_common(name);
    takt_unit *unit = &model->units[model->n_units++];
    *unit = common ? *common : (takt_unit){0};
    unit->name = name;
    return takt_map_add(known, name, model->n_units - 1);
}

static bool add_column(takt_table_model *self, int i)
{
    const takt_table_column *given = &self->table->columns[i + 1];
    takt_table_values *column = &self->columns[i];
    *column = (takt_table_values){.real = given->numbers, .texts = given->texts};
    takt_type type = given->texts ? TAKT_STRING : TAKT_FLOAT64;
    if (given->texts && is_truth(given->texts, self->table->n_rows)) {
        if (!make_truth(self, column)) return false;
        type = TAKT_BOOLEAN;
    }
    self->base.variables[i] = (takt_variable){
        .name = given->name,
        .description = given->description,
        .unit = given->unit,
        .reference = (uint32_t)i,
        .type = type,
        .causality = TAKT_OUTPUT,
        .variability = type == TAKT_FLOAT64 ? TAKT_CONTINUOUS : TAKT_DISCRETE,
        .initial = TAKT_CALCULATED,
        .min = -INFINITY,
        .max = INFINITY,
        .nominal = 1,
        .line = 1,
    };
    self->base.outputs[i] = (takt_dependency){.variable = i, .is_known = true};
    return takt_map_add(&self->base.names, given->name, i);
}

// Columns that are elements of an array, behind their first one.
static bool add_arrays(takt_table_model *self)
{
    takt_model *model = &self->base;
    model->arrays = takt_arena_array(&model->arena, (size_t)self->n_columns, sizeof *model->arrays);
    if (!model->arrays) return false;
    for (int i = 0; i < self->n_columns; i++) {
        const takt_table_column *column = &self->table->columns[i + 1];
        if (!column->array) continue;
        if (column->element == 0) {
            int *size = takt_arena_array(&model->arena, 1, sizeof *size);
            bool is_free = takt_map_find(&model->array_names, column->array) < 0;
            if (!size || !is_free ||
                !takt_map_add(&model->array_names, column->array, model->n_arrays))
                return false;
            *size = column->n_elements;
            model->arrays[model->n_arrays++] = (takt_array){column->array, i, *size, 1, size};
        }
        model->variables[i].array = &model->arrays[model->n_arrays - 1];
    }
    return true;
}

static bool add_columns(takt_table_model *self)
{
    takt_model *model = &self->base;
    size_t n = (size_t)self->n_columns;
    model->variables = takt_arena_array(&model->arena, n + 2, sizeof *model->variables);
    model->outputs = takt_arena_array(&model->arena, n, sizeof *model->outputs);
    model->units = takt_arena_array(&model->arena, n, sizeof *model->units);
    self->columns = takt_arena_array(&model->arena, n, sizeof *self->columns);
    bool ok = model->variables && model->outputs && model->units && self->columns;
    takt_map units = {0};
    for (int i = 0; ok && i < self->n_columns; i++)
        ok = add_column(self, i) && add_unit(model, &units, self->table->columns[i + 1].unit);
    takt_map_clear(&units);
    model->n_variables = model->n_outputs = self->n_columns;
    model->initial_unknowns = model->outputs;
    model->n_initial_unknowns = model->n_outputs;
    return ok && add_arrays(self);
}

// ---- parameters ----------------------------------------------------------------------------------

// Adds a parameter; its index is -1 if a column has its name.
static bool add_parameter(takt_model *model, const char *name, takt_type type, takt_value start,
                          const char *description, int *index)
{
    *index = -1;
    if (takt_map_find(&model->names, name) >= 0) return true;
    *index = model->n_variables++;
    model->variables[*index] = (takt_variable){
        .name = name,
        .description = description,
        .reference = (uint32_t)*index,
        .type = type,
        .causality = TAKT_PARAMETER,
        .variability = TAKT_FIXED,
        .initial = TAKT_EXACT,
        .has_start = true,
        .start = start,
        .min = -INFINITY,
        .max = INFINITY,
        .nominal = 1,
    };
    return takt_map_add(&model->names, name, *index);
}

static bool add_parameters(takt_table_model *self)
{
    takt_value linear = {.text = "linear", .size = 6}, yes = {.integer = 1};
    return add_parameter(&self->base, "interpolation", TAKT_STRING, linear,
                         "of real columns: linear or hold", &self->i_interpolation) &&
           add_parameter(&self->base, "events", TAKT_BOOLEAN, yes,
                         "steps end at jumps and at changes of values that are held",
                         &self->i_events);
}

// ---- model ---------------------------------------------------------------------------------------

// Many components may use one large file: it is read once.
static takt_status get_table(takt_table_model *self, const takt_model_source *source,
                             const char *shown, takt_log *log, takt_error *err)
{
    const takt_model *opened = source->opened;
    if (!opened || opened->type != &takt_table_instances)
        return takt_csv_read_source(source->path, shown, log, &self->table, err);
    self->table = takt_table_share(((const takt_table_model *)opened)->table);
    return TAKT_OK;
}

static takt_status fill(takt_table_model *self, const takt_model_source *source, takt_log *log,
                        takt_error *err)
{
    const char *shown = source->shown ? source->shown : source->path;
    takt_model *model = &self->base;
    takt_status st = get_table(self, source, shown, log, err);
    if (st) return st;
    if (self->table->n_rows == 0)
        return takt_fail(err, TAKT_ERR_INPUT, "%s: the table has no rows", shown);
    self->n_columns = self->table->n_columns - 1;
    model->path = model->description_file = takt_arena_copy(&model->arena, shown);
    model->name = takt_arena_copy(&model->arena, takt_path_name(shown));
    model->version = "table";
    model->can = (takt_capabilities){.rewind = true,
                                     .serialize = true,
                                     .variable_step = true,
                                     .events = true,
                                     .max_output_derivative_order = 1};
    bool ok = model->path && model->name && add_columns(self) && add_parameters(self);
    return ok ? TAKT_OK : takt_fail_memory(err);
}

takt_status takt_table_open(const takt_model_source *source, takt_log *log, takt_model **out,
                            takt_error *err)
{
    takt_table_model *self = calloc(1, sizeof *self);
    if (!self) return takt_fail_memory(err);
    self->base.type = &takt_table_instances;
    takt_status st = fill(self, source, log, err);
    if (st)
        takt_model_close(&self->base);
    else
        *out = &self->base;
    return st;
}
