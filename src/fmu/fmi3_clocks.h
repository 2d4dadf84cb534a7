// SPDX-License-Identifier: MIT
// Clocks of an FMU of FMI 3.0 as values, and the values of clocked variables, which exist only while a clock
// ticks. When clocks tick: see fmi3_ticks.h.
#ifndef TAKT_FMU_FMI3_CLOCKS_H
#define TAKT_FMU_FMI3_CLOCKS_H

#include "fmu/fmi3_instance.h"

/// The variable that is a clock.
static inline const takt_variable *takt_fmi3_clock_variable(const takt_fmi3_instance *self,
                                                            const takt_fmi3_clock *clock)
{
    return &self->common.base.model->variables[clock->variable];
}

/// Prepares a new instance.
takt_status takt_fmi3_clocks_init(takt_fmi3_instance *self, takt_error *err);
void takt_fmi3_clocks_clear(takt_fmi3_instance *self);

/// For set and get: the values of clocks themselves. Outside event mode they are 0 and not set.
takt_status takt_fmi3_clocks_set(takt_fmi3_instance *self, const takt_access_batch *batch,
                                 const takt_values *values, takt_error *err);
takt_status takt_fmi3_clocks_get(takt_fmi3_instance *self, const takt_access_batch *batch,
                                 takt_values *values, takt_error *err);

/// May a variable be read or set now? Clocked ones only while one of their clocks ticks, or in
/// initialization mode.
bool takt_fmi3_may_get(const takt_fmi3_instance *self, int variable);
bool takt_fmi3_may_set(const takt_fmi3_instance *self, int variable);

/// Copies the latest known value of a clocked variable that may not be read now.
bool takt_fmi3_clocked_copy(const takt_fmi3_instance *self, int variable, takt_values *values,
                            int index);

/// Sets the first n clocks of self->clock_refs to self->clock_values.
takt_status takt_fmi3_clocks_call(takt_fmi3_instance *self, int n, takt_error *err);

#endif
