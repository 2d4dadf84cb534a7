// SPDX-License-Identifier: MIT
// Steps by prediction: what its kinds of control share (auto.c: to a tolerance; auto_fixed.c: with fixed steps).
//
// Values are predicted by polynomials through the last communication points (history.h); instances are stepped
// along polynomials through these points and the end of the step (moving.h), block by block (couple.h); what they
// deliver is compared with the prediction.
#ifndef TAKT_RUN_AUTO_H
#define TAKT_RUN_AUTO_H

#include <math.h>

#include "run/held.h"

/// What the control carries from step to step.
typedef struct takt_auto_state {
    int k; ///< points of the polynomials
    int n_since_start; ///< accepted steps since the history began
    int64_t n_accepted; ///< in all
    int64_t n_events; ///< takt_run_state's, when the history began
    double h; ///< s; size of the next step
    double h_calm; ///< s; size of steps before the latest difficulty
    double h_restart; ///< s; size with which the latest beginning of a history went well; 0: none
    double error_before; ///< of the last accepted step; 1 after a change of k
    double rate; ///< 1/s; largest relative change of a value, fading
    unsigned recent; ///< bit i: attempt number i before the present one was rejected
    int64_t n_jumps; ///< that were enclosed
    double jump_from,
        jump_to; ///< s; a step between these times has a jump; infinite: none is known
    double jump_low; ///< s; behind which the jump lies
    int i_jump; ///< the instance that shows it
} takt_auto_state;

/// Rejections of the present step because of the same value.
typedef struct takt_auto_trouble {
    int i_value; ///< -1: none
    int k; ///< points
    int n;
    double h, size; ///< s; of the first of them, and the difference then
} takt_auto_trouble;

typedef struct takt_auto {
    takt_run *run;
    takt_memory memory; ///< of all that is carried: state, history, floors, schemes, loops
    takt_auto_state *state;
    takt_history *history;
    double *floors; ///< per real value of y: the least scale
    int *
        n_at_once; ///< per instance: how often its discrete outputs have changed as soon as it was stepped
    takt_couple couple;
    takt_held held;
    double *scale; ///< per real value of y
    double *predicted; ///< likewise, at the end of the step
    bool *is_tested; ///< likewise
    bool *is_unread; ///< likewise: no connection leads from it
    int *owners; ///< likewise: the instance; -1: none
    int *ranks; ///< per instance: its place in the order of calls
    double h_first, h_least, h_most; ///< s
    takt_auto_trouble trouble;
    int n_searches; ///< for jumps, in the present step
    bool draws_rows; ///< between communication points
    takt_values row; ///< room for one
    bool is_fixed; ///< the user chose the size of all steps
    bool saves_states; ///< before each step
} takt_auto;

/// An attempt, judged.
typedef struct takt_judgement {
    double error; ///< in units of the tolerance
    int i_worst; ///< index in y; -1: none
    int i_changed; ///< an instance whose discrete outputs have changed; -1: none
    bool has_failed; ///< the end was not reached, or a loop not solved: nothing else is known
} takt_judgement;

/// An instance whose discrete outputs change in every step, however short it is, counts steps; so often it is believed
/// that they jump.
enum { TAKT_JUMPS_AT_ONCE = 3 };

/// Errors below count as this.
#define TAKT_AUTO_SMALL 1e-6

/// Difference of the value number i between prediction and result, in units of the tolerance.
static inline double takt_auto_error(const takt_auto *own, const double *reference, int i)
{
    double now = own->run->state.y.real[i];
    double scale = fmax(own->scale[i], fabs(now));
    return fabs(now - reference[i]) / (own->couple.tolerance * scale);
}

// ---- auto_create.c ---------------------------------------------------------------------------------

/// Makes run->automatic, for steps to a tolerance or fixed ones.
takt_status takt_auto_create(takt_run *run, bool is_fixed, takt_error *err);
void takt_auto_destroy(takt_run *run);
takt_memory takt_auto_memory(takt_run *run);

// ---- auto_step.c -----------------------------------------------------------------------------------

/// Before a step: begins the history if there is none, or if events have ended it, and saves states.
takt_status takt_auto_prepare(takt_auto *own, takt_error *err);

/// Makes an attempt; everything is at its beginning. How it ended is in its outcome.
takt_status takt_auto_make_step(takt_auto *own, takt_attempt *at, takt_error *err);

/// The status of an attempt: one that failed for its values only (they are not finite) counts as not converged.
takt_status takt_auto_forgive(const takt_auto *own, takt_attempt *at, takt_status st);

/// Compares what it delivered with the prediction.
void takt_auto_judge(const takt_auto *own, const takt_attempt *at, takt_judgement *out);

/// Takes everything back to its beginning.
takt_status takt_auto_go_back(takt_auto *own, takt_error *err);

/// The error that a prediction through k points would have had.
double takt_auto_error_of(const takt_auto *own, const takt_attempt *at, int k);

/// Trials with a step that is accepted: how strong are loops, are schemes good enough?
takt_status takt_auto_probe(takt_auto *own, takt_attempt *at, takt_error *err);

/// The step is over, and ends at t_end, s: rows within it are written, and the history goes on, or begins anew with the next
/// step.
takt_status takt_auto_keep(takt_auto *own, const takt_attempt *at, double t_end, bool goes_on,
                           takt_error *err);

// ---- jump.c ----------------------------------------------------------------------------------------

/// Looks for a jump in the step that was just rejected. All instances and values are at the beginning of the
/// step before and after. If there is one, it is noted in the state.
takt_status takt_jump_find(takt_auto *own, takt_attempt *at, const takt_judgement *judged,
                           bool *is_found, takt_error *err);

/// After the first step of a history, which nothing could be compared with: is the middle of it where it should
/// be? Raises the error if not. All instances are where they were afterwards.
takt_status takt_jump_look(takt_auto *own, takt_attempt *at, takt_judgement *judged,
                           takt_error *err);

/// Have discrete outputs of the instance other values than at the beginning of the step?
bool takt_jump_has_changed(const takt_run *run, int i_instance);

#endif
