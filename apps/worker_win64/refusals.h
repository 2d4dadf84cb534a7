// SPDX-License-Identifier: MIT
// What the sandbox refuses a Windows FMU through Wine: wineserver opens files and sockets, so that no system call of this
// process fails. Functions of Windows that return "access denied" say so.
#ifndef TAKT_WORKER_WIN64_REFUSALS_H
#define TAKT_WORKER_WIN64_REFUSALS_H

/// Begins to write down what is refused (remote/sandbox.h), and lets temporary files lie in the current folder, the only one that may be
/// written.
void takt_refusals_watch(void);

#endif
