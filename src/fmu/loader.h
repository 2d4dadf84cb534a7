// SPDX-License-Identifier: MIT
// Loading libraries into the process. The worker for Windows FMUs has functions of its own in place of loader.c.
#ifndef TAKT_FMU_LOADER_H
#define TAKT_FMU_LOADER_H

#include <stdbool.h>

#include "base/error.h"

/// Loads a library, which runs its constructors. Ended with takt_loader_close().
takt_status takt_loader_open(const char *path, void **handle, takt_error *err);
void takt_loader_close(void *handle);

/// The address of a function; NULL: the library has none of that name.
void *takt_loader_find(void *handle, const char *name);

/// Does an address lie in the code of a library below `folder`?
bool takt_loader_has_code(const char *folder, const void *address);

#endif
