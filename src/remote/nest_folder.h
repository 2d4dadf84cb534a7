// SPDX-License-Identifier: MIT
// The folder of a nest, below which its workers have theirs. It is held by a lock, which ends with the process, however
// that ended: who finds a folder without one may remove it. Only for src/remote.
#ifndef TAKT_REMOTE_NEST_FOLDER_H
#define TAKT_REMOTE_NEST_FOLDER_H

#include "base/arena.h"
#include "base/error.h"

/// Makes and locks a folder below $TMPDIR, after those that others have left were removed. `lock` is the file descriptor
/// that holds it.
takt_status takt_nest_folder_make(takt_arena *arena, char **out, int *lock, takt_error *err);

/// Removes the folders of this user whose owners are gone.
void takt_nest_folder_sweep(void);

#endif
