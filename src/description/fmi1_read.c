// SPDX-License-Identifier: MIT
// modelDescription.xml of FMI 1.0, for co-simulation. Its words are translated into those of FMI 2.0,
// which the rest of the program speaks:
//   variability parameter       -> parameter, fixed (with a start value), else calculatedParameter
//   causality internal and none -> local
//   fixed of a start value      -> initial: exact, or approx where it is false
// Aliases are variables with the same value reference; of a negated one only the sign is noted.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "description/elements.h"
#include "description/finish.h"
#include "description/grammar.h"
#include "description/rules.h"
#include "description/scalars.h"
#include "description/variables.h"
#include "description/versions.h"
#include "description/visit.h"

typedef takt_description_reader reader_type;

// Of states and event indicators.
enum { MAX_COUNT = 1 << 24 };

// ---- units and types -----------------------------------------------------------------------------

static takt_status read_display_unit(reader_type *reader, takt_error *err)
{
    const takt_unit *unit = (takt_unit *)reader->units.items + reader->units.n - 1;
    const char *name = takt_description_required(reader, "displayUnit");
    if (name) takt_rules_add_display_unit(reader, unit->name, name);
    return takt_xml_skip(reader->xml, err);
}

static takt_status read_base_unit(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {{"DisplayUnitDefinition", read_display_unit}, {0}};
    const char *name = takt_description_required(reader, "unit");
    takt_unit *unit = takt_list_add(reader, &reader->units, sizeof *unit);
    if (!unit) return takt_fail_memory(err);
    *unit = (takt_unit){.name = name ? name : "", .factor = 1}; // FMI 1.0 knows only names
    return takt_description_children(reader, rules, err);
}

static takt_status read_unit_definitions(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {{"BaseUnit", read_base_unit}, {0}};
    return takt_description_children(reader, rules, err);
}

// Items are numbered from 1.
static takt_status read_item(reader_type *reader, takt_error *err)
{
    const char *name = takt_description_required(reader, "name");
    const char *description = takt_description_text(reader, "description");
    takt_enumeration_item *item = takt_list_add(reader, &reader->items, sizeof *item);
    if (item) *item = (takt_enumeration_item){name ? name : "", description, reader->items.n};
    return takt_xml_skip(reader->xml, err);
}

static const takt_element_rule item_rules[] = {{"Item", read_item}, {0}};

// One function per element name: RealType, IntegerType and so on.
#define TYPE_FUNCTION(name, type)                                                                  \
    static takt_status read_type_##name(reader_type *reader, takt_error *err)                      \
    {                                                                                              \
        return takt_scalar_read_type(reader, type, item_rules, err);                               \
    }
TAKT_SCALAR_TYPE_LIST(TYPE_FUNCTION)

static takt_status read_type(reader_type *reader, takt_error *err)
{
#define TYPE_RULE(name, type) {#name "Type", read_type_##name},
    static const takt_element_rule rules[] = {TAKT_SCALAR_TYPE_LIST(TYPE_RULE){0}};
    takt_status st = takt_description_add_type(reader, err);
    return st ? st : takt_description_children(reader, rules, err);
}

static takt_status read_type_definitions(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {{"Type", read_type}, {0}};
    return takt_description_children(reader, rules, err);
}

// ---- variables -----------------------------------------------------------------------------------

typedef enum alias { NO_ALIAS, ALIAS, NEGATED_ALIAS } alias;

// What FMI 1.0 says about a variable and the model does not keep.
typedef struct scalar {
    alias alias;
    bool is_fixed; // the start value is no guess
    bool has_dependency; // there is an element DirectDependency
    int first_name, n_names; // what it lists, in fmi1_data::names
} scalar;

// Lies beside takt_description_reader while a description of FMI 1.0 is read.
typedef struct fmi1_data {
    takt_list scalars; // scalar, one per variable
    takt_list names; // const char *
    const char *identifier; // of the root element
} fmi1_data;

static scalar *current_scalar(reader_type *reader)
{
    fmi1_data *data = reader->version_data;
    return (scalar *)data->scalars.items + data->scalars.n - 1;
}

static takt_status read_variable_of(reader_type *reader, takt_type type, takt_error *err)
{
    takt_scalar_read_variable(reader, type);
    current_scalar(reader)->is_fixed = takt_description_boolean(reader, "fixed", true);
    if (takt_xml_attribute(reader->xml, "fixed") && !takt_xml_attribute(reader->xml, "start"))
        takt_description_note(reader, takt_description_line(reader),
                              "variable '%s' has the attribute fixed, but no start value",
                              reader->variable->name);
    return takt_xml_skip(reader->xml, err);
}

#define VARIABLE_FUNCTION(name, type)                                                              \
    static takt_status read_variable_##name(reader_type *reader, takt_error *err)                  \
    {                                                                                              \
        return read_variable_of(reader, type, err);                                                \
    }
TAKT_SCALAR_TYPE_LIST(VARIABLE_FUNCTION)

static takt_status read_dependency_name(reader_type *reader, takt_error *err)
{
    fmi1_data *data = reader->version_data;
    takt_status st = takt_xml_skip(reader->xml, err);
    if (st) return st;
    const char *text = takt_description_trim(reader, takt_xml_text(reader->xml));
    const char **name = takt_list_add(reader, &data->names, sizeof *name);
    if (!name) return takt_fail_memory(err);
    *name = takt_arena_copy(&reader->model->arena, text);
    if (!*name) return takt_fail_memory(err);
    current_scalar(reader)->n_names++;
    return TAKT_OK;
}

static takt_status read_direct_dependency(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {{"Name", read_dependency_name}, {0}};
    if (reader->variable->causality != TAKT_OUTPUT)
        takt_description_note(reader, takt_description_line(reader),
                              "variable '%s' has a DirectDependency, but is not an output",
                              reader->variable->name);
    current_scalar(reader)->has_dependency = true;
    return takt_description_children(reader, rules, err);
}

// The attributes of ScalarVariable itself; the type comes with a child element.
static void read_scalar_attributes(reader_type *reader, takt_variable *variable)
{
    static const takt_word causalities[] = {{"input", TAKT_INPUT},
                                            {"output", TAKT_OUTPUT},
                                            {"internal", TAKT_LOCAL},
                                            {"none", TAKT_LOCAL},
                                            {0}};
    static const takt_word variabilities[] = {{"constant", TAKT_CONSTANT},
                                              {"parameter", TAKT_FIXED},
                                              {"discrete", TAKT_DISCRETE},
                                              {"continuous", TAKT_CONTINUOUS},
                                              {0}};
    static const takt_word aliases[] = {
        {"noAlias", NO_ALIAS}, {"alias", ALIAS}, {"negatedAlias", NEGATED_ALIAS}, {0}};
    takt_description_begin_variable(reader, causalities, variable);
    variable->variability =
        (takt_variability)takt_description_choice(reader, "variability", variabilities, -1);
    current_scalar(reader)->alias =
        (alias)takt_description_choice(reader, "alias", aliases, NO_ALIAS);
}

// Translates what FMI 1.0 says about a variable.
static void translate(takt_variable *variable, bool is_fixed)
{
    bool is_parameter = variable->variability == TAKT_FIXED;
    takt_initial initial = !variable->has_start ? TAKT_CALCULATED
                           : is_fixed           ? TAKT_EXACT
                                                : TAKT_APPROX;
    if (is_parameter && variable->causality == TAKT_OUTPUT)
        variable->variability = TAKT_DISCRETE; // FMI 2.0 knows no fixed outputs
    else if (is_parameter)
        variable->causality = initial == TAKT_EXACT ? TAKT_PARAMETER : TAKT_CALCULATED_PARAMETER;
    variable->may_be_tunable = variable->causality == TAKT_PARAMETER;
    if (variable->variability == TAKT_CONSTANT && variable->causality == TAKT_INPUT)
        variable->causality = TAKT_LOCAL;
    if (variable->causality == TAKT_INPUT) initial = TAKT_INITIAL_NONE;
    if (variable->variability == TAKT_CONSTANT) initial = TAKT_EXACT;
    variable->initial = initial;
}

static void check_variable(reader_type *reader, const takt_variable *variable, scalar *own)
{
    if (variable->variability == TAKT_CONSTANT && !variable->has_start)
        takt_description_note(reader, variable->line, "the constant '%s' has no start value",
                              variable->name);
    if (variable->variability == TAKT_CONTINUOUS && variable->type != TAKT_FLOAT64)
        takt_description_note(reader, variable->line,
                              "variable '%s' of type %s cannot have variability continuous",
                              variable->name, takt_description_type_name(reader, variable->type));
    if (variable->causality == TAKT_INPUT && variable->variability == TAKT_CONSTANT)
        takt_description_note(reader, variable->line, "the input '%s' cannot be constant",
                              variable->name);
    if (own->alias != NEGATED_ALIAS ||
        (variable->type != TAKT_STRING && variable->type != TAKT_ENUMERATION))
        return;
    takt_description_note(
        reader, variable->line,
        "variable '%s' of type %s has no negative; negatedAlias is taken as alias", variable->name,
        takt_description_type_name(reader, variable->type));
    own->alias = ALIAS;
}

static takt_status read_scalar_variable(reader_type *reader, takt_error *err)
{
#define VARIABLE_RULE(name, type) {#name, read_variable_##name},
    static const takt_element_rule rules[] = {
        TAKT_SCALAR_TYPE_LIST(VARIABLE_RULE){"DirectDependency", read_direct_dependency}, {0}};
    fmi1_data *data = reader->version_data;
    takt_variable *variable = takt_list_add(reader, &reader->variables, sizeof *variable);
    scalar *own = takt_list_add(reader, &data->scalars, sizeof *own);
    if (!variable || !own) return takt_fail_memory(err);
    *own = (scalar){.is_fixed = true, .first_name = data->names.n};
    read_scalar_attributes(reader, variable);
    reader->variable = variable;
    takt_status st = takt_description_children(reader, rules, err);
    if (st) return st;
    takt_scalar_settle_type(reader, variable);
    if ((int)variable->variability == -1)
        variable->variability = variable->type == TAKT_FLOAT64 ? TAKT_CONTINUOUS : TAKT_DISCRETE;
    check_variable(reader, variable, own);
    translate(variable, own->is_fixed);
    takt_description_add_name(reader, reader->variables.n - 1);
    return TAKT_OK;
}

static takt_status read_model_variables(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {{"ScalarVariable", read_scalar_variable}, {0}};
    return takt_description_children(reader, rules, err);
}

// ---- implementation ------------------------------------------------------------------------------

static takt_status read_capabilities(reader_type *reader, takt_error *err)
{
    takt_capabilities *can = &reader->model->can;
    const takt_flag flags[] = {{"canHandleVariableCommunicationStepSize", &can->variable_step},
                               {"canInterpolateInputs", &can->interpolate_inputs},
                               {"canRunAsynchronuously", &can->asynchronous},
                               {"canBeInstantiatedOnlyOncePerProcess", &can->once_per_process}};
    takt_description_flags(reader, flags, sizeof flags / sizeof *flags);
    can->max_output_derivative_order =
        (int)takt_description_integer(reader, "maxOutputDerivativeOrder", 0, INT32_MAX, 0);
    return takt_xml_skip(reader->xml, err);
}

static takt_status read_tool_model(reader_type *reader, takt_error *err)
{
    const char *type = takt_description_required(reader, "type");
    if (type) reader->out->mime_type = type;
    return takt_xml_skip(reader->xml, err);
}

static takt_status read_stand_alone(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {{"Capabilities", read_capabilities}, {0}};
    fmi1_data *data = reader->version_data;
    reader->out->identifier = data->identifier;
    return takt_description_children(reader, rules, err);
}

static takt_status read_tool(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {
        {"Capabilities", read_capabilities}, {"Model", read_tool_model}, {0}};
    fmi1_data *data = reader->version_data;
    reader->out->identifier = data->identifier;
    reader->model->can.needs_tool = true;
    return takt_description_children(reader, rules, err);
}

static takt_status read_implementation(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {
        {"CoSimulation_StandAlone", read_stand_alone}, {"CoSimulation_Tool", read_tool}, {0}};
    takt_status st = takt_description_children(reader, rules, err);
    if (!st && !reader->out->identifier)
        takt_description_error(reader, takt_description_line(reader),
                               "Implementation has neither CoSimulation_StandAlone nor "
                               "CoSimulation_Tool");
    return st;
}

// ---- after reading -------------------------------------------------------------------------------

// Turns the names of a DirectDependency into indices. Unknown names are left out, with a warning.
static bool resolve_names(reader_type *reader, const takt_variable *output, const scalar *own,
                          takt_dependency *out)
{
    const fmi1_data *data = reader->version_data;
    int *known = takt_arena_array(&reader->model->arena, (size_t)own->n_names, sizeof *known);
    if (!known) return false;
    out->known = known;
    out->is_known = true;
    for (int i = 0; i < own->n_names; i++) {
        const char *name = ((const char **)data->names.items)[own->first_name + i];
        int index = takt_map_find(&reader->model->names, name);
        const takt_variable *input = (takt_variable *)reader->variables.items + index;
        if (index >= 0 && input->causality == TAKT_INPUT)
            known[out->n_known++] = index;
        else
            takt_description_note(reader, output->line,
                                  "variable '%s': DirectDependency names '%.100s', which is no "
                                  "%s",
                                  output->name, name, index < 0 ? "variable" : "input");
    }
    return true;
}

static takt_status add_outputs(reader_type *reader, takt_error *err)
{
    const fmi1_data *data = reader->version_data;
    for (int i = 0; i < reader->variables.n; i++) {
        const takt_variable *variable = (takt_variable *)reader->variables.items + i;
        const scalar *own = (scalar *)data->scalars.items + i;
        if (variable->causality != TAKT_OUTPUT) continue;
        takt_dependency *output = takt_list_add(reader, &reader->outputs, sizeof *output);
        if (!output) return takt_fail_memory(err);
        output->variable = i;
        if (own->has_dependency && !resolve_names(reader, variable, own, output))
            return takt_fail_memory(err);
    }
    return TAKT_OK;
}

// Exactly one variable of those with the same value reference is not an alias.
static void check_alias_set(reader_type *reader, const int *set, int n)
{
    const fmi1_data *data = reader->version_data;
    const takt_variable *variables = reader->variables.items;
    const takt_variable *base = NULL, *first = &variables[set[0]];
    for (int i = 0; i < n; i++) {
        const takt_variable *variable = &variables[set[i]];
        if (((scalar *)data->scalars.items)[set[i]].alias != NO_ALIAS) continue;
        if (base)
            takt_description_note(reader, variable->line,
                                  "variable '%s' has the same valueReference as '%s', but is not "
                                  "marked as its alias",
                                  variable->name, base->name);
        else
            base = variable;
    }
    if (!base)
        takt_description_note(reader, first->line,
                              "variable '%s' is an alias, but of no variable: all with its "
                              "valueReference %lu are aliases",
                              first->name, (unsigned long)first->reference);
}

static takt_status note_negated(reader_type *reader, takt_error *err)
{
    const fmi1_data *data = reader->version_data;
    const scalar *scalars = data->scalars.items;
    bool *is_negated = NULL;
    for (int i = 0; i < data->scalars.n; i++) {
        if (scalars[i].alias != NEGATED_ALIAS) continue;
        if (!is_negated)
            is_negated = takt_arena_array(&reader->model->arena, (size_t)data->scalars.n,
                                          sizeof *is_negated);
        if (!is_negated) return takt_fail_memory(err);
        is_negated[i] = true;
    }
    reader->out->is_negated = is_negated;
    return TAKT_OK;
}

static takt_status read_all(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {
        {"UnitDefinitions", read_unit_definitions},
        {"TypeDefinitions", read_type_definitions},
        {"DefaultExperiment", takt_description_read_experiment},
        {"ModelVariables", read_model_variables},
        {"Implementation", read_implementation},
        {0}};
    takt_status st = takt_description_children(reader, rules, err);
    if (!st) st = add_outputs(reader, err);
    if (!st) st = note_negated(reader, err);
    for (int i = 0; i < reader->variables.n && !st; i++)
        takt_description_inherit(reader, (takt_variable *)reader->variables.items + i);
    if (st) return st;
    takt_rules_for_aliases(reader, check_alias_set);
    takt_rules_check_common(reader);
    return takt_description_finish(reader, err);
}

// Attributes of the root, which count only without the element Implementation.
static takt_me_description read_model_exchange(reader_type *reader)
{
    return (takt_me_description){.n_states = (int)takt_description_integer(
                                     reader, "numberOfContinuousStates", 0, MAX_COUNT, 0),
                                 .n_indicators = (int)takt_description_integer(
                                     reader, "numberOfEventIndicators", 0, MAX_COUNT, 0),
                                 .can.variable_step = true};
}

static void choose_model_exchange(reader_type *reader, const takt_me_description *me,
                                  const char *identifier)
{
    reader->out->has_model_exchange = true;
    reader->out->me = *me;
    reader->out->me.identifier = identifier;
}

takt_status takt_description_read_fmi1(takt_description_reader *reader, takt_error *err)
{
    takt_model *model = reader->model;
    const takt_me_description me = read_model_exchange(reader);
    fmi1_data data = {.identifier = takt_description_identifier(reader)};
    const char *name = takt_description_required(reader, "modelName");
    const char *guid = takt_description_required(reader, "guid");
    model->name = name ? name : "";
    reader->out->guid = guid ? guid : "";
    reader->out->mime_type = "application/x-fmu-sharedlibrary";
    model->tool = takt_description_text(reader, "generationTool");
    model->description = takt_description_text(reader, "description");
    model->version = "FMI 1.0";
    reader->grammar = takt_grammar_fmi1;
    takt_grammar_check_root(reader);
    reader->version_data = &data;
    takt_status st = read_all(reader, err);
    model->has_states = me.n_states > 0; // (it does not say what acts on them)
    if (!reader->out->identifier) choose_model_exchange(reader, &me, data.identifier);
    reader->version_data = NULL;
    free(data.scalars.items);
    free(data.names.items);
    return st;
}
