// SPDX-License-Identifier: MIT
// What a system offers once it is made; see system.h.
#include "system/system.h"

#include <stdlib.h>

#include "base/file.h"

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
