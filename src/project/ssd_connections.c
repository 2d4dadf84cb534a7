// SPDX-License-Identifier: MIT
// Connectors and connections of a SystemStructureDescription. Which end of a connection is the source
// follows from whose connectors they are and of which kind (SSP standard, section 5.3.2): inside of a
// system its own inputs are sources, those of its elements are targets.
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "project/ssd_reader.h"

#define NS TAKT_SSD_NAMESPACE

// ---- kinds ---------------------------------------------------------------------------------------

// How a kind of connector looks from outside.
typedef enum flow { NOT_KNOWN, TAKES, GIVES } flow;

typedef struct connector_kind {
    const char *name;
    flow flow;
    int rank; // a value of one rank can become one of the same or a higher rank, not of a lower
} connector_kind;

static const connector_kind kinds[] = {
    {"input", TAKES, 2},
    {"output", GIVES, 2},
    {"parameter", TAKES, 1},
    {"calculatedParameter", GIVES, 1},
    {"structuralParameter", TAKES, 0},
    {"constant", GIVES, 0},
    {"local", GIVES, 2},
    {"inout", NOT_KNOWN, 2},
    {"unspecified", NOT_KNOWN, 2},
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

static const connector_kind *find_kind(const char *name)
{
    for (int i = 0; name && i < N_KINDS; i++)
        if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
    return NULL;
}

static const char *kind_name(void *context, int i)
{
    (void)context;
    return kinds[i].name;
}

// ---- connectors ----------------------------------------------------------------------------------

// The type and unit of a connector or of an entry of `dictionary`, which may define units itself.
static const char *read_type(takt_ssd_reader *reader, const takt_xml_element *element,
                             const takt_xml_element *dictionary, const takt_unit **unit)
{
    const char *type = NULL;
    const takt_xml_element *child = takt_xml_first_child(element, TAKT_SSC_NAMESPACE, NULL);
    for (; child; child = takt_xml_next_sibling(child, TAKT_SSC_NAMESPACE, NULL)) {
        const char *found = takt_ssd_type(child);
        const char *unit_name = found ? takt_xml_element_attribute(child, "unit") : NULL;
        if (found)
            type = found;
        else if (strcmp(takt_xml_element_name(child), "Dimension") != 0)
            takt_ssd_error(reader, child, "<%s> is not a type", takt_xml_element_name(child));
        if (!unit_name || !*unit_name) continue;
        *unit = takt_ssd_unit(reader, dictionary, unit_name);
        if (*unit) continue;
        takt_unit *bare = takt_arena_alloc(&reader->project->arena, sizeof *bare);
        if (!bare) reader->is_out_of_memory = true;
        if (bare) *bare = (takt_unit){.name = unit_name};
        *unit = bare; // known only by its name: the FMU may say more
    }
    return type;
}

// The enumeration that a connector is declared to have; NULL: it is none, or not defined.
static const takt_project_enumeration *read_enumeration(const takt_ssd_reader *reader,
                                                        const takt_xml_element *element)
{
    const takt_xml_element *type = takt_xml_first_child(element, TAKT_SSC_NAMESPACE, "Enumeration");
    const char *name = type ? takt_xml_element_attribute(type, "name") : NULL;
    return name ? takt_ssd_enumeration(reader, name) : NULL;
}

// Declares a connector; reports a second one of the same name.
static int declare(takt_ssd_reader *reader, const takt_xml_element *element, int owner,
                   const char *name, const char *kind, const takt_unit *unit)
{
    takt_wires *wires = &reader->wires;
    name = takt_arena_copy(&reader->project->arena, name);
    kind = takt_arena_copy(&reader->project->arena, kind);
    int i = name && kind ? takt_wires_node(wires, owner, name, true) : -1;
    if (i < 0) {
        reader->is_out_of_memory = true;
    } else if (wires->nodes[i].kind) {
        takt_ssd_error(reader, element, "there is already a connector '%s', in line %d", name,
                       wires->nodes[i].place.line);
    } else {
        wires->nodes[i].kind = kind;
        wires->nodes[i].unit = unit;
        wires->nodes[i].place = takt_ssd_place(reader, element);
    }
    return i;
}

bool takt_ssd_check_kind(takt_ssd_reader *reader, const takt_xml_element *element, const char *name,
                         const char *kind)
{
    if (find_kind(kind)) return true;
    const char *nearest = takt_text_nearest(kind, N_KINDS, kind_name, NULL);
    takt_ssd_error(reader, element, "connector '%s': '%s' is not a kind of connector%s%s%s", name,
                   kind, nearest ? "; did you mean '" : "", nearest ? nearest : "",
                   nearest ? "'?" : "");
    return false;
}

typedef struct connector_list {
    const takt_wires *wires;
    int owner;
} connector_list;

static const char *connector_at(void *context, int i)
{
    const connector_list *list = context;
    const takt_wire_node *node = &list->wires->nodes[i];
    return node->owner == list->owner && node->kind ? node->name : "";
}

const char *takt_ssd_nearest_connector(takt_ssd_reader *reader, const char *name, int owner)
{
    connector_list list = {&reader->wires, owner};
    int n = reader->wires.n_nodes;
    const char *nearest = takt_problems_suggests(&reader->project->problems, n)
                              ? takt_text_nearest(name, n, connector_at, &list)
                              : NULL;
    if (!nearest || !*nearest) return "";
    const char *text = takt_arena_print(&reader->project->arena, "; did you mean '%s'?", nearest);
    return text ? text : "";
}

static void read_connector(takt_ssd_reader *reader, const takt_xml_element *element, int owner,
                           int component)
{
    static const char *const known[] = {"Clock",    "ConnectorGeometry", "Annotations",
                                        "MetaData", "Signature",         NULL};
    static const char *const attributes[] = {"name", "kind", NULL};
    takt_ssd_check_children(reader, element, known);
    takt_ssd_check_attributes(reader, element, attributes);
    const char *name = takt_ssd_required(reader, element, "name");
    const char *kind = takt_ssd_required(reader, element, "kind");
    const takt_unit *unit = NULL;
    const char *type = read_type(reader, element, NULL, &unit);
    const char *shape = takt_ssd_shape(reader, element);
    if (!name || !kind) return;
    if (!takt_ssd_check_kind(reader, element, name, kind)) return;
    int node = declare(reader, element, owner, name, kind, unit);
    if (node >= 0) reader->wires.nodes[node].enumeration = read_enumeration(reader, element);
    if (component < 0) return;
    takt_project_connector connector = {.component = component,
                                        .name = name,
                                        .kind = kind,
                                        .type = type,
                                        .shape = shape,
                                        .unit = unit,
                                        .place = takt_ssd_place(reader, element)};
    if (!takt_project_add_connector(reader->project, &connector)) reader->is_out_of_memory = true;
}

void takt_ssd_read_connectors(takt_ssd_reader *reader, const takt_xml_element *element, int owner,
                              int component)
{
    static const char *const known[] = {"Connector", NULL};
    const takt_xml_element *list = takt_xml_first_child(element, NS, "Connectors");
    if (!list) return;
    takt_ssd_check_children(reader, list, known);
    const takt_xml_element *child = takt_xml_first_child(list, NS, "Connector");
    for (; child && !takt_ssd_is_full(reader, child);
         child = takt_xml_next_sibling(child, NS, "Connector"))
        read_connector(reader, child, owner, component);
}

void takt_ssd_read_dictionary(takt_ssd_reader *reader, const takt_xml_element *element, int owner)
{
    static const char *const known[] = {"DictionaryEntry", "Enumerations", "Units", "Annotations",
                                        NULL};
    static const char *const attributes[] = {"name", NULL}, *const annotations[] = {"Annotations",
                                                                                    NULL};
    takt_ssd_check_children(reader, element, known);
    const takt_xml_element *entry =
        takt_xml_first_child(element, TAKT_SSB_NAMESPACE, "DictionaryEntry");
    for (; entry && !takt_ssd_is_full(reader, entry);
         entry = takt_xml_next_sibling(entry, TAKT_SSB_NAMESPACE, "DictionaryEntry")) {
        takt_ssd_check_children(reader, entry, annotations);
        takt_ssd_check_attributes(reader, entry, attributes);
        const char *name = takt_ssd_required(reader, entry, "name");
        const takt_unit *unit = NULL;
        read_type(reader, entry, element, &unit);
        if (name) declare(reader, entry, owner, name, "inout", unit);
    }
}

// ---- connections ---------------------------------------------------------------------------------

// One end of a connection.
typedef struct end {
    bool is_own; // of the system itself, not of an element
    const char *element, *connector;
    const char *index; // "[1,2]" or ""
    int node;
    const connector_kind *kind; // NULL: not declared
} end;

// "[1,2]" for the indices "1 2", in the arena; "" when there are none; NULL, with a report: wrong.
static const char *read_indices(takt_ssd_reader *reader, const takt_xml_element *element,
                                const char *attribute)
{
    static const char blanks[] = " \t\r\n";
    const char *text = takt_xml_element_attribute(element, attribute);
    if (!text || !text[strspn(text, blanks)]) return "";
    takt_text index = {0};
    bool ok = true;
    for (text += strspn(text, blanks); *text && ok; text += strspn(text, blanks)) {
        size_t length = strcspn(text, blanks);
        int64_t value;
        ok = takt_number_read_integer(text, text + length, &value) && value >= 1;
        takt_text_print(&index, "%s%lld", index.length ? "," : "[", ok ? (long long)value : 0LL);
        text += length;
    }
    takt_text_add(&index, "]");
    const char *copy = index.failed ? NULL : takt_arena_copy(&reader->project->arena, index.data);
    takt_text_clear(&index);
    if (!copy) reader->is_out_of_memory = true;
    if (!ok)
        takt_ssd_error(reader, element, "%s=\"%s\" are not indices; they count from 1", attribute,
                       takt_xml_element_attribute(element, attribute));
    return ok ? copy : NULL;
}

static void report_connector(takt_ssd_reader *reader, const takt_xml_element *element, const end *e,
                             int owner)
{
    const char *nearest = takt_ssd_nearest_connector(reader, e->connector, owner);
    if (e->is_own)
        takt_ssd_error(reader, element, "the system itself has no connector '%s'%s", e->connector,
                       nearest);
    else
        takt_ssd_error(reader, element, "'%s' has no connector '%s'%s", e->element, e->connector,
                       nearest);
}

typedef struct element_list {
    const takt_xml_element *first;
} element_list;

static const char *element_at(void *context, int i)
{
    const takt_xml_element *e = ((const element_list *)context)->first;
    while (e && i-- > 0) e = takt_xml_next_sibling(e, NS, NULL);
    const char *name = e ? takt_xml_element_attribute(e, "name") : NULL;
    return name ? name : "";
}

static void report_element(takt_ssd_reader *reader, const takt_xml_element *element,
                           const takt_ssd_scope *scope, const char *name)
{
    const takt_xml_element *list = takt_xml_first_child(scope->system, NS, "Elements");
    element_list names = {list ? takt_xml_first_child(list, NS, NULL) : NULL};
    int n = scope->elements.n_entries;
    const char *nearest =
        (double)n * n < 1e6 && takt_problems_suggests(&reader->project->problems, n)
            ? takt_text_nearest(name, n, element_at, &names)
            : NULL;
    takt_ssd_error(reader, element, "there is no component '%s'%s%s%s", name,
                   nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

static bool read_end(takt_ssd_reader *reader, const takt_ssd_scope *scope,
                     const takt_xml_element *element, bool is_start, end *out)
{
    const char *name =
        takt_xml_element_attribute(element, is_start ? "startElement" : "endElement");
    if (name && !*name) name = NULL; // no element has that name; some tools mean the system
    *out = (end){
        .is_own = !name,
        .element = name,
        .connector =
            takt_ssd_required(reader, element, is_start ? "startConnector" : "endConnector"),
        .index = read_indices(reader, element, is_start ? "startIndices" : "endIndices"),
    };
    if (!out->connector || !out->index) return false;
    int owner = name ? takt_map_find(&scope->elements, name) : scope->owner;
    if (owner < 0) {
        report_element(reader, element, scope, name);
        return false;
    }
    takt_wires *wires = &reader->wires;
    // Variables of components need no connector; they are checked when the FMU is known.
    bool is_free = wires->owners[owner].kind == TAKT_OWNER_COMPONENT ||
                   wires->owners[owner].kind == TAKT_OWNER_NOTHING;
    out->node = takt_wires_node(wires, owner, out->connector, false);
    if (out->node < 0 && is_free) {
        const char *copy = takt_arena_copy(&reader->project->arena, out->connector);
        out->node = copy ? takt_wires_node(wires, owner, copy, true) : -1;
        if (out->node < 0) reader->is_out_of_memory = true;
    } else if (out->node < 0) {
        report_connector(reader, element, out, owner);
    }
    if (out->node >= 0) out->kind = find_kind(wires->nodes[out->node].kind);
    return out->node >= 0;
}

// Seen from inside of the system, where the connection is.
static flow flow_of(const end *e)
{
    flow outside = e->kind ? e->kind->flow : NOT_KNOWN;
    if (!e->is_own || outside == NOT_KNOWN) return outside;
    return outside == GIVES ? TAKES : GIVES;
}

static const char *whose(const end *e)
{
    return e->is_own ? "the system" : e->element;
}

static bool is_variable(const takt_ssd_reader *reader, const end *e)
{
    const takt_wires *wires = &reader->wires;
    return wires->owners[wires->nodes[e->node].owner].kind == TAKT_OWNER_COMPONENT;
}

// Puts the source first. Returns false, with a report, when it cannot be found out.
static bool put_source_first(takt_ssd_reader *reader, const takt_xml_element *element, end *a,
                             end *b)
{
    flow start = flow_of(a), finish = flow_of(b);
    if (start != NOT_KNOWN && start == finish) {
        takt_ssd_error(reader, element,
                       "connector '%s' of %s (%s) and connector '%s' of %s (%s) both %s a value; "
                       "they cannot be connected",
                       a->connector, whose(a), a->kind->name, b->connector, whose(b), b->kind->name,
                       start == TAKES ? "take" : "give");
        return false;
    }
    if (start == NOT_KNOWN && finish == NOT_KNOWN) {
        if (is_variable(reader, a) && is_variable(reader, b)) return true; // the FMUs decide
        takt_ssd_error(reader, element,
                       "it is not known whether '%s' or '%s' gives the value; declare a connector "
                       "with its kind",
                       a->connector, b->connector);
        return false;
    }
    if (start == TAKES || finish == GIVES) {
        end other = *a;
        *a = *b;
        *b = other;
    }
    return true;
}

// Connectors of no specified kind stand for any kind that fits.
static bool is_any_kind(const end *e)
{
    return !e->kind || strcmp(e->kind->name, "unspecified") == 0;
}

// The table of allowed connections (section 5.3.2.1), expressed by ranks: nothing that varies later can
// become something that is fixed earlier.
static bool is_allowed(takt_ssd_reader *reader, const takt_xml_element *element, const end *from,
                       const end *to)
{
    if (is_any_kind(from) || is_any_kind(to)) return true;
    bool is_constant =
        strcmp(to->kind->name, "constant") != 0 || strcmp(from->kind->name, "constant") == 0;
    if (from->kind->rank <= to->kind->rank && is_constant) return true;
    takt_ssd_error(
        reader, element, "connector '%s' of %s (%s) cannot get its value from '%s' of %s (%s)",
        to->connector, whose(to), to->kind->name, from->connector, whose(from), from->kind->name);
    return false;
}

static void read_connection(takt_ssd_reader *reader, const takt_ssd_scope *scope,
                            const takt_xml_element *element)
{
    static const char *const known[] = {"ConnectionGeometry", "Annotations", "MetaData",
                                        "Signature", NULL};
    static const char *const attributes[] = {
        "startElement", "startConnector", "startIndices",           "endElement",
        "endConnector", "endIndices",     "suppressUnitConversion", NULL};
    takt_ssd_check_children(reader, element, known);
    takt_ssd_check_attributes(reader, element, attributes);
    takt_project_hop hop = takt_ssd_read_hop(reader, element);
    end a, b;
    bool has_start = read_end(reader, scope, element, true, &a);
    bool has_end = read_end(reader, scope, element, false, &b);
    if (!has_start || !has_end || !put_source_first(reader, element, &a, &b) ||
        !is_allowed(reader, element, &a, &b))
        return;
    takt_wire_edge edge = {
        .from = a.node, .to = b.node, .from_index = a.index, .to_index = b.index, .hop = hop};
    if (!takt_wires_connect(&reader->wires, &edge)) reader->is_out_of_memory = true;
}

void takt_ssd_read_connections(takt_ssd_reader *reader, const takt_ssd_scope *scope)
{
    static const char *const known[] = {"Connection", NULL};
    const takt_xml_element *list = takt_xml_first_child(scope->system, NS, "Connections");
    if (!list) return;
    takt_ssd_check_children(reader, list, known);
    const takt_xml_element *element = takt_xml_first_child(list, NS, "Connection");
    for (; element && !takt_ssd_is_full(reader, element);
         element = takt_xml_next_sibling(element, NS, "Connection"))
        read_connection(reader, scope, element);
}
