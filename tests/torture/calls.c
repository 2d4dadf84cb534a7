// SPDX-License-Identifier: MIT
// Runs a program and makes one of its system calls fail, whoever makes it: the program, a library, the C
// library, the loader of libraries. All threads are traced; programs that it starts are left alone.
//     torture_calls LIBRARY REPORT N VARIANT SECONDS PROGRAM ...
// LIBRARY is preloaded (allocations.c).
// N is the number of the call, counted from the beginning of main() (see begin.h); 0: none fails. VARIANT
// chooses among the ways in which this call can fail (the table below). REPORT gets one line per call, with its
// name, the number of ways and the file it is about (-1: none); or with N only a line about the call that was changed.
// The exit code is that of the program; 124: it took too long and was ended; 128 + n: signal n ended it.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "torture/begin.h"

enum { SHORT = -1, MAX_THREADS = 256 };

typedef struct call {
    long number;
    const char *name;
    int ways[4]; // errors, or SHORT: only half of the bytes; 0: no more
} call;

static const call table[] = {
    {SYS_openat, "openat", {EMFILE, EIO, EACCES}},
    {SYS_open, "open", {EMFILE, EIO, EACCES}},
    {SYS_read, "read", {EIO, SHORT, EINTR}},
    {SYS_pread64, "pread64", {EIO, SHORT, EINTR}},
    {SYS_readv, "readv", {EIO, EINTR}},
    {SYS_write, "write", {ENOSPC, SHORT, EINTR, EIO}},
    {SYS_pwrite64, "pwrite64", {ENOSPC, SHORT, EINTR, EIO}},
    {SYS_writev, "writev", {ENOSPC, EINTR, EIO}},
    {SYS_close, "close", {EIO, EINTR}},
    {SYS_fstat, "fstat", {EIO}},
    {SYS_stat, "stat", {EIO, ENOMEM}},
    {SYS_lstat, "lstat", {EIO, ENOMEM}},
    {SYS_newfstatat, "newfstatat", {EIO, ENOMEM}},
    {SYS_statx, "statx", {EIO, ENOMEM}},
    {SYS_access, "access", {EIO}},
    {SYS_faccessat, "faccessat", {EIO}},
    {SYS_faccessat2, "faccessat2", {EIO}},
    {SYS_getdents64, "getdents64", {EIO, ENOMEM}},
    {SYS_lseek, "lseek", {EIO}},
    {SYS_rename, "rename", {EIO, ENOSPC}},
    {SYS_renameat, "renameat", {EIO, ENOSPC}},
    {SYS_renameat2, "renameat2", {EIO, ENOSPC, EINVAL}},
    {SYS_link, "link", {EIO, EMLINK}},
    {SYS_symlink, "symlink", {EIO}},
    {SYS_mkdir, "mkdir", {ENOSPC, EACCES}},
    {SYS_mkdirat, "mkdirat", {ENOSPC, EACCES}},
    {SYS_unlink, "unlink", {EIO}},
    {SYS_unlinkat, "unlinkat", {EIO}},
    {SYS_rmdir, "rmdir", {EIO}},
    {SYS_fsync, "fsync", {EIO, EINTR}},
    {SYS_fdatasync, "fdatasync", {EIO, EINTR}},
    {SYS_ftruncate, "ftruncate", {EIO, EINTR}},
    {SYS_fallocate, "fallocate", {ENOSPC, EINTR}},
    {SYS_chmod, "chmod", {EPERM}},
    {SYS_fchmod, "fchmod", {EPERM}},
    {SYS_fchmodat, "fchmodat", {EPERM}},
    {SYS_utimensat, "utimensat", {EPERM}},
    {SYS_readlink, "readlink", {EIO}},
    {SYS_getcwd, "getcwd", {ENOENT, ENOMEM}},
    {SYS_mmap, "mmap", {ENOMEM}},
    {SYS_mremap, "mremap", {ENOMEM}},
    {SYS_mprotect, "mprotect", {ENOMEM}},
    {SYS_munmap, "munmap", {ENOMEM}},
    {SYS_clone, "clone", {EAGAIN}},
    {SYS_clone3, "clone3", {EAGAIN}},
    {SYS_fork, "fork", {EAGAIN}},
    {SYS_vfork, "vfork", {EAGAIN}},
    {SYS_wait4, "wait4", {EINTR}},
    {SYS_pipe2, "pipe2", {EMFILE}},
    {SYS_dup, "dup", {EMFILE}},
    {SYS_dup2, "dup2", {EMFILE, EINTR}},
    {SYS_dup3, "dup3", {EMFILE, EINTR}},
    {SYS_fcntl, "fcntl", {EMFILE}},
    {SYS_flock, "flock", {ENOLCK, EINTR}},
    {SYS_ioctl, "ioctl", {EIO}},
    {SYS_process_vm_readv, "process_vm_readv", {EPERM}},
    {SYS_copy_file_range, "copy_file_range", {EIO, EXDEV}},
    {SYS_sendfile, "sendfile", {EIO}},
    {SYS_poll, "poll", {EINTR, ENOMEM}},
    {SYS_clock_nanosleep, "clock_nanosleep", {EINTR}},
    {SYS_getrandom, "getrandom", {EINTR, ENOSYS}},
    {SYS_sched_getaffinity, "sched_getaffinity", {EPERM}},
    {SYS_prlimit64, "prlimit64", {EPERM}},
    {SYS_statfs, "statfs", {EIO}},
    {SYS_fstatfs, "fstatfs", {EIO}},
};

typedef struct thread {
    pid_t id;
    bool is_inside; // between the entry of a call and its return
    int failure; // to be reported at the return; 0: none
} thread;

static thread threads[MAX_THREADS];
static int n_threads;
static pid_t child;
static FILE *report;
static long n_calls, fail_at;
static int variant;
static bool is_counting;

static void on_alarm(int number)
{
    (void)number;
    kill(child, SIGKILL);
    _exit(124);
}

static thread *thread_of(pid_t id)
{
    for (int i = 0; i < n_threads; i++)
        if (threads[i].id == id) return &threads[i];
    if (n_threads == MAX_THREADS) exit(125);
    threads[n_threads] = (thread){.id = id};
    return &threads[n_threads++];
}

static void forget(pid_t id)
{
    for (int i = 0; i < n_threads; i++)
        if (threads[i].id == id) threads[i] = threads[--n_threads];
}

static const call *find_call(long number)
{
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].number == number) return &table[i];
    return NULL;
}

static int count_ways(const call *c)
{
    int n = 0;
    while (c && n < 4 && c->ways[n]) n++;
    return n;
}

// The file that a call is about; -1: it is not about an open one.
static int file_of(const struct user_regs_struct *registers)
{
    static const long with_file[] = {SYS_read,  SYS_pread64, SYS_write, SYS_pwrite64, SYS_writev,
                                     SYS_readv, SYS_close,   SYS_fstat, SYS_lseek,    SYS_fsync};
    for (size_t i = 0; i < sizeof with_file / sizeof *with_file; i++)
        if ((long)registers->orig_rax == with_file[i]) return (int)registers->rdi;
    return -1;
}

// Changes a call that is about to be made. A call with a number that does not exist returns ENOSYS, and at the
// return the wanted error takes its place.
static void spoil(thread *t, const call *c, struct user_regs_struct *registers)
{
    int way = c->ways[variant];
    fprintf(report, "%s %d %d\n", c->name, way, file_of(registers));
    fflush(report);
    if (way == SHORT) {
        if (registers->rdx > 1) registers->rdx /= 2;
        ptrace(PTRACE_SETREGS, t->id, NULL, registers);
        return;
    }
    t->failure = way;
    if (c->number == SYS_close) return; // takes place whatever it reports
    registers->orig_rax = (unsigned long long)-1;
    ptrace(PTRACE_SETREGS, t->id, NULL, registers);
}

static void on_entry(thread *t)
{
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, t->id, NULL, &registers) != 0) return;
    if (!is_counting) {
        is_counting = (long)registers.orig_rax == SYS_prctl && registers.rdi == TORTURE_BEGIN;
        return;
    }
    const call *c = find_call((long)registers.orig_rax);
    // Of fcntl() only what makes a new descriptor may run out of them.
    if (c && c->number == SYS_fcntl && registers.rsi != F_DUPFD && registers.rsi != F_DUPFD_CLOEXEC)
        c = NULL;
    if (!c) return;
    n_calls++;
    if (fail_at == 0) fprintf(report, "%s %d %d\n", c->name, count_ways(c), file_of(&registers));
    if (n_calls == fail_at && variant < count_ways(c)) spoil(t, c, &registers);
}

static void on_return(thread *t)
{
    if (!t->failure) return;
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, t->id, NULL, &registers) == 0) {
        registers.rax = (unsigned long long)-(long long)t->failure;
        ptrace(PTRACE_SETREGS, t->id, NULL, &registers);
    }
    t->failure = 0;
}

// Handles a stop and returns the signal to be handed on.
static int on_stop(pid_t id, int status)
{
    thread *t = thread_of(id);
    int number = WSTOPSIG(status);
    if (number == (SIGTRAP | 0x80)) {
        t->is_inside = !t->is_inside;
        if (t->is_inside)
            on_entry(t);
        else
            on_return(t);
        return 0;
    }
    if (number == SIGTRAP && status >> 16) return 0; // a new thread
    return number == SIGSTOP && id != child ? 0 : number; // SIGSTOP: a new thread begins
}

static void start(const char *library, char **words)
{
    child = fork();
    if (child < 0) exit(125);
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(77);
        setenv("LD_PRELOAD", library, 1);
        execvp(words[0], words);
        _exit(127);
    }
    int status;
    if (waitpid(child, &status, 0) != child) exit(125);
    if (!WIFSTOPPED(status)) exit(WIFEXITED(status) ? WEXITSTATUS(status) : 125);
    ptrace(PTRACE_SETOPTIONS, child, NULL,
           PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
    ptrace(PTRACE_SYSCALL, child, NULL, 0);
}

static int follow(void)
{
    for (;;) {
        int status;
        pid_t id = waitpid(-1, &status, __WALL);
        if (id < 0) return 125;
        if (WIFEXITED(status) || WIFSIGNALED(status)) {
            forget(id);
            if (id == child)
                return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            continue;
        }
        int handed_on = on_stop(id, status);
        ptrace(PTRACE_SYSCALL, id, NULL, handed_on);
    }
}

int main(int argc, char **argv)
{
    if (argc < 7) return 125;
    report = fopen(argv[2], "we");
    if (!report) return 125;
    fail_at = strtol(argv[3], NULL, 10);
    variant = (int)strtol(argv[4], NULL, 10);
    signal(SIGALRM, on_alarm);
    alarm((unsigned)strtoul(argv[5], NULL, 10));
    start(argv[1], argv + 6);
    int code = follow();
    return fclose(report) == 0 ? code : 125;
}
