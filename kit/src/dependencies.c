// SPDX-License-Identifier: MIT
// Dependencies of elements of arrays, from what the author says about variables and elements.
#include "core.h"

// Is the model still being initialized, where other dependencies hold?
static bool is_initial(const fmukit_instance *fmu)
{
    return fmu->phase & (FMUKIT_INSTANTIATED | FMUKIT_CONFIGURATION | FMUKIT_INITIALIZATION);
}

size_t fmukit_list_dependencies(const fmukit_instance *fmu, const fmukit_variable *output,
                                fmukit_dependency *out, size_t room)
{
    const fmukit_model *m = fmu->model;
    size_t n = 0;
    for (size_t v = 0; v < m->n_variables; v++) {
        const fmukit_variable *input = &m->variables[v];
        if (input->causality != FMUKIT_INPUT || !fmukit_depends_on(output, input, is_initial(fmu)))
            continue;
        for (size_t k = 0; k < fmukit_n_elements(fmu, output); k++) {
            fmukit_element of = {(size_t)(output - m->variables), fmukit_place(fmu, output, k)};
            for (size_t j = 0; j < fmukit_n_elements(fmu, input); j++) {
                fmukit_element on = {v, fmukit_place(fmu, input, j)};
                if (!m->functions.depends((fmukit_instance *)fmu, fmu->data, of, on)) continue;
                if (n < room) out[n] = (fmukit_dependency){k + 1, j + 1, (unsigned)v};
                n++;
            }
        }
    }
    return n;
}
