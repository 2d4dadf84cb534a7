// SPDX-License-Identifier: MIT
// Calls to instances: counted, timed, and with the name of the instance and the time in every
// message. All algorithms call instances through these functions only.
#ifndef TAKT_RUN_CALLS_H
#define TAKT_RUN_CALLS_H

#include "run/run.h"

/// The part of takt_run_gather() that few instances need: scales, and brings other values than real ones.
takt_status takt_run_gather_more(takt_run *run, int i_instance, takt_error *err);

/// Brings the values of y to the inputs of an instance, as the connections say.
static inline takt_status takt_run_gather(takt_run *run, int i_instance, takt_error *err)
{
    const takt_run_instance *at = &run->instances[i_instance];
    takt_exchange_gather(&at->exchange);
    return at->gathers_more ? takt_run_gather_more(run, i_instance, err) : TAKT_OK;
}

/// What an adapter makes of the integer in y, before it becomes a real number.
static inline int64_t takt_run_adapted(const takt_run *run, const takt_adapter *adapter)
{
    int64_t value = run->y.integer[adapter->from.index];
    return adapter->map->n_values ? takt_value_map_find(adapter->map, value) : value;
}

/// The part of takt_run_gather() that brings values of other types; for those who gather by themselves.
takt_status takt_run_adapt(takt_run *run, int i_instance, takt_error *err);

/// Sets the inputs of an instance from u.
takt_status takt_run_set_inputs(takt_run *run, int i_instance, double t, takt_error *err);

/// Reads the connected outputs of an instance into y. Fails for values that are not finite.
takt_status takt_run_get_outputs(takt_run *run, int i_instance, double t, takt_error *err);

/// Reads the values that are needed for results only into y. Fails for values that are not finite.
takt_status takt_run_get_recorded(takt_run *run, int i_instance, double t, takt_error *err);

/// Fails for connected outputs that are not finite.
takt_status takt_run_check_outputs(takt_run_instance *at, double t, takt_error *err);

/// Steps once, from t to t + h at most.
/// Derivatives by time: reads those of outputs, and sets those of inputs whose values at t have been set.
/// They count as calls that get and set. See takt_instance_type.
takt_status takt_run_get_derivatives(takt_run *run, int i_instance, const takt_access *outputs,
                                     double *derivatives, double t, takt_error *err);
takt_status takt_run_set_derivatives(takt_run *run, int i_instance, const takt_access *inputs,
                                     const double *values, const double *derivatives, double t,
                                     takt_error *err);

takt_status takt_run_do_step(takt_run *run, int i_instance, double t, double h, bool is_final,
                             takt_step_result *result, takt_error *err);

/// After a step that stopped early: the instance handles its event and goes on to `t_end`.
takt_status takt_run_go_on(takt_run *run, int i_instance, double t_end, bool is_final,
                           takt_step_result *result, takt_error *err);

/// Saves the state of an instance, or goes back to the state saved last.
takt_status takt_run_save(takt_run *run, int i_instance, double t, takt_error *err);
takt_status takt_run_restore(takt_run *run, int i_instance, double t, takt_error *err);

/// Did a step fail for its values only (they are not finite, or a loop has no unique solution), so that
/// all instances can go back and try another step? `st` is the status of the step.
bool takt_run_can_go_back(const takt_run *run, takt_status st);

#endif
