// SPDX-License-Identifier: MIT
// Functions of Windows that are led to functions of ours: their first bytes become a jump. That reaches every caller, whatever
// library it is in, however it found the function.
#ifndef TAKT_WORKER_WIN64_HOOK_H
#define TAKT_WORKER_WIN64_HOOK_H

void takt_hook_redirect(void *function, void *ours);

/// The same for a function of ntdll that only calls the system; `original`, a pointer to a function, becomes what does what it did.
/// One that looks different here is left alone.
void takt_hook_wrap(const char *function, void *ours, void *original);

#endif
