// SPDX-License-Identifier: MIT
// Entries of the cache; see cache_entry.h.
#include "base/cache_entry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/number.h"
#include "base/text.h"

static const char manifest_head[] = "takt cache 2\n"; // raise the number when the layout changes
enum { MAX_MANIFEST_SIZE = 64 << 20 };

int takt_entry_lock(const char *entry, bool alone, takt_arena *scratch)
{
    char *path = takt_path_join(scratch, entry, "lock");
    int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | (alone ? O_CREAT : 0);
    int fd = path ? open(path, flags, 0600) : -1;
    if (fd < 0) return TAKT_ENTRY_UNLOCKED;
    struct stat held, present;
    bool is_locked = flock(fd, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB) == 0;
    // Meanwhile another entry may have taken its place.
    if (is_locked && fstat(fd, &held) == 0 && stat(path, &present) == 0 &&
        held.st_ino == present.st_ino && held.st_dev == present.st_dev)
        return fd;
    close(fd);
    return TAKT_ENTRY_LOCKED_ELSEWHERE;
}

// ---- files -------------------------------------------------------------------------------------

// A line of the manifest: "size hash name".
typedef struct listed_file {
    int64_t size;
    const char *hash, *name;
} listed_file;

// Cuts a line apart.
static bool read_line(char *line, listed_file *out)
{
    char *hash = strchr(line, ' '), *name = hash ? strchr(hash + 1, ' ') : NULL;
    if (!name || !takt_number_read_integer(line, hash, &out->size)) return false;
    *hash = *name = 0;
    out->hash = hash + 1;
    out->name = name + 1;
    return strlen(out->hash) == TAKT_HASH_SIZE - 1;
}

static bool has_hash(int folder, const listed_file *file)
{
    char hash[TAKT_HASH_SIZE];
    int fd = openat(folder, file->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    FILE *stream = fd >= 0 ? fdopen(fd, "rb") : NULL;
    bool ok =
        stream && takt_hash_file(stream, hash, NULL) == TAKT_OK && strcmp(hash, file->hash) == 0;
    if (stream)
        fclose(stream);
    else if (fd >= 0)
        close(fd);
    return ok;
}

// What would be different if the file had been changed.
static void add_stamp(takt_text *stamps, const struct stat *s)
{
    takt_text_print(stamps, "%lld %lld.%09ld %lld.%09ld\n", (long long)s->st_ino,
                    (long long)s->st_mtim.tv_sec, s->st_mtim.tv_nsec, (long long)s->st_ctim.tv_sec,
                    s->st_ctim.tv_nsec);
}

// Are all files there, with their sizes? The lines stay cut apart.
static bool check_files(int folder, listed_file *files, int n, takt_text *stamps)
{
    for (int i = 0; i < n; i++) {
        struct stat status;
        if (fstatat(folder, files[i].name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
            !S_ISREG(status.st_mode) || status.st_size != files[i].size)
            return false;
        add_stamp(stamps, &status);
    }
    return !stamps->failed;
}

// The machine was started; empty where the system does not tell.
static void add_start(takt_text *stamps)
{
    char *text = NULL;
    size_t size;
    if (takt_file_read("/proc/sys/kernel/random/boot_id", 256, &text, &size, NULL) == TAKT_OK)
        takt_text_add(stamps, text);
    takt_text_add(stamps, "\n");
    free(text);
}

// ---- manifest ----------------------------------------------------------------------------------

// The rest of the line that starts with `word`, which is cut off; NULL: another line is there.
static char *take_line(char **at, const char *word)
{
    size_t length = strlen(word);
    char *end = strchr(*at, '\n');
    if (!end || strncmp(*at, word, length) != 0) return NULL;
    char *rest = *at + length;
    *end = 0;
    *at = end + 1;
    return rest;
}

// Reads a manifest; `files` are in `scratch` and borrow from `text`. False: it is damaged.
static bool read_manifest(char *text, takt_arena *scratch, const char **archive, int64_t *size,
                          listed_file **files, int *n_files)
{
    size_t head = sizeof manifest_head - 1;
    if (strncmp(text, manifest_head, head) != 0) return false;
    char *at = text + head, *name = take_line(&at, "archive ");
    char *total = name ? take_line(&at, "size ") : NULL;
    if (!total || !takt_number_read_integer(total, total + strlen(total), size)) return false;
    *archive = name;
    int n = 0;
    for (const char *p = at; (p = strchr(p, '\n')); p++) n++;
    *files = takt_arena_array(scratch, (size_t)n, sizeof **files);
    for (*n_files = 0; *files && *n_files < n; ++*n_files) {
        char *line = take_line(&at, "");
        if (strcmp(line, "end") == 0) return true;
        if (!read_line(line, &(*files)[*n_files])) return false;
    }
    return false;
}

bool takt_entry_read(const char *entry, takt_arena *arena, const char **archive, int64_t *size)
{
    takt_arena scratch = {0};
    char *path = takt_path_join(&scratch, entry, "manifest"), *text = NULL;
    size_t length;
    const char *name;
    listed_file *files;
    int n_files;
    bool ok = path && takt_file_read(path, MAX_MANIFEST_SIZE, &text, &length, NULL) == TAKT_OK &&
              read_manifest(text, &scratch, &name, size, &files, &n_files);
    if (ok) *archive = takt_arena_copy(arena, name);
    free(text);
    takt_arena_clear(&scratch);
    return ok && *archive;
}

// The name of a file in one line of text.
static void add_name(takt_text *text, const char *name)
{
    for (; *name; name++) {
        char c = (unsigned char)*name < ' ' || *name == 127 ? '?' : *name;
        takt_text_add_n(text, &c, 1);
    }
}

takt_status takt_entry_describe(const char *entry, const char *archive,
                                const takt_zip_content *content, takt_arena *scratch,
                                takt_error *err)
{
    takt_text text = {0};
    long long total = 0;
    for (int i = 0; i < content->n_entries; i++) total += content->entries[i].size;
    takt_text_print(&text, "%sarchive ", manifest_head);
    add_name(&text, takt_path_name(archive));
    takt_text_print(&text, "\nsize %lld\n", total);
    takt_status st = TAKT_OK;
    for (int i = 0; i < content->n_entries && !st; i++) {
        const takt_zip_entry *file = &content->entries[i];
        char hash[TAKT_HASH_SIZE];
        FILE *stream = NULL;
        char *path = takt_arena_print(scratch, "%s/content/%s", entry, file->name);
        st = path ? takt_file_open(path, &stream, err) : takt_fail_memory(err);
        if (!st) st = takt_hash_file(stream, hash, err);
        if (stream) fclose(stream);
        if (!st) takt_text_print(&text, "%lld %s %s\n", (long long)file->size, hash, file->name);
    }
    takt_text_add(&text, "end\n"); // shows that the file is complete
    char *path = takt_path_join(scratch, entry, "manifest");
    if (!st && (text.failed || !path)) st = takt_fail_memory(err);
    if (!st) st = takt_file_write(path, text.data, text.length, err);
    takt_text_clear(&text);
    return st;
}

// ---- use ---------------------------------------------------------------------------------------

// Compares the stamps with those of before, and the files themselves where these differ.
static bool are_unchanged(int folder, const char *path, const listed_file *files, int n,
                          const takt_text *stamps)
{
    char *before = NULL;
    size_t size = 0;
    bool is_same = takt_file_read(path, MAX_MANIFEST_SIZE, &before, &size, NULL) == TAKT_OK &&
                   size == stamps->length && memcmp(before, stamps->data, size) == 0;
    free(before);
    if (is_same) return true;
    for (int i = 0; i < n; i++)
        if (!has_hash(folder, &files[i])) return false;
    takt_file_write(path, stamps->data, stamps->length, NULL); // else they are hashed again
    return true;
}

static bool is_content_right(const char *entry, char *manifest, takt_arena *scratch)
{
    char *content = takt_path_join(scratch, entry, "content");
    char *stamps_path = takt_path_join(scratch, entry, "stamps");
    const char *archive;
    int64_t total;
    listed_file *files;
    int n;
    if (!content || !stamps_path || !read_manifest(manifest, scratch, &archive, &total, &files, &n))
        return false;
    int folder = open(content, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    takt_text stamps = {0};
    add_start(&stamps);
    bool ok = folder >= 0 && check_files(folder, files, n, &stamps) &&
              are_unchanged(folder, stamps_path, files, n, &stamps);
    takt_text_clear(&stamps);
    if (folder >= 0) close(folder);
    return ok;
}

bool takt_entry_is_usable(const char *entry, takt_arena *scratch)
{
    struct stat status;
    if (lstat(entry, &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != geteuid())
        return false;
    char *path = takt_path_join(scratch, entry, "manifest"), *manifest = NULL;
    size_t size;
    if (!path || takt_file_read(path, MAX_MANIFEST_SIZE, &manifest, &size, NULL)) return false;
    bool ok = is_content_right(entry, manifest, scratch);
    free(manifest);
    return ok;
}
