// SPDX-License-Identifier: MIT
// The SystemStructureDescription of a project: made for projects of other formats, or the one that
// was read with changed settings and values. Settings that SSP has no place for go into our annotation
// (see ssd_experiment.c).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "project/ssd_reader.h"
#include "project/uri.h"
#include "project/walls.h"
#include "project/write_ssp.h"

#define NS TAKT_SSD_NAMESPACE

// Indices of the project's assignments or connectors, sorted by what they belong to: those of
// component i stand from starts[i] on, those of the system from starts[n_components] on.
typedef struct by_owner {
    int *items, *starts;
} by_owner;

// Adding elements. Once memory is exhausted, nothing more is done.
typedef struct maker {
    takt_project *project;
    takt_arena arena;
    by_owner values, connectors;
    const char *values_version; // of all parameter sets
    takt_map arrays; // names of connectors that are arrays
    takt_xml_element *root;
    takt_xml_element **experiments; // our elements with settings, as they are read; malloc'ed
    int n_experiments, experiment_capacity;
    bool is_update; // of a description that was read: only what is new is added
    bool ok;
} maker;

static takt_xml_element *add_before(maker *m, takt_xml_element *parent, takt_xml_element *next,
                                    const char *prefix, const char *name)
{
    static const char *const spaces[][2] = {{"ssd", TAKT_SSD_NAMESPACE},
                                            {"ssc", TAKT_SSC_NAMESPACE},
                                            {"ssv", TAKT_SSV_NAMESPACE},
                                            {"takt", TAKT_EXPERIMENT_NAMESPACE}};
    takt_xml_element *element = NULL;
    for (int i = 0; m->ok && parent && i < 4; i++)
        if (strcmp(spaces[i][0], prefix) == 0)
            element = takt_xml_add_child(parent, next, prefix, spaces[i][1], name);
    if (!element) m->ok = false;
    return element;
}

static takt_xml_element *add(maker *m, takt_xml_element *parent, const char *prefix,
                             const char *name)
{
    return add_before(m, parent, NULL, prefix, name);
}

static void set(maker *m, takt_xml_element *element, const char *name, const char *value)
{
    if (m->ok && value && !takt_xml_set_attribute(element, name, value)) m->ok = false;
}

// A number that is there in another form stays.
static void set_number(maker *m, takt_xml_element *element, const char *name, double value)
{
    char text[TAKT_NUMBER_SIZE];
    const char *old = takt_xml_element_attribute(element, name);
    double meant;
    if (old && takt_number_read(old, old + strlen(old), &meant) && meant == value) return;
    takt_number_write(text, value);
    set(m, element, name, text);
}

// The child of that name; made if it is not there, before the first of `followers` (ended by NULL):
// the order of children is fixed.
static takt_xml_element *child_of(maker *m, takt_xml_element *parent, const char *name,
                                  const char *const *followers)
{
    if (!m->ok || !parent) return NULL;
    takt_xml_element *child = takt_xml_edit_child(parent, NS, name), *next = NULL;
    if (child) return child;
    for (takt_xml_element *e = takt_xml_edit_child(parent, NULL, NULL); e && !next;
         e = takt_xml_edit_next(e, NULL, NULL))
        for (int i = 0; followers[i]; i++)
            if (strcmp(followers[i], takt_xml_element_name(e)) == 0) next = e;
    return add_before(m, parent, next, "ssd", name);
}

static void cannot(maker *m, takt_place place, const char *what, const char *detail)
{
    takt_problem(&m->project->problems, TAKT_LEVEL_WARN, place,
                 "%s '%s' cannot be expressed in SSP and is left out", what, detail);
}

// Sorts the things from `first` on, up to `n`, by their owners; their order stays.
static void sort(maker *m, const int *owners, int first, int n, by_owner *out)
{
    int n_owners = m->project->n_components + 1;
    out->items = takt_arena_array(&m->arena, (size_t)n, sizeof *out->items);
    out->starts = takt_arena_array(&m->arena, (size_t)n_owners + 2, sizeof *out->starts);
    if (!out->items || !out->starts) {
        m->ok = false;
        return;
    }
    int *next = out->starts + 1; // becomes `starts` as the items find their places
    for (int i = first; i < n; i++) next[owners[i] + 1]++;
    for (int i = 0; i < n_owners; i++) next[i + 1] += next[i];
    for (int i = first; i < n; i++) out->items[next[owners[i]]++] = i;
}

// ---- values ----------------------------------------------------------------------------------------

// The element that a value without a declared type should have.
static const char *guess_type(const char *value)
{
    const char *end = value + strlen(value);
    int64_t integer;
    double real;
    if (takt_number_read_integer(value, end, &integer))
        return integer >= INT32_MIN && integer <= INT32_MAX ? "Integer" : "Int64";
    if (takt_number_read(value, end, &real)) return "Real";
    if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0) return "Boolean";
    return "String";
}

// The element of SSP 1.0 for a type, or that of 2.0 where there is none.
static const char *element_of(const char *type)
{
    if (strcmp(type, "Float64") == 0) return "Real";
    if (strcmp(type, "Int32") == 0) return "Integer";
    return type;
}

// Does SSP 1.0 know the type?
static bool is_old(const char *type)
{
    static const char *const old[] = {"Float64", "Int32",       "Boolean",
                                      "String",  "Enumeration", "Binary"};
    for (size_t i = 0; type && i < sizeof old / sizeof *old; i++)
        if (strcmp(old[i], type) == 0) return true;
    return !type;
}

static const char *version_of(const takt_project *project, bool has_connectors, int first)
{
    bool is_1 = true;
    for (int i = first; i < project->n_assignments; i++)
        is_1 = is_1 && is_old(project->assignments[i].type) && !project->assignments[i].shape;
    for (int i = 0; has_connectors && i < project->n_connectors; i++)
        is_1 = is_1 && is_old(project->connectors[i].type) && !project->connectors[i].shape;
    return is_1 ? "1.0" : "2.0";
}

// The elements for the sizes of an array, "[2,?]"; NULL: there are none.
static void add_shape(maker *m, takt_xml_element *parent, const char *shape)
{
    for (const char *c = shape; c && *c && *c != ']' && m->ok;) {
        size_t length = strcspn(++c, ",]"); // behind '[' or ','
        const char *size = takt_arena_copy_n(&m->arena, c, length);
        takt_xml_element *e = add(m, parent, "ssc", "Dimension");
        if (!size) m->ok = false;
        if (size && strcmp(size, "?") != 0) set(m, e, "size", size);
        c += length;
    }
}

// A parameter set that is being made.
typedef struct value_set {
    takt_xml_element *element, *list, *units; // units: NULL: none yet
    takt_map last; // names of its values -> index of the assignment that counts
    takt_map known; // names of its units
} value_set;

static void add_unit(maker *m, value_set *to, const takt_unit *unit)
{
    static const char *const names[] = {"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
    if (!m->ok || takt_map_find(&to->known, unit->name) >= 0) return;
    if (!takt_map_add(&to->known, unit->name, 0)) m->ok = false;
    if (!to->units) to->units = add(m, to->element, "ssv", "Units");
    takt_xml_element *e = add(m, to->units, "ssc", "Unit");
    set(m, e, "name", unit->name);
    takt_xml_element *base = add(m, e, "ssc", "BaseUnit");
    const int exponents[] = {unit->kg, unit->m,   unit->s,  unit->A,
                             unit->K,  unit->mol, unit->cd, unit->rad};
    for (int i = 0; i < 8; i++)
        if (exponents[i]) set_number(m, base, names[i], exponents[i]);
    if (unit->factor != 1) set_number(m, base, "factor", unit->factor);
    if (unit->offset != 0) set_number(m, base, "offset", unit->offset);
}

static void add_value(maker *m, value_set *to, const char *name,
                      const takt_project_assignment *given)
{
    takt_xml_element *parameter = add(m, to->list, "ssv", "Parameter");
    set(m, parameter, "name", name);
    const char *value = given->value, *unit = given->unit;
    const takt_unit *definition = given->unit_definition;
    const char *type = given->type ? element_of(given->type) : guess_type(value);
    size_t length;
    const char *typed = given->type || unit ? NULL : takt_unit_behind(value, &length);
    if (typed && takt_unit_common(typed)) {
        type = "Real";
        unit = typed;
        definition = takt_unit_common(typed);
        value = takt_arena_copy_n(&m->arena, value, length);
        if (!value) m->ok = false;
    }
    takt_xml_element *element = add(m, parameter, "ssv", type);
    set(m, element, "value", value);
    set(m, element, "unit", unit);
    add_shape(m, parameter, given->shape);
    if (definition && definition->has_base) add_unit(m, to, definition);
}

// The name of an assignment in the parameter set of its component or, without one, of the system; NULL:
// the user did not write it.
static const char *name_here(maker *m, const takt_project_assignment *given, bool is_component)
{
    if (given->if_missing > TAKT_LEVEL_WARN) return NULL;
    if (is_component) return given->variable;
    // The only component may have been left out.
    const char *only = m->project->n_components == 1 ? m->project->components[0].name : NULL;
    size_t length = only ? strlen(only) : 0;
    bool is_bare =
        only && !(strncmp(given->variable, only, length) == 0 && given->variable[length] == '.');
    const char *owner = given->component ? given->component : is_bare ? only : NULL;
    if (!owner) return given->variable;
    const char *name = takt_arena_print(&m->arena, "%s.%s", owner, given->variable);
    if (!name) m->ok = false;
    return name;
}

// The last assignment of each name counts; the names of a set must differ. False: there are none.
static bool find_last(maker *m, const int *items, int n, bool is_component, takt_map *out)
{
    for (int i = n - 1; i >= 0 && m->ok; i--) {
        const char *name = name_here(m, &m->project->assignments[items[i]], is_component);
        if (name && takt_map_find(out, name) < 0 && !takt_map_add(out, name, items[i]))
            m->ok = false;
    }
    return m->ok && out->n_entries > 0;
}

// Adds the values of component `owner`, or of the system where there is none of this index.
static void add_values(maker *m, takt_xml_element *element, int owner)
{
    static const char *const followers[] = {
        "Elements",       "Connections",       "SignalDictionaries",
        "SystemGeometry", "GraphicalElements", "Annotations",
        "MetaData",       "Signature",         NULL};
    if (!m->ok) return;
    const takt_project *project = m->project;
    bool is_component = owner < project->n_components;
    const int *items = m->values.items + m->values.starts[owner];
    int n = m->values.starts[owner + 1] - m->values.starts[owner];
    value_set to = {0};
    if (find_last(m, items, n, is_component, &to.last)) {
        takt_xml_element *e = child_of(m, element, "ParameterBindings", followers);
        e = add(m, e, "ssd", "ParameterBinding");
        e = add(m, e, "ssd", "ParameterValues");
        to.element = add(m, e, "ssv", "ParameterSet");
        set(m, to.element, "version", m->values_version);
        set(m, to.element, "name", is_component ? project->components[owner].name : "values");
        to.list = add(m, to.element, "ssv", "Parameters");
        for (int i = 0; i < n && m->ok; i++) {
            const takt_project_assignment *given = &project->assignments[items[i]];
            const char *name = name_here(m, given, is_component);
            if (!name || takt_map_find(&to.last, name) != items[i]) continue;
            if (given->n_hops) cannot(m, given->place, "the transformation of", name);
            add_value(m, &to, name, given);
        }
    }
    takt_map_clear(&to.last);
    takt_map_clear(&to.known);
}

// Puts the assignments from `first` on to their components; or all to the system, where components of
// a description that was read are not changed.
static void sort_values(maker *m, int first, bool has_components)
{
    const takt_project *project = m->project;
    takt_map names = {0};
    int n = project->n_assignments;
    int *owners = takt_arena_array(&m->arena, (size_t)n, sizeof *owners);
    if (!owners) m->ok = false;
    for (int i = 0; has_components && i < project->n_components && m->ok; i++)
        m->ok = takt_map_add(&names, project->components[i].name, i);
    for (int i = 0; i < n && m->ok; i++) {
        const char *component = project->assignments[i].component;
        int owner = component ? takt_map_find(&names, component) : -1;
        owners[i] = owner < 0 ? project->n_components : owner;
    }
    takt_map_clear(&names);
    m->values_version = version_of(project, false, first);
    if (m->ok) sort(m, owners, first, n, &m->values);
}

// ---- settings --------------------------------------------------------------------------------------

static void add_experiment(maker *m, takt_xml_element *experiment)
{
    if (!m->ok || !takt_grow(&m->experiments, m->n_experiments, &m->experiment_capacity,
                             sizeof(takt_xml_element *))) {
        m->ok = false;
        return;
    }
    m->experiments[m->n_experiments++] = experiment;
}

// Lists our elements in the annotations of `owner` (may be NULL) behind those that are listed already.
static void list_experiments(maker *m, takt_xml_element *owner)
{
    takt_xml_element *list = owner ? takt_xml_edit_child(owner, NS, "Annotations") : NULL;
    takt_xml_element *at =
        list ? takt_xml_edit_child(list, TAKT_SSC_NAMESPACE, "Annotation") : NULL;
    for (; at; at = takt_xml_edit_next(at, TAKT_SSC_NAMESPACE, "Annotation")) {
        const char *type = takt_xml_element_attribute(at, "type");
        if (!type || strcmp(type, TAKT_EXPERIMENT_TYPE) != 0) continue;
        takt_xml_element *e = takt_xml_edit_child(at, TAKT_EXPERIMENT_NAMESPACE, "Experiment");
        for (; e; e = takt_xml_edit_next(e, TAKT_EXPERIMENT_NAMESPACE, "Experiment"))
            add_experiment(m, e);
    }
}

static takt_xml_element *default_experiment(maker *m)
{
    static const char *const followers[] = {"Annotations", "MetaData", "Signature", NULL};
    return child_of(m, m->root, "DefaultExperiment", followers);
}

// The element that holds a setting: the last one that has it, or the last one, or a new one. The others lose it.
static takt_xml_element *home_of(maker *m, const char *name)
{
    static const char *const none[] = {NULL};
    takt_xml_element *home = NULL;
    for (int i = m->n_experiments - 1; i >= 0 && m->ok; i--) {
        if (!takt_xml_element_attribute(m->experiments[i], name)) continue;
        if (home && !takt_xml_set_attribute(m->experiments[i], name, NULL)) m->ok = false;
        if (!home) home = m->experiments[i];
    }
    if (home || m->n_experiments) return home ? home : m->experiments[m->n_experiments - 1];
    home = child_of(m, default_experiment(m), "Annotations", none);
    home = add(m, home, "ssc", "Annotation");
    set(m, home, "type", TAKT_EXPERIMENT_TYPE);
    home = add(m, home, "takt", "Experiment");
    add_experiment(m, home);
    return home;
}

// "1h" stays "1h" where the value is 3600.
static bool is_written(maker *m, int index, const char *old, const char *value)
{
    char room[TAKT_NUMBER_SIZE];
    takt_settings probe = takt_settings_default();
    const char *name = takt_setting(index)->name;
    if (!old || takt_settings_is_repeatable(name)) return false;
    if (takt_settings_set(&probe, &m->arena, name, old, NULL)) return false;
    const char *meant = takt_settings_value(&probe, index, 0, room);
    return meant && strcmp(meant, value) == 0;
}

static bool has_blanks(const char *text)
{
    return text[strcspn(text, " \t\r\n")] != 0;
}

// Algorithms of single loops are elements.
static bool is_loop(int index, const char *value)
{
    return strcmp(takt_setting(index)->name, "algorithm") == 0 && strchr(value, '=');
}

// The next algorithm of a loop among the values of a setting, from number *i on; NULL: there is none.
static const char *next_loop(const maker *m, int index, int *i, char room[TAKT_NUMBER_SIZE])
{
    const char *value;
    do value = takt_settings_value(&m->project->settings, index, (*i)++, room);
    while (value && !is_loop(index, value));
    return value;
}

static void set_loop(maker *m, takt_xml_element *loop, const char *value)
{
    const char *equals = strrchr(value, '=');
    const char *member = takt_arena_copy_n(&m->arena, value, (size_t)(equals - value));
    if (!member) m->ok = false;
    set(m, loop, "member", member);
    set(m, loop, "algorithm", equals + 1);
}

// The elements for loops that are there become those that should be there. Returns whether there are any.
static bool set_loops(maker *m, takt_xml_element *home, int index)
{
    char room[TAKT_NUMBER_SIZE];
    const char *value;
    int i = 0;
    bool has = false;
    for (int k = 0; k < m->n_experiments; k++) {
        takt_xml_element *loop = takt_xml_edit_child(m->experiments[k], NULL, "Loop"), *next;
        for (; loop && m->ok; loop = next) {
            next = takt_xml_edit_next(loop, NULL, "Loop");
            value = next_loop(m, index, &i, room);
            has = has || value;
            if (value)
                set_loop(m, loop, value);
            else
                takt_xml_remove(loop);
        }
    }
    for (; m->ok && (value = next_loop(m, index, &i, room)); has = true)
        set_loop(m, add(m, home, "takt", "Loop"), value);
    return has;
}

// One setting as an attribute, with several values separated by blanks; loops as elements.
static void set_setting(maker *m, int index)
{
    const takt_setting_info *info = takt_setting(index);
    const char *value, *name = info->name;
    takt_xml_element *home = home_of(m, name);
    bool is_list = takt_settings_is_repeatable(name);
    bool has_loops = m->ok && strcmp(name, "algorithm") == 0 && set_loops(m, home, index);
    takt_text joined = {0};
    char room[TAKT_NUMBER_SIZE];
    for (int i = 0; m->ok; i++) {
        value = takt_settings_value(&m->project->settings, index, i, room);
        if (!value) break;
        if (is_loop(index, value)) continue;
        if (is_list && has_blanks(value)) {
            cannot(m, (takt_place){m->project->path, 0}, name, value);
        } else {
            if (joined.length) takt_text_add(&joined, " ");
            takt_text_add(&joined, value);
        }
    }
    if (joined.failed) m->ok = false;
    const char *old = m->ok ? takt_xml_element_attribute(home, name) : NULL;
    bool is_implied =
        !old && has_loops && joined.data && strcmp(joined.data, info->default_text) == 0;
    if (m->ok && joined.data && !is_implied && !is_written(m, index, old, joined.data))
        set(m, home, name, joined.data);
    takt_text_clear(&joined);
}

// Start and stop time are attributes of <DefaultExperiment>, unless they stand in our element.
static bool set_time(maker *m, int index)
{
    static const char *const names[][2] = {{"start-time", "startTime"}, {"stop-time", "stopTime"}};
    const takt_settings *settings = &m->project->settings;
    const double values[] = {settings->start_time, settings->stop_time};
    for (int i = 0; i < m->n_experiments; i++)
        if (takt_xml_element_attribute(m->experiments[i], takt_setting(index)->name)) return false;
    for (int i = 0; i < 2; i++) {
        if (strcmp(takt_setting(index)->name, names[i][0]) != 0) continue;
        takt_xml_element *e = default_experiment(m);
        if (e) set_number(m, e, names[i][1], values[i]);
        return true;
    }
    return false;
}

// Writes the settings whose bits are set into the description; the others stay as they are there.
static void set_settings(maker *m, uint64_t bits)
{
    list_experiments(
        m, takt_xml_edit_child(m->root, NS, "System")); // as they are read: the last one counts
    list_experiments(m, takt_xml_edit_child(m->root, NS, "DefaultExperiment"));
    list_experiments(m, m->root);
    for (int i = 0; takt_setting(i) && m->ok; i++)
        if (bits >> i & 1 && !set_time(m, i) && m->ok) set_setting(m, i);
    free(m->experiments);
}

// ---- whole descriptions ------------------------------------------------------------------------------

static void sort_connectors(maker *m)
{
    const takt_project *project = m->project;
    int n = project->n_connectors;
    int *owners = takt_arena_array(&m->arena, (size_t)n, sizeof *owners);
    for (int i = 0; owners && i < n; i++) owners[i] = project->connectors[i].component;
    if (!owners) m->ok = false;
    if (m->ok) sort(m, owners, 0, n, &m->connectors);
}

static void add_connectors(maker *m, takt_xml_element *element, int component)
{
    static const char *const followers[] = {"ElementGeometry", "ParameterBindings", "Annotations",
                                            NULL};
    takt_xml_element *list = NULL;
    int end = m->connectors.starts[component + 1];
    for (int i = m->connectors.starts[component]; i < end && m->ok; i++) {
        const takt_project_connector *given = &m->project->connectors[m->connectors.items[i]];
        if (m->is_update && !given->is_new) continue;
        if (!list) list = child_of(m, element, "Connectors", followers);
        takt_xml_element *e = add(m, list, "ssd", "Connector");
        set(m, e, "name", given->name);
        set(m, e, "kind", given->kind);
        if (given->type) add(m, e, "ssc", element_of(given->type));
        add_shape(m, e, given->shape);
    }
}

// The media type of a table, else NULL.
static const char *table_type(const char *source)
{
    return takt_path_ends_in(source, ".csv")   ? "text/csv"
           : takt_path_ends_in(source, ".tsv") ? "text/tab-separated-values"
                                               : NULL;
}

// Where a component stands in the diagram.
static void set_geometry(maker *m, takt_xml_element *element, const takt_project_component *given)
{
    static const char *const followers[] = {"ParameterBindings", "Signature", "MetaData",
                                            "Annotations", NULL};
    static const char *const names[] = {"x1", "y1", "x2", "y2"};
    if (!given->has_box || (m->is_update && !given->is_moved)) return;
    takt_xml_element *e = child_of(m, element, "ElementGeometry", followers);
    for (int i = 0; i < 4; i++) set_number(m, e, names[i], given->box[i]);
}

// The name of a component in its system.
static const char *own_name(const maker *m, const takt_project_component *c)
{
    return m->is_update && c->n_system ? c->name + c->n_system + 1 : c->name;
}

static void add_component(maker *m, takt_xml_element *list, int i)
{
    const takt_project_component *given = &m->project->components[i];
    bool is_file = given->source && !takt_uri_is_builtin(given->source);
    const char *type = is_file ? table_type(given->source) : NULL;
    if (given->is_table && !type) type = "text/csv";
    const char *path = is_file ? takt_path_absolute(&m->arena, given->source) : given->source;
    const char *uri = path && is_file ? takt_uri_of_path(&m->arena, path) : path;
    takt_xml_element *e = add(m, list, "ssd", "Component");
    if (!uri) m->ok = false;
    if (!is_file || type)
        takt_problem(&m->project->problems, TAKT_LEVEL_WARN, given->place,
                     "component '%s' is a %s: SSP has none, so other programs may not support it",
                     given->name, type ? "table" : "function");
    set(m, e, "name", own_name(m, given));
    set(m, e, "type", type);
    set(m, e, "source", uri);
    set(m, e, "implementation", given->implementation);
    if (!m->ok) return;
    add_connectors(m, e, i);
    set_geometry(m, e, given);
    if (!m->is_update) add_values(m, e, i); // else all are at the system
}

static void add_transformation(maker *m, takt_xml_element *element, const takt_project_hop *hop)
{
    static const char *const names[] = {"", "LinearTransformation", "BooleanMappingTransformation",
                                        "IntegerMappingTransformation",
                                        "EnumerationMappingTransformation"};
    const takt_transformation *t = &hop->transformation;
    if (hop->keeps_unit) set(m, element, "suppressUnitConversion", "true");
    if (t->kind == TAKT_TRANSFORM_NONE) return;
    takt_xml_element *e = add(m, element, "ssc", names[t->kind]);
    if (t->kind == TAKT_TRANSFORM_LINEAR) {
        if (t->factor != 1) set_number(m, e, "factor", t->factor);
        if (t->offset != 0) set_number(m, e, "offset", t->offset);
    }
    for (int i = 0; i < t->n_entries; i++) {
        takt_xml_element *entry = add(m, e, "ssc", "MapEntry");
        set(m, entry, "source", t->entries[i].source);
        set(m, entry, "target", t->entries[i].target);
    }
}

// The connectors that are arrays, as "component.name".
static void find_arrays(maker *m)
{
    const takt_project *project = m->project;
    for (int i = 0; i < project->n_connectors && m->ok; i++) {
        const takt_project_connector *c = &project->connectors[i];
        if (!c->shape) continue;
        const char *owner = project->components[c->component].name;
        const char *name = takt_arena_print(&m->arena, "%s.%s", owner, c->name);
        if (!name || !takt_map_add(&m->arrays, name, i)) m->ok = false;
    }
}

// One end of a connection (component NULL: of the system itself): "x[1,2]" is the element with these indices of a connector that is an array.
static void set_end(maker *m, takt_xml_element *element, bool is_start, const char *component,
                    const char *variable)
{
    const char *bracket = component && m->arrays.n_entries ? strrchr(variable, '[') : NULL;
    size_t length = bracket ? (size_t)(bracket - variable) : 0;
    const char *name =
        bracket ? takt_arena_print(&m->arena, "%s.%.*s", component, (int)length, variable) : NULL;
    int i = takt_project_find_component(m->project, component);
    set(m, element, is_start ? "startElement" : "endElement",
        i < 0 ? component : own_name(m, &m->project->components[i]));
    if (!name || takt_map_find(&m->arrays, name) < 0) {
        set(m, element, is_start ? "startConnector" : "endConnector", variable);
        return;
    }
    char *indices = takt_arena_copy_n(&m->arena, bracket + 1, strcspn(bracket + 1, "]"));
    for (char *c = indices; c && *c; c++)
        if (*c == ',') *c = ' ';
    if (!indices) m->ok = false;
    set(m, element, is_start ? "startConnector" : "endConnector", name + strlen(component) + 1);
    set(m, element, is_start ? "startIndices" : "endIndices", indices);
}

static void add_connection(maker *m, takt_xml_element *list, const takt_project_connection *given)
{
    takt_xml_element *e = add(m, list, "ssd", "Connection");
    set_end(m, e, true, given->start_component, given->start_variable);
    set_end(m, e, false, given->end_component, given->end_variable);
    if (given->n_hops == 1)
        add_transformation(m, e, given->hops);
    else if (given->n_hops > 1)
        cannot(m, given->place, "the transformations of the connection to", given->end_variable);
}

static void add_system(maker *m, takt_xml_element *root)
{
    const takt_project *project = m->project;
    takt_xml_element *system = add(m, root, "ssd", "System");
    set(m, system, "name", project->name);
    sort_values(m, 0, true);
    sort_connectors(m);
    if (!m->ok) return;
    add_values(m, system, project->n_components);
    takt_xml_element *list = add(m, system, "ssd", "Elements");
    for (int i = 0; i < project->n_components && m->ok; i++) add_component(m, list, i);
    find_arrays(m);
    if (project->n_connections) list = add(m, system, "ssd", "Connections");
    for (int i = 0; i < project->n_connections && m->ok; i++)
        add_connection(m, list, &project->connections[i]);
}

// ---- descriptions that were read ---------------------------------------------------------------------

static const char *const behind_elements[] = {"Connections",    "SignalDictionaries",
                                              "SystemGeometry", "GraphicalElements",
                                              "Annotations",    NULL};

// Is a component in the system of that path? Those of other files are in none here.
static bool is_in(const takt_project_component *c, const char *path)
{
    size_t n = (size_t)c->n_system;
    return !c->is_elsewhere && strlen(path) == n && strncmp(c->name, path, n) == 0;
}

// Connectors and places of components that stand in the description already.
static void update_components(maker *m, takt_xml_element *elements, const char *path)
{
    const takt_project *project = m->project;
    takt_map names = {0};
    for (int i = 0; i < project->n_components && m->ok; i++) {
        const takt_project_component *c = &project->components[i];
        if (!c->is_new && is_in(c, path) && takt_map_find(&names, own_name(m, c)) < 0)
            m->ok = takt_map_add(&names, own_name(m, c), i);
    }
    takt_xml_element *at = m->ok ? takt_xml_edit_child(elements, NULL, NULL) : NULL;
    for (; at && m->ok; at = takt_xml_edit_next(at, NULL, NULL)) {
        const char *name = takt_xml_element_attribute(at, "name");
        int i = name ? takt_map_find(&names, name) : -1;
        if (i < 0) continue;
        add_connectors(m, at, i);
        set_geometry(m, at, &project->components[i]);
    }
    takt_map_clear(&names);
}

static bool has_new(const takt_project *project)
{
    bool has = project->n_walls || project->n_wires;
    for (int i = 0; i < project->n_components; i++)
        has = has || project->components[i].is_new || project->components[i].is_moved;
    for (int i = 0; i < project->n_connections; i++) has = has || project->connections[i].is_new;
    for (int i = 0; i < project->n_connectors; i++) has = has || project->connectors[i].is_new;
    return has;
}

// The connections that are new in the system of that path; both ends are in it.
static void add_connections(maker *m, takt_xml_element *system, const char *path)
{
    const takt_project *project = m->project;
    takt_xml_element *list = NULL;
    for (int i = 0; i < project->n_connections && m->ok; i++) {
        const takt_project_connection *c = &project->connections[i];
        int from = takt_project_find_component(project, c->start_component);
        if (!c->is_new || c->wire || from < 0 || !is_in(&project->components[from], path)) continue;
        if (!list) list = child_of(m, system, "Connections", behind_elements + 1);
        add_connection(m, list, c);
    }
}

// ---- through the walls of subsystems -----------------------------------------------------------------

// The connectors that are new in the wall of a system: as those of the variables that they stand for.
static void add_walls(maker *m, takt_xml_element *system, const char *path)
{
    static const char *const followers[] = {
        "ElementGeometry", "ParameterBindings", "Elements",    "Connections", "SignalDictionaries",
        "SystemGeometry",  "GraphicalElements", "Annotations", NULL};
    for (int i = 0; i < m->project->n_walls && m->ok; i++) {
        const takt_project_wall *wall = &m->project->walls[i];
        if (!wall->component || strcmp(wall->system, path) != 0) continue;
        const takt_project_connector *like =
            takt_walls_declared(m->project, wall->component, wall->variable);
        takt_xml_element *list = child_of(m, system, "Connectors", followers);
        takt_xml_element *e = add(m, list, "ssd", "Connector");
        set(m, e, "name", wall->name);
        set(m, e, "kind", like ? like->kind : "inout");
        if (like && like->type) add(m, e, "ssc", element_of(like->type));
        if (like) add_shape(m, e, like->shape);
    }
}

static void set_wire_end(maker *m, takt_xml_element *e, bool is_start, const char *path,
                         const char *owner, const char *name)
{
    bool is_system = owner && takt_project_find_component(m->project, owner) < 0;
    set_end(m, e, is_start, is_system && *path ? owner + strlen(path) + 1 : owner, name);
}

static void add_wires(maker *m, takt_xml_element *system, const char *path)
{
    for (int i = 0; i < m->project->n_wires && m->ok; i++) {
        const takt_project_wire w = takt_walls_directed(m->project, &m->project->wires[i]);
        if (!w.system || strcmp(w.system, path) != 0) continue;
        takt_xml_element *list = child_of(m, system, "Connections", behind_elements + 1);
        takt_xml_element *e = add(m, list, "ssd", "Connection");
        set_wire_end(m, e, true, path, w.start_owner, w.start_name);
        set_wire_end(m, e, false, path, w.end_owner, w.end_name);
    }
}

// Components and connections that are new in the system of that path, and in those inside of it.
static void add_new(maker *m, takt_xml_element *system, const char *path)
{
    const takt_project *project = m->project;
    add_walls(m, system, path);
    takt_xml_element *list = takt_xml_edit_child(system, NS, "Elements");
    if (list) update_components(m, list, path);
    for (int i = 0; i < project->n_components && m->ok; i++) {
        if (!project->components[i].is_new || !is_in(&project->components[i], path)) continue;
        if (!list) list = child_of(m, system, "Elements", behind_elements);
        add_component(m, list, i);
    }
    add_connections(m, system, path);
    add_wires(m, system, path);
    takt_xml_element *inner = m->ok && list ? takt_xml_edit_child(list, NS, "System") : NULL;
    for (; inner && m->ok; inner = takt_xml_edit_next(inner, NS, "System")) {
        const char *name = takt_xml_element_attribute(inner, "name");
        const char *below = *path ? takt_arena_print(&m->arena, "%s.%s", path, name) : name;
        if (!below) m->ok = false;
        if (m->ok) add_new(m, inner, below);
    }
}

bool takt_ssd_update(takt_project *project, takt_xml_tree *tree)
{
    maker m = {.project = project, .root = takt_xml_edit_root(tree), .is_update = true, .ok = true};
    takt_xml_element *system = takt_xml_edit_child(m.root, NS, "System");
    if (project->settings.overridden) set_settings(&m, project->settings.overridden);
    sort_values(&m, project->n_read_assignments, false);
    if (system) add_values(&m, system, project->n_components);
    if (system && m.ok && has_new(project)) {
        sort_connectors(&m);
        if (m.ok) find_arrays(&m);
        add_new(&m, system, "");
    }
    takt_map_clear(&m.arrays);
    takt_arena_clear(&m.arena);
    return m.ok;
}

takt_status takt_ssd_generate(takt_project *project, takt_xml_tree **out, takt_error *err)
{
    takt_xml_tree *tree = NULL;
    takt_status st = takt_xml_tree_create("ssd", NS, "SystemStructureDescription", &tree, err);
    if (st) return st;
    takt_xml_element *root = takt_xml_edit_root(tree);
    maker m = {.project = project, .root = root, .ok = true};
    set(&m, root, "version", version_of(project, true, 0));
    set(&m, root, "name", project->name);
    set(&m, root, "generationTool", "Takt");
    m.ok = m.ok && takt_xml_declare(root, "ssc", TAKT_SSC_NAMESPACE) &&
           takt_xml_declare(root, "ssv", TAKT_SSV_NAMESPACE);
    add_system(&m, root);
    set_settings(&m, project->settings.given);
    takt_map_clear(&m.arrays);
    takt_arena_clear(&m.arena);
    if (!m.ok) {
        takt_xml_tree_close(tree);
        return takt_fail_memory(err);
    }
    *out = tree;
    return TAKT_OK;
}
