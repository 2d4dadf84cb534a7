// SPDX-License-Identifier: MIT
// A library that stands before that of an FMU of any version and passes every call on to it, and in one of them does something
// bad first. It lies in the FMU's archive in place of the library, which lies beside it as `real.so`; what it does
// is in `meddle.txt`: "segfault fmi3DoStep 5" at the fifth call, "round fmi2GetDerivatives 0" at every call. The functions
// are passages of a few instructions, so that no argument needs to be known.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fenv.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fmi/fmi1.h"
#include "fmi/fmi2.h"
#include "fmi/fmi3.h"

#if defined(__x86_64__)

// clang-format off
#define ALL(X1, X)                                                                                 \
    FMI1_COMMON_FUNCTIONS(X1) FMI1_CS_FUNCTIONS(X1) FMI1_ME_FUNCTIONS(X1)                          \
    FMI2_COMMON_FUNCTIONS(X) FMI2_CS_FUNCTIONS(X) FMI2_ME_FUNCTIONS(X)                             \
    FMI3_COMMON_FUNCTIONS(X) FMI3_CS_FUNCTIONS(X) FMI3_ME_FUNCTIONS(X) FMI3_SE_FUNCTIONS(X)
// clang-format on

enum {
#define NUMBER(result, name, parameters) N_##name,
    ALL(NUMBER, NUMBER)
#undef NUMBER
        N_FUNCTIONS
};

// FMI 1.0 puts the model's identifier in front; that of all FMUs which are used so is "Lag".
static const char *const names[] = {
#define NAME1(result, name, parameters) [N_##name] = "Lag_" #name,
#define NAME(result, name, parameters) [N_##name] = #name,
    ALL(NAME1, NAME)};

static struct {
    void *library;
    char what[32], where[64];
    int n_left; // calls until it happens
    bool is_always;
    fmiCallbackLogger log1; // of FMI 1.0
    fmi3LogMessageCallback log3;
    void *environment;
} meddler;

static volatile char *volatile nowhere;

static locale_t own_locale;

__attribute__((destructor)) static void free_locale(void)
{
    if (own_locale) freelocale(own_locale);
}

// What it does is wrong on purpose.
__attribute__((no_sanitize("undefined"))) static void do_it(const char *what)
{
    if (strcmp(what, "segfault") == 0) *nowhere = 1;
    if (strcmp(what, "abort") == 0) abort();
    if (strcmp(what, "exit") == 0) exit(0);
    if (strcmp(what, "round") == 0) fesetround(FE_UPWARD);
    if (strcmp(what, "trap") == 0) feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
    if (strcmp(what, "locale") == 0 && !setlocale(LC_ALL, "C.UTF-8")) abort();
    if (strcmp(what, "own_locale") == 0 && !own_locale)
        own_locale = newlocale(LC_ALL_MASK, "C.UTF-8", (locale_t)0);
    if (strcmp(what, "own_locale") == 0) uselocale(own_locale);
    if (strcmp(what, "umask") == 0) umask(0777);
    if (strcmp(what, "handlers") == 0) signal(SIGINT, SIG_IGN);
    if (strcmp(what, "folder") == 0 && chdir("/")) abort();
    if (strcmp(what, "mask") == 0) {
        sigset_t set;
        sigemptyset(&set);
        sigaddset(&set, SIGTERM);
        pthread_sigmask(SIG_BLOCK, &set, NULL);
    }
}

static void open_real(void)
{
    Dl_info self;
    char path[4096];
    if (!dladdr((void *)(uintptr_t)&do_it, &self)) abort();
    int n = (int)(strrchr(self.dli_fname, '/') - self.dli_fname);
    snprintf(path, sizeof path, "%.*s/real.so", n, self.dli_fname);
    meddler.library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    snprintf(path, sizeof path, "%.*s/meddle.txt", n, self.dli_fname);
    FILE *file = fopen(path, "r");
    if (!meddler.library || !file ||
        fscanf(file, "%31s %63s %d", meddler.what, meddler.where, &meddler.n_left) != 3)
        abort();
    meddler.is_always = meddler.n_left == 0;
    fclose(file);
}

// Keeps the callback for messages; `frame` is that of `passage`: arguments on the stack begin two words above.
static void remember(long i, void **frame)
{
    if (i == N_fmiInstantiateSlave || i == N_fmiInstantiateModel)
        meddler.log1 = (fmiCallbackLogger)(uintptr_t)frame[2];
    if (i == N_fmi3InstantiateCoSimulation) {
        meddler.environment = frame[5];
        meddler.log3 = (fmi3LogMessageCallback)(uintptr_t)frame[6];
    }
    if (i == N_fmi3InstantiateModelExchange) {
        meddler.environment = frame[-6];
        meddler.log3 = (fmi3LogMessageCallback)(uintptr_t)frame[2];
    }
}

// A message that is none.
static void log_nonsense(void)
{
    const char *nonsense =
        (const char *)(uintptr_t)16; // no address of anything, under sanitizers as well
    if (meddler.log1) meddler.log1(NULL, "Lag", fmiWarning, "x", "%s", nonsense);
    if (meddler.log3) meddler.log3(meddler.environment, fmi3OK, "x", nonsense);
}

// The function that a call goes on to.
__attribute__((used)) static void *pass(long i, void **frame)
{
    if (!meddler.library) open_real();
    remember(i, frame);
    const char *plain = strncmp(names[i], "Lag_", 4) == 0 ? names[i] + 4 : names[i];
    if (strcmp(plain, meddler.where) == 0 && (meddler.is_always || --meddler.n_left == 0)) {
        if (strcmp(meddler.what, "logger") == 0) log_nonsense();
        do_it(meddler.what);
    }
    void *real = dlsym(meddler.library, names[i]);
    if (!real) abort();
    return real;
}

// Registers of arguments are saved, and the stack stays as it was.
__asm__(".text\n"
        "passage:\n"
        "  push %rbp\n  mov %rsp, %rbp\n"
        "  push %rdi\n  push %rsi\n  push %rdx\n  push %rcx\n  push %r8\n  push %r9\n"
        "  sub $144, %rsp\n  and $-16, %rsp\n"
        "  movups %xmm0, (%rsp)\n  movups %xmm1, 16(%rsp)\n  movups %xmm2, 32(%rsp)\n"
        "  movups %xmm3, 48(%rsp)\n  movups %xmm4, 64(%rsp)\n  movups %xmm5, 80(%rsp)\n"
        "  movups %xmm6, 96(%rsp)\n  movups %xmm7, 112(%rsp)\n"
        "  mov %rax, %rdi\n  mov %rbp, %rsi\n  call pass\n  mov %rax, %r11\n"
        "  movups (%rsp), %xmm0\n  movups 16(%rsp), %xmm1\n  movups 32(%rsp), %xmm2\n"
        "  movups 48(%rsp), %xmm3\n  movups 64(%rsp), %xmm4\n  movups 80(%rsp), %xmm5\n"
        "  movups 96(%rsp), %xmm6\n  movups 112(%rsp), %xmm7\n"
        "  lea -48(%rbp), %rsp\n"
        "  pop %r9\n  pop %r8\n  pop %rcx\n  pop %rdx\n  pop %rsi\n  pop %rdi\n  pop %rbp\n"
        "  jmp *%r11\n");

// One entrance per function: its number, and on to the passage.
#define ENTRANCE(symbol, name)                                                                     \
    __asm__(".globl " symbol "\n.type " symbol ", @function\n" symbol ":\n  mov $%c0, %%eax\n"     \
            "  jmp passage\n" ::"i"(N_##name));
#define ENTRANCE1(result, name, parameters) ENTRANCE("Lag_" #name, name)
#define ENTRANCE2(result, name, parameters) ENTRANCE(#name, name)

__attribute__((used, naked)) static void entrances(void)
{
    ALL(ENTRANCE1, ENTRANCE2)
}

#endif
