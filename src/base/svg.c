// SPDX-License-Identifier: MIT
// Pieces of pictures in SVG; see svg.h.
#include "base/svg.h"

#include <string.h>

void takt_svg_add_escaped(takt_text *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        switch (c) {
        case '&': takt_text_add(out, "&amp;"); break;
        case '<': takt_text_add(out, "&lt;"); break;
        case '>': takt_text_add(out, "&gt;"); break;
        case '"': takt_text_add(out, "&quot;"); break;
        default: takt_text_add_n(out, c < ' ' ? "?" : text + i, 1);
        }
    }
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

int takt_svg_count_characters(const char *text)
{
    int n = 0;
    for (; *text; text++) n += !is_continuation(*text);
    return n;
}

// The byte at which character number `n` starts.
static size_t offset_of(const char *text, int n)
{
    size_t i = 0;
    for (; text[i] && n > 0; n--) do
            i++;
        while (is_continuation(text[i]));
    return i;
}

void takt_svg_add_shortened(takt_text *out, const char *text, int most)
{
    int n = takt_svg_count_characters(text);
    if (n <= most) {
        takt_svg_add_escaped(out, text, strlen(text));
        return;
    }
    takt_svg_add_escaped(out, text, offset_of(text, most / 2));
    takt_text_add(out, "\u2026");
    takt_svg_add_escaped(out, text + offset_of(text, n - (most - most / 2 - 1)),
                         strlen(text) - offset_of(text, n - (most - most / 2 - 1)));
}
