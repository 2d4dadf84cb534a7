// SPDX-License-Identifier: MIT
// Wine, which runs FMUs for Windows: where it is, and a folder for it (a "prefix") of our own. That lies in the cache, is made
// when it is first needed, and belongs to one version of Wine; the user's own prefix is never touched.
#ifndef TAKT_REMOTE_WINE_H
#define TAKT_REMOTE_WINE_H

#include "base/log.h"
#include "remote/foreign.h"

typedef struct takt_wine {
    const char *loader; ///< the program of Wine
    const char *worker; ///< ours, in which Windows FMUs run
} takt_wine;

/// Finds both, in `arena`. Returns what is missing and what to do about it, or NULL.
const char *takt_wine_find(takt_arena *arena, takt_wine *out);

/// Makes the prefix if it is not there, and says so in the log. `out` becomes how a worker is started, in a sandbox or not; in `arena`.
takt_status takt_wine_prepare(takt_arena *arena, takt_log *log, bool is_confined, takt_foreign *out,
                              takt_error *err);

/// Where Wine has its own DLLs; NULL: not known.
const char *takt_wine_dlls(takt_arena *arena);

#endif
