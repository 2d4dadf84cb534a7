// SPDX-License-Identifier: MIT
// Finding and loading the library of an FMU; see library.h.
#include "fmu/library.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "fmu/loader.h"

const char *takt_library_platform(int fmi_major)
{
#ifdef __aarch64__
    return fmi_major < 3 ? "linux64" : "aarch64-linux";
#else
    return fmi_major < 3 ? "linux64" : "x86_64-linux";
#endif
}

// ---- finding -------------------------------------------------------------------------------------

// Platforms found so far, malloc'ed.
typedef struct platform_list {
    takt_arena *arena; // of the names
    char **names;
    int n_names, capacity;
} platform_list;

static takt_status add_platform(void *context, const char *name, takt_error *err)
{
    platform_list *list = context;
    if (name[0] == '.') return TAKT_OK;
    char *copy = takt_arena_copy(list->arena, name);
    if (!copy || !takt_grow(&list->names, list->n_names, &list->capacity, sizeof *list->names))
        return takt_fail_memory(err);
    list->names[list->n_names++] = copy;
    return TAKT_OK;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

takt_status takt_library_platforms(const char *folder, takt_arena *arena, const char **out,
                                   takt_error *err)
{
    char *binaries = takt_path_join(arena, folder, "binaries");
    char *platforms = takt_arena_copy(arena, "");
    if (!binaries || !platforms) return takt_fail_memory(err);
    platform_list list = {.arena = arena};
    bool is_there = false;
    takt_status st = takt_path_find_folder(binaries, &is_there, err);
    if (!st && is_there) st = takt_folder_visit(binaries, add_platform, &list, err);
    if (list.n_names) qsort(list.names, (size_t)list.n_names, sizeof *list.names, compare_names);
    for (int i = 0; i < list.n_names && platforms; i++)
        platforms = takt_arena_print(arena, "%s%s%s", platforms, i ? " " : "", list.names[i]);
    free(list.names);
    if (!st && !platforms) st = takt_fail_memory(err);
    if (!st) *out = platforms;
    return st;
}

char *takt_library_path_for(takt_fmu_way way, const char *folder, int fmi_major,
                            const char *identifier, takt_arena *arena)
{
    const char *platform = takt_library_platform(fmi_major);
    if (way == TAKT_FMU_WINE) platform = fmi_major < 3 ? "win64" : "x86_64-windows";
    if (way == TAKT_FMU_32_BITS) platform = fmi_major < 3 ? "linux32" : "x86-linux";
    return takt_arena_print(arena, "%s/binaries/%s/%s.%s", folder, platform, identifier,
                            way == TAKT_FMU_WINE ? "dll" : "so");
}

char *takt_library_path(const char *folder, int fmi_major, const char *identifier,
                        takt_arena *arena)
{
    return takt_library_path_for(TAKT_FMU_NATIVE, folder, fmi_major, identifier, arena);
}

// ---- loading -------------------------------------------------------------------------------------

static void find_function(void *handle, const char *identifier, const char *name, void *out)
{
    void *address = NULL;
    char prefixed[512];
    int length = snprintf(prefixed, sizeof prefixed, "%s_%s", identifier, name);
    if (length < (int)sizeof prefixed) address = takt_loader_find(handle, prefixed);
    if (!address) address = takt_loader_find(handle, name);
    memcpy(out, &address, sizeof address); // C has no cast from object to function pointer
}

#define FIND_FUNCTION(result, name, parameters)                                                    \
    find_function(handle, identifier, #name, &functions->name);

static void find_fmi1(void *handle, const char *identifier, takt_fmi1_functions *functions)
{
    FMI1_COMMON_FUNCTIONS(FIND_FUNCTION)
    FMI1_CS_FUNCTIONS(FIND_FUNCTION)
    FMI1_ME_FUNCTIONS(FIND_FUNCTION)
}

static void find_fmi2(void *handle, const char *identifier, takt_fmi2_functions *functions)
{
    FMI2_COMMON_FUNCTIONS(FIND_FUNCTION)
    FMI2_CS_FUNCTIONS(FIND_FUNCTION)
    FMI2_ME_FUNCTIONS(FIND_FUNCTION)
}

static void find_fmi3(void *handle, const char *identifier, takt_fmi3_functions *functions)
{
    FMI3_COMMON_FUNCTIONS(FIND_FUNCTION)
    FMI3_CS_FUNCTIONS(FIND_FUNCTION)
    FMI3_ME_FUNCTIONS(FIND_FUNCTION)
    FMI3_SE_FUNCTIONS(FIND_FUNCTION)
}

static void find_functions(takt_library *library, int fmi_major, const char *identifier)
{
    if (fmi_major == 1) find_fmi1(library->handle, identifier, &library->fmi1);
    if (fmi_major == 2) find_fmi2(library->handle, identifier, &library->fmi2);
    if (fmi_major == 3) find_fmi3(library->handle, identifier, &library->fmi3);
}

// Has the library any function of its FMI version? The others' pointers are NULL.
static bool has_functions(const takt_library *library)
{
    const struct {
        const void *functions;
        size_t size;
    } all[] = {{&library->fmi1, sizeof library->fmi1},
               {&library->fmi2, sizeof library->fmi2},
               {&library->fmi3, sizeof library->fmi3}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (size_t k = 0; k < all[i].size; k++)
            if (((const char *)all[i].functions)[k]) return true;
    return false;
}

static takt_status load(takt_library *library, const char *path, takt_error *err)
{
    return takt_loader_open(path, &library->handle, err);
}

static takt_status write_copy(const char *from, const char *to, takt_error *err)
{
    char *data = NULL;
    size_t size;
    takt_status st = takt_file_read(from, SIZE_MAX, &data, &size, err);
    if (st) return st;
    st = takt_file_write(to, data, size, err);
    free(data);
    return st;
}

// Loads a copy that lies beside the original, where the library finds its neighbours. The file is
// removed at once; the system keeps it as long as it is loaded.
static takt_status load_copy(takt_library *library, const char *path, takt_error *err)
{
    takt_arena arena = {0};
    char *copy = takt_arena_print(&arena, "%s.XXXXXX", path);
    int fd = copy ? mkstemp(copy) : -1;
    takt_status st = TAKT_OK;
    if (!copy)
        st = takt_fail_memory(err);
    else if (fd < 0)
        st = takt_fail(err, TAKT_ERR_OUTPUT, "a copy of the library cannot be made: %s",
                       strerror(errno));
    if (fd >= 0) close(fd);
    if (!st) st = write_copy(path, copy, err);
    if (!st) st = load(library, copy, err);
    if (fd >= 0) unlink(copy);
    takt_arena_clear(&arena);
    return st;
}

takt_status takt_library_open(const char *path, int fmi_major, const char *identifier, bool as_copy,
                              takt_library **out, takt_error *err)
{
    takt_library *library = calloc(1, sizeof *library);
    if (!library) return takt_fail_memory(err);
    takt_status st = as_copy ? load_copy(library, path, err) : load(library, path, err);
    if (st) {
        free(library);
        return st;
    }
    find_functions(library, fmi_major, identifier);
    if (!has_functions(library)) {
        takt_library_close(library);
        return takt_fail(err, TAKT_ERR_INPUT,
                         "the library has none of the functions of FMI %d.0, with or without "
                         "'%s_' in front",
                         fmi_major, identifier);
    }
    *out = library;
    return TAKT_OK;
}

bool takt_library_close(takt_library *library)
{
    if (!library) return true;
    bool is_unloaded = !library->is_dead && !library->stays_loaded;
    if (is_unloaded) takt_loader_close(library->handle);
    free(library);
    return is_unloaded;
}
