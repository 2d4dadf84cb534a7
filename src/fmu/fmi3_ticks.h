// SPDX-License-Identifier: MIT
// When the clocks of an FMU of FMI 3.0 tick.
#ifndef TAKT_FMU_FMI3_TICKS_H
#define TAKT_FMU_FMI3_TICKS_H

#include "fmu/fmi3_clocks.h"

/// Before initialization mode is left: plans the first ticks.
takt_status takt_fmi3_ticks_start(takt_fmi3_instance *self, takt_error *err);

/// In event mode: lets those clocks tick that have to tick now.
takt_status takt_fmi3_ticks_begin(takt_fmi3_instance *self, takt_error *err);

/// Before an update of discrete states, which ends all ticks: keeps the values of clocked variables.
takt_status takt_fmi3_ticks_keep(takt_fmi3_instance *self, takt_error *err);

/// After such an update: plans the next ticks.
takt_status takt_fmi3_ticks_plan(takt_fmi3_instance *self, takt_error *err);

double takt_fmi3_ticks_next(const takt_fmi3_instance *self);

#endif
