// SPDX-License-Identifier: MIT
// From arrays to elements: every element of an array, and every alias, becomes a variable of its own;
// see fmi3_reader.h.
#include "description/fmi3_expand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "description/finish.h"
#include "description/fmi3_variables.h"
#include "description/variables.h"

typedef takt_description_reader reader_type;

// Enough for any physics; it bounds the length of the elements' names.
enum { MAX_DIMENSIONS = 32 };

static takt_variable *variable_at(const reader_type *reader, int index)
{
    return (takt_variable *)reader->variables.items + index;
}

// ---- value references ----------------------------------------------------------------------------

static int compare_references(const void *a, const void *b)
{
    const takt_reference *x = a, *y = b;
    if (x->reference != y->reference) return x->reference < y->reference ? -1 : 1;
    return x->variable < y->variable ? -1 : x->variable > y->variable;
}

// Each variable has a reference of its own (section 2.4.7.4). Exporters that still make aliases in the
// way of FMI 2.0 do no harm.
static void check_references(reader_type *reader)
{
    const takt_reference *references = reader->fmi3->references;
    for (int i = 1; i < reader->fmi3->n_references; i++) {
        if (references[i].reference != references[i - 1].reference) continue;
        const takt_variable *a = variable_at(reader, references[i - 1].variable);
        const takt_variable *b = variable_at(reader, references[i].variable);
        bool is_same = a->type == b->type && a->causality != TAKT_STRUCTURAL_PARAMETER;
        void (*report)(reader_type *, int, const char *, ...) =
            is_same ? takt_description_note : takt_description_error;
        report(reader, b->line,
               "variables '%s' (line %d) and '%s' have the same value reference %lu", a->name,
               a->line, b->name, (unsigned long)b->reference);
    }
}

static takt_status sort_references(reader_type *reader, takt_error *err)
{
    takt_fmi3_reader *fmi3 = reader->fmi3;
    size_t n = (size_t)reader->variables.n;
    fmi3->references = calloc(n + 1, sizeof *fmi3->references);
    if (!fmi3->references) return takt_fail_memory(err);
    fmi3->n_references = reader->variables.n;
    for (size_t i = 0; i < n; i++)
        fmi3->references[i] = (takt_reference){variable_at(reader, (int)i)->reference, (int)i};
    qsort(fmi3->references, n, sizeof *fmi3->references, compare_references);
    check_references(reader);
    return TAKT_OK;
}

// ---- sizes ---------------------------------------------------------------------------------------

// A structural parameter with another value than the description's.
static void replace_start(reader_type *reader, const takt_fmi3_size *size)
{
    int index = takt_fmi3_find(reader->fmi3, size->reference);
    takt_variable *variable = index < 0 ? NULL : variable_at(reader, index);
    if (!variable || variable->causality != TAKT_STRUCTURAL_PARAMETER) return;
    double value = (double)size->value;
    bool is_less = value < variable->min;
    if (is_less || value > variable->max)
        takt_description_error(reader, variable->line,
                               "structural parameter '%s' cannot be %llu: its %s value is %.15g",
                               variable->name, (unsigned long long)size->value,
                               is_less ? "least" : "greatest",
                               is_less ? variable->min : variable->max);
    variable->start.integer = (int64_t)size->value;
    reader->fmi3->is_replaced[index] = true;
}

static takt_status replace_starts(reader_type *reader, takt_error *err)
{
    if (!reader->sizes) return TAKT_OK;
    reader->fmi3->is_replaced = calloc((size_t)reader->variables.n + 1, sizeof(bool));
    if (!reader->fmi3->is_replaced) return takt_fail_memory(err);
    for (int i = 0; i < reader->sizes->n_items; i++)
        replace_start(reader, &reader->sizes->items[i]);
    return TAKT_OK;
}

// The size that a variable gives; 1 after an error.
static int64_t referenced_size(reader_type *reader, const takt_dimension *dimension, bool *is_size)
{
    int index = takt_fmi3_find(reader->fmi3, dimension->reference);
    unsigned long reference = dimension->reference;
    if (index < 0) {
        takt_description_error(reader, dimension->line,
                               "Dimension: no variable has value reference %lu", reference);
        return 1;
    }
    const takt_variable *variable = variable_at(reader, index);
    bool is_fit =
        variable->type == TAKT_UINT64 && (variable->causality == TAKT_STRUCTURAL_PARAMETER ||
                                          variable->variability == TAKT_CONSTANT);
    if (!is_fit)
        takt_description_error(reader, dimension->line,
                               "Dimension: variable '%s' is neither a structural parameter nor a "
                               "constant of type UInt64",
                               variable->name);
    else if (!variable->has_start || variable->start.integer == 0)
        takt_description_error(reader, dimension->line,
                               "Dimension: '%s' is 0; arrays without elements are not supported",
                               variable->name);
    else if (variable->start.integer < 0)
        takt_description_error(reader, dimension->line,
                               "Dimension: '%s' is %llu, which is too large", variable->name,
                               (unsigned long long)variable->start.integer);
    is_size[index] = true;
    return is_fit && variable->has_start && variable->start.integer > 0 ? variable->start.integer
                                                                        : 1;
}

// Fills in the sizes of an array. One that is too large gets one element.
static void measure(reader_type *reader, const takt_pending_array *pending, takt_array *array,
                    int64_t *n_elements, bool *is_size)
{
    const takt_variable *variable = variable_at(reader, pending->variable);
    int n = pending->n_dimensions < MAX_DIMENSIONS ? pending->n_dimensions : MAX_DIMENSIONS;
    int *sizes = takt_arena_array(&reader->model->arena, (size_t)n, sizeof *sizes);
    *array = (takt_array){.name = variable->name, .n_dimensions = n, .n_elements = 1};
    array->dimensions = sizes;
    if (!sizes) reader->out_of_memory = true;
    if (!sizes) return;
    if (n < pending->n_dimensions)
        takt_description_error(reader, variable->line,
                               "array '%s' has %d dimensions; at most %d are supported",
                               variable->name, pending->n_dimensions, MAX_DIMENSIONS);
    int64_t product = 1;
    for (int i = 0; i < n; i++) {
        const takt_dimension *dimension =
            (takt_dimension *)reader->fmi3->dimensions.items + pending->first_dimension + i;
        int64_t size =
            dimension->is_reference ? referenced_size(reader, dimension, is_size) : dimension->size;
        bool fits = size <= TAKT_FMI3_MAX_ELEMENTS / product;
        product = fits ? product * size : TAKT_FMI3_MAX_ELEMENTS + 1;
        sizes[i] = fits ? (int)size : 1;
        if (!fits) break;
    }
    if (*n_elements + product <= TAKT_FMI3_MAX_ELEMENTS) {
        array->n_elements = (int)product;
        *n_elements += product;
        return;
    }
    takt_description_error(
        reader, variable->line,
        "array '%s' is too large: at most %d elements of arrays are supported in "
        "one FMU",
        variable->name, TAKT_FMI3_MAX_ELEMENTS);
    for (int i = 0; i < n; i++) sizes[i] = 1;
}

// ---- elements ------------------------------------------------------------------------------------

// "x[1,2]": the name of an element; the last index runs fastest.
static const char *element_name(reader_type *reader, const char *name, const takt_array *array,
                                int element)
{
    int indices[MAX_DIMENSIONS];
    for (int i = array->n_dimensions - 1; i >= 0; i--) {
        indices[i] = element % array->dimensions[i] + 1;
        element /= array->dimensions[i];
    }
    char text[MAX_DIMENSIONS * 12];
    int length = 0;
    for (int i = 0; i < array->n_dimensions; i++)
        length +=
            snprintf(text + length, sizeof text - (size_t)length, i ? ",%d" : "%d", indices[i]);
    const char *result = takt_arena_print(&reader->model->arena, "%s[%s]", name, text);
    if (!result) reader->out_of_memory = true;
    return result ? result : "";
}

static void wrong_count(reader_type *reader, const takt_variable *variable, int n, int n_elements)
{
    takt_description_error(reader, variable->line,
                           "array '%s' has %d start values, but %d elements", variable->name, n,
                           n_elements);
}

// Start values in elements of their own: one for all, or one for each.
static void take_start_elements(reader_type *reader, const takt_pending_array *pending,
                                takt_variable *elements, int n)
{
    const takt_value *starts = (takt_value *)reader->fmi3->starts.items + pending->first_start;
    if (pending->n_starts != 1 && pending->n_starts != n)
        wrong_count(reader, variable_at(reader, pending->variable), pending->n_starts, n);
    for (int i = 0; i < n; i++)
        elements[i].start = starts[pending->n_starts == 1 || i >= pending->n_starts ? 0 : i];
}

// Start values in one attribute: one for all, or one for each.
static void read_start_list(reader_type *reader, const takt_pending_array *pending,
                            takt_variable *elements, int n)
{
    const takt_variable *variable = variable_at(reader, pending->variable);
    const char *rest = pending->start, *begin, *end;
    int n_values = 0;
    while (takt_description_token(&rest, &begin, &end)) {
        bool is_last = *end == 0;
        pending->start[end - pending->start] = 0;
        if (!is_last) rest++;
        takt_value *start = n_values < n ? &elements[n_values].start : NULL;
        n_values++;
        if (!start || takt_fmi3_read_value(reader, variable->type, begin, start)) continue;
        takt_description_error(reader, variable->line,
                               "array '%s': start '%.100s' is not a value of type %s",
                               variable->name, begin, takt_type_name(variable->type));
        return;
    }
    if (n_values != 1 && n_values != n) wrong_count(reader, variable, n_values, n);
    for (int i = 1; i < n && n_values == 1; i++) elements[i].start = elements[0].start;
}

// Does the array have another size than the description says?
static bool is_resized(const reader_type *reader, const takt_pending_array *pending)
{
    const takt_fmi3_reader *fmi3 = reader->fmi3;
    const takt_dimension *dimensions =
        (takt_dimension *)fmi3->dimensions.items + pending->first_dimension;
    for (int i = 0; fmi3->is_replaced && i < pending->n_dimensions; i++) {
        int index = dimensions[i].is_reference ? takt_fmi3_find(fmi3, dimensions[i].reference) : -1;
        if (index >= 0 && fmi3->is_replaced[index]) return true;
    }
    return false;
}

static void add_elements(reader_type *reader, const takt_pending_array *pending, takt_array *array,
                         takt_variable *elements)
{
    const takt_variable *variable = variable_at(reader, pending->variable);
    bool keeps_start = !is_resized(reader, pending); // section 2.4.7.3: else start values are void
    for (int i = 0; i < array->n_elements && !reader->out_of_memory; i++) {
        elements[i] = *variable;
        elements[i].name = element_name(reader, variable->name, array, i);
        elements[i].array = array;
        elements[i].has_start = variable->has_start && keeps_start;
        if (takt_type_kind(variable->type) == TAKT_KIND_BYTES) elements[i].start.text = "";
    }
    if (reader->out_of_memory || !keeps_start) return;
    if (pending->n_starts > 0)
        take_start_elements(reader, pending, elements, array->n_elements);
    else if (pending->start)
        read_start_list(reader, pending, elements, array->n_elements);
}

// An alias, or the elements of one: the same variables with other names.
static void add_alias(reader_type *reader, const takt_alias *alias, takt_array *array,
                      const takt_variable *from, takt_variable *to)
{
    if (array) {
        *array = *from->array;
        array->name = alias->name;
    }
    int n = takt_fmi3_count(from);
    for (int i = 0; i < n && !reader->out_of_memory; i++) {
        to[i] = from[i];
        to[i].name = array ? element_name(reader, alias->name, array, i) : alias->name;
        to[i].array = array;
        to[i].causality = TAKT_LOCAL;
        to[i].line = alias->line;
        if (alias->description) to[i].description = alias->description;
    }
}

// ---- all variables -------------------------------------------------------------------------------

// What is known before the elements are made.
typedef struct expansion {
    int *first; ///< per variable of the file: its index in the new list
    bool *is_size; ///< per variable of the file: gives the size of an array
    int n_variables, n_arrays; ///< with all elements and aliases
    bool is_too_large;
} expansion;

// Walks through the arrays and aliases, which lie in the order of their variables.
typedef struct walk {
    const takt_fmi3_reader *fmi3;
    int i_array, i_alias;
} walk;

static const takt_pending_array *next_array(walk *w, int variable)
{
    const takt_pending_array *arrays = w->fmi3->arrays.items;
    bool is_next = w->i_array < w->fmi3->arrays.n && arrays[w->i_array].variable == variable;
    return is_next ? &arrays[w->i_array++] : NULL;
}

static const takt_alias *next_alias(walk *w, int variable)
{
    const takt_alias *aliases = w->fmi3->aliases.items;
    bool is_next = w->i_alias < w->fmi3->aliases.n && aliases[w->i_alias].variable == variable;
    return is_next ? &aliases[w->i_alias++] : NULL;
}

static void count(reader_type *reader, expansion *e)
{
    walk w = {.fmi3 = reader->fmi3};
    int64_t n_variables = 0, n_elements = 0;
    for (int i = 0; i < reader->variables.n && n_elements <= TAKT_FMI3_MAX_ELEMENTS; i++) {
        const takt_pending_array *pending = next_array(&w, i);
        takt_array *array = pending ? &reader->model->arrays[e->n_arrays++] : NULL;
        if (array) measure(reader, pending, array, &n_elements, e->is_size);
        int n = array ? array->n_elements : 1;
        e->first[i] = (int)n_variables;
        n_variables += n;
        while (next_alias(&w, i)) {
            e->n_arrays += array != NULL;
            n_elements += array ? n : 0;
            n_variables += n;
        }
    }
    e->n_variables = (int)n_variables;
    e->is_too_large = n_elements > TAKT_FMI3_MAX_ELEMENTS;
    if (e->is_too_large)
        takt_description_error(
            reader, takt_description_line(reader),
            "the arrays and their aliases are too large: at most %d elements are "
            "supported in one FMU",
            TAKT_FMI3_MAX_ELEMENTS);
}

static void fill(reader_type *reader, const expansion *e, takt_variable *variables)
{
    walk w = {.fmi3 = reader->fmi3};
    takt_array *array = reader->model->arrays;
    for (int i = 0; i < reader->variables.n && !reader->out_of_memory; i++) {
        takt_variable *own = &variables[e->first[i]], *next = own + 1;
        const takt_pending_array *pending = next_array(&w, i);
        if (pending) {
            array->first = e->first[i];
            add_elements(reader, pending, array, own);
            next = own + array++->n_elements;
        } else {
            *own = *variable_at(reader, i);
        }
        for (const takt_alias *alias; !reader->out_of_memory && (alias = next_alias(&w, i));) {
            add_alias(reader, alias, pending ? array : NULL, own, next);
            if (pending) array++->first = (int)(next - variables);
            next += takt_fmi3_count(own);
        }
    }
}

// From indices in the file to those in the model.
static void renumber(reader_type *reader, const expansion *e)
{
    takt_fmi3_reader *fmi3 = reader->fmi3;
    for (int i = 0; i < fmi3->n_references; i++)
        fmi3->references[i].variable = e->first[fmi3->references[i].variable];
    takt_fmi3_clock *clocks = fmi3->clocks.items;
    for (int i = 0; i < fmi3->clocks.n; i++) clocks[i].variable = e->first[clocks[i].variable];
    takt_link *links = fmi3->links.items;
    for (int i = 0; i < fmi3->links.n; i++) links[i].variable = e->first[links[i].variable];
    takt_max_size *sizes = fmi3->max_sizes.items;
    for (int i = 0; i < fmi3->max_sizes.n; i++) {
        sizes[i].first = e->first[sizes[i].first];
        sizes[i].n = takt_fmi3_count(variable_at(reader, sizes[i].first));
    }
}

static takt_status note_sizes(reader_type *reader, const expansion *e, int n_old, takt_error *err)
{
    bool *is_size = NULL;
    for (int i = 0; i < n_old; i++) {
        if (!e->is_size[i]) continue;
        if (!is_size)
            is_size = takt_arena_array(&reader->model->arena, (size_t)e->n_variables, sizeof(bool));
        if (!is_size) return takt_fail_memory(err);
        is_size[e->first[i]] = true;
    }
    reader->out->fmi3.is_size = is_size;
    return TAKT_OK;
}

static takt_status rebuild(reader_type *reader, expansion *e, takt_error *err)
{
    takt_fmi3_reader *fmi3 = reader->fmi3;
    size_t n_arrays = (size_t)fmi3->arrays.n + (size_t)fmi3->aliases.n;
    takt_model *model = reader->model;
    model->arrays = takt_arena_array(&model->arena, n_arrays, sizeof *model->arrays);
    e->first = calloc((size_t)reader->variables.n + 1, sizeof *e->first);
    e->is_size = calloc((size_t)reader->variables.n + 1, sizeof *e->is_size);
    if (!model->arrays || !e->first || !e->is_size) return takt_fail_memory(err);
    count(reader, e);
    if (reader->out_of_memory) return takt_fail_memory(err);
    if (e->is_too_large) return takt_fail(err, TAKT_ERR_INPUT, "%s", reader->first.message);

    takt_variable *variables = calloc((size_t)e->n_variables + 1, sizeof *variables);
    if (!variables) return takt_fail_memory(err);
    fill(reader, e, variables);
    int n_old = reader->variables.n;
    free(reader->variables.items);
    reader->variables =
        (takt_list){.items = variables, .n = e->n_variables, .capacity = e->n_variables + 1};
    if (reader->out_of_memory) return takt_fail_memory(err);
    model->n_arrays = e->n_arrays;
    renumber(reader, e);
    return note_sizes(reader, e, n_old, err);
}

// A variable must not have the name of an array.
static takt_status add_names(reader_type *reader, takt_error *err)
{
    takt_model *model = reader->model;
    for (int i = 0; i < reader->variables.n; i++) takt_description_add_name(reader, i);
    for (int i = 0; i < model->n_arrays; i++) {
        const takt_array *array = &model->arrays[i];
        bool is_taken = takt_map_find(&model->array_names, array->name) >= 0 ||
                        takt_map_find(&model->names, array->name) >= 0;
        if (is_taken)
            takt_description_error(reader, variable_at(reader, array->first)->line,
                                   "variable '%s' occurs twice", array->name);
        else if (!takt_map_add(&model->array_names, array->name, i))
            return takt_fail_memory(err);
    }
    return reader->out_of_memory ? takt_fail_memory(err) : TAKT_OK;
}

takt_status takt_fmi3_expand(reader_type *reader, takt_error *err)
{
    expansion e = {0};
    takt_status st = sort_references(reader, err);
    if (!st) st = replace_starts(reader, err);
    if (!st && (reader->fmi3->arrays.n > 0 || reader->fmi3->aliases.n > 0))
        st = rebuild(reader, &e, err);
    free(e.first);
    free(e.is_size);
    return st ? st : add_names(reader, err);
}
