// SPDX-License-Identifier: MIT
// Carries out in a SystemStructureDescription what takt_project_remove(), _rename(), _disconnect() and _unset_value() noted
// (edit.c). Everything else stays as it was written. Components of subsystems in the same file are named by their path; the system that
// they are in is found first, and then edited by their own names.
#include <string.h>

#include "base/text.h"
#include "project/ssd_reader.h"
#include "project/write_ssp.h"

#define NS TAKT_SSD_NAMESPACE

typedef struct editor {
    takt_project *project;
    takt_xml_element *system; // that is edited now
    takt_arena arena;
} editor;

static const char *attribute(const takt_xml_element *element, const char *name)
{
    const char *value = takt_xml_element_attribute(element, name);
    return value ? value : "";
}

static bool is_named(const takt_xml_element *element, const char *name, const char *value)
{
    return strcmp(attribute(element, name), value) == 0;
}

// Behind "name." in a text; NULL: it does not begin so.
static const char *behind(const char *text, const char *name)
{
    size_t length = strlen(name);
    return strncmp(text, name, length) == 0 && text[length] == '.' ? text + length + 1 : NULL;
}

static takt_xml_element *find_component(const editor *e, const char *name)
{
    takt_xml_element *list = takt_xml_edit_child(e->system, NS, "Elements");
    takt_xml_element *at = list ? takt_xml_edit_child(list, NULL, NULL) : NULL;
    while (at && !is_named(at, "name", name)) at = takt_xml_edit_next(at, NULL, NULL);
    return at;
}

// ---- connections -----------------------------------------------------------------------------------

// Removes an element, and the list that it leaves empty.
static void remove_from(takt_xml_element *list, takt_xml_element *element)
{
    takt_xml_remove(element);
    if (!takt_xml_edit_child(list, NULL, NULL)) takt_xml_remove(list);
}

// "x[1,2]" of a connector "x" with indices "1 2".
static bool is_variable(const takt_xml_element *connection, const char *connector,
                        const char *indices, const char *variable)
{
    const char *name = attribute(connection, connector), *index = attribute(connection, indices);
    size_t length = strlen(name);
    if (!*index) return strcmp(name, variable) == 0;
    if (strncmp(name, variable, length) != 0 || variable[length] != '[') return false;
    const char *left = variable + length + 1;
    for (; *left && *left != ']' && *index; left++) {
        index += *index == ' ';
        if (*left == ',') continue;
        if (*left != *index++) return false;
    }
    return *left == ']' && !*index;
}

static bool is_end(const takt_xml_element *connection, bool is_start, const char *component,
                   const char *variable)
{
    return is_named(connection, is_start ? "startElement" : "endElement", component) &&
           is_variable(connection, is_start ? "startConnector" : "endConnector",
                       is_start ? "startIndices" : "endIndices", variable);
}

static takt_status disconnect(editor *e, const takt_project_edit *edit, takt_error *err)
{
    takt_xml_element *list = takt_xml_edit_child(e->system, NS, "Connections");
    takt_xml_element *at = list ? takt_xml_edit_child(list, NS, "Connection") : NULL;
    for (; at; at = takt_xml_edit_next(at, NS, "Connection")) {
        bool is_it = (is_end(at, true, edit->a, edit->b) && is_end(at, false, edit->c, edit->d)) ||
                     (is_end(at, true, edit->c, edit->d) && is_end(at, false, edit->a, edit->b));
        if (!is_it) continue;
        remove_from(list, at);
        return TAKT_OK;
    }
    return takt_fail(
        err, TAKT_ERR_INPUT,
        "%s: the connection of %s.%s and %s.%s stands for several, and cannot be removed here; "
        "edit the file itself",
        e->project->ssd_path, edit->a, edit->b, edit->c, edit->d);
}

// Through walls: the last piece, which ends at the variable that gets the value, belongs to no other connection.
static bool disconnect_target(editor *e, const char *component, const char *variable)
{
    takt_xml_element *list = takt_xml_edit_child(e->system, NS, "Connections");
    takt_xml_element *at = list ? takt_xml_edit_child(list, NS, "Connection") : NULL;
    for (; at; at = takt_xml_edit_next(at, NS, "Connection")) {
        if (!is_end(at, true, component, variable) && !is_end(at, false, component, variable))
            continue;
        remove_from(list, at);
        return true;
    }
    return false;
}

static void disconnect_component(editor *e, const char *name)
{
    takt_xml_element *list = takt_xml_edit_child(e->system, NS, "Connections"), *next;
    takt_xml_element *at = list ? takt_xml_edit_child(list, NS, "Connection") : NULL;
    for (; at; at = next) {
        next = takt_xml_edit_next(at, NS, "Connection");
        if (is_named(at, "startElement", name) || is_named(at, "endElement", name))
            remove_from(list, at);
    }
}

static bool rename_ends(editor *e, const char *name, const char *new_name)
{
    takt_xml_element *list = takt_xml_edit_child(e->system, NS, "Connections");
    takt_xml_element *at = list ? takt_xml_edit_child(list, NS, "Connection") : NULL;
    bool ok = true;
    for (; at && ok; at = takt_xml_edit_next(at, NS, "Connection")) {
        if (is_named(at, "startElement", name))
            ok = takt_xml_set_attribute(at, "startElement", new_name);
        if (ok && is_named(at, "endElement", name))
            ok = takt_xml_set_attribute(at, "endElement", new_name);
    }
    return ok;
}

// ---- values ----------------------------------------------------------------------------------------

/// What happens to the names of values.
typedef struct change {
    const char *component;
    const char *new_name; ///< NULL: values are removed
    const char *variable; ///< only this one; NULL: all
    bool may_stay; ///< where it cannot be changed: another value is given behind it
} change;

// The parameters that a binding has within the description; NULL: they are elsewhere.
static takt_xml_element *parameters_of(takt_xml_element *binding)
{
    takt_xml_element *at = takt_xml_edit_child(binding, NS, "ParameterValues");
    if (at) at = takt_xml_edit_child(at, TAKT_SSV_NAMESPACE, "ParameterSet");
    return at ? takt_xml_edit_child(at, TAKT_SSV_NAMESPACE, "Parameters") : NULL;
}

// Does the text name what changes?
static bool is_meant(const change *c, const char *text)
{
    const char *variable = behind(text, c->component);
    return variable && (!c->variable || strcmp(variable, c->variable) == 0);
}

// Prefixes and mappings give values other names: then what they mean cannot be changed here.
static takt_status check_plain(editor *e, takt_xml_element *binding, const change *c,
                               takt_error *err)
{
    takt_xml_element *mapping = takt_xml_edit_child(binding, NS, "ParameterMapping");
    takt_xml_element *at =
        mapping ? takt_xml_edit_child(mapping, TAKT_SSM_NAMESPACE, "ParameterMapping") : NULL;
    bool is_mixed = behind(attribute(binding, "prefix"), c->component) != NULL;
    at = at ? takt_xml_edit_child(at, TAKT_SSM_NAMESPACE, "MappingEntry") : NULL;
    for (; at; at = takt_xml_edit_next(at, TAKT_SSM_NAMESPACE, "MappingEntry"))
        is_mixed = is_mixed || is_meant(c, attribute(at, "target"));
    if (!is_mixed || c->may_stay) return TAKT_OK;
    return takt_fail(
        err, TAKT_ERR_INPUT,
        "%s:%d: values of component '%s' have a prefix or a mapping, and cannot be changed "
        "here; edit the file itself",
        e->project->ssd_path, takt_xml_element_line(binding), c->component);
}

static takt_status change_parameters(editor *e, takt_xml_element *list, const change *c,
                                     takt_error *err)
{
    takt_xml_element *at = list ? takt_xml_edit_child(list, TAKT_SSV_NAMESPACE, "Parameter") : NULL;
    for (takt_xml_element *next; at; at = next) {
        next = takt_xml_edit_next(at, TAKT_SSV_NAMESPACE, "Parameter");
        const char *name = attribute(at, "name");
        if (!is_meant(c, name)) continue;
        if (!c->new_name) {
            takt_xml_remove(at);
            continue;
        }
        const char *changed =
            takt_arena_print(&e->arena, "%s.%s", c->new_name, behind(name, c->component));
        if (!changed || !takt_xml_set_attribute(at, "name", changed)) return takt_fail_memory(err);
    }
    return TAKT_OK;
}

// Changes the values that stand at the system, "Tank.level".
static takt_status change_values(editor *e, const change *c, takt_error *err)
{
    takt_xml_element *list = takt_xml_edit_child(e->system, NS, "ParameterBindings");
    takt_xml_element *at = list ? takt_xml_edit_child(list, NS, "ParameterBinding") : NULL;
    takt_status st = TAKT_OK;
    for (takt_xml_element *next; at && !st; at = next) {
        next = takt_xml_edit_next(at, NS, "ParameterBinding");
        takt_xml_element *parameters = parameters_of(at);
        st = check_plain(e, at, c, err);
        bool is_plain =
            !*attribute(at, "prefix") && !takt_xml_edit_child(at, NS, "ParameterMapping");
        if (!st && is_plain) st = change_parameters(e, parameters, c, err);
        if (!st && parameters && !takt_xml_edit_child(parameters, NULL, NULL))
            remove_from(list, at);
    }
    return st;
}

// Removes the value that stands at the component itself.
static void unset_inside(editor *e, const char *component, const char *variable)
{
    takt_xml_element *owner = find_component(e, component), *next;
    takt_xml_element *list = owner ? takt_xml_edit_child(owner, NS, "ParameterBindings") : NULL;
    takt_xml_element *at = list ? takt_xml_edit_child(list, NS, "ParameterBinding") : NULL;
    for (; at; at = next) {
        next = takt_xml_edit_next(at, NS, "ParameterBinding");
        takt_xml_element *parameters = parameters_of(at);
        takt_xml_element *one =
            parameters ? takt_xml_edit_child(parameters, TAKT_SSV_NAMESPACE, "Parameter") : NULL;
        for (takt_xml_element *other; one; one = other) {
            other = takt_xml_edit_next(one, TAKT_SSV_NAMESPACE, "Parameter");
            if (is_named(one, "name", variable)) takt_xml_remove(one);
        }
        if (parameters && !takt_xml_edit_child(parameters, NULL, NULL)) remove_from(list, at);
    }
}

// ---- all -------------------------------------------------------------------------------------------

static takt_status fail_missing(const editor *e, const char *name, takt_error *err)
{
    return takt_fail(err, TAKT_ERR_INPUT,
                     "%s: component '%s' does not stand in this file, and cannot be changed here",
                     e->project->ssd_path, name);
}

// Removes or renames the values of a component that stand at its system and at those around it, and then enters its system: `*name` becomes
// its name there, and so does `*other` (may be NULL), a name in the same system.
static takt_status enter(editor *e, const change *values, const char **name, const char **other,
                         takt_error *err)
{
    takt_status st = TAKT_OK;
    for (bool is_found = true; is_found && !st;) {
        takt_xml_element *list = takt_xml_edit_child(e->system, NS, "Elements");
        takt_xml_element *at = list ? takt_xml_edit_child(list, NS, "System") : NULL;
        const char *inner = NULL;
        if (values) {
            change here = *values;
            here.component = *name;
            here.new_name = values->new_name ? *other : NULL;
            st = change_values(e, &here, err);
        }
        for (; at && !inner; at = inner ? at : takt_xml_edit_next(at, NS, "System"))
            inner = behind(*name, attribute(at, "name"));
        is_found = inner != NULL;
        if (!is_found) break;
        const char *system = attribute(at, "name");
        if (other && *other && !(*other = behind(*other, system)))
            return fail_missing(e, *name, err);
        *name = inner;
        e->system = at;
    }
    return st;
}

static takt_status disconnect_anywhere(editor *e, const takt_project_edit *edit, takt_error *err)
{
    takt_xml_element *top = e->system;
    const char *a = edit->a, *c = edit->c;
    takt_status st = enter(e, NULL, &a, NULL, err);
    const takt_xml_element *system = e->system;
    e->system = top;
    if (!st) st = enter(e, NULL, &c, NULL, err);
    if (st) return st;
    if (system != e->system && disconnect_target(e, c, edit->d)) return TAKT_OK;
    return disconnect(e, &(takt_project_edit){edit->kind, a, edit->b, c, edit->d}, err);
}

static takt_status apply_here(editor *e, const takt_project_edit *edit, takt_error *err)
{
    const char *a = edit->a, *b = edit->b;
    takt_status st = TAKT_OK;
    switch (edit->kind) {
    case TAKT_EDIT_DISCONNECT: return disconnect_anywhere(e, edit, err);
    case TAKT_EDIT_UNSET:
        st = enter(e, &(change){.variable = b}, &a, NULL, err);
        if (!st) unset_inside(e, a, b);
        return st;
    case TAKT_EDIT_REMOVE:
    case TAKT_EDIT_RENAME: break;
    }
    bool is_rename = edit->kind == TAKT_EDIT_RENAME;
    st = enter(e, &(change){.new_name = is_rename ? b : NULL}, &a, is_rename ? &b : NULL, err);
    takt_xml_element *at = st ? NULL : find_component(e, a);
    if (st || !at) return st ? st : fail_missing(e, edit->a, err);
    if (!is_rename) {
        disconnect_component(e, a);
        takt_xml_remove(at);
        return TAKT_OK;
    }
    bool ok = takt_xml_set_attribute(at, "name", b) && rename_ends(e, a, b);
    return ok ? TAKT_OK : takt_fail_memory(err);
}

static takt_status apply(editor *e, const takt_project_edit *edit, takt_error *err)
{
    takt_xml_element *top = e->system;
    takt_status st = apply_here(e, edit, err);
    e->system = top;
    return st;
}

// Values that are given anew take the place of those of the same name that stand at the system.
static takt_status replace_values(editor *e, takt_error *err)
{
    const takt_project *project = e->project;
    takt_status st = TAKT_OK;
    for (int i = project->n_read_assignments; i < project->n_assignments && !st; i++) {
        const takt_project_assignment *given = &project->assignments[i];
        for (int k = 0; k < project->n_components && !st; k++) {
            const char *component = project->components[k].name;
            bool is_it = given->component && strcmp(given->component, component) == 0;
            const char *variable =
                given->component ? given->variable : behind(given->variable, component);
            if (!given->component ? variable != NULL : is_it)
                st = change_values(e, &(change){component, NULL, variable, true}, err);
        }
    }
    return st;
}

// ---- new connectors of systems ---------------------------------------------------------------------

// The system with that path; NULL: it does not stand in this file.
static takt_xml_element *find_system(const editor *e, const char *path)
{
    takt_xml_element *at = e->system;
    for (const char *left = path; at && *left;) {
        takt_xml_element *list = takt_xml_edit_child(at, NS, "Elements");
        const char *inner = NULL;
        at = list ? takt_xml_edit_child(list, NS, "System") : NULL;
        for (; at; at = takt_xml_edit_next(at, NS, "System")) {
            const char *name = attribute(at, "name");
            inner = strcmp(left, name) == 0 ? "" : behind(left, name);
            if (inner) break;
        }
        left = inner ? inner : "";
    }
    return at;
}

static bool has_connector(takt_xml_element *system, const char *name)
{
    takt_xml_element *list = takt_xml_edit_child(system, NS, "Connectors");
    takt_xml_element *at = list ? takt_xml_edit_child(list, NS, "Connector") : NULL;
    while (at && !is_named(at, "name", name)) at = takt_xml_edit_next(at, NS, "Connector");
    return at != NULL;
}

static void rename_in_wires(takt_project *project, const takt_project_wall *wall, const char *old)
{
    for (int i = 0; i < project->n_wires; i++) {
        takt_project_wire *w = &project->wires[i];
        const char *owners[] = {w->start_owner, w->end_owner};
        const char **names[] = {&w->start_name, &w->end_name};
        for (int k = 0; k < 2; k++) {
            const char *owner = owners[k] ? owners[k] : w->system;
            if (owner && strcmp(owner, wall->system) == 0 && strcmp(*names[k], old) == 0)
                *names[k] = wall->name;
        }
    }
}

// A system may have connectors that lead nowhere and are therefore not known: new ones are called otherwise.
static bool name_walls(editor *e)
{
    takt_project *project = e->project;
    for (int i = 0; i < project->n_walls; i++) {
        takt_project_wall *wall = &project->walls[i];
        takt_xml_element *system = wall->component ? find_system(e, wall->system) : NULL;
        const char *old = wall->name;
        for (int n = 2; system && has_connector(system, wall->name); n++)
            if (!(wall->name = takt_arena_print(&project->arena, "%s_%d", old, n))) return false;
        if (wall->name != old) rename_in_wires(project, wall, old);
    }
    return true;
}

takt_status takt_ssd_apply_edits(takt_project *project, takt_xml_tree *tree, takt_error *err)
{
    editor e = {.project = project};
    e.system = takt_xml_edit_child(takt_xml_edit_root(tree), NS, "System");
    takt_status st = TAKT_OK;
    if (!e.system) return TAKT_OK;
    for (int i = 0; i < project->n_edits && !st; i++) st = apply(&e, &project->edits[i], err);
    if (!st) st = replace_values(&e, err);
    if (!st && !name_walls(&e)) st = takt_fail_memory(err);
    takt_arena_clear(&e.arena);
    return st;
}
