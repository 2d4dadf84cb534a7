// SPDX-License-Identifier: MIT
// Step control by prediction: what the steps of `auto` share; see auto.c.
#ifndef TAKT_RUN_AUTO_H
#define TAKT_RUN_AUTO_H

#include <math.h>

#include "run/held.h"

/// What the control carries from step to step. All of it lies in one piece of memory, with what loops,
/// schemes, the history and floors carry.
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
    double jump_from, jump_to; ///< s; a jump lies between these times; infinite: none is known
    int i_limit; ///< the value whose error was largest in the last rejected attempt; -1: none
    double limit_h, limit_size; ///< s; the size of that step and the difference
} takt_auto_state;

typedef struct takt_auto {
    takt_run *run;
    takt_memory memory; ///< of all that is carried
    takt_auto_state *state;
    takt_history *history;
    double *floors; ///< per real value of y: the least scale
    takt_couple couple;
    takt_held held;
    double *scale; ///< per real value of y
    double *predicted; ///< likewise, at the end of the step
    bool *is_tested; ///< likewise
    bool *is_unread; ///< likewise: no connection leads from it
    int *owners; ///< likewise: the instance; -1: none
    int *ranks; ///< per instance: its place in the order of calls
    double h_first, h_least, h_most; ///< s
} takt_auto;

/// An attempt, judged.
typedef struct takt_judgement {
    double error; ///< in units of the tolerance
    int i_worst; ///< index in y; -1: none
    int i_changed; ///< an instance whose discrete outputs have changed; -1: none
    bool has_failed; ///< the end was not reached, or a loop not solved: nothing else is known
} takt_judgement;

/// Difference of the value number i between prediction and result, in units of the tolerance.
static inline double takt_auto_error(const takt_auto *own, const double *reference, int i)
{
    double now = own->run->state.y.real[i];
    double scale = fmax(own->scale[i], fabs(now));
    return fabs(now - reference[i]) / (own->couple.tolerance * scale);
}

/// Looks for a jump in the step that was just rejected. All instances and values are at the beginning of the
/// step before and after. If there is one, `from` and `to` (s) enclose it.
takt_status takt_jump_find(takt_auto *own, takt_attempt *at, const takt_judgement *judged,
                           bool *is_found, double *from, double *to, takt_error *err);

/// After the first step of a history, which nothing could be compared with: is the middle of it where it should
/// be? Raises the error if not. All instances are where they were afterwards.
takt_status takt_jump_look(takt_auto *own, takt_attempt *at, takt_judgement *judged,
                           takt_error *err);

#endif
