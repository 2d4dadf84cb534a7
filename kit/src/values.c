// SPDX-License-Identifier: MIT
// Reading and writing variables: which may be set when (FMI 2.0, sections 2.2.7 and 4.2.4), ranges,
// and derivatives. Everything is checked before anything is written.
#include "core.h"

#include <string.h>

// Enumerations travel as integers.
static bool fits(const fmukit_variable *variable, fmukit_type type)
{
    return variable->type == type ||
           (variable->type == FMUKIT_ENUMERATION && type == FMUKIT_INTEGER);
}

static bool are_arrays_given(fmukit_instance *fmu, const void *references, const void *values,
                             size_t n)
{
    if (n == 0 || (references && values)) return true;
    fmukit_fail(fmu, FMUKIT_ERROR, "a pointer is NULL where %lu values are expected",
                (unsigned long)n);
    return false;
}

// NULL with a message if there is no such variable of this type.
static const fmukit_variable *find(fmukit_instance *fmu, fmukit_type type, unsigned reference)
{
    if (reference >= fmu->model->n_variables) {
        fmukit_fail(fmu, FMUKIT_ERROR, "there is no variable with value reference %u", reference);
        return NULL;
    }
    const fmukit_variable *variable = &fmu->model->variables[reference];
    if (fits(variable, type)) return variable;
    fmukit_fail(fmu, FMUKIT_ERROR, "variable '%s' (value reference %u) has type %s, not %s",
                variable->name, reference, fmukit_type_name(variable->type),
                fmukit_type_name(type));
    return NULL;
}

static bool is_computed(const fmukit_variable *variable)
{
    return variable->causality != FMUKIT_INPUT && variable->causality != FMUKIT_PARAMETER;
}

static void read_value(const fmukit_instance *fmu, fmukit_type type, size_t variable, void *values,
                       size_t i)
{
    const void *field = fmukit_at(fmu, variable);
    switch (type) {
    case FMUKIT_REAL: ((double *)values)[i] = *(const double *)field; break;
    case FMUKIT_INTEGER:
    case FMUKIT_ENUMERATION: ((int *)values)[i] = *(const int *)field; break;
    case FMUKIT_BOOLEAN: ((int *)values)[i] = *(const bool *)field; break;
    case FMUKIT_STRING: ((const char **)values)[i] = *(const char *const *)field; break;
    }
}

fmukit_status fmukit_get(fmukit_instance *fmu, fmukit_type type, const unsigned *references,
                         size_t n, void *values)
{
    if (!are_arrays_given(fmu, references, values, n)) return FMUKIT_ERROR;
    bool needs_refresh = false;
    for (size_t i = 0; i < n; i++) {
        const fmukit_variable *variable = find(fmu, type, references[i]);
        if (!variable) return FMUKIT_ERROR;
        needs_refresh |= is_computed(variable);
    }
    fmukit_status status = needs_refresh ? fmukit_refresh(fmu) : FMUKIT_OK;
    if (status != FMUKIT_OK && status != FMUKIT_WARNING) return status;
    for (size_t i = 0; i < n; i++) read_value(fmu, type, references[i], values, i);
    return status;
}

// ---- writing -------------------------------------------------------------------------------------------

static bool may_be_set(const fmukit_variable *variable, fmukit_phase phase)
{
    if (fmukit_variability_of(variable) == FMUKIT_CONSTANT) return false;
    fmukit_initial initial = fmukit_initial_of(variable);
    bool is_input = variable->causality == FMUKIT_INPUT;
    switch (phase) {
    case FMUKIT_INSTANTIATED: return initial == FMUKIT_EXACT || initial == FMUKIT_APPROX;
    case FMUKIT_INITIALIZATION: return initial == FMUKIT_EXACT || is_input;
    default:
        return is_input || (variable->causality == FMUKIT_PARAMETER &&
                            fmukit_variability_of(variable) == FMUKIT_TUNABLE);
    }
}

// What is wrong with the value, if anything; says so.
static fmukit_status judge_value(fmukit_instance *fmu, const fmukit_variable *variable,
                                 const void *values, size_t i)
{
    if (variable->type == FMUKIT_STRING)
        return ((const char *const *)values)[i]
                   ? FMUKIT_OK
                   : fmukit_fail(fmu, FMUKIT_ERROR, "the string for variable '%s' is NULL",
                                 variable->name);
    if (variable->type == FMUKIT_BOOLEAN) return FMUKIT_OK;
    bool is_real = variable->type == FMUKIT_REAL;
    double value = is_real ? ((const double *)values)[i] : ((const int *)values)[i];
    if (variable->type == FMUKIT_ENUMERATION && !fmukit_is_item(variable->enumeration, (int)value))
        return fmukit_fail(fmu, FMUKIT_DISCARD,
                           "%.15g is no value of the enumeration '%s' of variable '%s'", value,
                           variable->enumeration->name, variable->name);
    if (fmukit_is_in_range(&variable->range, value)) return FMUKIT_OK;
    bool is_forgiven = is_real && variable->causality == FMUKIT_INPUT;
    return fmukit_fail(fmu, is_forgiven ? FMUKIT_WARNING : FMUKIT_DISCARD,
                       "%.15g is outside of the range of variable '%s'", value, variable->name);
}

static fmukit_status judge_set(fmukit_instance *fmu, fmukit_type type, unsigned reference,
                               const void *values, size_t i)
{
    const fmukit_variable *variable = find(fmu, type, reference);
    if (!variable) return FMUKIT_ERROR;
    if (may_be_set(variable, fmu->phase)) return judge_value(fmu, variable, values, i);
    return fmukit_fail(fmu, FMUKIT_ERROR, "variable '%s' (%s, %s) cannot be set in the state '%s'",
                       variable->name, fmukit_causality_name(variable->causality),
                       fmukit_variability_name(fmukit_variability_of(variable)),
                       fmukit_phase_name(fmu->phase));
}

static void write_value(const fmukit_instance *fmu, fmukit_type type, size_t variable,
                        const void *values, size_t i)
{
    void *field = fmukit_at(fmu, variable);
    switch (type) {
    case FMUKIT_REAL: *(double *)field = ((const double *)values)[i]; break;
    case FMUKIT_INTEGER:
    case FMUKIT_ENUMERATION: *(int *)field = ((const int *)values)[i]; break;
    case FMUKIT_BOOLEAN: *(bool *)field = ((const int *)values)[i] != 0; break;
    case FMUKIT_STRING: *(const char **)field = ((const char *const *)values)[i]; break;
    }
}

fmukit_status fmukit_set(fmukit_instance *fmu, fmukit_type type, const unsigned *references,
                         size_t n, const void *values)
{
    if (!are_arrays_given(fmu, references, values, n)) return FMUKIT_ERROR;
    fmukit_status worst = FMUKIT_OK;
    for (size_t i = 0; i < n; i++) {
        fmukit_status status = judge_set(fmu, type, references[i], values, i);
        if (status > FMUKIT_WARNING) return status;
        if (status > worst) worst = status;
    }
    for (size_t i = 0; i < n; i++) write_value(fmu, type, references[i], values, i);
    fmu->is_stale = true;
    if (type == FMUKIT_STRING && !fmukit_adopt_texts(fmu))
        return fmukit_fail(fmu, FMUKIT_ERROR, "out of memory for strings");
    return worst;
}

// Those without a start value begin with 0, false or "".
void fmukit_set_start_values(fmukit_instance *fmu)
{
    for (size_t i = 0; i < fmu->model->n_variables; i++) {
        const fmukit_variable *variable = &fmu->model->variables[i];
        if (!fmukit_has_start(variable)) continue;
        int boolean = variable->type == FMUKIT_BOOLEAN && variable->start.boolean;
        bool is_boolean = variable->type == FMUKIT_BOOLEAN;
        const void *start = is_boolean ? (const void *)&boolean : (const void *)&variable->start;
        write_value(fmu, variable->type, i, start, 0);
    }
}

// ---- derivatives -----------------------------------------------------------------------------------------

// NULL with a message unless the variable is a real one with the given role.
static const fmukit_variable *find_real(fmukit_instance *fmu, unsigned reference, bool is_unknown)
{
    const fmukit_variable *variable = find(fmu, FMUKIT_REAL, reference);
    if (!variable) return NULL;
    bool is_start = fmu->phase == FMUKIT_INITIALIZATION;
    bool fits_role = is_unknown
                         ? variable->causality == FMUKIT_OUTPUT ||
                               (is_start && variable->causality == FMUKIT_CALCULATED_PARAMETER)
                         : variable->causality == FMUKIT_INPUT ||
                               (is_start && fmukit_initial_of(variable) == FMUKIT_EXACT);
    if (fits_role) return variable;
    fmukit_fail(fmu, FMUKIT_ERROR, "variable '%s' (%s) cannot be %s of a derivative here",
                variable->name, fmukit_causality_name(variable->causality),
                is_unknown ? "the unknown" : "a known");
    return NULL;
}

fmukit_status fmukit_differentiate(fmukit_instance *fmu, const unsigned *unknowns,
                                   size_t n_unknowns, const unsigned *knowns, size_t n_knowns,
                                   const double *seed, double *derivative)
{
    const fmukit_functions *f = &fmu->model->functions;
    if (!f->derivative)
        return fmukit_fail(fmu, FMUKIT_ERROR, "the model provides no directional derivatives");
    if (!are_arrays_given(fmu, unknowns, derivative, n_unknowns) ||
        !are_arrays_given(fmu, knowns, seed, n_knowns))
        return FMUKIT_ERROR;
    for (size_t i = 0; i < n_unknowns; i++) {
        if (!find_real(fmu, unknowns[i], true)) return FMUKIT_ERROR;
    }
    for (size_t j = 0; j < n_knowns; j++) {
        if (!find_real(fmu, knowns[j], false)) return FMUKIT_ERROR;
    }
    fmukit_status status = fmukit_refresh(fmu);
    for (size_t i = 0; i < n_unknowns && status <= FMUKIT_WARNING; i++) {
        derivative[i] = 0;
        for (size_t j = 0; j < n_knowns && status <= FMUKIT_WARNING; j++) {
            double partial = 0;
            status = f->derivative(fmu, fmu->data, unknowns[i], knowns[j], &partial);
            status = fmukit_judge(fmu, status, "derivative");
            derivative[i] += partial * seed[j];
        }
    }
    return status;
}

fmukit_status fmukit_get_output_derivatives(fmukit_instance *fmu, const unsigned *references,
                                            size_t n, const int *orders, double *values)
{
    const fmukit_model *model = fmu->model;
    int max_order = model->functions.output_derivative ? model->max_output_derivative_order : 0;
    if (!are_arrays_given(fmu, references, values, n) || !are_arrays_given(fmu, orders, values, n))
        return FMUKIT_ERROR;
    for (size_t i = 0; i < n; i++) {
        if (!find_real(fmu, references[i], true)) return FMUKIT_ERROR;
        if (orders[i] < 1 || orders[i] > max_order)
            return fmukit_fail(fmu, FMUKIT_ERROR,
                               "derivatives of outputs exist from order 1 to %d, not of order %d",
                               max_order, orders[i]);
    }
    fmukit_status status = fmukit_refresh(fmu);
    for (size_t i = 0; i < n && status <= FMUKIT_WARNING; i++) {
        status = model->functions.output_derivative(fmu, fmu->data, references[i], orders[i],
                                                    &values[i]);
        status = fmukit_judge(fmu, status, "output_derivative");
    }
    return status;
}
