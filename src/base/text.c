// SPDX-License-Identifier: MIT
// Building, matching and comparing text; see text.h.
#include "base/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void takt_text_clear(takt_text *text)
{
    free(text->data);
    *text = (takt_text){0};
}

static bool reserve(takt_text *text, size_t more)
{
    if (text->failed) return false;
    if (more < text->capacity - text->length) return true;
    size_t wanted = text->length + more + 1;
    if (wanted < 2 * text->capacity) wanted = 2 * text->capacity;
    char *grown = wanted > more ? realloc(text->data, wanted) : NULL;
    if (!grown) {
        text->failed = true;
        return false;
    }
    text->data = grown;
    text->capacity = wanted;
    return true;
}

void takt_text_add_n(takt_text *text, const char *piece, size_t length)
{
    if (!reserve(text, length)) return;
    memcpy(text->data + text->length, piece, length);
    text->length += length;
    text->data[text->length] = 0;
}

void takt_text_add(takt_text *text, const char *piece)
{
    takt_text_add_n(text, piece, strlen(piece));
}

void takt_text_print(takt_text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0 || !reserve(text, (size_t)length)) return;
    va_start(arguments, format);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)length;
}

char *takt_text_take(takt_text *text)
{
    takt_text_add_n(text, "", 0); // an empty text is "", not NULL
    char *data = text->failed ? NULL : text->data;
    if (text->failed) free(text->data);
    *text = (takt_text){0};
    return data;
}

int takt_utf8_length(const char *text)
{
    const unsigned char *c = (const unsigned char *)text;
    int n = *c < 0x80 ? 1 : *c >= 0xC2 && *c < 0xE0 ? 2 : (*c & 0xF0) == 0xE0 ? 3 : 0;
    if (*c >= 0xF0 && *c < 0xF5) n = 4;
    for (int i = 1; i < n; i++)
        if ((c[i] & 0xC0) != 0x80) return 0;
    // Longer forms than needed, halves of UTF-16 characters, and what lies beyond Unicode.
    bool is_other = (*c == 0xE0 && c[1] < 0xA0) || (*c == 0xED && c[1] > 0x9F) ||
                    (*c == 0xF0 && c[1] < 0x90) || (*c == 0xF4 && c[1] > 0x8F);
    return n > 2 && is_other ? 0 : n;
}

bool takt_utf8_is_valid(const char *text)
{
    int n = 1;
    for (; *text && n; text += n) n = takt_utf8_length(text);
    return n != 0;
}

void takt_utf8_clean(char *text)
{
    for (int n; *text; text += n) {
        n = takt_utf8_length(text);
        if (n) continue;
        *text = '_';
        n = 1;
    }
}

bool takt_glob_matches(const char *pattern, const char *name)
{
    // After a mismatch only the latest star has to be tried again, so the cost is at most
    // length(pattern) * length(name).
    const char *star = NULL, *resume = NULL;
    while (*name) {
        if (*pattern == '*') {
            star = ++pattern;
            resume = name;
        } else if (*pattern == '?' || *pattern == *name) {
            pattern++, name++;
        } else if (star) {
            pattern = star;
            name = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*') pattern++;
    return *pattern == 0;
}

void takt_glob_without_blanks(char *name)
{
    for (char *c = name; *c; c++)
        if (*c == ' ' || *c == '\t') *c = '?';
}

enum { LONGEST_COMPARED = 128 };

static bool is_alike(char a, char b)
{
    return (a | 0x20) == (b | 0x20);
}

static int least_of(int a, int b)
{
    return a < b ? a : b;
}

// Letters that are missing, too many, wrong, or swapped with their neighbour (Damerau and Levenshtein), without regard to
// upper and lower case; beyond `limit` the result is not exact.
static int distance(const char *a, const char *b, int limit)
{
    size_t n_a = strlen(a), n_b = strlen(b);
    if (n_a > LONGEST_COMPARED || n_b > LONGEST_COMPARED) return limit + 1;
    int rows[3][LONGEST_COMPARED + 1]; // for the beginnings of `a` with i, i - 1 and i - 2 letters
    for (size_t j = 0; j <= n_b; j++) rows[0][j] = (int)j;
    for (size_t i = 1; i <= n_a; i++) {
        int *row = rows[i % 3], *last = rows[(i + 2) % 3], *older = rows[(i + 1) % 3];
        row[0] = (int)i;
        for (size_t j = 1; j <= n_b; j++) {
            int best = last[j - 1] + !is_alike(a[i - 1], b[j - 1]);
            best = least_of(best, least_of(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && is_alike(a[i - 1], b[j - 2]) && is_alike(a[i - 2], b[j - 1]))
                best = least_of(best, older[j - 2] + 1);
            row[j] = best;
        }
    }
    return rows[n_a % 3][n_b];
}

const char *takt_text_nearest(const char *name, int n, const char *(*candidate)(void *, int),
                              void *context)
{
    if (!name || !candidate) return NULL;
    int length = (int)strnlen(name, LONGEST_COMPARED + 1);
    int limit = 1 + length / 4;
    if (limit >= length) limit = length - 1; // at least one letter must agree
    int least = limit + 1;
    const char *nearest = NULL;
    for (int i = 0; i < n; i++) {
        const char *text = candidate(context, i);
        if (!text || strcmp(name, text) == 0) continue; // whatever is wrong, it is not the name
        int d = distance(name, text, limit);
        if (d < least) {
            least = d;
            nearest = text;
        }
    }
    return nearest;
}
