// SPDX-License-Identifier: MIT
// Messages about instances in other processes that crashed (TAKT_ERR_CRASH). Where a crash is found, its message names
// the component, the FMU, and the call; who called puts further context in front, and who knows the time brings the
// message into its final form, which is that of crashes within the process (watch.c).
#ifndef TAKT_INSTANCE_CRASHED_H
#define TAKT_INSTANCE_CRASHED_H

#include "instance/instance.h"

/// Begins a message: "component 'Engine' (engine.fmu): " and what `err` says.
takt_status takt_crashed_begin(const takt_instance *instance, takt_status status, takt_error *err);

/// Leaves out what stands in front, and adds when it happened (s; NaN: before the initialization) and up to where results are complete
/// (s; NaN: there are none). Does nothing with other errors.
void takt_crashed_complete(takt_error *err, double t, double row_time);

/// "component 'Engine' (engine.fmu)".
enum { TAKT_CRASHED_NAME_SIZE = 512 };
void takt_crashed_name(const char *name, const takt_model *model, char out[TAKT_CRASHED_NAME_SIZE]);

#endif
