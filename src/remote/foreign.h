// SPDX-License-Identifier: MIT
// Workers that are programs of their own, for FMUs that the nest's own program cannot load: those for Windows, and those with
// 32 bits. The nest starts such a program in place of a copy of itself; it opens the FMU from the same recipe and serves
// its region like any worker.
#ifndef TAKT_REMOTE_FOREIGN_H
#define TAKT_REMOTE_FOREIGN_H

#include "base/error.h"
#include "instance/pack.h"
#include "remote/region.h"

enum { TAKT_FOREIGN_MAX = 16 };

/// How such a program is started; lists end with NULL.
typedef struct takt_foreign {
    const char *arguments[TAKT_FOREIGN_MAX]; ///< none: workers are copies of the nest
    const char *environment[TAKT_FOREIGN_MAX]; ///< "NAME=VALUE", or "NAME": must not be there
    /// Only in a sandbox: the program that must serve it there (partner.h), none: it needs nobody; by which sockets; and the folders
    /// that they may read and start programs from.
    const char *partner[TAKT_FOREIGN_MAX], *sockets[TAKT_FOREIGN_MAX], *folders[TAKT_FOREIGN_MAX];
    /// Processes that it starts serve those of other runs as well, and end when nobody needs them: the nest must not end them.
    bool is_shared;
} takt_foreign;

/// What such a program is told of its sandbox, where it has to restrict its system calls before it runs code of the FMU.
#define TAKT_FOREIGN_FREE "off" ///< there is no sandbox
#define TAKT_FOREIGN_CONFINED "on"
#define TAKT_FOREIGN_CALLS_ONLY "calls" ///< the kernel cannot restrict files

/// As bytes, and back; what is read refers to the bytes.
void takt_foreign_pack(const takt_foreign *self, takt_packer *packer);
void takt_foreign_unpack(takt_unpacker *unpacker, takt_foreign *self);

/// Becomes the worker. Its program gets four more arguments: the process that is its nest, the numbers of two
/// files, of the region and of the recipe, and what it is told of its sandbox. What fails is written down in the region.
_Noreturn void takt_foreign_become(const takt_foreign *self, takt_region *region, int nest,
                                   int region_file, int recipe_file, const char *sandbox);

/// Changes the environment of this process to the worker's.
void takt_foreign_set_environment(const takt_foreign *self);

/// Writes down in the region why there is no worker, and ends.
_Noreturn void takt_foreign_give_up(takt_region *region, const char *why);

#endif
