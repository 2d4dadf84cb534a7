// SPDX-License-Identifier: MIT
// Compiling FMUs of FMI 2.0 that come as source code, with the C compiler of this system ("cc").
#ifndef TAKT_FMI_COMPILE_H
#define TAKT_FMI_COMPILE_H

#include "base/arena.h"
#include "base/error.h"

/// Our header of FMI 2.0 as text; made from include/fmi/fmi2.h by the build.
extern const char takt_fmi2_header[];

/// Compiles the files `sources`, which lie in `folder`/sources, to the library `library`. Its folder is
/// made where it is missing; the library appears in one step. The header files of the standard, which
/// FMUs do not contain, are added. A failure tells the first errors of the compiler.
takt_status takt_compile_sources(const char *folder, const char *const *sources, int n_sources,
                                 const char *library, takt_error *err);

#endif
