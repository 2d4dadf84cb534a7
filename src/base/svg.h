// SPDX-License-Identifier: MIT
// Pieces of pictures in SVG.
#ifndef TAKT_BASE_SVG_H
#define TAKT_BASE_SVG_H

#include "base/text.h"

/// Adds text for XML: special characters as entities; what XML does not allow becomes '?'.
void takt_svg_add_escaped(takt_text *out, const char *text, size_t length);

/// The same, of at most `most` characters; of a longer text the middle is left out.
void takt_svg_add_shortened(takt_text *out, const char *text, int most);

/// How many characters of UTF-8 a text has.
int takt_svg_count_characters(const char *text);

#endif
