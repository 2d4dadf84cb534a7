// SPDX-License-Identifier: MIT
// Scalar variables of FMI 1.0 and 2.0; see scalars.h.
#include "description/scalars.h"

#include "description/elements.h"
#include "description/rules.h"
#include "description/variables.h"

typedef takt_description_reader reader_type;

takt_status takt_scalar_read_type(reader_type *reader, takt_type type,
                                  const takt_element_rule *rules, takt_error *err)
{
    takt_type_definition *definition = reader->type;
    definition->type = type;
    definition->unit = takt_description_text(reader, "unit");
    if (type != TAKT_BOOLEAN && type != TAKT_STRING)
        takt_description_limits(reader, &definition->min, &definition->max, &definition->nominal);
    takt_status st = takt_description_children(reader, rules, err);
    if (!st && type == TAKT_ENUMERATION) takt_description_take_items(reader);
    return st;
}

static void read_start(reader_type *reader, takt_variable *variable)
{
    const char *text = takt_xml_attribute(reader->xml, "start");
    if (!text) return;
    if (variable->type != TAKT_STRING) text = takt_description_trim(reader, text);
    variable->has_start =
        takt_value_read(variable->type, text, &reader->model->arena, &variable->start);
    if (!variable->has_start && variable->type == TAKT_STRING) // any text is a string
        reader->out_of_memory = true;
    else if (!variable->has_start)
        takt_description_error(reader, takt_description_line(reader),
                               "variable '%s': start '%.100s' is not a value of type %s",
                               variable->name, text,
                               takt_description_type_name(reader, variable->type));
}

void takt_scalar_read_variable(reader_type *reader, takt_type type)
{
    takt_variable *variable = reader->variable;
    variable->type = type;
    variable->declared_type = takt_description_text(reader, "declaredType");
    variable->unit = takt_description_text(reader, "unit");
    variable->is_relative = takt_description_boolean(reader, "relativeQuantity", false);
    if (type != TAKT_BOOLEAN && type != TAKT_STRING)
        takt_description_limits(reader, &variable->min, &variable->max,
                                type == TAKT_FLOAT64 ? &variable->nominal : NULL);
    takt_rules_note_attributes(reader, variable);
    read_start(reader, variable);
}

void takt_scalar_settle_type(reader_type *reader, takt_variable *variable)
{
    if ((int)variable->type != TAKT_N_TYPES) return;
    takt_description_error(reader, variable->line,
                           "variable '%s' has no type (Real, Integer, Boolean, String or "
                           "Enumeration)",
                           variable->name);
    variable->type = TAKT_FLOAT64;
}
