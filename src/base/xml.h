// SPDX-License-Identifier: MIT
// Reading XML as a stream, for large files; see xml_limits.h for what is refused, xml_tree.h for small
// files. All text is UTF-8, whatever the encoding of the file.
#ifndef TAKT_BASE_XML_H
#define TAKT_BASE_XML_H

#include <stddef.h>

#include "base/error.h"
#include "base/xml_limits.h"

typedef struct takt_xml_reader takt_xml_reader;

typedef enum takt_xml_event {
    TAKT_XML_START, ///< an element starts
    TAKT_XML_END, ///< an element ends; every start has its end, also that of <a/>
    TAKT_XML_DONE, ///< the document is complete
} takt_xml_event;

/// Opens a file or text in memory (which must outlive the reader). The result is owned by the caller.
takt_status takt_xml_open(const char *path, const char *name, takt_xml_reader **out,
                          takt_error *err);
takt_status takt_xml_open_memory(const void *data, size_t size, const char *name,
                                 takt_xml_reader **out, takt_error *err);
void takt_xml_close(takt_xml_reader *reader);

/// Goes to the next start or end of an element. Texts and attributes of the previous event are lost.
/// After TAKT_XML_DONE or a failure the same comes again.
takt_status takt_xml_next(takt_xml_reader *reader, takt_xml_event *out, takt_error *err);

/// After the start of an element: goes to its end, over all that is inside.
takt_status takt_xml_skip(takt_xml_reader *reader, takt_error *err);

/// About the present element, at its start or end. All texts are borrowed until the next event.
const char *takt_xml_name(const takt_xml_reader *reader); ///< local name, without a prefix
int takt_xml_line(const takt_xml_reader *reader);
int takt_xml_depth(const takt_xml_reader *reader); ///< 1 is the root element

/// At a start: the value of the attribute without a namespace that has this name, or NULL.
const char *takt_xml_attribute(const takt_xml_reader *reader, const char *name);

/// At a start: the name of the attribute without a namespace that has this index, from 0; NULL after the
/// last one.
const char *takt_xml_attribute_name(const takt_xml_reader *reader, int index);

/// At an end: the text between this end tag and the tag before it; all the text of an element
/// without children.
const char *takt_xml_text(const takt_xml_reader *reader);

#endif
