// SPDX-License-Identifier: MIT
// Reads a SystemStructureDescription of SSP 1.0 or 2.0 (SSP standard, chapter 5): one flat system of
// FMUs with connectors, connections, parameter values, default experiment and our annotation. What
// is not supported yet is an error and never left out silently, unless it cannot change the result.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "project/ssd_reader.h"
#include "project/uri.h"

#define NS TAKT_SSD_NAMESPACE

// ---- helpers -----------------------------------------------------------------------------------

takt_place takt_ssd_place(const takt_ssd_reader *reader, const takt_xml_element *element)
{
    return (takt_place){reader->project->path, takt_xml_element_line(element)};
}

void takt_ssd_error(takt_ssd_reader *reader, const takt_xml_element *element, const char *format,
                    ...)
{
    char text[TAKT_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    takt_problem(&reader->project->problems, TAKT_LEVEL_ERROR, takt_ssd_place(reader, element),
                 "%s", text);
}

const char *takt_ssd_required(takt_ssd_reader *reader, const takt_xml_element *element,
                              const char *attribute)
{
    const char *value = takt_xml_element_attribute(element, attribute);
    if (value && *value) return value;
    takt_ssd_error(reader, element, "<%s> %s '%s'", takt_xml_element_name(element),
                   value ? "has an empty attribute" : "has no attribute", attribute);
    return NULL;
}

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

// What may stand in an element: known names of the SSD namespace. Those that we cannot handle are
// errors, what is only for drawing and documentation is passed over, the rest is read elsewhere.
typedef enum treatment { READ, IGNORE, LATER } treatment;

typedef struct known_child {
    const char *name;
    treatment treatment;
} known_child;

static const char *child_name(void *context, int i)
{
    return ((const known_child *)context)[i].name;
}

static void check_children(takt_ssd_reader *reader, const takt_xml_element *parent,
                           const known_child *known, int n_known)
{
    const takt_xml_element *child = takt_xml_first_child(parent, NS, NULL);
    for (; child; child = takt_xml_next_sibling(child, NS, NULL)) {
        const char *name = takt_xml_element_name(child);
        int i = 0;
        while (i < n_known && strcmp(known[i].name, name) != 0) i++;
        if (i < n_known && known[i].treatment == LATER)
            takt_ssd_error(reader, child, "<%s> is not supported yet", name);
        if (i < n_known) continue;
        const char *nearest = takt_problems_suggests(&reader->project->problems, n_known)
                                  ? takt_text_nearest(name, n_known, child_name, (void *)known)
                                  : NULL;
        takt_ssd_error(reader, child, "<%s> is not known inside <%s>%s%s%s", name,
                       takt_xml_element_name(parent), nearest ? "; did you mean <" : "",
                       nearest ? nearest : "", nearest ? ">?" : "");
    }
}

#define CHECK_CHILDREN(reader, parent, ...)                                                        \
    do {                                                                                           \
        static const known_child known[] = {__VA_ARGS__};                                          \
        check_children(reader, parent, known, (int)(sizeof known / sizeof *known));                \
    } while (0)

// ---- connectors --------------------------------------------------------------------------------

static bool is_connector_kind(const char *kind)
{
    static const char *const kinds[] = {
        "input", "output",   "parameter", "calculatedParameter", "structuralParameter",
        "local", "constant", "inout",     "unspecified"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i], kind) == 0) return true;
    return false;
}

static const char *connector_type(takt_ssd_reader *reader, const takt_xml_element *connector)
{
    const char *type = NULL;
    const takt_xml_element *child = takt_xml_first_child(connector, TAKT_SSC_NAMESPACE, NULL);
    for (; child; child = takt_xml_next_sibling(child, TAKT_SSC_NAMESPACE, NULL)) {
        const char *found = takt_ssd_type(child);
        if (found)
            type = found;
        else if (strcmp(takt_xml_element_name(child), "Dimension") == 0)
            takt_ssd_error(reader, child, "arrays are not supported yet");
        else
            takt_ssd_error(reader, child, "<%s> is not a type", takt_xml_element_name(child));
    }
    return type;
}

// A connector of the component with index `component`, or of the system itself (-1).
static void read_connector(takt_ssd_reader *reader, const takt_xml_element *element, int component)
{
    CHECK_CHILDREN(reader, element, {"Clock", LATER}, {"ConnectorGeometry", IGNORE},
                   {"Annotations", IGNORE});
    const char *name = takt_ssd_required(reader, element, "name");
    const char *kind = takt_ssd_required(reader, element, "kind");
    const char *type = connector_type(reader, element);
    if (!name || !kind) return;
    if (!is_connector_kind(kind)) {
        takt_ssd_error(reader, element, "connector '%s': '%s' is not a kind of connector", name,
                       kind);
        return;
    }
    if (component >= 0) {
        takt_project_connector connector = {.component = component,
                                            .name = name,
                                            .kind = kind,
                                            .type = type,
                                            .place = takt_ssd_place(reader, element)};
        if (!takt_project_add_connector(reader->project, &connector))
            reader->is_out_of_memory = true;
        return;
    }
    if (takt_map_find(&reader->connectors, name) >= 0)
        takt_ssd_error(reader, element, "the system has a connector '%s' already", name);
    else if (!takt_map_add(&reader->connectors, name,
                           strcmp(kind, "input") == 0 || strcmp(kind, "output") == 0))
        reader->is_out_of_memory = true;
}

static void read_connectors(takt_ssd_reader *reader, const takt_xml_element *owner, int component)
{
    const takt_xml_element *list = takt_xml_first_child(owner, NS, "Connectors");
    if (!list) return;
    CHECK_CHILDREN(reader, list, {"Connector", READ});
    const takt_xml_element *element = takt_xml_first_child(list, NS, "Connector");
    for (; element; element = takt_xml_next_sibling(element, NS, "Connector"))
        read_connector(reader, element, component);
}

// ---- components --------------------------------------------------------------------------------

// Is a component something else than an FMU for co-simulation? Reports it.
static bool is_other_kind(takt_ssd_reader *reader, const takt_xml_element *element,
                          const char *name)
{
    const char *type = takt_xml_element_attribute(element, "type");
    const char *implementation = takt_xml_element_attribute(element, "implementation");
    if (type && strcmp(type, "application/x-fmu-sharedlibrary") != 0) {
        takt_ssd_error(reader, element,
                       "component '%s': the type '%s' is not supported yet; possible is "
                       "application/x-fmu-sharedlibrary",
                       name, type);
        return true;
    }
    if (implementation && strcmp(implementation, "any") != 0 &&
        strcmp(implementation, "CoSimulation") != 0) {
        takt_ssd_error(reader, element,
                       "component '%s': the implementation '%s' is not supported yet; possible are "
                       "any and CoSimulation",
                       name, implementation);
        return true;
    }
    return false;
}

static const char *component_source(takt_ssd_reader *reader, const takt_xml_element *element,
                                    const char *name)
{
    const char *source = takt_xml_element_attribute(element, "source");
    const char *path = NULL;
    takt_error err = {0};
    if (!source) {
        takt_ssd_error(reader, element, "component '%s' has no source; write source=\"NAME.fmu\"",
                       name);
        return NULL;
    }
    takt_status st =
        takt_uri_resolve(&reader->project->arena, reader->project->path, source, &path, &err);
    if (st == TAKT_ERR_MEMORY)
        reader->is_out_of_memory = true;
    else if (st)
        takt_ssd_error(reader, element, "component '%s': source %s", name, err.message);
    return path;
}

// A component whose source is not known stays in the project, so that its name is.
static bool add_component(takt_ssd_reader *reader, const takt_xml_element *element,
                          const char *name, const char *path)
{
    takt_project_component component = {
        .name = name, .source = path, .place = takt_ssd_place(reader, element)};
    bool ok = takt_project_add_component(reader->project, &component);
    if (!ok) reader->is_out_of_memory = true;
    return ok;
}

static void read_component(takt_ssd_reader *reader, const takt_xml_element *element)
{
    CHECK_CHILDREN(reader, element, {"Connectors", READ}, {"ElementGeometry", IGNORE},
                   {"ParameterBindings", READ}, {"Annotations", IGNORE}, {"MetaData", IGNORE},
                   {"Signature", IGNORE});
    const char *name = takt_ssd_required(reader, element, "name");
    if (!name) return;
    const char *path =
        is_other_kind(reader, element, name) ? NULL : component_source(reader, element, name);
    if (!add_component(reader, element, name, path)) return;
    read_connectors(reader, element, reader->project->n_components - 1);
    takt_ssd_read_bindings(reader, element, name);
}

static void read_elements(takt_ssd_reader *reader, const takt_xml_element *system)
{
    const takt_xml_element *list = takt_xml_first_child(system, NS, "Elements");
    if (!list || !takt_xml_first_child(list, NS, NULL)) {
        takt_ssd_error(reader, list ? list : system, "the system has no components");
        return;
    }
    CHECK_CHILDREN(reader, list, {"Component", READ}, {"System", LATER},
                   {"SignalDictionaryReference", LATER});
    const takt_xml_element *element = takt_xml_first_child(list, NS, NULL);
    for (; element; element = takt_xml_next_sibling(element, NS, NULL)) {
        const char *name = takt_xml_element_attribute(element, "name");
        if (strcmp(takt_xml_element_name(element), "Component") == 0)
            read_component(reader, element);
        else if (name && *name)
            add_component(reader, element, name, NULL); // reported by CHECK_CHILDREN
    }
}

// ---- connections -------------------------------------------------------------------------------

static bool has_transformation(takt_ssd_reader *reader, const takt_xml_element *element)
{
    const takt_xml_element *child = takt_xml_first_child(element, TAKT_SSC_NAMESPACE, NULL);
    if (child)
        takt_ssd_error(reader, child, "<%s> is not supported yet", takt_xml_element_name(child));
    bool has_indices = takt_xml_element_attribute(element, "startIndices") ||
                       takt_xml_element_attribute(element, "endIndices");
    if (has_indices)
        takt_ssd_error(reader, element, "connections of array elements are not supported yet");
    return child || has_indices;
}

// An end of a connection at the system itself. Inputs and outputs of the whole system lead nowhere,
// as the system is simulated alone: an input behind one keeps its start value.
static void check_system_end(takt_ssd_reader *reader, const takt_xml_element *element,
                             const char *connector)
{
    int is_input_or_output = takt_map_find(&reader->connectors, connector);
    if (is_input_or_output < 0)
        takt_ssd_error(reader, element, "the system itself has no connector '%s'", connector);
    else if (!is_input_or_output)
        takt_ssd_error(reader, element,
                       "connections with a connector of the system ('%s') that is neither input "
                       "nor output are not supported yet",
                       connector);
    else
        takt_problem(&reader->project->problems, TAKT_LEVEL_INFO, takt_ssd_place(reader, element),
                     "the connection with '%s' of the system itself has no effect", connector);
}

static void read_connection(takt_ssd_reader *reader, const takt_xml_element *element)
{
    CHECK_CHILDREN(reader, element, {"ConnectionGeometry", IGNORE}, {"Annotations", IGNORE});
    bool is_transformed = has_transformation(reader, element);
    takt_project_connection connection = {
        .start_component = takt_xml_element_attribute(element, "startElement"),
        .start_variable = takt_ssd_required(reader, element, "startConnector"),
        .end_component = takt_xml_element_attribute(element, "endElement"),
        .end_variable = takt_ssd_required(reader, element, "endConnector"),
        .place = takt_ssd_place(reader, element),
    };
    if (is_transformed || !connection.start_variable || !connection.end_variable) return;
    if (!connection.start_component) check_system_end(reader, element, connection.start_variable);
    if (!connection.end_component) check_system_end(reader, element, connection.end_variable);
    if (!connection.start_component || !connection.end_component) return;
    if (!takt_project_add_connection(reader->project, &connection)) reader->is_out_of_memory = true;
}

static void read_connections(takt_ssd_reader *reader, const takt_xml_element *system)
{
    const takt_xml_element *list = takt_xml_first_child(system, NS, "Connections");
    if (!list) return;
    CHECK_CHILDREN(reader, list, {"Connection", READ});
    const takt_xml_element *element = takt_xml_first_child(list, NS, "Connection");
    for (; element; element = takt_xml_next_sibling(element, NS, "Connection"))
        read_connection(reader, element);
}

// ---- document ----------------------------------------------------------------------------------

static void read_system(takt_ssd_reader *reader, const takt_xml_element *system)
{
    CHECK_CHILDREN(reader, system, {"Connectors", READ}, {"ElementGeometry", IGNORE},
                   {"ParameterBindings", READ}, {"Elements", READ}, {"Connections", READ},
                   {"SignalDictionaries", LATER}, {"SystemGeometry", IGNORE},
                   {"GraphicalElements", IGNORE}, {"Annotations", READ}, {"MetaData", IGNORE},
                   {"Signature", IGNORE});
    read_connectors(reader, system, -1);
    read_elements(reader, system);
    read_connections(reader, system);
    takt_ssd_read_bindings(reader, system, NULL); // after those of components, as they win
    takt_ssd_read_annotations(reader, system);
}

static void read_default_experiment(takt_ssd_reader *reader, const takt_xml_element *root)
{
    static const char *const times[][2] = {{"startTime", "start-time"}, {"stopTime", "stop-time"}};
    const takt_xml_element *element = takt_xml_first_child(root, NS, "DefaultExperiment");
    if (!element) return;
    takt_project *project = reader->project;
    for (int i = 0; i < 2; i++) {
        const char *value = takt_xml_element_attribute(element, times[i][0]);
        takt_error err = {0};
        if (value &&
            takt_settings_set(&project->settings, &project->arena, times[i][1], value, &err))
            takt_ssd_error(reader, element, "%s", err.message);
    }
    takt_ssd_read_annotations(reader, element);
}

static void read_document(takt_ssd_reader *reader, const takt_xml_element *root)
{
    const char *version = takt_xml_element_attribute(root, "version");
    if (strcmp(takt_xml_element_name(root), "SystemStructureDescription") != 0 ||
        strcmp(takt_xml_element_namespace(root), NS) != 0) {
        takt_ssd_error(reader, root,
                       "<%s> is not the root of a SystemStructureDescription of the namespace " NS,
                       takt_xml_element_name(root));
        return;
    }
    if (!version || (strcmp(version, "1.0") != 0 && strcmp(version, "2.0") != 0))
        takt_problem(&reader->project->problems, TAKT_LEVEL_WARN, takt_ssd_place(reader, root),
                     "the version of SSP is '%s'; known are 1.0 and 2.0", version ? version : "");
    CHECK_CHILDREN(reader, root, {"System", READ}, {"Enumerations", IGNORE}, {"Units", IGNORE},
                   {"DefaultExperiment", READ}, {"Annotations", READ}, {"MetaData", IGNORE},
                   {"Signature", IGNORE});
    const takt_xml_element *system = takt_xml_first_child(root, NS, "System");
    if (system)
        read_system(reader, system);
    else
        takt_ssd_error(reader, root, "the file has no <System>");
    read_default_experiment(reader, root);
    takt_ssd_read_annotations(reader, root);
}

// Reads a tree and ends it.
static takt_status read_tree(takt_project *project, takt_xml_tree *tree, takt_error *err)
{
    takt_ssd_reader reader = {.project = project};
    read_document(&reader, takt_xml_tree_root(tree));
    takt_map_clear(&reader.connectors);
    takt_xml_tree_close(tree);
    if (reader.is_out_of_memory) return takt_fail_memory(err);
    // Without components there is nothing more to find.
    return project->n_components ? TAKT_OK
                                 : takt_problems_end(&project->problems, project->path, err);
}

takt_status takt_project_read_ssd(takt_project *project, takt_error *err)
{
    takt_xml_tree *tree = NULL;
    takt_status st = takt_xml_tree_open(project->path, project->path, &tree, err);
    return st ? st : read_tree(project, tree, err);
}

takt_status takt_project_parse_ssd(takt_project *project, const void *data, size_t size,
                                   takt_error *err)
{
    takt_xml_tree *tree = NULL;
    takt_status st = takt_xml_tree_open_memory(data, size, project->path, &tree, err);
    return st ? st : read_tree(project, tree, err);
}
