// SPDX-License-Identifier: MIT
// Solutions of coupled problems (problems.h), computed for the system as a whole.
#ifndef TAKT_TESTS_SUPPORT_SOLUTION_H
#define TAKT_TESTS_SUPPORT_SOLUTION_H

#include "support/problems.h"

/// Room for the states of one part with its inputs and their derivatives, or of a whole problem.
enum { TEST_MOST = TEST_MOST_STATES + TEST_MOST_PORTS * (TAKT_MAX_MOTION_ORDER + 1) + 20 };

typedef struct test_solution {
    const test_problem *problem;
    bool is_linear;
    int n, n_outputs;
    double matrix[TEST_MOST * TEST_MOST]; ///< of the linear system: x' = A x
    double k[TEST_MOST][TEST_MOST]; ///< outputs from states
    double t, x[TEST_MOST];
    double memory[TEST_MOST_PARTS]; ///< of switches
    int n_switchings; ///< up to t
} test_solution;

/// Begins at time 0; the problem must outlive it.
void test_solution_begin(test_solution *solution, const test_problem *problem);

/// Goes on to a later time.
void test_solution_go(test_solution *solution, double t);

/// All outputs, part by part.
void test_solution_read(const test_solution *solution, double *y);

/// e^A for an n x n matrix.
void test_exponential(int n, const double *a, double *out);

/// out = a b for n x n matrices; out is neither of them.
void test_multiply(int n, const double *a, const double *b, double *out);

/// Solves A X = B for n unknowns and m right sides, in place of B; A is lost.
void test_solve(int n, double a[][TEST_MOST], int m, double b[][TEST_MOST]);

#endif
