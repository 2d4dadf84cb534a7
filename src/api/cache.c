// SPDX-License-Identifier: MIT
// The public functions for the cache of unpacked archives.
#include "takt/cache.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "base/cache_store.h"
#include "base/size.h"
#include "base/text.h"
#include "base/zip_limits.h"

typedef struct cache_content {
    takt_arena arena;
    const char *folder;
    int64_t limit, size;
    takt_stored *entries;
    int n_entries;
} cache_content;

static takt_status fail_nowhere(takt_error *err)
{
    return takt_fail(err, TAKT_ERR_INPUT,
                     "there is no place for a cache; set TAKT_CACHE_DIR, XDG_CACHE_HOME or HOME");
}

static takt_status read_content(cache_content *out, takt_error *err)
{
    out->folder = takt_cache_folder(&out->arena);
    if (!out->folder) return fail_nowhere(err);
    takt_status st = takt_cache_limit(out->folder, &out->limit, err);
    if (!st) st = takt_cache_list(out->folder, &out->arena, &out->entries, &out->n_entries, err);
    for (int i = 0; !st && i < out->n_entries; i++) out->size += out->entries[i].size;
    return st;
}

// "2026-01-31 12:00 UTC"
static void write_time(int64_t seconds, char *out, size_t size)
{
    time_t t = (time_t)seconds;
    struct tm parts;
    if (!gmtime_r(&t, &parts) || !strftime(out, size, "%Y-%m-%d %H:%M UTC", &parts)) *out = 0;
}

// Those that are of no use, in one line: there may be hundreds after a change of the version.
static void add_unusable(const cache_content *c, takt_text *text)
{
    int n = 0;
    int64_t total = 0;
    char size[TAKT_SIZE_TEXT];
    for (int i = 0; i < c->n_entries; i++) {
        if (*c->entries[i].archive) continue;
        n++;
        total += c->entries[i].size;
    }
    if (n)
        takt_text_print(text,
                        "%10s  %-20s  (%d %s, damaged or of another version; takt cache --clean "
                        "removes %s)\n",
                        takt_size_write(total, size), "", n, n == 1 ? "archive" : "archives",
                        n == 1 ? "it" : "them");
}

static char *describe_as_text(const cache_content *c)
{
    takt_text text = {0};
    char size[TAKT_SIZE_TEXT], limit[TAKT_SIZE_TEXT], used[64];
    takt_text_print(&text, "Cache: %s\nSize:  %s of at most %s\n", c->folder,
                    takt_size_write(c->size, size), takt_size_write(c->limit, limit));
    if (c->n_entries) takt_text_add(&text, "\n      size  last used             archive\n");
    for (int i = 0; i < c->n_entries; i++) {
        const takt_stored *entry = &c->entries[i];
        if (!*entry->archive) continue;
        write_time(entry->used, used, sizeof used);
        takt_text_print(&text, "%10s  %-20s  %s%s\n", takt_size_write(entry->size, size), used,
                        entry->archive, entry->is_in_use ? "  (in use)" : "");
    }
    add_unusable(c, &text);
    if (text.failed) takt_text_clear(&text);
    return text.data;
}

static char *describe_as_json(const cache_content *c)
{
    takt_json_begin();
    json_t *entries = json_array();
    int failed = entries == NULL;
    for (int i = 0; !failed && i < c->n_entries; i++) {
        const takt_stored *entry = &c->entries[i];
        json_t *item =
            json_pack("{so so sI sI sb}", "archive", takt_json_text(entry->archive), "folder",
                      takt_json_text(entry->path), "size", (json_int_t)entry->size, "last_used",
                      (json_int_t)entry->used, "in_use", entry->is_in_use);
        failed = json_array_append_new(entries, item);
    }
    json_t *all = json_pack("{so sI sI so}", "folder", takt_json_text(c->folder), "size",
                            (json_int_t)c->size, "limit", (json_int_t)c->limit, "entries", entries);
    char *text = takt_json_end(all);
    if (!failed) return text;
    free(text);
    return NULL;
}

takt_status takt_cache_describe(takt_format format, char **out, takt_error *err)
{
    if (!out || format == TAKT_FORMAT_DOT || format == TAKT_FORMAT_SVG)
        return takt_fail(err, TAKT_ERR_USAGE, "the cache is described as text or as JSON");
    cache_content content = {0};
    takt_status st = read_content(&content, err);
    char *text = st                           ? NULL
                 : format == TAKT_FORMAT_JSON ? describe_as_json(&content)
                                              : describe_as_text(&content);
    takt_arena_clear(&content.arena);
    if (st) return st;
    if (!text) return takt_fail_memory(err);
    *out = text;
    return TAKT_OK;
}

takt_status takt_unpack_limits_check(takt_error *err)
{
    takt_zip_limits limits;
    return takt_zip_limits_choose(&limits, err);
}

takt_status takt_cache_limit_to(const char *size, takt_error *err)
{
    int64_t limit;
    if (!size || !takt_size_read(size, &limit))
        return takt_fail(err, TAKT_ERR_USAGE, "'%s' is no size such as 500MB or 8GB",
                         size ? size : "");
    takt_arena arena = {0};
    const char *folder = takt_cache_folder(&arena);
    takt_status st = folder ? takt_cache_set_limit(folder, limit, err) : fail_nowhere(err);
    takt_arena_clear(&arena);
    return st;
}

takt_status takt_cache_clean(int everything, int *n_removed, int64_t *bytes, takt_error *err)
{
    takt_arena arena = {0};
    const char *folder = takt_cache_folder(&arena);
    int64_t limit = 0, size;
    int n;
    takt_status st = folder ? TAKT_OK : fail_nowhere(err);
    if (!st && !everything) st = takt_cache_limit(folder, &limit, err);
    if (!st)
        st = takt_cache_trim(folder, limit, NULL, n_removed ? n_removed : &n, bytes ? bytes : &size,
                             err);
    takt_arena_clear(&arena);
    return st;
}
