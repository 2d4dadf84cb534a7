// SPDX-License-Identifier: MIT
// The loop problem: a block whose members depend on each other, as equations to be solved in each step.
// Those who solve it know unknowns, evaluations and norms, and never see an instance.
//
// The unknowns x are the real values that members deliver to members. There are two ways to evaluate:
//   S(x)   all members step at once with inputs x: what they deliver then         takt_loop_evaluate()
//   T(z)   members step one after the other, each with what those before it have just delivered; only the
//          *torn* unknowns z, which a member reads before they are delivered, are guessed
//                                                                                 takt_loop_sweep_torn()
// Each evaluation begins with the saved states of the members. Values of other types are discrete: they
// stay as they were while the real ones are solved for, and must be at rest in the end.
#ifndef TAKT_RUN_LOOP_H
#define TAKT_RUN_LOOP_H

#include "run/flips.h"
#include "run/outcome.h"

/// An input of a member that gets an unknown.
typedef struct takt_loop_reader {
    int i_instance;
    takt_access input; ///< for directional derivatives
} takt_loop_reader;

/// A member that delivers unknowns.
typedef struct takt_loop_member {
    takt_access outputs; ///< the unknowns that it delivers; for directional derivatives
    const int *rows; ///< which unknowns these are, in the same order
    int n_rows;
    bool is_stepped; ///< its state is no longer the saved one
} takt_loop_member;

typedef struct takt_loop {
    takt_run *run;
    takt_run_block *block;
    const int *own[TAKT_N_KINDS]; ///< indices in y of the values that its members deliver
    int n_own[TAKT_N_KINDS];
    const int
        *switches; ///< of the real ones those that are discrete: neither solved for nor differenced
    int n_switches;
    bool has_discrete; ///< members read discrete values of members
    takt_values delivered; ///< while others are held: discrete values that members have delivered
    bool is_holding; ///< what members deliver does not reach others
    takt_patterns patterns; ///< of discrete values in this step
    const int *sources; ///< real connections inside the loop: for each its index in y
    int n_connections;

    int n; ///< unknowns; -1: takt_loop_find_unknowns() has not been called
    const int *unknowns; ///< indices in y
    const int *torn; ///< which unknowns are torn, in ascending order
    int n_torn;
    takt_loop_member *members; ///< in the order of the block
    const int *place; ///< per component of the loop: its index in `members`
    takt_loop_reader *readers; ///< by unknown, then by member
    const int *first_reader; ///< the readers of unknown j begin here; one entry more at the end
    double *scratch; ///< n numbers
    int *flags, *scratch_values; ///< n numbers each
    double rounding; ///< what else counts as rounding in values without a nominal one; 0: nothing

    const takt_step *step; ///< of the present solution
    takt_outcome *outcome; ///< likewise; ends other than TAKT_STEP_DONE stop the solution
    bool is_swept; ///< members have made a sweep
} takt_loop;

/// Begins to solve for a step; members are in the states that are saved in its slot.
void takt_loop_begin(takt_loop *loop, const takt_step *step, takt_outcome *outcome);

/// Has a member stopped before the end of the step? Then nothing more can be evaluated.
static inline bool takt_loop_is_stopped(const takt_loop *loop)
{
    return loop->outcome->end != TAKT_STEP_DONE;
}

/// The name of the loop in messages: that of its first member.
const char *takt_loop_name(const takt_loop *loop);

/// The values of the unknowns now; as a guess of their values at the end of the step.
void takt_loop_guess(takt_loop *loop, double *x);

/// Computes s = S(x). Where x or s is not finite, `is_finite` is false, and `err` says where.
takt_status takt_loop_evaluate(takt_loop *loop, const double *x, double *s, bool *is_finite,
                               takt_error *err);

/// Makes the matrix I - dS/dx (n x n, by rows) at x, where s = S(x): from derivatives that members give
/// (which are those of one instant, not of the whole step), unless `by_quotients`, else by difference
/// quotients, for which only the members that read an unknown step again. `is_derived` says whether members
/// gave any. Afterwards members may be in states of their own.
takt_status takt_loop_make_matrix(takt_loop *loop, double *x, const double *s, bool by_quotients,
                                  double *matrix, bool *is_derived, takt_error *err);

/// The tolerance of unknown i whose value is x.
double takt_loop_tolerance(const takt_loop *loop, int i, double x);

/// By how much value k of y differs where it is x, in units of what loops are given of its tolerance, without what is
/// rounding.
double takt_loop_size(const takt_loop *loop, int k, double difference, double x);

/// The size of r in units of the tolerances at x: the largest entry, without what is rounding. Finite, however
/// large r is. With the papers' norm, the root of the mean square.
double takt_loop_norm(const takt_loop *loop, const double *r, const double *x);

/// Rounding is that of a value itself, unless this is allowed: then a value without a nominal one may be a
/// difference between the largest ones of the loop, and has their rounding. Just so could it be small by nature,
/// in another unit; so it is only allowed where repeating does not reduce what is left. Until the next step.
void takt_loop_allow_differences(takt_loop *loop, bool is_allowed);

/// Makes a sweep: members step one after the other, from their saved states.
takt_status takt_loop_sweep(takt_loop *loop, takt_error *err);

/// The same where values may become such that members deliver some that are not finite: then `is_finite` is false,
/// and `err` says where.
takt_status takt_loop_try_sweep(takt_loop *loop, bool *is_finite, takt_error *err);

/// Makes a sweep that begins with the torn unknowns z (n_torn numbers) and with the discrete values of
/// takt_loop_remember(). x receives all unknowns as they are delivered; those that are torn are T(z). Where z
/// or x is not finite, `is_finite` is false, and `err` says where.
takt_status takt_loop_sweep_torn(takt_loop *loop, const double *z, double *x, bool *is_finite,
                                 takt_error *err);

/// Changes below this, in units of the tolerance, are rounding.
#define TAKT_LOOP_ROUNDING 1e-9

/// Makes one pass only, and says in the outcome (`is_unchecked`) if the values that result are not those that it
/// began with: how far they are from a solution cannot be known. With the papers' norm they may differ by the
/// tolerance.
takt_status takt_loop_pass(takt_loop *loop, const takt_step *step, takt_outcome *outcome,
                           takt_error *err);

/// Marks the present outcome: `flag` is one of its fields, `norm` how far off the loop is.
void takt_loop_doubt(const takt_loop *loop, bool *flag, double norm);

/// Keeps all values that the members deliver now.
takt_status takt_loop_remember(takt_loop *loop, takt_error *err);

/// Takes these values back; members stay where they are.
takt_status takt_loop_recall(takt_loop *loop, takt_error *err);

/// The norm of the change of the real connections since takt_loop_remember(): the largest, like takt_loop_norm().
/// With the papers' norm: root of the mean over all real connections of the system, of which only those inside the loop can
/// change. A value that feeds several inputs counts several times (Nicolai 2018, algorithm 3, as it ran, not as
/// it is printed).
double takt_loop_change(const takt_loop *loop);

/// Are the discrete values the same as the ones kept?
bool takt_loop_is_discrete_same(const takt_loop *loop);

/// The discrete values are others than those kept, and will be kept next. Have they been there before in this step? Then they
/// will never rest, and that is noted.
bool takt_loop_returns(takt_loop *loop);

/// Notes that the discrete values, which are others than those kept, do not rest.
void takt_loop_note_flip(takt_loop *loop);

/// For sweeps in which discrete values are held: after a member has been stepped, its discrete values in y become those that
/// are kept; at the end they become those that members delivered.
takt_status takt_loop_hold(takt_loop *loop, int i_instance, takt_error *err);
takt_status takt_loop_release(takt_loop *loop, takt_error *err);

/// Brings the discrete values that are kept to y.
takt_status takt_loop_offer_discrete(takt_loop *loop, takt_error *err);

/// Writes to the step log: norm of the change or of the residual, and of the step that would follow; NaN:
/// none.
void takt_loop_log(const takt_loop *loop, double norm, double step_norm);

#endif
