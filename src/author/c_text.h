// SPDX-License-Identifier: MIT
// Any text as C: identifiers, string literals, comments; and as text in CMake.
#ifndef TAKT_AUTHOR_C_TEXT_H
#define TAKT_AUTHOR_C_TEXT_H

#include "base/arena.h"
#include "base/map.h"
#include "base/text.h"

/// Letters, digits and underscores, beginning with none of the digits: what the kit accepts as the name of an FMU.
bool takt_c_is_identifier(const char *text);

/// An identifier like `text` that is neither a word of C or C++ nor in `taken`, into which it is entered. NULL: out of memory.
const char *takt_c_identifier(takt_arena *arena, const char *text, takt_map *taken);

/// A string literal with its quotes. Trigraphs, line ends and characters that change the direction of text are escaped.
void takt_c_add_string(takt_text *out, const char *text, size_t size);

/// A piece of a comment that begins with two slashes: nothing in it ends or continues the line.
void takt_c_add_comment(takt_text *out, const char *text);

/// A double as a constant of C.
void takt_c_add_number(takt_text *out, double value);

/// An argument of CMake in which nothing has a meaning.
void takt_cmake_add_argument(takt_text *out, const char *text);

#endif
