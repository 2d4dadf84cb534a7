// SPDX-License-Identifier: MIT
// Watching a process of Wine; see faults.h. Functions of Windows that end the process or open a window are led to functions
// of ours: their first bytes become a jump. That reaches every caller, whatever library it is in, however it found the
// function.
#include "faults.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <windef.h>
#include <winbase.h>
#include <winnls.h>
#include <winternl.h>
#include <winuser.h>

#include "base/crash.h"
#include "hook.h"
#include "remote/keeper.h"

// Exceptions and hooks have no other way to reach them.
static takt_region *watched;
static _Atomic(const takt_instance *) present;

// ---- writing down --------------------------------------------------------------------------------

static void note_function(void)
{
    const takt_instance *instance = atomic_load(&present);
    const char *function = instance ? takt_instance_calling(instance) : NULL;
    char *out = watched->note.function;
    out[0] = 0;
    if (function) takt_crash_add(out, TAKT_REGION_NOTE, function);
}

static void note_end(const char *how)
{
    if (!watched || watched->note.how[0]) return;
    note_function();
    takt_crash_add(watched->note.how, TAKT_REGION_NOTE, how);
}

// The master asks for the function when a call takes too long.
static void answer(int number)
{
    (void)number;
    if (watched) note_function();
}

// ---- exceptions ----------------------------------------------------------------------------------

static const struct {
    DWORD code;
    const char *name;
} exceptions[] = {
    {EXCEPTION_ACCESS_VIOLATION, "an access violation"},
    {EXCEPTION_STACK_OVERFLOW, "a stack overflow"},
    {EXCEPTION_INT_DIVIDE_BY_ZERO, "an integer division by zero"},
    {EXCEPTION_INT_OVERFLOW, "an integer overflow"},
    {EXCEPTION_ILLEGAL_INSTRUCTION, "an illegal instruction"},
    {EXCEPTION_PRIV_INSTRUCTION, "a privileged instruction"},
    {EXCEPTION_DATATYPE_MISALIGNMENT, "misaligned data"},
    {EXCEPTION_ARRAY_BOUNDS_EXCEEDED, "an array index out of bounds"},
    {EXCEPTION_FLT_DIVIDE_BY_ZERO, "a floating-point division by zero"},
    {EXCEPTION_FLT_INVALID_OPERATION, "an invalid floating-point operation"},
    {EXCEPTION_FLT_OVERFLOW, "a floating-point overflow"},
    {EXCEPTION_IN_PAGE_ERROR, "memory that cannot be read"},
    {EXCEPTION_BREAKPOINT, "a breakpoint"},
    {0xC0000374, "a damaged heap"},
    {0xC0000409, "a damaged stack, or abort()"},
    {0xE06D7363, "a C++ exception that nobody catches"},
    {0x20474343, "a C++ exception that nobody catches"}, // of gcc
    {0x80000100, "a function that Wine does not have"},
    {0x40000015, "abort()"},
};

static void note_exception(const EXCEPTION_RECORD *record)
{
    char how[TAKT_REGION_NOTE];
    const char *name = "an exception";
    for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
        if (exceptions[i].code == record->ExceptionCode) name = exceptions[i].name;
    // Begins like the names of signals, which the master calls a crash.
    snprintf(how, sizeof how, "SEH exception 0x%08X (%s)", (unsigned)record->ExceptionCode, name);
    note_end(how);
}

// What is left of a full stack may be too little for Wine to tell the program: whether it is, depends on where in its last pages the overflow is. Wine
// would end the process without a word then. So it is told here, on the stack of signals.
static struct sigaction fault_of_wine;

static void see_fault(int number, siginfo_t *info, void *context)
{
    enum { LAST = 16 * 1024 };
    const char *end = NtCurrentTeb()->DeallocationStack, *place = info->si_addr;
    if (place >= end && place < end + LAST) {
        const EXCEPTION_RECORD record = {.ExceptionCode = EXCEPTION_STACK_OVERFLOW};
        note_exception(&record);
        _exit(3);
    }
    fault_of_wine.sa_sigaction(number, info, context);
}

static void watch_stack(void)
{
    if (sigaction(SIGSEGV, NULL, &fault_of_wine) || !(fault_of_wine.sa_flags & SA_SIGINFO)) return;
    struct sigaction own = fault_of_wine; // with its mask and its stack
    own.sa_sigaction = see_fault;
    sigaction(SIGSEGV, &own, NULL);
}

static LONG WINAPI end_by_exception(EXCEPTION_POINTERS *info)
{
    note_exception(info->ExceptionRecord);
    TerminateProcess(GetCurrentProcess(), 3);
    return EXCEPTION_EXECUTE_HANDLER;
}

// Run-time libraries replace the filter before they give up, so that it would not be asked.
static LPTOP_LEVEL_EXCEPTION_FILTER WINAPI keep_filter(LPTOP_LEVEL_EXCEPTION_FILTER filter)
{
    (void)filter;
    return NULL;
}

// ---- ends ----------------------------------------------------------------------------------------

static void WINAPI end_by_exit(DWORD status)
{
    char how[TAKT_REGION_NOTE];
    snprintf(how, sizeof how, "ExitProcess(%d)", (int)status);
    note_end(how);
    TerminateProcess(GetCurrentProcess(), status);
}

// ---- message boxes -------------------------------------------------------------------------------

// Nobody sees it: its text goes to standard error, and it is answered as if the first button had been pressed, but
// never by trying again.
static int answer_box(const char *title, const char *text, UINT kind)
{
    UINT buttons = kind & MB_TYPEMASK;
    fprintf(stderr, "the FMU opens a message box%s%s: %s\n", title ? " " : "", title ? title : "",
            text ? text : "");
    if (buttons == MB_YESNO || buttons == MB_YESNOCANCEL) return IDYES;
    if (buttons == MB_RETRYCANCEL) return IDCANCEL;
    if (buttons == MB_ABORTRETRYIGNORE) return IDABORT;
    return buttons == MB_CANCELTRYCONTINUE ? IDCONTINUE : IDOK;
}

static int WINAPI box(HWND parent, const char *text, const char *title, UINT kind)
{
    (void)parent;
    return answer_box(title, text, kind);
}

static int WINAPI box_wide(HWND parent, const WCHAR *text, const WCHAR *title, UINT kind)
{
    char bytes[2048] = "", name[256] = "";
    (void)parent;
    if (text) WideCharToMultiByte(CP_UTF8, 0, text, -1, bytes, sizeof bytes - 1, NULL, NULL);
    if (title) WideCharToMultiByte(CP_UTF8, 0, title, -1, name, sizeof name - 1, NULL, NULL);
    return answer_box(name, bytes, kind);
}

// ---- hooks ---------------------------------------------------------------------------------------

typedef struct hook {
    const WCHAR *library;
    const char *function;
    void *ours;
} hook;

static const WCHAR kernel32[] = {'k', 'e', 'r', 'n', 'e', 'l', '3', '2', 0};
static const WCHAR kernelbase[] = {'k', 'e', 'r', 'n', 'e', 'l', 'b', 'a', 's', 'e', 0};
static const WCHAR ntdll[] = {'n', 't', 'd', 'l', 'l', 0};
static const WCHAR user32[] = {'u', 's', 'e', 'r', '3', '2', 0};

static const hook hooks[] = {
    {kernel32, "ExitProcess", end_by_exit},
    {ntdll, "RtlExitUserProcess", end_by_exit},
    {kernelbase, "SetUnhandledExceptionFilter", keep_filter},
    {user32, "MessageBoxA", box},
    {user32, "MessageBoxW", box_wide},
    {user32, "MessageBoxExA", box},
    {user32, "MessageBoxExW", box_wide},
    {user32, "MessageBoxTimeoutA", box},
    {user32, "MessageBoxTimeoutW", box_wide},
};

// Of libraries that are not there yet, nothing happens.
static void redirect_all(bool is_window)
{
    for (size_t i = 0; i < sizeof hooks / sizeof *hooks; i++) {
        HMODULE module =
            (hooks[i].library == user32) == is_window ? GetModuleHandleW(hooks[i].library) : NULL;
        void *function = module ? (void *)GetProcAddress(module, hooks[i].function) : NULL;
        if (function) takt_hook_redirect(function, hooks[i].ours);
    }
}

// As winternl.h of Windows has it.
typedef struct load_note {
    ULONG flags;
    const UNICODE_STRING *path, *name;
    void *base;
    ULONG size;
} load_note;

typedef void(CALLBACK load_function)(ULONG reason, const load_note *note, void *context);
typedef LONG(WINAPI *register_function)(ULONG flags, load_function *function, void *context,
                                        void **cookie);

// A library has been loaded; its code has not run yet.
static void CALLBACK see_library(ULONG reason, const load_note *note, void *context)
{
    static const WCHAR name[] = {'u', 's', 'e', 'r', '3', '2', '.', 'd', 'l', 'l'};
    (void)context;
    if (reason != 1 || note->name->Length != sizeof name) return;
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if ((note->name->Buffer[i] | 0x20) != (name[i] | 0x20)) return;
    redirect_all(true);
}

void takt_faults_watch(takt_region *region)
{
    void *cookie;
    struct sigaction action = {.sa_handler = answer, .sa_flags = SA_RESTART | SA_ONSTACK};
    watched = region;
    sigemptyset(&action.sa_mask);
    sigaction(TAKT_KEEPER_SIGNAL, &action, NULL);
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
    SetUnhandledExceptionFilter(end_by_exception);
    watch_stack();
    redirect_all(false);
    redirect_all(true);
    register_function see;
    void *address = (void *)GetProcAddress(GetModuleHandleW(ntdll), "LdrRegisterDllNotification");
    memcpy(&see, &address, sizeof see); // C has no cast from object to function pointer
    if (see) see(0, see_library, NULL, &cookie);
}

void takt_faults_watch_instance(void *unused, const takt_instance *instance)
{
    (void)unused;
    atomic_store(&present, instance);
}

void takt_faults_unwatch(void)
{
    watched = NULL;
}
