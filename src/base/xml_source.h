// SPDX-License-Identifier: MIT
// What reading XML as a stream (xml.h) and as a tree (xml_tree.h) have in common: a document is fed to
// libxml2's parser piece by piece, and the limits are kept. Unlike libxml2's own pull reader this lets
// us stop at "<!DOCTYPE" before anything inside it is read, and knows line numbers above 65535.
#ifndef TAKT_BASE_XML_SOURCE_H
#define TAKT_BASE_XML_SOURCE_H

#include <stdbool.h>
#include <stdio.h>

#include <libxml/parser.h>

#include "base/error.h"
#include "base/xml_limits.h"

/// A document on its way through the parser, reachable from every callback as parser->_private.
typedef struct takt_xml_source {
    xmlParserCtxt *parser;
    char *name; ///< of the file, for messages
    FILE *file; ///< NULL: from memory
    const char *memory; ///< what is left of it
    size_t memory_size;
    size_t fed, limit; ///< bytes
    bool is_complete, has_root;
    int depth;
    takt_error problem; ///< the first one; status TAKT_OK: none
} takt_xml_source;

/// Makes the parser, which keeps `handlers`. `name` is copied.
takt_status takt_xml_source_start(takt_xml_source *src, xmlSAXHandler *handlers, const char *name,
                                  int more_options, takt_error *err);
void takt_xml_source_clear(takt_xml_source *src);

/// Feeds the next piece of the document.
takt_status takt_xml_source_feed(takt_xml_source *src, takt_error *err);

/// For handlers: is all well so far? Otherwise what libxml2 hands over must not be looked at.
bool takt_xml_source_goes_on(takt_xml_source *src);

/// For handlers: counts an element that starts. Returns false when it is refused.
bool takt_xml_source_enter(takt_xml_source *src, int n_attributes);

/// For handlers: ends parsing because memory is exhausted.
void takt_xml_source_stop_for_memory(takt_xml_source *src);

/// The line that the parser has reached, and the one in which the tag just read begins.
int takt_xml_source_line(const takt_xml_source *src);
int takt_xml_source_tag_line(const takt_xml_source *src);

#endif
