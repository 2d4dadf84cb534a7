// SPDX-License-Identifier: MIT
// The ways in which FMUs run here (fmu/options.h), and what is missing for the others.
#ifndef TAKT_REMOTE_WAYS_H
#define TAKT_REMOTE_WAYS_H

#include "base/log.h"
#include "fmu/options.h"
#include "remote/foreign.h"
#include "remote/isolation.h"

/// Must instances of a model have processes of their own, because the present one cannot load its library?
bool takt_ways_needs_process(const takt_model *model);

/// What is missing here for instances of a model, and what to do about it; in `arena`. NULL: nothing.
const char *takt_ways_lack(const takt_model *model, takt_arena *arena);

/// Writes down in takt_model::ways in which ways an FMU can run here, and what is missing for others that it offers. Nothing
/// for other models.
takt_status takt_ways_describe(takt_model *model, takt_error *err);

/// Fails where the library of an FMU for another platform cannot be loaded, with the reason, as far as that can be seen
/// without loading it.
takt_status takt_ways_check(const takt_model *model, takt_error *err);

/// Makes what they need and what takes time, once; before anything is timed. Nothing for other models.
takt_status takt_ways_provide(const takt_model *model, takt_log *log, takt_error *err);

/// Prepares what such processes need, and says in `out` how they are started; in `arena`. Nothing for other models.
takt_status takt_ways_prepare(const takt_model *model, const takt_isolation *isolation,
                              takt_arena *arena, takt_log *log, takt_foreign *out, takt_error *err);

#endif
