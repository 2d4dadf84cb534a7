// SPDX-License-Identifier: MIT
// The system calls of a sandbox, by seccomp: what reaches other processes, the network, the terminal, files beyond Landlock, or
// the kernel's administration is refused with EACCES, and told. All other calls are allowed: a list of those that
// honest FMUs and their libraries need would be wrong on the next version of any of them.
#ifndef TAKT_REMOTE_SANDBOX_CALLS_H
#define TAKT_REMOTE_SANDBOX_CALLS_H

#include <stdbool.h>

typedef struct takt_call_rules {
    bool is_memory_limited; ///< then memory that limits do not count is refused as well
    bool knows_truncation; ///< Landlock does: it need not be refused
    void (*note)(const char *what); ///< is told what was refused, in a handler of signals
} takt_call_rules;

/// For good. Returns false where the kernel, or the processor, cannot.
bool takt_sandbox_restrict_calls(const takt_call_rules *rules);

#endif
