// SPDX-License-Identifier: MIT
// XML as a stream; see xml.h. The callbacks of the parser put events into a queue, from which
// takt_xml_next() takes them; when the queue is empty the next piece of the document is fed. No nodes
// are built.
#include "base/xml.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"
#include "base/text.h"
#include "base/xml_source.h"

typedef struct attribute {
    const char *name; // lives as long as the parser
    size_t value; // offset in `texts`
} attribute;

typedef struct event {
    takt_xml_event kind;
    const char *name; // lives as long as the parser
    int line, depth;
    int first_attribute, n_attributes;
    size_t text; // offset in `texts`
} event;

struct takt_xml_reader {
    takt_xml_source source; // first, so that callbacks find the reader
    event *events; // queue, filled by one piece
    int n_events, event_capacity, i_event; // i_event: next to be taken
    event current;
    attribute *attributes; // of all events in the queue
    int n_attributes, attribute_capacity;
    takt_text texts; // values and texts of all events in the queue, each with a final 0
    takt_text text; // since the last tag
};

static event *add_event(takt_xml_reader *reader, takt_xml_event kind, const xmlChar *name)
{
    if (!takt_grow(&reader->events, reader->n_events, &reader->event_capacity,
                   sizeof *reader->events)) {
        takt_xml_source_stop_for_memory(&reader->source);
        return NULL;
    }
    event *added = &reader->events[reader->n_events++];
    *added = (event){.kind = kind,
                     .name = (const char *)name,
                     .line = takt_xml_source_line(&reader->source),
                     .depth = reader->source.depth,
                     .first_attribute = reader->n_attributes};
    return added;
}

// Adds a value of an attribute. libxml2 leaves '&' as "&#38;" when it is asked not to replace
// entities (and then a bare '&' cannot occur in a value).
static void add_value(takt_text *texts, const char *value, const char *end)
{
    static const char ampersand[] = "&#38;";
    const size_t length = sizeof ampersand - 1;
    while (value < end) {
        const char *next = memchr(value, '&', (size_t)(end - value));
        if (!next) next = end;
        takt_text_add_n(texts, value, (size_t)(next - value));
        value = next;
        if (value == end) break;
        bool is_coded = (size_t)(end - value) >= length && memcmp(value, ampersand, length) == 0;
        takt_text_add_n(texts, "&", 1);
        value += is_coded ? length : 1;
    }
    takt_text_add_n(texts, "", 1);
}

// libxml2 gives five pointers per attribute: local name, prefix, namespace, value, end of value.
static bool add_attribute(takt_xml_reader *reader, const xmlChar **given)
{
    if (given[2]) return true; // attributes with a namespace are extensions of other programs
    if (!takt_grow(&reader->attributes, reader->n_attributes, &reader->attribute_capacity,
                   sizeof *reader->attributes))
        return false;
    reader->attributes[reader->n_attributes++] =
        (attribute){(const char *)given[0], reader->texts.length};
    add_value(&reader->texts, (const char *)given[3], (const char *)given[4]);
    return !reader->texts.failed;
}

static void on_start(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri,
                     int n_namespaces, const xmlChar **namespaces, int n_attributes,
                     int n_defaulted, const xmlChar **attributes)
{
    (void)prefix, (void)uri, (void)namespaces, (void)n_defaulted;
    takt_xml_reader *reader = ((xmlParserCtxt *)context)->_private;
    if (!takt_xml_source_enter(&reader->source, n_attributes + n_namespaces)) return;
    event *added = add_event(reader, TAKT_XML_START, name);
    if (!added) return;
    added->line = takt_xml_source_tag_line(&reader->source);
    reader->text.length = 0;
    for (int i = 0; i < n_attributes; i++)
        if (!add_attribute(reader, attributes + (ptrdiff_t)5 * i)) {
            reader->n_events--; // it must not be seen without its attributes
            takt_xml_source_stop_for_memory(&reader->source);
            return;
        }
    added->n_attributes = reader->n_attributes - added->first_attribute;
}

static void on_end(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
    (void)prefix, (void)uri;
    takt_xml_reader *reader = ((xmlParserCtxt *)context)->_private;
    if (!takt_xml_source_goes_on(&reader->source)) return;
    event *added = add_event(reader, TAKT_XML_END, name);
    reader->source.depth--;
    if (!added) return;
    added->text = reader->texts.length;
    if (reader->text.length)
        takt_text_add_n(&reader->texts, reader->text.data, reader->text.length);
    takt_text_add_n(&reader->texts, "", 1);
    reader->text.length = 0;
    if (reader->texts.failed) takt_xml_source_stop_for_memory(&reader->source);
}

static void on_text(void *context, const xmlChar *text, int length)
{
    takt_xml_reader *reader = ((xmlParserCtxt *)context)->_private;
    if (!takt_xml_source_goes_on(&reader->source)) return;
    takt_text_add_n(&reader->text, (const char *)text, (size_t)length);
    if (reader->text.failed) takt_xml_source_stop_for_memory(&reader->source);
}

static takt_status reader_create(const char *name, takt_xml_reader **out, takt_error *err)
{
    takt_xml_reader *reader = calloc(1, sizeof *reader);
    if (!reader) return takt_fail_memory(err);
    reader->source.limit = TAKT_XML_MAX_STREAM_SIZE;
    xmlSAXHandler handlers = {.startElementNs = on_start,
                              .endElementNs = on_end,
                              .characters = on_text,
                              .ignorableWhitespace = on_text,
                              .cdataBlock = on_text};
    takt_status st = takt_xml_source_start(&reader->source, &handlers, name, 0, err);
    if (st)
        takt_xml_close(reader);
    else
        *out = reader;
    return st;
}

takt_status takt_xml_open(const char *path, const char *name, takt_xml_reader **out,
                          takt_error *err)
{
    takt_xml_reader *reader = NULL;
    takt_status st = reader_create(name, &reader, err);
    if (st) return st;
    st = takt_file_open(path, &reader->source.file, err);
    if (st)
        takt_xml_close(reader);
    else
        *out = reader;
    return st;
}

takt_status takt_xml_open_memory(const void *data, size_t size, const char *name,
                                 takt_xml_reader **out, takt_error *err)
{
    takt_status st = reader_create(name, out, err);
    if (st) return st;
    (*out)->source.memory = data;
    (*out)->source.memory_size = size;
    return TAKT_OK;
}

void takt_xml_close(takt_xml_reader *reader)
{
    if (!reader) return;
    takt_xml_source_clear(&reader->source);
    free(reader->events);
    free(reader->attributes);
    takt_text_clear(&reader->texts);
    takt_text_clear(&reader->text);
    free(reader);
}

takt_status takt_xml_next(takt_xml_reader *reader, takt_xml_event *out, takt_error *err)
{
    while (reader->i_event == reader->n_events) {
        if (reader->source.problem.status) {
            if (err) *err = reader->source.problem;
            return reader->source.problem.status;
        }
        if (reader->source.is_complete) {
            *out = TAKT_XML_DONE;
            return TAKT_OK;
        }
        reader->i_event = reader->n_events = reader->n_attributes = 0;
        reader->texts.length = 0;
        takt_xml_source_feed(&reader->source,
                             NULL); // events before a problem come first, then the problem
    }
    reader->current = reader->events[reader->i_event++];
    *out = reader->current.kind;
    return TAKT_OK;
}

takt_status takt_xml_skip(takt_xml_reader *reader, takt_error *err)
{
    int depth = reader->current.depth;
    takt_xml_event kind = TAKT_XML_START;
    takt_status st = TAKT_OK;
    while (!st && !(kind == TAKT_XML_END && reader->current.depth == depth) &&
           kind != TAKT_XML_DONE)
        st = takt_xml_next(reader, &kind, err);
    return st;
}

const char *takt_xml_name(const takt_xml_reader *reader)
{
    return reader->current.name;
}

int takt_xml_line(const takt_xml_reader *reader)
{
    return reader->current.line;
}

int takt_xml_depth(const takt_xml_reader *reader)
{
    return reader->current.depth;
}

const char *takt_xml_attribute(const takt_xml_reader *reader, const char *name)
{
    int first = reader->current.first_attribute;
    for (int i = first; i < first + reader->current.n_attributes; i++) {
        const attribute *given = &reader->attributes[i];
        if (strcmp(given->name, name) == 0) return reader->texts.data + given->value;
    }
    return NULL;
}

const char *takt_xml_attribute_name(const takt_xml_reader *reader, int index)
{
    if (index >= reader->current.n_attributes) return NULL;
    return reader->attributes[reader->current.first_attribute + index].name;
}

const char *takt_xml_text(const takt_xml_reader *reader)
{
    return reader->current.kind == TAKT_XML_END ? reader->texts.data + reader->current.text : "";
}
