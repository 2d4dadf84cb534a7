// SPDX-License-Identifier: MIT
// How values get from one variable to another: which types can be converted, units, transformations.
// Conversions lose nothing silently: whole numbers become real ones; integers of other widths are
// checked when they travel; real numbers do not become whole ones. All hops together become one map for
// integers and, behind it, one factor and offset for real numbers.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/text.h"
#include "system/builder.h"

// What a value means, apart from its width.
typedef enum family { NUMBER, WHOLE, TRUTH, TEXT, BYTES, TICK } family;

static family family_of(takt_type type)
{
    switch (type) {
    case TAKT_FLOAT64:
    case TAKT_FLOAT32: return NUMBER;
    case TAKT_BOOLEAN: return TRUTH;
    case TAKT_STRING: return TEXT;
    case TAKT_BINARY: return BYTES;
    case TAKT_CLOCK: return TICK;
    default: return WHOLE;
    }
}

// Why a value of one type cannot become one of another; NULL: it can.
static const char *obstacle(takt_type from, takt_type to)
{
    family source = family_of(from), target = family_of(to);
    if (source == target) return NULL;
    bool is_numeric = source <= TRUTH && target <= TRUTH;
    if (!is_numeric) return "these types have nothing in common";
    if (source == NUMBER) return "a real number would have to be rounded";
    return NULL; // whole numbers and truth values become numbers; 0 and 1 become truth values
}

// ---- from source to target --------------------------------------------------------------------------

// Both ends of a connection.
typedef struct passage {
    takt_builder *builder;
    const takt_component *from, *to;
    const takt_variable *source, *target;
    takt_connection *connection; // being made
    const takt_unit *unit; // of the value so far; NULL: not known
    bool is_linear; // the value was scaled already
    bool is_direct; // there is no connector on the way
} passage;

static bool report(const passage *p, takt_place place, const char *what)
{
    takt_problem(&p->builder->problems, TAKT_LEVEL_ERROR, place, "%s.%s to %s.%s: %s",
                 p->from->name, p->source->name, p->to->name, p->target->name, what);
    return false;
}

static void scale(takt_connection *connection, double factor, double offset)
{
    connection->factor *= factor;
    connection->offset = factor * connection->offset + offset;
}

// Units that cannot be converted: they differ, or it is not known how they are related.
static void report_units(const passage *p, const takt_unit *unit, bool is_error, takt_place place)
{
    const char *format =
        p->is_direct
            ? is_error ? "%s.%s is measured in '%s' and %s.%s in '%s', which cannot be converted: "
                         "their base units differ"
                       : "%s.%s has the unit '%s' and %s.%s has '%s', of which the FMUs do not say "
                         "how they are related; the value is passed on unchanged"
        : is_error ? "the value of %s.%s is in '%s' where, on its way to %s.%s, a connector is "
                     "declared in '%s'; it cannot be converted: their base units differ"
                   : "the value of %s.%s is in '%s' where, on its way to %s.%s, a connector is "
                     "declared in '%s'; how they are related is not known, and it is passed on "
                     "unchanged";
    char text[TAKT_MESSAGE_SIZE];
    int n = snprintf(text, sizeof text, format, p->from->name, p->source->name, p->unit->name,
                     p->to->name, p->target->name, unit->name);
    if (n < 0) text[0] = 0; // one that is too long is cut
    if (is_error)
        takt_problem(&p->builder->problems, TAKT_LEVEL_ERROR, place, "%s", text);
    else
        takt_problem_doubt(&p->builder->problems, place,
                           "%s; declare what the units mean, or give both the same", text);
}

// The FMUs do not say what one of the units means: its name is taken to say it.
static void tell_common_unit(const passage *p, const takt_unit *unit, double factor, double offset,
                             takt_place place)
{
    const char *name = p->unit->has_base ? unit->name : p->unit->name;
    takt_problem(&p->builder->problems, TAKT_LEVEL_INFO, place,
                 "%s.%s to %s.%s: only the name of the unit '%s' is known; it is taken for the "
                 "common one: '%s' times %.15g plus %.15g is '%s'",
                 p->from->name, p->source->name, p->to->name, p->target->name, name, p->unit->name,
                 factor, offset, unit->name);
}

// Converts the value to a unit that is known at this place.
static bool convert_unit(passage *p, const takt_unit *unit, takt_place place)
{
    double factor = 1, offset = 0;
    if (!p->unit || p->unit == unit) return true;
    bool is_relative = p->source->is_relative || p->target->is_relative;
    takt_unit_relation relation = takt_unit_convert(p->unit, unit, is_relative, &factor, &offset);
    if (relation == TAKT_UNITS_CONVERT && (factor != 1 || offset != 0))
        scale(p->connection, factor, offset);
    if (relation == TAKT_UNITS_CONVERT && takt_unit_is_assumed(p->unit, unit))
        tell_common_unit(p, unit, factor, offset, place);
    if (relation != TAKT_UNITS_CONVERT) report_units(p, unit, relation == TAKT_UNITS_DIFFER, place);
    return relation != TAKT_UNITS_DIFFER;
}

// ---- maps ----------------------------------------------------------------------------------------

bool takt_builder_item(const takt_component *owner, const takt_variable *variable, const char *name,
                       int64_t *out)
{
    const takt_type_definition *type = takt_model_type(owner->model, variable->declared_type);
    for (int i = 0; type && i < type->n_items; i++) {
        if (strcmp(type->items[i].name, name) != 0) continue;
        *out = type->items[i].value;
        return true;
    }
    return false;
}

// Is it the value of an item? Nothing is known of a type without items.
static bool is_item(const takt_type_definition *type, int64_t value)
{
    if (!type || type->n_items == 0) return true;
    for (int i = 0; i < type->n_items; i++)
        if (type->items[i].value == value) return true;
    return false;
}

static const char *item_name(void *context, int i)
{
    return ((const takt_type_definition *)context)->items[i].name;
}

const char *takt_builder_nearest_item(const takt_component *owner, const takt_variable *variable,
                                      const char *name)
{
    takt_type_definition *type =
        (takt_type_definition *)takt_model_type(owner->model, variable->declared_type);
    return type ? takt_text_nearest(name, type->n_items, item_name, type) : NULL;
}

// The number for one side of an entry. Returns false, with a report, when it has none.
static bool entry_value(passage *p, const takt_project_hop *hop, const char *text, bool is_target,
                        int64_t *out)
{
    if (hop->transformation.kind == TAKT_TRANSFORM_BOOLEAN) {
        *out = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
        return true;
    }
    if (hop->transformation.kind == TAKT_TRANSFORM_INTEGER)
        return takt_number_read_integer(text, text + strlen(text), out);
    const takt_component *owner = is_target ? p->to : p->from;
    const takt_variable *variable = is_target ? p->target : p->source;
    if (takt_builder_item(owner, variable, text, out)) return true;
    const char *nearest = takt_builder_nearest_item(owner, variable, text);
    takt_problem(&p->builder->problems, TAKT_LEVEL_ERROR, hop->place,
                 "the enumeration of %s.%s has no item '%s'%s%s%s", owner->name, variable->name,
                 text, nearest ? "; did you mean '" : "", nearest ? nearest : "",
                 nearest ? "'?" : "");
    return false;
}

static int compare_pairs(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

// Appends a map: all values that one of the two changes are looked up in both.
static bool append_map(passage *p, int64_t (*pairs)[2], int n)
{
    takt_value_map *map = &p->connection->map;
    takt_arena *arena = &p->builder->system->arena;
    size_t room = (size_t)(n + map->n_values);
    int64_t *from = takt_arena_array(arena, room, sizeof *from);
    int64_t *to = takt_arena_array(arena, room, sizeof *to);
    int64_t(*all)[2] = takt_arena_array(arena, room, sizeof *all);
    if (!from || !to || !all) {
        p->builder->is_out_of_memory = true;
        return false;
    }
    qsort(pairs, (size_t)n, sizeof *pairs, compare_pairs);
    for (int i = 0; i < n; i++) from[i] = pairs[i][0], to[i] = pairs[i][1];
    takt_value_map second = {from, to, n};
    for (int i = 0; i < map->n_values; i++) all[i][0] = map->from[i];
    for (int i = 0; i < n; i++) all[map->n_values + i][0] = pairs[i][0];
    for (size_t i = 0; i < room; i++)
        all[i][1] = takt_value_map_find(&second, takt_value_map_find(map, all[i][0]));
    qsort(all, room, sizeof *all, compare_pairs);
    int n_kept = 0;
    int64_t *final_from = takt_arena_array(arena, room, sizeof *final_from);
    int64_t *final_to = takt_arena_array(arena, room, sizeof *final_to);
    if (!final_from || !final_to) {
        p->builder->is_out_of_memory = true;
        return false;
    }
    for (size_t i = 0; i < room; i++) {
        if (i && all[i][0] == all[i - 1][0]) continue;
        final_from[n_kept] = all[i][0];
        final_to[n_kept++] = all[i][1];
    }
    *map = (takt_value_map){final_from, final_to, n_kept};
    return true;
}

static bool apply_map(passage *p, const takt_project_hop *hop)
{
    const takt_transformation *t = &hop->transformation;
    family source = family_of(p->source->type);
    bool is_truth = t->kind == TAKT_TRANSFORM_BOOLEAN;
    if (is_truth ? source != TRUTH : source != WHOLE)
        return report(p, hop->place,
                      is_truth ? "a map of truth values is possible only for a Boolean"
                      : t->kind == TAKT_TRANSFORM_ENUMERATION
                          ? "a map of items is possible only for enumerations"
                          : "a map of integers is possible only for integers and enumerations");
    if (p->is_linear) return report(p, hop->place, "a map cannot follow a linear transformation");
    int64_t(*pairs)[2] =
        takt_arena_array(&p->builder->system->arena, (size_t)t->n_entries, sizeof *pairs);
    if (!pairs) p->builder->is_out_of_memory = true;
    bool ok = pairs != NULL;
    for (int i = 0; ok && i < t->n_entries; i++)
        ok = entry_value(p, hop, t->entries[i].source, false, &pairs[i][0]) &&
             entry_value(p, hop, t->entries[i].target, true, &pairs[i][1]);
    return ok && append_map(p, pairs, t->n_entries);
}

// ---- maps of enumerations in a row ---------------------------------------------------------------

// Joins two maps of names: what the first one leads to is looked up in the second. Names between the two
// belong to a connector, of whose enumeration nothing is known here. Returns false without memory.
static bool join_names(const passage *p, const takt_transformation *first,
                       takt_transformation *second)
{
    takt_map by_source = {0}, is_mapped = {0};
    bool ok = true;
    size_t room = (size_t)(first->n_entries + second->n_entries);
    takt_transformation_entry *entries =
        takt_arena_array(&p->builder->system->arena, room, sizeof *entries);
    for (int i = 0; ok && i < second->n_entries; i++)
        ok = takt_map_find(&by_source, second->entries[i].source) >= 0 ||
             takt_map_add(&by_source, second->entries[i].source, i);
    int n = 0;
    for (int i = 0; ok && entries && i < first->n_entries; i++) {
        int next = takt_map_find(&by_source, first->entries[i].target);
        entries[n] = first->entries[i];
        if (next >= 0) entries[n].target = second->entries[next].target;
        ok = takt_map_find(&is_mapped, entries[n].source) >= 0 ||
             takt_map_add(&is_mapped, entries[n].source, n);
        n++;
    }
    int64_t value;
    for (int i = 0; ok && entries && i < second->n_entries; i++) // names that the first one leaves
        if (takt_map_find(&is_mapped, second->entries[i].source) < 0 &&
            takt_builder_item(p->from, p->source, second->entries[i].source, &value))
            entries[n++] = second->entries[i];
    second->entries = entries;
    second->n_entries = n;
    takt_map_clear(&by_source);
    takt_map_clear(&is_mapped);
    return ok && entries;
}

// Numbers of items between two connectors are not known, and the maps could not be joined.
static bool mixes_maps(const takt_project_hop *hops, int n)
{
    bool has_integers = false, has_items = false;
    for (int i = 0; i < n; i++) {
        has_integers = has_integers || hops[i].transformation.kind == TAKT_TRANSFORM_INTEGER;
        has_items = has_items || hops[i].transformation.kind == TAKT_TRANSFORM_ENUMERATION;
    }
    return has_integers && has_items;
}

// The hops with all maps of enumerations in the last one of them; NULL: out of memory.
static const takt_project_hop *join_maps(const passage *p, const takt_project_hop *hops, int n)
{
    int n_maps = 0, last = -1;
    for (int i = 0; i < n; i++) n_maps += hops[i].transformation.kind == TAKT_TRANSFORM_ENUMERATION;
    if (n_maps < 2) return hops;
    takt_project_hop *joined =
        takt_arena_array(&p->builder->system->arena, (size_t)n, sizeof *joined);
    for (int i = 0; joined && i < n; i++) {
        joined[i] = hops[i];
        if (hops[i].transformation.kind != TAKT_TRANSFORM_ENUMERATION) continue;
        if (last >= 0) {
            if (!join_names(p, &joined[last].transformation, &joined[i].transformation))
                return NULL;
            joined[last].transformation = (takt_transformation){.kind = TAKT_TRANSFORM_NONE};
        }
        last = i;
    }
    return joined;
}

// The numbers that integers are mapped to must be items, where the target is an enumeration. Entries for
// values that the source cannot have are of no effect.
static bool check_items(const passage *p, takt_place place)
{
    const takt_value_map *map = &p->connection->map;
    const takt_type_definition *from = takt_model_type(p->from->model, p->source->declared_type);
    const takt_type_definition *to = takt_model_type(p->to->model, p->target->declared_type);
    if (p->target->type != TAKT_ENUMERATION) return true;
    for (int i = 0; i < map->n_values; i++) {
        if (!is_item(from, map->from[i]) || is_item(to, map->to[i])) continue;
        takt_problem(&p->builder->problems, TAKT_LEVEL_ERROR, place,
                     "%s.%s to %s.%s: %lld is mapped to %lld, which is no item of the enumeration "
                     "of %s.%s",
                     p->from->name, p->source->name, p->to->name, p->target->name,
                     (long long)map->from[i], (long long)map->to[i], p->to->name, p->target->name);
        return false;
    }
    return true;
}

// ---- hops ----------------------------------------------------------------------------------------

static bool apply_transformation(passage *p, const takt_project_hop *hop)
{
    const takt_transformation *t = &hop->transformation;
    if (t->kind == TAKT_TRANSFORM_NONE) return true;
    if (t->kind != TAKT_TRANSFORM_LINEAR) return apply_map(p, hop);
    if (t->factor == 1 && t->offset == 0) return true;
    if (family_of(p->target->type) != NUMBER)
        return report(p, hop->place, "a linear transformation is possible only for real numbers");
    scale(p->connection, t->factor, t->offset);
    p->is_linear = true;
    return true;
}

static bool apply_hop(passage *p, const takt_project_hop *hop, const takt_unit *unit)
{
    bool has_units = family_of(p->source->type) == NUMBER && family_of(p->target->type) == NUMBER;
    takt_place place = hop->place.file ? hop->place : p->connection->place;
    if (has_units && unit && !hop->keeps_unit && !convert_unit(p, unit, place)) return false;
    // Behind a connector without a unit it is still that of the source, unless it was changed here:
    // perhaps to another unit.
    if (unit || hop->keeps_unit || hop->transformation.kind == TAKT_TRANSFORM_LINEAR)
        p->unit = unit;
    return apply_transformation(p, hop);
}

bool takt_builder_convert(takt_builder *builder, const takt_project_connection *given,
                          takt_connection *connection)
{
    takt_reference from = {connection->from, connection->from_variable};
    takt_reference to = {connection->to, connection->to_variable};
    const takt_component *components = builder->system->components;
    passage p = {.builder = builder, .connection = connection};
    p.from = &components[from.component];
    p.to = &components[to.component];
    p.source = &p.from->model->variables[from.variable];
    p.target = &p.to->model->variables[to.variable];
    connection->factor = 1;
    const char *why = obstacle(p.source->type, p.target->type);
    if (why) {
        takt_problem(&builder->problems, TAKT_LEVEL_ERROR, connection->place,
                     "%s.%s is %s, but %s.%s is %s; %s", p.from->name, p.source->name,
                     takt_type_name(p.source->type), p.to->name, p.target->name,
                     takt_type_name(p.target->type), why);
        return false;
    }
    p.unit = takt_builder_unit(builder, from);
    if (!p.unit) p.unit = given->unit;
    const takt_unit *last = takt_builder_unit(builder, to);
    takt_project_hop plain = {.place = given->place};
    int n = given->n_hops ? given->n_hops : 1;
    p.is_direct = n == 1;
    if (mixes_maps(given->hops, given->n_hops))
        return report(&p, given->place,
                      "maps of integers and of items on the way of one value are not supported; "
                      "write the maps with items only");
    const takt_project_hop *hops = join_maps(&p, given->n_hops ? given->hops : &plain, n);
    bool ok = hops != NULL;
    if (!ok) builder->is_out_of_memory = true;
    for (int i = 0; ok && i < n; i++)
        ok = apply_hop(&p, &hops[i], i == n - 1 && last ? last : hops[i].unit);
    return ok && check_items(&p, connection->place);
}
