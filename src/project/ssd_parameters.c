// SPDX-License-Identifier: MIT
// Parameter values and mappings (SSP standard, section 5.2.3 and chapters 6 and 7), written into the
// SSD or in files of their own. What is bound to a component must be read before what is bound to the
// system around it: the higher level wins, and on the same level the later one.
#include <string.h>

#include "base/number.h"
#include "project/ssd_reader.h"

// ---- mappings ------------------------------------------------------------------------------------

typedef struct mapping_entry {
    const char *source, *target;
    takt_project_hop hop;
    takt_place place;
    int next; // with the same source; -1: none
    bool is_used;
} mapping_entry;

typedef struct mapping {
    mapping_entry *entries;
    int n_entries;
    takt_map sources; // source -> index of the first entry
} mapping;

// One binding: values for a component or system.
typedef struct binding {
    const takt_ssd_target *target;
    const char *prefix; // before every name
    const takt_xml_element *set; // the ssv:ParameterSet
    const mapping *mapping; // NULL: names are used as they are
    takt_level if_missing;
} binding;

static bool read_entry(takt_ssd_reader *reader, const takt_xml_element *element, mapping_entry *out)
{
    static const char *const known[] = {"Annotations", NULL};
    static const char *const attributes[] = {"source", "target", "suppressUnitConversion", NULL};
    takt_ssd_check_children(reader, element, known);
    takt_ssd_check_attributes(reader, element, attributes);
    const char *source = takt_ssd_required(reader, element, "source");
    const char *target = takt_ssd_required(reader, element, "target");
    if (!source || !target) return false;
    *out = (mapping_entry){.source = source,
                           .target = target,
                           .hop = takt_ssd_read_hop(reader, element),
                           .place = takt_ssd_place(reader, element),
                           .next = -1};
    return true;
}

// Reads an ssm:ParameterMapping in the present document.
static void read_mapping(takt_ssd_reader *reader, const takt_xml_element *element, mapping *out)
{
    static const char *const known[] = {"MappingEntry", "Annotations", NULL};
    const char *space = TAKT_SSM_NAMESPACE;
    int n = 0;
    takt_ssd_check_children(reader, element, known);
    takt_map targets = {0};
    const takt_xml_element *e = takt_xml_first_child(element, space, "MappingEntry");
    for (; e; e = takt_xml_next_sibling(e, space, "MappingEntry")) n++;
    out->entries = takt_arena_array(&reader->project->arena, (size_t)n, sizeof *out->entries);
    e = out->entries ? takt_xml_first_child(element, space, "MappingEntry") : NULL;
    if (!out->entries) reader->is_out_of_memory = true;
    for (; e && !takt_ssd_is_full(reader, e); e = takt_xml_next_sibling(e, space, "MappingEntry")) {
        mapping_entry *entry = &out->entries[out->n_entries];
        if (!read_entry(reader, e, entry)) continue;
        int other = takt_map_find(&targets, entry->target);
        if (other >= 0) {
            takt_ssd_error(reader, e, "'%s' is the target of two entries, here and in line %d",
                           entry->target, out->entries[other].place.line);
            continue;
        }
        int first = takt_map_find(&out->sources, entry->source);
        if (first >= 0) { // the order does not matter: the targets differ
            entry->next = out->entries[first].next;
            out->entries[first].next = out->n_entries;
        } else if (!takt_map_add(&out->sources, entry->source, out->n_entries)) {
            reader->is_out_of_memory = true;
        }
        if (!takt_map_add(&targets, entry->target, out->n_entries++))
            reader->is_out_of_memory = true;
    }
    takt_map_clear(&targets);
}

static void report_unused(takt_ssd_reader *reader, const mapping *used, takt_level level)
{
    for (int i = 0; i < used->n_entries; i++)
        if (!used->entries[i].is_used)
            takt_problem(&reader->project->problems, level, used->entries[i].place,
                         "there is no parameter '%s' to be mapped, so '%s' is not set by this",
                         used->entries[i].source, used->entries[i].target);
}

// A file may hold more than this system needs; what is written for it should fit.
static takt_level level_of_unused(const takt_xml_element *owner)
{
    const takt_xml_element *element =
        takt_xml_first_child(owner, TAKT_SSD_NAMESPACE, "ParameterMapping");
    return element && takt_ssd_source(element) ? TAKT_LEVEL_INFO : TAKT_LEVEL_WARN;
}

// ---- values --------------------------------------------------------------------------------------

// One value on its way into the project.
typedef struct value {
    const char *text, *type, *shape, *unit;
    const takt_unit *definition;
    takt_place place;
} value;

static void assign(takt_ssd_reader *reader, const binding *to, const char *name, const char *index,
                   const value *given, const takt_project_hop *hop)
{
    takt_project *project = reader->project;
    const char *path = to->target->component ? "" : to->target->path;
    const char *variable =
        takt_arena_print(&project->arena, "%s%s%s%s", path, *path ? "." : "", name, index);
    takt_project_assignment assignment = {.component = to->target->component,
                                          .variable = variable,
                                          .value = given->text,
                                          .type = given->type,
                                          .shape = given->shape,
                                          .unit = given->unit,
                                          .unit_definition = given->definition,
                                          .hops = hop,
                                          .n_hops = hop ? 1 : 0,
                                          .if_missing = to->if_missing,
                                          .place = given->place};
    if (!variable || !takt_project_add_assignment(project, &assignment))
        reader->is_out_of_memory = true;
}

// Assigns a value to the parameter, or to what it is mapped to.
static void apply(takt_ssd_reader *reader, const binding *to, const char *name, const char *index,
                  const value *given)
{
    const char *full = takt_arena_print(&reader->project->arena, "%s%s", to->prefix, name);
    if (!full) reader->is_out_of_memory = true;
    if (!full) return;
    if (!to->mapping) {
        assign(reader, to, full, index, given, NULL);
        return;
    }
    int i = takt_map_find(&to->mapping->sources, full);
    for (; i >= 0; i = to->mapping->entries[i].next) {
        mapping_entry *entry = &to->mapping->entries[i];
        entry->is_used = true;
        assign(reader, to, entry->target, index, given, &entry->hop);
    }
}

enum { MAX_DIMENSIONS = 32 };

// The sizes that the ssc:Dimension elements of a parameter give; 0: none, or (reported) wrong. Then the
// first size is that of a row without an end.
static int read_dimensions(takt_ssd_reader *reader, const takt_xml_element *parameter,
                           int64_t sizes[MAX_DIMENSIONS])
{
    int n = 0;
    const takt_xml_element *e = takt_xml_first_child(parameter, NULL, "Dimension");
    for (; e; e = takt_xml_next_sibling(e, NULL, "Dimension")) {
        const char *size =
            takt_ssd_required(reader, e, "size") ? takt_ssd_token(reader, e, "size") : NULL;
        int64_t number = 0;
        bool ok = size && takt_number_read_integer(size, size + strlen(size), &number);
        if (ok && number >= 1 && n < MAX_DIMENSIONS) {
            sizes[n++] = number;
            continue;
        }
        if (size) takt_ssd_error(reader, e, "the dimension '%s' is not possible", size);
        sizes[0] = INT64_MAX;
        return 0;
    }
    return n;
}

// "[2,3]" for element i of an array, the last index running fastest; false when it has fewer.
static bool element_index(int64_t i, int n, const int64_t *sizes, char out[512])
{
    int64_t indices[MAX_DIMENSIONS];
    for (int k = n - 1; k >= 0; k--) {
        indices[k] = i % sizes[k] + 1;
        i /= sizes[k];
    }
    size_t length = 0;
    for (int k = 0; k < n && length < 480; k++) {
        out[length++] = k ? ',' : '[';
        length += takt_number_write_integer(out + length, indices[k]);
    }
    out[length++] = ']';
    out[length] = 0;
    return i == 0;
}

// Values of an array of texts, each an element of its own: <Value value="..."/>.
static void read_elements(takt_ssd_reader *reader, const binding *to, const char *name,
                          const takt_xml_element *parameter, const takt_xml_element *element,
                          value given)
{
    int64_t sizes[MAX_DIMENSIONS] = {INT64_MAX};
    int n_dimensions = read_dimensions(reader, parameter, sizes);
    const takt_xml_element *e = takt_xml_first_child(element, TAKT_SSV_NAMESPACE, "Value");
    bool is_single = n_dimensions == 0 && !takt_xml_next_sibling(e, TAKT_SSV_NAMESPACE, "Value");
    char index[512] = "";
    for (int64_t i = 0; e; e = takt_xml_next_sibling(e, TAKT_SSV_NAMESPACE, "Value"), i++) {
        given.text = takt_xml_element_attribute(e, "value");
        given.place = takt_ssd_place(reader, e);
        if (!given.text) {
            takt_ssd_error(reader, e, "parameter '%s' has no value", name);
        } else if (is_single) {
            apply(reader, to, name, "", &given);
        } else if (element_index(i, n_dimensions ? n_dimensions : 1, sizes, index)) {
            apply(reader, to, name, index, &given);
        } else {
            takt_ssd_error(reader, e, "parameter '%s' has more values than elements", name);
            return;
        }
    }
}

// The value as text; blanks around it belong to it only where it is a text itself.
static const char *read_text(takt_ssd_reader *reader, const takt_xml_element *element,
                             const char *type)
{
    bool is_text = type && (strcmp(type, "String") == 0 || strcmp(type, "Enumeration") == 0);
    return is_text ? takt_xml_element_attribute(element, "value")
                   : takt_ssd_token(reader, element, "value");
}

static void read_value(takt_ssd_reader *reader, const binding *to, const char *name,
                       const takt_xml_element *parameter, const takt_xml_element *element)
{
    value given = {.text = read_text(reader, element, takt_ssd_type(element)),
                   .type = takt_ssd_type(element),
                   .unit = takt_xml_element_attribute(element, "unit"),
                   .place = takt_ssd_place(reader, element)};
    const takt_xml_element *items = takt_xml_first_child(element, TAKT_SSV_NAMESPACE, "Value");
    if (given.unit && !*given.unit) given.unit = NULL;
    if (given.unit) given.definition = takt_ssd_unit(reader, to->set, given.unit);
    if (!given.type)
        takt_ssd_error(reader, element, "parameter '%s': <%s> is not a type", name,
                       takt_xml_element_name(element));
    else if (given.text && items)
        takt_ssd_error(reader, element, "parameter '%s' has a value and elements of <Value>", name);
    else if (items)
        read_elements(reader, to, name, parameter, element, given);
    else if (given.text) {
        given.shape = takt_ssd_shape(reader, parameter);
        apply(reader, to, name, "", &given);
    } else
        takt_ssd_error(reader, element, "parameter '%s' has no value", name);
}

static void read_parameter(takt_ssd_reader *reader, const binding *to,
                           const takt_xml_element *parameter)
{
    const char *name = takt_ssd_required(reader, parameter, "name");
    if (!name) return;
    const takt_xml_element *found = NULL;
    const takt_xml_element *child = takt_xml_first_child(parameter, TAKT_SSV_NAMESPACE, NULL);
    for (; child; child = takt_xml_next_sibling(child, TAKT_SSV_NAMESPACE, NULL)) {
        if (strcmp(takt_xml_element_name(child), "Annotations") == 0 ||
            strcmp(takt_xml_element_name(child), "Dimension") == 0)
            continue;
        if (found)
            takt_ssd_error(reader, child, "parameter '%s' has more than one value", name);
        else
            found = child;
    }
    if (found)
        read_value(reader, to, name, parameter, found);
    else
        takt_ssd_error(reader, parameter, "parameter '%s' has no value", name);
}

static void read_set(takt_ssd_reader *reader, const binding *to)
{
    const char *space = TAKT_SSV_NAMESPACE;
    const takt_xml_element *list = takt_xml_first_child(to->set, space, "Parameters");
    static const char *const children[] = {"Parameters", "Enumerations", "Units", "Annotations",
                                           NULL};
    static const char *const known[] = {"Parameter", NULL};
    takt_map names = {0};
    takt_ssd_check_children(reader, to->set, children);
    if (list) takt_ssd_check_children(reader, list, known);
    if (!list) takt_ssd_error(reader, to->set, "<ParameterSet> has no <Parameters>");
    const takt_xml_element *e = list ? takt_xml_first_child(list, space, "Parameter") : NULL;
    for (; e && !takt_ssd_is_full(reader, e); e = takt_xml_next_sibling(e, space, "Parameter")) {
        const char *name = takt_xml_element_attribute(e, "name");
        int other = name ? takt_map_find(&names, name) : -1;
        if (other >= 0)
            takt_ssd_error(reader, e, "parameter '%s' is given twice, here and in line %d", name,
                           other);
        else if (name && !takt_map_add(&names, name, takt_xml_element_line(e)))
            reader->is_out_of_memory = true;
        if (other < 0) read_parameter(reader, to, e);
    }
    takt_map_clear(&names);
}

// ---- bindings ------------------------------------------------------------------------------------

// The file that a binding or mapping names; NULL, with a report: none. It may lie inside of the
// component (sourceBase="component").
static takt_ssd_document *open_source(takt_ssd_reader *reader, const takt_xml_element *element,
                                      const takt_ssd_target *target, const char *source,
                                      const char *space, const char *root)
{
    const char *from = takt_xml_element_attribute(element, "sourceBase");
    takt_ssd_base base = takt_ssd_document_base(reader->document);
    takt_ssd_document place = {0};
    if (from && strcmp(from, "component") == 0) {
        if (!target->source) {
            takt_ssd_error(
                reader, element,
                "sourceBase=\"component\" is possible only for components with a source");
            return NULL;
        }
        takt_ssd_document inside;
        bool is_package = !target->component; // unpacked already
        if (!is_package && !takt_ssd_unpack(reader, element, "source", target->source,
                                            target->shown, "modelDescription.xml", &inside))
            return NULL;
        const char *folder = is_package ? target->source : inside.package;
        const char *file = takt_arena_print(&reader->project->arena, "%s/.", folder);
        if (!file) reader->is_out_of_memory = true;
        if (!file) return NULL;
        base = (takt_ssd_base){file, folder, target->shown};
    } else if (from && strcmp(from, "SSD") != 0) {
        takt_ssd_error(reader, element, "sourceBase=\"%s\" is neither SSD nor component", from);
        return NULL;
    }
    place.package = base.package;
    place.package_shown = base.package_shown;
    if (!takt_ssd_locate(reader, element, "source", &base, source, &place.path, &place.shown))
        return NULL;
    return takt_ssd_open(reader, element, &place, space, root);
}

static bool has_type(takt_ssd_reader *reader, const takt_xml_element *element, const char *expected)
{
    const char *type = takt_xml_element_attribute(element, "type");
    if (!type || strcmp(type, expected) == 0) return true;
    takt_ssd_error(reader, element, "the type '%s' is not supported; possible is %s", type,
                   expected);
    return false;
}

// Reads the mapping of a binding, if there is one, into `out`. Returns false when it is wrong.
static bool find_mapping(takt_ssd_reader *reader, const takt_xml_element *owner,
                         const takt_ssd_target *target, mapping *out, bool *has_mapping)
{
    const takt_xml_element *element =
        takt_xml_first_child(owner, TAKT_SSD_NAMESPACE, "ParameterMapping");
    *has_mapping = element != NULL;
    if (!element) return true;
    if (!has_type(reader, element, "application/x-ssp-parameter-mapping")) return false;
    const char *source = takt_ssd_source(element);
    const takt_xml_element *content =
        takt_xml_first_child(element, TAKT_SSM_NAMESPACE, "ParameterMapping");
    takt_ssd_document *present = reader->document;
    if (source) {
        takt_ssd_document *document =
            open_source(reader, element, target, source, TAKT_SSM_NAMESPACE, "ParameterMapping");
        if (!document) return false;
        reader->document = document;
        content = takt_xml_tree_root(document->tree);
    } else if (!content) {
        takt_ssd_error(reader, element, "<ParameterMapping> has neither source nor content");
        return false;
    }
    read_mapping(reader, content, out);
    reader->document = present;
    return true;
}

// Finds the parameter set of a binding; its document becomes the present one.
static const takt_xml_element *find_set(takt_ssd_reader *reader, const takt_xml_element *element,
                                        const takt_ssd_target *target)
{
    const char *source = takt_ssd_source(element);
    const takt_xml_element *values =
        takt_xml_first_child(element, TAKT_SSD_NAMESPACE, "ParameterValues");
    if (!has_type(reader, element, "application/x-ssp-parameter-set")) return NULL;
    if (source && values) {
        takt_ssd_error(reader, element, "<ParameterBinding> has both a source and values");
        return NULL;
    }
    if (source) {
        takt_ssd_document *document =
            open_source(reader, element, target, source, TAKT_SSV_NAMESPACE, "ParameterSet");
        if (!document) return NULL;
        reader->document = document;
        return takt_xml_tree_root(document->tree);
    }
    if (!values) {
        takt_ssd_error(reader, element, "<ParameterBinding> has neither source nor values");
        return NULL;
    }
    const takt_xml_element *set = takt_xml_first_child(values, TAKT_SSV_NAMESPACE, "ParameterSet");
    if (!set || !takt_xml_first_child(set, TAKT_SSV_NAMESPACE, "Parameters")) {
        takt_ssd_error(reader, values, "<ParameterValues> holds no ssv:ParameterSet/Parameters");
        return NULL;
    }
    return set;
}

static void read_binding(takt_ssd_reader *reader, const takt_xml_element *element,
                         const takt_ssd_target *target)
{
    static const char *const known[] = {"ParameterValues", "ParameterMapping", "Annotations", NULL};
    static const char *const attributes[] = {"type", "source", "sourceBase", "prefix", NULL};
    takt_ssd_check_children(reader, element, known);
    takt_ssd_check_attributes(reader, element, attributes);
    const char *prefix = takt_xml_element_attribute(element, "prefix");
    mapping names = {0};
    bool has_mapping;
    bool is_good = find_mapping(reader, element, target, &names, &has_mapping);
    takt_ssd_document *present = reader->document;
    const takt_xml_element *set = find_set(reader, element, target);
    if (set && is_good) {
        // A file may hold more than this system needs; what is written for it should fit.
        read_set(reader,
                 &(binding){target, prefix ? prefix : "", set, has_mapping ? &names : NULL,
                            reader->document == present ? TAKT_LEVEL_WARN : TAKT_LEVEL_INFO});
        report_unused(reader, &names, level_of_unused(element));
    }
    reader->document = present;
    takt_map_clear(&names.sources);
}

void takt_ssd_read_bindings(takt_ssd_reader *reader, const takt_xml_element *owner,
                            const takt_ssd_target *target)
{
    static const char *const known[] = {"ParameterBinding", NULL};
    const takt_xml_element *list =
        takt_xml_first_child(owner, TAKT_SSD_NAMESPACE, "ParameterBindings");
    if (!list) return;
    takt_ssd_check_children(reader, list, known);
    const takt_xml_element *element =
        takt_xml_first_child(list, TAKT_SSD_NAMESPACE, "ParameterBinding");
    for (; element && !takt_ssd_is_full(reader, element);
         element = takt_xml_next_sibling(element, TAKT_SSD_NAMESPACE, "ParameterBinding"))
        read_binding(reader, element, target);
}

void takt_ssd_read_values(takt_ssd_reader *reader, takt_ssd_document *mapping_document)
{
    takt_ssd_document *values = reader->document;
    mapping names = {0};
    if (mapping_document) {
        reader->document = mapping_document;
        read_mapping(reader, takt_xml_tree_root(mapping_document->tree), &names);
        reader->document = values;
    }
    read_set(reader,
             &(binding){&(takt_ssd_target){.path = ""}, "", takt_xml_tree_root(values->tree),
                        mapping_document ? &names : NULL, TAKT_LEVEL_WARN});
    report_unused(reader, &names, TAKT_LEVEL_WARN);
    takt_map_clear(&names.sources);
}
