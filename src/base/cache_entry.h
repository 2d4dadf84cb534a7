// SPDX-License-Identifier: MIT
// One entry of the cache of unpacked archives: a folder with the unpacked files in `content`, their names, sizes and
// SHA-256 in `manifest`, and
//   lock    held shared by processes that use the entry, alone by one that makes or removes it (flock);
//   stamps  identity and times of the files when their SHA-256 was last found right, with the start of the machine.
// As long as no stamp differs, the files are those that were hashed: the time of the last change of a file (ctime)
// cannot be set. After a restart, which may have lost what was not on the disk yet, all files are hashed again.
#ifndef TAKT_BASE_CACHE_ENTRY_H
#define TAKT_BASE_CACHE_ENTRY_H

#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/zip.h"

enum { TAKT_ENTRY_UNLOCKED = -1, TAKT_ENTRY_LOCKED_ELSEWHERE = -2 };

/// Takes the lock of an entry: alone, and then it is made if it is missing, or shared. Returns a file descriptor, to
/// be closed, or what is wrong; does not wait.
int takt_entry_lock(const char *entry, bool alone, takt_arena *scratch);

/// The content is unpacked: writes the manifest. `archive` is the name of its file.
takt_status takt_entry_describe(const char *entry, const char *archive,
                                const takt_zip_content *content, takt_arena *scratch,
                                takt_error *err);

/// Is the entry there, complete and undamaged, and made by this user? The library in it will be run.
bool takt_entry_is_usable(const char *entry, takt_arena *scratch);

/// What the manifest says, in `arena`; false: there is none.
bool takt_entry_read(const char *entry, takt_arena *arena, const char **archive, int64_t *size);

#endif
