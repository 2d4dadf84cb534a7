// SPDX-License-Identifier: MIT
// Building, matching and comparing text. takt_text_nearest() is in takt/text.h.
#ifndef TAKT_BASE_TEXT_H
#define TAKT_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "takt/text.h"

/// A growing text. A zeroed one is empty and ready for use. When memory is exhausted `failed` is
/// set and stays set, so that only the end of a long construction has to be checked.
typedef struct takt_text {
    char *data; ///< terminated by 0; NULL while nothing was added
    size_t length, capacity;
    bool failed;
} takt_text;

void takt_text_clear(takt_text *text);
void takt_text_add(takt_text *text, const char *piece);
void takt_text_add_n(takt_text *text, const char *piece, size_t length);
void takt_text_print(takt_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Hands the characters over to the caller, who frees them; NULL when memory was exhausted. The
/// text is empty afterwards.
char *takt_text_take(takt_text *text);

/// The number of bytes of the UTF-8 character at `text`; 0 when there is none.
int takt_utf8_length(const char *text);

/// Is all of the text UTF-8? takt_utf8_clean() makes it so: every other byte becomes '_'.
bool takt_utf8_is_valid(const char *text);
void takt_utf8_clean(char *text);

/// Does `name` match a pattern in which `*` stands for any characters and `?` for one?
bool takt_glob_matches(const char *pattern, const char *name);

/// Turns a name into a pattern that matches it and has no blanks, in place.
void takt_glob_without_blanks(char *name);

#endif
