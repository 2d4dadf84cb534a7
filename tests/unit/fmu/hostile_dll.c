// SPDX-License-Identifier: MIT
// An FMU of FMI 2.0 for Windows, written by hand, that crashes, ends the program, or does what no FMU should. y = u, and its
// GUID says what it does and where, as with hostile_fmu.c: "crash step" in the first step that ends at or after
// 0.5 s, others are instantiate, initialize and free.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <winsock2.h>

#include <windows.h>
#include <xmmintrin.h>

#include "fmi/fmi2.h"

#define DECLARE(result, name, parameters) __declspec(dllexport) result name parameters;
FMI2_COMMON_FUNCTIONS(DECLARE)
FMI2_CS_FUNCTIONS(DECLARE)

typedef struct hostile {
    double reals[2]; // u, y
    char what[32], where[32];
    const fmi2CallbackFunctions *callbacks;
} hostile;

static volatile char *volatile nowhere;

static int overflow(volatile int n)
{
    volatile char room[4096];
    room[0] = (char)n;
    return n < 0 ? 0 : overflow(n + 1) + room[0];
}

// In numbers with 24 bits; _controlfp() does not do that with 64 bits.
static void compute_roughly(void)
{
    unsigned short word;
    __asm__ volatile("fnstcw %0" : "=m"(word));
    word &= 0xFCFF;
    __asm__ volatile("fldcw %0" : : "m"(word));
}

static DWORD WINAPI crash_in_thread(void *unused)
{
    (void)unused;
    *nowhere = 1;
    return 0;
}

static volatile int zero;

static LONG WINAPI swallow(EXCEPTION_POINTERS *info)
{
    (void)info;
    return EXCEPTION_EXECUTE_HANDLER;
}

// ---- what a sandbox refuses; the exit code says what was possible

static void read_file(void)
{
    if (fopen("Z:\\etc\\passwd", "r")) exit(11);
    if (fopen("\\\\?\\unix\\etc\\passwd", "r")) exit(25);
}

static void write_file(void)
{
    char temporary[MAX_PATH], name[2 * MAX_PATH];
    const char *target = getenv("HOSTILE_TARGET");
    if (fopen(target ? target : "Z:\\tmp\\hostile", "w")) exit(12);
    if (fopen("C:\\hostile", "w")) exit(26);
    if (!fopen("own", "w")) exit(13); // in its own folder
    GetTempPathA(sizeof temporary, temporary);
    GetTempFileNameA(temporary, "own", 0, name);
    if (!fopen(name, "w")) exit(13);
}

static void change_file(void)
{
    const char *target = getenv("HOSTILE_TARGET");
    if (target && SetFileAttributesA(target, FILE_ATTRIBUTE_READONLY)) exit(21);
    if (target && DeleteFileA(target)) exit(22);
    if (target && MoveFileA(target, "moved")) exit(23);
}

// How the address of a socket begins for Linux; the numbers of its calls do not go through Wine.
static long call_linux(long number, long a, long b, long c)
{
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c)
                     : "rcx", "r11", "memory");
    return result;
}

static void use_network(void)
{
    WSADATA data;
    enum { LINUX_SOCKET = 41, LINUX_UNIX = 1, LINUX_INET = 2, LINUX_STREAM = 1 };
    if (WSAStartup(MAKEWORD(2, 2), &data) == 0 && socket(AF_INET, SOCK_STREAM, 0) != INVALID_SOCKET)
        exit(14);
    if (call_linux(LINUX_SOCKET, LINUX_INET, LINUX_STREAM, 0) >= 0) exit(14);
    if (call_linux(LINUX_SOCKET, LINUX_UNIX, LINUX_STREAM, 0) >= 0) exit(24);
}

static void make_process(void)
{
    STARTUPINFOA start = {.cb = sizeof start};
    PROCESS_INFORMATION made;
    char command[] = "C:\\windows\\system32\\cmd.exe /c exit";
    enum { LINUX_FORK = 57, LINUX_EXIT = 231 };
    long process = call_linux(LINUX_FORK, 0, 0, 0);
    if (process == 0) call_linux(LINUX_EXIT, 0, 0, 0);
    if (process > 0) exit(16);
    if (CreateProcessA(NULL, command, NULL, NULL, FALSE, 0, NULL, NULL, &start, &made)) exit(15);
}

static void disturb_others(void)
{
    enum { LINUX_KILL = 62, LINUX_PARENT = 110 };
    if (call_linux(LINUX_KILL, call_linux(LINUX_PARENT, 0, 0, 0), 0, 0) == 0) exit(17);
}

static bool act_outside(const char *what)
{
    static const struct {
        const char *name;
        void (*function)(void);
    } acts[] = {{"read", read_file},      {"write", write_file},  {"change", change_file},
                {"network", use_network}, {"fork", make_process}, {"others", disturb_others}};
    for (size_t i = 0; i < sizeof acts / sizeof *acts; i++)
        if (strcmp(what, acts[i].name) == 0) {
            acts[i].function();
            return true;
        }
    return false;
}

static void misbehave(const char *what)
{
    if (act_outside(what)) return;
    if (strcmp(what, "crash") == 0) *nowhere = 1;
    if (strcmp(what, "divide") == 0) zero = 100 / zero;
    if (strcmp(what, "overflow") == 0) zero = overflow(0);
    if (strcmp(what, "illegal") == 0) __builtin_trap();
    if (strcmp(what, "throw") == 0) RaiseException(0xE06D7363, 0, 0, NULL);
    if (strcmp(what, "abort") == 0) abort();
    if (strcmp(what, "exit") == 0) exit(7);
    if (strcmp(what, "ExitProcess") == 0) ExitProcess(3);
    if (strcmp(what, "TerminateProcess") == 0) TerminateProcess(GetCurrentProcess(), 4);
    if (strcmp(what, "box") == 0) MessageBoxA(NULL, "no license", "Engine", MB_ABORTRETRYIGNORE);
    if (strcmp(what, "round") == 0) _mm_setcsr(_mm_getcsr() | 0x6000);
    if (strcmp(what, "x87") == 0) compute_roughly();
    if (strcmp(what, "hang") == 0) Sleep(INFINITE);
    if (strcmp(what, "filter") == 0) {
        SetUnhandledExceptionFilter(swallow);
        *nowhere = 1;
    }
    if (strcmp(what, "thread") == 0)
        WaitForSingleObject(CreateThread(NULL, 0, crash_in_thread, NULL, 0, NULL), INFINITE);
}

static void act(const hostile *self, const char *where)
{
    if (strcmp(self->where, where) == 0) misbehave(self->what);
}

const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

const char *fmi2GetVersion(void)
{
    return "2.0";
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String place,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible,
                              fmi2Boolean logs)
{
    (void)type, (void)visible, (void)logs;
    hostile *self = callbacks->allocateMemory(1, sizeof *self);
    if (!self) return NULL;
    self->callbacks = callbacks;
    sscanf(guid, "%31s %31s", self->what, self->where);
    if (strcmp(self->what, "log") == 0)
        callbacks->logger(callbacks->componentEnvironment, name, fmi2Warning, "status",
                          "%s %d %ld %lld %.3f %g %x %c at %s", "text", -1, 2L, 3LL, 0.5, 1e-9,
                          255u, 'c', place);
    act(self, "instantiate");
    return self;
}

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n, const fmi2String list[])
{
    (void)c, (void)on, (void)n, (void)list;
    return fmi2OK;
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance,
                               fmi2Real start, fmi2Boolean has_stop, fmi2Real stop)
{
    (void)c, (void)has_tolerance, (void)tolerance, (void)start, (void)has_stop, (void)stop;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    act(c, "initialize");
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

void fmi2FreeInstance(fmi2Component c)
{
    hostile *self = c;
    act(self, "free");
    self->callbacks->freeMemory(self);
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[])
{
    const hostile *self = c;
    for (size_t i = 0; i < n; i++) value[i] = self->reals[vr[i]];
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                       const fmi2Real value[])
{
    hostile *self = c;
    for (size_t i = 0; i < n; i++) self->reals[vr[i]] = value[i];
    return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean is_last)
{
    hostile *self = c;
    (void)is_last;
    if (t < 0.5 - 1e-9 && t + h > 0.5 - 1e-9) act(self, "step");
    self->reals[1] = self->reals[0];
    return fmi2OK;
}
