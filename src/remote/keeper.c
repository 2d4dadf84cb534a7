// SPDX-License-Identifier: MIT
// What a worker dies of; see keeper.h. All but the start runs in handlers of signals, in a process that has nothing to
// lose: what is most important is written first.
#define _GNU_SOURCE // dladdr()
#include "remote/keeper.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <string.h>
#include <unistd.h>

#include "base/thread.h"

// A handler of signals has no other way to reach anything.
static _Atomic(takt_keeper *) current;

static void note_function(const takt_keeper *keeper)
{
    const takt_instance *instance = atomic_load(&keeper->instance);
    const char *function = instance ? takt_instance_calling(instance) : NULL;
    char *out = keeper->region->note.function;
    out[0] = 0;
    if (function) takt_crash_add(out, TAKT_REGION_NOTE, function);
}

static void add_number(char *text, size_t size, uintptr_t number)
{
    char digits[2 * sizeof number + 3];
    size_t n = sizeof digits;
    digits[--n] = 0;
    do digits[--n] = "0123456789abcdef"[number % 16];
    while (number /= 16);
    digits[--n] = 'x';
    digits[--n] = '0';
    takt_crash_add(text, size, digits + n);
}

// "  model.so: compute+0x1c"
static void add_call(char *text, size_t size, const void *address)
{
    Dl_info at = {0};
    uintptr_t place = (uintptr_t)address, begin = 0;
    bool is_known = dladdr(address, &at) && at.dli_fname;
    const char *slash = is_known ? strrchr(at.dli_fname, '/') : NULL;
    takt_crash_add(text, size, text[0] ? "\n  " : "  ");
    if (is_known) takt_crash_add(text, size, slash ? slash + 1 : at.dli_fname);
    if (is_known) takt_crash_add(text, size, ": ");
    if (is_known && at.dli_sname) takt_crash_add(text, size, at.dli_sname);
    if (is_known && at.dli_sname) takt_crash_add(text, size, "+");
    if (is_known) begin = (uintptr_t)(at.dli_sname ? at.dli_saddr : at.dli_fbase);
    add_number(text, size, place - begin);
}

// It may never come to an end: then the alarm kills the process.
static void note_trace(const takt_keeper *keeper, const takt_crash *crash)
{
    enum { MAX_CALLS = 24 };
    void *calls[MAX_CALLS];
    char *out = keeper->region->note.trace;
    signal(SIGALRM, SIG_DFL);
    alarm(2);
    out[0] = 0;
    if (crash->code) add_call(out, TAKT_REGION_TRACE, crash->code);
    int n = backtrace(calls, MAX_CALLS), first = 0;
    while (first < n && calls[first] != crash->code) first++; // those of the handler itself
    for (int i = first + 1; i < n; i++) add_call(out, TAKT_REGION_TRACE, calls[i]);
    alarm(0);
}

static bool hear(void *context, const takt_crash *crash, bool is_sure)
{
    takt_keeper *keeper = context;
    if (!is_sure || (crash->ends_thread && crash->thread != keeper->thread)) return false;
    note_function(keeper);
    if (crash->thread != keeper->thread) {
        keeper->region->note.function[0] = 0;
        takt_crash_add(keeper->region->note.function, TAKT_REGION_NOTE, "a thread of its own");
    }
    char *how = keeper->region->note.how;
    how[0] = 0;
    takt_crash_add(how, TAKT_REGION_NOTE, crash->what);
    if (crash->signal) note_trace(keeper, crash);
    if (keeper->tell) keeper->tell(keeper->context);
    atomic_store(&keeper->listener.is_ours, true);
    atomic_store(&keeper->listener.is_done, true);
    return true;
}

// Nobody but an FMU asks.
static bool is_calling(void *context, uint64_t thread)
{
    return thread == ((const takt_keeper *)context)->thread;
}

static void describe(void *context, char *text, size_t size)
{
    (void)context, (void)size;
    text[0] = 0;
}

static void answer(int number)
{
    (void)number;
    const takt_keeper *keeper = atomic_load(&current);
    if (keeper) note_function(keeper);
}

void takt_keeper_start(takt_keeper *keeper)
{
    void *call;
    backtrace(&call, 1); // what it loads, is loaded before anything goes wrong
    keeper->listener = (takt_crash_listener){
        .hear = hear, .describe = describe, .is_calling = is_calling, .context = keeper};
    keeper->thread = takt_thread_id();
    atomic_store(&current, keeper);
    if (takt_crash_install(-1)) takt_crash_listen(&keeper->listener);
    struct sigaction action = {.sa_handler = answer, .sa_flags = SA_RESTART | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaction(TAKT_KEEPER_SIGNAL, &action, NULL);
}

void takt_keeper_end(takt_keeper *keeper)
{
    atomic_store(&keeper->instance, NULL);
    takt_crash_unlisten(&keeper->listener);
    atomic_store(&current, NULL);
}

void takt_keeper_watch(void *keeper, const takt_instance *instance)
{
    atomic_store(&((takt_keeper *)keeper)->instance, instance);
}
