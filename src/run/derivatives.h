// SPDX-License-Identifier: MIT
// Inputs that change within a step: instances that can interpolate get, beside the value of an input at the
// beginning of a step, its derivative by time, so that it moves along a straight line. docs/algorithms.md
// says which line; decision 0009 why it is used by default only where the source gives its derivative.
//
// Most systems have no such inputs: then run->derivatives is NULL, and all this costs one test.
#ifndef TAKT_RUN_DERIVATIVES_H
#define TAKT_RUN_DERIVATIVES_H

#include "run/calls.h"
#include "run/gather.h"

/// Finds the inputs that move and makes run->derivatives, if there are any.
takt_status takt_derivatives_create(takt_run *run, takt_error *err);

/// At the beginning of an attempt to step from t: all values are those at t.
void takt_derivatives_begin(takt_run *run, double t);

/// The values that an instance delivers are now those at the end of the step.
void takt_derivatives_mark(takt_run *run, int i_instance);

/// Replaces what was gathered for the inputs that move: the values at the beginning of the step, and finds
/// their derivatives.
takt_status takt_derivatives_gather(takt_run *run, int i_instance, const takt_step *step,
                                    takt_error *err);

/// Passes the derivatives to the instance, after its inputs were set.
takt_status takt_derivatives_set(takt_run *run, int i_instance, double t, takt_error *err);

/// An event: what was before says nothing about what follows.
void takt_derivatives_forget(takt_run *run);

/// Adaptive steps: keeps what is known at the last communication point, and goes back to it.
void takt_derivatives_save(takt_run *run);
void takt_derivatives_restore(takt_run *run);

/// What is known about the past, for snapshots; empty: no input moves.
takt_memory takt_derivatives_memory(takt_run *run);

/// May it be used, after it has come from a file?
bool takt_derivatives_is_sound(const takt_run *run);

/// Gathers the inputs of an instance for a step.
static inline takt_status takt_run_gather_for_step(takt_run *run, int i_instance,
                                                   const takt_step *step, takt_error *err)
{
    takt_status st = takt_run_gather(run, i_instance, err);
    if (!st && run->derivatives) st = takt_derivatives_gather(run, i_instance, step, err);
    return st;
}

#endif
