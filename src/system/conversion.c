// SPDX-License-Identifier: MIT
// How values get from one variable to another: which types can be converted, and units. Conversions
// lose nothing silently: whole numbers become real ones; integers of other widths are checked when
// they travel; real numbers do not become whole ones.
#include <math.h>
#include <string.h>

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

static const takt_unit *find_unit(const takt_model *model, const char *name)
{
    for (int i = 0; i < model->n_units; i++)
        if (strcmp(model->units[i].name, name) == 0) return &model->units[i];
    return NULL;
}

static bool convert_units(takt_builder *builder, const takt_component *from,
                          const takt_variable *source, const takt_component *to,
                          const takt_variable *target, takt_connection *connection)
{
    if (!source->unit || !target->unit || strcmp(source->unit, target->unit) == 0) return true;
    const takt_unit *a = find_unit(from->model, source->unit);
    const takt_unit *b = find_unit(to->model, target->unit);
    takt_unit_relation relation = TAKT_UNITS_UNKNOWN;
    if (a && b)
        relation = takt_unit_convert(a, b, source->is_relative || target->is_relative,
                                     &connection->factor, &connection->offset);
    if (relation == TAKT_UNITS_UNKNOWN)
        takt_problem(&builder->problems, TAKT_LEVEL_WARN, connection->place,
                     "%s.%s has the unit '%s' and %s.%s has '%s', of which the FMUs do not say how "
                     "they are related; the value is passed on unchanged",
                     from->name, source->name, source->unit, to->name, target->name, target->unit);
    if (relation == TAKT_UNITS_DIFFER)
        takt_problem(
            &builder->problems, TAKT_LEVEL_ERROR, connection->place,
            "%s.%s is measured in '%s' and %s.%s in '%s', which cannot be converted: their "
            "base units differ",
            from->name, source->name, source->unit, to->name, target->name, target->unit);
    return relation != TAKT_UNITS_DIFFER;
}

bool takt_builder_convert(takt_builder *builder, const takt_component *from,
                          const takt_variable *source, const takt_component *to,
                          const takt_variable *target, bool keeps_unit, takt_connection *connection)
{
    connection->factor = 1;
    connection->offset = 0;
    const char *why = obstacle(source->type, target->type);
    if (why) {
        takt_problem(&builder->problems, TAKT_LEVEL_ERROR, connection->place,
                     "%s.%s is %s, but %s.%s is %s; %s", from->name, source->name,
                     takt_type_name(source->type), to->name, target->name,
                     takt_type_name(target->type), why);
        return false;
    }
    bool has_units = family_of(source->type) == NUMBER && family_of(target->type) == NUMBER;
    return keeps_unit || !has_units || convert_units(builder, from, source, to, target, connection);
}
