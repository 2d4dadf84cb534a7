// SPDX-License-Identifier: MIT
// Runs a fuzz target on the files of folders, without a fuzzer: what once was found stays found.
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
    char *data;
    size_t size;
    takt_error err = {0};
    if (takt_file_read(path, 1 << 26, &data, &size, &err)) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    LLVMFuzzerTestOneInput((const uint8_t *)data, size);
    free(data);
    return 0;
}

int main(int argc, char **argv)
{
    int n_failed = 0, n_files = 0;
    takt_arena arena = {0};
    for (int i = 1; i < argc; i++) {
        DIR *folder = opendir(argv[i]);
        for (struct dirent *item; folder && (item = readdir(folder));) {
            if (item->d_name[0] == '.') continue;
            n_failed += replay_file(takt_path_join(&arena, argv[i], item->d_name));
            n_files++;
        }
        if (folder) closedir(folder);
    }
    takt_arena_clear(&arena);
    printf("%d files replayed\n", n_files);
    return n_failed > 0 || n_files == 0;
}
