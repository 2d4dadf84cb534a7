// SPDX-License-Identifier: MIT
// URIs (RFC 3986) in project files, turned into paths.
#ifndef TAKT_PROJECT_URI_H
#define TAKT_PROJECT_URI_H

#include "base/arena.h"
#include "base/error.h"

/// The path of the file that `uri` names, seen from the folder of `project_path`, in `arena`.
/// Percent-encoding is decoded and "./" left out. Absolute paths, "file:///" and ".." are allowed, as
/// the project itself lies in the user's folder and not in an archive.
takt_status takt_uri_resolve(takt_arena *arena, const char *project_path, const char *uri,
                             const char **out, takt_error *err);

/// The same for a file inside the folder `package`, which the path may not leave. (The folder of)
/// `path` lies in it.
takt_status takt_uri_resolve_inside(takt_arena *arena, const char *package, const char *path,
                                    const char *uri, const char **out, takt_error *err);

/// A relative path as a URI: all but letters, digits and "-._~/" is percent-encoded.
char *takt_uri_of_path(takt_arena *arena, const char *path);

/// Does a source name a component that has no file ("builtin:sum?inputs=2")? It stays as it is.
bool takt_uri_is_builtin(const char *uri);

#endif
