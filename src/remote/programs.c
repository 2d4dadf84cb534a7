// SPDX-License-Identifier: MIT
// Finding programs that belong to the library; see programs.h.
#define _GNU_SOURCE // dladdr()
#include "remote/programs.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/path.h"

// Looks for the program beside a file, and where installations have it.
static char *find_beside(takt_arena *arena, const char *file, const char *name)
{
    static const char *const places[] = {"", "../", "../bin/", "../../bin/"};
    char *folder = takt_path_folder(arena, file);
    for (size_t i = 0; folder && i < sizeof places / sizeof *places; i++) {
        char *path = takt_arena_print(arena, "%s/%s%s", folder, places[i], name);
        if (path && takt_path_is_program(path)) return path;
    }
    return NULL;
}

const char *takt_program_find(takt_arena *arena, const char *name, const char *variable)
{
    static const char here = 0; // lies in the program or library that we are part of
    Dl_info own = {0};
    char program[4096];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    const char *chosen = getenv(variable), *found = NULL;
    if (chosen && chosen[0]) found = chosen;
    if (!found && dladdr(&here, &own) && own.dli_fname)
        found = find_beside(arena, own.dli_fname, name);
    program[n > 0 ? n : 0] = 0;
    if (!found && n > 0) found = find_beside(arena, program, name);
    return found;
}
