// SPDX-License-Identifier: MIT
// Rules of FMI 2.0 (specification 2.0.5, sections 2.2.7 and 2.2.8); see fmi2_rules.h.
#include "description/fmi2_rules.h"

#include <stdlib.h>
#include <string.h>

typedef takt_description_reader reader_type;

static const takt_variable *variable_at(const reader_type *reader, int index)
{
    return (takt_variable *)reader->variables.items + index;
}

// ---- aliases -------------------------------------------------------------------------------------

// Can its value be given from outside and independently of all others?
static bool is_independent(const takt_variable *variable)
{
    return variable->causality == TAKT_INPUT || variable->causality == TAKT_PARAMETER ||
           variable->causality == TAKT_INDEPENDENT;
}

static bool is_same_unit(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static void check_pair(reader_type *reader, const takt_variable *a, const takt_variable *b)
{
    if ((a->variability == TAKT_CONSTANT) != (b->variability == TAKT_CONSTANT))
        takt_description_note(reader, b->line,
                              "variables '%s' and '%s' are aliases, but only one of them is "
                              "constant",
                              a->name, b->name);
    if (!is_same_unit(a->unit, b->unit))
        takt_description_note(reader, b->line,
                              "variables '%s' and '%s' are aliases, but have different units",
                              a->name, b->name);
}

// At most one variable of a set of aliases can be set independently and have a start value.
static void check_alias_set(reader_type *reader, const int *variables, int n)
{
    const takt_variable *independent = NULL, *started = NULL;
    for (int i = 0; i < n; i++) {
        const takt_variable *variable = variable_at(reader, variables[i]);
        bool has_start = variable->has_start && variable->variability != TAKT_CONSTANT;
        if (i > 0) check_pair(reader, variable_at(reader, variables[0]), variable);
        if (independent && is_independent(variable))
            takt_description_note(reader, variable->line,
                                  "variables '%s' and '%s' are aliases, but both have a causality "
                                  "that is set from outside (%s and %s)",
                                  independent->name, variable->name,
                                  takt_causality_name(independent->causality),
                                  takt_causality_name(variable->causality));
        else if (started && has_start)
            takt_description_note(
                reader, variable->line,
                "variables '%s' and '%s' are aliases, but both have a start value", started->name,
                variable->name);
        if (!independent && is_independent(variable)) independent = variable;
        if (!started && has_start) started = variable;
    }
}

// ---- derivatives ---------------------------------------------------------------------------------

static void check_declared(reader_type *reader, const takt_declared_derivative *declared,
                           bool *is_derivative)
{
    const takt_variable *variable = variable_at(reader, declared->variable);
    int64_t of = declared->of;
    if (of < 1 || of > reader->variables.n) {
        takt_description_note(reader, variable->line,
                              "variable '%s': derivative %lld is not the index of a variable (1 to "
                              "%d)",
                              variable->name, (long long)of, reader->variables.n);
        return;
    }
    const takt_variable *state = variable_at(reader, (int)of - 1);
    if (state == variable)
        takt_description_note(reader, variable->line, "variable '%s' is its own derivative",
                              variable->name);
    else if (state->type != TAKT_FLOAT64 || state->variability != TAKT_CONTINUOUS)
        takt_description_note(reader, variable->line,
                              "variable '%s' is the derivative of '%s', which is not a continuous "
                              "Real",
                              variable->name, state->name);
    is_derivative[declared->variable] = true;
}

static void check_derivatives(reader_type *reader, const takt_fmi2_structure *structure,
                              bool *is_derivative, bool *is_listed)
{
    for (int i = 0; i < structure->declared.n; i++)
        check_declared(reader, (takt_declared_derivative *)structure->declared.items + i,
                       is_derivative);
    for (int i = 0; i < structure->derivatives.n; i++) {
        int index = ((takt_dependency *)structure->derivatives.items)[i].variable;
        const takt_variable *variable = variable_at(reader, index);
        if (!is_derivative[index])
            takt_description_note(reader, variable->line,
                                  "variable '%s' is listed in ModelStructure/Derivatives, but has "
                                  "no attribute derivative",
                                  variable->name);
        if (is_listed[index])
            takt_description_note(reader, variable->line,
                                  "variable '%s' is listed twice in ModelStructure/Derivatives",
                                  variable->name);
        is_listed[index] = true;
    }
}

// ---- initial unknowns ----------------------------------------------------------------------------

// Marks the states whose derivatives are listed.
static void mark_states(const reader_type *reader, const takt_fmi2_structure *structure,
                        bool *is_listed)
{
    for (int i = 0; i < structure->declared.n; i++) {
        const takt_declared_derivative *declared =
            (takt_declared_derivative *)structure->declared.items + i;
        if (is_listed[declared->variable] && declared->of >= 1 &&
            declared->of <= reader->variables.n)
            is_listed[declared->of - 1] = true;
    }
}

static bool is_unknown(const takt_variable *variable, bool is_state_or_derivative)
{
    bool is_computed = variable->initial == TAKT_APPROX || variable->initial == TAKT_CALCULATED;
    if (variable->causality == TAKT_CALCULATED_PARAMETER) return true;
    return is_computed && (variable->causality == TAKT_OUTPUT || is_state_or_derivative);
}

// `is_listed` marks states and derivatives; `is_there` has room for one mark per variable.
static void check_initial_unknowns(reader_type *reader, const bool *is_listed, bool *is_there)
{
    const takt_dependency *unknowns = reader->initial_unknowns.items;
    for (int i = 0; i < reader->initial_unknowns.n; i++) {
        int index = unknowns[i].variable;
        const takt_variable *variable = variable_at(reader, index);
        if (is_there[index])
            takt_description_note(reader, variable->line,
                                  "variable '%s' is listed twice in ModelStructure/InitialUnknowns",
                                  variable->name);
        else if (i > 0 && index < unknowns[i - 1].variable)
            takt_description_note(reader, variable->line,
                                  "variable '%s' is not in its place in "
                                  "ModelStructure/InitialUnknowns, which must be sorted",
                                  variable->name);
        if (!is_unknown(variable, is_listed[index]))
            takt_description_note(reader, variable->line,
                                  "variable '%s' must not be listed in "
                                  "ModelStructure/InitialUnknowns (causality %s, initial %s)",
                                  variable->name, takt_causality_name(variable->causality),
                                  takt_initial_name(variable->initial));
        is_there[index] = true;
    }
    for (int i = 0; i < reader->variables.n; i++) {
        const takt_variable *variable = variable_at(reader, i);
        if (is_unknown(variable, is_listed[i]) && !is_there[i])
            takt_description_note(reader, variable->line,
                                  "variable '%s' is not listed in ModelStructure/InitialUnknowns",
                                  variable->name);
    }
}

// Only states can be set anew at an event. `is_state` has room for one mark per variable.
static void check_reinits(reader_type *reader, const takt_fmi2_structure *structure, bool *is_state)
{
    const takt_declared_derivative *declared = structure->declared.items;
    const takt_reinit *reinits = reader->reinits.items;
    for (int i = 0; i < structure->declared.n; i++)
        if (declared[i].of >= 1 && declared[i].of <= reader->variables.n)
            is_state[declared[i].of - 1] = true;
    for (int i = 0; i < reader->reinits.n; i++)
        if (!is_state[reinits[i].variable])
            takt_description_note(reader, reinits[i].line,
                                  "variable '%s' has the attribute reinit, but is no state",
                                  reinits[i].name);
}

// What an unknown can depend on. `is_state` marks states and derivatives.
static void check_knowns(reader_type *reader, const takt_list *list, const bool *is_state,
                         bool is_initial)
{
    for (int i = 0; i < list->n; i++) {
        const takt_dependency *unknown = (takt_dependency *)list->items + i;
        for (int k = 0; k < unknown->n_known; k++) {
            const takt_variable *known = variable_at(reader, unknown->known[k]);
            bool is_known = known->causality == TAKT_INPUT ||
                            known->causality == TAKT_INDEPENDENT || is_state[unknown->known[k]];
            if (is_initial) is_known |= known->initial == TAKT_EXACT;
            if (is_known) continue;
            const takt_variable *variable = variable_at(reader, unknown->variable);
            takt_description_note(
                reader, variable->line, "variable '%s': dependencies name '%s', which is %s",
                variable->name, known->name,
                is_initial ? "neither an input nor has initial exact" : "no input and no state");
            break;
        }
    }
}

static void check_structure(reader_type *reader, const takt_fmi2_structure *structure)
{
    size_t n = (size_t)reader->variables.n;
    bool *marks = calloc(4 * n + 1, sizeof *marks);
    if (!marks) reader->out_of_memory = true;
    if (!marks) return;
    bool *is_derivative = marks, *is_listed = marks + n, *is_there = marks + 2 * n;
    check_derivatives(reader, structure, is_derivative, is_listed);
    mark_states(reader, structure, is_listed);
    check_initial_unknowns(reader, is_listed, is_there);
    check_knowns(reader, &reader->outputs, is_listed, false);
    check_knowns(reader, &reader->initial_unknowns, is_listed, true);
    check_reinits(reader, structure, marks + 3 * n);
    free(marks);
}

// ---- all -----------------------------------------------------------------------------------------

static void check_variables(reader_type *reader)
{
    const takt_variable *independent = NULL;
    for (int i = 0; i < reader->variables.n; i++) {
        const takt_variable *variable = variable_at(reader, i);
        if (variable->variability == TAKT_CONTINUOUS && variable->type != TAKT_FLOAT64)
            takt_description_note(reader, variable->line,
                                  "variable '%s' of type %s cannot have variability continuous",
                                  variable->name,
                                  takt_description_type_name(reader, variable->type));
        if (variable->causality != TAKT_INDEPENDENT) continue;
        if (independent)
            takt_description_note(reader, variable->line,
                                  "there are two variables with causality independent, '%s' and "
                                  "'%s'",
                                  independent->name, variable->name);
        independent = variable;
    }
}

void takt_rules_check_fmi2(reader_type *reader, const takt_fmi2_structure *structure)
{
    if (!structure->has_variables) takt_description_note(reader, 0, "there are no ModelVariables");
    if (!structure->has_structure) takt_description_note(reader, 0, "there is no ModelStructure");
    check_variables(reader);
    takt_rules_for_aliases(reader, check_alias_set);
    check_structure(reader, structure);
}
