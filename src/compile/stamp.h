// SPDX-License-Identifier: MIT
// What a compiled library is and was made by, noted beside it: whether it can be used again depends on that.
#ifndef TAKT_COMPILE_STAMP_H
#define TAKT_COMPILE_STAMP_H

#include <stdbool.h>

#include "base/error.h"

/// Arguments of every compilation and of every linking. Whatever is not defined fails when a library is made, not when it
/// is loaded.
#define TAKT_COMPILE_ARGUMENTS "-c", "-fPIC", "-O2", "-w"
#define TAKT_LINK_ARGUMENTS "-shared", "-Wl,-z,defs"

/// Notes that `library`, whose content lies in `fresh` still, is made by the compilers of this system; before it moves.
/// Who makes another one at the same time may put it there: then it is made again the next time.
takt_status takt_stamp_write(const char *library, const char *fresh, takt_error *err);

/// Is the library there as it was noted?
bool takt_stamp_is_intact(const char *library);

/// Was an intact library made by the compilers that this system has now, with the same arguments and header files? Also
/// true where there is no compiler.
takt_status takt_stamp_is_current(const char *library, bool *out, takt_error *err);

#endif
