// SPDX-License-Identifier: MIT
// Folders for results of instances; see own_results.h.
#include "run/own_results.h"

#include <string.h>

#include "base/file.h"
#include "base/path.h"

static const takt_component *component_of(const takt_run *run, int i_instance)
{
    return &run->plan->system->components[i_instance];
}

// Is it a parameter for such a folder?
static bool is_folder(const takt_run *run, int i_instance, int i_variable)
{
    const takt_component *component = component_of(run, i_instance);
    return takt_system_is_results_folder(&component->model->variables[i_variable],
                                         component->is_group);
}

static bool is_given(const takt_run *run, int i_instance, int i_variable)
{
    const takt_system *system = run->plan->system;
    for (int i = 0; i < system->n_starts[i_instance]; i++)
        if (system->starts[i_instance][i].variable == i_variable) return true;
    return false;
}

takt_status takt_own_results_choose(takt_run *run, const char *results, takt_error *err)
{
    if (strcmp(results, "-") == 0 || !takt_path_may_be_file(results)) return TAKT_OK;
    char *path = takt_path_absolute(&run->arena, results);
    if (!path) return takt_fail_memory(err);
    char *dot = strrchr(path, '.');
    if (dot && dot > takt_path_name(path)) *dot = 0;
    run->own_results = takt_arena_print(&run->arena, "%s.files", path);
    return run->own_results ? TAKT_OK : takt_fail_memory(err);
}

// The folder of an instance, or of a member of a group; a name that is no name of a folder is made one.
static char *folder_of(const takt_run *run, int i_instance, int i_variable, takt_arena *arena)
{
    const takt_component *component = component_of(run, i_instance);
    const char *name = component->name;
    int length = (int)strlen(name);
    if (component->is_group) {
        name = component->model->variables[i_variable].name;
        length = (int)(strrchr(name, '.') - name);
    }
    char *folder = takt_arena_print(arena, "%s/%.*s", run->own_results, length, name);
    if (!folder) return NULL;
    char *own = folder + strlen(run->own_results) + 1;
    if (*own == '.') *own = '_';
    for (char *c = own; *c; c++)
        if (*c == '/') *c = '_';
    return folder;
}

static takt_status place(takt_run *run, int i_instance, int i_variable, takt_error *err)
{
    takt_arena arena = {0};
    const char *folder = folder_of(run, i_instance, i_variable, &arena);
    takt_status st = folder ? takt_folder_create(folder, err) : takt_fail_memory(err);
    if (!st)
        st =
            takt_system_set_text(run->work.instances[i_instance].instance, i_variable, folder, err);
    takt_arena_clear(&arena);
    return st;
}

// Instances that have a working folder of their own would look there for what is relative.
static takt_status name_wholly(takt_run *run, int i_instance, const takt_start *start,
                               takt_error *err)
{
    takt_arena arena = {0};
    const char *folder = takt_path_absolute(&arena, start->value.text);
    takt_status st = folder ? takt_system_set_text(run->work.instances[i_instance].instance,
                                                   start->variable, folder, err)
                            : takt_fail_memory(err);
    takt_arena_clear(&arena);
    return st;
}

// Those that the user has named must be there, too.
static takt_status make_named(takt_run *run, int i_instance, takt_error *err)
{
    const takt_system *system = run->plan->system;
    bool is_apart = component_of(run, i_instance)->model->type->allow_results;
    takt_status st = TAKT_OK;
    for (int i = 0; i < system->n_starts[i_instance] && !st; i++) {
        const takt_start *start = &system->starts[i_instance][i];
        if (start->value.size == 0 || !is_folder(run, i_instance, start->variable)) continue;
        st = takt_folder_create(start->value.text, err);
        if (!st && is_apart) st = name_wholly(run, i_instance, start, err);
    }
    return st;
}

// The folder that an instance will be told; NULL: none, or `*st` tells why not.
static const char *find_folder(takt_run *run, int i_instance, takt_status *st, takt_error *err)
{
    const takt_system *system = run->plan->system;
    const takt_model *model = component_of(run, i_instance)->model;
    const char *found = NULL;
    for (int i = 0; i < system->n_starts[i_instance]; i++) {
        const takt_start *start = &system->starts[i_instance][i];
        if (!is_folder(run, i_instance, start->variable)) continue;
        if (start->value.size == 0) return NULL;
        found = takt_path_absolute(&run->arena, start->value.text);
        if (!found) *st = takt_fail_memory(err);
        return found;
    }
    for (int i = 0; i < model->n_variables && run->own_results && !found; i++) {
        if (!is_folder(run, i_instance, i)) continue;
        found = folder_of(run, i_instance, i, &run->arena);
        if (!found) *st = takt_fail_memory(err);
    }
    return found;
}

takt_status takt_own_results_allow(takt_run *run, int i_instance, takt_error *err)
{
    const takt_model *model = component_of(run, i_instance)->model;
    if (!model->type->allow_results) return TAKT_OK;
    takt_status st = TAKT_OK;
    const char *folder = find_folder(run, i_instance, &st, err);
    if (folder) st = takt_folder_create(folder, err);
    if (!st) model->type->allow_results(model, folder);
    return st;
}

takt_status takt_own_results_place(takt_run *run, int i_instance, takt_error *err)
{
    takt_status st = make_named(run, i_instance, err);
    int n = run->own_results ? component_of(run, i_instance)->model->n_variables : 0;
    for (int i = 0; i < n && !st; i++)
        if (is_folder(run, i_instance, i) && !is_given(run, i_instance, i))
            st = place(run, i_instance, i, err);
    return st;
}

void takt_own_results_tidy(takt_run *run)
{
    takt_arena arena = {0};
    for (int k = 0; k < run->work.n_instances && run->own_results; k++)
        for (int i = 0; i < component_of(run, k)->model->n_variables; i++) {
            if (!is_folder(run, k, i) || is_given(run, k, i)) continue;
            char *folder = folder_of(run, k, i, &arena);
            if (folder) takt_folder_remove_empty(folder);
        }
    if (run->own_results) takt_folder_remove_empty(run->own_results);
    takt_arena_clear(&arena);
}
