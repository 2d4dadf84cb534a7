// SPDX-License-Identifier: MIT
// Reads SystemStructureDescriptions of SSP 1.0 and 2.0 (SSP standard, chapter 5). Systems within systems
// and packages within packages are made flat: a component is named by its path, "Sub.Inner", and the
// connectors of systems vanish (ssd_wires.c). What is not supported is an error and never left out
// silently, unless it cannot change the result.
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/text.h"
#include "project/ssd_reader.h"
#include "project/uri.h"

#define NS TAKT_SSD_NAMESPACE

enum {
    MAX_DEPTH = 64, // of systems within each other, over all packages
    MAX_ELEMENTS = 100 * 1000, // references can multiply: ten times ten times ten ...
};

static void read_system(takt_ssd_reader *reader, takt_ssd_scope *scope);

// ---- scopes --------------------------------------------------------------------------------------

static bool count_element(takt_ssd_reader *reader, const takt_xml_element *element)
{
    if (takt_ssd_is_full(reader, element)) return false;
    if (reader->n_elements++ < MAX_ELEMENTS) return true;
    reader->is_full = true;
    takt_ssd_error(reader, element,
                   "the project has more than %d elements, counting those of all "
                   "references",
                   MAX_ELEMENTS);
    return false;
}

// "Sub.Inner" for the element `name` of a system; NULL: out of memory.
static const char *path_in(takt_ssd_reader *reader, const takt_ssd_scope *scope, const char *name)
{
    takt_arena *arena = &reader->project->arena;
    const char *path = *scope->path ? takt_arena_print(arena, "%s.%s", scope->path, name)
                                    : takt_arena_copy(arena, name);
    if (!path) reader->is_out_of_memory = true;
    return path;
}

// Gives an element a place among the names of its system. Returns its owner; -1: out of memory.
static int add_owner(takt_ssd_reader *reader, takt_ssd_scope *scope,
                     const takt_xml_element *element, const char *name, takt_wire_owner_kind kind,
                     const char *path)
{
    int owner = takt_wires_add_owner(&reader->wires, kind, path);
    bool is_there = takt_map_find(&scope->elements, name) >= 0;
    if (is_there && kind != TAKT_OWNER_COMPONENT) // those are found when the system is made
        takt_ssd_error(reader, element, "there is already an element '%s' in this system", name);
    if (owner < 0 || (!is_there && !takt_map_add(&scope->elements, name, owner)))
        reader->is_out_of_memory = true;
    return reader->is_out_of_memory ? -1 : owner;
}

// Is a file read once more, by another name?
static bool is_same_file(const takt_ssd_document *a, const takt_ssd_document *b)
{
    return a != b && a->real && b->real && strcmp(a->real, b->real) == 0;
}

// Does a system contain itself, perhaps through other packages? Reports it.
static bool is_circle(takt_ssd_reader *reader, const takt_xml_element *element,
                      const takt_ssd_scope *scope, const takt_ssd_document *document,
                      const takt_xml_element *system, const char *source)
{
    for (const takt_ssd_scope *s = scope; s; s = s->parent) {
        if (s->system != system && !is_same_file(s->document, document)) continue;
        takt_ssd_error(reader, element, "the source '%s' refers to a system that contains it",
                       source);
        return true;
    }
    if (scope->depth < MAX_DEPTH) return false;
    takt_ssd_error(reader, element, "more than %d systems are inside each other", MAX_DEPTH);
    return true;
}

// Reads a system inside of another one.
static void read_inner(takt_ssd_reader *reader, takt_ssd_scope *outer, takt_ssd_document *document,
                       const takt_xml_element *system, const char *path, int owner,
                       bool is_elsewhere)
{
    takt_ssd_document *present = reader->document;
    takt_ssd_scope scope = {.parent = outer,
                            .document = document,
                            .system = system,
                            .path = path,
                            .owner = owner,
                            .depth = outer->depth + 1,
                            .is_elsewhere = outer->is_elsewhere || is_elsewhere};
    reader->document = document;
    read_system(reader, &scope);
    reader->document = present;
}

// ---- components ----------------------------------------------------------------------------------

// What a component is, by its type or the name of its file.
typedef enum source_kind { MODEL, DEFINITION, PACKAGE, UNKNOWN_TYPE } source_kind;

static source_kind kind_of(const char *type, const char *source)
{
    static const struct {
        const char *type, *ending;
        source_kind kind;
    } known[] = {
        {"application/x-fmu-sharedlibrary", ".fmu", MODEL},
        {"application/x-ssp-definition", ".ssd", DEFINITION},
        {"application/x-ssp-package", ".ssp", PACKAGE},
        {"text/csv", ".csv", MODEL},
        {"text/tab-separated-values", ".tsv", MODEL},
    };
    size_t length = strcspn(source, "#");
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (type && strcmp(type, known[i].type) == 0) return known[i].kind;
        size_t n = strlen(known[i].ending);
        if (!type && length >= n && strncasecmp(source + length - n, known[i].ending, n) == 0)
            return known[i].kind;
    }
    return type ? UNKNOWN_TYPE : MODEL;
}

static bool is_possible(takt_ssd_reader *reader, const takt_xml_element *element, const char *name,
                        source_kind kind)
{
    const char *implementation = takt_xml_element_attribute(element, "implementation");
    if (kind == UNKNOWN_TYPE) {
        takt_ssd_error(reader, element,
                       "component '%s': the type '%s' is not supported; possible are "
                       "application/x-fmu-sharedlibrary, application/x-ssp-definition, "
                       "application/x-ssp-package, text/csv and text/tab-separated-values",
                       name, takt_xml_element_attribute(element, "type"));
        return false;
    }
    if (implementation && strcmp(implementation, "any") != 0 &&
        strcmp(implementation, "CoSimulation") != 0 &&
        strcmp(implementation, "ModelExchange") != 0) {
        takt_ssd_error(reader, element,
                       "component '%s': the implementation '%s' is not supported; possible are "
                       "any, CoSimulation and ModelExchange",
                       name, implementation);
        return false;
    }
    return true;
}

// Where the component stands in a diagram. It means nothing to a run, so that odd numbers are only ignored.
static void read_geometry(const takt_xml_element *element, takt_project_component *component)
{
    static const char *const names[] = {"x1", "y1", "x2", "y2"};
    const takt_xml_element *e = takt_xml_first_child(element, NS, "ElementGeometry");
    component->has_box = e != NULL;
    for (int i = 0; i < 4 && component->has_box; i++) {
        const char *text = takt_xml_element_attribute(e, names[i]);
        component->has_box = text &&
                             takt_number_read(text, text + strlen(text), &component->box[i]) &&
                             isfinite(component->box[i]);
    }
}

// A component whose source is not known stays in the project, so that its name is.
static void add_component(takt_ssd_reader *reader, takt_ssd_scope *scope,
                          const takt_xml_element *element, const char *name, const char *path,
                          const char *source, const char *shown)
{
    const char *type = takt_xml_element_attribute(element, "type");
    takt_project_component component = {.name = path,
                                        .source = source,
                                        .shown = shown,
                                        .implementation =
                                            takt_xml_element_attribute(element, "implementation"),
                                        .n_system = (int)strlen(scope->path),
                                        .is_elsewhere = scope->is_elsewhere,
                                        .is_table = type && strncmp(type, "text/", 5) == 0,
                                        .place = takt_ssd_place(reader, element)};
    read_geometry(element, &component);
    int owner = add_owner(reader, scope, element, name, TAKT_OWNER_COMPONENT, path);
    if (owner < 0 || !takt_project_add_component(reader->project, &component)) {
        reader->is_out_of_memory = true;
        return;
    }
    takt_ssd_read_connectors(reader, element, owner, reader->project->n_components - 1);
    takt_ssd_target target = {.component = path, .source = source, .shown = shown};
    takt_ssd_read_bindings(reader, element, &target);
}

static const char *id_at(void *context, int i)
{
    const takt_ssd_document *document = context;
    return takt_xml_element_attribute(document->identified[i], "id");
}

static void report_id(takt_ssd_reader *reader, const takt_xml_element *element, const char *what,
                      const char *source)
{
    int n = reader->document->n_identified;
    const char *nearest = *source && takt_problems_suggests(&reader->project->problems, n)
                              ? takt_text_nearest(source + 1, n, id_at, reader->document)
                              : NULL;
    takt_ssd_error(reader, element, "%s '%s' is not the id of a system in this file%s%s%s", what,
                   source, nearest ? "; did you mean '#" : "", nearest ? nearest : "",
                   nearest ? "'?" : "");
}

// Goes from the place of a package to that of the description in it that the source names.
static bool enter_package(takt_ssd_reader *reader, const takt_xml_element *element,
                          const char *what, const char *source, takt_ssd_document *place)
{
    takt_arena *arena = &reader->project->arena;
    const char *fragment = strchr(source, '#'), *file = NULL;
    takt_status st =
        takt_uri_resolve(arena, "", fragment ? fragment + 1 : "SystemStructure.ssd", &file, NULL);
    if (st == TAKT_ERR_MEMORY) reader->is_out_of_memory = true;
    if (st || strchr(file, '/')) {
        takt_ssd_error(reader, element, "%s '%s' names no file at the top of the package", what,
                       source);
        return false;
    }
    if (!takt_ssd_unpack(reader, element, what, place->path, place->shown, file, place))
        return false;
    if (takt_path_is_file(place->path)) return true;
    takt_ssd_error(reader, element, "%s '%s': the package has no %s; at its top are: %s", what,
                   source, file, takt_ssd_variants(arena, place->package));
    return false;
}

// The document that a component refers to and the system in it; NULL, with a report: none.
static const takt_xml_element *find_system(takt_ssd_reader *reader, const takt_xml_element *element,
                                           const char *what, source_kind kind, const char *source,
                                           takt_ssd_document **document)
{
    const char *fragment = strchr(source, '#');
    if (fragment == source || !*source) {
        *document = reader->document;
        const takt_xml_element *system =
            fragment ? takt_ssd_identified(reader->document, fragment + 1) : NULL;
        if (!system) report_id(reader, element, what, source);
        return system;
    }
    takt_ssd_base base = takt_ssd_document_base(reader->document);
    takt_ssd_document place = {.package = base.package, .package_shown = base.package_shown};
    size_t length = fragment ? (size_t)(fragment - source) : strlen(source);
    const char *uri = takt_arena_copy_n(&reader->project->arena, source, length);
    if (!uri) reader->is_out_of_memory = true;
    if (!uri || !takt_ssd_locate(reader, element, what, &base, uri, &place.path, &place.shown))
        return NULL;
    if (kind == PACKAGE) {
        if (!enter_package(reader, element, what, source, &place)) return NULL;
    } else if (fragment) {
        takt_ssd_error(reader, element,
                       "%s '%s': only packages (.ssp) can have a '#' behind the "
                       "file",
                       what, source);
        return NULL;
    }
    *document = takt_ssd_open(reader, element, &place, NS, "SystemStructureDescription");
    if (!*document) return NULL;
    const takt_xml_element *system =
        takt_xml_first_child(takt_xml_tree_root((*document)->tree), NS, "System");
    if (!system) takt_ssd_error(reader, element, "%s '%s' has no <System>", what, source);
    return system;
}

// Does a connector that is declared outside exist in the system or dictionary, as this kind?
static void check_outer_connector(takt_ssd_reader *reader, const takt_xml_element *element,
                                  const char *what, const char *name, int owner)
{
    const char *connector = takt_ssd_required(reader, element, "name");
    const char *kind = takt_ssd_required(reader, element, "kind");
    bool is_kind = connector && kind && takt_ssd_check_kind(reader, element, connector, kind);
    int node = connector ? takt_wires_node(&reader->wires, owner, connector, false) : -1;
    const char *inner = node >= 0 ? reader->wires.nodes[node].kind : NULL;
    if (connector && node < 0)
        takt_ssd_error(reader, element, "connector '%s' does not exist in the %s of '%s'%s",
                       connector, what, name, takt_ssd_nearest_connector(reader, connector, owner));
    else if (is_kind && inner && reader->wires.owners[owner].kind == TAKT_OWNER_SYSTEM &&
             strcmp(kind, inner) != 0 && strcmp(kind, "unspecified") != 0 &&
             strcmp(inner, "unspecified") != 0)
        takt_ssd_error(reader, element,
                       "connector '%s' is declared as %s, but in the system of '%s' it is %s",
                       connector, kind, name, inner);
}

// Connectors that an element declares must be those of the `what` behind it.
static void check_outer_connectors(takt_ssd_reader *reader, const takt_xml_element *element,
                                   const char *what, const char *name, int owner)
{
    const takt_xml_element *list = takt_xml_first_child(element, NS, "Connectors");
    const takt_xml_element *e = list ? takt_xml_first_child(list, NS, "Connector") : NULL;
    for (; e; e = takt_xml_next_sibling(e, NS, "Connector"))
        check_outer_connector(reader, e, what, name, owner);
}

// A component that is a system: read as if that stood here.
static void read_reference(takt_ssd_reader *reader, takt_ssd_scope *scope,
                           const takt_xml_element *element, const char *name, const char *path,
                           source_kind kind)
{
    const char *source = takt_xml_element_attribute(element, "source");
    const char *what = takt_arena_print(&reader->project->arena, "component '%s': source", name);
    takt_ssd_document *document = NULL;
    if (!what) reader->is_out_of_memory = true;
    const takt_xml_element *system =
        what ? find_system(reader, element, what, kind, source, &document) : NULL;
    if (!system || is_circle(reader, element, scope, document, system, source)) {
        // Stays as a component, so that its name is known.
        add_component(reader, scope, element, name, path, NULL, NULL);
        return;
    }
    int owner = add_owner(reader, scope, element, name, TAKT_OWNER_SYSTEM, path);
    if (owner < 0) return;
    read_inner(reader, scope, document, system, path, owner, true);
    check_outer_connectors(reader, element, "system", name, owner);
    takt_ssd_target target = {.path = path,
                              .source = document->package ? document->package : NULL,
                              .shown = document->package_shown};
    takt_ssd_read_bindings(reader, element, &target);
}

static void read_empty(takt_ssd_reader *reader, takt_ssd_scope *scope,
                       const takt_xml_element *element, const char *name, const char *path)
{
    takt_problem_doubt(&reader->project->problems, takt_ssd_place(reader, element),
                       "component '%s' has no source and is left out; write source=\"NAME.fmu\"",
                       name);
    int owner = add_owner(reader, scope, element, name, TAKT_OWNER_NOTHING, path);
    if (owner >= 0) takt_ssd_read_connectors(reader, element, owner, -1);
}

static void read_component(takt_ssd_reader *reader, takt_ssd_scope *scope,
                           const takt_xml_element *element)
{
    static const char *const known[] = {"Connectors",  "ElementGeometry", "ParameterBindings",
                                        "Annotations", "MetaData",        "Signature",
                                        NULL};
    static const char *const attributes[] = {"name", "type", "source", "implementation", NULL};
    takt_ssd_check_children(reader, element, known);
    takt_ssd_check_attributes(reader, element, attributes);
    const char *name = takt_ssd_required(reader, element, "name");
    const char *path = name ? path_in(reader, scope, name) : NULL;
    if (!path) return;
    const char *source = takt_xml_element_attribute(element, "source");
    if (!source) {
        read_empty(reader, scope, element, name, path);
        return;
    }
    source_kind kind = kind_of(takt_xml_element_attribute(element, "type"), source);
    if (*source == '#' && kind == MODEL) kind = DEFINITION;
    bool is_model = kind == MODEL || kind == UNKNOWN_TYPE;
    if (!is_model) {
        read_reference(reader, scope, element, name, path, kind);
        return;
    }
    const char *file = NULL, *shown = NULL;
    const char *what = takt_arena_print(&reader->project->arena, "component '%s': source", name);
    takt_ssd_base base = takt_ssd_document_base(reader->document);
    if (!what) reader->is_out_of_memory = true;
    if (what && is_possible(reader, element, name, kind))
        takt_ssd_locate(reader, element, what, &base, source, &file, &shown);
    add_component(reader, scope, element, name, path, file, shown);
}

// ---- signal dictionaries -------------------------------------------------------------------------

// The content of a dictionary: inline, or in a file of its own, which becomes the present document.
static const takt_xml_element *dictionary_content(takt_ssd_reader *reader,
                                                  const takt_xml_element *element)
{
    const char *source = takt_ssd_source(element);
    if (!source) {
        const takt_xml_element *inner =
            takt_xml_first_child(element, TAKT_SSB_NAMESPACE, "SignalDictionary");
        if (!inner)
            takt_ssd_error(reader, element, "<SignalDictionary> has neither source nor content");
        return inner;
    }
    takt_ssd_base base = takt_ssd_document_base(reader->document);
    takt_ssd_document place = {.package = base.package, .package_shown = base.package_shown};
    if (!takt_ssd_locate(reader, element, "source", &base, source, &place.path, &place.shown))
        return NULL;
    takt_ssd_document *document =
        takt_ssd_open(reader, element, &place, TAKT_SSB_NAMESPACE, "SignalDictionary");
    if (!document) return NULL;
    reader->document = document;
    return takt_xml_tree_root(document->tree);
}

static void read_dictionaries(takt_ssd_reader *reader, takt_ssd_scope *scope)
{
    static const char *const known[] = {"SignalDictionary", NULL};
    static const char *const attributes[] = {"name", "type", "source", NULL};
    const takt_xml_element *list = takt_xml_first_child(scope->system, NS, "SignalDictionaries");
    if (list) takt_ssd_check_children(reader, list, known);
    const takt_xml_element *e = list ? takt_xml_first_child(list, NS, "SignalDictionary") : NULL;
    for (; e; e = takt_xml_next_sibling(e, NS, "SignalDictionary")) {
        takt_ssd_check_attributes(reader, e, attributes);
        const char *name = takt_ssd_required(reader, e, "name");
        const char *path = name ? path_in(reader, scope, name) : NULL;
        if (!path) continue;
        if (takt_map_find(&scope->dictionaries, name) >= 0) {
            takt_ssd_error(reader, e, "there is already a signal dictionary '%s' in this system",
                           name);
            continue;
        }
        int owner = takt_wires_add_owner(&reader->wires, TAKT_OWNER_DICTIONARY, path);
        if (owner < 0 || !takt_map_add(&scope->dictionaries, name, owner))
            reader->is_out_of_memory = true;
        takt_ssd_document *present = reader->document;
        const takt_xml_element *content = dictionary_content(reader, e);
        if (content && owner >= 0) takt_ssd_read_dictionary(reader, content, owner);
        reader->document = present;
    }
}

static void read_dictionary_reference(takt_ssd_reader *reader, takt_ssd_scope *scope,
                                      const takt_xml_element *element)
{
    const char *name = takt_ssd_required(reader, element, "name");
    const char *dictionary = takt_ssd_required(reader, element, "dictionary");
    if (!name || !dictionary) return;
    int owner = -1;
    for (const takt_ssd_scope *s = scope; s && owner < 0; s = s->parent)
        owner = takt_map_find(&s->dictionaries, dictionary);
    if (owner < 0) {
        takt_ssd_error(reader, element,
                       "there is no signal dictionary '%s' in this system or one around it",
                       dictionary);
        return;
    }
    if (takt_map_find(&scope->elements, name) >= 0)
        takt_ssd_error(reader, element, "there is already an element '%s' in this system", name);
    else if (!takt_map_add(&scope->elements, name, owner))
        reader->is_out_of_memory = true;
    check_outer_connectors(reader, element, "signal dictionary", name, owner);
}

// ---- systems -------------------------------------------------------------------------------------

static void read_subsystem(takt_ssd_reader *reader, takt_ssd_scope *scope,
                           const takt_xml_element *element)
{
    const char *name = takt_ssd_required(reader, element, "name");
    const char *path = name ? path_in(reader, scope, name) : NULL;
    if (!path || is_circle(reader, element, scope, reader->document, element, name)) return;
    int owner = add_owner(reader, scope, element, name, TAKT_OWNER_SYSTEM, path);
    // With an id, components may refer to it.
    bool has_id = takt_xml_element_attribute(element, "id") != NULL;
    if (owner >= 0) read_inner(reader, scope, reader->document, element, path, owner, has_id);
}

static void read_elements(takt_ssd_reader *reader, takt_ssd_scope *scope)
{
    static const char *const known[] = {"Component", "System", "SignalDictionaryReference", NULL};
    const takt_xml_element *list = takt_xml_first_child(scope->system, NS, "Elements");
    if (!list) return;
    takt_ssd_check_children(reader, list, known);
    const takt_xml_element *element = takt_xml_first_child(list, NS, NULL);
    for (; element && count_element(reader, element);
         element = takt_xml_next_sibling(element, NS, NULL)) {
        const char *name = takt_xml_element_name(element);
        if (strcmp(name, "Component") == 0)
            read_component(reader, scope, element);
        else if (strcmp(name, "System") == 0)
            read_subsystem(reader, scope, element);
        else if (strcmp(name, "SignalDictionaryReference") == 0)
            read_dictionary_reference(reader, scope, element);
    }
}

static void read_system(takt_ssd_reader *reader, takt_ssd_scope *scope)
{
    static const char *const known[] = {"Connectors",     "ElementGeometry",   "ParameterBindings",
                                        "Elements",       "Connections",       "SignalDictionaries",
                                        "SystemGeometry", "GraphicalElements", "Annotations",
                                        "MetaData",       "Signature",         NULL};
    takt_ssd_check_children(reader, scope->system, known);
    takt_ssd_read_connectors(reader, scope->system, scope->owner, -1);
    read_dictionaries(reader, scope);
    read_elements(reader, scope);
    if (!reader->is_full) takt_ssd_read_connections(reader, scope);
    // After those of the elements, as these win.
    takt_ssd_read_bindings(reader, scope->system, &(takt_ssd_target){.path = scope->path});
    takt_map_clear(&scope->elements);
    takt_map_clear(&scope->dictionaries);
}

// ---- document ------------------------------------------------------------------------------------

static void read_default_experiment(takt_ssd_reader *reader, const takt_xml_element *root)
{
    static const char *const times[][2] = {{"startTime", "start-time"}, {"stopTime", "stop-time"}};
    static const char *const attributes[] = {"startTime", "stopTime", NULL};
    const takt_xml_element *element = takt_xml_first_child(root, NS, "DefaultExperiment");
    if (!element) return;
    takt_ssd_check_attributes(reader, element, attributes);
    takt_project *project = reader->project;
    for (int i = 0; i < 2; i++) {
        const char *value = takt_ssd_token(reader, element, times[i][0]);
        takt_error err = {0};
        if (value &&
            takt_project_set_at(project, times[i][1], value, takt_ssd_place(reader, element), &err))
            takt_ssd_error(reader, element, "%s", err.message);
    }
    takt_ssd_read_annotations(reader, element);
}

static void read_document(takt_ssd_reader *reader, takt_ssd_document *document)
{
    static const char *const known[] = {
        "System",      "Enumerations", "Units",     "DefaultExperiment",
        "Annotations", "MetaData",     "Signature", NULL};
    const takt_xml_element *root = takt_xml_tree_root(document->tree);
    reader->document = document;
    takt_ssd_check_children(reader, root, known);
    takt_ssd_scope scope = {.document = document,
                            .system = takt_xml_first_child(root, NS, "System"),
                            .path = "",
                            .owner = takt_wires_add_owner(&reader->wires, TAKT_OWNER_SYSTEM, "")};
    if (scope.owner < 0) reader->is_out_of_memory = true;
    if (!scope.system) {
        takt_ssd_error(reader, root, "the file has no <System>");
    } else if (scope.owner >= 0) {
        read_system(reader, &scope);
        takt_ssd_read_annotations(reader, scope.system);
        if (reader->project->n_components == 0) {
            const takt_xml_element *list = takt_xml_first_child(scope.system, NS, "Elements");
            takt_ssd_error(reader, list ? list : scope.system, "the system has no components");
        }
    }
    read_default_experiment(reader, root);
    takt_ssd_read_annotations(reader, root);
}

// Reads the project from a tree, which it takes over.
static takt_status read_tree(takt_project *project, takt_xml_tree *tree,
                             const takt_ssd_document *place, takt_error *err)
{
    takt_ssd_reader reader = {.project = project, .wires.arena = &project->arena};
    if (takt_ssd_enter(&reader, tree, place) &&
        takt_ssd_check_root(&reader, NS, "SystemStructureDescription")) {
        read_document(&reader, reader.document);
        if (!reader.is_out_of_memory && !reader.is_full &&
            !takt_wires_flatten(&reader.wires, project))
            reader.is_out_of_memory = true;
    }
    bool is_out_of_memory = reader.is_out_of_memory || reader.wires.failed;
    takt_ssd_reader_clear(&reader);
    if (is_out_of_memory) return takt_fail_memory(err);
    // Without components there is nothing more to find; with only some of them, nothing that counts.
    return project->n_components && !reader.is_full
               ? TAKT_OK
               : takt_problems_end(&project->problems, project->path, err);
}

takt_status takt_ssd_read_project(takt_project *project, const takt_ssd_document *place,
                                  takt_error *err)
{
    takt_xml_tree *tree = NULL;
    takt_status st =
        takt_xml_tree_open(takt_project_file(project, place->path), place->shown, &tree, err);
    if (st) return st;
    project->ssd_path = place->path;
    return read_tree(project, tree, place, err);
}

takt_status takt_project_read_ssd(takt_project *project, takt_error *err)
{
    takt_ssd_document place = {.path = project->path, .shown = project->path};
    if (!project->variant) return takt_ssd_read_project(project, &place, err);
    return takt_fail(err, TAKT_ERR_USAGE,
                     "%s: is one variant itself; others can be chosen only in a package (.ssp) or "
                     "folder",
                     project->path);
}

takt_status takt_project_parse_ssd(takt_project *project, const void *data, size_t size,
                                   takt_error *err)
{
    takt_ssd_document place = {.path = project->path, .shown = project->path};
    takt_xml_tree *tree = NULL;
    takt_status st = takt_xml_tree_open_memory(data, size, project->path, &tree, err);
    return st ? st : read_tree(project, tree, &place, err);
}

// ---- values alone ----------------------------------------------------------------------------------

// Opens a text in memory as a document of the project.
static takt_status enter_text(takt_ssd_reader *reader, const void *data, size_t size,
                              const char *name, const char *space, const char *root,
                              takt_error *err)
{
    takt_xml_tree *tree = NULL;
    takt_status st = takt_xml_tree_open_memory(data, size, name, &tree, err);
    if (st) return st;
    if (!takt_ssd_enter(reader, tree, &(takt_ssd_document){.path = name, .shown = name}))
        return takt_fail_memory(err);
    if (takt_ssd_check_root(reader, space, root)) return TAKT_OK;
    return takt_problems_end(&reader->project->problems, name, err);
}

takt_status takt_project_parse_ssv(takt_project *project, const void *data, size_t size,
                                   const void *mapping, size_t mapping_size, takt_error *err)
{
    takt_ssd_reader reader = {.project = project, .wires.arena = &project->arena};
    takt_ssd_document *mapping_document = NULL;
    takt_status st = TAKT_OK;
    if (mapping) {
        st = enter_text(&reader, mapping, mapping_size, "mapping.ssm", TAKT_SSM_NAMESPACE,
                        "ParameterMapping", err);
        mapping_document = reader.document;
    }
    if (!st)
        st = enter_text(&reader, data, size, "values.ssv", TAKT_SSV_NAMESPACE, "ParameterSet", err);
    if (!st) takt_ssd_read_values(&reader, mapping_document);
    if (!st && reader.is_out_of_memory) st = takt_fail_memory(err);
    takt_ssd_reader_clear(&reader);
    return st;
}

takt_status takt_project_set_values(takt_project *project, const char *path, takt_error *err)
{
    if (!project || !path)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_project_set_values: no argument may be NULL");
    takt_ssd_reader reader = {.project = project, .wires.arena = &project->arena};
    const char *name = takt_arena_copy(&project->arena, path);
    if (!name) return takt_fail_memory(err);
    takt_ssd_document place = {.path = name, .shown = name};
    takt_xml_tree *tree = NULL;
    takt_status st = takt_xml_tree_open(name, name, &tree, err);
    if (st) return st;
    if (takt_ssd_enter(&reader, tree, &place) &&
        takt_ssd_check_root(&reader, TAKT_SSV_NAMESPACE, "ParameterSet"))
        takt_ssd_read_values(&reader, NULL);
    if (reader.is_out_of_memory) st = takt_fail_memory(err);
    takt_ssd_reader_clear(&reader);
    return st;
}
