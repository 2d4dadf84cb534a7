// SPDX-License-Identifier: MIT
// Fuzzes unpacking: any bytes as an archive. Nothing may appear outside of the target folder, and
// nothing in it may be a link or larger than allowed.
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/zip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_content(const takt_zip_content *content, const char *target, takt_arena *arena)
{
    for (int i = 0; i < content->n_entries; i++) {
        struct stat status;
        const char *path = takt_path_join(arena, target, content->entries[i].name);
        if (lstat(path, &status) != 0 || !S_ISREG(status.st_mode)) abort();
        if (status.st_size != content->entries[i].size) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    takt_arena arena = {0};
    char *folder = NULL;
    FILE *archive = tmpfile();
    if (!archive || fwrite(data, 1, size, archive) != size || fflush(archive) != 0) abort();
    if (takt_folder_create_temporary(&arena, NULL, "fuzz-", &folder, NULL)) abort();
    char *target = takt_path_join(&arena, folder, "target");
    if (takt_folder_create(target, NULL)) abort();

    takt_zip_limits limits = TAKT_ZIP_LIMITS_DEFAULT;
    limits.n_entries = 20;
    limits.total_size = limits.entry_size = 1 << 20;
    takt_zip_content content;
    takt_error err = {0};
    if (takt_zip_unpack(archive, target, &limits, &arena, &content, &err) == TAKT_OK)
        check_content(&content, target, &arena);
    else if (!err.message[0])
        abort();

    if (!takt_tree_remove(target) || rmdir(folder) != 0) abort();
    fclose(archive);
    takt_arena_clear(&arena);
    return 0;
}
