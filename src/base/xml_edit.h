// SPDX-License-Identifier: MIT
// Changing XML trees. What is not changed is written as it was read: comments, unknown elements, white
// space.
#ifndef TAKT_BASE_XML_EDIT_H
#define TAKT_BASE_XML_EDIT_H

#include "base/xml_tree.h"

/// The elements below another one, for changes.
takt_xml_element *takt_xml_edit_child(takt_xml_element *parent, const char *space,
                                      const char *name); ///< the first one; NULL: none
takt_xml_element *takt_xml_edit_next(takt_xml_element *element, const char *space,
                                     const char *name); ///< the next sibling; NULL: none

/// Declares a namespace with its prefix. Returns false when memory is exhausted.
bool takt_xml_declare(takt_xml_element *element, const char *prefix, const char *space);

/// Adds an element behind the children that are there, or before `next` (may be NULL), on a line of its
/// own. The namespace gets `prefix` where it is not declared yet. Returns NULL when memory is exhausted.
takt_xml_element *takt_xml_add_child(takt_xml_element *parent, const takt_xml_element *next,
                                     const char *prefix, const char *space, const char *name);

/// Removes an element with all that is in it, and the line it leaves empty.
void takt_xml_remove(takt_xml_element *element);

/// Sets an attribute, or with `value` NULL removes it. Returns false when memory is exhausted.
bool takt_xml_set_attribute(takt_xml_element *element, const char *name, const char *value);

#endif
