// SPDX-License-Identifier: MIT
// Preloaded into a program (LD_PRELOAD), makes one of its allocations fail, whichever library asks for it:
//     TORTURE_AT=n      the n-th one fails
//     TORTURE_ALL=1     and all after it
//     TORTURE_REPORT=f  at the end, the number of allocations is written to the file f
// Counting begins when all libraries are initialized, just before main(); the system call that the tracer
// (calls.c) waits for is made at the same moment. Programs that the program starts are left alone. glibc
// leads also the allocations of its own functions (strdup, fopen, opendir, dlopen) through these.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "torture/begin.h"

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_long n_calls;
static long fail_at; // 0: none
static int fail_all, is_counting;
static char report[4096];

static long number_of(const char *variable)
{
    const char *text = getenv(variable);
    return text ? strtol(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("TORTURE_REPORT");
    if (path) snprintf(report, sizeof report, "%s", path);
    fail_at = number_of("TORTURE_AT");
    fail_all = number_of("TORTURE_ALL") != 0;
    unsetenv("TORTURE_REPORT"); // not for programs that are started
    unsetenv("TORTURE_AT");
    unsetenv("TORTURE_ALL");
    unsetenv("LD_PRELOAD");
    is_counting = 1;
    syscall(SYS_prctl, TORTURE_BEGIN, 0, 0, 0, 0);
}

__attribute__((destructor)) static void end(void)
{
    is_counting = 0;
    if (!report[0]) return;
    char line[32];
    int n = snprintf(line, sizeof line, "%ld\n", (long)n_calls);
    int file = open(report, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return;
    if (write(file, line, (size_t)n) != n) n = 0;
    close(file);
}

static int is_refused(void)
{
    if (!is_counting) return 0;
    long n = atomic_fetch_add(&n_calls, 1) + 1;
    if (fail_at == 0 || n < fail_at || (n > fail_at && !fail_all)) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return is_refused() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    return is_refused() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
    return is_refused() ? NULL : __libc_realloc(old, size);
}

void *reallocarray(void *old, size_t n, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(n, size, &total)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(old, total);
}

void *memalign(size_t alignment, size_t size)
{
    return is_refused() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
    void *made = memalign(alignment, size);
    if (!made) return ENOMEM;
    *out = made;
    return 0;
}
