// SPDX-License-Identifier: MIT
// What kinds of step control share; see control.h.
#include "run/control.h"

void takt_control_terminate(takt_run *run, const takt_outcome *outcome)
{
    run->state.progress = TAKT_TERMINATED;
    takt_log_write(run->log, TAKT_LEVEL_WARN,
                   "instance '%s' ended the simulation at t=%.15g s; the last row is at t=%.15g s",
                   run->work.instances[outcome->i_instance].instance->name, outcome->time,
                   run->state.rows.time);
}
