// SPDX-License-Identifier: MIT
// Fuzzes the reader of build descriptions: any bytes as sources/buildDescription.xml of an FMU with one
// source file. Nothing that is found may lie outside of the FMU.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "compile/sources.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_path(const char *path, const char *folder)
{
    if (strncmp(path, folder, strlen(folder)) != 0 || strstr(path, "/../")) abort();
}

static void check_sources(const takt_sources *sources, const char *folder)
{
    for (int i = 0; i < sources->n_files; i++) {
        const takt_source *file = &sources->files[i];
        check_path(file->path, folder);
        for (int k = 0; k < file->n_arguments; k++) {
            if (strncmp(file->arguments[k], "-I", 2) == 0)
                check_path(file->arguments[k] + 2, folder);
            else if (strncmp(file->arguments[k], "-D", 2) != 0)
                abort();
        }
    }
    for (int i = 0; i < sources->n_libraries; i++)
        if (strncmp(sources->libraries[i], "-l", 2) != 0) check_path(sources->libraries[i], folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    takt_arena arena = {0};
    char *folder = NULL;
    takt_error err = {0};
    if (takt_folder_create_temporary(&arena, NULL, "fuzz-", &folder, NULL)) abort();
    char *sources = takt_path_join(&arena, folder, "sources");
    char *file = takt_path_join(&arena, sources, "buildDescription.xml");
    char *code = takt_path_join(&arena, sources, "all.c");
    if (takt_folder_create(sources, NULL) || takt_file_write(file, data, size, NULL) ||
        takt_file_write(code, "", 0, NULL))
        abort();

    const takt_sources_wish wish = {
        .folder = folder, .fmi_major = 3, .platform = "x86_64-linux", .identifier = "Model"};
    takt_sources found;
    if (takt_sources_find(&wish, &arena, &found, &err) == TAKT_OK)
        check_sources(&found, folder);
    else if (!err.message[0])
        abort();

    if (!takt_tree_remove(folder)) abort();
    takt_arena_clear(&arena);
    return 0;
}
