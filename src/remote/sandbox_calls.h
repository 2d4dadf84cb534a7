// SPDX-License-Identifier: MIT
// The system calls of a sandbox, by seccomp: what reaches other processes, the network, the terminal, files beyond Landlock, or
// the kernel's administration is refused with EACCES, and told. All other calls are allowed: a list of those that
// honest FMUs and their libraries need would be wrong on the next version of any of them.
#ifndef TAKT_REMOTE_SANDBOX_CALLS_H
#define TAKT_REMOTE_SANDBOX_CALLS_H

#include <stdbool.h>

/// Whose calls they are.
typedef enum takt_call_stage {
    TAKT_CALLS_OF_FMU, ///< of a process that runs code of an FMU
    TAKT_CALLS_OF_SERVED, ///< the same, and it sends files to a program that serves it
    TAKT_CALLS_OF_LAUNCH, ///< of a program that is started, connects to that one, and does not run such code yet
    TAKT_CALLS_OF_SERVER, ///< of the program that serves
} takt_call_stage;

typedef struct takt_call_rules {
    takt_call_stage stage;
    bool is_memory_limited; ///< then memory that limits do not count is refused as well
    bool knows_truncation; ///< Landlock does: it need not be refused
    void (*note)(const char *what); ///< is told what was refused, in a handler of signals
} takt_call_rules;

/// For good, before the process has threads, or (where it is served) for all of them. Only the calls of FMUs are told, others just fail. Returns false where the kernel, or the processor, cannot.
bool takt_sandbox_restrict_calls(const takt_call_rules *rules);

#endif
