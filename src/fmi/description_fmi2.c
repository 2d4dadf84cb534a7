// SPDX-License-Identifier: MIT
// modelDescription.xml of FMI 2.0 (specification 2.0.5, sections 2.2 and 4.3). Elements are visited by
// tables; what the tables do not name is skipped. What is wrong but has a clear meaning is a warning,
// because tools make such mistakes and their FMUs run nevertheless.
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "fmi/description_parts.h"

typedef takt_description_reader reader_type;

static int line_of(const reader_type *reader)
{
    return takt_xml_line(reader->xml);
}

// ---- interfaces and experiment -------------------------------------------------------------------

static takt_status read_co_simulation(reader_type *reader, takt_error *err)
{
    const char *identifier = takt_description_identifier(reader);
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
        takt_description_limits(reader, &definition->min, &definition->max, &definition->nominal);
    takt_status st = takt_description_children(reader, rules, err);
    if (st || type != TAKT_ENUMERATION) return st;
    definition->n_items = reader->items.n;
    definition->items = takt_list_take(reader, &reader->items, sizeof *definition->items);
    return TAKT_OK;
}

// One function per element name: Real, Integer, Boolean, String and Enumeration.
#define TYPE_FUNCTION(name, type)                                                                  \
    static takt_status read_type_##name(reader_type *reader, takt_error *err)                      \
    {                                                                                              \
        return read_type_of(reader, type, err);                                                    \
    }
TAKT_SCALAR_TYPE_LIST(TYPE_FUNCTION)

static takt_status read_simple_type(reader_type *reader, takt_error *err)
{
#define TYPE_RULE(name, type) {#name, read_type_##name},
    static const takt_element_rule rules[] = {TAKT_SCALAR_TYPE_LIST(TYPE_RULE){0}};
    reader->type = takt_description_add_type(reader);
    if (!reader->type) return takt_fail_memory(err);
    return takt_description_children(reader, rules, err);
}

static takt_status read_type_definitions(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {{"SimpleType", read_simple_type}, {0}};
    return takt_description_children(reader, rules, err);
}

// ---- variables -----------------------------------------------------------------------------------

static takt_status read_variable_of(reader_type *reader, takt_type type, takt_error *err)
{
    takt_variable *variable = reader->variable;
    variable->type = type;
    variable->declared_type = takt_description_text(reader, "declaredType");
    variable->unit = takt_description_text(reader, "unit");
    if (type != TAKT_BOOLEAN && type != TAKT_STRING)
        takt_description_limits(reader, &variable->min, &variable->max,
                                type == TAKT_FLOAT64 ? &variable->nominal : NULL);
    takt_description_start(reader, variable);
    return takt_xml_skip(reader->xml, err);
}

#define VARIABLE_FUNCTION(name, type)                                                              \
    static takt_status read_variable_##name(reader_type *reader, takt_error *err)                  \
    {                                                                                              \
        return read_variable_of(reader, type, err);                                                \
    }
TAKT_SCALAR_TYPE_LIST(VARIABLE_FUNCTION)

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
    takt_description_begin_variable(reader, variable);
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
    static const takt_element_rule rules[] = {TAKT_SCALAR_TYPE_LIST(VARIABLE_RULE){0}};
    takt_variable *variable = takt_list_add(reader, &reader->variables, sizeof *variable);
    if (!variable) return takt_fail_memory(err);
    bool has_initial = read_scalar_attributes(reader, variable);
    reader->variable = variable;
    takt_status st = takt_description_children(reader, rules, err);
    if (st) return st;
    takt_description_settle_type(reader, variable);
    settle_initial(reader, variable, has_initial);
    check_start(reader, variable);
    takt_description_add_name(reader, variable);
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

takt_status takt_description_read_fmi2(takt_description_reader *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {{"CoSimulation", read_co_simulation},
                                              {"ModelExchange", read_model_exchange},
                                              {"UnitDefinitions", read_unit_definitions},
                                              {"TypeDefinitions", read_type_definitions},
                                              {"LogCategories", read_log_categories},
                                              {"DefaultExperiment", takt_description_experiment},
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
    if (!st) check_outputs(reader);
    return st ? st : takt_description_finish(reader, err);
}
