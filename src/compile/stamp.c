// SPDX-License-Identifier: MIT
// Notes beside compiled libraries; see stamp.h. A note is two hashes, of the library and of what it was made by: what
// "cc --version" and "c++ --version" print, the arguments, the header files of the standard.
#include "compile/stamp.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/process.h"
#include "base/text.h"
#include "compile/standard_headers.h"

enum { DIGITS = TAKT_HASH_SIZE - 1, NOTE_SIZE = 2 * DIGITS + 2 }; // with a line end each

static takt_status hash_library(const char *path, char hash[TAKT_HASH_SIZE], takt_error *err)
{
    FILE *file = NULL;
    takt_status st = takt_file_open(path, &file, err);
    if (st) return st;
    st = takt_hash_file(file, hash, err);
    fclose(file);
    return st;
}

// ---- the maker -----------------------------------------------------------------------------------

// What a compiler says about itself; nothing where there is none.
static takt_status add_compiler(takt_text *text, const char *name, const char *messages)
{
    enum { MAX_SIZE = 1 << 16 };
    const char *const arguments[] = {name, "--version", NULL};
    char *said = NULL;
    size_t size;
    int exit_code;
    takt_status st = takt_process_run(arguments, messages, &exit_code, NULL);
    if (!st) st = takt_file_read(messages, MAX_SIZE, &said, &size, NULL);
    if (!st) takt_text_print(text, "%s %s", name, said);
    free(said);
    return st == TAKT_ERR_MEMORY ? st : TAKT_OK;
}

static takt_status add_compilers(takt_text *text)
{
    takt_arena arena = {0};
    char *folder = NULL;
    takt_status st = takt_folder_create_temporary(&arena, NULL, "takt-compiler-", &folder, NULL);
    const char *messages = st ? NULL : takt_path_join(&arena, folder, "messages");
    if (!st && !messages) st = TAKT_ERR_MEMORY;
    if (!st) st = add_compiler(text, "cc", messages);
    if (!st) st = add_compiler(text, "c++", messages);
    if (folder) takt_tree_remove(folder);
    takt_arena_clear(&arena);
    return st == TAKT_ERR_MEMORY ? st : TAKT_OK;
}

static void add_rest(takt_text *text)
{
    static const char *const arguments[] = {TAKT_COMPILE_ARGUMENTS, TAKT_LINK_ARGUMENTS};
    for (size_t i = 0; i < sizeof arguments / sizeof *arguments; i++)
        takt_text_print(text, "%s ", arguments[i]);
    for (int major = 1; major <= 3; major++)
        for (const takt_standard_header *header = takt_standard_headers(major); header->name;
             header++)
            takt_text_print(text, "%s\n%s", header->name, header->text);
}

// "": there is no compiler.
static takt_status hash_maker(char hash[TAKT_HASH_SIZE], takt_error *err)
{
    takt_text text = {0};
    takt_status st = add_compilers(&text);
    bool is_there = text.length > 0;
    add_rest(&text);
    if (text.failed) st = TAKT_ERR_MEMORY;
    hash[0] = 0;
    if (!st && is_there) takt_hash_bytes(text.data, text.length, hash);
    takt_text_clear(&text);
    return st ? takt_fail_memory(err) : TAKT_OK;
}

// ---- notes ---------------------------------------------------------------------------------------

static char *note_path(takt_arena *arena, const char *library)
{
    return takt_arena_print(arena, "%s.sha256", library);
}

takt_status takt_stamp_write(const char *library, const char *fresh, takt_error *err)
{
    takt_arena arena = {0};
    char of_library[TAKT_HASH_SIZE], of_maker[TAKT_HASH_SIZE];
    takt_status st = hash_library(fresh, of_library, err);
    if (!st) st = hash_maker(of_maker, err);
    if (!st) {
        const char *path = note_path(&arena, library);
        const char *note = takt_arena_print(&arena, "%s\n%s\n", of_library, of_maker);
        st = path && note ? takt_file_write(path, note, strlen(note), err) : takt_fail_memory(err);
    }
    takt_arena_clear(&arena);
    return st;
}

// The line of a note that begins at `at`; false: there is none.
static bool take_line(const char *note, size_t size, size_t at, char out[TAKT_HASH_SIZE])
{
    if (size < at + DIGITS + 1 || note[at + DIGITS] != '\n') return false;
    memcpy(out, note + at, DIGITS);
    out[DIGITS] = 0;
    return true;
}

// The two hashes that are noted; false: there are none.
static bool read_note(const char *library, char of_library[TAKT_HASH_SIZE],
                      char of_maker[TAKT_HASH_SIZE])
{
    takt_arena arena = {0};
    const char *path = note_path(&arena, library);
    char *note = NULL;
    size_t size = 0;
    bool ok = path && takt_path_is_file(path) &&
              takt_file_read(path, NOTE_SIZE, &note, &size, NULL) == TAKT_OK &&
              take_line(note, size, 0, of_library) && take_line(note, size, DIGITS + 1, of_maker);
    free(note);
    takt_arena_clear(&arena);
    return ok;
}

bool takt_stamp_is_intact(const char *library)
{
    char noted[TAKT_HASH_SIZE], maker[TAKT_HASH_SIZE], hash[TAKT_HASH_SIZE];
    return takt_path_is_file(library) && read_note(library, noted, maker) &&
           hash_library(library, hash, NULL) == TAKT_OK && strcmp(noted, hash) == 0;
}

takt_status takt_stamp_is_current(const char *library, bool *out, takt_error *err)
{
    char noted[TAKT_HASH_SIZE], maker[TAKT_HASH_SIZE], hash[TAKT_HASH_SIZE];
    takt_status st = hash_maker(hash, err);
    if (st) return st;
    *out = hash[0] == 0 || (read_note(library, noted, maker) && strcmp(maker, hash) == 0);
    return TAKT_OK;
}
