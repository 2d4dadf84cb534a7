// SPDX-License-Identifier: MIT
// Resolves assignments of start values. All of them are checked; of several for the same variable
// the last one counts.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "system/start_check.h"

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

static void add_value(collection *c, const takt_project_assignment *given,
                      const takt_start_goal *to, const char *text, int order)
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
    c->n += takt_start_read(c->builder, given, to, text, &next->value);
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
static void add_elements(collection *c, const takt_project_assignment *given, takt_start_goal to,
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

static void add_goal(collection *c, const takt_project_assignment *given, const takt_start_goal *to,
                     int order)
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
        add_goal(c, given, &(takt_start_goal){{component, v}, alias, takt_builder_is_element(name)},
                 order);
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
    int i = takt_start_find_alias(c->builder, given->variable, c->buffer, &index);
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
    takt_start_goals found = {.component = -1};
    if (given->component)
        takt_start_find_in_component(c->builder, given, &found);
    else
        takt_start_find_dotted(c->builder, given, c->buffer, &found);
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
