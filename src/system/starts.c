// SPDX-License-Identifier: MIT
// Resolves assignments of start values. All of them are checked; of several for the same variable
// the last one counts.
#include <stdlib.h>
#include <string.h>

#include "system/builder.h"

// ---- finding the variable ----------------------------------------------------------------------

// Component names longer than this many parts are not looked for in "a.b.c": a hostile name of
// nothing but dots must not take forever.
enum { MAX_PARTS = 32 };

// Splits "component.variable" where both exist; dots may be part of either. *component is the first
// component whose name fits even if no variable does, or -1.
static bool split(const takt_system *system, const char *name, char *buffer, int *component,
                  int *variable)
{
    const char *dot = strchr(name, '.');
    *component = -1;
    for (int i = 0; dot && i < MAX_PARTS; i++, dot = strchr(dot + 1, '.')) {
        size_t length = (size_t)(dot - name);
        memcpy(buffer, name, length);
        buffer[length] = 0;
        int c = takt_map_find(&system->names, buffer);
        if (c < 0) continue;
        if (*component < 0) *component = c;
        const takt_model *model = system->components[c].model;
        *variable = model ? takt_model_find(model, dot + 1) : -1;
        if (*variable < 0) continue;
        *component = c;
        return true;
    }
    return false;
}

// Finds what "component.variable" means, or the bare variable of an only component. Reports what
// cannot be found.
static bool find_dotted(takt_builder *builder, const takt_project_assignment *given, char *buffer,
                        takt_reference *out)
{
    takt_system *system = builder->system;
    const char *name = given->variable;
    if (split(system, name, buffer, &out->component, &out->variable)) return true;
    if (out->component >= 0) {
        const char *rest = name + strlen(system->components[out->component].name) + 1;
        takt_builder_variable(builder, out->component, rest, given->place);
        return false;
    }
    const takt_model *only = system->n_components == 1 ? system->components[0].model : NULL;
    if (only) {
        *out = (takt_reference){0, takt_model_find(only, name)};
        if (out->variable >= 0) return true;
    }
    if (only && !strchr(name, '.')) {
        takt_builder_variable(builder, 0, name, given->place);
        return false;
    }
    size_t length = strcspn(name, ".");
    memcpy(buffer, name, length);
    buffer[length] = 0;
    if (name[length])
        takt_builder_component(builder, buffer, given->place);
    else
        takt_problem(&builder->problems, TAKT_LEVEL_ERROR, given->place,
                     "'%s' names no variable; write COMPONENT.VARIABLE", name);
    return false;
}

static bool find_target(takt_builder *builder, const takt_project_assignment *given, char *buffer,
                        takt_reference *out)
{
    if (!given->component) return find_dotted(builder, given, buffer, out);
    out->component = takt_builder_component(builder, given->component, given->place);
    if (out->component < 0) return false;
    out->variable = takt_builder_variable(builder, out->component, given->variable, given->place);
    return out->variable >= 0;
}

// ---- checking the value ------------------------------------------------------------------------

static bool is_settable(const takt_variable *variable)
{
    if (variable->variability == TAKT_CONSTANT) return false;
    return variable->causality == TAKT_INPUT || variable->initial == TAKT_EXACT ||
           variable->initial == TAKT_APPROX;
}

static void report_not_settable(takt_builder *builder, const takt_project_assignment *given,
                                const char *owner, const takt_variable *variable)
{
    takt_problem(&builder->problems, TAKT_LEVEL_ERROR, given->place,
                 "%s.%s cannot be set: it is %s (causality %s, variability %s, initial %s)", owner,
                 variable->name,
                 variable->variability == TAKT_CONSTANT ? "constant" : "calculated by the FMU",
                 takt_causality_name(variable->causality),
                 takt_variability_name(variable->variability),
                 takt_initial_name(variable->initial));
}

// Types between which a value in text form means the same.
static int family(const char *type)
{
    static const char *const others[] = {"Boolean", "String", "Binary", "Clock"};
    if (strncmp(type, "Float", 5) == 0) return -1;
    for (int i = 0; i < 4; i++)
        if (strcmp(type, others[i]) == 0) return 1 + i;
    return 0; // integers and enumerations
}

// Is a value declared as one type a value of another? Whole numbers are numbers.
static bool fits(const char *declared, const char *type)
{
    return family(declared) == family(type) || (family(declared) == 0 && family(type) == -1);
}

static void check_limits(takt_builder *builder, const takt_project_assignment *given,
                         const char *owner, const takt_variable *variable, const takt_value *value)
{
    takt_kind kind = takt_type_kind(variable->type);
    if (kind == TAKT_KIND_BYTES || variable->type == TAKT_BOOLEAN) return;
    double number = kind == TAKT_KIND_REAL ? value->real : (double)value->integer;
    if (number < variable->min)
        takt_problem(&builder->problems, TAKT_LEVEL_WARN, given->place,
                     "%s.%s = %s is less than the FMU's minimum %.15g", owner, variable->name,
                     given->value, variable->min);
    if (number > variable->max)
        takt_problem(&builder->problems, TAKT_LEVEL_WARN, given->place,
                     "%s.%s = %s is greater than the FMU's maximum %.15g", owner, variable->name,
                     given->value, variable->max);
}

static void check_unit(takt_builder *builder, const takt_project_assignment *given,
                       const char *owner, const takt_variable *variable)
{
    if (!given->unit || !variable->unit || strcmp(given->unit, variable->unit) == 0) return;
    takt_problem(&builder->problems, TAKT_LEVEL_WARN, given->place,
                 "%s.%s has the unit '%s', but the value is given in '%s'; it is set unchanged",
                 owner, variable->name, variable->unit, given->unit);
}

// Reads and checks a value. Returns false, with a report, when it is impossible.
static bool read_value(takt_builder *builder, const takt_project_assignment *given,
                       takt_reference target, takt_value *out)
{
    const takt_component *owner = &builder->system->components[target.component];
    const takt_variable *variable = &owner->model->variables[target.variable];
    const char *type = takt_type_name(variable->type);
    if (!is_settable(variable)) {
        report_not_settable(builder, given, owner->name, variable);
        return false;
    }
    if (given->type && !fits(given->type, type)) {
        takt_problem(&builder->problems, TAKT_LEVEL_ERROR, given->place,
                     "%s.%s is %s, but the value is declared as %s", owner->name, variable->name,
                     type, given->type);
        return false;
    }
    if (!takt_value_read(variable->type, given->value, &builder->system->arena, out)) {
        if (takt_type_kind(variable->type) == TAKT_KIND_BYTES) { // any text is a value
            builder->is_out_of_memory = true;
            return false;
        }
        takt_problem(&builder->problems, TAKT_LEVEL_ERROR, given->place,
                     "%s.%s: '%s' is not a value of type %s%s", owner->name, variable->name,
                     given->value, type,
                     variable->type == TAKT_ENUMERATION ? "; write the number of the item" : "");
        return false;
    }
    check_limits(builder, given, owner->name, variable, out);
    check_unit(builder, given, owner->name, variable);
    return true;
}

// ---- collecting --------------------------------------------------------------------------------

typedef struct resolved {
    takt_reference target;
    int order;
    takt_value value;
} resolved;

static int compare(const void *a, const void *b)
{
    const resolved *x = a, *y = b;
    if (x->target.component != y->target.component)
        return x->target.component < y->target.component ? -1 : 1;
    if (x->target.variable != y->target.variable)
        return x->target.variable < y->target.variable ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static bool is_same_target(const resolved *a, const resolved *b)
{
    return a->target.component == b->target.component && a->target.variable == b->target.variable;
}

// Keeps the last value of each variable and hands them to the components.
static takt_status distribute(takt_system *system, resolved *list, int n, takt_error *err)
{
    size_t n_components = (size_t)system->n_components;
    system->starts = takt_arena_array(&system->arena, n_components, sizeof *system->starts);
    system->n_starts = takt_arena_array(&system->arena, n_components, sizeof *system->n_starts);
    takt_start *starts = takt_arena_array(&system->arena, (size_t)n, sizeof *starts);
    if (!system->starts || !system->n_starts || !starts) return takt_fail_memory(err);
    if (n) qsort(list, (size_t)n, sizeof *list, compare);
    int n_kept = 0;
    for (int i = 0; i < n; i++) {
        if (i + 1 < n && is_same_target(&list[i], &list[i + 1])) continue;
        int c = list[i].target.component;
        if (system->n_starts[c]++ == 0) system->starts[c] = &starts[n_kept];
        starts[n_kept++] = (takt_start){list[i].target.variable, list[i].value};
    }
    return TAKT_OK;
}

// While assignments are resolved.
typedef struct collection {
    takt_builder *builder;
    resolved *list; // malloc'ed
    int n, capacity;
    takt_arena scratch;
    char *buffer; // for any name
} collection;

static void add_value(collection *c, const takt_project_assignment *given, takt_reference target,
                      int order)
{
    if (!takt_grow(&c->list, c->n, &c->capacity, sizeof *c->list)) {
        c->builder->is_out_of_memory = true;
        return;
    }
    resolved *next = &c->list[c->n];
    *next = (resolved){.target = target, .order = order};
    c->n += read_value(c->builder, given, target, &next->value);
}

static const char BLANKS[] = " \t\r\n";

// The next word of a text in `arena`, and where the rest begins; "" at the end, NULL: out of memory.
static const char *next_word(const char **text, takt_arena *arena)
{
    *text += strspn(*text, BLANKS);
    size_t length = strcspn(*text, BLANKS);
    const char *word = takt_arena_copy_n(arena, *text, length);
    *text += length;
    return word;
}

static int count_words(const char *text)
{
    int n = 0;
    for (text += strspn(text, BLANKS); *text; text += strspn(text, BLANKS), n++)
        text += strcspn(text, BLANKS);
    return n;
}

// Gives every element of an array its value; a single one is for all of them.
static void add_elements(collection *c, const takt_project_assignment *given, takt_reference target,
                         const takt_array *array, int order)
{
    int n_values = count_words(given->value);
    if (n_values != 1 && n_values != array->n_elements) {
        takt_problem(&c->builder->problems, TAKT_LEVEL_ERROR, given->place,
                     "%s has %d elements, but %d values are given; give as many, separated by "
                     "blanks, or one for all",
                     given->variable, array->n_elements, n_values);
        return;
    }
    const char *rest = given->value, *word = NULL;
    for (int i = 0; i < array->n_elements && !c->builder->is_out_of_memory; i++) {
        if (i < n_values) word = next_word(&rest, &c->scratch);
        takt_project_assignment one = *given;
        one.value = word;
        if (word)
            add_value(c, &one, target, order);
        else
            c->builder->is_out_of_memory = true;
        target.variable++;
    }
}

static void add_assignment(collection *c, const takt_project_assignment *given, int order)
{
    takt_reference target;
    if (!find_target(c->builder, given, c->buffer, &target)) return;
    const takt_model *model = c->builder->system->components[target.component].model;
    const takt_array *array = model->variables[target.variable].array;
    size_t length = strlen(given->variable);
    bool is_element = length > 0 && given->variable[length - 1] == ']';
    if (array && !is_element)
        add_elements(c, given, target, array, order);
    else
        add_value(c, given, target, order);
}

takt_status takt_builder_starts(takt_builder *builder, takt_error *err)
{
    const takt_project *project = builder->project;
    collection c = {.builder = builder};
    size_t longest = 0;
    for (int i = 0; i < project->n_assignments; i++)
        if (strlen(project->assignments[i].variable) > longest)
            longest = strlen(project->assignments[i].variable);
    c.buffer = takt_arena_alloc(&c.scratch, longest + 1);
    if (!c.buffer) builder->is_out_of_memory = true;
    for (int i = 0; i < project->n_assignments && !builder->is_out_of_memory; i++)
        add_assignment(&c, &project->assignments[i], i);
    takt_status st = builder->is_out_of_memory ? takt_fail_memory(err)
                                               : distribute(builder->system, c.list, c.n, err);
    free(c.list);
    takt_arena_clear(&c.scratch);
    return st;
}
