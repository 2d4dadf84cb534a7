// SPDX-License-Identifier: MIT
// XML as a tree of libxml2's nodes; see xml_tree.h.
#include "base/xml_tree.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <libxml/SAX2.h>
#include <libxml/tree.h>

#include "base/file.h"
#include "base/xml_memory.h"
#include "base/xml_source.h"

struct takt_xml_tree {
    takt_xml_source source; // first, so that callbacks find it
    xmlDoc *document; // of a tree that was not read; NULL: it belongs to the parser
};

static void on_tree_start(void *context, const xmlChar *name, const xmlChar *prefix,
                          const xmlChar *uri, int n_namespaces, const xmlChar **namespaces,
                          int n_attributes, int n_defaulted, const xmlChar **attributes)
{
    takt_xml_source *src = ((xmlParserCtxt *)context)->_private;
    if (!takt_xml_source_enter(src, n_attributes + n_namespaces)) return;
    xmlSAX2StartElementNs(context, name, prefix, uri, n_namespaces, namespaces, n_attributes,
                          n_defaulted, attributes);
    // libxml2's own line number has only 16 bits.
    if (src->parser->node)
        src->parser->node->_private = (void *)(intptr_t)takt_xml_source_tag_line(src);
}

static void on_tree_end(void *context, const xmlChar *name, const xmlChar *prefix,
                        const xmlChar *uri)
{
    takt_xml_source *src = ((xmlParserCtxt *)context)->_private;
    src->depth--;
    if (takt_xml_source_goes_on(src)) xmlSAX2EndElementNs(context, name, prefix, uri);
}

// Reads all of `source`, which it takes over.
static takt_status tree_create(const takt_xml_source *src, const char *name, takt_xml_tree **out,
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
    takt_status st = takt_xml_source_start(&tree->source, &handlers, name,
                                           XML_PARSE_BIG_LINES | XML_PARSE_NOCDATA, err);
    while (!st && !tree->source.is_complete) st = takt_xml_source_feed(&tree->source, err);
    if (st)
        takt_xml_tree_close(tree);
    else
        *out = tree;
    return st;
}

takt_status takt_xml_tree_open(const char *path, const char *name, takt_xml_tree **out,
                               takt_error *err)
{
    takt_xml_source src = {0};
    takt_status st = takt_file_open_as(path, name, &src.file, err);
    return st ? st : tree_create(&src, name, out, err);
}

takt_status takt_xml_tree_open_memory(const void *data, size_t size, const char *name,
                                      takt_xml_tree **out, takt_error *err)
{
    return tree_create(&(takt_xml_source){.memory = data, .memory_size = size}, name, out, err);
}

void takt_xml_tree_close(takt_xml_tree *tree)
{
    if (!tree) return;
    takt_xml_source_clear(&tree->source);
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
    if (!takt_xml_begin()) return NULL;
    xmlChar *text = xmlNodeGetContent((const xmlNode *)element);
    bool ok = takt_xml_end() && text;
    char *copy = ok ? takt_arena_copy(arena, (const char *)text) : NULL;
    if (text) xmlFree(text);
    return copy;
}

// A document with a root element; NULL: out of memory.
static xmlDoc *new_document(const char *prefix, const char *space, const char *name)
{
    xmlDoc *document = xmlNewDoc((const xmlChar *)"1.0");
    xmlNode *root = document ? xmlNewDocNode(document, NULL, (const xmlChar *)name, NULL) : NULL;
    if (root) {
        xmlDocSetRootElement(document, root);
        xmlSetNs(root, xmlNewNs(root, (const xmlChar *)space, (const xmlChar *)prefix));
    }
    if (root && root->ns) return document;
    if (document) xmlFreeDoc(document);
    return NULL;
}

takt_status takt_xml_tree_create(const char *prefix, const char *space, const char *name,
                                 takt_xml_tree **out, takt_error *err)
{
    takt_xml_tree *tree = calloc(1, sizeof *tree);
    if (!tree || !takt_xml_begin()) {
        free(tree);
        return takt_fail_memory(err);
    }
    tree->document = new_document(prefix, space, name);
    if (takt_xml_end() && tree->document) {
        *out = tree;
        return TAKT_OK;
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
    if (!takt_xml_begin()) return takt_fail_memory(err);
    xmlDocDumpFormatMemoryEnc(document_of(tree), &text, &length, "UTF-8", 0);
    bool ok = takt_xml_end() && text;
    char *copy = ok ? malloc((size_t)length + 1) : NULL;
    if (copy) {
        memcpy(copy, text, (size_t)length);
        copy[length] = 0;
        *out = copy;
        *size = (size_t)length;
    }
    if (text) xmlFree(text);
    return copy ? TAKT_OK : takt_fail_memory(err);
}
