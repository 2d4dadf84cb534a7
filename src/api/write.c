// SPDX-License-Identifier: MIT
// Writing a project as SSP. The file has to state the kinds of connectors and the types of values, which
// other formats and the command line leave to the FMUs: so these are opened first.
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "system/builder.h"
#include "takt/takt.h"

// ---- connectors --------------------------------------------------------------------------------

// The sizes of an array, "[2,3]", or "[?,?]" where they are left open; NULL: out of memory.
static const char *shape_of(const takt_array *array, bool has_sizes, takt_arena *arena)
{
    takt_text text = {0};
    for (int i = 0; i < array->n_dimensions; i++) {
        takt_text_add(&text, i ? "," : "[");
        if (has_sizes)
            takt_text_print(&text, "%d", array->dimensions[i]);
        else
            takt_text_add(&text, "?");
    }
    takt_text_add(&text, "]");
    const char *shape = text.failed ? NULL : takt_arena_copy(arena, text.data);
    takt_text_clear(&text);
    return shape;
}

// A connected variable; of an array, its first element.
typedef struct end {
    int component, variable;
} end;

static end end_of(const takt_system *system, int component, int variable)
{
    const takt_array *array = system->components[component].model->variables[variable].array;
    return (end){component, array ? array->first : variable};
}

static int compare_ends(const void *left, const void *right)
{
    const end *a = left, *b = right;
    if (a->component != b->component) return a->component < b->component ? -1 : 1;
    return (a->variable > b->variable) - (a->variable < b->variable);
}

// Is it declared already?
static bool is_declared(const takt_map *declared, const takt_project *project, end e,
                        const char *name, takt_arena *scratch)
{
    const char *key = takt_arena_print(scratch, "%d %s", e.component, name);
    return e.component >= project->n_components || (key && takt_map_find(declared, key) >= 0);
}

static bool list_declared(const takt_project *project, takt_map *out, takt_arena *scratch)
{
    for (int i = 0; i < project->n_connectors; i++) {
        const takt_project_connector *c = &project->connectors[i];
        const char *key = takt_arena_print(scratch, "%d %s", c->component, c->name);
        if (!key || (takt_map_find(out, key) < 0 && !takt_map_add(out, key, i))) return false;
    }
    return true;
}

static bool add_name(takt_map *names, const char *name)
{
    return name && (takt_map_find(names, name) >= 0 || takt_map_add(names, name, 0));
}

// "Tank.x[1]", and "Tank.x" in case that is an array.
static bool add_end(takt_map *names, const char *component, const char *variable,
                    takt_arena *scratch)
{
    const char *bracket = strrchr(variable, '[');
    int length = (int)(bracket ? bracket - variable : 0);
    return add_name(names, takt_arena_print(scratch, "%s.%s", component, variable)) &&
           (!length ||
            add_name(names, takt_arena_print(scratch, "%s.%.*s", component, length, variable)));
}

// The ends of new connections: in a description that was read, only their connectors may have to be declared.
static bool list_new_ends(const takt_project *project, takt_map *out, takt_arena *scratch)
{
    bool ok = true;
    for (int i = 0; i < project->n_connections && ok; i++) {
        const takt_project_connection *c = &project->connections[i];
        if (!c->is_new) continue;
        ok = add_end(out, c->start_component, c->start_variable, scratch) &&
             add_end(out, c->end_component, c->end_variable, scratch);
    }
    return ok;
}

static bool declare_connector(takt_project *project, const takt_system *system, end e,
                              const takt_map *declared, const takt_map *wanted, takt_arena *scratch)
{
    const takt_component *component = &system->components[e.component];
    const takt_variable *variable = &component->model->variables[e.variable];
    const takt_array *array = variable->array;
    const char *own = array ? array->name : variable->name;
    const char *name = takt_arena_print(scratch, "%s.%s", component->name, own);
    if (!name) return false;
    if (project->ssd_path && takt_map_find(wanted, name) < 0) return true;
    takt_project_connector connector = {.component = e.component,
                                        .name = own,
                                        .kind = takt_causality_name(variable->causality),
                                        .type = takt_type_name(variable->type),
                                        .is_new = true};
    if (is_declared(declared, project, e, connector.name, scratch)) return true;
    // Structural parameters may still change the sizes.
    if (array) connector.shape = shape_of(array, false, scratch);
    return (connector.shape || !array) && takt_project_add_connector(project, &connector);
}

// Declares the connected variables with their kinds and types, as SSP demands, where they are not declared yet; those of a
// component in the order in which it has them.
static bool declare_connectors(takt_project *project, const takt_system *system)
{
    takt_arena scratch = {0};
    size_t n = 2 * (size_t)system->n_connections;
    end *ends = takt_arena_array(&scratch, n, sizeof *ends);
    for (int i = 0; ends && i < system->n_connections; i++) {
        const takt_connection *c = &system->connections[i];
        ends[2 * i] = end_of(system, c->from, c->from_variable);
        ends[2 * i + 1] = end_of(system, c->to, c->to_variable);
    }
    takt_map declared = {0}, wanted = {0};
    bool ok = ends && list_declared(project, &declared, &scratch) &&
              list_new_ends(project, &wanted, &scratch);
    if (ok && n) qsort(ends, n, sizeof *ends, compare_ends);
    for (size_t i = 0; ok && i < n; i++)
        if (i == 0 || compare_ends(&ends[i - 1], &ends[i]) != 0)
            ok = declare_connector(project, system, ends[i], &declared, &wanted, &scratch);
    takt_map_clear(&declared);
    takt_map_clear(&wanted);
    takt_arena_clear(&scratch);
    return ok;
}

// ---- values ------------------------------------------------------------------------------------

// The variable that an assignment means; NULL: it is not known, or a connector of a system.
static const takt_variable *variable_of(const takt_system *system,
                                        const takt_project_assignment *given, takt_arena *scratch,
                                        const takt_model **model)
{
    int component = 0, variable = -1;
    char *buffer = takt_arena_copy(scratch, given->variable);
    if (given->component)
        component = takt_map_find(&system->names, given->component);
    else if (!buffer || takt_builder_split(system, given->variable, buffer, &component, &variable))
        component = buffer ? component : -1;
    else if (component < 0 && system->n_components == 1)
        component = 0; // its name may be left out
    if (component < 0) return NULL;
    *model = system->components[component].model;
    if (variable < 0) variable = takt_model_find(*model, given->variable);
    return variable < 0 ? NULL : &(*model)->variables[variable];
}

static bool are_numbers(const char *text)
{
    double number;
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        size_t length = strcspn(text, " ");
        if (!takt_number_read(text, text + length, &number)) return false;
        text += length;
    }
    return true;
}

// What is known about a unit that a user typed; NULL: nothing.
static const takt_unit *known_unit(const takt_model *model, const char *name)
{
    for (int i = 0; i < model->n_units; i++)
        if (model->units[i].has_base && strcmp(model->units[i].name, name) == 0)
            return &model->units[i];
    for (int i = 0; i < model->n_display_units; i++)
        if (strcmp(model->display_units[i].name, name) == 0) return &model->display_units[i];
    return takt_unit_common(name);
}

// Splits the unit off from "10 cm". The system that has its definition ends before the project.
static bool declare_unit(takt_project *project, takt_project_assignment *given,
                         const takt_model *model)
{
    size_t length;
    const char *name = takt_unit_behind(given->value, &length);
    if (!name || name[strcspn(name, " ")]) return true; // "10cm 20cm": each has its own
    const takt_unit *known = known_unit(model, name);
    takt_unit *copy = known ? takt_arena_alloc(&project->arena, sizeof *copy) : NULL;
    if (copy) *copy = *known;
    if (copy) copy->name = name;
    given->value = takt_arena_copy_n(&project->arena, given->value, length);
    given->unit = name;
    given->unit_definition = copy;
    given->type = takt_type_name(TAKT_FLOAT64);
    return given->value && (copy || !known);
}

// Gives a value the type of its variable, where the text alone could be taken for another.
static bool declare_type(takt_project *project, takt_project_assignment *given,
                         const takt_model *model, const takt_variable *variable)
{
    int64_t integer;
    if (variable->type != TAKT_STRING)
        given->value = takt_arena_trim(&project->arena, given->value);
    if (!given->value) return false;
    bool is_plain = are_numbers(given->value);
    switch (variable->type) {
    case TAKT_FLOAT64:
    case TAKT_FLOAT32:
        if (!is_plain) return declare_unit(project, given, model);
        given->type = takt_type_name(TAKT_FLOAT64);
        return true;
    case TAKT_ENUMERATION:
        if (!is_plain) given->type = takt_type_name(TAKT_ENUMERATION); // else it is a number
        return true;
    case TAKT_UINT64: // perhaps one that is too large for the others
        if (!takt_number_read_integer(given->value, given->value + strlen(given->value), &integer))
            given->type = takt_type_name(TAKT_UINT64);
        return true;
    case TAKT_BINARY:
    case TAKT_BOOLEAN:
    case TAKT_STRING: given->type = takt_type_name(variable->type); return true;
    default: return true;
    }
}

// Several numbers are for an array; SSP requires its sizes.
static bool declare_shape(takt_project *project, takt_project_assignment *given,
                          const takt_variable *variable)
{
    bool is_list = are_numbers(given->value) && strpbrk(given->value, " ");
    if (!variable->array || !is_list || takt_builder_is_element(given->variable)) return true;
    given->shape = shape_of(variable->array, true, &project->arena);
    return given->shape != NULL;
}

static bool declare_types(takt_project *project, const takt_system *system, int first)
{
    takt_arena scratch = {0};
    bool ok = true;
    for (int i = first; ok && i < project->n_assignments; i++) {
        takt_project_assignment *given = &project->assignments[i];
        if (given->type || given->unit || given->n_hops) continue;
        const takt_model *model;
        const takt_variable *variable = variable_of(system, given, &scratch, &model);
        if (variable) ok = declare_type(project, given, model, variable);
        if (variable && ok) ok = declare_shape(project, given, variable);
    }
    takt_arena_clear(&scratch);
    return ok;
}

// Warns of values that are not written: those that the reader of the file added, folders for results.
static void report_left_out(takt_project *project, const takt_system *system, int first)
{
    for (int i = first; i < project->n_assignments; i++) {
        const takt_project_assignment *given = &project->assignments[i];
        if (given->if_missing <= TAKT_LEVEL_WARN || !given->component) continue;
        int component = takt_map_find(&system->names, given->component);
        if (component < 0 ||
            takt_model_find(system->components[component].model, given->variable) < 0)
            continue;
        takt_problem(&project->problems, TAKT_LEVEL_WARN, given->place,
                     "%s.%s is a folder at the place of this file and is left out; the option "
                     "--set gives it another value",
                     given->component, given->variable);
    }
}

// ---- the project -------------------------------------------------------------------------------

// Are there connections whose ends may lack connectors? Those that were read from SSP have what their author wanted.
static bool has_new_connections(const takt_project *project)
{
    bool is_complete = project->ssd_path || project->n_connectors > 0;
    for (int i = 0; i < project->n_connections && is_complete; i++)
        is_complete = !project->connections[i].is_new;
    return !is_complete;
}

takt_status takt_project_write(takt_project *project, const char *path, takt_error *err)
{
    if (!project || !path)
        return takt_fail(err, TAKT_ERR_USAGE, "takt_project_write: no argument may be NULL");
    // What an SSD says stays as it is; only values that came later are added.
    int first = project->ssd_path ? project->n_read_assignments : 0;
    bool has_connectors = !has_new_connections(project);
    if (has_connectors && first == project->n_assignments)
        return takt_project_save(project, path, err);
    takt_system *system = NULL;
    takt_status st = takt_system_create(project, &system, err);
    bool ok = st || declare_types(project, system, first);
    if (!st && ok && !has_connectors) ok = declare_connectors(project, system);
    if (!st && ok) report_left_out(project, system, first);
    takt_system_destroy(system);
    if (!ok) st = takt_fail_memory(err);
    return st ? st : takt_project_save(project, path, err);
}
