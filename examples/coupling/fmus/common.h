// SPDX-License-Identifier: MIT
// What the FMUs of the coupling examples share: rows of their tables of variables, the test of their
// inputs, and the integration of a single state.
#ifndef EXAMPLES_COUPLING_COMMON_H
#define EXAMPLES_COUPLING_COMMON_H

#include <fmukit/fmukit.h>

#define PI 3.14159265358979323846

// Rows of the table, for a struct called `model`.
#define INPUT(member_, text)                                                                       \
    {                                                                                              \
        .name = #member_, .description = text, .causality = FMUKIT_INPUT,                          \
        .field = FMUKIT_FIELD(model, member_)                                                      \
    }
#define PARAMETER(member_, value, text)                                                            \
    {                                                                                              \
        .name = #member_, .description = text, .causality = FMUKIT_PARAMETER,                      \
        .field = FMUKIT_FIELD(model, member_), .start = {                                          \
            .real = value                                                                          \
        }                                                                                          \
    }
#define OUTPUT(member_, inputs, text)                                                              \
    {                                                                                              \
        .name = #member_, .description = text, .causality = FMUKIT_OUTPUT,                         \
        .field = FMUKIT_FIELD(model, member_), .depends_on = inputs                                \
    }
#define STATE(member_, text)                                                                       \
    {                                                                                              \
        .name = #member_, .description = text, .causality = FMUKIT_LOCAL,                          \
        .field = FMUKIT_FIELD(model, member_)                                                      \
    }
/// Into how many pieces a communication step is divided by integrate().
#define SUBSTEPS(number)                                                                           \
    {                                                                                              \
        .name = "substeps", .description = "Internal steps per communication step",                \
        .type = FMUKIT_INTEGER, .causality = FMUKIT_PARAMETER,                                     \
        .field = FMUKIT_FIELD(model, substeps), .start = {.integer = number},                      \
        .range = FMUKIT_RANGE(1, 10000)                                                            \
    }

/// What is the same in the descriptions of all models.
#define MODEL(name_, text)                                                                         \
    .name = name_, .description = text, .version = "1", .size = sizeof(model),                     \
    .variables = variables, .n_variables = sizeof variables / sizeof *variables

/// Refuses inputs that are not finite or larger than 1e300, with a message that names the input:
/// what a simulator does when an iteration runs away. The inputs are those of the table.
fmukit_status check_inputs(fmukit_instance *fmu, const void *model, double t);

/// The step of an FMU without states: only the inputs are tested.
fmukit_status step_without_states(fmukit_instance *fmu, void *model, double t, double t_end);

/// dx/dt at time t, with the inputs of the model.
typedef double slope_fn(const void *model, double t, double x);

/// Advances x from t to t_end by n steps of the classical Runge-Kutta method. The inputs are tested
/// and held.
fmukit_status integrate(fmukit_instance *fmu, const void *model, slope_fn *slope, double t,
                        double t_end, int n, double *x);

#endif
