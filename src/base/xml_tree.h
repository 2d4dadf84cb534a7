// SPDX-License-Identifier: MIT
// Reading XML as a tree, for small files; see xml_limits.h for what is refused, xml_edit.h for changes.
// All text is UTF-8, whatever the encoding of the file.
#ifndef TAKT_BASE_XML_TREE_H
#define TAKT_BASE_XML_TREE_H

#include "base/arena.h"
#include "base/error.h"
#include "base/xml_limits.h"

typedef struct takt_xml_tree takt_xml_tree;
typedef struct _xmlNode takt_xml_element; ///< libxml2's node; always an element

/// Reads a whole document, which problems call `name`. The result is owned by the caller.
takt_status takt_xml_tree_open(const char *path, const char *name, takt_xml_tree **out,
                               takt_error *err);
takt_status takt_xml_tree_open_memory(const void *data, size_t size, const char *name,
                                      takt_xml_tree **out, takt_error *err);

/// A new tree with a root element and the XML declaration. The result is owned by the caller.
takt_status takt_xml_tree_create(const char *prefix, const char *space, const char *name,
                                 takt_xml_tree **out, takt_error *err);

void takt_xml_tree_close(takt_xml_tree *tree);

/// Elements and their texts are borrowed from the tree.
const takt_xml_element *takt_xml_tree_root(const takt_xml_tree *tree);
takt_xml_element *takt_xml_edit_root(takt_xml_tree *tree); ///< for changes, see xml_edit.h

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

/// The document as text in UTF-8; owned by the caller, who frees it.
takt_status takt_xml_tree_write(const takt_xml_tree *tree, char **out, size_t *size,
                                takt_error *err);

#endif
