// SPDX-License-Identifier: MIT
// Opening an FMU: unpack, read the description, find the library. Runs no code of the FMU.
#ifndef TAKT_FMU_OPEN_H
#define TAKT_FMU_OPEN_H

#include "base/log.h"
#include "me/me.h"

/// Opens an FMU as a model whose instances run its co-simulation interface, or that for model exchange if
/// it has no other. Problems of the description go to `log` (may be NULL), each with its line. The library is loaded only when the
/// first instance is made. The result is owned by the caller and ended with takt_model_close().
takt_status takt_fmu_open(const char *path, takt_log *log, takt_model **out, takt_error *err);

/// What may be done with FMUs.
typedef struct takt_fmu_options {
    bool compile_sources; ///< where there is no library for this platform
    bool separate_libraries; ///< one copy of the library per instance
    bool prefers_me; ///< model exchange, where the FMU offers both
    bool is_interface_fixed; ///< the other one, as prefers_me says, is refused
    const char *shown; ///< how messages call the FMU; NULL: by its path
    takt_me_options me; ///< how model exchange is integrated
    takt_solver_fn *choose_solver; ///< of single instances; NULL: all are integrated alike
    const void *context; ///< of choose_solver; must outlive the model
} takt_fmu_options;

/// The same with options.
takt_status takt_fmu_open_with(const char *path, const takt_fmu_options *options, takt_log *log,
                               takt_model **out, takt_error *err);

#endif
