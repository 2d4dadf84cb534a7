// SPDX-License-Identifier: MIT
// Rules that FMI 1.0 and 2.0 have in common; see rules.h.
#include "description/rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

typedef takt_description_reader reader_type;

// ---- units and types -----------------------------------------------------------------------------

// Enters a name into a map; false if it is there already.
static bool is_new(reader_type *reader, takt_map *map, const char *name)
{
    if (takt_map_find(map, name) >= 0) return false;
    if (!takt_map_add(map, name, 0)) reader->out_of_memory = true;
    return true;
}

// Each unit that is missing is reported once, not with every variable.
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

static void check_type_units(reader_type *reader)
{
    takt_map known = {0};
    for (int i = 0; i < reader->units.n; i++)
        is_new(reader, &known, ((takt_unit *)reader->units.items)[i].name);
    for (int i = 0; i < reader->types.n; i++) {
        const takt_type_definition *type = (takt_type_definition *)reader->types.items + i;
        if (type->unit && type->unit[0] && is_new(reader, &known, type->unit))
            takt_description_note(reader, type->line,
                                  "the type '%.100s': unit '%.100s' is not defined in "
                                  "UnitDefinitions",
                                  type->name, type->unit);
    }
    takt_map_clear(&known);
}

// ---- attributes ----------------------------------------------------------------------------------

static const takt_type_definition *type_of(const reader_type *reader, const takt_variable *variable)
{
    int index =
        variable->declared_type ? takt_map_find(&reader->type_names, variable->declared_type) : -1;
    return index < 0 ? NULL : (takt_type_definition *)reader->types.items + index;
}

void takt_rules_add_display_unit(reader_type *reader, const char *unit, const char *name)
{
    const char *offset = takt_xml_attribute(reader->xml, "offset");
    const char *inverse = takt_xml_attribute(reader->xml, "inverse");
    double number;
    char *key = takt_arena_print(&reader->model->arena, "%s\n%s", unit, name);
    if (!key) reader->out_of_memory = true;
    if (key && !is_new(reader, &reader->display_units, key))
        takt_description_note(reader, takt_description_line(reader),
                              "the display unit '%.100s' is defined twice for '%.100s'", name,
                              unit);
    if (inverse && strcmp(inverse, "true") == 0 && offset &&
        (!takt_number_read(offset, offset + strlen(offset), &number) || number != 0))
        takt_description_note(reader, takt_description_line(reader),
                              "the display unit '%.100s' is inverse and has an offset", name);
}

static void check_display_unit(reader_type *reader, const takt_variable *variable)
{
    const char *display = takt_xml_attribute(reader->xml, "displayUnit");
    if (!display || !display[0]) return;
    const takt_type_definition *type = type_of(reader, variable);
    const char *unit = variable->unit ? variable->unit : type ? type->unit : NULL;
    if (!unit) {
        takt_description_note(reader, variable->line,
                              "variable '%s' has the displayUnit '%.100s', but no unit",
                              variable->name, display);
        return;
    }
    char key[256];
    int length = snprintf(key, sizeof key, "%s\n%s", unit, display);
    if (length < (int)sizeof key && strcmp(unit, display) != 0 &&
        takt_map_find(&reader->display_units, key) < 0)
        takt_description_note(reader, variable->line,
                              "variable '%s': displayUnit '%.100s' is not defined for unit "
                              "'%.100s'",
                              variable->name, display, unit);
}

static void note_reinit(reader_type *reader, const takt_variable *variable)
{
    if (!takt_xml_attribute(reader->xml, "reinit")) return;
    takt_reinit *reinit = takt_list_add(reader, &reader->reinits, sizeof *reinit);
    if (reinit)
        *reinit = (takt_reinit){.variable = reader->variables.n - 1,
                                .reference = variable->reference,
                                .name = variable->name,
                                .line = variable->line};
}

static void check_clock_attributes(reader_type *reader, const takt_variable *variable)
{
    const char *fraction = takt_xml_attribute(reader->xml, "supportsFraction");
    bool has_fraction = fraction && strcmp(fraction, "true") == 0;
    if (variable->causality == TAKT_OUTPUT && takt_xml_attribute(reader->xml, "priority"))
        takt_description_note(reader, variable->line,
                              "clock '%s' is an output and must not have a priority",
                              variable->name);
    if (has_fraction && !takt_xml_attribute(reader->xml, "resolution") && !variable->declared_type)
        takt_description_note(reader, variable->line,
                              "clock '%s': supportsFraction needs resolution", variable->name);
}

void takt_rules_note_attributes(reader_type *reader, const takt_variable *variable)
{
    if (takt_type_kind(variable->type) == TAKT_KIND_REAL) {
        check_display_unit(reader, variable);
        note_reinit(reader, variable);
    }
    if (variable->type == TAKT_CLOCK) check_clock_attributes(reader, variable);
}

void takt_rules_check_kinds(reader_type *reader, bool is_initial)
{
    static const char *const words[] = {"dependent", "constant", "fixed", "tunable", "discrete"};
    const char *text = takt_xml_attribute(reader->xml, "dependenciesKind"), *begin, *end;
    const char *dependencies = takt_xml_attribute(reader->xml, "dependencies");
    int n_kinds = 0, n_dependencies = 0, line = takt_description_line(reader);
    if (!text) return;
    while (takt_description_token(&text, &begin, &end)) {
        size_t i = 0, length = (size_t)(end - begin), n = sizeof words / sizeof *words;
        while (i < n && (strlen(words[i]) != length || strncmp(words[i], begin, length) != 0)) i++;
        if (i == n || (is_initial && i > 1))
            takt_description_note(reader, line, "%s dependenciesKind '%.*s'%s",
                                  i == n ? "unknown" : "the", length < 100 ? (int)length : 100,
                                  begin, i == n ? "" : " is not for unknowns of initialization");
        n_kinds++;
    }
    while (dependencies && takt_description_token(&dependencies, &begin, &end)) n_dependencies++;
    if (n_kinds != n_dependencies)
        takt_description_note(reader, line, "there are %d dependencies, but %d dependenciesKind",
                              n_dependencies, n_kinds);
}

// ---- variables -----------------------------------------------------------------------------------

static bool is_item(const takt_type_definition *type, int64_t value)
{
    for (int i = 0; i < type->n_items; i++)
        if (type->items[i].value == value) return true;
    return false;
}

static void check_limits(reader_type *reader, const takt_variable *variable)
{
    bool is_real = takt_type_kind(variable->type) == TAKT_KIND_REAL;
    bool is_number = is_real || (takt_type_kind(variable->type) == TAKT_KIND_INTEGER &&
                                 variable->type != TAKT_BOOLEAN && variable->type != TAKT_CLOCK);
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

void takt_rules_check_experiment(reader_type *reader)
{
    const takt_default_experiment *e = &reader->model->experiment;
    int line = takt_description_line(reader);
    double start = e->has_start ? e->start : 0;
    if (e->has_stop && e->stop < start)
        takt_description_note(reader, line, "stopTime %.15g is before startTime %.15g", e->stop,
                              start);
    if (e->has_step && e->step <= 0)
        takt_description_note(reader, line, "stepSize %.15g is not positive", e->step);
    if (e->has_tolerance && e->tolerance <= 0)
        takt_description_note(reader, line, "tolerance %.15g is not positive", e->tolerance);
}

void takt_rules_check_common(reader_type *reader)
{
    check_units(reader);
    check_type_units(reader);
    check_types(reader);
    for (int i = 0; i < reader->variables.n; i++) {
        const takt_variable *variable = (takt_variable *)reader->variables.items + i;
        check_limits(reader, variable);
        check_enumeration(reader, variable);
        if (variable->causality == TAKT_INDEPENDENT &&
            takt_type_kind(variable->type) != TAKT_KIND_REAL)
            takt_description_note(reader, variable->line,
                                  "the independent variable '%s' has type %s", variable->name,
                                  takt_description_type_name(reader, variable->type));
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
