// SPDX-License-Identifier: MIT
// Derivatives of outputs: by inputs, from the author's partial derivatives, and by time.
#include "core.h"

// NULL with a message unless the variable is a real one with the given role.
static const fmukit_variable *find_real(fmukit_instance *fmu, unsigned reference, bool is_unknown)
{
    bool is_short = reference < fmu->model->n_variables &&
                    fmu->model->variables[reference].type == FMUKIT_FLOAT32;
    const fmukit_variable *variable =
        fmukit_find(fmu, is_short ? FMUKIT_FLOAT32 : FMUKIT_REAL, reference);
    if (!variable) return NULL;
    bool is_start = fmu->phase == FMUKIT_INITIALIZATION;
    bool fits_role =
        is_unknown ? variable->causality == FMUKIT_OUTPUT || variable->derivative_of ||
                         (is_start && variable->causality == FMUKIT_CALCULATED_PARAMETER)
                   : variable->causality == FMUKIT_INPUT || fmukit_is_state(fmu->model, variable) ||
                         (is_start && fmukit_initial_of(variable) == FMUKIT_EXACT);
    if (fits_role) return variable;
    fmukit_fail(fmu, FMUKIT_ERROR, "variable '%s' (%s) cannot be %s of a derivative here",
                variable->name, fmukit_causality_name(variable->causality),
                is_unknown ? "the unknown" : "a known");
    return NULL;
}

// All elements of some variables, one after the other.
typedef struct walk {
    const fmukit_instance *fmu;
    const unsigned *references;
    size_t n, i, k; ///< the next element is the k-th of variable i
} walk;

static bool next_element(walk *w, fmukit_element *element)
{
    for (; w->i < w->n; w->i++, w->k = 0) {
        const fmukit_variable *variable = &w->fmu->model->variables[w->references[w->i]];
        if (w->k >= fmukit_n_elements(w->fmu, variable)) continue;
        *element = (fmukit_element){w->references[w->i], fmukit_place(w->fmu, variable, w->k)};
        w->k++;
        return true;
    }
    return false;
}

// Are all of them fit for their role, and are there as many elements as values?
static bool are_fit(fmukit_instance *fmu, const unsigned *references, size_t n, bool is_unknown,
                    const double *values, size_t n_values)
{
    if (!fmukit_are_given(fmu, references, values, n)) return false;
    size_t n_elements = 0;
    for (size_t i = 0; i < n; i++) {
        const fmukit_variable *variable = find_real(fmu, references[i], is_unknown);
        if (!variable) return false;
        n_elements += fmukit_n_elements(fmu, variable);
    }
    if (n_elements == n_values) return true;
    fmukit_fail(fmu, FMUKIT_ERROR, "the %s have %lu elements, but %lu values are given",
                is_unknown ? "unknowns" : "knowns", (unsigned long)n_elements,
                (unsigned long)n_values);
    return false;
}

static fmukit_status multiply(fmukit_instance *fmu, const fmukit_jacobian *j, bool is_adjoint,
                              const double *seed, double *sensitivity)
{
    const fmukit_functions *f = &fmu->model->functions;
    walk rows = {.fmu = fmu, .references = j->unknowns, .n = j->n_unknowns};
    fmukit_element unknown, known;
    fmukit_status status = FMUKIT_OK;
    for (size_t row = 0; next_element(&rows, &unknown); row++) {
        walk columns = {.fmu = fmu, .references = j->knowns, .n = j->n_knowns};
        for (size_t column = 0; next_element(&columns, &known); column++) {
            double partial = 0;
            status = f->derivative(fmu, fmu->data, unknown, known, &partial);
            status = fmukit_judge(fmu, status, "derivative");
            if (fmukit_is_failure(status)) return status;
            if (is_adjoint)
                sensitivity[column] += partial * seed[row];
            else
                sensitivity[row] += partial * seed[column];
        }
    }
    return status;
}

fmukit_status fmukit_differentiate(fmukit_instance *fmu, const fmukit_jacobian *j, bool is_adjoint,
                                   const double *seed, size_t n_seed, double *sensitivity,
                                   size_t n_sensitivity)
{
    if (!fmu->model->functions.derivative)
        return fmukit_fail(fmu, FMUKIT_ERROR, "the model provides no directional derivatives");
    const double *rows = is_adjoint ? seed : sensitivity,
                 *columns = is_adjoint ? sensitivity : seed;
    size_t n_rows = is_adjoint ? n_seed : n_sensitivity;
    size_t n_columns = is_adjoint ? n_sensitivity : n_seed;
    if (!are_fit(fmu, j->unknowns, j->n_unknowns, true, rows, n_rows) ||
        !are_fit(fmu, j->knowns, j->n_knowns, false, columns, n_columns))
        return FMUKIT_ERROR;
    fmukit_status status = fmukit_refresh(fmu);
    if (fmukit_is_failure(status)) return status;
    for (size_t i = 0; i < n_sensitivity; i++) sensitivity[i] = 0;
    return fmukit_worse(status, multiply(fmu, j, is_adjoint, seed, sensitivity));
}

fmukit_status fmukit_get_output_derivatives(fmukit_instance *fmu, const unsigned *references,
                                            size_t n, const int *orders, double *values,
                                            size_t n_values)
{
    const fmukit_functions *f = &fmu->model->functions;
    int max_order = f->output_derivative ? fmu->model->max_output_derivative_order : 0;
    if (!fmukit_are_given(fmu, references, orders, n) ||
        !are_fit(fmu, references, n, true, values, n_values))
        return FMUKIT_ERROR;
    for (size_t i = 0; i < n; i++) {
        if (orders[i] < 1 || orders[i] > max_order)
            return fmukit_fail(fmu, FMUKIT_ERROR,
                               "derivatives of outputs exist from order 1 to %d, not of order %d",
                               max_order, orders[i]);
    }
    fmukit_status status = fmukit_refresh(fmu);
    walk w = {.fmu = fmu, .references = references, .n = n};
    fmukit_element output;
    for (size_t i = 0; !fmukit_is_failure(status) && next_element(&w, &output); i++) {
        status = f->output_derivative(fmu, fmu->data, output, orders[w.i], &values[i]);
        status = fmukit_judge(fmu, status, "output_derivative");
    }
    return status;
}
