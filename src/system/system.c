// SPDX-License-Identifier: MIT
// Makes a system from a project: opens the models, each once, then resolves and checks connectors,
// connections, start values, settings and the choice of results, one file per stage.
#include "system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "system/builder.h"

// ---- names -------------------------------------------------------------------------------------

static const char *component_name(void *context, int i)
{
    return ((const takt_system *)context)->components[i].name;
}

static const char *variable_name(void *context, int i)
{
    return ((const takt_model *)context)->variables[i].name;
}

const char *takt_builder_nearest_component(const takt_builder *builder, const char *name)
{
    takt_system *system = builder->system;
    if (!takt_problems_suggests(&builder->problems, system->n_components)) return NULL;
    return takt_text_nearest(name, system->n_components, component_name, system);
}

int takt_builder_component(takt_builder *builder, const char *name, takt_place place)
{
    int found = takt_map_find(&builder->system->names, name);
    if (found >= 0) return found;
    const char *nearest = takt_builder_nearest_component(builder, name);
    takt_problem(&builder->problems, TAKT_LEVEL_ERROR, place, "there is no component '%s'%s%s%s",
                 name, nearest ? "; did you mean '" : "", nearest ? nearest : "",
                 nearest ? "'?" : "");
    return -1;
}

const char *takt_builder_nearest(const takt_builder *builder, int component, const char *name)
{
    takt_model *model = builder->system->components[component].model;
    if (!takt_problems_suggests(&builder->problems, model->n_variables)) return NULL;
    return takt_text_nearest(name, model->n_variables, variable_name, model);
}

int takt_builder_variable(takt_builder *builder, int component, const char *name, takt_place place)
{
    const takt_component *owner = &builder->system->components[component];
    takt_model *model = owner->model;
    if (!model) return -1;
    int found = takt_model_find(model, name);
    if (found >= 0) return found;
    const char *nearest = takt_builder_nearest(builder, component, name);
    takt_problem(&builder->problems, TAKT_LEVEL_ERROR, place,
                 "component '%s' has no variable '%s'%s%s%s", owner->name, name,
                 nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
    return -1;
}

bool takt_builder_types_agree(takt_type a, takt_type b)
{
    return a == b || (a == TAKT_ENUMERATION && b == TAKT_INT32) ||
           (a == TAKT_INT32 && b == TAKT_ENUMERATION);
}

bool takt_builder_has_shape(const takt_array *array, const char *shape, char out[static 80])
{
    int n = 0;
    bool is_same = true;
    for (const char *c = shape; *c && *c != ']'; n++) {
        size_t length = strcspn(++c, ",]"); // behind '[' or ','
        long long size = array && n < array->n_dimensions ? array->dimensions[n] : array ? -1 : 1;
        is_same = is_same && (*c == '?' || strtoll(c, NULL, 10) == size);
        c += length;
    }
    if (is_same && (!array || n == array->n_dimensions)) return true;
    size_t used = (size_t)snprintf(out, 80, array ? "" : "a scalar");
    for (int i = 0; array && i < array->n_dimensions && used < 60; i++)
        used +=
            (size_t)snprintf(out + used, 80 - used, "%c%d", i ? ',' : '[', array->dimensions[i]);
    if (array) snprintf(out + used, 80 - used, "]");
    return false;
}

// ---- components and models ---------------------------------------------------------------------

static takt_model_source source_of(const takt_project_component *given)
{
    const char *wanted = given->implementation ? given->implementation : "any";
    return (takt_model_source){.path = given->source,
                               .shown = given->shown,
                               .is_table = given->is_table,
                               .interface = strcmp(wanted, "CoSimulation") == 0 ? TAKT_MODEL_CS
                                            : strcmp(wanted, "ModelExchange") == 0
                                                ? TAKT_MODEL_ME
                                                : TAKT_MODEL_ANY_INTERFACE};
}

static takt_status add_components(takt_builder *builder, takt_error *err)
{
    const takt_project *project = builder->project;
    takt_system *system = builder->system;
    size_t n = (size_t)project->n_components + (size_t)project->settings.input_files.n_items;
    system->components = takt_arena_array(&system->arena, n, sizeof *system->components);
    // A component may need the model once as it is and once with other sizes.
    system->models = takt_arena_array(&system->arena, 2 * n, sizeof *system->models);
    builder->sources = takt_arena_array(&system->arena, n, sizeof *builder->sources);
    if (!system->components || !system->models || !builder->sources) return takt_fail_memory(err);
    for (int i = 0; i < project->n_components; i++) {
        const takt_project_component *given = &project->components[i];
        builder->sources[i] = source_of(given);
        system->components[system->n_components++] =
            (takt_component){.name = given->name, .place = given->place};
        int other = takt_map_find(&system->names, given->name);
        if (other >= 0) {
            takt_place place = project->components[other].place;
            takt_problem(
                &builder->problems, TAKT_LEVEL_ERROR, given->place,
                "there is already a component '%s', in line %d; give this one another name",
                given->name, place.line);
        } else if (!takt_map_add(&system->names, given->name, i)) {
            return takt_fail_memory(err);
        }
    }
    return takt_builder_add_input_files(builder) ? TAKT_OK : takt_fail_memory(err);
}

// Of all built-in functions together: a few bytes of a project can ask for a function of any size.
enum { MAX_FUNCTION_VARIABLES = 1000 * 1000 };

// Opens the model for component i. Problems inside a description have been told one by one, with their
// lines.
static takt_status open_model(takt_builder *builder, takt_model_open_fn open, void *context, int i,
                              takt_error *err)
{
    takt_system *system = builder->system;
    const takt_component *given = &system->components[i];
    takt_error why = {0};
    takt_model *model = NULL;
    int n_before = takt_log_count(system->log, TAKT_LEVEL_ERROR);
    takt_status st = open(context, &builder->sources[i], &model, &why);
    int n_told = takt_log_count(system->log, TAKT_LEVEL_ERROR) - n_before;
    if (st == TAKT_ERR_MEMORY) return takt_fail_memory(err);
    if (st == TAKT_ERR_OUTPUT) // not the fault of the project
        return takt_fail(err, st, "component '%s': %s", given->name, why.message);
    if (st && n_told > 0)
        takt_problems_add(&builder->problems, n_told, why.message);
    else if (st)
        takt_problem(&builder->problems, TAKT_LEVEL_ERROR, given->place, "component '%s': %s",
                     given->name, why.message);
    system->models[system->n_models++] = model; // NULL stands for one that cannot be opened
    if (model && model->is_function) builder->n_function_variables += model->n_variables;
    if (builder->n_function_variables <= MAX_FUNCTION_VARIABLES) return TAKT_OK;
    takt_problem(&builder->problems, TAKT_LEVEL_ERROR, given->place,
                 "the built-in functions up to component '%s' have more than %d inputs together",
                 given->name, MAX_FUNCTION_VARIABLES);
    return takt_problems_end(&builder->problems, builder->project->path, err);
}

// What adapts to its connections cannot be shared: they differ from component to component.
static bool adapts(const takt_model *model)
{
    return model && (model->type->retype || model->type->hold);
}

static takt_status open_models(takt_builder *builder, takt_model_open_fn open, void *context,
                               takt_map *by_source, takt_error *err)
{
    takt_system *system = builder->system;
    for (int i = 0; i < system->n_components; i++) {
        takt_model_source *source = &builder->sources[i];
        if (!source->path) continue; // the project's reader has reported it
        const char *key =
            takt_arena_print(&system->arena, "%d%s", (int)source->interface, source->path);
        if (!key) return takt_fail_memory(err);
        int known = takt_map_find(by_source, key);
        if (known < 0 && !takt_map_add(by_source, key, system->n_models))
            return takt_fail_memory(err);
        if (known >= 0 && adapts(system->models[known])) {
            source->opened = system->models[known];
            known = -1;
        }
        if (known < 0) {
            known = system->n_models;
            takt_status st = open_model(builder, open, context, i, err);
            if (st) return st;
        }
        system->components[i].model = system->models[known];
    }
    return TAKT_OK;
}

// ---- system ------------------------------------------------------------------------------------

static takt_status build(takt_builder *builder, takt_model_open_fn open, void *context,
                         takt_error *err)
{
    takt_map by_source = {0};
    takt_status st = add_components(builder, err);
    if (!st) st = open_models(builder, open, context, &by_source, err);
    takt_map_clear(&by_source);
    if (!st) st = takt_builder_sizes(builder, err);
    if (!st) st = takt_builder_connectors(builder, err);
    if (!st) st = takt_builder_connections(builder, err);
    if (!st) st = takt_builder_starts(builder, err);
    if (!st) st = takt_builder_experiment(builder, err);
    if (!st) st = takt_builder_record(builder, err);
    if (!st) st = takt_problems_end(&builder->problems, builder->project->path, err);
    return st;
}

takt_status takt_system_make(const takt_project *project, takt_model_open_fn open,
                             void *open_context, takt_system **out, takt_error *err)
{
    takt_system *system = calloc(1, sizeof *system);
    if (!system) return takt_fail_memory(err);
    system->project = project;
    system->log = project->log;
    system->settings = project->settings;
    takt_builder builder = {
        .project = project, .system = system, .problems = project->problems}; // counted together
    takt_status st = build(&builder, open, open_context, err);
    if (st) {
        takt_system_destroy(system);
        return st;
    }
    *out = system;
    return TAKT_OK;
}

void takt_system_destroy(takt_system *system)
{
    if (!system) return;
    for (int i = 0; i < system->n_models; i++) takt_model_close(system->models[i]);
    takt_map_clear(&system->names);
    takt_arena_clear(&system->arena);
    free(system);
}

void takt_system_remove_files(const takt_system *system)
{
    for (int i = 0; system && i < system->n_models; i++)
        if (system->models[i] && system->models[i]->private_folder)
            takt_tree_remove(system->models[i]->private_folder);
    for (int i = 0; system && i < system->project->n_archives; i++) {
        const char *folder = system->project->archives[i].unpacked.private_folder;
        if (folder) takt_tree_remove(folder);
    }
}

const char *takt_system_name(const takt_system *system, int component, int variable,
                             takt_arena *arena)
{
    const takt_component *owner = &system->components[component];
    const char *name = owner->model->variables[variable].name;
    return owner->is_group ? name : takt_arena_print(arena, "%s.%s", owner->name, name);
}
