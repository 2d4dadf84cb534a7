// SPDX-License-Identifier: MIT
// Encodings of XML texts: what a person wrote in another one than UTF-8 stays in it.
#ifndef TAKT_BASE_XML_ENCODING_H
#define TAKT_BASE_XML_ENCODING_H

#include <stdbool.h>

#include "base/text.h"

/// How the characters of a text are stored.
typedef struct takt_xml_encoding {
    char name[64]; ///< as libxml2 knows it
    int mark_length; ///< bytes of the byte order mark at the beginning; 0: none
} takt_xml_encoding;

/// The encoding of a text, by its byte order mark or its declaration; UTF-8 if it has neither.
takt_xml_encoding takt_xml_encoding_of(const char *text, size_t n);

/// The text in UTF-8 without a mark; empty where that is not possible. Returns false when memory is exhausted.
bool takt_xml_decode(const takt_xml_encoding *encoding, const char *text, size_t n, takt_text *out);

/// Stores a text of UTF-8 in another encoding, in place, with the mark. Characters that it has not become references ("&#8364;"). Where that
/// is not possible the text stays. Returns false when memory is exhausted.
bool takt_xml_encode(const takt_xml_encoding *encoding, takt_text *text);

#endif
