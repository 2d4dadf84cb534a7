// SPDX-License-Identifier: MIT
// Parts of a model description that FMI 1.0 and 2.0 have in common; see description_parts.h.
#include "fmi/description_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef takt_description_reader reader_type;

static int line_of(const reader_type *reader)
{
    return takt_xml_line(reader->xml);
}

// ---- elements ------------------------------------------------------------------------------------

// The identifier becomes a file name: it must not lead elsewhere.
static bool is_c_identifier(const char *text)
{
    for (const char *c = text; *c; c++) {
        bool is_letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_';
        bool is_digit = *c >= '0' && *c <= '9';
        if (!is_letter && !(is_digit && c > text)) return false;
    }
    return text[0] != 0;
}

const char *takt_description_identifier(reader_type *reader)
{
    const char *identifier = takt_description_required(reader, "modelIdentifier");
    if (!identifier || is_c_identifier(identifier)) return identifier;
    if (identifier[0] == 0 || strpbrk(identifier, "/\\") || strcmp(identifier, "..") == 0)
        takt_description_error(reader, line_of(reader),
                               "modelIdentifier '%.100s' cannot be the name of a library",
                               identifier);
    else
        takt_description_warn(reader, line_of(reader),
                              "modelIdentifier '%.100s' is not an identifier of C", identifier);
    return identifier;
}

takt_status takt_description_experiment(reader_type *reader, takt_error *err)
{
    takt_default_experiment *e = &reader->model->experiment;
    const struct {
        const char *name;
        bool *is_given;
        double *value;
    } numbers[] = {{"startTime", &e->has_start, &e->start},
                   {"stopTime", &e->has_stop, &e->stop},
                   {"tolerance", &e->has_tolerance, &e->tolerance},
                   {"stepSize", &e->has_step, &e->step}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        double value = takt_description_number(reader, numbers[i].name, NAN);
        if (!isfinite(value)) continue;
        *numbers[i].is_given = true;
        *numbers[i].value = value;
    }
    return takt_xml_skip(reader->xml, err);
}

void takt_description_limits(reader_type *reader, double *min, double *max, double *nominal)
{
    *min = takt_description_number(reader, "min", NAN);
    *max = takt_description_number(reader, "max", NAN);
    if (nominal) *nominal = takt_description_number(reader, "nominal", NAN);
    if (*min > *max)
        takt_description_warn(reader, line_of(reader), "min %g is greater than max %g", *min, *max);
}

takt_type_definition *takt_description_add_type(reader_type *reader)
{
    const char *name = takt_description_required(reader, "name");
    takt_type_definition *type = takt_list_add(reader, &reader->types, sizeof *type);
    if (!type) return NULL;
    *type = (takt_type_definition){
        .name = name ? name : "", .min = NAN, .max = NAN, .nominal = NAN, .line = line_of(reader)};
    if (takt_map_find(&reader->type_names, type->name) >= 0)
        takt_description_warn(reader, type->line, "the type '%s' is defined twice", type->name);
    else if (!takt_map_add(&reader->type_names, type->name, reader->types.n - 1))
        reader->out_of_memory = true;
    return type;
}

// ---- variables -----------------------------------------------------------------------------------

const char *takt_description_type_name(takt_type type)
{
#define TYPE_CASE(name, value)                                                                     \
    if (type == value) return #name;
    TAKT_SCALAR_TYPE_LIST(TYPE_CASE)
    return "?";
}

void takt_description_begin_variable(reader_type *reader, takt_variable *variable)
{
    const char *name = takt_description_required(reader, "name");
    *variable = (takt_variable){.name = name ? name : "",
                                .description = takt_description_text(reader, "description"),
                                .type = TAKT_N_TYPES,
                                .min = NAN,
                                .max = NAN,
                                .nominal = NAN,
                                .line = line_of(reader)};
    if (!takt_xml_attribute(reader->xml, "valueReference"))
        takt_description_error(reader, variable->line, "variable '%s' has no valueReference",
                               variable->name);
    variable->reference =
        (uint32_t)takt_description_integer(reader, "valueReference", 0, UINT32_MAX, 0);
}

void takt_description_start(reader_type *reader, takt_variable *variable)
{
    const char *text = takt_xml_attribute(reader->xml, "start");
    if (!text) return;
    if (variable->type != TAKT_STRING) text = takt_description_trim(reader, text);
    variable->has_start =
        takt_value_read(variable->type, text, &reader->model->arena, &variable->start);
    if (!variable->has_start && variable->type == TAKT_STRING) // any text is a string
        reader->out_of_memory = true;
    else if (!variable->has_start)
        takt_description_error(reader, line_of(reader),
                               "variable '%s': start '%.100s' is not a value of type %s",
                               variable->name, text, takt_description_type_name(variable->type));
}

void takt_description_settle_type(reader_type *reader, takt_variable *variable)
{
    if (variable->type == TAKT_N_TYPES) {
        takt_description_error(reader, variable->line,
                               "variable '%s' has no type (Real, Integer, Boolean, String or "
                               "Enumeration)",
                               variable->name);
        variable->type = TAKT_FLOAT64;
    }
    if ((int)variable->variability == -1)
        variable->variability = variable->type == TAKT_FLOAT64 ? TAKT_CONTINUOUS : TAKT_DISCRETE;
}

void takt_description_add_name(reader_type *reader, const takt_variable *variable)
{
    takt_map *names = &reader->model->names;
    int earlier = takt_map_find(names, variable->name);
    if (earlier < 0) {
        if (!takt_map_add(names, variable->name, reader->variables.n - 1))
            reader->out_of_memory = true;
        return;
    }
    const takt_variable *other = (takt_variable *)reader->variables.items + earlier;
    if (other->reference == variable->reference && other->type == variable->type)
        takt_description_warn(reader, variable->line,
                              "variable '%s' occurs twice (first in line %d)", variable->name,
                              other->line);
    else
        takt_description_error(reader, variable->line,
                               "variable '%s' occurs twice (first in line %d) with different value "
                               "references or types",
                               variable->name, other->line);
}

// ---- after reading -------------------------------------------------------------------------------

static double either(double own, double inherited, double fallback)
{
    return !isnan(own) ? own : !isnan(inherited) ? inherited : fallback;
}

static void inherit(reader_type *reader, takt_variable *variable)
{
    static const takt_type_definition none = {.min = NAN, .max = NAN, .nominal = NAN};
    const takt_type_definition *type = &none;
    if (variable->declared_type) {
        int index = takt_map_find(&reader->type_names, variable->declared_type);
        if (index >= 0) type = (takt_type_definition *)reader->types.items + index;
        if (index < 0)
            takt_description_warn(reader, variable->line,
                                  "variable '%s': declaredType '%.100s' is not defined",
                                  variable->name, variable->declared_type);
        else if (type->type != variable->type)
            takt_description_warn(reader, variable->line,
                                  "variable '%s' has type %s, but its declaredType '%.100s' has %s",
                                  variable->name, takt_description_type_name(variable->type),
                                  variable->declared_type, takt_description_type_name(type->type));
    }
    if (!variable->unit) variable->unit = type->unit;
    variable->min = either(variable->min, type->min, -INFINITY);
    variable->max = either(variable->max, type->max, INFINITY);
    variable->nominal = either(variable->nominal, type->nominal, 1);
}

takt_status takt_description_finish(reader_type *reader, takt_error *err)
{
    takt_model *model = reader->model;
    for (int i = 0; i < reader->variables.n; i++)
        inherit(reader, (takt_variable *)reader->variables.items + i);
    for (int i = 0; i < reader->types.n; i++) {
        takt_type_definition *type = (takt_type_definition *)reader->types.items + i;
        type->min = either(type->min, NAN, -INFINITY);
        type->max = either(type->max, NAN, INFINITY);
        type->nominal = either(type->nominal, NAN, 1);
    }
    model->n_variables = reader->variables.n;
    model->variables = takt_list_take(reader, &reader->variables, sizeof *model->variables);
    model->n_units = reader->units.n;
    model->units = takt_list_take(reader, &reader->units, sizeof *model->units);
    model->n_types = reader->types.n;
    model->types = takt_list_take(reader, &reader->types, sizeof *model->types);
    model->n_outputs = reader->outputs.n;
    model->outputs = takt_list_take(reader, &reader->outputs, sizeof *model->outputs);
    model->n_initial_unknowns = reader->initial_unknowns.n;
    model->initial_unknowns =
        takt_list_take(reader, &reader->initial_unknowns, sizeof *model->initial_unknowns);
    reader->out->n_categories = reader->categories.n;
    reader->out->categories =
        takt_list_take(reader, &reader->categories, sizeof *reader->out->categories);
    return reader->out_of_memory ? takt_fail_memory(err) : TAKT_OK;
}
