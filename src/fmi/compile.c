// SPDX-License-Identifier: MIT
// Compiling source FMUs (FMI 2.0.5, section 2.3); see compile.h. All happens in a folder beside the
// library that is removed afterwards: the header files, the compiler's messages, the new library.
#include "fmi/compile.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "fmi/fmi2.h"

static const char types_header[] = "#include \"takt_fmi2.h\"\n"
                                   "#ifndef fmi2TypesPlatform\n"
                                   "#define fmi2TypesPlatform \"default\"\n"
                                   "#define fmi2Version \"2.0\"\n"
                                   "#endif\n";

// Names get the prefix that sources may define before they include the header.
static const char names_header[] =
    "#ifndef fmi2Functions_h\n"
    "#define fmi2Functions_h\n"
    "#include \"fmi2FunctionTypes.h\"\n"
    "#ifndef FMI2_Export\n"
    "#define FMI2_Export __attribute__((visibility(\"default\")))\n"
    "#endif\n"
    "#define fmi2Paste(a, b) a##b\n"
    "#define fmi2PasteB(a, b) fmi2Paste(a, b)\n"
    "#ifdef FMI2_FUNCTION_PREFIX\n"
    "#define fmi2FullName(name) fmi2PasteB(FMI2_FUNCTION_PREFIX, name)\n"
    "#else\n"
    "#define fmi2FullName(name) name\n"
    "#endif\n"
#define NAME_LINE(result, name, parameters) "#define " #name " fmi2FullName(" #name ")\n"
    FMI2_COMMON_FUNCTIONS(NAME_LINE) FMI2_CS_FUNCTIONS(NAME_LINE)
        FMI2_ME_FUNCTIONS(NAME_LINE) "#define TAKT_DECLARE(result, name, parameters) FMI2_Export "
                                     "result name parameters;\n"
                                     "FMI2_COMMON_FUNCTIONS(TAKT_DECLARE)\n"
                                     "FMI2_CS_FUNCTIONS(TAKT_DECLARE)\n"
                                     "FMI2_ME_FUNCTIONS(TAKT_DECLARE)\n"
                                     "#endif\n";

static takt_status write_headers(const char *folder, takt_arena *arena, takt_error *err)
{
    const struct {
        const char *name, *text;
    } headers[] = {{"takt_fmi2.h", takt_fmi2_header},
                   {"fmi2TypesPlatform.h", types_header},
                   {"fmi2FunctionTypes.h", types_header},
                   {"fmi2Functions.h", names_header}};
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        char *path = takt_path_join(arena, folder, headers[i].name);
        if (!path) return takt_fail_memory(err);
        takt_status st = takt_file_write(path, headers[i].text, strlen(headers[i].text), err);
        if (st) return st;
    }
    return TAKT_OK;
}

// The path of a source file, which must lie where sources lie.
static takt_status find_source(const char *folder, const char *name, takt_arena *arena,
                               const char **out, takt_error *err)
{
    if (name[0] == '/' || strstr(name, ".."))
        return takt_fail(err, TAKT_ERR_INPUT, "the source file '%s' leads out of its folder", name);
    *out = takt_path_join(arena, folder, name);
    if (!*out) return takt_fail_memory(err);
    if (takt_path_is_file(*out)) return TAKT_OK;
    return takt_fail(err, TAKT_ERR_INPUT, "the source file sources/%s is missing", name);
}

// The arguments for the compiler, ended by NULL. FMUs are no code of ours: warnings are left out.
static takt_status list_arguments(const char *sources_folder, const char *const *sources,
                                  int n_sources, const char *work, const char *library,
                                  takt_arena *arena, const char ***out, takt_error *err)
{
    const char *const begin[] = {"cc", "-shared", "-fPIC",        "-O2", "-w",   "-I",
                                 work, "-I",      sources_folder, "-o",  library};
    enum { N_BEGIN = sizeof begin / sizeof *begin };
    const char **list = takt_arena_array(arena, (size_t)n_sources + N_BEGIN + 2, sizeof *list);
    if (!list) return takt_fail_memory(err);
    memcpy(list, begin, sizeof begin);
    for (int i = 0; i < n_sources; i++) {
        takt_status st = find_source(sources_folder, sources[i], arena, &list[N_BEGIN + i], err);
        if (st) return st;
    }
    list[N_BEGIN + n_sources] = "-lm";
    *out = list;
    return TAKT_OK;
}

// The first lines that the compiler wrote.
static takt_status fail_compiler(const char *messages, int exit_code, takt_error *err)
{
    enum { MAX_READ = 1 << 20, MAX_SHOWN = 600 };
    char *text = NULL;
    size_t size = 0;
    if (takt_file_read(messages, MAX_READ, &text, &size, NULL)) text = NULL;
    const char *from = text ? strstr(text, "error:") : NULL;
    while (from && from > text && from[-1] != '\n') from--;
    takt_status st =
        takt_fail(err, TAKT_ERR_INPUT, "the sources cannot be compiled: cc ended with %d%s%.*s",
                  exit_code, text && size ? ":\n" : "", MAX_SHOWN,
                  from   ? from
                  : text ? text
                         : "");
    free(text);
    return st;
}

static takt_status compile(const char *folder, const char *const *sources, int n_sources,
                           const char *work, const char *library, takt_arena *arena,
                           takt_error *err)
{
    char *sources_folder = takt_path_join(arena, folder, "sources");
    char *fresh = takt_path_join(arena, work, "library.so");
    char *messages = takt_path_join(arena, work, "messages");
    const char **arguments = NULL;
    int exit_code = 0;
    if (!sources_folder || !fresh || !messages) return takt_fail_memory(err);
    takt_status st = write_headers(work, arena, err);
    if (!st)
        st =
            list_arguments(sources_folder, sources, n_sources, work, fresh, arena, &arguments, err);
    if (!st) st = takt_process_run(arguments, messages, &exit_code, err);
    if (!st && exit_code != 0) st = fail_compiler(messages, exit_code, err);
    if (!st) st = takt_file_rename(fresh, library, err);
    return st;
}

takt_status takt_compile_sources(const char *folder, const char *const *sources, int n_sources,
                                 const char *library, takt_error *err)
{
    takt_arena arena = {0};
    char *work = NULL, *parent = takt_path_folder(&arena, library);
    takt_status st = parent ? takt_folder_create(parent, err) : takt_fail_memory(err);
    if (!st) st = takt_folder_create_temporary(&arena, parent, ".new-", &work, err);
    if (!st) st = compile(folder, sources, n_sources, work, library, &arena, err);
    if (work) takt_tree_remove(work);
    takt_arena_clear(&arena);
    return st;
}
