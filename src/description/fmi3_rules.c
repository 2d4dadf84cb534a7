// SPDX-License-Identifier: MIT
// Rules of FMI 3.0 (specification 3.0.2, sections 2.4.7 and 2.4.8); see fmi3_rules.h. Of arrays only the
// first element is named.
#include "description/fmi3_rules.h"

#include <stdlib.h>

#include "description/fmi3_reader.h"

typedef takt_description_reader reader_type;

static const takt_variable *variable_at(const reader_type *reader, int index)
{
    return (takt_variable *)reader->variables.items + index;
}

// ---- links ---------------------------------------------------------------------------------------

// States have a derivative; at most one variable is the next value of another.
static void check_links(reader_type *reader, bool *is_state, bool *is_derivative, bool *has_next)
{
    const takt_link *links = reader->fmi3->links.items;
    for (int i = 0; i < reader->fmi3->links.n; i++) {
        int index = takt_fmi3_find(reader->fmi3, links[i].reference);
        if (index < 0) continue;
        const takt_variable *variable = variable_at(reader, links[i].variable);
        const takt_variable *other = variable_at(reader, index);
        bool is_inside = other->causality == TAKT_LOCAL || other->causality == TAKT_OUTPUT;
        if (links[i].kind == TAKT_LINK_DERIVATIVE) {
            is_state[index] = is_derivative[links[i].variable] = true;
            if (other->variability != TAKT_CONTINUOUS || !is_inside)
                takt_description_note(reader, links[i].line,
                                      "variable '%s' is the derivative of '%s', which is %s %s",
                                      variable->name, other->name,
                                      takt_variability_name(other->variability),
                                      takt_causality_name(other->causality));
        }
        if (links[i].kind != TAKT_LINK_PREVIOUS) continue;
        if (has_next[index])
            takt_description_note(reader, links[i].line,
                                  "variable '%s': previous names '%s', as another variable does",
                                  variable->name, other->name);
        has_next[index] = true;
    }
}

static void check_reinits(reader_type *reader, const bool *is_state)
{
    const takt_reinit *reinits = reader->reinits.items;
    for (int i = 0; i < reader->reinits.n; i++) {
        int index = takt_fmi3_find(reader->fmi3, reinits[i].reference);
        if (index >= 0 && !is_state[index])
            takt_description_note(reader, reinits[i].line,
                                  "variable '%s' has the attribute reinit, but is no state",
                                  reinits[i].name);
    }
}

// ---- initial unknowns ----------------------------------------------------------------------------

static bool is_first(const reader_type *reader, int index)
{
    const takt_variable *variable = variable_at(reader, index);
    return !variable->array || variable->array->first == index;
}

static const char *name_of(const takt_variable *variable)
{
    return variable->array ? variable->array->name : variable->name;
}

static bool is_computed(const takt_variable *variable)
{
    return variable->initial == TAKT_APPROX || variable->initial == TAKT_CALCULATED;
}

// What an FMU may list besides what it must: clocks, and clocked variables that it wants to initialize.
static void mark_optional(const reader_type *reader, bool *is_optional)
{
    const takt_fmi3_description *fmi3 = &reader->out->fmi3;
    for (int i = 0; i < fmi3->n_clocked && fmi3->clocked; i++)
        is_optional[fmi3->clocked[i].variable] = true;
    for (int i = 0; i < reader->variables.n; i++)
        if (variable_at(reader, i)->type == TAKT_CLOCK) is_optional[i] = true;
}

static void check_listed(reader_type *reader, const bool *is_possible, bool *is_there)
{
    const takt_dependency *unknowns = reader->initial_unknowns.items;
    for (int i = 0; i < reader->initial_unknowns.n; i++) {
        int index = unknowns[i].variable;
        const takt_variable *variable = variable_at(reader, index);
        if (!is_first(reader, index)) continue;
        if (is_there[index])
            takt_description_note(reader, variable->line,
                                  "variable '%s' is listed twice as InitialUnknown",
                                  name_of(variable));
        else if (!is_possible[index])
            takt_description_note(reader, variable->line,
                                  "variable '%s' must not be listed as InitialUnknown (causality "
                                  "%s, initial %s)",
                                  name_of(variable), takt_causality_name(variable->causality),
                                  takt_initial_name(variable->initial));
        is_there[index] = true;
    }
}

static bool is_unknown(const takt_variable *variable)
{
    return variable->causality == TAKT_CALCULATED_PARAMETER ||
           (variable->causality == TAKT_OUTPUT && is_computed(variable));
}

// Marks the states and derivatives that ContinuousStateDerivative elements stand for.
static void mark_listed_states(const reader_type *reader, bool *is_listed)
{
    const takt_dependency *derivatives = reader->fmi3->derivatives.items;
    const takt_link *links = reader->fmi3->links.items;
    for (int i = 0; i < reader->fmi3->derivatives.n; i++) is_listed[derivatives[i].variable] = true;
    for (int i = 0; i < reader->fmi3->links.n; i++) {
        int state = takt_fmi3_find(reader->fmi3, links[i].reference);
        if (state >= 0 && links[i].kind == TAKT_LINK_DERIVATIVE && is_listed[links[i].variable])
            is_listed[state] = true;
    }
}

// Aliases are said with their variable.
static void check_missing(reader_type *reader, const bool *is_optional, const bool *is_listed,
                          const bool *is_there)
{
    for (int i = 0; i < reader->variables.n; i++) {
        const takt_variable *variable = variable_at(reader, i);
        bool is_alias = takt_fmi3_find(reader->fmi3, variable->reference) != i;
        bool is_needed = is_unknown(variable) || (is_listed[i] && is_computed(variable));
        if (is_needed && !is_optional[i] && !is_there[i] && !is_alias && is_first(reader, i))
            takt_description_note(reader, variable->line,
                                  "variable '%s' is not listed as InitialUnknown",
                                  name_of(variable));
    }
}

void takt_rules_check_fmi3(reader_type *reader)
{
    size_t n = (size_t)reader->variables.n;
    bool *marks = calloc(6 * n + 1, sizeof *marks);
    if (!marks) reader->out_of_memory = true;
    if (!marks || !reader->fmi3->references) {
        free(marks);
        return;
    }
    bool *is_state = marks, *is_derivative = marks + n, *is_optional = marks + 2 * n;
    bool *is_possible = marks + 3 * n, *is_there = marks + 4 * n, *is_listed = marks + 5 * n;
    check_links(reader, is_state, is_derivative, is_there);
    check_reinits(reader, is_state);
    mark_optional(reader, is_optional);
    mark_listed_states(reader, is_listed);
    for (size_t i = 0; i < n; i++) {
        const takt_variable *variable = variable_at(reader, (int)i);
        is_possible[i] = is_unknown(variable) || is_optional[i] ||
                         (is_computed(variable) && (is_state[i] || is_derivative[i]));
        is_there[i] = false;
    }
    check_listed(reader, is_possible, is_there);
    check_missing(reader, is_optional, is_listed, is_there);
    free(marks);
}
