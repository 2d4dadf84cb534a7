// SPDX-License-Identifier: MIT
// What a shared library needs, read from its file without loading it. Files may be damaged or hostile: every
// offset is checked.
#ifndef TAKT_BASE_ELF_H
#define TAKT_BASE_ELF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { TAKT_ELF_TEXT_SIZE = 512 };

/// Says in `out` why a library cannot be loaded on this machine ("it needs libgfortran.so.3, which is not installed");
/// "" if nothing is known to be in the way. Fails only when the file cannot be read.
takt_status takt_elf_find_obstacle(const char *path, char out[TAKT_ELF_TEXT_SIZE], takt_error *err);

/// Is the library cut off? Then it must not be loaded, and `out` says so. Reads only its beginning.
bool takt_elf_is_cut_off(const char *path, char out[TAKT_ELF_TEXT_SIZE]);

/// The same as takt_elf_find_obstacle() for the content of a file; `folder` is where it lies.
void takt_elf_judge(const void *data, size_t size, const char *folder,
                    char out[TAKT_ELF_TEXT_SIZE]);

#endif
