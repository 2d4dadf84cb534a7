// SPDX-License-Identifier: MIT
// New FMU projects: C source for the FMU kit, a build, a test and a README, made from a list of variables.
#ifndef TAKT_AUTHOR_H
#define TAKT_AUTHOR_H

#include <stddef.h>

#include "takt/log.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A variable in words, as on the command line of `takt new-fmu`.
typedef struct takt_new_variable {
    const char *kind; ///< "input", "output", "parameter", "local", "state"
    const char *text; ///< NAME[:TYPE][:KEY=VALUE]...
} takt_new_variable;

/// What a new FMU project is made of: takt_new_fmu project = {.size = sizeof project, .name = ...}. All pointers may be NULL but `name`,
/// `folder` and `kit`.
typedef struct takt_new_fmu {
    size_t size; ///< of this struct, set by the caller
    const char *name; ///< of the FMU: letters, digits, underscores
    const char *description; ///< of the model
    const char *folder; ///< for the files; made where it is missing
    const char *kit; ///< folder of the FMU kit, with cmake/FmuKit.cmake
    const char *versions; ///< of FMI: "2 3"; NULL: that of `like`, else what variables need
    const char *like; ///< an FMU whose variables are taken
    const char *table; ///< a CSV file of variables
    const takt_new_variable *variables; ///< more of them
    int n_variables; ///< how many
} takt_new_fmu;

/// Writes a new FMU project. Files that exist are never replaced. All problems go to the log (may be NULL); after a
/// failure nothing has been written.
TAKT_API takt_status takt_new_fmu_write(const takt_new_fmu *project, takt_log *log,
                                        takt_error *err);

#ifdef __cplusplus
}
#endif
#endif
