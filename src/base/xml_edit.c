// SPDX-License-Identifier: MIT
// Changing XML trees; see xml_edit.h. New elements get lines of their own, so that the result can be
// read and compared.
#include "base/xml_edit.h"

#include <libxml/tree.h>

#include "base/xml_memory.h"

takt_xml_element *takt_xml_edit_child(takt_xml_element *parent, const char *space, const char *name)
{
    return (takt_xml_element *)takt_xml_first_child(parent, space, name);
}

takt_xml_element *takt_xml_edit_next(takt_xml_element *element, const char *space, const char *name)
{
    return (takt_xml_element *)takt_xml_next_sibling(element, space, name);
}

bool takt_xml_declare(takt_xml_element *element, const char *prefix, const char *space)
{
    if (!takt_xml_begin()) return false;
    bool ok = xmlNewNs(element, (const xmlChar *)space, (const xmlChar *)prefix) != NULL;
    return takt_xml_end() && ok;
}

// A line break and the blanks before an element that is `depth` deep. NULL: out of memory.
static xmlNode *new_line(const xmlNode *parent, int depth)
{
    char text[2 * TAKT_XML_MAX_DEPTH + 8];
    size_t n = 0;
    text[n++] = '\n';
    for (int i = 0; i < depth && n + 3 < sizeof text; i++) {
        text[n++] = ' ';
        text[n++] = ' ';
    }
    return xmlNewDocTextLen(parent->doc, (const xmlChar *)text, (int)n);
}

static int depth_of(const xmlNode *node)
{
    int depth = 0;
    for (; node && node->type == XML_ELEMENT_NODE; node = node->parent) depth++;
    return depth;
}

static bool is_blank(const xmlNode *node)
{
    return node && node->type == XML_TEXT_NODE && xmlIsBlankNode(node);
}

static takt_xml_element *add_child(takt_xml_element *parent, const takt_xml_element *next,
                                   const char *prefix, const char *space, const char *name)
{
    xmlNs *ns = xmlSearchNsByHref(parent->doc, parent, (const xmlChar *)space);
    xmlNode *child = xmlNewDocNode(parent->doc, ns, (const xmlChar *)name, NULL);
    if (child && !ns) {
        ns = xmlNewNs(child, (const xmlChar *)space, (const xmlChar *)prefix);
        xmlSetNs(child, ns);
    }
    int depth = depth_of(parent);
    xmlNode *before = child && ns ? new_line(parent, depth) : NULL;
    xmlNode *after = before ? new_line(parent, next ? depth : depth - 1) : NULL;
    if (!after) {
        if (child) xmlFreeNode(child);
        if (before) xmlFreeNode(before);
        return NULL;
    }
    if (next) { // takes over the blanks before its follower
        xmlAddPrevSibling((xmlNode *)next, child);
        xmlAddPrevSibling((xmlNode *)next, after);
        xmlFreeNode(before);
        return child;
    }
    if (is_blank(parent->last)) {
        xmlNode *old = parent->last;
        xmlUnlinkNode(old);
        xmlFreeNode(old);
    }
    xmlAddChild(parent, before);
    xmlAddChild(parent, child);
    xmlAddChild(parent, after);
    return child;
}

takt_xml_element *takt_xml_add_child(takt_xml_element *parent, const takt_xml_element *next,
                                     const char *prefix, const char *space, const char *name)
{
    if (!takt_xml_begin()) return NULL;
    takt_xml_element *child = add_child(parent, next, prefix, space, name);
    return takt_xml_end() ? child : NULL; // an incomplete one stays in a tree that is given up
}

void takt_xml_remove(takt_xml_element *element)
{
    xmlNode *before = element->prev;
    if (is_blank(before)) {
        xmlUnlinkNode(before);
        xmlFreeNode(before);
    }
    xmlUnlinkNode(element);
    xmlFreeNode(element);
}

bool takt_xml_set_attribute(takt_xml_element *element, const char *name, const char *value)
{
    if (!takt_xml_begin()) return false;
    bool ok = true;
    if (value)
        ok = xmlSetProp(element, (const xmlChar *)name, (const xmlChar *)value) != NULL;
    else
        xmlUnsetProp(element, (const xmlChar *)name);
    return takt_xml_end() && ok;
}
