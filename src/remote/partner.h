// SPDX-License-Identifier: MIT
// A program that a worker needs beside it, started in the worker's sandbox: for Wine, the process that opens files for
// all that use a prefix (wineserver). One of its own, inside the sandbox, can open no more than the worker itself.
#ifndef TAKT_REMOTE_PARTNER_H
#define TAKT_REMOTE_PARTNER_H

#include "base/error.h"

/// Where it writes, in the folder of the worker: TMPDIR of both.
#define TAKT_PARTNER_FOLDER ".partner"

/// Starts it, and waits until it can be reached by a socket that fits one of the patterns (as for glob(), relative to the
/// current folder). Both lists end with NULL. It ends with the calling thread, however that ends.
takt_status takt_partner_start(const char *const *arguments, const char *const *sockets,
                               takt_error *err);

#endif
