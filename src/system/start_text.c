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
} arrival;

static bool fail(const arrival *a, const char *format, const char *detail)
{
    char text[256];
    snprintf(text, sizeof text, format, detail);
    takt_problem(&a->builder->problems, TAKT_LEVEL_ERROR, a->given->place, "%s.%s = %s: %s",
                 a->owner->name, a->variable->name, a->given->value, text);
    return false;
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

static const takt_unit *unit_named(const arrival *a, const char *name)
{
    const takt_model *model = a->owner->model;
    for (int i = 0; i < model->n_units; i++)
        if (strcmp(model->units[i].name, name) == 0) return &model->units[i];
    const takt_builder *builder = a->builder;
    for (int i = 0; i < builder->n_declared_units; i++)
        if (strcmp(builder->declared_units[i].unit->name, name) == 0)
            return builder->declared_units[i].unit;
    return NULL;
}

// Splits a value that a user typed with a unit, "10 cm". Returns false, with a report, when the unit is
// not known.
static bool split_unit(arrival *a, const takt_unit *own)
{
    double number;
    size_t length = strlen(a->text);
    if (length > 64) return true; // no number with a unit
    while (length && !takt_number_read(a->text, a->text + length, &number)) length--;
    const char *name = a->text + length;
    name += strspn(name, " \t");
    bool is_name = (*name >= 'A' && *name <= 'Z') || (*name >= 'a' && *name <= 'z') ||
                   *name == '%' || (unsigned char)*name >= 0x80;
    if (!length || !is_name) return true;
    if (!own)
        return fail(a, "the variable has no unit; write the number alone, without '%s'", name);
    a->unit = unit_named(a, name);
    if (!a->unit || !a->unit->has_base) {
        const takt_unit *common = takt_unit_common(name);
        if (common) a->unit = common;
    }
    if (!a->unit && strcmp(name, own->name) == 0) a->unit = own;
    if (!a->unit) return fail(a, "the unit '%s' is not known", name);
    double factor, offset;
    if (takt_unit_convert(a->unit, own, a->variable->is_relative, &factor, &offset) ==
        TAKT_UNITS_UNKNOWN)
        return fail(a, "how the unit is related to '%s', that of the variable, is not known",
                    own->name);
    a->text = takt_arena_copy_n(&a->builder->system->arena, a->text, length);
    if (!a->text) a->builder->is_out_of_memory = true;
    return a->text != NULL;
}

static bool convert_unit(arrival *a, const takt_unit *to)
{
    double factor = 1, offset = 0;
    if (!a->unit || !to || a->unit == to) return true;
    switch (takt_unit_convert(a->unit, to, a->variable->is_relative, &factor, &offset)) {
    case TAKT_UNITS_CONVERT: return scale(a, factor, offset);
    case TAKT_UNITS_DIFFER:
        takt_problem(&a->builder->problems, TAKT_LEVEL_ERROR, a->given->place,
                     "%s.%s is measured in '%s', but the value is given in '%s', which measures "
                     "something else",
                     a->owner->name, a->variable->name, to->name, a->unit->name);
        return false;
    default:
        takt_problem(&a->builder->problems, TAKT_LEVEL_WARN, a->given->place,
                     "%s.%s has the unit '%s', but the value is given in '%s'; it is set unchanged",
                     a->owner->name, a->variable->name, to->name, a->unit->name);
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

static bool transform(arrival *a, const takt_transformation *t)
{
    if (t->kind == TAKT_TRANSFORM_LINEAR) {
        double number;
        if (takt_type_kind(a->variable->type) != TAKT_KIND_REAL || !read_number(a->text, &number))
            return fail(a, "a linear transformation is possible only for real numbers%s", "");
        return scale(a, t->factor, t->offset);
    }
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
    if (unit) a->unit = unit;
    return ok && transform(a, &hop->transformation);
}

// Names of items become their numbers.
static bool name_item(arrival *a)
{
    int64_t value;
    char text[TAKT_NUMBER_SIZE];
    if (a->variable->type != TAKT_ENUMERATION ||
        !takt_builder_item(a->owner, a->variable, a->text, &value))
        return true;
    takt_number_write_integer(text, value);
    a->text = takt_arena_copy(&a->builder->system->arena, text);
    if (!a->text) a->builder->is_out_of_memory = true;
    return a->text != NULL;
}

const char *takt_builder_arrive(takt_builder *builder, const takt_project_assignment *given,
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
    takt_unit bare = {.name = given->unit};
    double number;
    bool ok = true;
    if (is_real && given->unit) {
        a.unit = given->unit_definition ? given->unit_definition : unit_named(&a, given->unit);
        if (!a.unit) a.unit = &bare;
    } else if (is_real && !given->type && !read_number(text, &number)) {
        ok = split_unit(&a, own);
    }
    int n = given->n_hops, n_alias = alias ? alias->n_hops : 0;
    for (int i = 0; ok && i < n + n_alias; i++) {
        const takt_project_hop *hop = i < n ? &given->hops[i] : &alias->hops[i - n];
        ok = take_hop(&a, hop, i == n + n_alias - 1 && own ? own : hop->unit);
    }
    if (ok && n + n_alias == 0) ok = convert_unit(&a, own);
    return ok && name_item(&a) ? a.text : NULL;
}
