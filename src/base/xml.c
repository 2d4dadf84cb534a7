// SPDX-License-Identifier: MIT
// XML over libxml2's parser; see xml.h.
//
// A document is fed to the parser piece by piece. For a stream the callbacks put events into a queue,
// from which takt_xml_next() takes them; when the queue is empty the next piece is fed. Unlike
// libxml2's own pull reader this lets us stop at "<!DOCTYPE" before anything inside it is read, knows
// line numbers above 65535, and builds no nodes.
#include "base/xml_edit.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <libxml/SAX2.h>
#include <libxml/parser.h>
#include <libxml/tree.h>

#include "base/file.h"
#include "base/text.h"

enum { PIECE_SIZE = 64 * 1024 };

// ---- source: what stream and tree have in common ---------------------------------------------------

// A document on its way through the parser, reachable from every callback as parser->_private.
typedef struct source {
    xmlParserCtxt *parser;
    char *name; // of the file, for messages
    FILE *file; // NULL: from memory
    const char *memory; // what is left of it
    size_t memory_size;
    size_t fed, limit; // bytes
    bool is_complete, has_root;
    int depth;
    takt_error problem; // the first one; status TAKT_OK: none
} source;

static int current_line(const source *src)
{
    return src->parser->input ? src->parser->input->line : 0;
}

// The line in which the tag that has just been read begins: libxml2 only knows where it ends. The
// whole tag lies in the buffer, and no '<' can occur inside it.
static int start_line(const source *src)
{
    const xmlParserInput *input = src->parser->input;
    int line = input->line;
    for (const xmlChar *c = input->cur; c > input->base && c[-1] != '<'; c--)
        if (c[-1] == '\n') line--;
    return line;
}

// Keeps the first problem and ends parsing.
static void stop(source *src, int line, const char *what)
{
    if (!src->problem.status) {
        size_t length = strlen(what); // libxml2's messages end with a newline
        while (length > 0 && (what[length - 1] == '\n' || what[length - 1] == ' ')) length--;
        takt_fail(&src->problem, TAKT_ERR_INPUT, "%s:%d: %.*s", src->name, line, (int)length, what);
    }
    xmlStopParser(src->parser);
}

static void stop_for_memory(source *src)
{
    if (!src->problem.status) takt_fail_memory(&src->problem);
    xmlStopParser(src->parser);
}

static void on_error(void *context, xmlErrorPtr error)
{
    (void)context;
    xmlParserCtxt *parser = error->ctxt;
    if (!parser || error->level != XML_ERR_FATAL) return; // e.g. a prefix that is not declared
    source *src = parser->_private;
    const char *what = error->message ? error->message : "malformed XML";
    // libxml2 says "empty" also of text that does not start with '<', and "extra content" also when
    // content is missing.
    if (error->code == XML_ERR_DOCUMENT_END && parser->instate != XML_PARSER_EPILOG)
        what = "the document ends too early; the file may be cut off";
    if (error->code == XML_ERR_DOCUMENT_EMPTY || src->fed == 0) what = "is not an XML document";
    if (error->code == XML_ERR_NO_MEMORY)
        stop_for_memory(src);
    else
        stop(src, error->line, what);
}

static void on_doctype(void *context, const xmlChar *name, const xmlChar *external_id,
                       const xmlChar *system_id)
{
    (void)name, (void)external_id, (void)system_id;
    source *src = ((xmlParserCtxt *)context)->_private;
    stop(src, current_line(src),
         "a DOCTYPE is not allowed; remove it, neither FMI nor SSP needs one");
}

// Returns false when the element is refused.
static bool enter(source *src, int n_attributes)
{
    if (src->problem.status) return false;
    src->has_root = true;
    if (++src->depth > TAKT_XML_MAX_DEPTH)
        stop(src, current_line(src), "elements are nested too deeply (more than 200 levels)");
    else if (n_attributes > TAKT_XML_MAX_ATTRIBUTES)
        stop(src, current_line(src), "an element has more than 1000 attributes");
    return !src->problem.status;
}

static bool copy_name(source *src, const char *name)
{
    size_t size = strlen(name) + 1;
    src->name = malloc(size);
    if (src->name) memcpy(src->name, name, size);
    return src->name != NULL;
}

// Makes the parser. `handlers` must not be changed afterwards.
static takt_status source_start(source *src, xmlSAXHandler *handlers, const char *name,
                                int more_options, takt_error *err)
{
    handlers->initialized = XML_SAX2_MAGIC;
    handlers->internalSubset = on_doctype;
    handlers->serror = on_error;
    src->parser = xmlCreatePushParserCtxt(handlers, NULL, NULL, 0, NULL);
    if (!src->parser || !copy_name(src, name)) return takt_fail_memory(err);
    src->parser->_private = src;
    // Neither XML_PARSE_NOENT nor XML_PARSE_DTDLOAD nor XML_PARSE_HUGE, ever.
    xmlCtxtUseOptions(src->parser, XML_PARSE_NONET | XML_PARSE_NOXINCNODE | more_options);
    return TAKT_OK;
}

static void source_clear(source *src)
{
    if (src->parser) {
        xmlFreeDoc(src->parser->myDoc);
        src->parser->myDoc = NULL;
    }
    xmlFreeParserCtxt(src->parser);
    free(src->name);
    if (src->file) fclose(src->file);
}

// The next piece of the document, of at most PIECE_SIZE bytes; an empty one at the end.
static size_t take_piece(source *src, char *buffer, const char **piece)
{
    if (src->file) {
        *piece = buffer;
        size_t size = fread(buffer, 1, PIECE_SIZE, src->file);
        if (ferror(src->file) && !src->problem.status)
            takt_fail(&src->problem, TAKT_ERR_INPUT, "%s: cannot be read: %s", src->name,
                      strerror(errno));
        return size;
    }
    size_t size = src->memory_size < PIECE_SIZE ? src->memory_size : PIECE_SIZE;
    *piece = src->memory;
    src->memory += size;
    src->memory_size -= size;
    return size;
}

// The parser reads a tag only when it has all of it, and compares all attributes with each other.
// So a tag with too many must be noticed while the parser still waits for its end.
static void check_waiting_tag(source *src)
{
    const xmlParserInput *input = src->parser->input;
    if (src->problem.status || src->parser->instate == XML_PARSER_EOF)
        return; // has no buffer any more
    if (!input || input->end - input->cur <= PIECE_SIZE) return;
    if (input->cur[0] != '<' || input->cur[1] == '!' || input->cur[1] == '?') return;
    int n_quotes = 0;
    for (const xmlChar *c = input->cur; c < input->end; c++) n_quotes += *c == '"' || *c == '\'';
    if (n_quotes / 2 > 10 * TAKT_XML_MAX_ATTRIBUTES)
        stop(src, current_line(src), "an element has more than 1000 attributes");
}

static void ignore_message(void *context, const char *format, ...)
{
    (void)context, (void)format;
}

// Feeds one piece to the parser. A few problems of encodings do not reach on_error(): libxml2 prints
// them on standard error, through a function that each thread can exchange.
static void parse(source *src, const char *piece, size_t size)
{
    xmlGenericErrorFunc print = xmlGenericError;
    void *print_context = xmlGenericErrorContext;
    xmlSetGenericErrorFunc(NULL, ignore_message);
    int code = xmlParseChunk(src->parser, piece, (int)size, size == 0);
    xmlSetGenericErrorFunc(print_context, print);
    src->is_complete = size == 0;
    if (code == XML_ERR_INVALID_ENCODING)
        stop(src, current_line(src), "the text cannot be decoded; its encoding is another one");
    check_waiting_tag(src);
    // Whatever libxml2 does not report.
    bool is_whole = src->parser->wellFormed && src->depth == 0 && src->has_root;
    if (src->is_complete ? !is_whole : src->parser->instate == XML_PARSER_EOF)
        stop(src, current_line(src), "malformed XML");
}

// How much there is, as far as a file tells before it is read.
static size_t known_size(const source *src)
{
    struct stat status;
    return src->file && fstat(fileno(src->file), &status) == 0 ? (size_t)status.st_size : 0;
}

// Feeds the next piece of the document.
static takt_status feed(source *src, takt_error *err)
{
    char buffer[PIECE_SIZE];
    const char *piece = NULL;
    size_t expected = src->fed == 0 ? known_size(src) : 0;
    size_t size = take_piece(src, buffer, &piece);
    src->fed += size;
    if (!src->problem.status && (src->fed > src->limit || expected > src->limit))
        takt_fail(&src->problem, TAKT_ERR_INPUT, "%s: the file is larger than %zu bytes", src->name,
                  src->limit);
    if (!src->problem.status) parse(src, piece, size);
    if (src->problem.status && err) *err = src->problem;
    return src->problem.status;
}

// ---- stream ----------------------------------------------------------------------------------------

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
    source source; // first, so that callbacks find the reader
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
        stop_for_memory(&reader->source);
        return NULL;
    }
    event *added = &reader->events[reader->n_events++];
    *added = (event){.kind = kind,
                     .name = (const char *)name,
                     .line = current_line(&reader->source),
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
    if (given[2]) return true; // attributes with a namespace belong to somebody else
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
    if (!enter(&reader->source, n_attributes + n_namespaces)) return;
    event *added = add_event(reader, TAKT_XML_START, name);
    if (!added) return;
    added->line = start_line(&reader->source);
    reader->text.length = 0;
    for (int i = 0; i < n_attributes; i++)
        if (!add_attribute(reader, attributes + (ptrdiff_t)5 * i)) {
            reader->n_events--; // nobody shall see it without its attributes
            stop_for_memory(&reader->source);
            return;
        }
    added->n_attributes = reader->n_attributes - added->first_attribute;
}

static void on_end(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
    (void)prefix, (void)uri;
    takt_xml_reader *reader = ((xmlParserCtxt *)context)->_private;
    event *added = add_event(reader, TAKT_XML_END, name);
    reader->source.depth--;
    if (!added) return;
    added->text = reader->texts.length;
    if (reader->text.length)
        takt_text_add_n(&reader->texts, reader->text.data, reader->text.length);
    takt_text_add_n(&reader->texts, "", 1);
    reader->text.length = 0;
    if (reader->texts.failed) stop_for_memory(&reader->source);
}

static void on_text(void *context, const xmlChar *text, int length)
{
    takt_xml_reader *reader = ((xmlParserCtxt *)context)->_private;
    takt_text_add_n(&reader->text, (const char *)text, (size_t)length);
    if (reader->text.failed) stop_for_memory(&reader->source);
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
    takt_status st = source_start(&reader->source, &handlers, name, 0, err);
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
    source_clear(&reader->source);
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
        feed(&reader->source, NULL); // events before a problem come first, then the problem
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

// ---- tree ------------------------------------------------------------------------------------------

struct takt_xml_tree {
    source source; // first, so that callbacks find it
    xmlDoc *document; // of a tree that was not read; NULL: it belongs to the parser
};

static void on_tree_start(void *context, const xmlChar *name, const xmlChar *prefix,
                          const xmlChar *uri, int n_namespaces, const xmlChar **namespaces,
                          int n_attributes, int n_defaulted, const xmlChar **attributes)
{
    source *src = ((xmlParserCtxt *)context)->_private;
    if (!enter(src, n_attributes + n_namespaces)) return;
    xmlSAX2StartElementNs(context, name, prefix, uri, n_namespaces, namespaces, n_attributes,
                          n_defaulted, attributes);
    // libxml2's own line number has only 16 bits.
    if (src->parser->node) src->parser->node->_private = (void *)(intptr_t)start_line(src);
}

static void on_tree_end(void *context, const xmlChar *name, const xmlChar *prefix,
                        const xmlChar *uri)
{
    source *src = ((xmlParserCtxt *)context)->_private;
    src->depth--;
    if (!src->problem.status) xmlSAX2EndElementNs(context, name, prefix, uri);
}

// Reads all of `source`, which it takes over.
static takt_status tree_create(const source *src, const char *name, takt_xml_tree **out,
                               takt_error *err)
{
    takt_xml_tree *tree = calloc(1, sizeof *tree);
    if (!tree) {
        if (src->file) fclose(src->file);
        return takt_fail_memory(err);
    }
    tree->source = *src;
    tree->source.limit = TAKT_XML_MAX_TREE_SIZE;
    xmlSAXHandler handlers = {0};
    xmlSAXVersion(&handlers, 2);
    handlers.startElementNs = on_tree_start;
    handlers.endElementNs = on_tree_end;
    takt_status st =
        source_start(&tree->source, &handlers, name, XML_PARSE_BIG_LINES | XML_PARSE_NOCDATA, err);
    while (!st && !tree->source.is_complete) st = feed(&tree->source, err);
    if (st)
        takt_xml_tree_close(tree);
    else
        *out = tree;
    return st;
}

takt_status takt_xml_tree_open(const char *path, const char *name, takt_xml_tree **out,
                               takt_error *err)
{
    source src = {0};
    takt_status st = takt_file_open_as(path, name, &src.file, err);
    return st ? st : tree_create(&src, name, out, err);
}

takt_status takt_xml_tree_open_memory(const void *data, size_t size, const char *name,
                                      takt_xml_tree **out, takt_error *err)
{
    return tree_create(&(source){.memory = data, .memory_size = size}, name, out, err);
}

void takt_xml_tree_close(takt_xml_tree *tree)
{
    if (!tree) return;
    source_clear(&tree->source);
    if (tree->document) xmlFreeDoc(tree->document);
    free(tree);
}

static xmlDoc *document_of(const takt_xml_tree *tree)
{
    return tree->document ? tree->document : tree->source.parser->myDoc;
}

const takt_xml_element *takt_xml_tree_root(const takt_xml_tree *tree)
{
    return xmlDocGetRootElement(document_of(tree));
}

const char *takt_xml_element_name(const takt_xml_element *element)
{
    return (const char *)element->name;
}

const char *takt_xml_element_namespace(const takt_xml_element *element)
{
    return element->ns && element->ns->href ? (const char *)element->ns->href : "";
}

int takt_xml_element_line(const takt_xml_element *element)
{
    return (int)(intptr_t)element->_private;
}

static const takt_xml_element *find(const xmlNode *node, const char *space, const char *name)
{
    for (; node; node = node->next) {
        if (node->type != XML_ELEMENT_NODE) continue;
        if (name && strcmp(takt_xml_element_name(node), name) != 0) continue;
        if (space && strcmp(takt_xml_element_namespace(node), space) != 0) continue;
        return node;
    }
    return NULL;
}

const takt_xml_element *takt_xml_first_child(const takt_xml_element *parent, const char *space,
                                             const char *name)
{
    return find(parent->children, space, name);
}

const takt_xml_element *takt_xml_next_sibling(const takt_xml_element *element, const char *space,
                                              const char *name)
{
    return find(element->next, space, name);
}

// Without entities a value is one text node, or none when it is empty.
static const char *value_of(const xmlAttr *given)
{
    const xmlNode *text = given->children;
    return text && text->content ? (const char *)text->content : "";
}

const char *takt_xml_element_attribute(const takt_xml_element *element, const char *name)
{
    for (const xmlAttr *given = element->properties; given; given = given->next)
        if (!given->ns && strcmp((const char *)given->name, name) == 0) return value_of(given);
    return NULL;
}

bool takt_xml_element_attribute_at(const takt_xml_element *element, int index, const char **name,
                                   const char **value)
{
    for (const xmlAttr *given = element->properties; given; given = given->next) {
        if (given->ns || index-- > 0) continue;
        *name = (const char *)given->name;
        *value = value_of(given);
        return true;
    }
    return false;
}

char *takt_xml_element_text(const takt_xml_element *element, takt_arena *arena)
{
    xmlChar *text = xmlNodeGetContent((const xmlNode *)element);
    if (!text) return NULL;
    char *copy = takt_arena_copy(arena, (const char *)text);
    xmlFree(text);
    return copy;
}

// ---- trees that are changed (the rest is in xml_edit.c) --------------------------------------------------------------------------------

takt_status takt_xml_tree_create(const char *prefix, const char *space, const char *name,
                                 takt_xml_tree **out, takt_error *err)
{
    takt_xml_tree *tree = calloc(1, sizeof *tree);
    if (tree) tree->document = xmlNewDoc((const xmlChar *)"1.0");
    xmlNode *root = NULL;
    if (tree && tree->document)
        root = xmlNewDocNode(tree->document, NULL, (const xmlChar *)name, NULL);
    if (root) {
        xmlDocSetRootElement(tree->document, root);
        xmlNs *ns = xmlNewNs(root, (const xmlChar *)space, (const xmlChar *)prefix);
        xmlSetNs(root, ns);
        if (ns) {
            *out = tree;
            return TAKT_OK;
        }
    }
    takt_xml_tree_close(tree);
    return takt_fail_memory(err);
}

takt_xml_element *takt_xml_edit_root(takt_xml_tree *tree)
{
    return xmlDocGetRootElement(document_of(tree));
}

takt_status takt_xml_tree_write(const takt_xml_tree *tree, char **out, size_t *size,
                                takt_error *err)
{
    xmlChar *text = NULL;
    int length = 0;
    xmlDocDumpFormatMemoryEnc(document_of(tree), &text, &length, "UTF-8", 0);
    char *copy = text ? malloc((size_t)length + 1) : NULL;
    if (copy) {
        memcpy(copy, text, (size_t)length);
        copy[length] = 0;
        *out = copy;
        *size = (size_t)length;
    }
    if (text) xmlFree(text);
    return copy ? TAKT_OK : takt_fail_memory(err);
}
