// SPDX-License-Identifier: MIT
// Encodings of XML texts, by the converters of libxml2: what it can read can be written again.
#include "base/xml_encoding.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <libxml/encoding.h>
#include <libxml/tree.h>

#include "base/xml_memory.h"

/// Texts that begin so; without a mark, those of 16 bits begin with '<'.
static const struct {
    const char *bytes;
    int length, mark_length;
    const char *name;
} beginnings[] = {{"\xef\xbb\xbf", 3, 3, "UTF-8"},
                  {"\xfe\xff", 2, 2, "UTF-16BE"},
                  {"\xff\xfe", 2, 2, "UTF-16LE"},
                  {"\0<", 2, 0, "UTF-16BE"},
                  {"<\0", 2, 0, "UTF-16LE"}};
enum { N_BEGINNINGS = sizeof beginnings / sizeof *beginnings };

static const char *mark_of(const takt_xml_encoding *encoding)
{
    for (int i = 0; i < N_BEGINNINGS; i++)
        if (strcasecmp(beginnings[i].name, encoding->name) == 0) return beginnings[i].bytes;
    return "";
}

static bool is_utf8(const takt_xml_encoding *encoding)
{
    return strcasecmp(encoding->name, "UTF-8") == 0;
}

// The value of "encoding" in the declaration at the beginning; false: there is none.
static bool read_declared(const char *text, size_t n, takt_xml_encoding *out)
{
    char start[256];
    size_t length = n < sizeof start - 1 ? n : sizeof start - 1;
    memcpy(start, text, length);
    start[length] = 0;
    char *end = strstr(start, "?>");
    if (strncmp(start, "<?xml", 5) != 0 || !end) return false;
    *end = 0;
    const char *at = strstr(start, "encoding");
    at = at ? strpbrk(at, "\"'") : NULL;
    const char *close = at ? strchr(at + 1, *at) : NULL;
    if (!close || (size_t)(close - at) > sizeof out->name) return false;
    snprintf(out->name, sizeof out->name, "%.*s", (int)(close - at - 1), at + 1);
    return true;
}

takt_xml_encoding takt_xml_encoding_of(const char *text, size_t n)
{
    takt_xml_encoding encoding = {.name = "UTF-8"};
    for (int i = 0; i < N_BEGINNINGS; i++) {
        size_t length = (size_t)beginnings[i].length;
        if (n < length || memcmp(text, beginnings[i].bytes, length) != 0) continue;
        snprintf(encoding.name, sizeof encoding.name, "%s", beginnings[i].name);
        encoding.mark_length = beginnings[i].mark_length;
        return encoding;
    }
    read_declared(text, n, &encoding);
    return encoding;
}

typedef int (*convert_fn)(xmlCharEncodingHandler *handler, xmlBuffer *out, xmlBuffer *in);

// Returns false where the text cannot be converted; `out` has what could be until then.
static bool convert_all(xmlCharEncodingHandler *handler, convert_fn convert, xmlBuffer *in,
                        xmlBuffer *out)
{
    while (xmlBufferLength(in) > 0) {
        int before = xmlBufferLength(in);
        if (convert(handler, out, in) < 0 && xmlBufferLength(in) == before) return false;
        if (takt_xml_has_failed() || xmlBufferLength(in) == before) return false;
    }
    return true;
}

// `out` stays empty where that is not possible.
static bool convert_text(const char *name, convert_fn convert, const char *text, size_t n,
                         takt_text *out)
{
    if (!takt_xml_begin()) return false;
    xmlCharEncodingHandler *handler = xmlFindCharEncodingHandler(name);
    xmlBuffer *in = handler ? xmlBufferCreate() : NULL, *done = in ? xmlBufferCreate() : NULL;
    bool ok = done && xmlBufferAdd(in, (const xmlChar *)text, (int)n) == 0 &&
              convert_all(handler, convert, in, done);
    bool has_memory = takt_xml_end() && (done || !handler);
    if (ok && has_memory)
        takt_text_add_n(out, (const char *)xmlBufferContent(done), (size_t)xmlBufferLength(done));
    if (in) xmlBufferFree(in);
    if (done) xmlBufferFree(done);
    if (handler) xmlCharEncCloseFunc(handler);
    return has_memory && !out->failed;
}

bool takt_xml_decode(const takt_xml_encoding *encoding, const char *text, size_t n, takt_text *out)
{
    size_t mark = (size_t)encoding->mark_length;
    if (!is_utf8(encoding))
        return convert_text(encoding->name, xmlCharEncInFunc, text + mark, n - mark, out);
    takt_text_add_n(out, text + mark, n - mark);
    return !out->failed;
}

bool takt_xml_encode(const takt_xml_encoding *encoding, takt_text *text)
{
    takt_text coded = {0}, whole = {0};
    bool ok = !text->failed;
    if (!ok || !text->length || (is_utf8(encoding) && !encoding->mark_length)) return ok;
    if (is_utf8(encoding))
        takt_text_add_n(&coded, text->data, text->length);
    else
        ok = convert_text(encoding->name, xmlCharEncOutFunc, text->data, text->length, &coded);
    if (ok && coded.length) {
        takt_text_add_n(&whole, mark_of(encoding), (size_t)encoding->mark_length);
        takt_text_add_n(&whole, coded.data, coded.length);
        ok = !whole.failed;
    }
    takt_text_clear(&coded);
    if (!ok || !whole.length) {
        takt_text_clear(&whole);
        return ok;
    }
    takt_text_clear(text);
    *text = whole;
    return true;
}
