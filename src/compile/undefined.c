// SPDX-License-Identifier: MIT
// Symbols that nothing defines; see undefined.h. Files that were not compiled are read word by word, as far as
// telling definitions from declarations and uses asks for it; what is hostile can only get a wrong file named.
#include "compile/undefined.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/tree.h"

enum { MAX_SYMBOLS = 5, MAX_NAME = 120, MAX_SIZE = 64 << 20 };

// ---- words ---------------------------------------------------------------------------------------

// A word, or a single other character; texts in quotes are one '"'.
typedef struct token {
    const char *text;
    size_t n;
} token;

typedef struct reader {
    const char *at;
    bool is_line_begun;
} reader;

static bool is_letter(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_text(const char *at)
{
    char quote = *at++;
    while (*at && *at != quote && *at != '\n') at += at[0] == '\\' && at[1] ? 2 : 1;
    return *at == quote ? at + 1 : at;
}

static const char *skip_comment(const char *at)
{
    const char *end = at[1] == '*' ? strstr(at + 2, "*/") : strchr(at, '\n');
    if (!end) return at + strlen(at);
    return at[1] == '*' ? end + 2 : end;
}

// "#define A \", with the lines that belong to it.
static const char *skip_directive(const char *at)
{
    while (*at && *at != '\n') at += at[0] == '\\' && at[1] ? 2 : 1;
    return at;
}

static bool next(reader *r, token *out)
{
    for (; *r->at; r->at++) {
        while (r->at[0] == '/' && (r->at[1] == '*' || r->at[1] == '/')) r->at = skip_comment(r->at);
        if (*r->at == '#' && !r->is_line_begun) r->at = skip_directive(r->at);
        if (!*r->at) break;
        if (*r->at == '\n') r->is_line_begun = false;
        if (!isspace((unsigned char)*r->at)) break;
    }
    if (!*r->at) return false;
    r->is_line_begun = true;
    const char *from = r->at;
    if (*from == '"' || *from == '\'')
        r->at = skip_text(from);
    else if (is_letter(*from))
        while (is_letter(*r->at)) r->at++;
    else
        r->at++;
    bool is_word = is_letter(*from);
    *out = (token){*from == '\'' ? "\"" : from, is_word ? (size_t)(r->at - from) : 1};
    return true;
}

static bool is(token t, const char *text)
{
    return t.n == strlen(text) && strncmp(t.text, text, t.n) == 0;
}

// ---- definitions ---------------------------------------------------------------------------------

// What has been read of a declaration.
typedef struct declaration {
    int n_words, n_brackets;
    bool is_static, is_no_variable;
} declaration;

// Behind "(": is there a body after the parameters?
static bool has_body(reader r)
{
    token t = {0};
    for (int depth = 1; depth > 0;) {
        if (!next(&r, &t)) return false;
        depth += is(t, "(") ? 1 : is(t, ")") ? -1 : 0;
    }
    while (next(&r, &t))
        if (!is(t, "const") && !is(t, "noexcept")) return is(t, "{");
    return false;
}

// Behind the name, in the rest of its declaration.
static bool is_defined_by(reader r, const declaration *d, bool is_outermost)
{
    token t;
    if (d->is_static || d->n_words == 0 || !next(&r, &t)) return false;
    if (is(t, "(")) return has_body(r);
    if (!is_outermost || d->n_brackets || d->is_no_variable) return false;
    return is(t, "=") || is(t, ";") || is(t, ",") || is(t, "[");
}

static void follow(declaration *d, token t)
{
    d->n_words += is_letter(*t.text);
    d->n_brackets += is(t, "(") ? 1 : is(t, ")") ? -1 : 0;
    d->is_static |= is(t, "static") || is(t, "return");
    d->is_no_variable |= is(t, "extern") || is(t, "typedef") || is(t, "=");
    if (is(t, "\"")) d->is_no_variable = false; // extern "C"
}

bool takt_undefined_is_in(const char *text, const char *name)
{
    reader r = {.at = text};
    declaration d = {0};
    int depth = 0; // of braces, but those of extern "C"
    bool is_after_text = false;
    for (token t; next(&r, &t); is_after_text = is(t, "\"")) {
        if (is(t, name) && is_defined_by(r, &d, depth == 0)) return true;
        follow(&d, t);
        if (is(t, "{") && !is_after_text) depth++;
        if (is(t, "}") && depth > 0) depth--;
        if (is(t, "{") || is(t, "}") || is(t, ";")) d = (declaration){0};
    }
    return false;
}

// ---- symbols -------------------------------------------------------------------------------------

// The next name that the linker misses, as it writes it: "rest", "name::rest(int)". NULL: there is none.
static const char *find_missing(const char *at, char out[MAX_NAME])
{
    static const char *const words[] = {"undefined reference to ", "undefined symbol: "};
    const char *found = NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *here = strstr(at, words[i]);
        if (here && (!found || here < found)) found = here + strlen(words[i]);
    }
    if (!found) return NULL;
    while (*found && *found != '\n' && !is_letter(*found))
        found++; // quotes, also those beyond ASCII
    size_t n = strcspn(found, "'\n");
    if (n >= MAX_NAME) n = MAX_NAME - 1;
    memcpy(out, found, n);
    out[n] = 0;
    return found + n;
}

// "name::rest(int)": rest
static void take_word(const char *shown, char out[MAX_NAME])
{
    size_t end = strcspn(shown, "("), begin;
    while (end > 0 && !is_letter(shown[end - 1])) end--;
    for (begin = end; begin > 0 && is_letter(shown[begin - 1]); begin--) continue;
    memcpy(out, shown + begin, end - begin);
    out[end - begin] = 0;
}

static bool is_source(const char *name, bool is_folder)
{
    static const char *const endings[] = {".c", ".cpp", ".cc", ".cxx", ".C", ".c++"};
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && !is_folder && i < sizeof endings / sizeof *endings; i++)
        if (strcmp(dot, endings[i]) == 0) return true;
    return is_folder;
}

static bool is_compiled(const takt_sources *sources, const char *path)
{
    for (int i = 0; i < sources->n_files; i++)
        if (strcmp(sources->files[i].path, path) == 0) return true;
    return false;
}

// The file that defines a symbol and was not compiled; NULL: none, as far as can be seen.
static takt_status find_file(const takt_sources *sources, const char *folder, const char *symbol,
                             takt_arena *arena, const char **out, takt_error *err)
{
    char **names = NULL;
    int n = 0;
    *out = NULL;
    takt_status st = takt_tree_list(arena, folder, is_source, &names, &n, err);
    for (int i = 0; i < n && !st && !*out; i++) {
        char *path = takt_path_join(arena, folder, names[i]), *text = NULL;
        size_t size;
        if (!path) return takt_fail_memory(err);
        if (is_compiled(sources, path)) continue;
        st = takt_file_read(path, MAX_SIZE, &text, &size, err);
        if (!st && takt_undefined_is_in(text, symbol)) *out = names[i];
        free(text);
    }
    return st;
}

takt_status takt_undefined_explain(const takt_sources *sources, const char *folder,
                                   const char *messages, takt_arena *arena, const char **out,
                                   takt_error *err)
{
    char shown[MAX_NAME], word[MAX_NAME], told[MAX_SYMBOLS][MAX_NAME];
    const char *text = "";
    int n = 0;
    for (const char *at = messages; (at = find_missing(at, shown)) && n < MAX_SYMBOLS;) {
        bool is_told = false;
        for (int i = 0; i < n; i++) is_told |= strcmp(told[i], shown) == 0;
        if (is_told) continue;
        memcpy(told[n++], shown, sizeof shown);
        take_word(shown, word);
        const char *file;
        takt_status st = find_file(sources, folder, word, arena, &file, err);
        if (st) return st;
        const char *comma = n > 1 ? "; " : "";
        text = file ? takt_arena_print(arena,
                                       "%s%s'%s' is defined in sources/%s, which is not among the "
                                       "files to compile",
                                       text, comma, shown, file)
                    : takt_arena_print(arena, "%s%s'%s' is not defined in any of them", text, comma,
                                       shown);
        if (!text) return takt_fail_memory(err);
    }
    *out = text;
    return TAKT_OK;
}
