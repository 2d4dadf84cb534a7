// SPDX-License-Identifier: MIT
// Solves a fixed-point problem z = T(z) with as few evaluations as possible: by secants of earlier evaluations, and where
// these do not succeed, or do not know all directions, by a matrix of difference quotients with damped steps. What was
// learnt is kept for the next problem of the same kind.
//
// An evaluation with n *torn* unknowns z delivers n_all numbers x, of which n are T(z). No number that it delivers may be
// far from its solution, also those that are not torn.
//
// A solution is accepted only if
//   - its residual is within the tolerances, and
//   - the step that would follow is below a third of them, for all numbers, not only those that are torn; and
//   - secants or matrix are known to be right: they were found for this problem, or their last proposal has reduced
//     residual and step by half or more; and
//   - they know all directions: a direction that was never tried may hide a large error behind a small residual.
#ifndef TAKT_NUM_SECANT_SOLVER_H
#define TAKT_NUM_SECANT_SOLVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"

typedef enum takt_evaluation {
    TAKT_EVALUATED,
    TAKT_NOT_FINITE, ///< another z may do better; the error says where
    TAKT_STOPPED, ///< nothing more can be evaluated
} takt_evaluation;

/// What is solved. Numbers are measured in tolerances.
typedef struct takt_secant_problem {
    void *context;
    int n, n_all;
    const int *torn; ///< n numbers: which of all numbers are T(z)
    double damping; ///< first factor of steps along a fresh matrix
    takt_status (*evaluate)(void *context, const double *z, double *x, takt_evaluation *out,
                            takt_error *err);
    double (*norm)(void *context, const double *r, const double *x); ///< of r where all is x
    /// What is small for number i where it is x: difference quotients are made over a tenth of it.
    double (*tolerance)(void *context, int i, double x);
    /// What rounding of differences may explain does not count from now on, or does again. NULL: it always counts.
    void (*allow_differences)(void *context, bool is_allowed);
    /// Before each proposal: norms of the residual and of the step. NULL: nobody wants to know.
    void (*report)(void *context, double residual, double step);
} takt_secant_problem;

typedef enum takt_answer {
    TAKT_ANSWER_SOLVED,
    TAKT_ANSWER_NONE, ///< not within the limit, or nothing helps any more
    TAKT_ANSWER_SINGULAR, ///< there is no unique solution: see takt_secant_solver_explain()
    TAKT_ANSWER_STOPPED, ///< an evaluation was
} takt_answer;

typedef struct takt_secant_solver takt_secant_solver;

/// How many bytes are carried from problem to problem, with room for so many secants.
size_t takt_secant_solver_memory(int n, int n_all, int room);

/// `problem` is copied. NULL when memory is exhausted.
takt_secant_solver *takt_secant_solver_create(takt_arena *arena, const takt_secant_problem *problem,
                                              int room);

/// Where it keeps what it carries; all 0 at the beginning. Must outlive the solver.
void takt_secant_solver_attach(takt_secant_solver *solver, void *memory);

/// May the memory be used, after it has come from a file?
bool takt_secant_solver_is_sound(const takt_secant_solver *solver);

/// Begins the next step; only secants of this step and the `n_steps` before it are used.
void takt_secant_solver_begin(takt_secant_solver *solver, int n_steps);

/// Solves from z; from `other` (may be NULL) if z leads to numbers that are not finite. Counts down the iterations that
/// are left. The last evaluation was made at the solution; without one, at the best z that was found. When even the
/// first evaluation is not finite, fails with its error.
takt_status takt_secant_solver_solve(takt_secant_solver *solver, const double *z,
                                     const double *other, int64_t *n_left, takt_answer *out,
                                     takt_error *err);

/// All that was learnt is dropped: the next problem is another one.
void takt_secant_solver_forget(takt_secant_solver *solver);

/// Of the last solution or of the best z: all numbers, and the norm of the residual.
const double *takt_secant_solver_values(const takt_secant_solver *solver);
double takt_secant_solver_residual(const takt_secant_solver *solver);

/// The largest magnitudes of the torn unknowns seen.
const double *takt_secant_solver_units(const takt_secant_solver *solver);

/// How much a change of T(z) may grow in the solution, both in these magnitudes, as far as is known; at least 1.
double takt_secant_solver_gain(takt_secant_solver *solver);

/// Matrices made so far.
int64_t takt_secant_solver_count(const takt_secant_solver *solver);

/// After TAKT_ANSWER_SINGULAR: writes for each torn unknown whether it belongs to what is not determined. Returns whether
/// there are solutions at all: then infinitely many.
bool takt_secant_solver_explain(takt_secant_solver *solver, int *is_free);

#endif
