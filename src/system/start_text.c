// SPDX-License-Identifier: MIT
// What happens to a start value between the text in the project and the variable: conversion of units,
// transformations, names of items. Values stay texts, which lose nothing (src/base/number.h).
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "system/builder.h"

// A value on its way.
typedef struct arrival {
    takt_builder *builder;
    const takt_project_assignment *given;
    const takt_component *owner;
    const takt_variable *variable;
    const char *text;
    const takt_unit *unit; // of the value so far; NULL: not known
    takt_transformation_kind map; // the last one that was not linear
    const takt_project_enumeration *items; // of the connector where the value is; NULL: not known
} arrival;

static bool fail(const arrival *a, const char *format, const char *detail)
{
    char text[256];
    snprintf(text, sizeof text, format, detail);
    takt_problem(&a->builder->problems, TAKT_LEVEL_ERROR, a->given->place, "%s.%s = %s: %s",
                 a->owner->name, a->variable->name, a->given->value, text);
    return false;
}

// Do offsets of units not apply?
static bool is_relative(const arrival *a)
{
    return a->variable->is_relative || a->given->is_difference;
}

static bool read_number(const char *text, double *out)
{
    return takt_number_read(text, text + strlen(text), out);
}

// factor * value + offset; a text that is no number stays, and is reported when it is read.
static bool scale(arrival *a, double factor, double offset)
{
    double number;
    char text[TAKT_NUMBER_SIZE];
    if ((factor == 1 && offset == 0) || !read_number(a->text, &number)) return true;
    takt_number_write(text, factor * number + offset);
    a->text = takt_arena_copy(&a->builder->system->arena, text);
    if (!a->text) a->builder->is_out_of_memory = true;
    return a->text != NULL;
}

// ---- units ---------------------------------------------------------------------------------------

static const takt_unit *find_unit(const takt_unit *units, int n, const char *name)
{
    for (int i = 0; i < n; i++)
        if (strcmp(units[i].name, name) == 0) return &units[i];
    return NULL;
}

// A unit of the FMU or of the project.
static const takt_unit *unit_named(const arrival *a, const char *name)
{
    const takt_model *model = a->owner->model;
    const takt_unit *found = find_unit(model->units, model->n_units, name);
    const takt_builder *builder = a->builder;
    for (int i = 0; !found && i < builder->n_declared_units; i++)
        if (strcmp(builder->declared_units[i].unit->name, name) == 0)
            found = builder->declared_units[i].unit;
    return found ? found : find_unit(model->display_units, model->n_display_units, name);
}

// A unit, or the common one of that name where nothing more is known about it.
static const takt_unit *or_common(const takt_unit *unit, const char *name)
{
    const takt_unit *common = unit && unit->has_base ? NULL : takt_unit_common(name);
    return common ? common : unit;
}

// Reports an unknown unit, with those that fit the variable.
static bool fail_unknown_unit(const arrival *a, const char *name, const takt_unit *own)
{
    const takt_unit *common;
    char known[200] = "";
    for (int i = 0; own->has_base && (common = takt_unit_common_at(i)); i++) {
        size_t length = strlen(known);
        if (takt_unit_same_dimension(common, own) && strcmp(common->name, own->name) != 0)
            snprintf(known + length, sizeof known - length, ", '%s'", common->name);
    }
    takt_problem(&a->builder->problems, TAKT_LEVEL_ERROR, a->given->place,
                 "%s.%s = %s: the unit '%s' is not known; write '%s'%s", a->owner->name,
                 a->variable->name, a->given->value, name, own->name, known);
    return false;
}

// Splits a value that a user typed with a unit, "10 cm". Of the variable's unit `own` perhaps only the
// name is known; then a common one of that name takes its place. Returns false, with a report, when a
// unit is not known.
static bool split_unit(arrival *a, const takt_unit **variable_unit)
{
    const takt_unit *own = *variable_unit;
    size_t length;
    const char *name = takt_unit_behind(a->text, &length);
    if (!name) return true;
    if (!own)
        return fail(a, "the variable has no unit; write the number alone, without '%s'", name);
    own = or_common(own, own->name);
    a->unit = strcmp(name, own->name) == 0 ? own : or_common(unit_named(a, name), name);
    if (!a->unit) return fail_unknown_unit(a, name, own);
    double factor, offset;
    if (takt_unit_convert(a->unit, own, is_relative(a), &factor, &offset) == TAKT_UNITS_UNKNOWN)
        return fail(a, "how the unit is related to '%s', that of the variable, is not known",
                    own->name);
    *variable_unit = own;
    a->text = takt_arena_copy_n(&a->builder->system->arena, a->text, length);
    if (!a->text) a->builder->is_out_of_memory = true;
    return a->text != NULL;
}

static bool convert_unit(arrival *a, const takt_unit *to)
{
    double factor = 1, offset = 0;
    if (!a->unit || !to || a->unit == to) return true;
    switch (takt_unit_convert(a->unit, to, is_relative(a), &factor, &offset)) {
    case TAKT_UNITS_CONVERT: return scale(a, factor, offset);
    case TAKT_UNITS_DIFFER:
        takt_problem(&a->builder->problems, TAKT_LEVEL_ERROR, a->given->place,
                     "%s.%s is measured in '%s', but the value is given in '%s', which measures "
                     "something else",
                     a->owner->name, a->variable->name, to->name, a->unit->name);
        return false;
    default:
        takt_problem_doubt(
            &a->builder->problems, a->given->place,
            "%s.%s has the unit '%s', but the value is given in '%s'; how they are related "
            "is not known, and it is set unchanged; give it in '%s'",
            a->owner->name, a->variable->name, to->name, a->unit->name, to->name);
        return true;
    }
}

// ---- transformations -----------------------------------------------------------------------------

static bool is_true(const char *text)
{
    return strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
}

static bool matches(takt_transformation_kind kind, const char *entry, const char *text)
{
    int64_t x, y;
    if (kind == TAKT_TRANSFORM_BOOLEAN) return is_true(entry) == is_true(text);
    if (kind == TAKT_TRANSFORM_INTEGER)
        return takt_number_read_integer(entry, entry + strlen(entry), &x) &&
               takt_number_read_integer(text, text + strlen(text), &y) && x == y;
    return strcmp(entry, text) == 0;
}

// The number of an item: as the connector declares it, else that of the variable.
static bool find_item(const arrival *a, int64_t *out)
{
    bool is_whole = takt_type_kind(a->variable->type) == TAKT_KIND_INTEGER;
    for (int i = 0; is_whole && a->items && i < a->items->n_items; i++) {
        if (strcmp(a->items->items[i].name, a->text) != 0) continue;
        *out = a->items->items[i].value;
        return true;
    }
    return a->variable->type == TAKT_ENUMERATION &&
           takt_builder_item(a->owner, a->variable, a->text, out);
}

// Names of items become their numbers.
static bool name_item(arrival *a)
{
    int64_t value;
    char text[TAKT_NUMBER_SIZE];
    if (!find_item(a, &value)) return true;
    takt_number_write_integer(text, value);
    a->text = takt_arena_copy(&a->builder->system->arena, text);
    if (!a->text) a->builder->is_out_of_memory = true;
    return a->text != NULL;
}

// A map of integers needs the number of an item, a map of items its name. What they are called between
// two maps is not known.
static bool can_map(arrival *a, takt_transformation_kind kind)
{
    int64_t number;
    bool is_mixed = a->map && a->map != kind && kind != TAKT_TRANSFORM_NONE;
    if (is_mixed)
        return fail(a, "maps of different kinds on the way of one value are not supported%s", "");
    if (kind != TAKT_TRANSFORM_NONE) a->map = kind;
    if (kind != TAKT_TRANSFORM_INTEGER) return true;
    if (!name_item(a)) return false;
    return takt_number_read_integer(a->text, a->text + strlen(a->text), &number) ||
           fail(a, "a map of integers cannot be applied to '%s'", a->text);
}

static bool transform(arrival *a, const takt_transformation *t)
{
    if (t->kind == TAKT_TRANSFORM_LINEAR) {
        double number;
        if (takt_type_kind(a->variable->type) != TAKT_KIND_REAL || !read_number(a->text, &number))
            return fail(a, "a linear transformation is possible only for real numbers%s", "");
        return scale(a, t->factor, t->offset);
    }
    if (!can_map(a, t->kind)) return false;
    if (t->kind != TAKT_TRANSFORM_NONE) a->items = NULL; // behind the map they may be others
    for (int i = 0; i < t->n_entries; i++) {
        if (!matches(t->kind, t->entries[i].source, a->text)) continue;
        a->text = t->entries[i].target;
        break;
    }
    return true;
}

static bool take_hop(arrival *a, const takt_project_hop *hop, const takt_unit *unit)
{
    bool ok = hop->keeps_unit || convert_unit(a, unit);
    if (unit || hop->keeps_unit || hop->transformation.kind == TAKT_TRANSFORM_LINEAR)
        a->unit = unit; // see conversion.c: behind a connector without a unit
    return ok && transform(a, &hop->transformation);
}

// Takes hops to a place where the unit is `unit`, if known.
static bool take_hops(arrival *a, const takt_project_hop *hops, int n, const takt_unit *unit)
{
    bool ok = true;
    for (int i = 0; ok && i < n; i++)
        ok = take_hop(a, &hops[i], i == n - 1 && unit ? unit : hops[i].unit);
    return ok && (n || take_hop(a, &(takt_project_hop){0}, unit));
}

const char *takt_builder_convert_text(takt_builder *builder, const takt_project_assignment *given,
                                      const takt_project_alias *alias, takt_reference target,
                                      const char *text)
{
    const takt_component *owner = &builder->system->components[target.component];
    arrival a = {.builder = builder,
                 .given = given,
                 .owner = owner,
                 .variable = &owner->model->variables[target.variable],
                 .text = text};
    bool is_real = takt_type_kind(a.variable->type) == TAKT_KIND_REAL;
    const takt_unit *own = is_real ? takt_builder_unit(builder, target) : NULL;
    const takt_unit *first = is_real && alias ? alias->unit : own; // where the value is given
    takt_unit bare = {.name = given->unit};
    double number;
    bool ok = true;
    if (a.variable->type != TAKT_STRING) // to which blanks may belong
        a.text = takt_arena_trim(&builder->system->arena, text);
    if (!a.text) builder->is_out_of_memory = true;
    if (!a.text) return NULL;
    if (is_real && given->unit) {
        a.unit = given->unit_definition ? given->unit_definition : unit_named(&a, given->unit);
        if (!a.unit) a.unit = &bare;
        if (own && a.unit->has_base) own = or_common(own, own->name);
        if (first && a.unit->has_base) first = or_common(first, first->name);
    } else if (is_real && !given->type && !read_number(a.text, &number)) {
        if (!first) first = own;
        ok = split_unit(&a, &first);
    }
    ok = ok && take_hops(&a, given->hops, given->n_hops, first);
    a.items = alias ? alias->enumeration : NULL;
    if (alias) ok = ok && take_hops(&a, alias->hops, alias->n_hops, own);
    if (a.variable->type == TAKT_ENUMERATION) a.items = NULL; // it has items of its own
    return ok && name_item(&a) ? a.text : NULL;
}
