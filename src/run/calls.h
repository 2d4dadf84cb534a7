// SPDX-License-Identifier: MIT
// Calls to instances: counted, timed, and with the name of the instance and the time in every
// message. Algorithms call instances through these functions, or many at once by pass.h.
#ifndef TAKT_RUN_CALLS_H
#define TAKT_RUN_CALLS_H

#include "run/run.h"

/// After the first calls one out of so many is timed; but all are that take this long (in ticks: less than a nanosecond
/// each on most machines).
enum { TAKT_TIMED_INTERVAL = 64, TAKT_TIMED_LONG = 100000 };

/// Counts a call that began at tick `begin`, and reports it to the tracer; for those who call instances
/// themselves.
void takt_call_note(takt_run_instance *at, takt_activity activity, double t, uint64_t begin);

/// Puts back what the code of an instance may have changed in the process, and says so, once for each. Does nothing
/// in other threads than that of the run, or if nobody asked for it. In large systems not every instance of an FMU is
/// looked at: that would take longer than the start of the run.
void takt_run_look_around(takt_run *run, int i_instance);

/// Is the run between its initialization and its end, so that it can be stepped, read and set?
takt_status takt_run_check_ready(const takt_run *run, takt_error *err);

/// Sets the inputs of an instance from u.
takt_status takt_run_set_inputs(takt_run *run, int i_instance, double t, takt_error *err);

/// Sets and reads any variables of an instance. Values that are read may be not finite.
takt_status takt_run_set_values(takt_run *run, int i_instance, const takt_access *access,
                                const takt_values *values, double t, takt_error *err);
takt_status takt_run_get_values(takt_run *run, int i_instance, const takt_access *access,
                                takt_values *values, double t, takt_error *err);

/// Reads the connected outputs of an instance into y. Fails for values that are not finite.
takt_status takt_run_get_outputs(takt_run *run, int i_instance, double t, takt_error *err);

/// Reads the values that are needed for results only into y. Fails for values that are not finite.
takt_status takt_run_get_recorded(takt_run *run, int i_instance, double t, takt_error *err);

/// Reads the outputs that nobody reads but the error test into y. They may be not finite.
takt_status takt_run_get_tested(takt_run *run, int i_instance, double t, takt_error *err);

/// Fails for connected outputs that are not finite.
takt_status takt_run_check_outputs(takt_run_instance *at, double t, takt_error *err);

/// Derivatives by time: reads those of outputs, and sets those of inputs whose values at t have been set.
/// They count as calls that get and set. See takt_instance_type.
takt_status takt_run_get_derivatives(takt_run *run, int i_instance, const takt_access *outputs,
                                     double *derivatives, double t, takt_error *err);
takt_status takt_run_set_motion(takt_run *run, int i_instance, const takt_access *inputs, int order,
                                const double *derivatives, double t, takt_error *err);

/// Reads those of outputs where it is no failure if the instance refuses: returns whether it has answered.
bool takt_run_try_derivatives(takt_run *run, int i_instance, const takt_access *outputs,
                              double *derivatives, double t);

/// Derivatives of outputs by one input (takt_instance_type::differentiate); counts as a call that gets.
takt_status takt_run_differentiate(takt_run *run, int i_instance, const takt_access *unknowns,
                                   const takt_access *knowns, double t, double *derivative,
                                   takt_error *err);

/// Steps once, from t to t + h at most.
takt_status takt_run_do_step(takt_run *run, int i_instance, const takt_step *step,
                             takt_step_result *result, takt_error *err);

/// The same in two phases, for instances that have them: the step goes on elsewhere in between. `begin` is
/// the tick at which the first phase began: the time that counts is that from there to the end.
takt_status takt_run_begin_step(takt_run *run, int i_instance, const takt_step *step,
                                takt_error *err);
takt_status takt_run_end_step(takt_run *run, int i_instance, const takt_step *step, uint64_t begin,
                              takt_step_result *result, takt_error *err);

/// Saves the states of all instances but those that are behind, at the communication point of every step: counted, but timed
/// only now and then, unless it takes long.
takt_status takt_run_save_all(takt_run *run, double t, takt_error *err);

/// Saves the state of an instance in one of its slots, or goes back to the state saved there.
takt_status takt_run_save(takt_run *run, int i_instance, int slot, double t, takt_error *err);
takt_status takt_run_restore(takt_run *run, int i_instance, int slot, double t, takt_error *err);

#endif
