// SPDX-License-Identifier: MIT
// modelDescription.xml of FMI 3.0 (specification 3.0.2, sections 2.4 and 4.4). Elements are visited by
// tables; what the tables do not name is skipped (annotations, display units). What is wrong but has a
// clear meaning is a warning. Arrays and aliases: see fmi3_reader.h.
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "description/elements.h"
#include "description/finish.h"
#include "description/fmi3_expand.h"
#include "description/fmi3_links.h"
#include "description/fmi3_rules.h"
#include "description/fmi3_variables.h"
#include "description/grammar.h"
#include "description/rules.h"
#include "description/versions.h"
#include "description/visit.h"

typedef takt_description_reader reader_type;

static int line_of(const reader_type *reader)
{
    return takt_description_line(reader);
}

// ---- interfaces ----------------------------------------------------------------------------------

static void check_capabilities(reader_type *reader, bool can_return_early)
{
    const takt_capabilities *can = &reader->model->can;
    if (can->serialize && !can->rewind)
        takt_description_note(reader, line_of(reader),
                              "canSerializeFMUState needs canGetAndSetFMUState");
    if (can_return_early && !can->interpolate_inputs)
        takt_description_note(reader, line_of(reader),
                              "canReturnEarlyAfterIntermediateUpdate needs "
                              "providesIntermediateUpdate");
}

static takt_status read_co_simulation(reader_type *reader, takt_error *err)
{
    reader->out->identifier = takt_description_identifier(reader);
    takt_capabilities *can = &reader->model->can;
    takt_fmi3_description *fmi3 = &reader->out->fmi3;
    bool can_return_early = false, ignored = false;
    const takt_flag flags[] = {{"canGetAndSetFMUState", &can->rewind},
                               {"canSerializeFMUState", &can->serialize},
                               {"canHandleVariableCommunicationStepSize", &can->variable_step},
                               {"providesDirectionalDerivatives", &can->directional_derivatives},
                               {"providesAdjointDerivatives", &ignored},
                               {"providesPerElementDependencies", &can->element_dependencies},
                               {"canBeInstantiatedOnlyOncePerProcess", &can->once_per_process},
                               {"needsExecutionTool", &can->needs_tool},
                               {"hasEventMode", &can->events},
                               {"providesEvaluateDiscreteStates", &fmi3->evaluates_discrete_states},
                               {"mightReturnEarlyFromDoStep", &fmi3->might_return_early},
                               {"providesIntermediateUpdate", &can->interpolate_inputs},
                               {"canReturnEarlyAfterIntermediateUpdate", &can_return_early}};
    takt_description_flags(reader, flags, sizeof flags / sizeof *flags);
    can->early_return = can->events && fmi3->might_return_early;
    can->max_output_derivative_order =
        (int)takt_description_integer(reader, "maxOutputDerivativeOrder", 0, INT_MAX, 0);
    takt_description_integer(reader, "recommendedIntermediateInputSmoothness", INT_MIN, INT_MAX, 0);
    if (takt_description_number(reader, "fixedInternalStepSize", 1) <= 0)
        takt_description_note(reader, line_of(reader), "fixedInternalStepSize is not positive");
    check_capabilities(reader, can_return_early);
    return takt_xml_skip(reader->xml, err);
}

static takt_status read_model_exchange(reader_type *reader, takt_error *err)
{
    takt_me_description *me = &reader->out->me;
    bool needs_completed_step = false;
    reader->out->has_model_exchange = true;
    me->identifier = takt_description_identifier(reader);
    const takt_flag flags[] = {{"canGetAndSetFMUState", &me->can.rewind},
                               {"canSerializeFMUState", &me->can.serialize},
                               {"providesDirectionalDerivatives", &me->can.directional_derivatives},
                               {"canBeInstantiatedOnlyOncePerProcess", &me->can.once_per_process},
                               {"needsExecutionTool", &me->can.needs_tool},
                               {"needsCompletedIntegratorStep", &needs_completed_step}};
    takt_description_flags(reader, flags, sizeof flags / sizeof *flags);
    me->can.variable_step = true;
    me->skips_completed_step = !needs_completed_step;
    return takt_xml_skip(reader->xml, err);
}

static takt_status read_scheduled_execution(reader_type *reader, takt_error *err)
{
    reader->out->fmi3.scheduled_identifier = takt_description_identifier(reader);
    return takt_xml_skip(reader->xml, err);
}

// ---- types ---------------------------------------------------------------------------------------

static takt_status read_item(reader_type *reader, takt_error *err)
{
    return takt_description_add_item(reader, INT64_MIN, INT64_MAX, err);
}

static takt_status read_type_of(reader_type *reader, takt_type type, takt_error *err)
{
    static const takt_element_rule rules[] = {{"Item", read_item}, {0}};
    takt_status st = takt_description_add_type(reader, err);
    if (st) return st;
    takt_type_definition *definition = reader->type;
    bool is_real = takt_type_kind(type) == TAKT_KIND_REAL;
    definition->type = type;
    if (is_real) definition->unit = takt_description_text(reader, "unit");
    if (takt_fmi3_has_limits(type))
        takt_description_limits(reader, &definition->min, &definition->max,
                                is_real ? &definition->nominal : NULL);
    if (type == TAKT_CLOCK) {
        takt_fmi3_clock *clock = takt_list_add(reader, &reader->fmi3->type_clocks, sizeof *clock);
        if (!clock) return takt_fail_memory(err);
        *clock = takt_fmi3_unknown_clock;
        clock->variable = reader->types.n - 1;
        takt_fmi3_read_clock(reader, clock);
    }
    st = takt_description_children(reader, rules, err);
    if (!st && type == TAKT_ENUMERATION) takt_description_take_items(reader);
    return st;
}

// ---- variables -----------------------------------------------------------------------------------

// One pair of functions per type: <Float64 .../> among variables, <Float64Type .../> among types.
#define FMI3_TYPE_LIST(X)                                                                          \
    X(Float64, TAKT_FLOAT64)                                                                       \
    X(Float32, TAKT_FLOAT32)                                                                       \
    X(Int8, TAKT_INT8)                                                                             \
    X(UInt8, TAKT_UINT8)                                                                           \
    X(Int16, TAKT_INT16)                                                                           \
    X(UInt16, TAKT_UINT16)                                                                         \
    X(Int32, TAKT_INT32)                                                                           \
    X(UInt32, TAKT_UINT32)                                                                         \
    X(Int64, TAKT_INT64)                                                                           \
    X(UInt64, TAKT_UINT64)                                                                         \
    X(Boolean, TAKT_BOOLEAN)                                                                       \
    X(String, TAKT_STRING)                                                                         \
    X(Binary, TAKT_BINARY)                                                                         \
    X(Enumeration, TAKT_ENUMERATION)                                                               \
    X(Clock, TAKT_CLOCK)

#define TYPE_FUNCTIONS(name, type)                                                                 \
    static takt_status read_variable_##name(reader_type *reader, takt_error *err)                  \
    {                                                                                              \
        return takt_fmi3_read_variable(reader, type, err);                                         \
    }                                                                                              \
    static takt_status read_type_##name(reader_type *reader, takt_error *err)                      \
    {                                                                                              \
        return read_type_of(reader, type, err);                                                    \
    }
FMI3_TYPE_LIST(TYPE_FUNCTIONS)

static takt_status read_type_definitions(reader_type *reader, takt_error *err)
{
#define TYPE_RULE(name, type) {#name "Type", read_type_##name},
    static const takt_element_rule rules[] = {FMI3_TYPE_LIST(TYPE_RULE){0}};
    return takt_description_children(reader, rules, err);
}

static takt_status read_model_variables(reader_type *reader, takt_error *err)
{
#define VARIABLE_RULE(name, type) {#name, read_variable_##name},
    static const takt_element_rule rules[] = {FMI3_TYPE_LIST(VARIABLE_RULE){0}};
    if (reader->fmi3->references) {
        takt_description_error(reader, line_of(reader), "there are two elements ModelVariables");
        return takt_xml_skip(reader->xml, err);
    }
    takt_status st = takt_description_children(reader, rules, err);
    int n_independent = 0;
    for (int i = 0; i < reader->variables.n && !st; i++) {
        takt_variable *variable = (takt_variable *)reader->variables.items + i;
        takt_description_inherit(reader, variable);
        n_independent += variable->causality == TAKT_INDEPENDENT;
    }
    if (!st && n_independent != 1)
        takt_description_note(reader, line_of(reader),
                              "there are %d independent variables instead of one", n_independent);
    if (!st) st = takt_fmi3_expand(reader, err);
    return st ? st : takt_fmi3_link(reader, err);
}

// ---- model structure -----------------------------------------------------------------------------

// The variable with a value reference of the file; -1 after an error.
static int find_reference(reader_type *reader, const char *begin, const char *end, const char *name)
{
    uint32_t reference;
    if (!takt_fmi3_read_reference(reader, name, begin, end, &reference)) return -1;
    int variable = takt_fmi3_find(reader->fmi3, reference);
    if (variable < 0)
        takt_description_error(reader, line_of(reader), "%s: no variable has value reference %lu",
                               name, (unsigned long)reference);
    return variable;
}

// Reads on what an unknown depends. An empty list differs from none.
static void read_dependencies(reader_type *reader, takt_dependency *dependency)
{
    const char *text = takt_xml_attribute(reader->xml, "dependencies"), *begin, *end;
    takt_rules_check_kinds(reader, strcmp(takt_xml_name(reader->xml), "InitialUnknown") == 0);
    if (!text) return;
    reader->indices.n = 0;
    while (takt_description_token(&text, &begin, &end)) {
        int first = find_reference(reader, begin, end, "dependencies");
        if (first < 0) continue;
        int n = takt_fmi3_count((takt_variable *)reader->variables.items + first);
        reader->fmi3->n_dependencies += n;
        if (reader->fmi3->n_dependencies > TAKT_FMI3_MAX_DEPENDENCIES) return;
        for (int i = 0; i < n; i++) {
            int *item = takt_list_add(reader, &reader->indices, sizeof *item);
            if (item) *item = first + i;
        }
    }
    takt_description_take_known(reader, dependency);
}

// Reads the variable of an element of ModelStructure; -1 after an error.
static int read_unknown(reader_type *reader)
{
    const char *text = takt_xml_attribute(reader->xml, "valueReference");
    if (!text) {
        takt_description_error(reader, line_of(reader), "%s has no attribute valueReference",
                               takt_xml_name(reader->xml));
        return -1;
    }
    text = takt_description_trim(reader, text);
    return find_reference(reader, text, text + strlen(text), "valueReference");
}

// All elements of an array depend on the same.
static takt_status add_unknown(reader_type *reader, takt_list *list, takt_error *err)
{
    int first = read_unknown(reader);
    if (first < 0) return takt_xml_skip(reader->xml, err);
    takt_dependency dependency = {0};
    read_dependencies(reader, &dependency);
    int n = takt_fmi3_count((takt_variable *)reader->variables.items + first);
    if (list->n > reader->variables.n) n = 0; // listed more than once; said elsewhere
    for (int i = 0; i < n; i++) {
        takt_dependency *item = takt_list_add(reader, list, sizeof *item);
        if (!item) return takt_fail_memory(err);
        *item = dependency;
        item->variable = first + i;
    }
    return takt_xml_skip(reader->xml, err);
}

static takt_status read_output(reader_type *reader, takt_error *err)
{
    return add_unknown(reader, &reader->outputs, err);
}

static takt_status read_initial_unknown(reader_type *reader, takt_error *err)
{
    return add_unknown(reader, &reader->initial_unknowns, err);
}

// The reference of a variable to another one; NULL: it has none of this kind.
static const takt_link *find_link(const reader_type *reader, int variable, int kind)
{
    const takt_link *links = reader->fmi3->links.items;
    int low = 0, high = reader->fmi3->links.n; // they are sorted by variable
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (links[middle].variable < variable)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < reader->fmi3->links.n && links[low].variable == variable; low++)
        if ((int)links[low].kind == kind) return &links[low];
    return NULL;
}

static void check_linked(reader_type *reader, int variable, int kind, const char *attribute)
{
    if (variable >= 0 && !find_link(reader, variable, kind))
        takt_description_note(reader, line_of(reader), "variable '%s' has no attribute %s",
                              ((takt_variable *)reader->variables.items)[variable].name, attribute);
}

static takt_status read_state_derivative(reader_type *reader, takt_error *err)
{
    takt_list *derivatives = &reader->fmi3->derivatives;
    int first = derivatives->n;
    takt_status st = add_unknown(reader, derivatives, err);
    if (!st && derivatives->n > first)
        check_linked(reader, ((takt_dependency *)derivatives->items)[first].variable,
                     TAKT_LINK_DERIVATIVE, "derivative");
    return st;
}

// Of no use to co-simulation, but what it says must be right.
static takt_status read_clocked_state(reader_type *reader, takt_error *err)
{
    check_linked(reader, read_unknown(reader), TAKT_LINK_PREVIOUS, "previous");
    return takt_xml_skip(reader->xml, err);
}

static takt_status read_event_indicator(reader_type *reader, takt_error *err)
{
    int first = read_unknown(reader);
    const takt_variable *variable =
        first < 0 ? NULL : (takt_variable *)reader->variables.items + first;
    if (variable && variable->variability != TAKT_CONTINUOUS)
        takt_description_note(reader, line_of(reader),
                              "variable '%s' is an event indicator, but not continuous",
                              variable->name);
    if (variable && reader->out->me.n_indicators <= reader->variables.n)
        reader->out->me.n_indicators += takt_fmi3_count(variable);
    return takt_xml_skip(reader->xml, err);
}

static takt_status read_model_structure(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {{"Output", read_output},
                                              {"InitialUnknown", read_initial_unknown},
                                              {"ContinuousStateDerivative", read_state_derivative},
                                              {"ClockedState", read_clocked_state},
                                              {"EventIndicator", read_event_indicator},
                                              {0}};
    return takt_description_children(reader, rules, err);
}

// The variable behind the attribute derivative of an element of an array or a scalar; -1: none fits.
static int find_state(const reader_type *reader, int derivative)
{
    const takt_variable *variable = (takt_variable *)reader->variables.items + derivative;
    int first = variable->array ? variable->array->first : derivative;
    const takt_link *link = find_link(reader, first, TAKT_LINK_DERIVATIVE);
    int state = link ? takt_fmi3_find(reader->fmi3, link->reference) : -1;
    if (state < 0) return -1;
    int n = takt_fmi3_count((takt_variable *)reader->variables.items + state);
    return derivative - first < n ? state + derivative - first : -1;
}

static void take_states(reader_type *reader)
{
    takt_me_description *me = &reader->out->me;
    takt_list *derivatives = &reader->fmi3->derivatives;
    int *states = takt_arena_array(&reader->model->arena, (size_t)derivatives->n, sizeof *states);
    if (!states) {
        reader->out_of_memory = true;
        return;
    }
    for (int i = 0; i < derivatives->n; i++)
        states[i] = find_state(reader, ((takt_dependency *)derivatives->items)[i].variable);
    me->states = states;
    me->n_states = derivatives->n;
    me->derivatives = takt_list_take(reader, derivatives, sizeof *me->derivatives);
}

// ---- the whole -----------------------------------------------------------------------------------

static void clear(takt_fmi3_reader *fmi3)
{
    takt_list *lists[] = {&fmi3->dimensions, &fmi3->starts,      &fmi3->arrays,
                          &fmi3->aliases,    &fmi3->links,       &fmi3->clocks,
                          &fmi3->max_sizes,  &fmi3->type_clocks, &fmi3->derivatives};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) free(lists[i]->items);
    takt_bytes_clear(&fmi3->start);
    free(fmi3->references);
    free(fmi3->is_replaced);
}

static void check_whole(reader_type *reader)
{
    const takt_description *out = reader->out;
    if (!out->identifier && !out->has_model_exchange && !out->fmi3.scheduled_identifier)
        takt_description_error(reader, line_of(reader),
                               "there is none of the elements CoSimulation, ModelExchange and "
                               "ScheduledExecution");
    if (out->identifier && out->fmi3.n_clocks > 0 && !reader->model->can.events)
        takt_description_doubt(reader, line_of(reader),
                               "there are clocks, but hasEventMode is not true: they never tick, "
                               "and what they should compute stays as it is; choose another "
                               "interface, or export the FMU with event mode");
    if (reader->fmi3->n_dependencies > TAKT_FMI3_MAX_DEPENDENCIES)
        takt_description_note(reader, line_of(reader),
                              "there are more than %d dependencies between elements of arrays; "
                              "the others are taken as dependencies on everything",
                              TAKT_FMI3_MAX_DEPENDENCIES);
    takt_description_check_outputs(reader, "ModelStructure");
    takt_rules_check_common(reader);
    takt_rules_check_fmi3(reader);
}

static takt_status read_all(reader_type *reader, takt_error *err)
{
    static const takt_element_rule rules[] = {
        {"CoSimulation", read_co_simulation},
        {"ModelExchange", read_model_exchange},
        {"ScheduledExecution", read_scheduled_execution},
        {"UnitDefinitions", takt_description_read_units},
        {"TypeDefinitions", read_type_definitions},
        {"LogCategories", takt_description_read_categories},
        {"DefaultExperiment", takt_description_read_experiment},
        {"ModelVariables", read_model_variables},
        {"ModelStructure", read_model_structure},
        {0}};
    takt_status st = takt_description_children(reader, rules, err);
    if (st) return st;
    check_whole(reader);
    take_states(reader);
    return takt_description_finish(reader, err);
}

takt_status takt_description_read_fmi3(takt_description_reader *reader, takt_error *err)
{
    takt_fmi3_reader fmi3 = {0};
    takt_description_root(reader, "instantiationToken", "FMI 3.0");
    reader->grammar = takt_grammar_fmi3;
    takt_grammar_check_root(reader);
    reader->fmi3 = &fmi3;
    takt_status st = read_all(reader, err);
    clear(&fmi3);
    reader->fmi3 = NULL;
    return st;
}
