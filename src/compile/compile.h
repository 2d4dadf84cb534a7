// SPDX-License-Identifier: MIT
// Compiling FMUs that come as source code, with the compilers of this system ("cc" and "c++").
#ifndef TAKT_COMPILE_COMPILE_H
#define TAKT_COMPILE_COMPILE_H

#include "compile/sources.h"

/// Compiles sources, which lie in `folder`/sources, to the library `library`. Its folder is made where it is
/// missing; the library appears in one step. The header files of the standard, which FMUs do not
/// contain, are added. A failure shows the first errors of the compiler, or the symbols that nothing
/// defines and the files that would. What was made is noted beside it (stamp.h).
takt_status takt_compile(const char *folder, const takt_sources *sources, int fmi_major,
                         const char *library, takt_error *err);

#endif
