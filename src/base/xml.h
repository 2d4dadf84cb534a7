// SPDX-License-Identifier: MIT
// Reading XML: as a stream (for large files) or as a tree (for small ones), with the same guards in
// both. A file is refused when it is malformed, too large or too deep, or contains a DOCTYPE: what
// FMI and SSP exchange needs none, and everything dangerous in XML (entities that explode, files and
// addresses that are read) needs one. Problems are reported as "name:line: what is wrong", where
// `name` is given by the caller as users shall see it. All text is UTF-8, whatever the file has.
#ifndef TAKT_BASE_XML_H
#define TAKT_BASE_XML_H

#include "base/arena.h"
#include "base/error.h"

enum {
    TAKT_XML_MAX_DEPTH = 200, ///< nested elements; SSD files nest systems, but not like this
    TAKT_XML_MAX_STREAM_SIZE = 1 << 30, ///< bytes; a million variables take about 230 MB
    TAKT_XML_MAX_TREE_SIZE = 64 << 20, ///< bytes; a tree takes ten times as much memory
    TAKT_XML_MAX_ATTRIBUTES = 1000, ///< of one element; libxml2 compares each with each other
};

// ---- stream ---------------------------------------------------------------------------------------

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

// ---- tree -----------------------------------------------------------------------------------------

typedef struct takt_xml_tree takt_xml_tree;
typedef struct _xmlNode takt_xml_element; ///< libxml2's node; always an element

/// Reads a whole document, which problems call `name`. The result is owned by the caller.
takt_status takt_xml_tree_open(const char *path, const char *name, takt_xml_tree **out,
                               takt_error *err);
takt_status takt_xml_tree_open_memory(const void *data, size_t size, const char *name,
                                      takt_xml_tree **out, takt_error *err);
void takt_xml_tree_close(takt_xml_tree *tree);

/// Elements and their texts are borrowed from the tree.
const takt_xml_element *takt_xml_tree_root(const takt_xml_tree *tree);

/// The first child element, or the next element with the same parent, that has this namespace and
/// local name (NULL: any); NULL when there is none. To visit all children of a kind:
///     for (e = takt_xml_first_child(parent, ns, "Component"); e;
///          e = takt_xml_next_sibling(e, ns, "Component"))
const takt_xml_element *takt_xml_first_child(const takt_xml_element *parent, const char *space,
                                             const char *name);
const takt_xml_element *takt_xml_next_sibling(const takt_xml_element *element, const char *space,
                                              const char *name);

const char *takt_xml_element_name(const takt_xml_element *element); ///< local name
const char *takt_xml_element_namespace(const takt_xml_element *element); ///< "" when it has none
int takt_xml_element_line(const takt_xml_element *element);

/// The value of the attribute without a namespace that has this name, or NULL.
const char *takt_xml_element_attribute(const takt_xml_element *element, const char *name);

/// The attributes without a namespace, by index from 0; false after the last one.
bool takt_xml_element_attribute_at(const takt_xml_element *element, int index, const char **name,
                                   const char **value);

/// All text inside an element, in `arena`; NULL when memory is exhausted.
char *takt_xml_element_text(const takt_xml_element *element, takt_arena *arena);

#endif
