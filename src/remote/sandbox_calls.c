// SPDX-License-Identifier: MIT
// The filter of system calls (seccomp(2)); see sandbox_calls.h.
#define _GNU_SOURCE // registers of a context
#include "remote/sandbox_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

// Newer than the headers of the system may be.
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#ifndef SYS_setxattrat
#define SYS_setxattrat 463
#define SYS_removexattrat 466
#define SYS_file_setattr 469
#endif

#define NETWORK "the network, or a connection to another program"
#define LOOKS "looking into other processes"
#define SIGNALS "signals to other processes"
#define LASTING "memory and messages that outlive their process"
#define PRIORITY "the priority of processes"
#define PERMISSIONS "changing the permissions of files"
#define OWNERS "changing the owners of files"
#define ATTRIBUTES "changing the attributes of files"
#define TIMES "changing the times of files"
#define WATCHES "watching files of others"
#define MOUNTS "mounting"
#define PRIVILEGES "other privileges"
#define KERNEL "the kernel"
#define MACHINE "the machine"

static const struct {
    unsigned number;
    const char *what;
} refused[] = {
    {SYS_socket, NETWORK " (socket)"},
    {SYS_socketpair, "a connection to another program (socketpair)"},
    // Standard input, output and errors may be sockets.
    {SYS_connect, NETWORK " (connect)"},
    {SYS_bind, NETWORK " (bind)"},
    {SYS_listen, NETWORK " (listen)"},
#ifdef SYS_accept
    {SYS_accept, NETWORK " (accept)"},
#endif
    {SYS_accept4, NETWORK " (accept)"},
    {SYS_sendto, NETWORK " (sendto)"},
    {SYS_sendmsg, NETWORK " (sendmsg)"},
    {SYS_sendmmsg, NETWORK " (sendmmsg)"},
    {SYS_ptrace, LOOKS " (ptrace)"},
    {SYS_process_vm_writev, "changing other processes (process_vm_writev)"},
    {SYS_process_madvise, "changing other processes (process_madvise)"},
    {SYS_migrate_pages, "changing other processes (migrate_pages)"},
    {SYS_move_pages, "changing other processes (move_pages)"},
    {SYS_kcmp, LOOKS " (kcmp)"},
    {SYS_pidfd_open, "access to other processes (pidfd_open)"},
    {SYS_pidfd_getfd, "files of other processes (pidfd_getfd)"},
    {SYS_pidfd_send_signal, SIGNALS " (pidfd_send_signal)"},
    {SYS_rt_sigqueueinfo, SIGNALS " (rt_sigqueueinfo)"},
    {SYS_rt_tgsigqueueinfo, SIGNALS " (rt_tgsigqueueinfo)"},
    {SYS_tkill, SIGNALS " (tkill)"},
    {SYS_setpriority, PRIORITY " (setpriority)"},
    {SYS_ioprio_set, PRIORITY " (ioprio_set)"},
    {SYS_shmget, LASTING " (shmget)"},
    {SYS_shmat, LASTING " (shmat)"},
    {SYS_shmctl, LASTING " (shmctl)"},
    {SYS_semget, LASTING " (semget)"},
#ifdef SYS_semop
    {SYS_semop, LASTING " (semop)"},
    {SYS_semtimedop, LASTING " (semtimedop)"},
#endif
    {SYS_semctl, LASTING " (semctl)"},
    {SYS_msgget, LASTING " (msgget)"},
    {SYS_msgsnd, LASTING " (msgsnd)"},
    {SYS_msgrcv, LASTING " (msgrcv)"},
    {SYS_msgctl, LASTING " (msgctl)"},
    {SYS_mq_open, LASTING " (mq_open)"},
    {SYS_mq_unlink, LASTING " (mq_unlink)"},
    {SYS_execve, "starting another program (execve)"},
    {SYS_execveat, "starting another program (execveat)"},
#ifdef SYS_fork
    {SYS_fork, "a new process (fork)"},
    {SYS_vfork, "a new process (vfork)"},
#endif
    {SYS_mount, MOUNTS " (mount)"},
    {SYS_umount2, MOUNTS " (umount)"},
    {SYS_pivot_root, MOUNTS " (pivot_root)"},
    {SYS_open_tree, MOUNTS " (open_tree)"},
    {SYS_move_mount, MOUNTS " (move_mount)"},
    {SYS_fsopen, MOUNTS " (fsopen)"},
    {SYS_fspick, MOUNTS " (fspick)"},
    {SYS_mount_setattr, MOUNTS " (mount_setattr)"},
    {SYS_chroot, "another root folder (chroot)"},
    {SYS_open_by_handle_at, "files by handle (open_by_handle_at)"},
    {SYS_unshare, PRIVILEGES " (unshare)"},
    {SYS_setns, PRIVILEGES " (setns)"},
    {SYS_keyctl, "keys (keyctl)"},
    {SYS_add_key, "keys (add_key)"},
    {SYS_request_key, "keys (request_key)"},
    {SYS_bpf, KERNEL " (bpf)"},
    {SYS_perf_event_open, KERNEL " (perf_event_open)"},
    {SYS_userfaultfd, KERNEL " (userfaultfd)"},
    {SYS_io_uring_setup, "calls that cannot be checked (io_uring_setup)"},
    {SYS_init_module, KERNEL " (init_module)"},
    {SYS_finit_module, KERNEL " (finit_module)"},
    {SYS_delete_module, KERNEL " (delete_module)"},
    {SYS_kexec_load, KERNEL " (kexec_load)"},
    {SYS_syslog, KERNEL " (syslog)"},
#ifdef SYS_kexec_file_load
    {SYS_kexec_file_load, KERNEL " (kexec_file_load)"},
#endif
#ifdef SYS_modify_ldt
    {SYS_modify_ldt, KERNEL " (modify_ldt)"},
    {SYS_iopl, MACHINE " (iopl)"},
    {SYS_ioperm, MACHINE " (ioperm)"},
#endif
    {SYS_reboot, MACHINE " (reboot)"},
    {SYS_swapon, MACHINE " (swapon)"},
    {SYS_swapoff, MACHINE " (swapoff)"},
    {SYS_acct, MACHINE " (acct)"},
    {SYS_quotactl, MACHINE " (quotactl)"},
    {SYS_vhangup, MACHINE " (vhangup)"},
    {SYS_sethostname, MACHINE " (sethostname)"},
    {SYS_setdomainname, MACHINE " (setdomainname)"},
    {SYS_settimeofday, MACHINE " (settimeofday)"},
    {SYS_clock_settime, MACHINE " (clock_settime)"},
    {SYS_clock_adjtime, MACHINE " (clock_adjtime)"},
    {SYS_adjtimex, MACHINE " (adjtimex)"},
// Which Landlock does not know; where a file is open for reading, it may change all of this as well:
#ifdef SYS_chmod
    {SYS_chmod, PERMISSIONS " (chmod)"},
    {SYS_chown, OWNERS " (chown)"},
    {SYS_lchown, OWNERS " (lchown)"},
    {SYS_utime, TIMES " (utime)"},
    {SYS_utimes, TIMES " (utimes)"},
    {SYS_futimesat, TIMES " (futimesat)"},
    {SYS_inotify_init, WATCHES " (inotify_init)"},
#endif
    {SYS_fchmod, PERMISSIONS " (fchmod)"},
    {SYS_fchmodat, PERMISSIONS " (chmod)"},
    {SYS_fchmodat2, PERMISSIONS " (chmod)"},
    {SYS_fchown, OWNERS " (fchown)"},
    {SYS_fchownat, OWNERS " (chown)"},
    {SYS_utimensat, TIMES " (utimensat)"},
    {SYS_setxattr, ATTRIBUTES " (setxattr)"},
    {SYS_lsetxattr, ATTRIBUTES " (lsetxattr)"},
    {SYS_fsetxattr, ATTRIBUTES " (fsetxattr)"},
    {SYS_setxattrat, ATTRIBUTES " (setxattrat)"},
    {SYS_removexattr, ATTRIBUTES " (removexattr)"},
    {SYS_lremovexattr, ATTRIBUTES " (lremovexattr)"},
    {SYS_fremovexattr, ATTRIBUTES " (fremovexattr)"},
    {SYS_removexattrat, ATTRIBUTES " (removexattrat)"},
    {SYS_file_setattr, ATTRIBUTES " (file_setattr)"},
    {SYS_inotify_init1, WATCHES " (inotify_init)"},
    {SYS_fanotify_init, WATCHES " (fanotify_init)"},
#ifdef __i386__ // several calls in one, whose arguments cannot be seen, and other names of what is above
    {SYS_socketcall, NETWORK " (socketcall)"},
    {SYS_ipc, LASTING " (ipc)"},
    {SYS_semtimedop_time64, LASTING " (semtimedop)"},
    {SYS_umount, MOUNTS " (umount)"},
    {SYS_nice, PRIORITY " (nice)"},
    {SYS_vm86, MACHINE " (vm86)"},
    {SYS_vm86old, MACHINE " (vm86)"},
    {SYS_stime, MACHINE " (stime)"},
    {SYS_clock_settime64, MACHINE " (clock_settime)"},
    {SYS_clock_adjtime64, MACHINE " (clock_adjtime)"},
    {SYS_chown32, OWNERS " (chown)"},
    {SYS_lchown32, OWNERS " (lchown)"},
    {SYS_fchown32, OWNERS " (fchown)"},
    {SYS_utimensat_time64, TIMES " (utimensat)"},
#endif
    // Judged by their arguments:
    {SYS_kill, SIGNALS " (kill)"},
    {SYS_tgkill, SIGNALS " (tgkill)"},
    {SYS_process_vm_readv, LOOKS " (process_vm_readv)"},
    {SYS_fcntl, SIGNALS " (fcntl)"},
#ifdef __i386__
    {SYS_fcntl64, SIGNALS " (fcntl)"},
#endif
    {SYS_prlimit64, "limits of other processes (prlimit)"},
    {SYS_prctl, "outliving its master (prctl)"},
    {SYS_ioctl, "control of a terminal or a device (ioctl)"},
    // Sometimes refused:
    {SYS_truncate, "cutting files off (truncate)"},
#ifdef __i386__
    {SYS_truncate64, "cutting files off (truncate)"},
    {SYS_mmap2, "memory without a limit (mmap)"},
#endif
    {SYS_memfd_create, "memory without a limit (memfd_create)"},
    {SYS_mmap, "memory without a limit (mmap)"},
};
#ifdef __i386__
enum { N_CONDITIONAL = 13 };
#else
enum { N_CONDITIONAL = 10 };
#endif
enum { N_REFUSED = sizeof refused / sizeof *refused };

// A handler of signals has no other way to reach it.
static void (*tell)(const char *what);

// The call fails with EACCES; whoever made it may go on.
static void note_call(int number, siginfo_t *info, void *context)
{
    (void)number;
    for (size_t i = 0; i < N_REFUSED; i++)
        if ((int)refused[i].number == info->si_syscall) tell(refused[i].what);
    ucontext_t *at = context;
#if defined(__x86_64__)
    at->uc_mcontext.gregs[REG_RAX] = -EACCES;
#elif defined(__i386__)
    at->uc_mcontext.gregs[REG_EAX] = -EACCES;
#elif defined(__aarch64__)
    at->uc_mcontext.regs[0] = (unsigned long long)-EACCES;
#else
    (void)at;
#endif
}

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__i386__) // such a process may also make the calls of 64 bits, in which it is killed
#define ARCHITECTURE AUDIT_ARCH_I386
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE

// ---- the filter ----------------------------------------------------------------------------------

typedef struct sock_filter filter;

typedef struct program {
    filter *out;
    int n;
    takt_call_stage stage;
    uint32_t refusal; // what becomes of a refused call
} program;

#define LOAD(field)                                                                                \
    (filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, field))
#define END(action) (filter) BPF_STMT(BPF_RET | BPF_K, action)
#define IF(test, value, yes, no) (filter) BPF_JUMP(BPF_JMP | (test) | BPF_K, value, yes, no)

static void add(program *to, filter next)
{
    to->out[to->n++] = next;
}

static void refuse(program *to, unsigned number)
{
    add(to, IF(BPF_JEQ, number, 0, 1));
    add(to, END(to->refusal));
}

/// What becomes of a call whose argument (the lower half) is among some values, or is not.
typedef struct judgement {
    unsigned number;
    int argument;
    const uint32_t *values;
    int n_values;
    uint32_t if_among, else_; ///< actions
} judgement;

static void judge(program *to, const judgement *how)
{
    unsigned char n = (unsigned char)how->n_values;
    add(to, IF(BPF_JEQ, how->number, 0, (unsigned char)(n + 3)));
    add(to, (filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
                             (uint32_t)(offsetof(struct seccomp_data, args) +
                                        (size_t)how->argument * sizeof(uint64_t))));
    for (int i = 0; i < n; i++) add(to, IF(BPF_JEQ, how->values[i], (unsigned char)(n - i), 0));
    add(to, END(how->else_));
    add(to, END(how->if_among));
}

#define AMONG(list) list, (int)(sizeof(list) / sizeof *(list))

// A process may do to itself what it may not do to others.
static void judge_processes(program *to)
{
    const uint32_t self[] = {(uint32_t)getpid()}, self_or_0[] = {0, (uint32_t)getpid()};
    const uint32_t allow = SECCOMP_RET_ALLOW, trap = to->refusal;
    // A server ends and stops the threads of whom it serves.
    const uint32_t others = to->stage == TAKT_CALLS_OF_SERVER ? allow : trap;
    // The C library makes these with all signals blocked when it begins a thread: a trap would be deadly.
    const uint32_t error = SECCOMP_RET_ERRNO | EACCES;
    const judgement judgements[] = {
        {SYS_kill, 0, AMONG(self), allow, others},
        {SYS_tgkill, 0, AMONG(self), allow, others},
        {SYS_process_vm_readv, 0, AMONG(self), allow, trap}, // base/memory.h
        {SYS_prlimit64, 0, AMONG(self_or_0), allow, trap},
        {SYS_sched_setaffinity, 0, AMONG(self_or_0), allow, error},
        {SYS_sched_setscheduler, 0, AMONG(self_or_0), allow, error},
        {SYS_sched_setparam, 0, AMONG(self_or_0), allow, error},
        {SYS_sched_setattr, 0, AMONG(self_or_0), allow, error},
    };
    for (size_t i = 0; i < sizeof judgements / sizeof *judgements; i++) judge(to, &judgements[i]);
    // Threads are allowed. Here, too, all signals are blocked.
    add(to, IF(BPF_JEQ, SYS_clone3, 0, 1)); // its arguments cannot be seen: clone is used then
    add(to, END(SECCOMP_RET_ERRNO | ENOSYS));
    add(to, IF(BPF_JEQ, SYS_clone, 0, 4));
    add(to, LOAD(args[0]));
    add(to, IF(BPF_JSET, 0x10000 /* CLONE_THREAD */, 0, 1));
    add(to, END(allow));
    add(to, END(error));
}

// A file that is ready sends a signal to whoever is called its owner; a lease stops whoever opens the file. What is typed in for a
// terminal is read by the shell, outside of any sandbox; of terminals and devices only what programs ask to print well is allowed, and what
// every file has.
static void judge_files(program *to)
{
    static const uint32_t owners[] = {F_SETOWN, F_SETOWN_EX, F_SETSIG, F_SETLEASE, F_NOTIFY};
    static const uint32_t harmless[] = {
        TCGETS,  0x802C542A /* TCGETS2 */, TIOCGWINSZ, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX,
        FICLONE, FS_IOC_GETFLAGS,          0x82307201 /* VFAT_IOCTL_READDIR_BOTH */};
    static const uint32_t outlives[] = {PR_SET_PDEATHSIG};
    const uint32_t allow = SECCOMP_RET_ALLOW, trap = to->refusal;
    judge(to, &(judgement){SYS_fcntl, 1, AMONG(owners), trap, allow});
#ifdef __i386__
    judge(to, &(judgement){SYS_fcntl64, 1, AMONG(owners), trap, allow});
#endif
    judge(to, &(judgement){SYS_ioctl, 1, AMONG(harmless), allow, trap});
    judge(to, &(judgement){SYS_prctl, 0, AMONG(outlives), trap, allow});
}

// Memory that the limit does not count (RLIMIT_DATA): shared, and stacks that grow.
static void judge_memory(program *to)
{
    const uint32_t shared = MAP_SHARED | MAP_ANONYMOUS;
    refuse(to, SYS_memfd_create);
#ifdef __i386__
    const unsigned mapping = SYS_mmap2;
    refuse(to, SYS_mmap); // an old one, whose arguments cannot be seen
#else
    const unsigned mapping = SYS_mmap;
#endif
    add(to, IF(BPF_JEQ, mapping, 0, 6));
    add(to, LOAD(args[3]));
    add(to, IF(BPF_JSET, MAP_GROWSDOWN, 2, 0));
    add(to, (filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, shared));
    add(to, IF(BPF_JEQ, shared, 0, 1));
    add(to, END(to->refusal));
    add(to, END(SECCOMP_RET_ALLOW));
}

enum {
    SERVED = 1 << TAKT_CALLS_OF_SERVED,
    LAUNCH = 1 << TAKT_CALLS_OF_LAUNCH,
    SERVER = 1 << TAKT_CALLS_OF_SERVER
};

// What a program needs to start, and what it and its server need to reach each other.
static bool is_needed(takt_call_stage stage, unsigned number)
{
    static const struct {
        unsigned number;
        int stages;
    } needs[] = {{SYS_execve, LAUNCH | SERVER},
                 {SYS_socket, LAUNCH | SERVER},
                 {SYS_connect, LAUNCH},
                 {SYS_sendmsg, LAUNCH | SERVER | SERVED},
                 {SYS_bind, SERVER},
                 {SYS_listen, SERVER},
#ifdef SYS_accept
                 {SYS_accept, SERVER},
#endif
                 {SYS_accept4, SERVER},
                 {SYS_tkill, SERVER}};
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (needs[i].number == number) return needs[i].stages >> stage & 1;
    return false;
}

// Files that are sockets, but not the network.
static void judge_sockets(program *to)
{
    static const uint32_t local[] = {AF_UNIX};
    if (is_needed(to->stage, SYS_socket))
        judge(to, &(judgement){SYS_socket, 0, AMONG(local), SECCOMP_RET_ALLOW, to->refusal});
}

static void write_filter(program *to, const takt_call_rules *rules)
{
    add(to, LOAD(arch));
    add(to, IF(BPF_JEQ, ARCHITECTURE, 1, 0));
    add(to, END(SECCOMP_RET_KILL_PROCESS));
    add(to, LOAD(nr));
    add(to, IF(BPF_JEQ, SYS_futex, 0, 1)); // of every step
    add(to, END(SECCOMP_RET_ALLOW));
#if defined(__x86_64__)
    add(to, IF(BPF_JGE, 0x40000000, 0, 1)); // the calls of x32
    add(to, END(SECCOMP_RET_KILL_PROCESS));
#endif
    for (int i = 0; i < N_REFUSED - N_CONDITIONAL; i++)
        if (!is_needed(to->stage, refused[i].number)) refuse(to, refused[i].number);
    if (!rules->knows_truncation) refuse(to, SYS_truncate);
#ifdef __i386__
    if (!rules->knows_truncation) refuse(to, SYS_truncate64);
#endif
    judge_sockets(to);
    judge_processes(to);
    judge_files(to);
    if (rules->is_memory_limited) judge_memory(to);
    add(to, END(SECCOMP_RET_ALLOW));
}

bool takt_sandbox_restrict_calls(const takt_call_rules *rules)
{
    enum { OF_JUDGEMENTS = 200 };
    filter list[2 * N_REFUSED + OF_JUDGEMENTS];
    bool is_told = rules->stage == TAKT_CALLS_OF_FMU || rules->stage == TAKT_CALLS_OF_SERVED;
    program own = {.out = list,
                   .stage = rules->stage, // who does not expect a trap dies of it
                   .refusal = is_told ? SECCOMP_RET_TRAP : SECCOMP_RET_ERRNO | EACCES};
    struct sigaction action = {.sa_sigaction = note_call, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    tell = rules->note;
    if (is_told) sigaction(SIGSYS, &action, NULL);
    write_filter(&own, rules);
    const struct sock_fprog whole = {.len = (unsigned short)own.n, .filter = list};
    if (rules->stage != TAKT_CALLS_OF_SERVED)
        return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &whole) == 0;
    // Threads of Wine may have begun.
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &whole) == 0;
}

#else

bool takt_sandbox_restrict_calls(const takt_call_rules *rules)
{
    (void)rules;
    return false;
}

#endif
