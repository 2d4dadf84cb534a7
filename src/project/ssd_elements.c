// SPDX-License-Identifier: MIT
// What all files of the SSP reader need: places, attributes, types, transformations.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "project/ssd_reader.h"

takt_place takt_ssd_place(const takt_ssd_reader *reader, const takt_xml_element *element)
{
    const char *file = reader->document ? reader->document->shown : reader->project->path;
    return (takt_place){file, element ? takt_xml_element_line(element) : 0};
}

static void report(takt_ssd_reader *reader, takt_level level, const takt_xml_element *element,
                   const char *format, va_list arguments)
{
    char text[TAKT_MESSAGE_SIZE];
    vsnprintf(text, sizeof text, format, arguments);
    takt_problem(&reader->project->problems, level, takt_ssd_place(reader, element), "%s", text);
}

void takt_ssd_error(takt_ssd_reader *reader, const takt_xml_element *element, const char *format,
                    ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(reader, TAKT_LEVEL_ERROR, element, format, arguments);
    va_end(arguments);
}

void takt_ssd_warn(takt_ssd_reader *reader, const takt_xml_element *element, const char *format,
                   ...)
{
    va_list arguments;
    va_start(arguments, format);
    report(reader, TAKT_LEVEL_WARN, element, format, arguments);
    va_end(arguments);
}

// ---- attributes ------------------------------------------------------------------------------------

const char *takt_ssd_required(takt_ssd_reader *reader, const takt_xml_element *element,
                              const char *attribute)
{
    const char *value = takt_xml_element_attribute(element, attribute);
    if (value && *value) return value;
    takt_ssd_error(reader, element, "<%s> %s '%s'", takt_xml_element_name(element),
                   value ? "has an empty attribute" : "has no attribute", attribute);
    return NULL;
}

const char *takt_ssd_source(const takt_xml_element *element)
{
    const char *source = takt_xml_element_attribute(element, "source");
    return source && *source ? source : NULL;
}

const char *takt_ssd_token(takt_ssd_reader *reader, const takt_xml_element *element,
                           const char *attribute)
{
    const char *text = takt_xml_element_attribute(element, attribute);
    if (!text) return NULL;
    const char *token = takt_arena_trim(&reader->project->arena, text);
    if (!token) reader->is_out_of_memory = true;
    return token;
}

double takt_ssd_number(takt_ssd_reader *reader, const takt_xml_element *element,
                       const char *attribute, double fallback)
{
    const char *text = takt_ssd_token(reader, element, attribute);
    double value;
    if (!text) return fallback;
    if (takt_number_read(text, text + strlen(text), &value) && isfinite(value)) return value;
    takt_ssd_error(reader, element, "%s=\"%s\" is not a number", attribute, text);
    return fallback;
}

// A truth value of XML; -1: none.
static int truth(const char *text)
{
    if (strcmp(text, "true") == 0 || strcmp(text, "1") == 0) return 1;
    if (strcmp(text, "false") == 0 || strcmp(text, "0") == 0) return 0;
    return -1;
}

static bool read_flag(takt_ssd_reader *reader, const takt_xml_element *element,
                      const char *attribute)
{
    const char *text = takt_ssd_token(reader, element, attribute);
    int value = text ? truth(text) : 0;
    if (value < 0)
        takt_ssd_error(reader, element, "%s=\"%s\" is neither true nor false", attribute, text);
    return value == 1;
}

// ---- types and children ------------------------------------------------------------------------------

const char *takt_ssd_type(const takt_xml_element *element)
{
    // Element of SSP 1.0 or 2.0, and the same in FMI 3.0's words.
    static const char *const types[][2] = {
        {"Real", "Float64"},    {"Integer", "Int32"},   {"Boolean", "Boolean"},
        {"String", "String"},   {"Binary", "Binary"},   {"Enumeration", "Enumeration"},
        {"Float64", "Float64"}, {"Float32", "Float32"}, {"Clock", "Clock"},
        {"Int8", "Int8"},       {"UInt8", "UInt8"},     {"Int16", "Int16"},
        {"UInt16", "UInt16"},   {"Int32", "Int32"},     {"UInt32", "UInt32"},
        {"Int64", "Int64"},     {"UInt64", "UInt64"},
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i][0], takt_xml_element_name(element)) == 0) return types[i][1];
    return NULL;
}

// Adds one size to the text of a shape. Returns false, with a report, when it is wrong.
static bool add_size(takt_ssd_reader *reader, const takt_xml_element *dimension, takt_text *shape)
{
    static const char *const known[] = {"size", "sizeConnector", NULL};
    const char *size = takt_ssd_token(reader, dimension, "size");
    int64_t number = 1;
    takt_ssd_check_attributes(reader, dimension, known);
    if (size && takt_xml_element_attribute(dimension, "sizeConnector")) {
        takt_ssd_error(reader, dimension, "<Dimension> has both a size and a sizeConnector");
        return false;
    }
    if (size && (!takt_number_read_integer(size, size + strlen(size), &number) || number < 1)) {
        takt_ssd_error(reader, dimension, "the dimension '%s' is not possible", size);
        return false;
    }
    takt_text_add(shape, shape->length ? "," : "[");
    if (size)
        takt_text_print(shape, "%lld", (long long)number);
    else
        takt_text_add(shape, "?");
    return true;
}

const char *takt_ssd_shape(takt_ssd_reader *reader, const takt_xml_element *element)
{
    takt_text shape = {0};
    bool ok = true;
    const takt_xml_element *e = takt_xml_first_child(element, TAKT_SSC_NAMESPACE, "Dimension");
    for (; e; e = takt_xml_next_sibling(e, TAKT_SSC_NAMESPACE, "Dimension"))
        ok = add_size(reader, e, &shape) && ok;
    const char *text = NULL;
    if (ok && shape.length) {
        takt_text_add(&shape, "]");
        text = takt_arena_copy(&reader->project->arena, shape.data);
        if (!text) reader->is_out_of_memory = true;
    }
    if (shape.failed) reader->is_out_of_memory = true;
    takt_text_clear(&shape);
    return text;
}

void takt_ssd_check_children(takt_ssd_reader *reader, const takt_xml_element *parent,
                             const char *const *known)
{
    const char *space = takt_xml_element_namespace(parent), *nearest;
    const takt_xml_element *child = takt_xml_first_child(parent, space, NULL);
    for (; child; child = takt_xml_next_sibling(child, space, NULL)) {
        const char *name = takt_xml_element_name(child);
        if (takt_problems_is_listed(&reader->project->problems, name, known, &nearest)) continue;
        takt_ssd_error(reader, child, "<%s> is not known inside <%s>%s%s%s", name,
                       takt_xml_element_name(parent), nearest ? "; did you mean <" : "",
                       nearest ? nearest : "", nearest ? ">?" : "");
    }
}

void takt_ssd_check_attributes(takt_ssd_reader *reader, const takt_xml_element *element,
                               const char *const *known)
{
    const char *name, *value, *nearest;
    for (int i = 0; takt_xml_element_attribute_at(element, i, &name, &value); i++) {
        if (strcmp(name, "id") == 0 || strcmp(name, "description") == 0) continue;
        if (takt_problems_is_listed(&reader->project->problems, name, known, &nearest)) continue;
        takt_ssd_warn(reader, element, "<%s> has no attribute '%s'; it is not used%s%s%s",
                      takt_xml_element_name(element), name, nearest ? "; did you mean '" : "",
                      nearest ? nearest : "", nearest ? "'?" : "");
    }
}

// ---- transformations ---------------------------------------------------------------------------------

static bool is_value(takt_transformation_kind kind, const char *text)
{
    int64_t number;
    if (kind == TAKT_TRANSFORM_BOOLEAN) return truth(text) >= 0;
    if (kind == TAKT_TRANSFORM_INTEGER)
        return takt_number_read_integer(text, text + strlen(text), &number);
    return true;
}

// Two texts that mean the same value.
static bool is_same_value(takt_transformation_kind kind, const char *a, const char *b)
{
    int64_t x, y;
    if (kind == TAKT_TRANSFORM_BOOLEAN) return truth(a) == truth(b);
    if (kind == TAKT_TRANSFORM_INTEGER)
        return takt_number_read_integer(a, a + strlen(a), &x) &&
               takt_number_read_integer(b, b + strlen(b), &y) && x == y;
    return strcmp(a, b) == 0;
}

static bool read_entry(takt_ssd_reader *reader, const takt_xml_element *element,
                       const takt_transformation *table, takt_transformation_entry *out)
{
    *out = (takt_transformation_entry){takt_ssd_required(reader, element, "source"),
                                       takt_ssd_required(reader, element, "target")};
    if (!out->source || !out->target) return false;
    if (table->kind != TAKT_TRANSFORM_ENUMERATION) {
        out->source = takt_ssd_token(reader, element, "source");
        out->target = takt_ssd_token(reader, element, "target");
        if (!out->source || !out->target) return false;
    }
    const char *wrong = !is_value(table->kind, out->source)   ? out->source
                        : !is_value(table->kind, out->target) ? out->target
                                                              : NULL;
    if (wrong) {
        takt_ssd_error(reader, element, "'%s' is not a value that can be mapped here", wrong);
        return false;
    }
    for (int i = 0; i < table->n_entries; i++) {
        if (!is_same_value(table->kind, table->entries[i].source, out->source)) continue;
        takt_ssd_error(reader, element, "the value '%s' is mapped twice; only one is possible",
                       out->source);
        return false;
    }
    return true;
}

// Tables of a few values; a huge one would take too long to check.
enum { MAX_ENTRIES = 2000 };

static void read_table(takt_ssd_reader *reader, const takt_xml_element *element,
                       takt_transformation *out)
{
    static const char *const known[] = {"MapEntry", NULL};
    const char *space = TAKT_SSC_NAMESPACE;
    int n = 0;
    takt_ssd_check_children(reader, element, known);
    const takt_xml_element *e = takt_xml_first_child(element, space, "MapEntry");
    for (; e; e = takt_xml_next_sibling(e, space, "MapEntry")) n++;
    if (n > MAX_ENTRIES) {
        takt_ssd_error(reader, element, "the table has %d entries; possible are %d", n,
                       MAX_ENTRIES);
        return;
    }
    takt_transformation_entry *entries =
        takt_arena_array(&reader->project->arena, (size_t)n, sizeof *entries);
    out->entries = entries;
    if (!entries) reader->is_out_of_memory = true;
    e = entries ? takt_xml_first_child(element, space, "MapEntry") : NULL;
    for (; e; e = takt_xml_next_sibling(e, space, "MapEntry"))
        out->n_entries += read_entry(reader, e, out, &entries[out->n_entries]);
}

takt_project_hop takt_ssd_read_hop(takt_ssd_reader *reader, const takt_xml_element *element)
{
    static const char *const kinds[] = {"", "LinearTransformation", "BooleanMappingTransformation",
                                        "IntegerMappingTransformation",
                                        "EnumerationMappingTransformation"};
    static const char *const linear[] = {"factor", "offset", NULL};
    takt_project_hop hop = {.keeps_unit = read_flag(reader, element, "suppressUnitConversion"),
                            .place = takt_ssd_place(reader, element)};
    const takt_xml_element *child = takt_xml_first_child(element, TAKT_SSC_NAMESPACE, NULL);
    for (; child; child = takt_xml_next_sibling(child, TAKT_SSC_NAMESPACE, NULL)) {
        const char *name = takt_xml_element_name(child);
        int kind = TAKT_TRANSFORM_ENUMERATION;
        while (kind > 0 && strcmp(kinds[kind], name) != 0) kind--;
        if (kind == 0 || hop.transformation.kind) {
            takt_ssd_error(reader, child,
                           kind ? "<%s> is a second transformation; only one is possible"
                                : "<%s> is not a transformation",
                           name);
            continue;
        }
        hop.transformation.kind = (takt_transformation_kind)kind;
        if (kind == TAKT_TRANSFORM_LINEAR) {
            takt_ssd_check_attributes(reader, child, linear);
            hop.transformation.factor = takt_ssd_number(reader, child, "factor", 1);
            hop.transformation.offset = takt_ssd_number(reader, child, "offset", 0);
        } else {
            read_table(reader, child, &hop.transformation);
        }
    }
    return hop;
}
