// SPDX-License-Identifier: MIT
// Crashes of the process, and code that ends it: signals of faults, exit(). Nothing is installed unless
// takt_crash_install() is called. Handlers run on stacks of their own, so that an exhausted one can be
// reported; they do next to nothing: they find a listener that the crash concerns, let it deal with the crash in
// another thread, and wait for it, but not for ever.
//
// The handlers and the list of listeners are the only state of the process that Takt has: a handler of signals has
// no other way to reach anything.
#ifndef TAKT_BASE_CRASH_H
#define TAKT_BASE_CRASH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TAKT_CRASH_TEXT_SIZE = 64 };

/// What happened.
typedef struct takt_crash {
    int signal; ///< 0: something ends the process by exit()
    char what[TAKT_CRASH_TEXT_SIZE]; ///< "SIGSEGV", "exit(0)"
    uint64_t thread; ///< by takt_thread_id()
    bool ends_thread; ///< only that, by pthread_exit(): it matters where Takt waits for the thread
    const void *code, *stack; ///< where the thread was; NULL: not known
} takt_crash;

/// Who deals with crashes; lives until takt_crash_unlisten().
typedef struct takt_crash_listener {
    /// Does the crash concern it? Then it deals with it in another thread, which ends the process or, where
    /// it does not, sets `is_done`: then the process ends with exit code 4, or by the signal if `is_ours`. Called in a handler: it may only read, write, and post a semaphore. All are
    /// asked first with `is_sure`: the thread must be one of its own; then without.
    bool (*hear)(void *context, const takt_crash *crash, bool is_sure);
    /// Writes what is being called now (may be ""); called in a handler, too.
    void (*describe)(void *context, char *text, size_t size);
    /// Optional: is this thread in a call of an FMU? May be called in a handler.
    bool (*is_calling)(void *context, uint64_t thread);
    void *context;
    atomic_bool is_done, is_ours;
} takt_crash_listener;

/// Installs the handlers, once per process; the calling thread gets a stack for them. `fd` gets a line where nobody
/// could deal with a crash; -1: none does. Returns false when the system refuses.
bool takt_crash_install(int fd);

/// Restores the handlers that there were.
void takt_crash_remove(void);

bool takt_crash_is_installed(void);

/// Adds a listener. Returns false when there are too many: then it hears nothing.
bool takt_crash_listen(takt_crash_listener *listener);
void takt_crash_unlisten(takt_crash_listener *listener);

/// Something ends the process (`how`: "_exit") with a status: returns if no listener is concerned. `code` is an address
/// in the code that does.
void takt_crash_note_exit(const char *how, int status, const void *code, const void *stack);

/// Something ends the calling thread by pthread_exit(): returns unless a listener waits for the thread.
void takt_crash_note_thread_exit(const void *stack);

/// Somebody wants a signal to be handled by default. If it is that of a fault, and an FMU that this thread is calling wants it, the
/// default is Takt's handler, which is installed again. Returns false otherwise: nothing was done.
bool takt_crash_keeps(int signal);

/// Writes what listeners say that is being called now; "" if nothing is. May be called in a handler.
void takt_crash_describe(char *text, size_t size);

/// A stack for handlers, for a thread; memory that takt_crash_leave_thread() gives back. NULL: none is needed.
void *takt_crash_enter_thread(void);
void takt_crash_leave_thread(void *stack);

/// Adds to a text, as much as there is room for; may be called in a handler.
void takt_crash_add(char *text, size_t size, const char *more);
void takt_crash_add_number(char *text, size_t size, int number);

#endif
