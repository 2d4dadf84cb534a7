// SPDX-License-Identifier: MIT
// modelDescription.xml of FMI 2.0 (specification 2.0.5, sections 2.2 and 4.3). Elements are visited by
// tables; what the tables do not name is skipped. What is wrong but has a clear meaning is a warning,
// because tools make such mistakes and their FMUs run nevertheless.
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "description/elements.h"
#include "description/finish.h"
#include "description/fmi2_rules.h"
#include "description/grammar.h"
#include "description/scalars.h"
#include "description/variables.h"
#include "description/versions.h"
#include "description/visit.h"

typedef takt_description_reader reader_type;

enum { MAX_INDICATORS = 1 << 24 };

// ---- interfaces and experiment -------------------------------------------------------------------

static takt_status read_source_file(reader_type *reader, takt_error *err)
{
    takt_fmi2_structure *structure = reader->version_data;
    const char *name = takt_description_required(reader, "name");
    const char **item =
        name ? takt_list_add(reader, structure->sources_being_read, sizeof *item) : NULL;
    if (item) *item = name;
    return takt_xml_skip(reader->xml, err);
}

static takt_status read_source_files(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {{"File", read_source_file}, {0}};
    return takt_description_children(reader, rules, err);
}

// What both interfaces have: capabilities and the list of sources.
static takt_status read_interface(reader_type *reader, takt_capabilities *can, takt_list *sources,
                                  takt_error *err)
{
    static const takt_element_rule rules[] = {{"SourceFiles", read_source_files}, {0}};
    const takt_flag flags[] = {{"canGetAndSetFMUstate", &can->rewind},
                               {"canSerializeFMUstate", &can->serialize},
                               {"providesDirectionalDerivative", &can->directional_derivatives},
                               {"canBeInstantiatedOnlyOncePerProcess", &can->once_per_process},
                               {"needsExecutionTool", &can->needs_tool}};
    takt_description_flags(reader, flags, sizeof flags / sizeof *flags);
    if (can->serialize && !can->rewind)
        takt_description_note(reader, takt_description_line(reader),
                              "canSerializeFMUstate needs canGetAndSetFMUstate");
    ((takt_fmi2_structure *)reader->version_data)->sources_being_read = sources;
    return takt_description_children(reader, rules, err);
}

static takt_status read_co_simulation(reader_type *reader, takt_error *err)
{
    takt_fmi2_structure *structure = reader->version_data;
    takt_capabilities *can = &reader->model->can;
    reader->out->identifier = takt_description_identifier(reader);
    const takt_flag flags[] = {{"canHandleVariableCommunicationStepSize", &can->variable_step},
                               {"canInterpolateInputs", &can->interpolate_inputs},
                               {"canRunAsynchronuously", &can->asynchronous}};
    takt_description_flags(reader, flags, sizeof flags / sizeof *flags);
    can->max_output_derivative_order =
        (int)takt_description_integer(reader, "maxOutputDerivativeOrder", 0, INT_MAX, 0);
    return read_interface(reader, can, &structure->sources, err);
}

static takt_status read_model_exchange(reader_type *reader, takt_error *err)
{
    takt_fmi2_structure *structure = reader->version_data;
    takt_me_description *me = &reader->out->me;
    reader->out->has_model_exchange = true;
    me->identifier = takt_description_identifier(reader);
    me->can.variable_step = true;
    const takt_flag flag = {"completedIntegratorStepNotNeeded", &me->skips_completed_step};
    takt_description_flags(reader, &flag, 1);
    return read_interface(reader, &me->can, &structure->me_sources, err);
}

// ---- types ---------------------------------------------------------------------------------------

static takt_status read_item(reader_type *reader, takt_error *err)
{
    return takt_description_add_item(reader, INT32_MIN, INT32_MAX, err);
}

static const takt_element_rule item_rules[] = {{"Item", read_item}, {0}};

// One function per element name: Real, Integer, Boolean, String and Enumeration.
#define TYPE_FUNCTION(name, type)                                                                  \
    static takt_status read_type_##name(reader_type *reader, takt_error *err)                      \
    {                                                                                              \
        return takt_scalar_read_type(reader, type, item_rules, err);                               \
    }
TAKT_SCALAR_TYPE_LIST(TYPE_FUNCTION)

static takt_status read_simple_type(reader_type *reader, takt_error *err)
{
#define TYPE_RULE(name, type) {#name, read_type_##name},
    static const takt_element_rule rules[] = {TAKT_SCALAR_TYPE_LIST(TYPE_RULE){0}};
    takt_status st = takt_description_add_type(reader, err);
    return st ? st : takt_description_children(reader, rules, err);
}

static takt_status read_type_definitions(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {{"SimpleType", read_simple_type}, {0}};
    return takt_description_children(reader, rules, err);
}

// ---- variables -----------------------------------------------------------------------------------

static void read_derivative(reader_type *reader)
{
    takt_fmi2_structure *structure = reader->version_data;
    if (!takt_xml_attribute(reader->xml, "derivative")) return;
    int64_t of = takt_description_integer(reader, "derivative", 0, UINT32_MAX, 0);
    takt_declared_derivative *declared =
        takt_list_add(reader, &structure->declared, sizeof *declared);
    if (declared) *declared = (takt_declared_derivative){reader->variables.n - 1, of};
}

#define VARIABLE_FUNCTION(name, type)                                                              \
    static takt_status read_variable_##name(reader_type *reader, takt_error *err)                  \
    {                                                                                              \
        takt_scalar_read_variable(reader, type);                                                   \
        read_derivative(reader);                                                                   \
        return takt_xml_skip(reader->xml, err);                                                    \
    }
TAKT_SCALAR_TYPE_LIST(VARIABLE_FUNCTION)

static takt_status read_scalar_variable(reader_type *reader, takt_error *err)
{
    static const takt_word causalities[] = {{"parameter", TAKT_PARAMETER},
                                            {"calculatedParameter", TAKT_CALCULATED_PARAMETER},
                                            {"input", TAKT_INPUT},
                                            {"output", TAKT_OUTPUT},
                                            {"local", TAKT_LOCAL},
                                            {"independent", TAKT_INDEPENDENT},
                                            {0}};
#define VARIABLE_RULE(name, type) {#name, read_variable_##name},
    static const takt_element_rule rules[] = {TAKT_SCALAR_TYPE_LIST(VARIABLE_RULE){0}};
    takt_variable *variable = takt_list_add(reader, &reader->variables, sizeof *variable);
    if (!variable) return takt_fail_memory(err);
    bool has_initial = takt_description_attributes(reader, causalities, variable);
    reader->variable = variable;
    takt_status st = takt_description_children(reader, rules, err);
    if (st) return st;
    takt_scalar_settle_type(reader, variable);
    takt_description_settle(reader, variable, has_initial);
    takt_description_check_start(reader, variable);
    takt_description_add_name(reader, reader->variables.n - 1);
    return TAKT_OK;
}

static takt_status read_model_variables(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {{"ScalarVariable", read_scalar_variable}, {0}};
    ((takt_fmi2_structure *)reader->version_data)->has_variables = true;
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
    takt_description_error(reader, takt_description_line(reader),
                           "%s: '%.*s' is not the index of a variable (1 to %d)", attribute, length,
                           begin, reader->variables.n);
    return -1;
}

// Reads a list of indices. An empty list differs from none.
static void read_dependencies(reader_type *reader, takt_dependency *dependency)
{
    const char *text = takt_xml_attribute(reader->xml, "dependencies"), *begin, *end;
    if (!text) return;
    reader->indices.n = 0;
    while (takt_description_token(&text, &begin, &end)) {
        int index = variable_index(reader, begin, end, "dependencies");
        int *item = index >= 0 ? takt_list_add(reader, &reader->indices, sizeof *item) : NULL;
        if (item) *item = index;
    }
    takt_description_take_known(reader, dependency);
}

static takt_status read_unknown(reader_type *reader, takt_list *list, takt_error *err)
{
    const char *index = takt_xml_attribute(reader->xml, "index");
    if (!index)
        takt_description_error(reader, takt_description_line(reader),
                               "Unknown has no attribute index");
    if (index) index = takt_description_trim(reader, index);
    int variable = index ? variable_index(reader, index, index + strlen(index), "index") : -1;
    if (variable >= 0) {
        takt_dependency *dependency = takt_list_add(reader, list, sizeof *dependency);
        if (!dependency) return takt_fail_memory(err);
        dependency->variable = variable;
        read_dependencies(reader, dependency);
        takt_rules_check_kinds(reader, list == &reader->initial_unknowns);
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

static takt_status read_derivative_unknown(reader_type *reader, takt_error *err)
{
    takt_fmi2_structure *structure = reader->version_data;
    return read_unknown(reader, &structure->derivatives, err);
}

static takt_status read_outputs(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {{"Unknown", read_output}, {0}};
    return takt_description_children(reader, rules, err);
}

static takt_status read_derivatives(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {{"Unknown", read_derivative_unknown}, {0}};
    return takt_description_children(reader, rules, err);
}

static takt_status read_initial_unknowns(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {{"Unknown", read_initial_unknown}, {0}};
    return takt_description_children(reader, rules, err);
}

static takt_status read_model_structure(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {{"Outputs", read_outputs},
                                              {"Derivatives", read_derivatives},
                                              {"InitialUnknowns", read_initial_unknowns},
                                              {0}};
    ((takt_fmi2_structure *)reader->version_data)->has_structure = true;
    return takt_description_children(reader, rules, err);
}

// ---- whole description ---------------------------------------------------------------------------

// What the standard fixes to certain words.
static void check_root(reader_type *reader)
{
    reader->out->me.n_indicators =
        (int)takt_description_integer(reader, "numberOfEventIndicators", 0, MAX_INDICATORS, 0);
    takt_grammar_check_root(reader);
}

// The variables whose derivatives are listed.
static void take_states(reader_type *reader, const takt_fmi2_structure *structure)
{
    takt_arena *arena = &reader->model->arena;
    int n = structure->derivatives.n, n_variables = n ? reader->variables.n : 0;
    int *states = takt_arena_array(arena, (size_t)n, sizeof *states);
    int64_t *of = takt_arena_array(arena, (size_t)n_variables, sizeof *of); // 0: not said
    if (!states || !of) {
        reader->out_of_memory = true;
        return;
    }
    for (int i = 0; i < structure->declared.n && n; i++) {
        const takt_declared_derivative *declared =
            (takt_declared_derivative *)structure->declared.items + i;
        of[declared->variable] = declared->of <= reader->variables.n ? declared->of : 0;
    }
    for (int i = 0; i < n; i++)
        states[i] = (int)of[((takt_dependency *)structure->derivatives.items)[i].variable] - 1;
    reader->out->me.states = states;
}

// Keeps what is needed later.
static void take_structure(reader_type *reader, takt_fmi2_structure *structure)
{
    takt_description *out = reader->out;
    out->n_sources = structure->sources.n;
    out->sources = takt_list_take(reader, &structure->sources, sizeof *out->sources);
    take_states(reader, structure);
    out->me.n_states = structure->derivatives.n;
    out->me.derivatives =
        takt_list_take(reader, &structure->derivatives, sizeof *out->me.derivatives);
    out->me.n_sources = structure->me_sources.n;
    out->me.sources = takt_list_take(reader, &structure->me_sources, sizeof *out->me.sources);
}

static takt_status read_all(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {
        {"CoSimulation", read_co_simulation},
        {"ModelExchange", read_model_exchange},
        {"UnitDefinitions", takt_description_read_units},
        {"TypeDefinitions", read_type_definitions},
        {"LogCategories", takt_description_read_categories},
        {"DefaultExperiment", takt_description_read_experiment},
        {"ModelVariables", read_model_variables},
        {"ModelStructure", read_model_structure},
        {0}};
    takt_status st = takt_description_children(reader, rules, err);
    if (st) return st;
    if (!reader->out->identifier && !reader->out->has_model_exchange)
        takt_description_error(reader, takt_description_line(reader),
                               "there is neither a CoSimulation nor a ModelExchange element");
    takt_description_check_outputs(reader, "ModelStructure/Outputs");
    for (int i = 0; i < reader->variables.n; i++)
        takt_description_inherit(reader, (takt_variable *)reader->variables.items + i);
    takt_rules_check_common(reader);
    takt_rules_check_fmi2(reader, reader->version_data);
    take_structure(reader, reader->version_data);
    return takt_description_finish(reader, err);
}

takt_status takt_description_read_fmi2(takt_description_reader *reader, takt_error *err)
{
    takt_fmi2_structure structure = {0};
    takt_description_root(reader, "guid", "FMI 2.0");
    reader->grammar = takt_grammar_fmi2;
    reader->version_data = &structure;
    check_root(reader);
    takt_status st = read_all(reader, err);
    reader->version_data = NULL;
    free(structure.declared.items);
    free(structure.derivatives.items);
    free(structure.sources.items);
    free(structure.me_sources.items);
    return st;
}
