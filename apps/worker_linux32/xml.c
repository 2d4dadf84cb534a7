// SPDX-License-Identifier: MIT
// Reading XML as a stream, in place of src/base/xml.c: there is no libxml2 with 32 bits where only the compiler and the C
// library have them. What is read here has been read by libxml2 in Takt's own process before, so that it is well formed and
// within limits; what cannot be understood is refused all the same. The whole document lies in memory, and names and
// values are decoded where they lie.
#include "base/xml.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"

typedef struct attribute {
    const char *name, *value;
} attribute;

struct takt_xml_reader {
    char *name; // of the file
    char *data, *at; // with a final 0
    int line, depth;
    bool ends_at_once; // the present element is <a/>
    takt_xml_event event;
    const char *element;
    attribute attributes[TAKT_XML_MAX_ATTRIBUTES];
    int n_attributes;
    takt_text text; // since the last tag
    char *stack[TAKT_XML_MAX_DEPTH + 1]; // names of the elements that are open
};

static takt_status fail(const takt_xml_reader *reader, const char *what, takt_error *err)
{
    return takt_fail(err, TAKT_ERR_INPUT, "%s:%d: %s", reader->name, reader->line, what);
}

// ---- characters ----------------------------------------------------------------------------------

static char *put_character(char *out, unsigned long c)
{
    if (c < 0x80) {
        *out++ = (char)c;
        return out;
    }
    int n = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3; // bytes that follow the first
    static const unsigned char first[] = {0, 0xC0, 0xE0, 0xF0};
    *out++ = (char)(first[n] | c >> 6 * n);
    while (n-- > 0) *out++ = (char)(0x80 | (c >> 6 * n & 0x3F));
    return out;
}

// "&amp;" and others. What is meant is never longer than how it is written.
static char *put_entity(char *out, const char **at)
{
    static const struct {
        const char *text;
        char meant;
    } known[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t n = strlen(known[i].text);
        if (strncmp(*at, known[i].text, n) != 0) continue;
        *at += n;
        *out = known[i].meant;
        return out + 1;
    }
    bool is_hexadecimal = (*at)[1] == '#' && (*at)[2] == 'x';
    char *end = NULL;
    unsigned long c = 0;
    if ((*at)[1] == '#')
        c = strtoul(*at + (is_hexadecimal ? 3 : 2), &end, is_hexadecimal ? 16 : 10);
    if (!end || *end != ';' || c == 0 || c > 0x10FFFF) {
        *out = *(*at)++;
        return out + 1;
    }
    *at = end + 1;
    return put_character(out, c);
}

// Decodes up to `end`, where it lies; returns where the result ends.
static char *decode(char *begin, const char *end, bool is_attribute)
{
    char *out = begin;
    for (const char *at = begin; at < end;) {
        if (*at == '&') {
            out = put_entity(out, &at);
        } else if (*at == '\r') {
            at++;
            if (*at != '\n') *out++ = is_attribute ? ' ' : '\n';
        } else {
            *out++ = is_attribute && (*at == '\n' || *at == '\t') ? ' ' : *at;
            at++;
        }
    }
    return out;
}

// Latin-1 to UTF-8. Returns NULL when memory is exhausted.
static char *widen(const char *data, size_t size)
{
    char *out = malloc(2 * size + 1), *end = out;
    for (size_t i = 0; i < size && out; i++) end = put_character(end, (unsigned char)data[i]);
    if (out) *end = 0;
    return out;
}

// ---- document ------------------------------------------------------------------------------------

// Takes over `data`.
static takt_status begin(char *data, size_t size, const char *name, takt_xml_reader **out,
                         takt_error *err)
{
    takt_xml_reader *reader = calloc(1, sizeof *reader);
    const char *declared = strstr(data, "?>"), *encoding = strstr(data, "encoding=");
    bool is_latin = encoding && declared && encoding < declared &&
                    (strncmp(encoding + 10, "ISO-8859-1", 10) == 0 ||
                     strncmp(encoding + 10, "iso-8859-1", 10) == 0 ||
                     strncmp(encoding + 10, "windows-1252", 12) == 0);
    char *text = is_latin ? widen(data, size) : data;
    if (text != data) free(data);
    if (reader)
        *reader = (takt_xml_reader){.name = strdup(name), .data = text, .at = text, .line = 1};
    if (!reader || !text || !reader->name) {
        takt_xml_close(reader);
        return takt_fail_memory(err);
    }
    if (strncmp(text, "\xEF\xBB\xBF", 3) == 0) reader->at += 3;
    *out = reader;
    return TAKT_OK;
}

takt_status takt_xml_open(const char *path, const char *name, takt_xml_reader **out,
                          takt_error *err)
{
    char *data;
    size_t size;
    takt_status st = takt_file_read_as(path, name, TAKT_XML_MAX_STREAM_SIZE, &data, &size, err);
    return st ? st : begin(data, size, name, out, err);
}

takt_status takt_xml_open_memory(const void *data, size_t size, const char *name,
                                 takt_xml_reader **out, takt_error *err)
{
    char *copy = malloc(size + 1);
    if (!copy) return takt_fail_memory(err);
    memcpy(copy, data, size);
    copy[size] = 0;
    return begin(copy, size, name, out, err);
}

void takt_xml_close(takt_xml_reader *reader)
{
    if (!reader) return;
    free(reader->name);
    free(reader->data);
    takt_text_clear(&reader->text);
    free(reader);
}

// ---- tags ----------------------------------------------------------------------------------------

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// Goes on to `end`, counting lines.
static void go(takt_xml_reader *reader, const char *end)
{
    for (; reader->at < end; reader->at++) reader->line += *reader->at == '\n';
}

static const char *local(const char *name)
{
    const char *colon = strchr(name, ':');
    return colon ? colon + 1 : name;
}

static takt_status read_attributes(takt_xml_reader *reader, char *end, takt_error *err)
{
    char *at = reader->at;
    reader->n_attributes = 0;
    for (;;) {
        while (at < end && is_blank(*at)) at++;
        if (at >= end) return TAKT_OK;
        char *name = at, *equals = memchr(at, '=', (size_t)(end - at));
        char *open = equals ? equals + 1 : end;
        while (open < end && is_blank(*open)) open++;
        char *close = open < end ? memchr(open + 1, *open, (size_t)(end - open - 1)) : NULL;
        if (!close || reader->n_attributes == TAKT_XML_MAX_ATTRIBUTES)
            return fail(reader, "an attribute cannot be read", err);
        while (equals > name && is_blank(equals[-1])) equals--;
        go(reader, open); // before it is written over
        *equals = 0;
        go(reader, close);
        *decode(open + 1, close, true) = 0;
        bool is_foreign = strchr(name, ':') || strcmp(name, "xmlns") == 0;
        if (!is_foreign) reader->attributes[reader->n_attributes++] = (attribute){name, open + 1};
        at = close + 1;
    }
}

// The end of a tag: '>' that is not within quotes.
static char *find_end(char *at)
{
    char quote = 0;
    for (; *at; at++) {
        if (quote)
            quote = *at == quote ? 0 : quote;
        else if (*at == '"' || *at == '\'')
            quote = *at;
        else if (*at == '>')
            return at;
    }
    return NULL;
}

static takt_status start(takt_xml_reader *reader, takt_error *err)
{
    char *end = find_end(reader->at), *name = reader->at + 1;
    if (!end || reader->depth == TAKT_XML_MAX_DEPTH) return fail(reader, "a tag has no end", err);
    reader->ends_at_once = end[-1] == '/';
    char *inner = end - reader->ends_at_once;
    size_t n = strcspn(name, " \t\r\n/>");
    char *after = name + n < inner ? name + n + 1 : inner;
    go(reader, after);
    name[n] = 0;
    reader->element = local(name);
    reader->stack[++reader->depth] = name;
    takt_status st = read_attributes(reader, inner, err);
    go(reader, end + 1);
    reader->event = TAKT_XML_START;
    reader->text.length = 0;
    return st;
}

static takt_status finish(takt_xml_reader *reader, const char *after, takt_error *err)
{
    if (reader->depth == 0 || !after) return fail(reader, "an end tag has no start", err);
    reader->element = local(reader->stack[reader->depth]);
    reader->ends_at_once = false;
    reader->event = TAKT_XML_END;
    takt_text_add_n(&reader->text, "", 0);
    go(reader, after);
    return reader->text.failed ? takt_fail_memory(err) : TAKT_OK;
}

// Texts, and what is passed over, up to the next tag.
static takt_status read_text(takt_xml_reader *reader, takt_error *err)
{
    static const char *const marks[][2] = {{"<!--", "-->"}, {"<?", "?>"}, {"<![CDATA[", "]]>"}};
    for (;;) {
        char *next = strchr(reader->at, '<'), *begin = reader->at;
        if (!next) next = begin + strlen(begin);
        go(reader, next);
        char *end = decode(begin, next, false);
        takt_text_add_n(&reader->text, begin, (size_t)(end - begin));
        int which = -1;
        for (int i = 0; i < 3; i++)
            if (strncmp(next, marks[i][0], strlen(marks[i][0])) == 0) which = i;
        if (which < 0) return TAKT_OK;
        begin = next + strlen(marks[which][0]);
        end = strstr(begin, marks[which][1]);
        if (!end) return fail(reader, "the document is not complete", err);
        if (which == 2) takt_text_add_n(&reader->text, begin, (size_t)(end - begin));
        go(reader, end + strlen(marks[which][1]));
    }
}

takt_status takt_xml_next(takt_xml_reader *reader, takt_xml_event *out, takt_error *err)
{
    takt_status st = TAKT_OK;
    if (reader->event == TAKT_XML_END && reader->depth > 0 && reader->element) {
        reader->depth--;
        reader->text.length = 0;
    }
    if (reader->ends_at_once) {
        st = finish(reader, reader->at, err);
    } else {
        st = read_text(reader, err);
        if (st) return st;
        if (!reader->at[0])
            reader->event = TAKT_XML_DONE;
        else if (reader->at[1] == '/')
            st = finish(reader, find_end(reader->at) + 1, err);
        else
            st = start(reader, err);
    }
    *out = reader->event;
    return st;
}

takt_status takt_xml_skip(takt_xml_reader *reader, takt_error *err)
{
    int depth = reader->depth;
    takt_xml_event event = TAKT_XML_START;
    takt_status st = TAKT_OK;
    while (!st && !(event == TAKT_XML_END && reader->depth == depth) && event != TAKT_XML_DONE)
        st = takt_xml_next(reader, &event, err);
    return st;
}

// ---- the present element -------------------------------------------------------------------------

const char *takt_xml_name(const takt_xml_reader *reader)
{
    return reader->element;
}

int takt_xml_line(const takt_xml_reader *reader)
{
    return reader->line;
}

int takt_xml_depth(const takt_xml_reader *reader)
{
    return reader->depth;
}

const char *takt_xml_attribute(const takt_xml_reader *reader, const char *name)
{
    for (int i = 0; i < reader->n_attributes; i++)
        if (strcmp(reader->attributes[i].name, name) == 0) return reader->attributes[i].value;
    return NULL;
}

const char *takt_xml_attribute_name(const takt_xml_reader *reader, int index)
{
    return index < reader->n_attributes ? reader->attributes[index].name : NULL;
}

const char *takt_xml_text(const takt_xml_reader *reader)
{
    return reader->event == TAKT_XML_END && reader->text.data ? reader->text.data : "";
}
