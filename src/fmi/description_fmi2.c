// SPDX-License-Identifier: MIT
// modelDescription.xml of FMI 2.0 (specification 2.0.5, sections 2.2 and 4.3). Elements are visited by
// tables; what the tables do not name is skipped. What is wrong but has a clear meaning is a warning,
// because tools make such mistakes and their FMUs run nevertheless.
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "fmi/description_reader.h"

typedef takt_description_reader reader_type;

static int line_of(const reader_type *reader)
{
    return takt_xml_line(reader->xml);
}

// ---- interfaces and experiment -------------------------------------------------------------------

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

static const char *read_identifier(reader_type *reader)
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

static takt_status read_co_simulation(reader_type *reader, takt_error *err)
{
    const char *identifier = read_identifier(reader);
    reader->out->identifier = identifier ? identifier : "";
    takt_capabilities *can = &reader->model->can;
    const struct {
        const char *name;
        bool *value;
    } flags[] = {{"canGetAndSetFMUstate", &can->rewind},
                 {"canSerializeFMUstate", &can->serialize},
                 {"canHandleVariableCommunicationStepSize", &can->variable_step},
                 {"canInterpolateInputs", &can->interpolate_inputs},
                 {"providesDirectionalDerivative", &can->directional_derivatives},
                 {"canRunAsynchronuously", &can->asynchronous},
                 {"canBeInstantiatedOnlyOncePerProcess", &can->once_per_process},
                 {"needsExecutionTool", &can->needs_tool}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        *flags[i].value = takt_description_boolean(reader, flags[i].name, false);
    can->max_output_derivative_order =
        (int)takt_description_integer(reader, "maxOutputDerivativeOrder", 0, INT_MAX, 0);
    return takt_xml_skip(reader->xml, err);
}

static takt_status read_model_exchange(reader_type *reader, takt_error *err)
{
    reader->out->has_model_exchange = true;
    return takt_xml_skip(reader->xml, err);
}

static takt_status read_default_experiment(reader_type *reader, takt_error *err)
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

static takt_status read_category(reader_type *reader, takt_error *err)
{
    const char *name = takt_description_required(reader, "name");
    const char **item = name ? takt_list_add(reader, &reader->categories, sizeof *item) : NULL;
    if (item) *item = name;
    return takt_xml_skip(reader->xml, err);
}

static takt_status read_log_categories(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {{"Category", read_category}, {0}};
    return takt_description_children(reader, rules, err);
}

// ---- units ---------------------------------------------------------------------------------------

static takt_status read_base_unit(reader_type *reader, takt_error *err)
{
    takt_list *units = &reader->units;
    takt_unit *unit = (takt_unit *)units->items + units->n - 1;
    const struct {
        const char *name;
        int *exponent;
    } bases[] = {{"kg", &unit->kg}, {"m", &unit->m},     {"s", &unit->s},   {"A", &unit->A},
                 {"K", &unit->K},   {"mol", &unit->mol}, {"cd", &unit->cd}, {"rad", &unit->rad}};
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        *bases[i].exponent =
            (int)takt_description_integer(reader, bases[i].name, INT32_MIN, INT32_MAX, 0);
    unit->factor = takt_description_number(reader, "factor", 1);
    unit->offset = takt_description_number(reader, "offset", 0);
    unit->has_base = true;
    return takt_xml_skip(reader->xml, err);
}

static takt_status read_unit(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {{"BaseUnit", read_base_unit}, {0}};
    const char *name = takt_description_required(reader, "name");
    takt_unit *unit = takt_list_add(reader, &reader->units, sizeof *unit);
    if (!unit) return takt_fail_memory(err);
    *unit = (takt_unit){.name = name ? name : "", .factor = 1};
    return takt_description_children(reader, rules, err);
}

static takt_status read_unit_definitions(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {{"Unit", read_unit}, {0}};
    return takt_description_children(reader, rules, err);
}

// ---- types ---------------------------------------------------------------------------------------

// Limits that are not given are NaN until all is read; then they are inherited or get their default.
static void read_limits(reader_type *reader, double *min, double *max, double *nominal)
{
    *min = takt_description_number(reader, "min", NAN);
    *max = takt_description_number(reader, "max", NAN);
    if (nominal) *nominal = takt_description_number(reader, "nominal", NAN);
    if (*min > *max)
        takt_description_warn(reader, line_of(reader), "min %g is greater than max %g", *min, *max);
}

static takt_status read_item(reader_type *reader, takt_error *err)
{
    const char *name = takt_description_required(reader, "name");
    if (!takt_xml_attribute(reader->xml, "value"))
        takt_description_error(reader, line_of(reader), "Item has no attribute value");
    int64_t value = takt_description_integer(reader, "value", INT32_MIN, INT32_MAX, 0);
    const char *description = takt_description_text(reader, "description");
    takt_enumeration_item *item = takt_list_add(reader, &reader->items, sizeof *item);
    if (item) *item = (takt_enumeration_item){name ? name : "", description, value};
    return takt_xml_skip(reader->xml, err);
}

static takt_status read_type_of(reader_type *reader, takt_type type, takt_error *err)
{
    static const takt_element_rule rules[] = {{"Item", read_item}, {0}};
    takt_type_definition *definition = reader->type;
    definition->type = type;
    definition->unit = takt_description_text(reader, "unit");
    if (type != TAKT_BOOLEAN && type != TAKT_STRING)
        read_limits(reader, &definition->min, &definition->max, &definition->nominal);
    takt_status st = takt_description_children(reader, rules, err);
    if (st || type != TAKT_ENUMERATION) return st;
    definition->n_items = reader->items.n;
    definition->items = takt_list_take(reader, &reader->items, sizeof *definition->items);
    return TAKT_OK;
}

// One function per element name: Real, Integer, Boolean, String and Enumeration.
#define FMI2_TYPE_LIST(X)                                                                          \
    X(Real, TAKT_FLOAT64)                                                                          \
    X(Integer, TAKT_INT32)                                                                         \
    X(Boolean, TAKT_BOOLEAN)                                                                       \
    X(String, TAKT_STRING)                                                                         \
    X(Enumeration, TAKT_ENUMERATION)

#define TYPE_FUNCTION(name, type)                                                                  \
    static takt_status read_type_##name(reader_type *reader, takt_error *err)                      \
    {                                                                                              \
        return read_type_of(reader, type, err);                                                    \
    }
FMI2_TYPE_LIST(TYPE_FUNCTION)

static takt_status read_simple_type(reader_type *reader, takt_error *err)
{
#define TYPE_RULE(name, type) {#name, read_type_##name},
    static const takt_element_rule rules[] = {FMI2_TYPE_LIST(TYPE_RULE){0}};
    const char *name = takt_description_required(reader, "name");
    takt_type_definition *type = takt_list_add(reader, &reader->types, sizeof *type);
    if (!type) return takt_fail_memory(err);
    *type = (takt_type_definition){
        .name = name ? name : "", .min = NAN, .max = NAN, .nominal = NAN, .line = line_of(reader)};
    reader->type = type;
    if (takt_map_find(&reader->type_names, type->name) >= 0)
        takt_description_warn(reader, type->line, "the type '%s' is defined twice", type->name);
    else if (!takt_map_add(&reader->type_names, type->name, reader->types.n - 1))
        return takt_fail_memory(err);
    return takt_description_children(reader, rules, err);
}

static takt_status read_type_definitions(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {{"SimpleType", read_simple_type}, {0}};
    return takt_description_children(reader, rules, err);
}

// ---- variables -----------------------------------------------------------------------------------

static const char *type_name(takt_type type)
{
#define TYPE_CASE(name, value)                                                                     \
    if (type == value) return #name;
    FMI2_TYPE_LIST(TYPE_CASE)
    return "?";
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
        takt_description_error(reader, line_of(reader),
                               "variable '%s': start '%.100s' is not a value of type %s",
                               variable->name, text, type_name(variable->type));
}

static takt_status read_variable_of(reader_type *reader, takt_type type, takt_error *err)
{
    takt_variable *variable = reader->variable;
    variable->type = type;
    variable->declared_type = takt_description_text(reader, "declaredType");
    variable->unit = takt_description_text(reader, "unit");
    variable->is_relative = takt_description_boolean(reader, "relativeQuantity", false);
    if (type != TAKT_BOOLEAN && type != TAKT_STRING)
        read_limits(reader, &variable->min, &variable->max,
                    type == TAKT_FLOAT64 ? &variable->nominal : NULL);
    read_start(reader, variable);
    return takt_xml_skip(reader->xml, err);
}

#define VARIABLE_FUNCTION(name, type)                                                              \
    static takt_status read_variable_##name(reader_type *reader, takt_error *err)                  \
    {                                                                                              \
        return read_variable_of(reader, type, err);                                                \
    }
FMI2_TYPE_LIST(VARIABLE_FUNCTION)

// Which values of `initial` a combination of variability and causality allows, the default first
// (specification 2.0.5, section 2.2.7); {0} marks a combination that is not allowed.
typedef struct initial_rule {
    bool is_allowed;
    takt_initial initial[3];
    int n;
} initial_rule;

static initial_rule rule_for(takt_variability variability, takt_causality causality)
{
    static const initial_rule a = {true, {TAKT_EXACT}, 1},
                              b = {true, {TAKT_CALCULATED, TAKT_APPROX}, 2},
                              c = {true, {TAKT_CALCULATED, TAKT_EXACT, TAKT_APPROX}, 3},
                              none = {true, {TAKT_INITIAL_NONE}, 1};
    const initial_rule never = {0};
    bool is_signal = variability == TAKT_DISCRETE || variability == TAKT_CONTINUOUS;
    bool is_data = variability == TAKT_FIXED || variability == TAKT_TUNABLE;
    switch (causality) {
    case TAKT_PARAMETER: return is_data ? a : never;
    case TAKT_CALCULATED_PARAMETER: return is_data ? b : never;
    case TAKT_INPUT: return is_signal ? none : never;
    case TAKT_OUTPUT: return variability == TAKT_CONSTANT ? a : is_signal ? c : never;
    case TAKT_LOCAL: return variability == TAKT_CONSTANT ? a : is_data ? b : c;
    case TAKT_INDEPENDENT: return variability == TAKT_CONTINUOUS ? none : never;
    default: return never;
    }
}

// Some tools leave out what they think is clear; then the nearest meaning is taken.
static takt_variability nearest_variability(const takt_variable *variable)
{
    bool is_parameter =
        variable->causality == TAKT_PARAMETER || variable->causality == TAKT_CALCULATED_PARAMETER;
    if (is_parameter) return TAKT_FIXED;
    return variable->type == TAKT_FLOAT64 ? TAKT_CONTINUOUS : TAKT_DISCRETE;
}

static void settle_initial(reader_type *reader, takt_variable *variable, bool is_given)
{
    initial_rule rule = rule_for(variable->variability, variable->causality);
    if (!rule.is_allowed) {
        takt_variability nearest = nearest_variability(variable);
        takt_description_warn(reader, variable->line,
                              "variable '%s': variability %s is not allowed with causality %s; "
                              "taken as %s",
                              variable->name, takt_variability_name(variable->variability),
                              takt_causality_name(variable->causality),
                              takt_variability_name(nearest));
        variable->variability = nearest;
        rule = rule_for(nearest, variable->causality);
    }
    for (int i = 0; i < rule.n; i++)
        if (is_given && rule.initial[i] == variable->initial) return;
    if (is_given)
        takt_description_warn(reader, variable->line,
                              "variable '%s': initial %s is not allowed with causality %s and "
                              "variability %s; taken as %s",
                              variable->name, takt_initial_name(variable->initial),
                              takt_causality_name(variable->causality),
                              takt_variability_name(variable->variability),
                              takt_initial_name(rule.initial[0]));
    variable->initial = rule.initial[0];
}

static void check_start(reader_type *reader, const takt_variable *variable)
{
    bool is_needed = variable->initial == TAKT_EXACT || variable->initial == TAKT_APPROX ||
                     variable->causality == TAKT_INPUT;
    if (is_needed && !variable->has_start)
        takt_description_warn(reader, variable->line, "variable '%s' has no start value",
                              variable->name);
    if (!is_needed && variable->has_start)
        takt_description_warn(reader, variable->line,
                              "variable '%s' must not have a start value: it is %s", variable->name,
                              variable->initial == TAKT_CALCULATED ? "calculated" : "independent");
}

static void add_name(reader_type *reader, const takt_variable *variable)
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

// The attributes of ScalarVariable itself; the type comes with the child element. Returns whether
// `initial` was given.
static bool read_scalar_attributes(reader_type *reader, takt_variable *variable)
{
    static const takt_word causalities[] = {{"parameter", TAKT_PARAMETER},
                                            {"calculatedParameter", TAKT_CALCULATED_PARAMETER},
                                            {"input", TAKT_INPUT},
                                            {"output", TAKT_OUTPUT},
                                            {"local", TAKT_LOCAL},
                                            {"independent", TAKT_INDEPENDENT},
                                            {0}};
    static const takt_word variabilities[] = {
        {"constant", TAKT_CONSTANT}, {"fixed", TAKT_FIXED},           {"tunable", TAKT_TUNABLE},
        {"discrete", TAKT_DISCRETE}, {"continuous", TAKT_CONTINUOUS}, {0}};
    static const takt_word initials[] = {
        {"exact", TAKT_EXACT}, {"approx", TAKT_APPROX}, {"calculated", TAKT_CALCULATED}, {0}};
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
    variable->causality =
        (takt_causality)takt_description_choice(reader, "causality", causalities, TAKT_LOCAL);
    variable->variability =
        (takt_variability)takt_description_choice(reader, "variability", variabilities, -1);
    variable->initial =
        (takt_initial)takt_description_choice(reader, "initial", initials, TAKT_INITIAL_NONE);
    return variable->initial != TAKT_INITIAL_NONE;
}

static takt_status read_scalar_variable(reader_type *reader, takt_error *err)
{
#define VARIABLE_RULE(name, type) {#name, read_variable_##name},
    static const takt_element_rule rules[] = {FMI2_TYPE_LIST(VARIABLE_RULE){0}};
    takt_variable *variable = takt_list_add(reader, &reader->variables, sizeof *variable);
    if (!variable) return takt_fail_memory(err);
    bool has_initial = read_scalar_attributes(reader, variable);
    reader->variable = variable;
    takt_status st = takt_description_children(reader, rules, err);
    if (st) return st;
    if (variable->type == TAKT_N_TYPES) {
        takt_description_error(reader, variable->line,
                               "variable '%s' has no type (Real, Integer, Boolean, String or "
                               "Enumeration)",
                               variable->name);
        variable->type = TAKT_FLOAT64;
    }
    if ((int)variable->variability == -1)
        variable->variability = variable->type == TAKT_FLOAT64 ? TAKT_CONTINUOUS : TAKT_DISCRETE;
    settle_initial(reader, variable, has_initial);
    check_start(reader, variable);
    add_name(reader, variable);
    return TAKT_OK;
}

static takt_status read_model_variables(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {{"ScalarVariable", read_scalar_variable}, {0}};
    return takt_description_children(reader, rules, err);
}

// ---- model structure -----------------------------------------------------------------------------

// Turns a 1-based index of the file into ours; -1 after an error.
static int variable_index(reader_type *reader, const char *begin, const char *end,
                          const char *attribute)
{
    int64_t index;
    if (takt_number_read_integer(begin, end, &index) && index >= 1 && index <= reader->variables.n)
        return (int)index - 1;
    int length = end - begin < 100 ? (int)(end - begin) : 100;
    takt_description_error(reader, line_of(reader),
                           "%s: '%.*s' is not the index of a variable (1 to %d)", attribute, length,
                           begin, reader->variables.n);
    return -1;
}

static const char blanks[] = " \t\r\n";

// Reads a list of indices into the arena. An empty list differs from none.
static void read_dependencies(reader_type *reader, takt_dependency *dependency)
{
    const char *text = takt_xml_attribute(reader->xml, "dependencies");
    if (!text) return;
    reader->indices.n = 0;
    for (const char *c = text + strspn(text, blanks); *c; c += strspn(c, blanks)) {
        const char *end = c + strcspn(c, blanks);
        int index = variable_index(reader, c, end, "dependencies");
        int *item = index >= 0 ? takt_list_add(reader, &reader->indices, sizeof *item) : NULL;
        if (item) *item = index;
        c = end;
    }
    size_t n = (size_t)reader->indices.n;
    int *known = takt_arena_array(&reader->model->arena, n, sizeof *known);
    if (!known) reader->out_of_memory = true;
    if (!known) return;
    if (n) memcpy(known, reader->indices.items, n * sizeof *known);
    dependency->is_known = true;
    dependency->n_known = reader->indices.n;
    dependency->known = known;
}

static takt_status read_unknown(reader_type *reader, takt_list *list, takt_error *err)
{
    const char *index = takt_xml_attribute(reader->xml, "index");
    if (!index) takt_description_error(reader, line_of(reader), "Unknown has no attribute index");
    if (index) index = takt_description_trim(reader, index);
    int variable = index ? variable_index(reader, index, index + strlen(index), "index") : -1;
    if (variable >= 0) {
        takt_dependency *dependency = takt_list_add(reader, list, sizeof *dependency);
        if (!dependency) return takt_fail_memory(err);
        dependency->variable = variable;
        read_dependencies(reader, dependency);
    }
    return takt_xml_skip(reader->xml, err);
}

static takt_status read_output(reader_type *reader, takt_error *err)
{
    return read_unknown(reader, &reader->outputs, err);
}

static takt_status read_initial_unknown(reader_type *reader, takt_error *err)
{
    return read_unknown(reader, &reader->initial_unknowns, err);
}

static takt_status read_outputs(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {{"Unknown", read_output}, {0}};
    return takt_description_children(reader, rules, err);
}

static takt_status read_initial_unknowns(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {{"Unknown", read_initial_unknown}, {0}};
    return takt_description_children(reader, rules, err);
}

static takt_status read_model_structure(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {
        {"Outputs", read_outputs}, {"InitialUnknowns", read_initial_unknowns}, {0}};
    return takt_description_children(reader, rules, err);
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
                                  variable->name, type_name(variable->type),
                                  variable->declared_type, type_name(type->type));
    }
    if (!variable->unit) variable->unit = type->unit;
    variable->min = either(variable->min, type->min, -INFINITY);
    variable->max = either(variable->max, type->max, INFINITY);
    variable->nominal = either(variable->nominal, type->nominal, 1);
}

// Each output must be listed once (section 2.2.8); one that is missing counts as depending on all.
static void check_outputs(reader_type *reader)
{
    const takt_variable *variables = reader->variables.items;
    const takt_dependency *outputs = reader->outputs.items;
    bool *is_listed = calloc((size_t)reader->variables.n + 1, sizeof *is_listed);
    if (!is_listed) reader->out_of_memory = true;
    if (!is_listed) return;
    for (int i = 0; i < reader->outputs.n; i++) {
        const takt_variable *variable = &variables[outputs[i].variable];
        if (variable->causality != TAKT_OUTPUT)
            takt_description_warn(reader, variable->line,
                                  "variable '%s' is listed in ModelStructure/Outputs, but has "
                                  "causality %s",
                                  variable->name, takt_causality_name(variable->causality));
        if (is_listed[outputs[i].variable])
            takt_description_warn(reader, variable->line,
                                  "variable '%s' is listed twice in ModelStructure/Outputs",
                                  variable->name);
        is_listed[outputs[i].variable] = true;
    }
    for (int i = 0; i < reader->variables.n; i++)
        if (variables[i].causality == TAKT_OUTPUT && !is_listed[i])
            takt_description_warn(reader, variables[i].line,
                                  "output '%s' is not listed in ModelStructure/Outputs",
                                  variables[i].name);
    free(is_listed);
}

static takt_status finish(reader_type *reader, takt_error *err)
{
    takt_model *model = reader->model;
    check_outputs(reader);
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

takt_status takt_description_read_fmi2(takt_description_reader *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {{"CoSimulation", read_co_simulation},
                                              {"ModelExchange", read_model_exchange},
                                              {"UnitDefinitions", read_unit_definitions},
                                              {"TypeDefinitions", read_type_definitions},
                                              {"LogCategories", read_log_categories},
                                              {"DefaultExperiment", read_default_experiment},
                                              {"ModelVariables", read_model_variables},
                                              {"ModelStructure", read_model_structure},
                                              {0}};
    takt_model *model = reader->model;
    const char *name = takt_description_required(reader, "modelName");
    const char *guid = takt_description_required(reader, "guid");
    model->name = name ? name : "";
    reader->out->guid = guid ? guid : "";
    model->tool = takt_description_text(reader, "generationTool");
    model->description = takt_description_text(reader, "description");
    model->version = "FMI 2.0";
    takt_status st = takt_description_children(reader, rules, err);
    if (!st && !reader->out->identifier && !reader->out->has_model_exchange)
        takt_description_error(reader, line_of(reader),
                               "there is neither a CoSimulation nor a ModelExchange element");
    return st ? st : finish(reader, err);
}
