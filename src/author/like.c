// SPDX-License-Identifier: MIT
// See like.h. Elements of an array are variables of their own in a model; here they become an array again.
#include "author/like.h"

#include <string.h>

typedef struct source {
    takt_draft *draft;
    const takt_model *model;
    const takt_description *description;
} source;

static bool fail_to_follow(source *s, const takt_variable *v, const char *what)
{
    takt_log_problem(s->draft->log, TAKT_LEVEL_WARN, s->model->description_file, v->line,
                     "variable '%s': %s", v->name, what);
    return true;
}

// The name of a variable, or of the array it is the first element of.
static const char *name_of(const takt_model *model, int variable)
{
    const takt_variable *v = &model->variables[variable];
    return v->array ? v->array->name : v->name;
}

static bool is_first_of(const takt_model *model, int variable)
{
    const takt_array *array = model->variables[variable].array;
    return !array || array->first == variable;
}

static bool take_enumeration(source *s, const takt_variable *v, takt_draft_variable *out)
{
    const takt_type_definition *type = takt_model_type(s->model, v->declared_type);
    if (!type || type->n_items == 0) {
        out->type = TAKT_INT32;
        return fail_to_follow(s, v, "its enumeration has no items; it becomes an integer");
    }
    takt_draft_enumeration e = {type->name, type->items, type->n_items};
    // FMI 3.0 lets types and variables have the same name, the kit does not.
    while (e.name && takt_model_find(s->model, e.name) >= 0)
        e.name = takt_arena_print(&s->draft->arena, "%s_type", e.name);
    return e.name && takt_draft_add_enumeration(s->draft, &e, &out->enumeration);
}

static bool take_unit(source *s, const takt_variable *v)
{
    for (int i = 0; v->unit && i < s->model->n_units; i++)
        if (strcmp(s->model->units[i].name, v->unit) == 0)
            return takt_draft_add_unit(s->draft, &s->model->units[i]);
    return true;
}

static bool take_starts(source *s, int first, int n, takt_draft_variable *out)
{
    const takt_variable *v = &s->model->variables[first];
    if (!v->has_start) return true;
    takt_value *starts = takt_arena_array(&s->draft->arena, (size_t)n, sizeof *starts);
    for (int i = 0; starts && i < n; i++) starts[i] = v[i].start;
    out->starts = starts;
    out->n_starts = n;
    return starts != NULL;
}

static bool take_dimensions(source *s, const takt_variable *v, takt_draft_variable *out)
{
    const takt_array *array = v->array;
    if (!array) return true;
    if (array->n_elements == 0 || array->n_dimensions > TAKT_DRAFT_MAX_DIMENSIONS) {
        out->dimensions[0] = array->n_elements ? array->n_elements : 1;
        out->n_dimensions = 1;
        return fail_to_follow(s, v, "the kit has no arrays of this shape; it becomes a list");
    }
    out->n_dimensions = array->n_dimensions;
    for (int i = 0; i < array->n_dimensions; i++) out->dimensions[i] = array->dimensions[i];
    return true;
}

// Names of those among `indices` that have a causality, or are states.
static bool take_names(source *s, const takt_dependency *d, bool are_states, const char ***out,
                       int *n_out)
{
    const takt_me_description *me = &s->description->me;
    const char **names = takt_arena_array(&s->draft->arena, (size_t)d->n_known + 1, sizeof *names);
    int n = 0;
    for (int i = 0; names && i < d->n_known; i++) {
        int known = d->known[i];
        bool fits = s->model->variables[known].causality == TAKT_INPUT;
        if (are_states) {
            fits = false;
            for (int k = 0; me->states && k < me->n_states; k++) fits |= me->states[k] == known;
        }
        if (fits && is_first_of(s->model, known)) names[n++] = name_of(s->model, known);
    }
    *out = names;
    *n_out = n;
    return names != NULL;
}

static bool take_dependency(source *s, const takt_dependency *list, int n, int variable,
                            takt_draft_variable *out)
{
    for (int i = 0; list && i < n; i++) {
        if (list[i].variable != variable || !list[i].is_known) continue;
        out->has_inputs = true;
        return take_names(s, &list[i], false, &out->inputs, &out->n_inputs);
    }
    return true;
}

static bool take_derivative(source *s, int variable, takt_draft_variable *out)
{
    const takt_me_description *me = &s->description->me;
    for (int i = 0; me->derivatives && me->states && i < me->n_states; i++) {
        if (me->derivatives[i].variable != variable || me->states[i] < 0) continue;
        out->derivative_of = name_of(s->model, me->states[i]);
        return take_dependency(s, me->derivatives, me->n_states, variable, out);
    }
    return true;
}

static bool take_clocks(source *s, int variable, takt_draft_variable *out)
{
    const takt_fmi3_description *fmi3 = &s->description->fmi3;
    for (int i = 0; i < fmi3->n_clocks; i++)
        if (fmi3->clocks[i].variable == variable) out->clock = &fmi3->clocks[i];
    for (int i = 0; i < fmi3->n_clocked; i++) {
        const takt_clocked *c = &fmi3->clocked[i];
        if (c->variable != variable) continue;
        out->clocks = takt_arena_array(&s->draft->arena, (size_t)c->n_clocks, sizeof *out->clocks);
        for (int k = 0; out->clocks && k < c->n_clocks; k++)
            out->clocks[k] = s->model->variables[fmi3->clocks[c->clocks[k]].variable].name;
        out->n_clocks = c->n_clocks;
        if (!out->clocks) return false;
    }
    return true;
}

static takt_draft_variable translate(const source *s, int i)
{
    const takt_variable *v = &s->model->variables[i];
    takt_draft_variable out = takt_draft_plain(name_of(s->model, i));
    out.description = v->description;
    out.unit = takt_type_kind(v->type) == TAKT_KIND_REAL ? v->unit : NULL;
    out.type = v->type;
    out.causality = v->causality;
    out.variability = (int)v->variability;
    if (v->initial != TAKT_INITIAL_NONE) out.initial = (int)v->initial;
    out.min = v->min;
    out.max = v->max;
    if (v->has_nominal && v->nominal > 0) out.nominal = v->nominal;
    out.place = s->model->description_file;
    out.line = v->line;
    return out;
}

static bool take_variable(source *s, int i)
{
    const takt_variable *v = &s->model->variables[i];
    if (v->causality == TAKT_INDEPENDENT || !is_first_of(s->model, i)) return true;
    takt_draft_variable out = translate(s, i);
    bool ok = take_unit(s, v) && take_dimensions(s, v, &out);
    if (v->type == TAKT_ENUMERATION) ok = ok && take_enumeration(s, v, &out);
    ok = ok && take_starts(s, i, v->array ? v->array->n_elements : 1, &out);
    if (v->causality == TAKT_OUTPUT)
        ok = ok && take_dependency(s, s->model->outputs, s->model->n_outputs, i, &out);
    ok = ok && take_derivative(s, i, &out) && take_clocks(s, i, &out);
    if (ok && s->description->fmi3.is_size && s->description->fmi3.is_size[i])
        fail_to_follow(s, v, "arrays of the new FMU have fixed sizes, which it no longer changes");
    return ok && takt_draft_add(s->draft, &out);
}

bool takt_draft_take(takt_draft *draft, const takt_model *model,
                     const takt_description *description)
{
    source s = {draft, model, description};
    draft->origin = model->path;
    // Where there is no co-simulation, opening the FMU has put the other interface's identifier in its place.
    draft->has_co_simulation =
        description->identifier && description->identifier != description->me.identifier;
    draft->has_model_exchange = description->has_model_exchange;
    draft->experiment = model->experiment;
    if (!draft->description) draft->description = model->description;
    if (!draft->versions) {
        bool is_fmi1_me = description->fmi_major == 1 && !draft->has_co_simulation;
        draft->versions = is_fmi1_me                    ? "1me"
                          : description->fmi_major == 1 ? "1"
                          : description->fmi_major == 2 ? "2"
                                                        : "3";
    }
    bool ok = true;
    for (int i = 0; ok && i < model->n_variables; i++) ok = take_variable(&s, i);
    return ok;
}
