// SPDX-License-Identifier: MIT
// Checks of the author's description: what the compiler cannot find and FMI 2.0 (section 2.2)
// demands. Runs once, when the FMU is built, and reports all mistakes together.
#include "check.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

typedef struct report {
    const fmukit_model *model;
    FILE *out;
    int n_mistakes;
} report;

#if defined __GNUC__
__attribute__((format(printf, 3, 4)))
#endif
static void
complain(report *r, const char *variable, const char *format, ...)
{
    fprintf(r->out, "%s: ", r->model->name ? r->model->name : "(no name)");
    if (variable) fprintf(r->out, "variable '%s': ", variable);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(r->out, format, arguments);
    va_end(arguments);
    fputc('\n', r->out);
    r->n_mistakes++;
}

static bool is_identifier(const char *text)
{
    if (!text || !(isalpha((unsigned char)*text) || *text == '_')) return false;
    while (isalnum((unsigned char)*text) || *text == '_') text++;
    return *text == 0;
}

// Names are normalized strings in XML: no line breaks, no tabs.
static bool is_name(const char *text)
{
    if (!text || !*text) return false;
    for (; *text; text++) {
        if (iscntrl((unsigned char)*text)) return false;
    }
    return true;
}

// ---- variables -------------------------------------------------------------------------------------------

static void check_field(report *r, const fmukit_variable *v)
{
    static const struct {
        size_t size;
        const char *c_type;
    } expected[] = {
        [FMUKIT_REAL] = {sizeof(double), "double"},
        [FMUKIT_INTEGER] = {sizeof(int), "int"},
        [FMUKIT_BOOLEAN] = {sizeof(bool), "bool"},
        [FMUKIT_STRING] = {sizeof(const char *), "const char *"},
        [FMUKIT_ENUMERATION] = {sizeof(int), "int"},
    };
    if (v->field.size != expected[v->type].size)
        complain(r, v->name, "its field has %lu bytes, but a variable of type %s needs '%s'",
                 (unsigned long)v->field.size, fmukit_type_name(v->type), expected[v->type].c_type);
    else if (v->field.offset + v->field.size > r->model->size)
        complain(r, v->name, "its field lies outside of the model's struct");
}

// FMI 2.0, tables in section 2.2.7.
static void check_role(report *r, const fmukit_variable *v)
{
    fmukit_variability variability = fmukit_variability_of(v);
    fmukit_initial initial = fmukit_initial_of(v);
    bool is_data = variability == FMUKIT_FIXED || variability == FMUKIT_TUNABLE;
    bool is_signal = variability == FMUKIT_DISCRETE || variability == FMUKIT_CONTINUOUS;
    bool is_constant = variability == FMUKIT_CONSTANT;
    bool ok = true;
    switch (v->causality) {
    case FMUKIT_PARAMETER: ok = is_data; break;
    case FMUKIT_CALCULATED_PARAMETER: ok = is_data; break;
    case FMUKIT_INPUT: ok = is_signal; break;
    case FMUKIT_OUTPUT: ok = is_signal || is_constant; break;
    case FMUKIT_LOCAL: break;
    }
    if (!ok)
        complain(r, v->name, "causality '%s' and variability '%s' do not go together",
                 fmukit_causality_name(v->causality), fmukit_variability_name(variability));
    if (variability == FMUKIT_CONTINUOUS && v->type != FMUKIT_REAL)
        complain(r, v->name, "only reals can have the variability 'continuous'");
    if (v->causality == FMUKIT_INPUT && v->initial != FMUKIT_USUAL_INITIAL)
        complain(r, v->name, "an input has no 'initial'");
    bool must_be_exact = v->causality == FMUKIT_PARAMETER || is_constant;
    bool is_exact = initial == FMUKIT_EXACT;
    if (ok && v->causality != FMUKIT_INPUT && (must_be_exact ? !is_exact : is_data && is_exact))
        complain(r, v->name, "it cannot have initial '%s'", fmukit_initial_name(initial));
}

static void check_range(report *r, const fmukit_variable *v)
{
    const fmukit_range *range = &v->range;
    bool is_number = v->type != FMUKIT_BOOLEAN && v->type != FMUKIT_STRING;
    if (!is_number && (range->has_min || range->has_max))
        complain(r, v->name, "only numbers have a range");
    if (range->has_min && range->has_max && !(range->min <= range->max))
        complain(r, v->name, "min %.15g is above max %.15g", range->min, range->max);
    if (v->type != FMUKIT_REAL && (v->unit || v->nominal != 0))
        complain(r, v->name, "only reals have a unit or a nominal value");
    if (!(v->nominal >= 0) || !isfinite(v->nominal))
        complain(r, v->name, "its nominal value %.15g is not positive", v->nominal);
    if (!is_number || !fmukit_has_start(v)) return;
    double start = v->type == FMUKIT_REAL ? v->start.real : v->start.integer;
    if (!isfinite(start) || !fmukit_is_in_range(range, start))
        complain(r, v->name, "its start value %.15g is outside of its range", start);
}

static void check_enumeration(report *r, const fmukit_variable *v)
{
    const fmukit_enumeration *e = v->enumeration;
    if (v->type != FMUKIT_ENUMERATION) {
        if (e) complain(r, v->name, "it names an enumeration, but its type is another one");
        return;
    }
    if (!e || !e->items || e->n_items == 0 || !is_name(e->name)) {
        complain(r, v->name, "its enumeration is missing or has no name or no items");
        return;
    }
    for (size_t i = 0; i < e->n_items; i++) {
        if (!is_name(e->items[i].name))
            complain(r, v->name, "item %lu of enumeration '%s' has no name", (unsigned long)i + 1,
                     e->name);
        for (size_t j = 0; j < i; j++) {
            if (e->items[i].value == e->items[j].value)
                complain(r, v->name, "enumeration '%s' has the value %d twice", e->name,
                         e->items[i].value);
        }
    }
    if (fmukit_has_start(v) && !fmukit_is_item(e, v->start.integer))
        complain(r, v->name, "its start value %d is no item of enumeration '%s'", v->start.integer,
                 e->name);
    for (size_t i = 0; i < r->model->n_variables; i++) {
        const fmukit_variable *other = &r->model->variables[i];
        if (other->name && strcmp(other->name, e->name) == 0)
            complain(r, v->name, "its enumeration has the name of a variable, '%s'", e->name);
        if (other->enumeration && other->enumeration != e && other->enumeration->name &&
            strcmp(other->enumeration->name, e->name) == 0)
            complain(r, v->name, "there are two enumerations with the name '%s'", e->name);
    }
}

static void check_dependencies(report *r, const fmukit_variable *v, const char *const *names)
{
    for (; names && *names; names++) {
        bool is_known = false;
        for (size_t i = 0; i < r->model->n_variables && !is_known; i++) {
            const fmukit_variable *other = &r->model->variables[i];
            is_known =
                other->causality == FMUKIT_INPUT && other->name && strcmp(other->name, *names) == 0;
        }
        if (!is_known) complain(r, v->name, "it depends on '%s', which is not an input", *names);
    }
}

static void check_variable(report *r, size_t i)
{
    const fmukit_variable *v = &r->model->variables[i];
    if (!is_name(v->name)) {
        complain(r, NULL, "variable %lu has no proper name", (unsigned long)i);
        return;
    }
    for (size_t j = 0; j < i; j++) {
        const fmukit_variable *other = &r->model->variables[j];
        if (other->name && strcmp(v->name, other->name) == 0)
            complain(r, v->name, "there are two variables with this name");
        if (v->field.offset == other->field.offset)
            complain(r, v->name, "it shares its field with '%s'", other->name);
    }
    check_field(r, v);
    check_role(r, v);
    check_range(r, v);
    check_enumeration(r, v);
    check_dependencies(r, v, v->depends_on);
    check_dependencies(r, v, v->depends_on_initially);
}

// ---- model -----------------------------------------------------------------------------------------------

int fmukit_check(const fmukit_model *model, FILE *out)
{
    report r = {.model = model, .out = out};
    const fmukit_functions *f = &model->functions;
    if (!is_identifier(model->name))
        complain(&r, NULL, "the name must consist of letters, digits and underscores");
    if (model->size == 0) complain(&r, NULL, "the size of the model's struct is missing");
    if (!model->variables || model->n_variables == 0)
        complain(&r, NULL, "there must be at least one variable");
    if (model->max_output_derivative_order < 0 ||
        (model->max_output_derivative_order > 0) != (f->output_derivative != NULL))
        complain(&r, NULL,
                 "max_output_derivative_order does not fit the function "
                 "output_derivative");
    if (model->no_rewind && f->state)
        complain(&r, NULL, "there is a function 'state', but no_rewind is set");
    bool has_experiment = model->start_time != 0 || model->stop_time != 0;
    if (has_experiment && !(model->stop_time > model->start_time))
        complain(&r, NULL, "the stop time is not behind the start time");
    if (!(model->step_size >= 0) || !(model->tolerance >= 0))
        complain(&r, NULL, "step size and tolerance must not be negative");
    for (size_t i = 0; i < model->n_units; i++) {
        if (!is_name(model->units[i].name)) complain(&r, NULL, "a unit has no name");
    }
    for (size_t i = 0; model->variables && i < model->n_variables; i++) check_variable(&r, i);
    return r.n_mistakes;
}
