// SPDX-License-Identifier: MIT
// See c_text.h. Names of variables come from other tools: "der(x)", "a.b[1]", "int", "*/", any script.
#include "author/c_text.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/number.h"

// Words of C and C++ up to their versions of 2023, macros of the headers that fmukit.h includes, and those that compilers
// define without an underscore.
static const char *const reserved[] = {
    "alignas",       "alignof",   "and",        "and_eq",
    "asm",           "assert",    "auto",       "bitand",
    "bitor",         "bool",      "break",      "case",
    "catch",         "char",      "char16_t",   "char32_t",
    "char8_t",       "class",     "compl",      "complex",
    "concept",       "const",     "const_cast", "consteval",
    "constexpr",     "constinit", "continue",   "co_await",
    "co_return",     "co_yield",  "decltype",   "default",
    "delete",        "do",        "double",     "dynamic_cast",
    "else",          "enum",      "errno",      "explicit",
    "export",        "extern",    "false",      "far",
    "float",         "for",       "fortran",    "friend",
    "goto",          "huge",      "i386",       "if",
    "imaginary",     "inline",    "int",        "interface",
    "linux",         "long",      "main",       "mutable",
    "namespace",     "near",      "new",        "noexcept",
    "not",           "not_eq",    "nullptr",    "offsetof",
    "operator",      "or",        "or_eq",      "private",
    "protected",     "public",    "register",   "reinterpret_cast",
    "requires",      "restrict",  "return",     "short",
    "signed",        "sizeof",    "static",     "static_assert",
    "static_cast",   "stderr",    "stdin",      "stdout",
    "struct",        "switch",    "template",   "this",
    "thread_local",  "throw",     "true",       "try",
    "typedef",       "typeid",    "typename",   "typeof",
    "typeof_unqual", "union",     "unix",       "unsigned",
    "using",         "va_arg",    "va_copy",    "va_end",
    "va_start",      "virtual",   "void",       "volatile",
    "wchar_t",       "while",     "xor",        "xor_eq",
};

static bool is_reserved(const char *word)
{
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (strcmp(reserved[i], word) == 0) return true;
    // Macros are in capital letters.
    bool is_capital = word[0] && word[1];
    for (const char *c = word; *c; c++)
        if (islower((unsigned char)*c)) is_capital = false;
    return is_capital || strncmp(word, "fmukit", 6) == 0;
}

bool takt_c_is_identifier(const char *text)
{
    if (!isalpha((unsigned char)*text) && *text != '_') return false;
    for (; *text; text++)
        if ((unsigned char)*text > 127 || (!isalnum((unsigned char)*text) && *text != '_'))
            return false;
    return true;
}

// All other characters become an underscore, several of them one; a letter comes first.
static void add_letters(takt_text *out, const char *text)
{
    enum { LONGEST = 48 }; // of readable names
    if (!isalpha((unsigned char)*text) || (unsigned char)*text > 127) takt_text_add(out, "v");
    for (; *text && out->length < LONGEST; text++) {
        unsigned char c = (unsigned char)*text;
        bool is_plain = c < 128 && isalnum(c);
        if (is_plain)
            takt_text_add_n(out, text, 1);
        else if (out->data && out->data[out->length - 1] != '_')
            takt_text_add(out, "_");
    }
    while (out->length > 1 && out->data[out->length - 1] == '_') out->data[--out->length] = 0;
}

const char *takt_c_identifier(takt_arena *arena, const char *text, takt_map *taken)
{
    takt_text word = {0};
    add_letters(&word, text);
    if (word.data && is_reserved(word.data)) takt_text_add(&word, "_");
    const char *name = word.failed ? NULL : takt_arena_copy(arena, word.data);
    takt_text_clear(&word);
    for (int i = 2; name && takt_map_find(taken, name) >= 0; i++) {
        const char *stem = name;
        if (i > 2) { // without the number before
            const char *end = strrchr(name, '_');
            stem = takt_arena_copy_n(arena, name, (size_t)(end - name));
        }
        name = stem ? takt_arena_print(arena, "%s_%d", stem, i) : NULL;
    }
    return name && takt_map_add(taken, name, 0) ? name : NULL;
}

// Marks that change the direction of text or are not seen: U+200B to U+200F, U+2028 to U+202E, U+2060 to U+2069, U+FEFF.
static bool is_hidden_mark(const char *text, int length)
{
    const unsigned char *c = (const unsigned char *)text;
    if (length != 3) return false;
    if (c[0] == 0xe2 && c[1] == 0x80)
        return (c[2] >= 0x8b && c[2] <= 0x8f) || (c[2] >= 0xa8 && c[2] <= 0xae);
    if (c[0] == 0xe2 && c[1] == 0x81) return c[2] >= 0xa0 && c[2] <= 0xa9;
    return c[0] == 0xef && c[1] == 0xbb && c[2] == 0xbf;
}

void takt_c_add_string(takt_text *out, const char *text, size_t size)
{
    takt_text_add(out, "\"");
    for (size_t i = 0; i < size;) {
        unsigned char c = (unsigned char)text[i];
        int length = c ? takt_utf8_length(text + i) : 0;
        if (c == '"' || c == '\\' || c == '?') {
            takt_text_print(out, "\\%c", c);
        } else if (c < 32 || c == 127 || length == 0 || is_hidden_mark(text + i, length)) {
            if (length == 0) length = 1;
            for (int k = 0; k < length; k++)
                takt_text_print(out, "\\%03o", (unsigned)(unsigned char)text[i + (size_t)k]);
        } else {
            takt_text_add_n(out, text + i, (size_t)length);
        }
        i += length ? (size_t)length : 1;
    }
    takt_text_add(out, "\"");
}

void takt_c_add_comment(takt_text *out, const char *text)
{
    while (*text) {
        unsigned char c = (unsigned char)*text;
        int length = takt_utf8_length(text);
        if (c < 32 || c == 127 || length == 0 || is_hidden_mark(text, length))
            takt_text_add(out, " ");
        else if (c == '\\') // at the end of a line it would continue the comment
            takt_text_add(out, "/");
        else if (c == '?' && text[1] == '?')
            takt_text_add(out, "? ");
        else
            takt_text_add_n(out, text, (size_t)length);
        text += length ? length : 1;
    }
}

void takt_c_add_number(takt_text *out, double value)
{
    char digits[TAKT_NUMBER_SIZE];
    if (isnan(value))
        takt_text_add(out, "(double)NAN");
    else if (isinf(value))
        takt_text_add(out, value > 0 ? "(double)INFINITY" : "-(double)INFINITY");
    else {
        takt_number_write(digits, value);
        takt_text_add(out, digits);
        if (!strpbrk(digits, ".e")) takt_text_add(out, ".0");
    }
}

void takt_cmake_add_argument(takt_text *out, const char *text)
{
    takt_text_add(out, "\"");
    for (; *text; text++) {
        if (strchr("\"\\$@", *text)) takt_text_add(out, "\\");
        takt_text_add_n(out, text, 1);
    }
    takt_text_add(out, "\"");
}
