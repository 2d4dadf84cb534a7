// SPDX-License-Identifier: MIT
// What a Windows DLL needs, read from its file without loading it. Files may be damaged or hostile: every offset is
// checked.
#ifndef TAKT_BASE_PE_H
#define TAKT_BASE_PE_H

#include "base/error.h"

enum { TAKT_PE_TEXT_SIZE = 512 };

/// Says in `out` why a DLL cannot be loaded ("it needs the DLL mkl.dll, which ..."), also where a DLL beside it is the cause;
/// "" if nothing is known to be in the way. `system` is the folder with the DLLs of the system; NULL: any DLL that is not
/// beside it may be one of them. Fails only when the file cannot be read.
takt_status takt_pe_find_obstacle(const char *path, const char *system, char out[TAKT_PE_TEXT_SIZE],
                                  takt_error *err);

#endif
