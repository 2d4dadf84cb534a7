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
#include "remote/sandbox_calls.h"

/// What the worker's own folders are.
typedef struct takt_sandbox_place {
    const char *fmu; ///< the unpacked FMU
    const char *work; ///< may be written
    const char *results; ///< likewise; NULL: there is none
    const char *partner; ///< may be written, also with sockets; NULL: there is none
    /// Folders of programs that are started in it, and then NULL; NULL: none are.
    const char *const *programs;
} takt_sandbox_place;

/// Enters the sandbox for good; limits apply also where it is off. `*lacks` becomes what the kernel cannot do, or NULL. Where programs are
/// started in it, system calls are not restricted yet.
takt_status takt_sandbox_enter(const takt_sandbox_rules *rules, const takt_sandbox_place *place,
                               takt_region_note *note, const char **lacks, takt_error *err);

/// Restricts the system calls of a process, and of a program that it becomes. A process may pass several stages. Returns false
/// where the kernel cannot do that. What is refused is written into `note`; NULL: nowhere.
bool takt_sandbox_restrict(takt_call_stage stage, takt_region_note *note);

/// What is missing, for messages; NULL: nothing.
const char *takt_sandbox_lack(bool has_files, bool has_calls);

/// Writes down that a file was refused (a path), or something else.
void takt_sandbox_note(const char *what);

/// Rules as bytes, and back; what is read refers to the bytes.
void takt_sandbox_pack(const takt_sandbox_rules *rules, takt_packer *packer);
enum { TAKT_SANDBOX_MAX_PATHS = 64 }; ///< that may be read, and that may be written
void takt_sandbox_unpack(takt_unpacker *unpacker, takt_sandbox_rules *rules,
                         const char *paths[2 * TAKT_SANDBOX_MAX_PATHS]);

#endif
