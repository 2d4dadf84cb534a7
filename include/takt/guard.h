// SPDX-License-Identifier: MIT
// A guard against FMUs that crash or end the program. The library installs no handlers of signals unless it is
// asked to by takt_guard_install().
#ifndef TAKT_GUARD_H
#define TAKT_GUARD_H

#include <stddef.h>

#include "takt/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// From now on, when an FMU of a run that is made later crashes (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, also by an exhausted
/// stack) or calls exit(), the results of the run are completed, and the function takt_watch_options::on_end is called with
/// TAKT_ERR_CRASH and a message that names the component, the call and the time. It should end the process: the thread
/// that crashed cannot go on. If it returns, the process ends with exit code 4; if there is none, the message goes to
/// the log before. A crash outside of FMUs is reported as one of Takt itself (TAKT_ERR_SIMULATION); then the signal takes its course.
///
/// Signals are handled on stacks of their own: that of the calling thread, and of all threads that Takt starts. Where nobody can deal with a crash within ten seconds, a line is
/// written to the file descriptor `fd` (-1: none). Installing twice does nothing; handlers that existed before
/// get what does not concern Takt.
TAKT_API takt_status takt_guard_install(int fd, takt_error *err);

/// Restores the handlers that there were before. No run may exist.
TAKT_API void takt_guard_remove(void);

/// For programs that replace functions which end the process at once, without calling handlers (`how` is the name, "_exit"): reports
/// a crash if an FMU calls it, and does not return then. Else it does nothing.
TAKT_API void takt_guard_note_exit(const char *how, int status);

/// The same for pthread_exit(): reports a crash if an FMU ends the thread that calls it. Threads of its own it may end.
TAKT_API void takt_guard_note_thread_exit(void);

/// For programs that replace signal() and sigaction(): an FMU that wants the default for SIGSEGV, SIGBUS, SIGFPE, SIGILL or SIGABRT while it
/// is being called gets the guard, which is the default then, and 1 is returned. Else it does nothing and returns 0.
TAKT_API int takt_guard_keeps_signal(int signal);

/// Writes which component's function is being called now, in any thread ("component 'Tank' (tank.fmu), fmi2DoStep"); "" if
/// none is, or no guard is installed. May be called in a handler of a signal.
TAKT_API void takt_guard_describe_call(char *text, size_t size);

#ifdef __cplusplus
}
#endif
#endif
