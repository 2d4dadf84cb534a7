// SPDX-License-Identifier: MIT
// Finding programs that belong to the library.
#ifndef TAKT_REMOTE_PROGRAMS_H
#define TAKT_REMOTE_PROGRAMS_H

#include "base/arena.h"

/// A program of ours: what the environment variable `variable` says, else beside the program or library that we are part
/// of, and where installations have it. NULL: it is nowhere.
const char *takt_program_find(takt_arena *arena, const char *name, const char *variable);

#endif
