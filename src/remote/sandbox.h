// SPDX-License-Identifier: MIT
// The sandbox of a worker. Files by Landlock: it reads its FMU, the system's libraries and what the rules say, and writes
// only in its own folder. System calls by seccomp (sandbox_calls.h): no network, no new processes, no tracing, mounting, loading of
// modules, no signals to others. What is refused fails with EACCES, and is written down. Privileges of root are given up, and nothing typed into
// the terminal can be read.
#ifndef TAKT_REMOTE_SANDBOX_H
#define TAKT_REMOTE_SANDBOX_H

#include "base/error.h"
#include "instance/pack.h"
#include "remote/isolation.h"
#include "remote/region.h"

/// What the worker's own folders are.
typedef struct takt_sandbox_place {
    const char *fmu; ///< the unpacked FMU
    const char *work; ///< may be written
    const char *results; ///< likewise; NULL: there is none
} takt_sandbox_place;

/// Enters the sandbox for good; limits apply also where it is off. `*lacks` becomes what the kernel cannot do, or NULL.
takt_status takt_sandbox_enter(const takt_sandbox_rules *rules, const takt_sandbox_place *place,
                               takt_region_note *note, const char **lacks, takt_error *err);

/// Writes down that a file was refused (a path), or something else.
void takt_sandbox_note(const char *what);

/// Rules as bytes, and back; what is read refers to the bytes.
void takt_sandbox_pack(const takt_sandbox_rules *rules, takt_packer *packer);
enum { TAKT_SANDBOX_MAX_PATHS = 64 }; ///< that may be read, and that may be written
void takt_sandbox_unpack(takt_unpacker *unpacker, takt_sandbox_rules *rules,
                         const char *paths[2 * TAKT_SANDBOX_MAX_PATHS]);

#endif
