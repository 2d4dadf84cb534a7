// SPDX-License-Identifier: MIT
// Makes a system from a project: opens the models, each once, then resolves and checks connectors,
// connections, start values, settings and the choice of results, one file for each.
#include <stdlib.h>

#include "base/text.h"
#include "project/variation.h"
#include "system/builder.h"

// ---- components and models ---------------------------------------------------------------------

static bool is_isolated(const takt_settings *settings, const char *component)
{
    for (int i = 0; i < settings->isolate.n_items; i++)
        if (takt_glob_matches(settings->isolate.items[i], component)) return true;
    // Both make sense only in processes of their own: without a choice that is for all.
    bool has_sandbox = settings->sandbox && takt_settings_has(settings, &settings->sandbox);
    return settings->isolate.n_items == 0 && (has_sandbox || settings->memory_limit > 0);
}

static takt_model_source source_of(const takt_settings *settings,
                                   const takt_project_component *given)
{
    const char *wanted = given->implementation ? given->implementation : "any";
    return (takt_model_source){.path = given->source,
                               .shown = given->shown,
                               .is_table = given->is_table,
                               .is_isolated = is_isolated(settings, given->name),
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
    system->is_borrowed = takt_arena_array(&system->arena, 2 * n, sizeof *system->is_borrowed);
    builder->sources = takt_arena_array(&system->arena, n, sizeof *builder->sources);
    if (!system->components || !system->models || !system->is_borrowed || !builder->sources)
        return takt_fail_memory(err);
    for (int i = 0; i < project->n_components; i++) {
        const takt_project_component *given = &project->components[i];
        builder->sources[i] = source_of(&project->settings, given);
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

// Opens the model for component i. Problems inside a description have been reported one by one, with their
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
    int n_reported = takt_log_count(system->log, TAKT_LEVEL_ERROR) - n_before;
    if (st == TAKT_ERR_MEMORY) return takt_fail_memory(err);
    if (st == TAKT_ERR_OUTPUT) // not the fault of the project
        return takt_fail(err, st, "component '%s': %s", given->name, why.message);
    if (st && n_reported > 0)
        takt_problems_add(&builder->problems, n_reported, why.message);
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

// A model that adapts to its connections cannot be shared: these differ from component to component.
static bool adapts(const takt_model *model)
{
    return model && (model->type->retype || model->type->hold);
}

static bool borrow(takt_builder *builder, const char *key)
{
    takt_system *system = builder->system;
    const takt_system *lender = builder->lender;
    int i = lender ? takt_map_find(&lender->by_source, key) : -1;
    if (i < 0 || !lender->models[i] || adapts(lender->models[i])) return false;
    system->is_borrowed[system->n_models] = true;
    system->models[system->n_models++] = lender->models[i];
    return true;
}

static takt_status open_models(takt_builder *builder, takt_model_open_fn open, void *context,
                               takt_error *err)
{
    takt_system *system = builder->system;
    for (int i = 0; i < system->n_components; i++) {
        takt_model_source *source = &builder->sources[i];
        if (!source->path) continue; // the project's reader has reported it
        const char *key = takt_arena_print(&system->arena, "%d%d%s", (int)source->interface,
                                           source->is_isolated, source->path);
        if (!key) return takt_fail_memory(err);
        int known = takt_map_find(&system->by_source, key);
        if (known < 0 && !takt_map_add(&system->by_source, key, system->n_models))
            return takt_fail_memory(err);
        if (known >= 0 && adapts(system->models[known])) {
            source->opened = system->models[known];
            known = -1;
        }
        if (known < 0) {
            known = system->n_models;
            takt_status st =
                borrow(builder, key) ? TAKT_OK : open_model(builder, open, context, i, err);
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
    takt_status st = add_components(builder, err);
    if (!st) st = open_models(builder, open, context, err);
    if (!st) st = takt_builder_sizes(builder, err);
    if (!st) st = takt_builder_connectors(builder, err);
    if (!st) st = takt_builder_connections(builder, err);
    if (!st) st = takt_builder_starts(builder, err);
    if (!st) st = takt_builder_experiment(builder, err);
    if (!st) st = takt_builder_record(builder, err);
    if (!st) st = takt_builder_scenarios(builder, err);
    if (!st) takt_builder_check_effects(builder);
    if (!st) st = takt_problems_end(&builder->problems, builder->project->path, err);
    return st;
}

static takt_status make(const takt_project *project, const takt_system *lender,
                        takt_model_open_fn open, void *open_context, takt_system **out,
                        takt_error *err)
{
    takt_system *system = calloc(1, sizeof *system);
    if (!system) return takt_fail_memory(err);
    takt_system_hold(system);
    system->project = project;
    system->lender = lender;
    if (lender) takt_system_hold(lender);
    system->log = project->log;
    system->settings = project->settings;
    takt_builder builder = {.project = project,
                            .lender = lender,
                            .system = system,
                            .problems = project->problems}; // counted together
    takt_status st = build(&builder, open, open_context, err);
    if (st) {
        takt_system_destroy(system);
        return st;
    }
    *out = system;
    return TAKT_OK;
}

takt_status takt_system_make(const takt_project *project, takt_model_open_fn open,
                             void *open_context, takt_system **out, takt_error *err)
{
    takt_status st = make(project, NULL, open, open_context, out, err);
    if (st) return st;
    takt_project_hold(project);
    (*out)->holds_project = true;
    return TAKT_OK;
}

takt_status takt_system_vary(takt_project *project, const takt_system *lender,
                             takt_model_open_fn open, void *open_context, takt_system **out,
                             takt_error *err)
{
    takt_system *system = NULL;
    takt_status st = make(project, lender, open, open_context, &system, err);
    if (st) {
        takt_project_end_variation(project);
        return st;
    }
    system->own_project = project;
    *out = system;
    return TAKT_OK;
}
