// SPDX-License-Identifier: MIT
// Variables of model descriptions; see variables.h.
#include "description/variables.h"

#include <math.h>

#include "description/words.h"

typedef takt_description_reader reader_type;

// Some tools leave out what they think is clear; then the nearest meaning is taken.
static takt_variability nearest_variability(const takt_variable *variable)
{
    takt_causality causality = variable->causality;
    if (causality == TAKT_PARAMETER || causality == TAKT_CALCULATED_PARAMETER ||
        causality == TAKT_STRUCTURAL_PARAMETER)
        return TAKT_FIXED;
    return takt_type_kind(variable->type) == TAKT_KIND_REAL ? TAKT_CONTINUOUS : TAKT_DISCRETE;
}

// What an absent attribute means: in FMI 3.0 it depends on the causality.
static takt_variability default_variability(const reader_type *reader,
                                            const takt_variable *variable)
{
    if (reader->out->fmi_major >= 3) return nearest_variability(variable);
    return variable->type == TAKT_FLOAT64 ? TAKT_CONTINUOUS : TAKT_DISCRETE;
}

// Which values of `initial` a combination of variability and causality allows, the default first.
typedef struct initial_rule {
    bool is_allowed; // the combination itself
    takt_initial initial[3];
    int n;
} initial_rule;

// FMI 2.0.5, section 2.2.7; FMI 3.0.2, section 2.4.7.4. Inputs have none with us, see model.h, but FMI 3.0
// allows to call them exact.
static initial_rule rule_for(const reader_type *reader, const takt_variable *variable)
{
    static const initial_rule a = {true, {TAKT_EXACT}, 1},
                              b = {true, {TAKT_CALCULATED, TAKT_APPROX}, 2},
                              c = {true, {TAKT_CALCULATED, TAKT_EXACT, TAKT_APPROX}, 3},
                              none = {true, {TAKT_INITIAL_NONE}, 1},
                              input = {true, {TAKT_INITIAL_NONE, TAKT_EXACT}, 2};
    const initial_rule never = {0};
    takt_variability variability = variable->variability;
    bool is_signal = variability == TAKT_DISCRETE || variability == TAKT_CONTINUOUS;
    bool is_data = variability == TAKT_FIXED || variability == TAKT_TUNABLE;
    switch (variable->causality) {
    case TAKT_PARAMETER:
    case TAKT_STRUCTURAL_PARAMETER: return is_data ? a : never;
    case TAKT_CALCULATED_PARAMETER: return is_data ? b : never;
    case TAKT_INPUT: return !is_signal ? never : reader->out->fmi_major >= 3 ? input : none;
    case TAKT_OUTPUT: return variability == TAKT_CONSTANT ? a : is_signal ? c : never;
    case TAKT_LOCAL: return variability == TAKT_CONSTANT ? a : is_data ? b : c;
    case TAKT_INDEPENDENT: return variability == TAKT_CONTINUOUS ? none : never;
    default: return never;
    }
}

void takt_description_settle(reader_type *reader, takt_variable *variable, bool has_initial)
{
    if ((int)variable->variability == -1)
        variable->variability = default_variability(reader, variable);
    initial_rule rule = rule_for(reader, variable);
    if (!rule.is_allowed) {
        takt_variability nearest = nearest_variability(variable);
        takt_description_note(reader, variable->line,
                              "variable '%s': variability %s is not allowed with causality %s; "
                              "taken as %s",
                              variable->name, takt_variability_name(variable->variability),
                              takt_causality_name(variable->causality),
                              takt_variability_name(nearest));
        variable->variability = nearest;
        rule = rule_for(reader, variable);
    }
    for (int i = 0; i < rule.n; i++)
        if (has_initial && rule.initial[i] == variable->initial) return;
    if (has_initial)
        takt_description_note(reader, variable->line,
                              "variable '%s': initial %s is not allowed with causality %s and "
                              "variability %s; taken as %s",
                              variable->name, takt_initial_name(variable->initial),
                              takt_causality_name(variable->causality),
                              takt_variability_name(variable->variability),
                              takt_initial_name(rule.initial[0]));
    variable->initial = rule.initial[0];
}

void takt_description_check_start(reader_type *reader, const takt_variable *variable)
{
    bool is_needed = variable->initial == TAKT_EXACT || variable->initial == TAKT_APPROX ||
                     variable->causality == TAKT_INPUT;
    if (is_needed && !variable->has_start)
        takt_description_note(reader, variable->line, "variable '%s' has no start value",
                              variable->name);
    if (!is_needed && variable->has_start)
        takt_description_note(reader, variable->line,
                              "variable '%s' must not have a start value: it is %s", variable->name,
                              variable->initial == TAKT_CALCULATED ? "calculated" : "independent");
}

void takt_description_add_name(reader_type *reader, int index)
{
    const takt_variable *variables = reader->variables.items, *variable = &variables[index];
    takt_map *names = &reader->model->names;
    int earlier = takt_map_find(names, variable->name);
    if (earlier < 0) {
        if (!takt_map_add(names, variable->name, index)) reader->out_of_memory = true;
        return;
    }
    const takt_variable *other = &variables[earlier];
    if (other->reference == variable->reference && other->type == variable->type)
        takt_description_note(reader, variable->line,
                              "variable '%s' occurs twice (first in line %d)", variable->name,
                              other->line);
    else
        takt_description_error(reader, variable->line,
                               "variable '%s' occurs twice (first in line %d) with different value "
                               "references or types",
                               variable->name, other->line);
}

void takt_description_begin_variable(reader_type *reader, const takt_word *causalities,
                                     takt_variable *variable)
{
    const char *name = takt_description_required(reader, "name");
    *variable = (takt_variable){.name = name ? name : "",
                                .description = takt_description_text(reader, "description"),
                                .type = (takt_type)TAKT_N_TYPES,
                                .min = NAN,
                                .max = NAN,
                                .nominal = NAN,
                                .line = takt_description_line(reader)};
    if (reader->is_structured && name && !takt_word_is_structured(name))
        takt_description_note(reader, variable->line,
                              "variable '%s' has a name that is not structured, although "
                              "variableNamingConvention says so",
                              name);
    if (!takt_xml_attribute(reader->xml, "valueReference"))
        takt_description_error(reader, variable->line, "variable '%s' has no valueReference",
                               variable->name);
    variable->reference =
        (uint32_t)takt_description_integer(reader, "valueReference", 0, UINT32_MAX, 0);
    variable->causality =
        (takt_causality)takt_description_choice(reader, "causality", causalities, TAKT_LOCAL);
}

bool takt_description_attributes(reader_type *reader, const takt_word *causalities,
                                 takt_variable *variable)
{
    static const takt_word variabilities[] = {
        {"constant", TAKT_CONSTANT}, {"fixed", TAKT_FIXED},           {"tunable", TAKT_TUNABLE},
        {"discrete", TAKT_DISCRETE}, {"continuous", TAKT_CONTINUOUS}, {0}};
    static const takt_word initials[] = {
        {"exact", TAKT_EXACT}, {"approx", TAKT_APPROX}, {"calculated", TAKT_CALCULATED}, {0}};
    takt_description_begin_variable(reader, causalities, variable);
    variable->variability =
        (takt_variability)takt_description_choice(reader, "variability", variabilities, -1);
    variable->initial =
        (takt_initial)takt_description_choice(reader, "initial", initials, TAKT_INITIAL_NONE);
    return variable->initial != TAKT_INITIAL_NONE;
}
