// SPDX-License-Identifier: MIT
// Tables that drive inputs (setting input-file): each becomes a component of its own, whose columns
// are connected with the inputs of the same name. It appears in results only when asked for.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "system/builder.h"

int takt_builder_only_component(const takt_builder *builder)
{
    const takt_system *system = builder->system;
    int only = -1;
    for (int i = 0; i < system->n_components; i++) {
        if (system->components[i].is_input_file) continue;
        if (only >= 0) return -1;
        only = i;
    }
    return only >= 0 && system->components[only].model ? only : -1;
}

// ---- components ----------------------------------------------------------------------------------

const char *takt_builder_path_of(const takt_builder *builder, const takt_text_list *setting,
                                 const char *item)
{
    takt_arena *arena = &builder->system->arena;
    if (takt_settings_is_overridden(&builder->project->settings, setting)) return item;
    const char *folder = takt_path_folder(arena, builder->project->path);
    return folder ? takt_path_join(arena, folder, item) : NULL;
}

// "input", "input2", ...: the first name that no component has.
static const char *free_name(const takt_builder *builder)
{
    const char *name = "input";
    for (int i = 2; name && takt_map_find(&builder->system->names, name) >= 0; i++)
        name = takt_arena_print(&builder->system->arena, "input%d", i);
    return name;
}

bool takt_builder_add_input_files(takt_builder *builder)
{
    takt_system *system = builder->system;
    const takt_text_list *files = &builder->project->settings.input_files;
    for (int i = 0; i < files->n_items; i++) {
        const char *path = takt_builder_path_of(builder, files, files->items[i]),
                   *name = free_name(builder);
        if (!path || !name || !takt_map_add(&system->names, name, system->n_components))
            return false;
        builder->sources[system->n_components] =
            (takt_model_source){.path = path, .is_table = true};
        system->components[system->n_components++] =
            (takt_component){.name = name, .is_input_file = true, .place = {.file = path}};
    }
    return true;
}

// ---- connections ---------------------------------------------------------------------------------

typedef struct inputs {
    const takt_model *model;
    const int *indices;
} inputs;

static const char *input_name(void *context, int i)
{
    const inputs *list = context;
    return list->model->variables[list->indices[i]].name;
}

// Can a table drive it? Parameters that are not tunable keep their values during a run.
static bool is_driven(const takt_variable *variable)
{
    return variable->causality == TAKT_INPUT || takt_variable_is_tuned(variable);
}

// The input of a component that is most like a name; NULL: none is.
static const char *nearest_input(const takt_builder *builder, int component, const char *name)
{
    const takt_model *model = builder->system->components[component].model;
    if (!takt_problems_suggests(&builder->problems, model->n_variables)) return NULL;
    int *indices = calloc((size_t)model->n_variables + 1, sizeof *indices), n = 0;
    for (int i = 0; indices && i < model->n_variables; i++)
        if (is_driven(&model->variables[i])) indices[n++] = i;
    inputs list = {model, indices};
    const char *nearest = takt_text_nearest(name, n, input_name, &list);
    free(indices);
    return nearest && strcmp(nearest, name) != 0 ? nearest : NULL;
}

// The columns of a table that drive nothing, as a text.
typedef struct idle {
    char text[1024];
    int n, n_shown;
} idle;

static void add_idle(idle *list, const char *column, const char *what, const char *nearest)
{
    char item[300];
    snprintf(item, sizeof item, "%s'%.80s'%s%s%.80s%s", list->n ? ", " : "", column, what,
             nearest ? " (did you mean '" : "", nearest ? nearest : "", nearest ? "'?)" : "");
    list->n++;
    size_t n = strlen(list->text), room = sizeof list->text - n;
    if (list->n_shown < list->n - 1 || strlen(item) >= room) return;
    memcpy(list->text + n, item, strlen(item) + 1);
    list->n_shown++;
}

// Why does a column drive nothing?
static void note_idle(const takt_builder *builder, int component, const char *column,
                      const char *variable, idle *list)
{
    const takt_system *system = builder->system;
    if (component < 0) {
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(column, "."), column);
        const char *nearest = takt_builder_nearest_component(builder, name);
        add_idle(list, column, "", nearest && strcmp(nearest, name) != 0 ? nearest : NULL);
        return;
    }
    const takt_model *model = system->components[component].model;
    if (!model) return; // reported already
    int found = takt_model_find(model, variable);
    char what[60] = "";
    if (found >= 0)
        snprintf(what, sizeof what, " (%s%s)",
                 model->variables[found].variability == TAKT_FIXED ? "fixed " : "",
                 takt_causality_name(model->variables[found].causality));
    add_idle(list, column, what, found >= 0 ? NULL : nearest_input(builder, component, variable));
}

// Finds the input or tunable parameter that a column is named after.
static bool find_input(const takt_builder *builder, const char *column, char *buffer,
                       takt_project_connection *out, idle *list)
{
    const takt_system *system = builder->system;
    int component, variable, only = takt_builder_only_component(builder);
    const char *name = column;
    if (takt_builder_split(system, column, buffer, &component, &variable)) {
        name = column + strlen(system->components[component].name) + 1;
    } else if (only >= 0) {
        if (component == only) // "fmu.u" with an unknown u
            name = column + strlen(system->components[only].name) + 1;
        component = only;
        variable = takt_model_find(system->components[only].model, column);
    } else if (component >= 0) {
        name = column + strlen(system->components[component].name) + 1;
    }
    const takt_model *model = component < 0 ? NULL : system->components[component].model;
    if (!model || variable < 0 || !is_driven(&model->variables[variable])) {
        note_idle(builder, component, column, name, list);
        return false;
    }
    out->end_component = system->components[component].name;
    out->end_variable = name;
    return true;
}

// Files often have more columns than are needed, but one that drives nothing at all is a mistake.
static void report_idle(takt_builder *builder, const takt_component *table, int n_driving,
                        const idle *list)
{
    takt_place place = {.file = table->place.file, .line = 1};
    char more[40] = "";
    if (list->n > list->n_shown)
        snprintf(more, sizeof more, " and %d more", list->n - list->n_shown);
    const char *form =
        takt_builder_only_component(builder) >= 0 ? "an input" : "COMPONENT.VARIABLE of an input";
    if (n_driving == 0)
        takt_problem(&builder->problems, TAKT_LEVEL_ERROR, place,
                     "no column drives anything: %s%s; columns are named after %s or tunable "
                     "parameter",
                     list->text, more, form);
    else
        takt_problem_doubt(&builder->problems, place,
                           "%d of %d columns drive nothing and are ignored: %s%s", list->n,
                           list->n + n_driving, list->text, more);
}

// A variable of that name gets the whole array (or it is an error that it is none). An FMU of FMI 1.0 or 2.0 may have inputs "u[1]",
// "u[2]", ... instead.
static bool is_for_whole(const takt_builder *builder, const char *name)
{
    const takt_system *system = builder->system;
    int component, variable, only = takt_builder_only_component(builder);
    char *buffer = malloc(strlen(name) + 1);
    bool is_split = buffer && takt_builder_split(system, name, buffer, &component, &variable);
    free(buffer);
    if (!is_split) component = only;
    const char *rest = is_split ? name + strlen(system->components[component].name) + 1 : name;
    const takt_model *model = component < 0 ? NULL : system->components[component].model;
    return model && takt_model_find(model, rest) >= 0;
}

static bool drive_by(takt_builder *builder, const takt_component *table,
                     takt_project_connection *connections, int *n)
{
    takt_place place = {.file = table->place.file, .line = 1};
    idle list = {.n = 0};
    int before = *n;
    for (int i = 0; i < table->model->n_outputs; i++) {
        const takt_variable *output = &table->model->variables[table->model->outputs[i].variable];
        const takt_array *array = output->array;
        const char *column = output->name;
        if (array && is_for_whole(builder, array->name)) {
            column = array->name; // with all elements at once
            i += array->n_elements - 1;
        }
        char *buffer = malloc(strlen(column) + 1);
        if (!buffer) return false;
        takt_project_connection *next = &connections[*n];
        *next = (takt_project_connection){
            .start_component = table->name, .start_variable = column, .place = place};
        *n += find_input(builder, column, buffer, next, &list);
        free(buffer);
    }
    if (list.n > 0) report_idle(builder, table, *n - before, &list);
    return true;
}

bool takt_builder_drive_inputs(takt_builder *builder, takt_project_connection **out, int *n)
{
    const takt_system *system = builder->system;
    size_t n_columns = 0;
    for (int i = 0; i < system->n_components; i++)
        if (system->components[i].is_input_file && system->components[i].model)
            n_columns += (size_t)system->components[i].model->n_outputs;
    *n = 0;
    *out = takt_arena_array(&builder->system->arena, n_columns, sizeof **out);
    bool ok = *out != NULL;
    for (int i = 0; ok && i < system->n_components; i++)
        if (system->components[i].is_input_file && system->components[i].model)
            ok = drive_by(builder, &system->components[i], *out, n);
    return ok;
}
