// SPDX-License-Identifier: MIT
// Feeding a document to libxml2's parser; see xml_source.h.
#include "base/xml_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/xml_memory.h"

enum { PIECE_SIZE = 64 * 1024 };

int takt_xml_source_line(const takt_xml_source *src)
{
    return src->parser->input ? src->parser->input->line : 0;
}

// The line in which the tag that has just been read begins: libxml2 only knows where it ends. The
// whole tag lies in the buffer, and no '<' can occur inside it.
int takt_xml_source_tag_line(const takt_xml_source *src)
{
    const xmlParserInput *input = src->parser->input;
    int line = input->line;
    for (const xmlChar *c = input->cur; c > input->base && c[-1] != '<'; c--)
        if (c[-1] == '\n') line--;
    return line;
}

void takt_xml_source_stop_for_memory(takt_xml_source *src)
{
    if (!src->problem.status) takt_fail_memory(&src->problem);
    xmlStopParser(src->parser);
}

// Keeps the first problem and ends parsing. What libxml2 finds wrong after memory was exhausted is not the file's
// fault.
static void stop(takt_xml_source *src, int line, const char *what)
{
    if (takt_xml_has_failed()) {
        takt_xml_source_stop_for_memory(src);
        return;
    }
    if (!src->problem.status) {
        size_t length = strlen(what); // libxml2's messages end with a newline
        while (length > 0 && (what[length - 1] == '\n' || what[length - 1] == ' ')) length--;
        takt_fail(&src->problem, TAKT_ERR_INPUT, "%s:%d: %.*s", src->name, line, (int)length, what);
    }
    xmlStopParser(src->parser);
}

static void on_error(void *context, xmlErrorPtr error)
{
    (void)context;
    xmlParserCtxt *parser = error->ctxt;
    if (!parser || error->level != XML_ERR_FATAL) return; // e.g. a prefix that is not declared
    takt_xml_source *src = parser->_private;
    if (!src) return; // while the parser is made: takt_xml_source_start() asks
    const char *what = error->message ? error->message : "malformed XML";
    // libxml2 says "empty" also of text that does not start with '<', and "extra content" also when
    // content is missing.
    if (error->code == XML_ERR_DOCUMENT_END && parser->instate != XML_PARSER_EPILOG)
        what = "the document ends too early; the file may be cut off";
    if (error->code == XML_ERR_DOCUMENT_EMPTY || src->fed == 0) what = "is not an XML document";
    if (error->code == XML_ERR_NO_MEMORY)
        takt_xml_source_stop_for_memory(src);
    else
        stop(src, error->line, what);
}

static void on_doctype(void *context, const xmlChar *name, const xmlChar *external_id,
                       const xmlChar *system_id)
{
    (void)name, (void)external_id, (void)system_id;
    takt_xml_source *src = ((xmlParserCtxt *)context)->_private;
    stop(src, takt_xml_source_line(src),
         "a DOCTYPE is not allowed; remove it, neither FMI nor SSP needs one");
}

bool takt_xml_source_goes_on(takt_xml_source *src)
{
    if (takt_xml_has_failed()) takt_xml_source_stop_for_memory(src);
    return !src->problem.status;
}

// Returns false when the element is refused.
bool takt_xml_source_enter(takt_xml_source *src, int n_attributes)
{
    if (!takt_xml_source_goes_on(src)) return false;
    src->has_root = true;
    if (++src->depth > TAKT_XML_MAX_DEPTH)
        stop(src, takt_xml_source_line(src),
             "elements are nested too deeply (more than 200 levels)");
    else if (n_attributes > TAKT_XML_MAX_ATTRIBUTES)
        stop(src, takt_xml_source_line(src), "an element has more than 1000 attributes");
    return !src->problem.status;
}

static bool copy_name(takt_xml_source *src, const char *name)
{
    size_t size = strlen(name) + 1;
    src->name = malloc(size);
    if (src->name) memcpy(src->name, name, size);
    return src->name != NULL;
}

// Makes the parser. `handlers` must not be changed afterwards.
takt_status takt_xml_source_start(takt_xml_source *src, xmlSAXHandler *handlers, const char *name,
                                  int more_options, takt_error *err)
{
    handlers->initialized = XML_SAX2_MAGIC;
    handlers->internalSubset = on_doctype;
    handlers->serror = on_error;
    if (!takt_xml_begin()) return takt_fail_memory(err);
    src->parser = xmlCreatePushParserCtxt(handlers, NULL, NULL, 0, NULL);
    // Neither XML_PARSE_NOENT nor XML_PARSE_DTDLOAD nor XML_PARSE_HUGE, ever.
    if (src->parser)
        xmlCtxtUseOptions(src->parser, XML_PARSE_NONET | XML_PARSE_NOXINCNODE | more_options);
    if (!takt_xml_end() || !src->parser || !copy_name(src, name)) return takt_fail_memory(err);
    src->parser->_private = src;
    return TAKT_OK;
}

void takt_xml_source_clear(takt_xml_source *src)
{
    if (src->parser) {
        xmlFreeDoc(src->parser->myDoc);
        src->parser->myDoc = NULL;
    }
    if (src->parser) xmlFreeParserCtxt(src->parser);
    free(src->name);
    if (src->file) fclose(src->file);
}

// The next piece of the document, of at most PIECE_SIZE bytes; an empty one at the end.
static size_t take_piece(takt_xml_source *src, char *buffer, const char **piece)
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
static void check_waiting_tag(takt_xml_source *src)
{
    const xmlParserInput *input = src->parser->input;
    if (src->problem.status || src->parser->instate == XML_PARSER_EOF)
        return; // has no buffer any more
    if (!input || input->end - input->cur <= PIECE_SIZE) return;
    if (input->cur[0] != '<' || input->cur[1] == '!' || input->cur[1] == '?') return;
    int n_quotes = 0;
    for (const xmlChar *c = input->cur; c < input->end; c++) n_quotes += *c == '"' || *c == '\'';
    if (n_quotes / 2 > 10 * TAKT_XML_MAX_ATTRIBUTES)
        stop(src, takt_xml_source_line(src), "an element has more than 1000 attributes");
}

static void ignore_message(void *context, const char *format, ...)
{
    (void)context, (void)format;
}

// Feeds one piece to the parser. A few problems of encodings do not reach on_error(): libxml2 prints
// them on standard error, through a function that each thread can replace.
static void parse(takt_xml_source *src, const char *piece, size_t size)
{
    if (!takt_xml_begin()) {
        takt_fail_memory(&src->problem);
        return;
    }
    xmlGenericErrorFunc print = xmlGenericError;
    void *print_context = xmlGenericErrorContext;
    xmlSetGenericErrorFunc(NULL, ignore_message);
    int code = xmlParseChunk(src->parser, piece, (int)size, size == 0);
    xmlSetGenericErrorFunc(print_context, print);
    src->is_complete = size == 0;
    if (code == XML_ERR_INVALID_ENCODING)
        stop(src, takt_xml_source_line(src),
             "the text cannot be decoded; its encoding is not the declared one");
    check_waiting_tag(src);
    // Whatever libxml2 does not report.
    bool is_whole = src->parser->wellFormed && src->depth == 0 && src->has_root;
    if (src->is_complete ? !is_whole : src->parser->instate == XML_PARSER_EOF)
        stop(src, takt_xml_source_line(src), "malformed XML");
    if (!takt_xml_end()) takt_xml_source_stop_for_memory(src);
}

// The size of a file, as far as it is known before reading.
static size_t known_size(const takt_xml_source *src)
{
    struct stat status;
    return src->file && fstat(fileno(src->file), &status) == 0 ? (size_t)status.st_size : 0;
}

// Feeds the next piece of the document.
takt_status takt_xml_source_feed(takt_xml_source *src, takt_error *err)
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
