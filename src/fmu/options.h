// SPDX-License-Identifier: MIT
// What may be done with FMUs.
#ifndef TAKT_FMU_OPTIONS_H
#define TAKT_FMU_OPTIONS_H

#include "me/me.h"

/// The ways in which an FMU can run.
typedef enum takt_fmu_way {
    TAKT_FMU_ANY, ///< native, else as a Windows FMU, else with 32 bits; FMUs are compiled only where that is asked for
    TAKT_FMU_NATIVE, ///< its library for this platform
    TAKT_FMU_SOURCES, ///< compiled here
    TAKT_FMU_WINE, ///< its library for Windows, in a process of Wine
    TAKT_FMU_32_BITS, ///< its library for this platform with 32 bits, in a process of its own
    TAKT_FMU_N_WAYS
} takt_fmu_way;

typedef struct takt_fmu_options {
    takt_fmu_way way; ///< the one that is wanted
    bool compile_sources; ///< where there is no library for this platform
    bool separate_libraries; ///< one copy of the library per instance
    bool prefers_me; ///< model exchange, where the FMU offers both
    bool is_interface_fixed; ///< the other one, as prefers_me says, is refused
    const char
        *folder; ///< in which it lies unpacked, for others to end; NULL: it has to be unpacked
    const char *shown; ///< how messages call the FMU; NULL: by its path
    takt_me_options me; ///< how model exchange is integrated
    takt_solver_fn *choose_solver; ///< of single instances; NULL: all are integrated alike
    const void *context; ///< of choose_solver; must outlive the model
} takt_fmu_options;

/// Says why the FMU's library cannot be loaded on this machine, without running it: fails with the reason. Models that are
/// no FMUs, and FMUs that are compiled from source, pass.
takt_status takt_fmu_check_library(const takt_model *model, takt_error *err);

/// Makes sure that the library is there, and compiles it where that is wanted. Runs no code of the FMU.
takt_status takt_fmu_provide_library(const takt_model *model, takt_error *err);

/// How instances of the FMU run: not TAKT_FMU_ANY. TAKT_FMU_NATIVE for models that are no FMUs.
takt_fmu_way takt_fmu_way_of(const takt_model *model);

/// Where the library lies, or will lie when it is compiled. The model must be an FMU.
const char *takt_fmu_library_path(const takt_model *model);

/// Is a library, or are sources, for this way in the FMU? Whether this machine can do it is not looked at.
takt_status takt_fmu_offers_way(const takt_model *model, takt_fmu_way way, bool *out,
                                takt_error *err);

#endif
