// SPDX-License-Identifier: MIT
// See draft.h. What is checked here is what would otherwise be found by the build of the new project.
#include "author/draft.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "author/c_text.h"
#include "base/text.h"

void takt_draft_clear(takt_draft *draft)
{
    takt_map_clear(&draft->names);
    free(draft->variables);
    free(draft->enumerations);
    free(draft->units);
    takt_arena_clear(&draft->arena);
}

void takt_draft_problem(takt_draft *draft, const char *place, int line, const char *format, ...)
{
    char text[TAKT_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    takt_utf8_clean(text);
    takt_log_problem(draft->log, TAKT_LEVEL_ERROR, place, line, "%s", text);
    draft->n_problems++;
}

takt_draft_variable takt_draft_plain(const char *name)
{
    return (takt_draft_variable){.name = name,
                                 .causality = TAKT_LOCAL,
                                 .variability = TAKT_DRAFT_USUAL,
                                 .initial = TAKT_DRAFT_USUAL,
                                 .min = -INFINITY,
                                 .max = INFINITY,
                                 .enumeration = -1};
}

bool takt_draft_add(takt_draft *draft, const takt_draft_variable *variable)
{
    if (takt_map_find(&draft->names, variable->name) >= 0) {
        takt_draft_problem(draft, variable->place, variable->line,
                           "there are two variables '%s'; names must differ", variable->name);
        return true;
    }
    if (!takt_grow(&draft->variables, draft->n_variables, &draft->variable_capacity,
                   sizeof *draft->variables))
        return false;
    draft->variables[draft->n_variables] = *variable;
    return takt_map_add(&draft->names, variable->name, draft->n_variables++);
}

bool takt_draft_add_enumeration(takt_draft *draft, const takt_draft_enumeration *enumeration,
                                int *index)
{
    for (int i = 0; i < draft->n_enumerations; i++) {
        *index = i;
        if (strcmp(draft->enumerations[i].name, enumeration->name) == 0) return true;
    }
    if (!takt_grow(&draft->enumerations, draft->n_enumerations, &draft->enumeration_capacity,
                   sizeof *draft->enumerations))
        return false;
    *index = draft->n_enumerations;
    draft->enumerations[draft->n_enumerations++] = *enumeration;
    return true;
}

bool takt_draft_add_unit(takt_draft *draft, const takt_unit *unit)
{
    if (!unit || !unit->has_base) return true;
    for (int i = 0; i < draft->n_units; i++)
        if (strcmp(draft->units[i].name, unit->name) == 0) return true;
    if (!takt_grow(&draft->units, draft->n_units, &draft->unit_capacity, sizeof *draft->units))
        return false;
    draft->units[draft->n_units++] = *unit;
    return true;
}

bool takt_draft_is_state(const takt_draft *draft, const takt_draft_variable *variable)
{
    for (int i = 0; i < draft->n_variables; i++) {
        const char *state = draft->variables[i].derivative_of;
        if (state && strcmp(state, variable->name) == 0) return true;
    }
    return false;
}

bool takt_draft_has_clocks(const takt_draft *draft)
{
    for (int i = 0; i < draft->n_variables; i++)
        if (draft->variables[i].type == TAKT_CLOCK) return true;
    return false;
}

static bool is_parameter(const takt_draft_variable *v)
{
    return v->causality == TAKT_PARAMETER || v->causality == TAKT_STRUCTURAL_PARAMETER;
}

takt_variability takt_draft_variability(const takt_draft_variable *v)
{
    if (v->variability != TAKT_DRAFT_USUAL) return (takt_variability)v->variability;
    if (is_parameter(v) || v->causality == TAKT_CALCULATED_PARAMETER) return TAKT_FIXED;
    bool is_real = takt_type_kind(v->type) == TAKT_KIND_REAL;
    return is_real && v->n_clocks == 0 ? TAKT_CONTINUOUS : TAKT_DISCRETE;
}

takt_initial takt_draft_initial(const takt_draft *draft, const takt_draft_variable *v)
{
    if (v->causality == TAKT_INPUT || v->type == TAKT_CLOCK) return TAKT_INITIAL_NONE;
    if (is_parameter(v) || takt_draft_variability(v) == TAKT_CONSTANT) return TAKT_EXACT;
    if (v->initial != TAKT_DRAFT_USUAL) return (takt_initial)v->initial;
    return takt_draft_is_state(draft, v) ? TAKT_EXACT : TAKT_CALCULATED;
}

// ---- checks ------------------------------------------------------------------------------------

static bool has_control_character(const char *text)
{
    for (; text && *text; text++)
        if (iscntrl((unsigned char)*text) && (unsigned char)*text < 128) return true;
    return false;
}

static void check_texts(takt_draft *d, const takt_draft_variable *v)
{
    const struct {
        const char *what, *text;
    } texts[] = {{"name", v->name}, {"description", v->description}, {"unit", v->unit}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *text = texts[i].text;
        if (text && !takt_utf8_is_valid(text))
            takt_draft_problem(d, v->place, v->line, "variable '%s': its %s is not UTF-8", v->name,
                               texts[i].what);
        else if (has_control_character(text) && (i != 1 || strpbrk(text, "\001\002\003\004")))
            takt_draft_problem(d, v->place, v->line,
                               "variable '%s': its %s has a line break or control character",
                               v->name, texts[i].what);
    }
    if (!*v->name) takt_draft_problem(d, v->place, v->line, "a variable has no name");
}

// FMI 2.0, tables in section 2.2.7; FMI 3.0, section 2.4.7.4.
static void check_role(takt_draft *d, const takt_draft_variable *v)
{
    takt_variability variability = takt_draft_variability(v);
    bool is_data = variability == TAKT_FIXED || variability == TAKT_TUNABLE;
    bool is_signal = variability == TAKT_DISCRETE || variability == TAKT_CONTINUOUS;
    bool ok = true;
    if (is_parameter(v) || v->causality == TAKT_CALCULATED_PARAMETER) ok = is_data;
    if (v->causality == TAKT_INPUT) ok = is_signal;
    if (v->causality == TAKT_OUTPUT) ok = is_signal || variability == TAKT_CONSTANT;
    if (!ok)
        takt_draft_problem(d, v->place, v->line,
                           "variable '%s': causality '%s' and variability '%s' do not go together",
                           v->name, takt_causality_name(v->causality),
                           takt_variability_name(variability));
    bool is_real = takt_type_kind(v->type) == TAKT_KIND_REAL;
    if (variability == TAKT_CONTINUOUS && !is_real)
        takt_draft_problem(d, v->place, v->line, "variable '%s': only reals can be continuous",
                           v->name);
    if (!is_real && (v->unit || v->nominal > 0))
        takt_draft_problem(d, v->place, v->line,
                           "variable '%s': only reals have a unit or a nominal value", v->name);
}

static void check_range(takt_draft *d, const takt_draft_variable *v)
{
    bool is_number = takt_type_kind(v->type) != TAKT_KIND_BYTES && v->type != TAKT_BOOLEAN &&
                     v->type != TAKT_CLOCK;
    if (!is_number && (v->min > -INFINITY || v->max < INFINITY))
        takt_draft_problem(d, v->place, v->line, "variable '%s': only numbers have min and max",
                           v->name);
    if (!is_number || v->type == TAKT_UINT64) return;
    if (v->min > v->max)
        takt_draft_problem(d, v->place, v->line, "variable '%s': min is above max", v->name);
    for (int i = 0; i < v->n_starts; i++) {
        bool is_real = takt_type_kind(v->type) == TAKT_KIND_REAL;
        double start = is_real ? v->starts[i].real : (double)v->starts[i].integer;
        if (!(start >= v->min && start <= v->max) || !isfinite(start))
            takt_draft_problem(d, v->place, v->line,
                               "variable '%s': its start value %.15g is outside of its range",
                               v->name, start);
    }
}

static void check_derivative(takt_draft *d, const takt_draft_variable *v)
{
    if (!v->derivative_of) return;
    int i = takt_map_find(&d->names, v->derivative_of);
    const takt_draft_variable *state = i < 0 ? NULL : &d->variables[i];
    bool ok = state && state->type == TAKT_FLOAT64 && v->type == TAKT_FLOAT64 &&
              takt_draft_variability(state) == TAKT_CONTINUOUS &&
              takt_draft_variability(v) == TAKT_CONTINUOUS &&
              (state->causality == TAKT_OUTPUT || state->causality == TAKT_LOCAL) &&
              (v->causality == TAKT_OUTPUT || v->causality == TAKT_LOCAL);
    if (!ok)
        takt_draft_problem(d, v->place, v->line,
                           "variable '%s': it is the derivative of '%s'; both must be continuous "
                           "outputs or local variables of type Real",
                           v->name, v->derivative_of);
}

static void check_enumeration(takt_draft *d, const takt_draft_variable *v)
{
    if (v->type != TAKT_ENUMERATION || v->enumeration < 0) return;
    const takt_draft_enumeration *e = &d->enumerations[v->enumeration];
    for (int k = 0; k < v->n_starts; k++) {
        bool is_item = false;
        for (int i = 0; i < e->n_items; i++) is_item |= e->items[i].value == v->starts[k].integer;
        if (!is_item)
            takt_draft_problem(d, v->place, v->line,
                               "variable '%s': its start value is no item of '%s'", v->name,
                               e->name);
    }
}

// ---- versions ----------------------------------------------------------------------------------

static bool is_of_fmi3_only(const takt_draft_variable *v)
{
    bool is_old = v->type == TAKT_FLOAT64 || v->type == TAKT_INT32 || v->type == TAKT_BOOLEAN ||
                  v->type == TAKT_STRING || v->type == TAKT_ENUMERATION;
    return !is_old || v->n_dimensions || v->causality == TAKT_STRUCTURAL_PARAMETER || v->n_clocks;
}

static bool is_listed(const char *versions, const char *version)
{
    size_t length = strlen(version);
    for (const char *at = versions; *at; at += strspn(at, " ")) {
        size_t n = strcspn(at, " ");
        if (n == length && strncmp(at, version, n) == 0) return true;
        at += n;
    }
    return false;
}

static void check_versions(takt_draft *d)
{
    const takt_draft_variable *modern = NULL;
    for (int i = 0; i < d->n_variables && !modern; i++)
        if (is_of_fmi3_only(&d->variables[i])) modern = &d->variables[i];
    if (!d->versions) d->versions = modern ? "3" : "2";
    for (const char *at = d->versions; *at; at += strspn(at, " ")) {
        int n = (int)strcspn(at, " ");
        bool is_version =
            (n == 1 && *at >= '1' && *at <= '3') || (n == 3 && strncmp(at, "1me", 3) == 0);
        if (!is_version)
            takt_draft_problem(d, NULL, 0, "versions of FMI are 1, 1me, 2 and 3, not '%.*s'", n,
                               at);
        else if (modern && *at != '3')
            takt_draft_problem(d, modern->place, modern->line,
                               "variable '%s' (%s) needs FMI 3.0, but an FMU of FMI %.*s is asked "
                               "for",
                               modern->name, takt_type_name(modern->type), n, at);
        at += n;
    }
    bool has_states = false;
    for (int i = 0; i < d->n_variables; i++) has_states |= d->variables[i].derivative_of != NULL;
    if (is_listed(d->versions, "1me") && !has_states && !d->has_model_exchange)
        takt_draft_problem(d, NULL, 0, "an FMU for model exchange (1me) needs a state");
    if (is_listed(d->versions, "3") && takt_map_find(&d->names, "time") >= 0)
        takt_draft_problem(d, NULL, 0, "in FMI 3.0 'time' is the name of the independent variable");
}

static bool name_fields(takt_draft *d)
{
    takt_map taken = {0};
    bool ok = true;
    for (int i = 0; ok && i < d->n_variables; i++) {
        takt_draft_variable *v = &d->variables[i];
        v->field = takt_c_identifier(&d->arena, v->name, &taken);
        ok = v->field != NULL;
    }
    takt_map_clear(&taken);
    return ok;
}

takt_status takt_draft_finish(takt_draft *d, takt_error *err)
{
    takt_map none = {0};
    if (!takt_c_is_identifier(d->name)) {
        const char *better = takt_c_identifier(&d->arena, d->name, &none);
        takt_map_clear(&none);
        takt_draft_problem(d, NULL, 0,
                           "'%s' cannot be the name of an FMU, which has letters, digits and "
                           "underscores only; try '%s'",
                           d->name, better ? better : "Model");
    }
    if (d->n_variables == 0 && d->n_problems == 0)
        takt_draft_problem(d, NULL, 0,
                           "there are no variables; give some, e.g. --input u:unit=W --output y, "
                           "or --variables FILE, or --like FMU");
    for (int i = 0; i < d->n_variables; i++) {
        const takt_draft_variable *v = &d->variables[i];
        check_texts(d, v);
        check_role(d, v);
        check_range(d, v);
        check_derivative(d, v);
        check_enumeration(d, v);
    }
    check_versions(d);
    if (d->n_problems)
        return takt_fail(err, TAKT_ERR_USAGE, "nothing was written: %d problem%s", d->n_problems,
                         d->n_problems == 1 ? "" : "s");
    return name_fields(d) ? TAKT_OK : takt_fail_memory(err);
}
