// SPDX-License-Identifier: MIT
// For the program takt-worker only, which the library starts for isolated FMUs.
#ifndef TAKT_WORKER_H
#define TAKT_WORKER_H

#include "takt/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The whole program: opens an FMU and runs instances of it in processes of their own, as the library that has started it
/// asks through a socket. Returns only when it is called in another way.
TAKT_API int takt_worker_main(int argc, char **argv);

/// For that program, which replaces functions that open files: the sandbox has refused this one.
TAKT_API void takt_worker_note_refused(const char *path);

#ifdef __cplusplus
}
#endif
#endif
