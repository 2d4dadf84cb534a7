// SPDX-License-Identifier: MIT
// What a Windows DLL needs; see pe.h. DLLs are looked for beside it, whatever the case of their names, and in the folder of
// the system; those beside it are looked at in the same way.
#include "base/pe.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/path.h"

enum { MAX_FILE = 1 << 30, MAX_NEEDS = 4096, MAX_SEEN = 256, MACHINE_X86_64 = 0x8664 };

typedef struct pe_file {
    const unsigned char *data;
    size_t size, head, sections; // offsets of the header and of the list of sections
    int n_sections;
} pe_file;

// A walk through a DLL and those beside it.
typedef struct walk {
    takt_arena arena;
    const char *folder, *system; // beside the DLL; NULL: not known
    const char *seen[MAX_SEEN];
    int n_seen;
    char *out;
} walk;

// ---- reading -------------------------------------------------------------------------------------

static uint64_t number_at(const pe_file *f, size_t offset, size_t n_bytes)
{
    uint64_t value = 0;
    if (offset > f->size || n_bytes > f->size - offset) return 0;
    for (size_t i = n_bytes; i-- > 0;) value = value << 8 | f->data[offset + i];
    return value;
}

// Where an address of the loaded DLL lies in the file; 0: nowhere.
static size_t find_offset(const pe_file *f, uint64_t address)
{
    for (int i = 0; i < f->n_sections; i++) {
        size_t at = f->sections + (size_t)i * 40;
        uint64_t begin = number_at(f, at + 12, 4), size = number_at(f, at + 16, 4);
        if (address >= begin && address - begin < size)
            return (size_t)(number_at(f, at + 20, 4) + (address - begin));
    }
    return 0;
}

// NULL: there is none.
static const char *text_at(const pe_file *f, uint64_t address)
{
    size_t at = find_offset(f, address);
    if (at == 0 || at >= f->size || !memchr(f->data + at, 0, f->size - at)) return NULL;
    return (const char *)f->data + at;
}

// Finds the header and the sections. Says what is wrong, or returns NULL.
static const char *read_head(pe_file *f)
{
    if (f->size < 64 || f->data[0] != 'M' || f->data[1] != 'Z') return "it is no DLL of Windows";
    f->head = (size_t)number_at(f, 0x3C, 4);
    if (number_at(f, f->head, 4) != 0x4550) return "it is no DLL of Windows";
    if (number_at(f, f->head + 4, 2) != MACHINE_X86_64)
        return "it is for another processor than x86-64";
    f->n_sections = (int)number_at(f, f->head + 6, 2);
    f->sections = f->head + 24 + (size_t)number_at(f, f->head + 20, 2);
    return NULL;
}

// ---- looking for DLLs ----------------------------------------------------------------------------

// The file of this name, whatever its case; NULL: there is none.
static char *find_in(takt_arena *arena, const char *folder, const char *name)
{
    char *found = NULL;
    DIR *list = folder ? opendir(folder) : NULL;
    for (struct dirent *item; list && !found && (item = readdir(list));)
        if (strcasecmp(item->d_name, name) == 0)
            found = takt_path_join(arena, folder, item->d_name);
    if (list) closedir(list);
    return found;
}

// Names that the system maps to DLLs of its own.
static bool is_api_set(const char *name)
{
    return strncasecmp(name, "api-ms-", 7) == 0 || strncasecmp(name, "ext-ms-", 7) == 0;
}

static bool has_seen(walk *self, const char *name)
{
    for (int i = 0; i < self->n_seen; i++)
        if (strcasecmp(self->seen[i], name) == 0) return true;
    if (self->n_seen < MAX_SEEN) self->seen[self->n_seen] = takt_arena_copy(&self->arena, name);
    if (self->n_seen < MAX_SEEN && self->seen[self->n_seen]) self->n_seen++;
    return self->n_seen == MAX_SEEN;
}

static void judge(walk *self, const char *data, size_t size, const char *whose);

static void judge_file(walk *self, const char *path, const char *name)
{
    char *data = NULL;
    size_t size;
    if (takt_file_read(path, MAX_FILE, &data, &size, NULL)) return;
    judge(self, data, size, name);
    free(data);
}

static void judge_need(walk *self, const char *name, const char *whose)
{
    if (has_seen(self, name) || is_api_set(name)) return;
    char *beside = find_in(&self->arena, self->folder, name);
    if (beside) {
        judge_file(self, beside, takt_path_name(beside));
        return;
    }
    if (!self->system || find_in(&self->arena, self->system, name)) return;
    snprintf(self->out, TAKT_PE_TEXT_SIZE,
             "%.150s%s needs the DLL %.150s, which is neither beside it nor part of Wine",
             whose ? whose : "it", whose ? ", which it loads," : "", name);
}

// The DLL of the FMU, or one (`whose`) that it loads.
static void judge(walk *self, const char *data, size_t size, const char *whose)
{
    pe_file f = {.data = (const unsigned char *)data, .size = size};
    const char *problem = read_head(&f);
    if (problem) {
        snprintf(self->out, TAKT_PE_TEXT_SIZE, "%s%.150s%s%s", whose ? "it loads " : "",
                 whose ? whose : "", whose ? ", but " : "", problem);
        return;
    }
    size_t imports = find_offset(&f, number_at(&f, f.head + 24 + 112 + 8, 4));
    for (int i = 0; imports && i < MAX_NEEDS && !self->out[0]; i++) {
        const char *name = text_at(&f, number_at(&f, imports + (size_t)i * 20 + 12, 4));
        if (!name) break;
        judge_need(self, name, whose);
    }
}

takt_status takt_pe_find_obstacle(const char *path, const char *system, char out[TAKT_PE_TEXT_SIZE],
                                  takt_error *err)
{
    char *data = NULL;
    size_t size;
    out[0] = 0;
    takt_status st = takt_file_read(path, MAX_FILE, &data, &size, err);
    if (st) return st;
    walk self = {.system = system, .out = out};
    self.folder = takt_path_folder(&self.arena, path);
    judge(&self, data, size, NULL);
    free(data);
    takt_arena_clear(&self.arena);
    return TAKT_OK;
}
