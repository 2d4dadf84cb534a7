// SPDX-License-Identifier: MIT
// Relative URIs (RFC 3986) in project files, turned into paths.
#ifndef TAKT_PROJECT_URI_H
#define TAKT_PROJECT_URI_H

#include "base/arena.h"
#include "base/error.h"

/// The path of the file that `uri` names inside the folder of `project_path`, in `arena`.
/// Percent-encoding is decoded and "./" left out. Only relative references to files are possible;
/// ".." is allowed, as the project itself lies in a folder and not in an archive.
takt_status takt_uri_resolve(takt_arena *arena, const char *project_path, const char *uri,
                             const char **out, takt_error *err);

#endif
