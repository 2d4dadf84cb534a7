// SPDX-License-Identifier: MIT
// Checks of the author's description: what the compiler cannot find and FMI demands (2.0: section
// 2.2, 3.0: section 2.4), and what the version to be written does not have. Runs when the FMU is
// built, and reports all mistakes together. What it lets pass, the core relies on.
#include "check.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

typedef struct report {
    const fmukit_model *model;
    int version;
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

// What the version does not have. A variable that has it is not looked at any further.
static bool is_known_to_version(report *r, const fmukit_variable *v)
{
    if (r->version == 3) return true;
    const char *lacking = NULL;
    if (!fmukit_facts(v->type)->old_name)
        lacking = fmukit_type_name(v->type, r->version);
    else if (fmukit_is_array(v))
        lacking = "array";
    else if (v->causality == FMUKIT_STRUCTURAL_PARAMETER)
        lacking = "structural parameter";
    if (lacking)
        complain(r, v->name,
                 "it is of the kind '%s', which FMI %d.0 does not have: build this FMU for FMI 3.0 "
                 "only (VERSIONS 3)",
                 lacking, r->version);
    return !lacking;
}

static void check_field(report *r, const fmukit_variable *v)
{
    const fmukit_type_facts *facts = fmukit_facts(v->type);
    size_t n = fmukit_capacity(v);
    if (v->field.size != n * facts->size && n == 1)
        complain(r, v->name, "its field has %lu bytes, but a variable of type %s needs '%s'",
                 (unsigned long)v->field.size, fmukit_type_name(v->type, r->version),
                 facts->c_type);
    else if (v->field.size != n * facts->size)
        complain(r, v->name,
                 "its field has %lu bytes, but an array of type %s with these dimensions needs "
                 "%lu times '%s'",
                 (unsigned long)v->field.size, fmukit_type_name(v->type, r->version),
                 (unsigned long)n, facts->c_type);
    else if (v->field.offset > r->model->size || v->field.size > r->model->size - v->field.offset)
        complain(r, v->name, "its field lies outside of the model's struct");
}

// The parameter of a dimension must keep it within the field, whatever is set or loaded.
static void check_dimension(report *r, const fmukit_variable *v, const fmukit_dimension *d)
{
    if (!d->parameter) return;
    size_t i = fmukit_find_variable(r->model, d->parameter);
    const fmukit_variable *p = i < r->model->n_variables ? &r->model->variables[i] : NULL;
    if (!p || p->causality != FMUKIT_STRUCTURAL_PARAMETER || p->type != FMUKIT_UINT64) {
        complain(r, v->name, "its size '%s' is not a structural parameter of type UInt64",
                 d->parameter);
        return;
    }
    if (!p->range.has_max || !(p->range.max <= (double)d->size))
        complain(r, v->name, "its size '%s' needs a range that ends at %lu or below", d->parameter,
                 (unsigned long)d->size);
    if (p->start.natural == 0) complain(r, v->name, "its size '%s' begins with 0", d->parameter);
}

static void check_shape(report *r, const fmukit_variable *v)
{
    for (size_t d = 0; d < FMUKIT_MAX_DIMENSIONS && v->dimensions[d].size; d++)
        check_dimension(r, v, &v->dimensions[d]);
    bool is_structural = v->causality == FMUKIT_STRUCTURAL_PARAMETER;
    if (fmukit_is_array(v) && (v->type == FMUKIT_CLOCK || is_structural))
        complain(r, v->name, "a %s cannot be an array",
                 is_structural ? "structural parameter" : "clock");
    if (v->starts && !fmukit_is_array(v))
        complain(r, v->name, "it has several start values, but is no array");
}

static void check_clock(report *r, const fmukit_variable *v)
{
    const fmukit_clock *clock = &v->clock;
    bool is_periodic = clock->kind == FMUKIT_PERIODIC,
         is_triggered = clock->kind == FMUKIT_TRIGGERED;
    for (const char *const *name = v->clocks; name && *name; name++) {
        size_t i = fmukit_find_variable(r->model, *name);
        if (i >= r->model->n_variables || r->model->variables[i].type != FMUKIT_CLOCK)
            complain(r, v->name, "it belongs to '%s', which is not a clock", *name);
    }
    fmukit_variability variability = fmukit_variability_of(v);
    if (v->clocks && variability != FMUKIT_DISCRETE && variability != FMUKIT_TUNABLE)
        complain(r, v->name, "what belongs to a clock must be discrete or tunable");
    if (v->type != FMUKIT_CLOCK) return;
    if (!r->model->functions.event) complain(r, v->name, "a clock needs the function 'event'");
    if (variability != FMUKIT_DISCRETE || v->causality == FMUKIT_PARAMETER ||
        v->causality == FMUKIT_CALCULATED_PARAMETER)
        complain(r, v->name, "a clock is a discrete input, output or local variable");
    if (!is_triggered && v->causality != FMUKIT_INPUT)
        complain(r, v->name, "only inputs can be clocks that are not triggered");
    if (!is_triggered && !is_periodic && !r->model->functions.interval)
        complain(r, v->name, "the clock needs the function 'interval'");
    double interval = fmukit_clock_interval(clock), shift = fmukit_clock_shift(clock);
    bool has_times = interval > 0 && isfinite(interval) && shift >= 0 && isfinite(shift);
    if (is_periodic && !has_times)
        complain(r, v->name, "interval %.15g or shift %.15g of the clock makes no sense", interval,
                 shift);
    if (clock->resolution && (clock->interval != 0 || clock->shift != 0))
        complain(r, v->name, "the clock has both decimal times and fractions");
}

// FMI 2.0, tables in section 2.2.7; FMI 3.0, section 2.4.7.4.
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
    case FMUKIT_STRUCTURAL_PARAMETER: ok = is_data; break;
    case FMUKIT_INPUT: ok = is_signal; break;
    case FMUKIT_OUTPUT: ok = is_signal || is_constant; break;
    case FMUKIT_LOCAL: break;
    }
    if (!ok)
        complain(r, v->name, "causality '%s' and variability '%s' do not go together",
                 fmukit_causality_name(v->causality), fmukit_variability_name(variability));
    if (variability == FMUKIT_CONTINUOUS && !fmukit_facts(v->type)->is_real)
        complain(r, v->name, "only reals can have the variability 'continuous'");
    bool has_initial = v->causality != FMUKIT_INPUT && v->type != FMUKIT_CLOCK;
    if (!has_initial && v->initial != FMUKIT_USUAL_INITIAL)
        complain(r, v->name, "%s has no 'initial'",
                 v->causality == FMUKIT_INPUT ? "an input" : "a clock");
    bool must_be_exact = v->causality == FMUKIT_PARAMETER ||
                         v->causality == FMUKIT_STRUCTURAL_PARAMETER || is_constant;
    bool is_exact = initial == FMUKIT_EXACT;
    if (ok && has_initial && (must_be_exact ? !is_exact : is_data && is_exact))
        complain(r, v->name, "it cannot have initial '%s'", fmukit_initial_name(initial));
}

static void check_range(report *r, const fmukit_variable *v)
{
    const fmukit_range *range = &v->range;
    const fmukit_type_facts *facts = fmukit_facts(v->type);
    bool is_number = facts->is_number;
    if (!is_number && (range->has_min || range->has_max))
        complain(r, v->name, "only numbers have a range");
    if (range->has_min && range->has_max && !(range->min <= range->max))
        complain(r, v->name, "min %.15g is above max %.15g", range->min, range->max);
    if (!facts->is_real && (v->unit || v->nominal != 0))
        complain(r, v->name, "only reals have a unit or a nominal value");
    if (!(v->nominal >= 0) || !isfinite(v->nominal))
        complain(r, v->name, "its nominal value %.15g is not positive", v->nominal);
    if (!is_number || !fmukit_has_start(v)) return;
    double start = facts->is_real             ? v->start.real
                   : v->type == FMUKIT_UINT64 ? (double)v->start.natural
                                              : (double)v->start.integer;
    bool is_held = facts->is_real || (start >= facts->min && start <= facts->max);
    if (!isfinite(start) || !is_held || !fmukit_is_in_range(range, start))
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
        if (r->version == 1 && e->items[i].value != (int)i + 1)
            complain(r, v->name,
                     "item %lu of enumeration '%s' has the value %d, but FMI 1.0 can only count "
                     "items from 1 on",
                     (unsigned long)i + 1, e->name, e->items[i].value);
        for (size_t j = 0; j < i; j++) {
            if (e->items[i].value == e->items[j].value)
                complain(r, v->name, "enumeration '%s' has the value %d twice", e->name,
                         e->items[i].value);
        }
    }
    if (fmukit_has_start(v) && !fmukit_is_item(e, v->start.integer))
        complain(r, v->name, "its start value %ld is no item of enumeration '%s'",
                 (long)v->start.integer, e->name);
    for (size_t i = 0; i < r->model->n_variables; i++) {
        const fmukit_variable *other = &r->model->variables[i];
        if (other->name && strcmp(other->name, e->name) == 0)
            complain(r, v->name, "its enumeration has the name of a variable, '%s'", e->name);
        if (other->enumeration && other->enumeration != e && other->enumeration->name &&
            strcmp(other->enumeration->name, e->name) == 0)
            complain(r, v->name, "there are two enumerations with the name '%s'", e->name);
    }
}

static const fmukit_variable *find(const report *r, const char *name)
{
    size_t i = fmukit_find_variable(r->model, name);
    return i < r->model->n_variables ? &r->model->variables[i] : NULL;
}

static void check_dependencies(report *r, const fmukit_variable *v, const char *const *names)
{
    for (; names && *names; names++) {
        const fmukit_variable *other = find(r, *names);
        if (!other || other->causality != FMUKIT_INPUT)
            complain(r, v->name, "it depends on '%s', which is not an input", *names);
    }
}

// States, derivatives and indicators are what the kit gathers as arrays of double.
static bool is_continuous_real(const fmukit_variable *v)
{
    return v->type == FMUKIT_REAL && fmukit_variability_of(v) == FMUKIT_CONTINUOUS &&
           (v->causality == FMUKIT_OUTPUT || v->causality == FMUKIT_LOCAL);
}

static bool is_of_same_shape(const fmukit_variable *a, const fmukit_variable *b)
{
    for (size_t d = 0; d < FMUKIT_MAX_DIMENSIONS; d++) {
        const char *p = a->dimensions[d].parameter, *q = b->dimensions[d].parameter;
        if (a->dimensions[d].size != b->dimensions[d].size || !p != !q || (p && strcmp(p, q) != 0))
            return false;
        if (a->dimensions[d].size == 0) break;
    }
    return true;
}

static void check_derivative(report *r, const fmukit_variable *v)
{
    const fmukit_variable *state = find(r, v->derivative_of);
    if (!state || !is_continuous_real(state)) {
        complain(r, v->name,
                 "it is the derivative of '%s', which is not a continuous real output or local "
                 "variable",
                 v->derivative_of);
        return;
    }
    if (!is_of_same_shape(v, state))
        complain(r, v->name, "its dimensions differ from those of its state '%s'", state->name);
    for (const fmukit_variable *other = r->model->variables; other < v; other++) {
        if (other->derivative_of && strcmp(other->derivative_of, v->derivative_of) == 0)
            complain(r, v->name, "'%s' is the derivative of '%s' already", other->name,
                     state->name);
    }
}

static void check_continuous(report *r, const fmukit_variable *v)
{
    if ((v->derivative_of || v->is_indicator) && !is_continuous_real(v))
        complain(r, v->name,
                 "a derivative or event indicator is a continuous real output or local variable");
    if (v->derivative_of) check_derivative(r, v);
    if (v->is_indicator && !r->model->functions.event)
        complain(r, v->name, "an event indicator needs the function 'event'");
    for (const char *const *name = v->depends_on_states; name && *name; name++) {
        const fmukit_variable *other = find(r, *name);
        if (!other || !fmukit_is_state(r->model, other))
            complain(r, v->name, "it depends on '%s', which is not a continuous state", *name);
    }
}

static void check_identity(report *r, const fmukit_variable *v, size_t i)
{
    if (r->version == 3 && strcmp(v->name, "time") == 0)
        complain(r, v->name, "in FMI 3.0 this is the name of the independent variable");
    for (size_t j = 0; j < i; j++) {
        const fmukit_variable *other = &r->model->variables[j];
        if (other->name && strcmp(v->name, other->name) == 0)
            complain(r, v->name, "there are two variables with this name");
        if (v->field.offset == other->field.offset)
            complain(r, v->name, "it shares its field with '%s'", other->name);
    }
}

static void check_variable(report *r, size_t i)
{
    const fmukit_variable *v = &r->model->variables[i];
    if (!is_name(v->name)) {
        complain(r, NULL, "variable %lu has no proper name", (unsigned long)i);
        return;
    }
    check_identity(r, v, i);
    if (!is_known_to_version(r, v)) return;
    check_field(r, v);
    check_shape(r, v);
    check_clock(r, v);
    check_role(r, v);
    check_range(r, v);
    check_enumeration(r, v);
    check_dependencies(r, v, v->depends_on);
    check_dependencies(r, v, v->depends_on_initially);
    check_continuous(r, v);
}

// ---- model -----------------------------------------------------------------------------------------------

int fmukit_check(const fmukit_model *model, int version, FILE *out)
{
    report r = {.model = model, .version = version, .out = out};
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
    if (model->interpolates_inputs && !f->step)
        complain(&r, NULL, "interpolates_inputs is set, but there is no function 'step'");
    if (model->holds_inputs && f->step)
        complain(&r, NULL,
                 "holds_inputs is set, but there is a function 'step', which holds them anyway");
    if (model->no_rewind && f->state)
        complain(&r, NULL, "there is a function 'state', but no_rewind is set");
    unsigned interfaces = fmukit_interfaces(model);
    if (interfaces > (FMUKIT_CO_SIMULATION | FMUKIT_MODEL_EXCHANGE))
        complain(&r, NULL, "there are no such interfaces: %u", interfaces);
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
