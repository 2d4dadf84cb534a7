// SPDX-License-Identifier: MIT
// Resolves assignments of start values. All of them are checked; of several for the same variable
// the last one counts.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "system/builder.h"

// ---- finding the variable ----------------------------------------------------------------------

// Component names with more dots than this are not looked for in "a.b.c": a hostile name of
// nothing but dots must not take forever.
enum { MAX_PARTS = 32 };

// What an assignment sets: variables, each perhaps through an alias. Several things may have the same
// name, "a.b" + "c" and "a" + "b.c"; a value is for all of them (SSP standard, section 5.2.3).
typedef struct goal {
    takt_reference variable;
    const takt_project_alias *alias; // NULL: none
    bool is_element; // not all of the array to which the variable belongs
} goal;

enum { MAX_GOALS = MAX_PARTS };

typedef struct goals {
    goal items[MAX_GOALS];
    int n_items;
    int component; // the first whose name fits, even if no variable does; -1: none
} goals;

// Splits "component.variable" where both exist; either may contain dots.
static void split(const takt_system *system, const char *name, char *buffer, goals *out)
{
    const char *dot = strchr(name, '.');
    for (int i = 0; dot && i < MAX_PARTS; i++, dot = strchr(dot + 1, '.')) {
        size_t length = (size_t)(dot - name);
        memcpy(buffer, name, length);
        buffer[length] = 0;
        int c = takt_map_find(&system->names, buffer);
        if (c < 0) continue;
        if (out->component < 0) out->component = c;
        const takt_model *model = system->components[c].model;
        int v = model ? takt_model_find(model, dot + 1) : -1;
        if (v >= 0)
            out->items[out->n_items++] = (goal){{c, v}, NULL, takt_builder_is_element(name)};
    }
}

bool takt_builder_split(const takt_system *system, const char *name, char *buffer, int *component,
                        int *variable)
{
    goals found = {.component = -1};
    split(system, name, buffer, &found);
    *component = found.n_items ? found.items[0].variable.component : found.component;
    *variable = found.n_items ? found.items[0].variable.variable : -1;
    return found.n_items > 0;
}

// Of "a.b.c", where no component fits: what in front of a dot is most likely meant for one,
// into `buffer`. Returns the component that is like it; NULL: none is.
static const char *likely_component(const takt_builder *builder, const char *name, char *buffer)
{
    size_t length = strlen(name), shortest = strcspn(name, ".");
    const char *nearest = NULL;
    memcpy(buffer, name, length + 1);
    for (int i = 0; i < MAX_PARTS && !nearest && length > shortest; i++) {
        while (buffer[length - 1] != '.') length--;
        buffer[--length] = 0;
        nearest = takt_builder_nearest_component(builder, buffer);
    }
    if (!nearest) buffer[shortest] = 0;
    return nearest;
}

// Reports a name that may be missing: its value is not used.
static void report_unused(takt_builder *builder, const takt_project_assignment *given,
                          const goals *found, char *buffer)
{
    const char *name = given->variable, *nearest = NULL;
    if (found->component >= 0) {
        size_t length = strlen(builder->system->components[found->component].name);
        nearest = takt_builder_nearest(builder, found->component, name + length + 1);
    } else if (strchr(name, '.')) {
        nearest = likely_component(builder, name, buffer);
    }
    takt_problem(&builder->problems, given->if_missing, given->place,
                 "'%s' names no variable; its value is not used%s%s%s", name,
                 nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
}

// Reports that a name has no meaning, unless that is allowed.
static void report_missing(takt_builder *builder, const takt_project_assignment *given,
                           const goals *found, char *buffer)
{
    takt_system *system = builder->system;
    const char *name = given->variable;
    if (found->component >= 0 && !system->components[found->component].model) return;
    if (given->if_missing != TAKT_LEVEL_ERROR) {
        report_unused(builder, given, found, buffer);
    } else if (found->component >= 0) {
        const char *rest = name + strlen(system->components[found->component].name) + 1;
        takt_builder_variable(builder, found->component, rest, given->place);
    } else if (strchr(name, '.')) {
        likely_component(builder, name, buffer);
        takt_builder_component(builder, buffer, given->place);
    } else if (takt_builder_only_component(builder) >= 0) {
        takt_builder_variable(builder, takt_builder_only_component(builder), name, given->place);
    } else {
        takt_problem(&builder->problems, TAKT_LEVEL_ERROR, given->place,
                     "'%s' names no variable; write COMPONENT.VARIABLE", name);
    }
}

// The first alias of a name, or for "x[1,2]" that of "x"; then `index` is "[1,2]", else "". -1: none.
static int find_alias(const takt_builder *builder, const char *name, char *buffer,
                      const char **index)
{
    int found = takt_project_find_alias(builder->project, name);
    const char *bracket = takt_builder_is_element(name) ? strrchr(name, '[') : NULL;
    *index = "";
    if (found >= 0 || !bracket) return found;
    size_t length = (size_t)(bracket - name);
    memcpy(buffer, name, length);
    buffer[length] = 0;
    *index = bracket;
    return takt_project_find_alias(builder->project, buffer);
}

// Finds what "component.variable" means, or the bare variable of an only component. What is the alias
// of something else is added by the caller. Reports what cannot be found.
static void find_dotted(takt_builder *builder, const takt_project_assignment *given, char *buffer,
                        goals *out)
{
    const takt_system *system = builder->system;
    split(system, given->variable, buffer, out);
    const char *index;
    if (out->n_items || find_alias(builder, given->variable, buffer, &index) >= 0) return;
    int only = takt_builder_only_component(builder);
    if (only >= 0) {
        int v = takt_model_find(system->components[only].model, given->variable);
        if (v >= 0)
            out->items[out->n_items++] =
                (goal){{only, v}, NULL, takt_builder_is_element(given->variable)};
        if (v >= 0) return;
    }
    report_missing(builder, given, out, buffer);
}

static void find_in_component(takt_builder *builder, const takt_project_assignment *given,
                              goals *out)
{
    int c = takt_builder_component(builder, given->component, given->place);
    const takt_model *model = c < 0 ? NULL : builder->system->components[c].model;
    int v = model ? takt_model_find(model, given->variable) : -1;
    if (v >= 0)
        out->items[out->n_items++] = (goal){{c, v}, NULL, takt_builder_is_element(given->variable)};
    else if (model && given->if_missing == TAKT_LEVEL_ERROR)
        takt_builder_variable(builder, c, given->variable, given->place);
    else if (model)
        takt_problem(&builder->problems, given->if_missing, given->place,
                     "component '%s' has no variable '%s'; its value is not used", given->component,
                     given->variable);
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
    takt_problem(&builder->problems, given->if_missing, given->place,
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
    double number = kind == TAKT_KIND_REAL          ? value->real
                    : variable->type == TAKT_UINT64 ? (double)(uint64_t)value->integer
                                                    : (double)value->integer;
    if (number < variable->min)
        takt_problem(&builder->problems, TAKT_LEVEL_WARN, given->place,
                     "%s.%s = %s is less than the FMU's minimum %.15g", owner, variable->name,
                     given->value, variable->min);
    if (number > variable->max)
        takt_problem(&builder->problems, TAKT_LEVEL_WARN, given->place,
                     "%s.%s = %s is greater than the FMU's maximum %.15g", owner, variable->name,
                     given->value, variable->max);
}

// The items of a variable's enumeration; NULL: not known.
static const takt_type_definition *items_of(const takt_model *model, const takt_variable *variable)
{
    if (variable->type != TAKT_ENUMERATION) return NULL;
    const takt_type_definition *type = takt_model_type(model, variable->declared_type);
    return type && type->n_items ? type : NULL;
}

// "; its items are 'on' (1), 'off' (2)": what the value of an enumeration may be.
static void describe_items(const takt_type_definition *type, takt_text *out)
{
    enum { MAX_NAMED = 10 };
    for (int i = 0; i < type->n_items && i < MAX_NAMED; i++)
        takt_text_print(out, "%s'%s' (%lld)", i ? ", " : "; its items are ", type->items[i].name,
                        (long long)type->items[i].value);
    if (type->n_items > MAX_NAMED) takt_text_add(out, ", ...");
}

// What the user can write instead.
static void describe_values(const takt_component *owner, const takt_variable *variable,
                            const char *given, takt_text *out)
{
    const takt_type_definition *items = items_of(owner->model, variable);
    const char *nearest = items ? takt_builder_nearest_item(owner, variable, given) : NULL;
    int64_t least, greatest;
    takt_type_range(variable->type, &least, &greatest);
    if (nearest)
        takt_text_print(out, "; did you mean '%s'?", nearest);
    else if (items)
        describe_items(items, out);
    else if (variable->type == TAKT_ENUMERATION)
        takt_text_add(out, "; write the number of the item");
    else if (variable->type == TAKT_BOOLEAN || variable->type == TAKT_CLOCK)
        takt_text_add(out, "; write true or false");
    else if (variable->type == TAKT_BINARY)
        takt_text_add(out, "; write bytes as two hexadecimal digits each, such as 00ff");
    else if (variable->type == TAKT_UINT64)
        takt_text_print(out, "; write a whole number from 0 to %llu",
                        (unsigned long long)UINT64_MAX);
    else if (takt_type_kind(variable->type) == TAKT_KIND_INTEGER)
        takt_text_print(out, "; write a whole number from %lld to %lld", (long long)least,
                        (long long)greatest);
    else if (strchr(given, ','))
        takt_text_add(out, "; write numbers with a decimal point");
}

static void report_wrong_value(takt_builder *builder, const takt_project_assignment *given,
                               const takt_component *owner, const takt_variable *variable,
                               const char *text)
{
    takt_text hint = {0};
    describe_values(owner, variable, text, &hint);
    takt_problem(&builder->problems, TAKT_LEVEL_ERROR, given->place,
                 "%s.%s: '%s' is not a value of type %s%s", owner->name, variable->name, text,
                 takt_type_name(variable->type), hint.data ? hint.data : "");
    takt_text_clear(&hint);
}

// An FMU may refuse the number of no item.
static void check_item(takt_builder *builder, const takt_project_assignment *given,
                       const takt_component *owner, const takt_variable *variable, int64_t number)
{
    const takt_type_definition *type = items_of(owner->model, variable);
    for (int i = 0; type && i < type->n_items; i++)
        if (type->items[i].value == number) return;
    if (!type) return;
    takt_text items = {0};
    describe_items(type, &items);
    takt_problem(&builder->problems, TAKT_LEVEL_WARN, given->place,
                 "%s.%s = %lld is no item of the enumeration%s", owner->name, variable->name,
                 (long long)number, items.data ? items.data : "");
    takt_text_clear(&items);
}

// Reads and checks a value. Returns false, with a report, when it is impossible.
static bool read_value(takt_builder *builder, const takt_project_assignment *given, const goal *to,
                       const char *text, takt_value *out)
{
    takt_reference target = to->variable;
    const takt_component *owner = &builder->system->components[target.component];
    const takt_variable *variable = &owner->model->variables[target.variable];
    const char *type = takt_type_name(variable->type);
    if (!is_settable(variable)) {
        report_not_settable(builder, given, owner->name, variable);
        return false;
    }
    bool is_mapped = given->n_hops || to->alias; // perhaps into another type
    if (given->type && !is_mapped && !fits(given->type, type)) {
        takt_problem(&builder->problems, TAKT_LEVEL_ERROR, given->place,
                     "%s.%s is %s, but the value is declared as %s", owner->name, variable->name,
                     type, given->type);
        return false;
    }
    text = takt_builder_convert_text(builder, given, to->alias, target, text);
    if (!text) return false;
    if (!takt_value_read(variable->type, text, &builder->system->arena, out)) {
        if (variable->type == TAKT_STRING ||
            (variable->type == TAKT_BINARY && takt_value_is_hex(text)))
            builder->is_out_of_memory = true;
        else
            report_wrong_value(builder, given, owner, variable, text);
        return false;
    }
    check_limits(builder, given, owner->name, variable, out);
    check_item(builder, given, owner, variable, out->integer);
    return true;
}

// ---- collecting --------------------------------------------------------------------------------

typedef struct resolved {
    takt_reference target;
    int rank; // of several values for a variable those with the greatest count
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
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
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
    bool only_sizes; // structural parameters that may be sizes of arrays
    resolved *list; // malloc'ed
    int n, capacity;
    takt_arena scratch;
    char *buffer; // for any name
} collection;

static void add_value(collection *c, const takt_project_assignment *given, const goal *to,
                      const char *text, int order)
{
    if (!takt_grow(&c->list, c->n, &c->capacity, sizeof *c->list)) {
        c->builder->is_out_of_memory = true;
        return;
    }
    resolved *next = &c->list[c->n];
    *next = (resolved){.target = to->variable, .order = order};
    // What comes through a connection wins over the variable's own start value, what is given for this run over all.
    bool is_given_now = order >= c->builder->project->n_read_assignments;
    next->rank = is_given_now ? INT_MAX : to->alias ? to->alias->n_outputs : 0;
    c->n += read_value(c->builder, given, to, text, &next->value);
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

// The values of an array, which may have one unit for all of them behind: "1 2 3 cm". *unit is "" where
// there is none, or each has its own. NULL: out of memory.
static const char *split_values(collection *c, const takt_project_assignment *given,
                                const takt_variable *variable, const char **unit)
{
    size_t length;
    const char *found = NULL;
    if (!given->type && takt_type_kind(variable->type) == TAKT_KIND_REAL)
        found = takt_unit_behind(given->value, &length);
    bool is_for_all = found && !found[strcspn(found, BLANKS)];
    *unit = is_for_all ? found : "";
    return is_for_all ? takt_arena_copy_n(&c->scratch, given->value, length) : given->value;
}

// Gives every element of an array its value; a single one is for all of them.
static void add_elements(collection *c, const takt_project_assignment *given, goal to,
                         const takt_array *array, int order)
{
    const takt_model *model = c->builder->system->components[to.variable.component].model;
    const char *unit;
    const char *rest = split_values(c, given, &model->variables[to.variable.variable], &unit);
    if (!rest) c->builder->is_out_of_memory = true;
    if (!rest) return;
    int n_values = count_words(rest);
    if (n_values != 1 && n_values != array->n_elements) {
        takt_problem(&c->builder->problems, TAKT_LEVEL_ERROR, given->place,
                     "%s has %d elements, but %d values are given; give as many, separated by "
                     "blanks, or one for all",
                     given->variable, array->n_elements, n_values);
        return;
    }
    const char *word = NULL;
    for (int i = 0; i < array->n_elements && !c->builder->is_out_of_memory; i++) {
        if (i < n_values) word = next_word(&rest, &c->scratch);
        if (i < n_values && word && *unit)
            word = takt_arena_print(&c->scratch, "%s %s", word, unit);
        if (word)
            add_value(c, given, &to, word, order);
        else
            c->builder->is_out_of_memory = true;
        to.variable.variable++;
    }
}

static void add_goal(collection *c, const takt_project_assignment *given, const goal *to, int order)
{
    const takt_model *model = c->builder->system->components[to->variable.component].model;
    const takt_variable *variable = &model->variables[to->variable.variable];
    const takt_array *array = variable->array;
    if (c->only_sizes &&
        (variable->causality != TAKT_STRUCTURAL_PARAMETER || variable->type != TAKT_UINT64))
        return;
    bool is_array = array && !to->is_element;
    char found[80];
    if (given->shape && !takt_builder_has_shape(is_array ? array : NULL, given->shape, found))
        takt_problem(&c->builder->problems, TAKT_LEVEL_ERROR, given->place,
                     "the value of '%s' has the dimensions %s, but the variable is %s",
                     given->variable, given->shape, found);
    else if (is_array)
        add_elements(c, given, *to, array, order);
    else
        add_value(c, given, to, given->value, order);
}

// A variable behind a connector of a system, or the element `index` of it.
static void add_alias(collection *c, const takt_project_assignment *given,
                      const takt_project_alias *alias, const char *index, int order)
{
    const char *name =
        *index ? takt_arena_print(&c->scratch, "%s%s", alias->variable, index) : alias->variable;
    if (!name) c->builder->is_out_of_memory = true;
    if (!name) return;
    int component = takt_map_find(&c->builder->system->names, alias->component);
    const takt_model *model =
        component < 0 ? NULL : c->builder->system->components[component].model;
    int v = model ? takt_model_find(model, name) : -1;
    // A variable that is missing was reported with the connection, but not an element.
    if (v >= 0)
        add_goal(c, given, &(goal){{component, v}, alias, takt_builder_is_element(name)}, order);
    else if (model && *index)
        takt_builder_variable(c->builder, component, name, given->place);
}

// The place of the element "[2,1]" in a list of all elements of an array "[3,2]"; -1: it has none. Without
// a shape it is a list itself.
static int64_t place_of(const char *index, const char *shape)
{
    int64_t place = 0;
    const char *size = shape;
    for (; *index && *index != ']'; index += strcspn(index, ",]")) {
        int64_t i, n = INT64_MAX;
        index++;
        if (!takt_number_read_integer(index, index + strcspn(index, ",]"), &i)) return -1;
        if (shape && (!*size || *size == ']')) return -1;
        if (shape && *size) {
            size++;
            if (!takt_number_read_integer(size, size + strcspn(size, ",]"), &n)) return -1;
            size += strcspn(size, ",]");
        }
        if (i < 1 || i > n || (!shape && place > 0) || place > INT32_MAX) return -1;
        place = place * (shape ? n : 1) + i - 1;
    }
    return place;
}

// An element of the value of a whole connector; a single value is for all elements.
static void add_part(collection *c, const takt_project_assignment *given,
                     const takt_project_alias *alias, int order)
{
    int component = takt_map_find(&c->builder->system->names, alias->component);
    const takt_model *model =
        component < 0 ? NULL : c->builder->system->components[component].model;
    int v = model ? takt_model_find(model, alias->variable) : -1;
    if (v < 0) return; // reported with the connection
    const char *unit, *word = "";
    const char *rest = split_values(c, given, &model->variables[v], &unit);
    if (!rest) c->builder->is_out_of_memory = true;
    if (!rest) return;
    int n_values = count_words(rest);
    int64_t place = n_values == 1 && !given->shape ? 0 : place_of(alias->index, given->shape);
    if (place < 0 || place >= n_values) {
        takt_problem(&c->builder->problems, TAKT_LEVEL_ERROR, given->place,
                     "the value of '%s' has no element %s, which is connected to %s.%s",
                     given->variable, alias->index, alias->component, alias->variable);
        return;
    }
    for (int64_t i = 0; word && i <= place; i++) word = next_word(&rest, &c->scratch);
    if (word && *unit) word = takt_arena_print(&c->scratch, "%s %s", word, unit);
    takt_project_assignment element = *given;
    element.shape = NULL;
    element.value = word;
    if (word)
        add_alias(c, &element, alias, "", order);
    else
        c->builder->is_out_of_memory = true;
}

// The variables behind a connector of a system.
static void add_aliases(collection *c, const takt_project_assignment *given, int order)
{
    const takt_project *project = c->builder->project;
    const char *index;
    int i = find_alias(c->builder, given->variable, c->buffer, &index);
    for (; i >= 0; i = project->aliases[i].next) {
        const takt_project_alias *alias = &project->aliases[i];
        if (!*alias->index)
            add_alias(c, given, alias, index, order);
        else if (!*index)
            add_part(c, given, alias, order);
        else if (strcmp(alias->index, index) == 0)
            add_alias(c, given, alias, "", order);
    }
}

static void add_assignment(collection *c, const takt_project_assignment *given, int order)
{
    goals found = {.component = -1};
    if (given->component)
        find_in_component(c->builder, given, &found);
    else
        find_dotted(c->builder, given, c->buffer, &found);
    for (int i = 0; i < found.n_items; i++) add_goal(c, given, &found.items[i], order);
    if (!given->component) add_aliases(c, given, order);
}

// Resolves all assignments into c->list. Returns false when memory is exhausted.
static bool collect(collection *c)
{
    const takt_project *project = c->builder->project;
    size_t longest = 0;
    for (int i = 0; i < project->n_assignments; i++)
        if (strlen(project->assignments[i].variable) > longest)
            longest = strlen(project->assignments[i].variable);
    c->buffer = takt_arena_alloc(&c->scratch, longest + 1);
    if (!c->buffer) c->builder->is_out_of_memory = true;
    for (int i = 0; i < project->n_assignments && !c->builder->is_out_of_memory; i++)
        add_assignment(c, &project->assignments[i], i);
    takt_arena_clear(&c->scratch);
    return !c->builder->is_out_of_memory;
}

takt_status takt_builder_starts(takt_builder *builder, takt_error *err)
{
    collection c = {.builder = builder};
    takt_status st =
        collect(&c) ? distribute(builder->system, c.list, c.n, err) : takt_fail_memory(err);
    free(c.list);
    return st;
}

bool takt_builder_given_sizes(takt_builder *builder, takt_given_size **out, int *n)
{
    takt_builder quiet = *builder; // problems are reported by takt_builder_starts()
    quiet.problems = (takt_problems){0};
    collection c = {.builder = &quiet, .only_sizes = true};
    bool ok = collect(&c);
    takt_given_size *sizes = NULL;
    if (ok) sizes = takt_arena_array(&builder->system->arena, (size_t)c.n, sizeof *sizes);
    if (sizes && c.n) qsort(c.list, (size_t)c.n, sizeof *c.list, compare);
    int n_kept = 0;
    for (int i = 0; sizes && i < c.n; i++) {
        if (i + 1 < c.n && is_same_target(&c.list[i], &c.list[i + 1])) continue;
        sizes[n_kept++] = (takt_given_size){c.list[i].target, c.list[i].value.integer,
                                            builder->project->assignments[c.list[i].order].place};
    }
    free(c.list);
    *out = sizes;
    *n = n_kept;
    return sizes != NULL;
}
