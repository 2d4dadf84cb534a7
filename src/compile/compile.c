// SPDX-License-Identifier: MIT
// Compiling source FMUs; see compile.h. All happens in a folder beside the library that is removed
// afterwards: the header files, one object per source, the compiler's messages, the new library.
#include "compile/compile.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/process.h"
#include "compile/stamp.h"
#include "compile/standard_headers.h"
#include "compile/undefined.h"

enum { MAX_MESSAGES = 1 << 20 };

// What a compilation needs all the time.
typedef struct compilation {
    const takt_sources *sources;
    const char *sources_folder, *work, *messages;
    takt_arena *arena;
    const char **arguments; // of the compiler, ended by NULL
    int n_arguments, capacity;
} compilation;

static takt_status write_headers(const char *folder, int fmi_major, takt_arena *arena,
                                 takt_error *err)
{
    for (const takt_standard_header *header = takt_standard_headers(fmi_major); header->name;
         header++) {
        char *path = takt_path_join(arena, folder, header->name);
        if (!path) return takt_fail_memory(err);
        takt_status st = takt_file_write(path, header->text, strlen(header->text), err);
        if (st) return st;
    }
    return TAKT_OK;
}

// ---- the compiler --------------------------------------------------------------------------------

static bool add(compilation *c, const char *argument)
{
    if (!takt_grow(&c->arguments, c->n_arguments, &c->capacity, sizeof *c->arguments)) return false;
    c->arguments[c->n_arguments++] = argument;
    return true;
}

static bool add_all(compilation *c, const char *const *arguments, int n)
{
    for (int i = 0; i < n; i++)
        if (!add(c, arguments[i])) return false;
    return true;
}

// The first lines that the compiler wrote.
static takt_status fail_compiler(const compilation *c, int exit_code, takt_error *err)
{
    enum { MAX_SHOWN = 600 };
    char *text = NULL;
    size_t size = 0;
    if (takt_file_read(c->messages, MAX_MESSAGES, &text, &size, NULL)) text = NULL;
    const char *from = text ? strstr(text, "error:") : NULL;
    while (from && from > text && from[-1] != '\n') from--;
    takt_status st =
        takt_fail(err, TAKT_ERR_INPUT, "the sources cannot be compiled: %s ended with %d%s%.*s",
                  c->arguments[0], exit_code, text && size ? ":\n" : "", MAX_SHOWN,
                  from   ? from
                  : text ? text
                         : "");
    free(text);
    return st;
}

// Runs the compiler with the arguments collected so far.
static takt_status run(compilation *c, takt_error *err)
{
    int exit_code = 0;
    if (!add(c, NULL)) return takt_fail_memory(err);
    takt_status st = takt_process_run(c->arguments, c->messages, &exit_code, err);
    if (!st && exit_code != 0) st = fail_compiler(c, exit_code, err);
    c->n_arguments = 0;
    return st;
}

static const char *object_path(const compilation *c, int i)
{
    return takt_arena_print(c->arena, "%s/%d.o", c->work, i);
}

// FMUs are no code of ours: warnings are left out.
static takt_status compile_file(compilation *c, int i, takt_error *err)
{
    const takt_source *source = &c->sources->files[i];
    const char *object = object_path(c, i);
    const char *const begin[] = {source->is_cpp ? "c++" : "cc", TAKT_COMPILE_ARGUMENTS};
    const char *const end[] = {"-I", c->sources_folder, "-I", c->work, "-o", object, source->path};
    if (!object || !add_all(c, begin, sizeof begin / sizeof *begin) ||
        !add_all(c, source->arguments, source->n_arguments) ||
        !add_all(c, end, sizeof end / sizeof *end))
        return takt_fail_memory(err);
    return run(c, err);
}

// A linker says where a symbol is used; what helps is where it is.
static takt_status explain(const compilation *c, takt_status st, takt_error *err)
{
    char *messages = NULL;
    size_t size;
    const char *text = "";
    if (takt_file_read(c->messages, MAX_MESSAGES, &messages, &size, NULL)) return st;
    takt_error why = {0};
    takt_status told =
        takt_undefined_explain(c->sources, c->sources_folder, messages, c->arena, &text, &why);
    free(messages);
    if (told == TAKT_ERR_MEMORY) return takt_fail_memory(err);
    return text[0] ? takt_fail(err, st, "the sources are not complete: %s", text) : st;
}

static takt_status link_files(compilation *c, const char *library, takt_error *err)
{
    bool has_cpp = false;
    for (int i = 0; i < c->sources->n_files; i++) has_cpp |= c->sources->files[i].is_cpp;
    const char *const begin[] = {has_cpp ? "c++" : "cc", TAKT_LINK_ARGUMENTS, "-o", library};
    bool ok = add_all(c, begin, sizeof begin / sizeof *begin);
    for (int i = 0; i < c->sources->n_files && ok; i++) {
        const char *object = object_path(c, i);
        ok = object && add(c, object);
    }
    ok = ok && add_all(c, c->sources->libraries, c->sources->n_libraries) && add(c, "-lm");
    if (!ok) return takt_fail_memory(err);
    takt_status st = run(c, err);
    return st == TAKT_ERR_INPUT ? explain(c, st, err) : st;
}

// ---- the library ---------------------------------------------------------------------------------

static takt_status compile(compilation *c, const char *folder, int fmi_major, const char *library,
                           takt_error *err)
{
    c->sources_folder = takt_path_join(c->arena, folder, "sources");
    c->messages = takt_path_join(c->arena, c->work, "messages");
    char *fresh = takt_path_join(c->arena, c->work, "library.so");
    if (!c->sources_folder || !c->messages || !fresh) return takt_fail_memory(err);
    takt_status st = write_headers(c->work, fmi_major, c->arena, err);
    for (int i = 0; i < c->sources->n_files && !st; i++) st = compile_file(c, i, err);
    if (!st) st = link_files(c, fresh, err);
    if (!st) st = takt_stamp_write(library, fresh, err);
    return st ? st : takt_file_rename(fresh, library, err);
}

takt_status takt_compile(const char *folder, const takt_sources *sources, int fmi_major,
                         const char *library, takt_error *err)
{
    takt_arena arena = {0};
    char *work = NULL, *parent = takt_path_folder(&arena, library);
    takt_status st = parent ? takt_folder_create(parent, err) : takt_fail_memory(err);
    if (!st) st = takt_folder_create_temporary(&arena, parent, ".new-", &work, err);
    compilation c = {.sources = sources, .work = work, .arena = &arena};
    if (!st) st = compile(&c, folder, fmi_major, library, err);
    if (work) takt_tree_remove(work);
    free(c.arguments);
    takt_arena_clear(&arena);
    return st;
}
