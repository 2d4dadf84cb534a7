// SPDX-License-Identifier: MIT
// Reference solutions of the coupling examples, from their unpartitioned equations: analytic where
// there is a formula, else integrated with steps so small that the error does not matter.
#ifndef TAKT_TESTS_SYSTEM_COUPLING_REFERENCE_H
#define TAKT_TESTS_SYSTEM_COUPLING_REFERENCE_H

enum { REFERENCE_STATES_MOST = 3, REFERENCE_COLUMNS_MOST = 4 };

typedef struct coupling_reference {
    int n_columns;
    /// The values of all columns at time t, from the states.
    void (*values)(double t, const double *x, double *out);
    int n_states; ///< 0: `values` is a formula of t
    double x0[REFERENCE_STATES_MOST];
    /// dx/dt. `inside` is a time in the middle of the integration step: sources that jump at its ends
    /// have the value that they have there.
    void (*slope)(double t, double inside, const double *x, double *dx);
} coupling_reference;

extern const coupling_reference reference_chain, reference_linear_dominant, reference_math003,
    reference_linear_not_dominant, reference_time_dependent_matrix, reference_large_step,
    reference_precision, reference_algebraic_loop, reference_nonlinear_equation,
    reference_varying_resistors, reference_extended_circuit, reference_jumping_sources,
    reference_roessler, reference_delay, reference_other_matrix, reference_linear_equation,
    reference_rc_circuit;

/// The values at t[0] = 0 <= t[1] <= ..., row by row; integration steps are at most `h_most` long.
void reference_solve(const coupling_reference *reference, const double *t, int n, double h_most,
                     double *out);

#endif
