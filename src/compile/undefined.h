// SPDX-License-Identifier: MIT
// Sources that do not define all that they use: which symbols are missing, and in which files of the FMU they are.
#ifndef TAKT_COMPILE_UNDEFINED_H
#define TAKT_COMPILE_UNDEFINED_H

#include "compile/sources.h"

/// Explains the messages of a linker: "'rest' is defined in sources/rest.c, which ..."; in `arena`. "": they are not about
/// symbols that are missing. `folder` is that of the sources.
takt_status takt_undefined_explain(const takt_sources *sources, const char *folder,
                                   const char *messages, takt_arena *arena, const char **out,
                                   takt_error *err);

/// Does a text in C or C++ define a function or a global variable, for other files to use? Macros are not followed.
bool takt_undefined_is_in(const char *text, const char *name);

#endif
