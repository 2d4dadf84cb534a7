// SPDX-License-Identifier: MIT
// Fuzzes what readers do with the files that a project refers to. The input is a text of several files, each
// behind a line with its name:
//     === main.ssp/SystemStructure.ssd
// What comes before the first such line is left out. Files "NAME.ssp/..." and "NAME.fmu/..." are packed
// into an archive. The first file decides what is read: an archive or folder as SSP (a file of another name than
// SystemStructure.ssd as a variant), or an OspSystemStructure.xml.
#include <ctype.h>
#include <string.h>

#include "base/file.h"
#include "base/zip_write.h"
#include "small_model.h"

enum { MAX_FILES = 12, MAX_NAME = 60 };

typedef struct part {
    char name[MAX_NAME + 1];
    size_t archive; // length of the archive's name; 0: a file of its own
    const char *data;
    size_t size;
} part;

static bool is_good_name(const char *name)
{
    if (!isalnum((unsigned char)*name) || strstr(name, "..") || strstr(name, "/.")) return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && !strchr("._-/", *name)) return false;
    return name[-1] != '/';
}

static size_t archive_in(const char *name)
{
    const char *end = strstr(name, ".ssp/");
    if (!end) end = strstr(name, ".fmu/");
    return end ? (size_t)(end - name) + 4 : 0;
}

// Where the next line with a name begins; `end`: nowhere. `at` is the beginning of a line.
static const char *find_part(const char *at, const char *end)
{
    while (at < end && (end - at <= 4 || memcmp(at, "=== ", 4) != 0)) {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        at = line ? line + 1 : end;
    }
    return at;
}

// The part that begins at a line with a name. Returns where the next one begins.
static const char *read_part(const char *at, const char *end, part *out)
{
    at += 4;
    const char *line = memchr(at, '\n', (size_t)(end - at));
    size_t length = line ? (size_t)(line - at) : (size_t)(end - at);
    *out = (part){.data = line ? line + 1 : end};
    if (length <= MAX_NAME) memcpy(out->name, at, length);
    out->archive = archive_in(out->name);
    const char *next = find_part(out->data, end);
    out->size = (size_t)(next - out->data);
    return next;
}

static int read_parts(const char *data, size_t size, part parts[MAX_FILES])
{
    const char *end = data + size, *at = find_part(data, end);
    int n = 0;
    while (at < end && n < MAX_FILES) {
        at = read_part(at, end, &parts[n]);
        if (is_good_name(parts[n].name)) n++;
    }
    return n;
}

static bool is_same_archive(const part *a, const part *b)
{
    return a->archive && a->archive == b->archive && memcmp(a->name, b->name, a->archive) == 0;
}

// Packs the files of the archive that part `first` is the first one of.
static void pack(const part *parts, int n, int first, const char *path)
{
    takt_zip_writer *writer = NULL;
    if (takt_zip_create(path, &writer, NULL)) return; // a name that is a file and a folder
    takt_status st = TAKT_OK;
    for (int i = first; i < n && !st; i++)
        if (is_same_archive(&parts[i], &parts[first]))
            st = takt_zip_add_data(writer, parts[i].name + parts[i].archive + 1, parts[i].data,
                                   parts[i].size, NULL);
    if (st)
        takt_zip_discard(writer);
    else
        takt_zip_finish(writer, NULL);
}

static void write_parts(takt_arena *arena, const char *folder, const part *parts, int n)
{
    for (int i = 0; i < n; i++) {
        bool is_packed = false;
        for (int k = 0; k < i; k++) is_packed = is_packed || is_same_archive(&parts[k], &parts[i]);
        if (is_packed) continue;
        size_t length = parts[i].archive ? parts[i].archive : strlen(parts[i].name);
        const char *path =
            takt_path_join(arena, folder, takt_arena_copy_n(arena, parts[i].name, length));
        if (takt_folder_create(takt_path_folder(arena, path), NULL)) continue;
        if (parts[i].archive)
            pack(parts, n, i, path);
        else
            takt_file_write(path, parts[i].data, parts[i].size, NULL);
    }
}

static void read_project(takt_arena *arena, const char *folder, const part *first)
{
    takt_project *project = NULL;
    takt_error err = {0};
    bool is_osp = strcmp(first->name, "OspSystemStructure.xml") == 0;
    const char *path = folder;
    if (first->archive)
        path = takt_path_join(arena, folder, takt_arena_copy_n(arena, first->name, first->archive));
    else if (is_osp)
        path = takt_path_join(arena, folder, first->name);
    if (takt_project_create(path, NULL, &project, &err)) abort();
    const char *file = first->name + (first->archive ? first->archive + 1 : 0);
    if (!is_osp && strcmp(file, "SystemStructure.ssd") != 0) project->variant = file;
    takt_status st =
        is_osp ? takt_project_read_osp(project, &err) : takt_project_read_ssp(project, &err);
    fuzz_make_system(project, st, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    part parts[MAX_FILES];
    int n = read_parts((const char *)data, size, parts);
    if (n == 0) return 0;
    takt_arena arena = {0};
    char *folder = NULL;
    setenv("TAKT_CACHE_DIR", "/dev/null/none",
           1); // every archive is unpacked into a private folder
    if (takt_folder_create_temporary(&arena, NULL, "fuzz-", &folder, NULL)) abort();
    write_parts(&arena, folder, parts, n);
    read_project(&arena, folder, &parts[0]);
    if (!takt_tree_remove(folder)) abort();
    takt_arena_clear(&arena);
    return 0;
}
