// SPDX-License-Identifier: MIT
// Attributes of FMI 3.0 by which variables refer to others: previous, derivative, clocks; see
// fmi3_reader.h.
#include "description/fmi3_links.h"

#include "description/finish.h"

typedef takt_description_reader reader_type;

static takt_variable *variable_at(const reader_type *reader, int index)
{
    return (takt_variable *)reader->variables.items + index;
}

static void check_previous(reader_type *reader, const takt_link *link, const takt_variable *other)
{
    const takt_variable *variable = variable_at(reader, link->variable);
    const char *problem = variable == other              ? "is the variable itself"
                          : variable->type == TAKT_CLOCK ? "must not be given for a clock"
                          : variable->variability != TAKT_DISCRETE
                              ? "is only for discrete variables"
                          : other->type != variable->type       ? "has another type"
                          : other->variability != TAKT_DISCRETE ? "is not discrete"
                          : other->causality == TAKT_INPUT      ? "is an input"
                                                                : NULL;
    if (problem)
        takt_description_note(reader, link->line, "variable '%s': previous %s", variable->name,
                              problem);
}

static void check_derivative(reader_type *reader, const takt_link *link, const takt_variable *other)
{
    const takt_variable *variable = variable_at(reader, link->variable);
    if (variable == other || takt_type_kind(other->type) != TAKT_KIND_REAL)
        takt_description_note(reader, link->line, "variable '%s' cannot be the derivative of '%s'",
                              variable->name, other->name);
}

static takt_clocked *last_clocked(const takt_list *clocked)
{
    return clocked->n > 0 ? (takt_clocked *)clocked->items + clocked->n - 1 : NULL;
}

// Adds a clock to the variables that are clocked, all elements of an array alike.
static void add_clocked(reader_type *reader, takt_list *clocked, const takt_link *link,
                        const takt_variable *other)
{
    const takt_variable *variable = variable_at(reader, link->variable);
    int clock = takt_fmi3_find_clock(&reader->fmi3->clocks, (int)(other - variable_at(reader, 0)));
    if (clock < 0) {
        takt_description_error(reader, link->line, "variable '%s': '%s' in clocks is not a clock",
                               variable->name, other->name);
        return;
    }
    if (variable->variability != TAKT_DISCRETE && variable->variability != TAKT_TUNABLE)
        takt_description_note(reader, link->line,
                              "variable '%s' has clocks, but is neither discrete nor tunable",
                              variable->name);
    if (variable->type == TAKT_CLOCK) return;
    takt_clocked *last = last_clocked(clocked);
    if (!last || last->variable != link->variable) {
        last = takt_list_add(reader, clocked, sizeof *last);
        if (!last) return;
        last->variable = link->variable;
        reader->indices.n = 0;
    }
    int *item = takt_list_add(reader, &reader->indices, sizeof *item);
    if (!item) return;
    *item = clock;
    last->n_clocks++;
}

// Gives the last clocked variable its clocks, and the other elements of an array the same.
static void close_clocked(reader_type *reader, takt_list *clocked)
{
    takt_clocked *last = last_clocked(clocked);
    if (!last || last->clocks) return;
    takt_dependency known = {0};
    takt_description_take_known(reader, &known);
    last->clocks = known.known;
    takt_clocked first = *last;
    int n = takt_fmi3_count(variable_at(reader, first.variable));
    for (int i = 1; i < n && first.clocks; i++) {
        takt_clocked *element = takt_list_add(reader, clocked, sizeof *element);
        if (!element) return;
        *element = first;
        element->variable += i;
    }
}

static void follow_links(reader_type *reader, takt_list *clocked)
{
    static const char *const names[] = {"previous", "derivative", "clocks"};
    const takt_link *links = reader->fmi3->links.items;
    for (int i = 0; i < reader->fmi3->links.n && !reader->out_of_memory; i++) {
        const takt_link *link = &links[i];
        int index = takt_fmi3_find(reader->fmi3, link->reference);
        bool is_next = i == 0 || links[i - 1].variable != link->variable;
        if (is_next) close_clocked(reader, clocked);
        if (index < 0) {
            takt_description_error(reader, link->line,
                                   "variable '%s': %s: no variable has value reference %lu",
                                   variable_at(reader, link->variable)->name, names[link->kind],
                                   (unsigned long)link->reference);
            continue;
        }
        const takt_variable *other = variable_at(reader, index);
        if (link->kind == TAKT_LINK_PREVIOUS) check_previous(reader, link, other);
        if (link->kind == TAKT_LINK_DERIVATIVE) check_derivative(reader, link, other);
        if (link->kind == TAKT_LINK_CLOCK) add_clocked(reader, clocked, link, other);
    }
    close_clocked(reader, clocked);
}

takt_status takt_fmi3_link(reader_type *reader, takt_error *err)
{
    takt_fmi3_reader *fmi3 = reader->fmi3;
    takt_fmi3_description *out = &reader->out->fmi3;
    takt_list clocked = {0};
    follow_links(reader, &clocked);
    out->n_clocked = clocked.n;
    out->clocked = takt_list_take(reader, &clocked, sizeof *out->clocked);
    out->n_clocks = fmi3->clocks.n;
    out->clocks = takt_list_take(reader, &fmi3->clocks, sizeof *out->clocks);
    out->n_max_sizes = fmi3->max_sizes.n;
    out->max_sizes = takt_list_take(reader, &fmi3->max_sizes, sizeof *out->max_sizes);
    return reader->out_of_memory ? takt_fail_memory(err) : TAKT_OK;
}
