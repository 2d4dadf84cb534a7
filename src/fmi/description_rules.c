// SPDX-License-Identifier: MIT
// Rules that FMI 1.0 and 2.0 have in common; see description_rules.h.
#include "fmi/description_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef takt_description_reader reader_type;

// ---- units and types -----------------------------------------------------------------------------

// Enters a name into a map; false if it is there already.
static bool is_new(reader_type *reader, takt_map *map, const char *name)
{
    if (takt_map_find(map, name) >= 0) return false;
    if (!takt_map_add(map, name, 0)) reader->out_of_memory = true;
    return true;
}

// Each unit that is missing is told once, not with every variable.
static void check_units(reader_type *reader)
{
    takt_map known = {0};
    for (int i = 0; i < reader->units.n; i++) {
        const takt_unit *unit = (takt_unit *)reader->units.items + i;
        if (!is_new(reader, &known, unit->name))
            takt_description_note(reader, 0, "the unit '%.100s' is defined twice", unit->name);
    }
    for (int i = 0; i < reader->variables.n; i++) {
        const takt_variable *variable = (takt_variable *)reader->variables.items + i;
        if (variable->unit && variable->unit[0] && is_new(reader, &known, variable->unit))
            takt_description_note(reader, variable->line,
                                  "variable '%s': unit '%.100s' is not defined in UnitDefinitions",
                                  variable->name, variable->unit);
    }
    takt_map_clear(&known);
}

static void check_items(reader_type *reader, const takt_type_definition *type)
{
    takt_map names = {0};
    if (type->n_items == 0)
        takt_description_note(reader, type->line, "the enumeration '%.100s' has no items",
                              type->name);
    for (int i = 0; i < type->n_items; i++) {
        const takt_enumeration_item *item = &type->items[i];
        if (!is_new(reader, &names, item->name))
            takt_description_note(reader, type->line,
                                  "the enumeration '%.100s' has two items with the name '%.100s'",
                                  type->name, item->name);
        for (int k = i > 100 ? i : 0; k < i; k++) // who makes so many numbers them by a program
            if (type->items[k].value == item->value)
                takt_description_note(reader, type->line,
                                      "the enumeration '%.100s' has two items with the value %lld",
                                      type->name, (long long)item->value);
    }
    takt_map_clear(&names);
}

static void check_types(reader_type *reader)
{
    for (int i = 0; i < reader->types.n; i++) {
        const takt_type_definition *type = (takt_type_definition *)reader->types.items + i;
        int variable = takt_map_find(&reader->model->names, type->name);
        if (variable >= 0 && type->name[0])
            takt_description_note(
                reader, type->line, "the type '%.100s' has the name of a variable (line %d)",
                type->name, ((takt_variable *)reader->variables.items + variable)->line);
        if (type->type == TAKT_ENUMERATION) check_items(reader, type);
    }
}

// ---- variables -----------------------------------------------------------------------------------

static const takt_type_definition *type_of(const reader_type *reader, const takt_variable *variable)
{
    int index =
        variable->declared_type ? takt_map_find(&reader->type_names, variable->declared_type) : -1;
    return index < 0 ? NULL : (takt_type_definition *)reader->types.items + index;
}

static bool is_item(const takt_type_definition *type, int64_t value)
{
    for (int i = 0; i < type->n_items; i++)
        if (type->items[i].value == value) return true;
    return false;
}

static void check_limits(reader_type *reader, const takt_variable *variable)
{
    bool is_real = variable->type == TAKT_FLOAT64;
    bool is_number = is_real || variable->type == TAKT_INT32 || variable->type == TAKT_ENUMERATION;
    double start = is_real ? variable->start.real : (double)variable->start.integer;
    if (is_number && variable->has_start && (start < variable->min || start > variable->max))
        takt_description_note(reader, variable->line,
                              "variable '%s': start %.15g is not within min %.15g and max %.15g",
                              variable->name, start, variable->min, variable->max);
    if (is_real && (variable->nominal == 0 || !isfinite(variable->nominal)))
        takt_description_note(reader, variable->line, "variable '%s': nominal is %g",
                              variable->name, variable->nominal);
}

static void check_enumeration(reader_type *reader, const takt_variable *variable)
{
    const takt_type_definition *type = type_of(reader, variable);
    if (variable->type != TAKT_ENUMERATION) return;
    if (!variable->declared_type)
        takt_description_note(reader, variable->line,
                              "variable '%s' is an enumeration, but has no declaredType",
                              variable->name);
    else if (type && type->type == TAKT_ENUMERATION && variable->has_start &&
             !is_item(type, variable->start.integer))
        takt_description_note(
            reader, variable->line, "variable '%s': start %lld is no item of its type '%.100s'",
            variable->name, (long long)variable->start.integer, variable->declared_type);
}

takt_status takt_rules_read_experiment(reader_type *reader, takt_error *err)
{
    const takt_default_experiment *e = &reader->model->experiment;
    int line = takt_description_line(reader);
    takt_status st = takt_description_read_experiment(reader, err);
    double start = e->has_start ? e->start : 0;
    if (e->has_stop && e->stop < start)
        takt_description_note(reader, line, "stopTime %.15g is before startTime %.15g", e->stop,
                              start);
    if (e->has_step && e->step <= 0)
        takt_description_note(reader, line, "stepSize %.15g is not positive", e->step);
    if (e->has_tolerance && e->tolerance <= 0)
        takt_description_note(reader, line, "tolerance %.15g is not positive", e->tolerance);
    return st;
}

void takt_rules_check_common(reader_type *reader)
{
    check_units(reader);
    check_types(reader);
    for (int i = 0; i < reader->variables.n; i++) {
        const takt_variable *variable = (takt_variable *)reader->variables.items + i;
        check_limits(reader, variable);
        check_enumeration(reader, variable);
    }
}

// ---- aliases -------------------------------------------------------------------------------------

typedef struct identity {
    takt_type type; // base type: enumerations are integers
    uint32_t reference;
    int variable;
} identity;

static int compare(const void *a, const void *b)
{
    const identity *x = a, *y = b;
    if (x->type != y->type) return x->type < y->type ? -1 : 1;
    if (x->reference != y->reference) return x->reference < y->reference ? -1 : 1;
    return (x->variable > y->variable) - (x->variable < y->variable);
}

static bool is_same(const identity *a, const identity *b)
{
    return a->type == b->type && a->reference == b->reference;
}

void takt_rules_for_aliases(reader_type *reader, takt_alias_fn visit)
{
    int n = reader->variables.n;
    identity *list = calloc((size_t)n + 1, sizeof *list);
    int *variables = calloc((size_t)n + 1, sizeof *variables);
    if (!list || !variables) reader->out_of_memory = true;
    for (int i = 0; list && i < n; i++) {
        const takt_variable *variable = (takt_variable *)reader->variables.items + i;
        takt_type type = variable->type == TAKT_ENUMERATION ? TAKT_INT32 : variable->type;
        list[i] = (identity){type, variable->reference, i};
    }
    if (list && n) qsort(list, (size_t)n, sizeof *list, compare);
    for (int i = 0, end; list && variables && i < n; i = end) {
        for (end = i; end < n && is_same(&list[i], &list[end]); end++)
            variables[end - i] = list[end].variable;
        visit(reader, variables, end - i);
    }
    free(list);
    free(variables);
}
