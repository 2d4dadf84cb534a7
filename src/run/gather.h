// SPDX-License-Identifier: MIT
// Brings values from outputs (y) to inputs (u), as the connections say.
#ifndef TAKT_RUN_GATHER_H
#define TAKT_RUN_GATHER_H

#include "run/run.h"

/// What few instances need of takt_run_gather(): scaling, and values other than real ones.
takt_status takt_run_gather_more(takt_run *run, int i_instance, takt_error *err);

/// Brings the values of y to the inputs of an instance.
static inline takt_status takt_run_gather(takt_run *run, int i_instance, takt_error *err)
{
    const takt_run_instance *at = &run->work.instances[i_instance];
    takt_coupling_gather(&at->coupling);
    return at->gathers_more ? takt_run_gather_more(run, i_instance, err) : TAKT_OK;
}

/// What an adapter makes of the integer in y, before it becomes a real number.
static inline int64_t takt_run_adapted(const takt_run *run, const takt_adapter *adapter)
{
    int64_t value = run->state.y.integer[adapter->from.index];
    return adapter->map->n_values ? takt_value_map_find(adapter->map, value) : value;
}

/// Brings values of other types alone; for those who gather by themselves.
takt_status takt_run_adapt(takt_run *run, int i_instance, takt_error *err);

#endif
