// SPDX-License-Identifier: MIT
// The program's own functions that open files and make processes: libraries that are loaded later find them first. They
// only write down what the sandbox has refused, because the kernel does not say it to anybody.
#define _GNU_SOURCE // openat(), RTLD_NEXT, O_LARGEFILE
#undef _FILE_OFFSET_BITS // with 32 bits, open() and open64() are two functions
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <takt/worker.h>

#define EXPORTED __attribute__((visibility("default")))

static void note(const char *path)
{
    int number = errno;
    if (number == EACCES && path) takt_worker_note_refused(path);
    errno = number;
}

static void note_file(const char *path, bool is_written)
{
    char text[512];
    int number = errno;
    snprintf(text, sizeof text, "writing %s", path ? path : "");
    errno = number;
    note(is_written ? text : path);
}

static int open_at(int folder, const char *path, int flags, unsigned mode)
{
    int file = (int)syscall(SYS_openat, folder, path, flags, mode);
    if (file < 0) note_file(path, (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT));
    return file;
}

// The mode is there only where a file may be made.
#define MODE(flags, mode)                                                                          \
    unsigned mode = 0;                                                                             \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                                                         \
        va_list arguments;                                                                         \
        va_start(arguments, flags);                                                                \
        mode = va_arg(arguments, unsigned);                                                        \
        va_end(arguments);                                                                         \
    }

EXPORTED int open(const char *path, int flags, ...)
{
    MODE(flags, mode)
    return open_at(AT_FDCWD, path, flags, mode);
}

EXPORTED int open64(const char *path, int flags, ...)
{
    MODE(flags, mode)
    return open_at(AT_FDCWD, path, flags | O_LARGEFILE, mode);
}

static void find(const char *name, void *function)
{
    void *address = dlsym(RTLD_NEXT, name);
    memcpy(function, &address, sizeof address); // C has no cast from object to function pointer
}

typedef FILE *fopen_function(const char *path, const char *mode);

static FILE *open_stream(const char *name, const char *path, const char *mode)
{
    fopen_function *real = NULL;
    find(name, &real);
    FILE *file = real ? real(path, mode) : NULL;
    if (!file) note_file(path, mode && strpbrk(mode, "wa+"));
    return file;
}

EXPORTED FILE *fopen(const char *path, const char *mode)
{
    return open_stream("fopen", path, mode);
}

EXPORTED FILE *fopen64(const char *path, const char *mode)
{
    return open_stream("fopen64", path, mode);
}

// ---- processes -----------------------------------------------------------------------------------

typedef pid_t fork_function(void);
typedef int system_function(const char *command);
typedef FILE *popen_function(const char *command, const char *mode);

EXPORTED pid_t fork(void)
{
    fork_function *real = NULL;
    find("fork", &real);
    pid_t process = real ? real() : -1;
    if (process < 0) note("a new process (fork)");
    return process;
}

// Where no shell can be started, it is as if the shell had ended with 127.
EXPORTED int system(const char *command)
{
    system_function *real = NULL;
    find("system", &real);
    int status = real ? real(command) : -1;
    bool is_refused = status == -1 || (WIFEXITED(status) && WEXITSTATUS(status) == 127);
    if (is_refused && command) takt_worker_note_refused("starting another program (system)");
    return status;
}

EXPORTED FILE *popen(const char *command, const char *mode)
{
    popen_function *real = NULL;
    find("popen", &real);
    FILE *file = real ? real(command, mode) : NULL;
    if (!file) note("starting another program (popen)");
    return file;
}
