// SPDX-License-Identifier: MIT
// Blocks along polynomials: one sweep over the members of a block, or, where its members depend on each other
// strongly, sweeps until the values at the end of the step agree.
//
// A member of a loop may be stepped before an output that it reads: that value is *torn*, and predicted. How
// strongly the sweep's result depends on the prediction, rho, is measured now and then. Weak loops make one
// sweep. Strong ones, and algebraic ones, are solved for the torn values w = G(w) by Broyden's method, whose
// matrix is kept from step to step.
#ifndef TAKT_RUN_COUPLE_H
#define TAKT_RUN_COUPLE_H

#include <string.h>

#include "base/compiler.h"
#include "num/inverse.h"
#include "run/moving.h"
#include "run/noise.h"
#include "run/phases.h"

enum { TAKT_COST_STEPS = 12 };

/// What a loop carries from step to step.
typedef struct takt_coupled_state {
    bool is_implicit; ///< solved for the torn values
    int n_implicit; ///< accepted steps since then
    int lock; ///< accepted steps until the strength may be measured again
    int n_locks; ///< grows each time that the loop turned out to be weak after all
    double rho, h_rho; ///< the strength measured last, at this step size, s
    double cost; ///< sweeps per s before it became implicit
    double sizes[TAKT_COST_STEPS], sweeps[TAKT_COST_STEPS]; ///< of the latest accepted steps
    int n_costs, i_cost;
    int n_off; ///< with fixed steps: how many in a row were far from their prediction
    int n_dull; ///< how often that had another reason
    bool was_missed; ///< it was found to be strong only after such steps
} takt_coupled_state;

struct takt_attempt;

/// An algebraic loop; see couple_loop.h.
typedef struct takt_couple_loop takt_couple_loop;

/// How it is solved.
typedef struct takt_couple_solver {
    /// Before the first sweep of a step: predictions are in y, and discrete values as they were. And after it.
    takt_status (*begin)(takt_couple_loop *loop, struct takt_attempt *at, takt_error *err);
    void (*note_sweep)(takt_couple_loop *loop);
    /// Solves for the torn values. Without a solution `is_solved` is false, and `size` says how far off the loop is.
    takt_status (*solve)(takt_couple_loop *loop, struct takt_attempt *at, bool *is_solved,
                         double *size, takt_error *err);
} takt_couple_solver;

/// A loop of the plan.
typedef struct takt_coupled {
    takt_coupled_state *state;
    takt_inverse inverse; ///< of I - dG/dw; its numbers are carried as well
    const int *torn; ///< indices in y
    int n_torn; ///< 0: there is nothing to predict, unless it is algebraic
    bool has_choice; ///< a member holds inputs that move: it may have another scheme
    const takt_couple_solver *solver; ///< of `algebraic`
    takt_couple_loop *algebraic; ///< torn values depend on each other at once; NULL: they do not
    double *w, *g, *d, *dg, *scale, *room; ///< n_torn numbers each; room: 2 n_torn
    int64_t n_sweeps; ///< since the step began
    double rho; ///< of this step's iteration; NaN: not measured
    bool is_noisy; ///< noise of torn values has been measured, and not been judged yet
    double
        reaction; ///< of outputs that seemed behind states, if the loop was not solved; see opening.h
} takt_coupled;

/// How a step is made.
typedef struct takt_attempt {
    takt_step step;
    takt_cause cause; ///< of its size
    int k; ///< points of the polynomials
    bool derives; ///< predictions use derivatives as well
    bool is_first; ///< since the history began
    bool is_early; ///< one of the first ones
    bool is_jump; ///< made to enclose a jump
    bool is_plain; ///< inputs have the values at the end; see takt_course_flatten()
    bool is_unsolved; ///< an algebraic loop has no solution
    bool is_singular; ///< that is why; see takt_couple::trouble
    bool is_cut; ///< not all instances have made it, because it will be rejected
    takt_course course;
    takt_outcome outcome;
} takt_attempt;

/// What couples the instances of a run.
typedef struct takt_couple {
    takt_run *run;
    takt_movement movement;
    takt_coupled *loops; ///< per block
    takt_scheme *schemes; ///< per instance; carried from step to step by their owner
    int *tested; ///< indices in y of the real values that are tested, by instance
    int *
        first_tested; ///< those of instance i: tested[first_tested[i]] .. tested[first_tested[i + 1] - 1]
    bool *has_unread; ///< per instance: some of them are read by no other instance
    const int *owners; ///< per real value of y: the instance; -1: none
    int i_ahead; ///< an instance that has been stepped to t_ahead already, and reads nothing; -1: none
    double t_ahead; ///< s
    bool *is_stepped; ///< per instance: it is no longer at the beginning of the step
    double *first; ///< per real value of y: after the first sweep of a block
    double tolerance; ///< relative, of the values at the end of a step
    double loop_tolerance, algebraic_tolerance; ///< of w, in units of the tolerance
    const double *scale; ///< per real value of y; borrowed
    takt_noise noise; ///< of these values
    bool
        can_rewind; ///< else one sweep is made; in fixed steps late inputs that are held keep their values
    bool is_fixed; ///< the user chose the size of all steps
    bool has_way_back; ///< all instances can be rewound
    char trouble[1200]; ///< what is wrong with a loop that is singular
} takt_couple;

/// One sweep over a block with the torn values that are in y; members that have been stepped go back first.
takt_status takt_couple_sweep(takt_couple *all, int i_block, takt_attempt *at, takt_error *err);

/// Advances a block; torn values in y are predictions. When a member does not reach the end, or the torn values
/// do not agree, says so in the outcome.
takt_status takt_couple_advance(takt_couple *all, int i_block, takt_attempt *at, takt_error *err);

/// Keeps what an instance delivered in the first sweep of its block.
static inline void takt_couple_keep_first(const takt_couple *all, int i_instance)
{
    const double *y = all->run->state.y.real;
    const takt_plan_instance *plan = &all->run->plan->instances[i_instance];
    int first = plan->first_output[TAKT_KIND_REAL], n = plan->outputs.n_values[TAKT_KIND_REAL];
    if (TAKT_LIKELY(n == 1))
        all->first[first] = y[first];
    else
        memcpy(all->first + first, y + first, (size_t)n * sizeof *y);
}

/// Steps an instance that may be ahead or behind, or that has been stepped.
takt_status takt_couple_advance_somewhere(takt_couple *all, int i_instance, takt_attempt *at,
                                          takt_error *err);

/// takt_couple_advance() for an instance that is a block, and no loop.
static inline takt_status takt_couple_advance_alone(takt_couple *all, int i_instance,
                                                    takt_attempt *at, takt_error *err)
{
    takt_status st;
    bool is_usual = all->i_ahead < 0 && !all->run->work.is_behind && !all->is_stepped[i_instance];
    at->course.holds_late = !all->can_rewind && all->is_fixed;
    if (TAKT_LIKELY(is_usual)) {
        all->is_stepped[i_instance] = true;
        st = takt_moving_advance(all->run, &all->movement, i_instance, &at->step, &at->course,
                                 &all->schemes[i_instance], &at->outcome, err);
    } else {
        st = takt_couple_advance_somewhere(all, i_instance, at, err);
    }
    if (!st && at->outcome.end == TAKT_STEP_DONE) takt_couple_keep_first(all, i_instance);
    return st;
}

/// takt_couple_advance_alone() in two phases: begins, and goes on; until `phases` has nothing under way. Others do the same
/// meanwhile, so that the outcome is the instance's own.
takt_status takt_couple_begin_alone(takt_couple *all, int i_instance, takt_attempt *at,
                                    takt_phases *phases, takt_outcome *outcome, takt_error *err);
takt_status takt_couple_go_on_alone(takt_couple *all, int i_instance, takt_attempt *at,
                                    takt_phases *phases, takt_outcome *outcome, takt_error *err);

/// After a step has been accepted: measures the strength of a loop where that is due, and chooses how it goes
/// on. `predicted` are the values that the step began with, `n_rejected` attempts of the last ten; `is_calm`: the history
/// is old enough to predict well. Members are where they were afterwards.
takt_status takt_couple_probe(takt_couple *all, int i_block, takt_attempt *at,
                              const double *predicted, int n_rejected, int64_t n_accepted,
                              bool is_calm, takt_error *err);

/// Reads the tested values of an instance that no other instance reads.
takt_status takt_couple_read_unread(takt_couple *all, int i_instance, double t, takt_error *err);

#endif
