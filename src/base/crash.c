// SPDX-License-Identifier: MIT
// Signals of faults, and exit(); see crash.h. What runs in handlers calls only what POSIX allows there
// (signal-safety(7)): no memory is allocated, no lock is taken, nothing is formatted by the C library.
#define _GNU_SOURCE // on_exit(), registers of a context
#include "base/crash.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <pthread.h>
#include <ucontext.h>
#include <unistd.h>

enum {
    MAX_LISTENERS = 64,
    STACK_SIZE = 64 * 1024,
    ENOUGH_STACK = 16 * 1024,
    EXIT_CRASHED = 4, // as TAKT_ERR_CRASH
    PAUSE_MS = 5,
};
static const int LIMIT_MS = 10000; // for who deals with a crash
static const int LIMIT_AFTER_SECOND_MS = 1000; // once another thread has crashed, too

static const struct {
    int number;
    const char *name;
} faults[] = {{SIGSEGV, "SIGSEGV"},
              {SIGBUS, "SIGBUS"},
              {SIGFPE, "SIGFPE"},
              {SIGILL, "SIGILL"},
              {SIGABRT, "SIGABRT"}};
enum { N_FAULTS = sizeof faults / sizeof *faults };

static struct {
    atomic_bool is_installed, has_exit_handler;
    int fd;
    pid_t process; // that is guarded; those that it forks are not
    struct sigaction before[N_FAULTS];
    _Atomic(takt_crash_listener *) listeners[MAX_LISTENERS];
    atomic_ullong busy; // the thread whose crash is being dealt with; 0: none
    atomic_bool has_second; // another one crashed meanwhile
    atomic_bool hands_on; // a signal takes its course
} guard = {.fd = -1};

// ---- texts ---------------------------------------------------------------------------------------

void takt_crash_add(char *text, size_t size, const char *more)
{
    size_t n = strlen(text);
    while (*more && n + 1 < size) text[n++] = *more++;
    text[n] = 0;
}

void takt_crash_add_number(char *text, size_t size, int number)
{
    char digits[16];
    size_t n = sizeof digits;
    unsigned rest = number < 0 ? 0u - (unsigned)number : (unsigned)number;
    digits[--n] = 0;
    do digits[--n] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (number < 0) digits[--n] = '-';
    takt_crash_add(text, size, digits + n);
}

void takt_crash_describe(char *text, size_t size)
{
    text[0] = 0;
    for (int i = 0; i < MAX_LISTENERS && !text[0]; i++) {
        takt_crash_listener *listener = atomic_load(&guard.listeners[i]);
        if (listener) listener->describe(listener->context, text, size);
    }
}

// The last words, where nobody could deal with the crash.
static void write_line(const takt_crash *crash, const char *end)
{
    char text[1024] = "takt: error: ", called[512];
    takt_crash_describe(called, sizeof called);
    if (called[0]) {
        takt_crash_add(text, sizeof text, called);
        takt_crash_add(text, sizeof text,
                       crash->signal ? ": crashed with " : ": ended the program by ");
    } else {
        takt_crash_add(text, sizeof text, "Takt itself crashed with ");
    }
    takt_crash_add(text, sizeof text, crash->what);
    takt_crash_add(text, sizeof text, end);
    takt_crash_add(text, sizeof text, "\n");
    if (guard.fd >= 0 && write(guard.fd, text, strlen(text)) < 0) return; // nothing can be done
}

// ---- dealing with a crash ------------------------------------------------------------------------

static void rest(int milliseconds)
{
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000L};
    nanosleep(&time, NULL);
}

static takt_crash_listener *find_listener(const takt_crash *crash)
{
    for (int is_sure = 1; is_sure >= crash->ends_thread; is_sure--)
        for (int i = 0; i < MAX_LISTENERS; i++) {
            takt_crash_listener *listener = atomic_load(&guard.listeners[i]);
            if (listener && listener->hear(listener->context, crash, is_sure)) return listener;
        }
    return NULL;
}

// Another thread's crash is being dealt with, which ends the process; or that of this thread crashed.
static bool wait_behind(uint64_t other, uint64_t self)
{
    if (other == self) return false;
    atomic_store(&guard.has_second, true);
    for (int waited = 0; waited < 2 * LIMIT_MS; waited += PAUSE_MS) rest(PAUSE_MS);
    return true;
}

// Lets a listener deal with a crash, and ends the process. Returns false where none is concerned, and true where it is
// our own crash: then all goes on as without us.
static bool deal_with(const takt_crash *crash)
{
    unsigned long long nobody = 0;
    if (!atomic_compare_exchange_strong(&guard.busy, &nobody, crash->thread))
        return wait_behind(nobody, crash->thread);
    takt_crash_listener *listener = find_listener(crash);
    if (!listener) {
        atomic_store(&guard.busy, 0);
        return false;
    }
    int limit = LIMIT_MS;
    for (int waited = 0; waited < limit && !atomic_load(&listener->is_done); waited += PAUSE_MS) {
        rest(PAUSE_MS);
        if (atomic_load(&guard.has_second) && waited + LIMIT_AFTER_SECOND_MS < limit)
            limit = waited + LIMIT_AFTER_SECOND_MS;
    }
    if (atomic_load(&listener->is_done) && atomic_load(&listener->is_ours)) return true;
    if (!atomic_load(&listener->is_done)) write_line(crash, "; results may be incomplete");
    _exit(EXIT_CRASHED);
}

// ---- signals -------------------------------------------------------------------------------------

static void note_place(takt_crash *crash, const ucontext_t *at)
{
#if defined(__x86_64__)
    crash->code = (const void *)(uintptr_t)at->uc_mcontext.gregs[REG_RIP];
    crash->stack = (const void *)(uintptr_t)at->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
    crash->code = (const void *)(uintptr_t)at->uc_mcontext.pc;
    crash->stack = (const void *)(uintptr_t)at->uc_mcontext.sp;
#else
    (void)crash, (void)at;
#endif
}

// A fault just beyond the stack's end.
static bool is_overflow(const takt_crash *crash, const siginfo_t *info)
{
    if (crash->signal != SIGSEGV || info->si_code <= 0 || !crash->stack) return false;
    uintptr_t address = (uintptr_t)info->si_addr, stack = (uintptr_t)crash->stack;
    return address + 256 * 1024 > stack && address < stack + 4096;
}

// Whoever handled the signal before does it again: by default the process ends.
static void hand_on(int i_fault, const siginfo_t *info)
{
    atomic_store(&guard.hands_on, true);
    sigaction(faults[i_fault].number, &guard.before[i_fault], NULL);
    if (info->si_code <= 0)
        raise(faults[i_fault].number); // it was sent; else the fault repeats itself
}

static void handle(int number, siginfo_t *info, void *context)
{
    int i = 0;
    while (i < N_FAULTS - 1 && faults[i].number != number) i++;
    if (getpid() != guard.process) {
        hand_on(i, info);
        return;
    }
    takt_crash crash = {.signal = number, .thread = (uint64_t)pthread_self()};
    note_place(&crash, context);
    takt_crash_add(crash.what, sizeof crash.what, faults[i].name);
    if (is_overflow(&crash, info))
        takt_crash_add(crash.what, sizeof crash.what, " (stack overflow)");
    bool is_dealt_with = deal_with(&crash);
    if (!is_dealt_with) write_line(&crash, "; please report it");
    hand_on(i, info);
}

// ---- exit ----------------------------------------------------------------------------------------

void takt_crash_note_exit(const char *how, int status, const void *code, const void *stack)
{
    if (!atomic_load(&guard.is_installed) || atomic_load(&guard.busy)) return;
    if (getpid() != guard.process) return;
    takt_crash crash = {.thread = (uint64_t)pthread_self(), .code = code, .stack = stack};
    takt_crash_add(crash.what, sizeof crash.what, how);
    takt_crash_add(crash.what, sizeof crash.what, "(");
    takt_crash_add_number(crash.what, sizeof crash.what, status);
    takt_crash_add(crash.what, sizeof crash.what, ")");
    if (deal_with(&crash)) _exit(EXIT_CRASHED);
}

void takt_crash_note_thread_exit(const void *stack)
{
    if (!atomic_load(&guard.is_installed) || atomic_load(&guard.busy)) return;
    takt_crash crash = {.thread = (uint64_t)pthread_self(),
                        .stack = stack,
                        .what = "pthread_exit()",
                        .ends_thread = true};
    if (getpid() == guard.process && deal_with(&crash)) _exit(EXIT_CRASHED);
}

static void on_end(int status, void *context)
{
    (void)context;
    takt_crash_note_exit("exit", status, NULL, __builtin_frame_address(0));
}

static void on_quick_end(void)
{
    takt_crash_note_exit("quick_exit", 0, NULL, __builtin_frame_address(0));
}

// ---- installation --------------------------------------------------------------------------------

// Handlers at exit cannot be taken back: they are added once, and do nothing while nothing is installed.
static bool add_exit_handlers(void)
{
    if (atomic_exchange(&guard.has_exit_handler, true)) return true;
    return on_exit(on_end, NULL) == 0 && at_quick_exit(on_quick_end) == 0;
}

static bool is_calling(uint64_t thread)
{
    for (int i = 0; i < MAX_LISTENERS; i++) {
        takt_crash_listener *at = atomic_load(&guard.listeners[i]);
        if (at && at->is_calling && at->is_calling(at->context, thread)) return true;
    }
    return false;
}

static const struct sigaction *own_action(void)
{
    static const struct sigaction action = {.sa_sigaction = handle,
                                            .sa_flags = SA_SIGINFO | SA_ONSTACK};
    return &action; // no other signal is blocked
}

bool takt_crash_keeps(int signal)
{
    if (!atomic_load(&guard.is_installed) || getpid() != guard.process) return false;
    if (atomic_load(&guard.hands_on)) return false;
    for (int i = 0; i < N_FAULTS; i++)
        if (faults[i].number == signal)
            return is_calling((uint64_t)pthread_self()) &&
                   sigaction(signal, own_action(), NULL) == 0;
    return false;
}

bool takt_crash_install(int fd)
{
    if (atomic_load(&guard.is_installed)) return true;
    if (!add_exit_handlers()) return false;
    guard.fd = fd;
    guard.process = getpid();
    atomic_store(&guard.is_installed, true);
    takt_crash_enter_thread();
    for (int i = 0; i < N_FAULTS; i++) sigaction(faults[i].number, own_action(), &guard.before[i]);
    return true;
}

void takt_crash_remove(void)
{
    if (!atomic_exchange(&guard.is_installed, false)) return;
    for (int i = 0; i < N_FAULTS; i++) sigaction(faults[i].number, &guard.before[i], NULL);
}

bool takt_crash_is_installed(void)
{
    return atomic_load(&guard.is_installed);
}

bool takt_crash_listen(takt_crash_listener *listener)
{
    for (int i = 0; i < MAX_LISTENERS; i++) {
        takt_crash_listener *nobody = NULL;
        if (atomic_compare_exchange_strong(&guard.listeners[i], &nobody, listener)) return true;
    }
    return false;
}

void takt_crash_unlisten(takt_crash_listener *listener)
{
    for (int i = 0; i < MAX_LISTENERS; i++) {
        takt_crash_listener *same = listener;
        atomic_compare_exchange_strong(&guard.listeners[i], &same, NULL);
    }
}

void *takt_crash_enter_thread(void)
{
    if (!atomic_load(&guard.is_installed)) return NULL;
    stack_t present;
    bool has_one = sigaltstack(NULL, &present) == 0 && !(present.ss_flags & SS_DISABLE) &&
                   present.ss_size >= ENOUGH_STACK;
    if (has_one) return NULL;
    void *memory =
        mmap(NULL, STACK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    stack_t own = {.ss_sp = memory, .ss_size = STACK_SIZE};
    if (sigaltstack(&own, NULL) == 0) return memory;
    munmap(memory, STACK_SIZE);
    return NULL;
}

void takt_crash_leave_thread(void *stack)
{
    if (!stack) return;
    stack_t none = {.ss_flags = SS_DISABLE};
    sigaltstack(&none, NULL);
    munmap(stack, STACK_SIZE);
}
