// SPDX-License-Identifier: MIT
// What a system offers once it is made; see system.h.
#include "system/system.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "project/variation.h"

void takt_system_hold(const takt_system *system)
{
    atomic_fetch_add(&((takt_system *)system)->n_users, 1);
}

void takt_system_destroy(takt_system *system)
{
    if (!system || atomic_fetch_sub(&system->n_users, 1) > 1) return;
    for (int i = 0; i < system->n_models; i++)
        if (!system->is_borrowed || !system->is_borrowed[i]) takt_model_close(system->models[i]);
    takt_map_clear(&system->by_source);
    takt_map_clear(&system->names);
    if (system->holds_project) takt_project_release(system->project);
    takt_project_end_variation(system->own_project);
    takt_system_destroy((takt_system *)system->lender);
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

// ---- order ---------------------------------------------------------------------------------------

typedef struct named {
    const char *name;
    int index;
} named;

static int compare_names(const void *a, const void *b)
{
    const named *x = a, *y = b;
    int difference = strcmp(x->name, y->name);
    return difference ? difference : (x->index > y->index) - (x->index < y->index);
}

const int *takt_system_sort(const takt_system *system, takt_arena *arena)
{
    size_t n = (size_t)system->n_components;
    named *list = takt_arena_array(arena, n, sizeof *list);
    int *order = takt_arena_array(arena, n, sizeof *order);
    if (!list || !order) return NULL;
    for (size_t i = 0; i < n; i++) list[i] = (named){system->components[i].name, (int)i};
    if (n && system->settings.call_order == TAKT_ORDER_AUTO)
        qsort(list, n, sizeof *list, compare_names);
    for (size_t i = 0; i < n; i++) order[i] = list[i].index;
    return order;
}
