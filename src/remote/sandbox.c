// SPDX-License-Identifier: MIT
// Landlock (landlock(7)), seccomp (seccomp(2)) and limits; see sandbox.h.
#define _GNU_SOURCE // registers of a context
#include "remote/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/crash.h"

// A handler of signals has no other way to reach it.
static takt_region_note *notes;

void takt_sandbox_note(const char *what)
{
    takt_region_note *note = notes;
    if (!note) return;
    note->refused[0] = 0;
    takt_crash_add(note->refused, sizeof note->refused, what);
}

// ---- as bytes ------------------------------------------------------------------------------------

static void pack_paths(const char *const *paths, int n, takt_packer *packer)
{
    takt_pack_integer(packer, n);
    for (int i = 0; i < n; i++) {
        size_t size = strlen(paths[i]) + 1;
        takt_pack_integer(packer, (int64_t)size);
        takt_pack(packer, paths[i], size);
    }
}

static int unpack_paths(takt_unpacker *unpacker, const char *paths[TAKT_SANDBOX_MAX_PATHS])
{
    int n = (int)takt_unpack_integer(unpacker, 0, TAKT_SANDBOX_MAX_PATHS);
    for (int i = 0; i < n; i++) {
        size_t size = (size_t)takt_unpack_integer(unpacker, 1, INT16_MAX);
        const char *text = takt_unpack_place(unpacker, size);
        paths[i] = text && text[size - 1] == 0 ? text : "";
    }
    return n;
}

void takt_sandbox_pack(const takt_sandbox_rules *rules, takt_packer *packer)
{
    takt_pack_integer(packer, rules->is_on);
    takt_pack_integer(packer, rules->memory);
    pack_paths(rules->reads, rules->n_reads, packer);
    pack_paths(rules->writes, rules->n_writes, packer);
}

void takt_sandbox_unpack(takt_unpacker *unpacker, takt_sandbox_rules *rules,
                         const char *paths[2 * TAKT_SANDBOX_MAX_PATHS])
{
    rules->is_on = takt_unpack_integer(unpacker, 0, 1);
    rules->memory = takt_unpack_integer(unpacker, 0, INT64_MAX);
    rules->reads = paths;
    rules->n_reads = unpack_paths(unpacker, paths);
    rules->writes = paths + TAKT_SANDBOX_MAX_PATHS;
    rules->n_writes = unpack_paths(unpacker, paths + TAKT_SANDBOX_MAX_PATHS);
}

// ---- files ---------------------------------------------------------------------------------------

// Newer than the headers of the system may be.
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif

enum { READS = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR };

// 0: the kernel has no Landlock, or it is switched off.
static int landlock_version(void)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return version < 1 ? 0 : (int)version;
}

enum { KNOWS_TRUNCATION = 3 }; // this version, and later ones

// All that the kernel knows about.
static uint64_t all_rights(int version)
{
    uint64_t rights = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
    if (version >= 2) rights |= LANDLOCK_ACCESS_FS_REFER;
    if (version >= KNOWS_TRUNCATION) rights |= LANDLOCK_ACCESS_FS_TRUNCATE;
    return rights;
}

// What is not there need not be allowed. Files have fewer rights than folders.
static void allow(int rules, const char *path, uint64_t rights)
{
    const uint64_t of_files =
        LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE;
    int file = open(path, O_PATH | O_CLOEXEC);
    if (file < 0) return;
    struct landlock_path_beneath_attr beneath = {.allowed_access = rights, .parent_fd = file};
    if (syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0)) {
        beneath.allowed_access = rights & of_files;
        syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
    }
    close(file);
}

static void allow_all(int rules, uint64_t rights, const takt_sandbox_rules *wanted,
                      const takt_sandbox_place *place)
{
    static const char *const readable[] = {"/usr",
                                           "/lib",
                                           "/lib64",
                                           "/etc/ld.so.cache",
                                           "/etc/localtime",
                                           "/proc/self",
                                           "/proc/cpuinfo",
                                           "/proc/meminfo",
                                           "/sys/devices/system/cpu",
                                           "/dev/zero",
                                           "/dev/urandom",
                                           "/dev/random"};
    char compiled[4096]; // beside the unpacked FMU, where its library is compiled from sources
    snprintf(compiled, sizeof compiled, "%s/../compiled", place->fmu);
    for (size_t i = 0; i < sizeof readable / sizeof *readable; i++)
        allow(rules, readable[i], READS);
    for (int i = 0; i < wanted->n_reads; i++) allow(rules, wanted->reads[i], READS);
    allow(rules, place->fmu, READS);
    allow(rules, compiled, READS);
    allow(rules, "/dev/null", READS | LANDLOCK_ACCESS_FS_WRITE_FILE);
    rights &= ~(uint64_t)LANDLOCK_ACCESS_FS_EXECUTE;
    for (int i = 0; i < wanted->n_writes; i++) allow(rules, wanted->writes[i], rights);
    allow(rules, place->work, rights);
    if (place->results) allow(rules, place->results, rights);
}

// Returns false where the kernel has no Landlock, or it is switched off.
static bool restrict_files(const takt_sandbox_rules *wanted, const takt_sandbox_place *place)
{
    int version = landlock_version();
    if (!version) return false;
    const struct landlock_ruleset_attr about = {.handled_access_fs = all_rights(version)};
    int rules = (int)syscall(SYS_landlock_create_ruleset, &about, sizeof about, 0);
    if (rules < 0) return false;
    allow_all(rules, about.handled_access_fs, wanted, place);
    bool is_done = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return is_done;
}

// ---- system calls --------------------------------------------------------------------------------

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif

static const struct {
    unsigned number;
    const char *what;
} refused[] = {
    {SYS_socket, "the network, or a connection to another program (socket)"},
    {SYS_socketpair, "a connection to another program (socketpair)"},
    {SYS_ptrace, "looking into other processes (ptrace)"},
    {SYS_process_vm_readv, "looking into other processes (process_vm_readv)"},
    {SYS_process_vm_writev, "changing other processes (process_vm_writev)"},
    {SYS_pidfd_open, "access to other processes (pidfd_open)"},
    {SYS_pidfd_getfd, "files of other processes (pidfd_getfd)"},
    {SYS_pidfd_send_signal, "signals to other processes (pidfd_send_signal)"},
    {SYS_rt_sigqueueinfo, "signals to other processes (rt_sigqueueinfo)"},
    {SYS_rt_tgsigqueueinfo, "signals to other processes (rt_tgsigqueueinfo)"},
    {SYS_tkill, "signals to other processes (tkill)"},
    {SYS_execve, "starting another program (execve)"},
    {SYS_execveat, "starting another program (execveat)"},
#ifdef SYS_fork
    {SYS_fork, "a new process (fork)"},
    {SYS_vfork, "a new process (vfork)"},
#endif
    {SYS_mount, "mounting (mount)"},
    {SYS_umount2, "mounting (umount)"},
    {SYS_pivot_root, "mounting (pivot_root)"},
    {SYS_chroot, "another root folder (chroot)"},
    {SYS_open_by_handle_at, "files by handle (open_by_handle_at)"},
    {SYS_unshare, "other privileges (unshare)"},
    {SYS_setns, "other privileges (setns)"},
    {SYS_keyctl, "keys (keyctl)"},
    {SYS_add_key, "keys (add_key)"},
    {SYS_request_key, "keys (request_key)"},
    {SYS_bpf, "the kernel (bpf)"},
    {SYS_perf_event_open, "the kernel (perf_event_open)"},
    {SYS_userfaultfd, "the kernel (userfaultfd)"},
    {SYS_io_uring_setup, "calls that cannot be checked (io_uring_setup)"},
    {SYS_init_module, "the kernel (init_module)"},
    {SYS_finit_module, "the kernel (finit_module)"},
    {SYS_delete_module, "the kernel (delete_module)"},
    {SYS_kexec_load, "the kernel (kexec_load)"},
    {SYS_reboot, "the machine (reboot)"},
    {SYS_swapon, "the machine (swapon)"},
    {SYS_settimeofday, "the machine (settimeofday)"},
    {SYS_clock_settime, "the machine (clock_settime)"},
// Which Landlock does not know:
#ifdef SYS_chmod
    {SYS_chmod, "changing the permissions of files (chmod)"},
    {SYS_chown, "changing the owners of files (chown)"},
    {SYS_lchown, "changing the owners of files (lchown)"},
#endif
    {SYS_fchmodat, "changing the permissions of files (chmod)"},
    {SYS_fchmodat2, "changing the permissions of files (chmod)"},
    {SYS_fchownat, "changing the owners of files (chown)"},
    {SYS_setxattr, "changing the attributes of files (setxattr)"},
    {SYS_lsetxattr, "changing the attributes of files (lsetxattr)"},
    {SYS_removexattr, "changing the attributes of files (removexattr)"},
    {SYS_lremovexattr, "changing the attributes of files (lremovexattr)"},
    {SYS_truncate, "cutting files off (truncate)"}, // where Landlock does not know it
    // Judged by their arguments:
    {SYS_clone, "a new process (clone)"},
    {SYS_kill, "signals to other processes (kill)"},
    {SYS_tgkill, "signals to other processes (tgkill)"},
    {SYS_prlimit64, "limits of other processes (prlimit)"},
    {SYS_prctl, "outliving its master (prctl)"},
    {SYS_fcntl, "signals to other processes (fcntl)"},
    {SYS_ioctl, "typing into the terminal (ioctl)"},
};
enum { N_REFUSED = sizeof refused / sizeof *refused, N_JUDGED = 7 };

// The call fails with EACCES; whoever made it may go on.
static void note_call(int number, siginfo_t *info, void *context)
{
    (void)number;
    for (size_t i = 0; i < N_REFUSED; i++)
        if ((int)refused[i].number == info->si_syscall) takt_sandbox_note(refused[i].what);
    ucontext_t *at = context;
#if defined(__x86_64__)
    at->uc_mcontext.gregs[REG_RAX] = -EACCES;
#elif defined(__aarch64__)
    at->uc_mcontext.regs[0] = (unsigned long long)-EACCES;
#else
    (void)at;
#endif
}

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

#ifdef ARCHITECTURE

typedef struct sock_filter filter;

#define LOAD(field)                                                                                \
    (filter) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)offsetof(struct seccomp_data, field))
#define END(action) (filter) BPF_STMT(BPF_RET | BPF_K, action)
#define IF(test, value, yes, no) (filter) BPF_JUMP(BPF_JMP | (test) | BPF_K, value, yes, no)

// Call `number` is allowed if its first argument (the lower half) passes the test with one of two values.
static int judge(filter *out, unsigned number, unsigned test, uint32_t a, uint32_t b,
                 uint32_t refusal)
{
    int n = 0;
    out[n++] = IF(BPF_JEQ, number, 0, 5);
    out[n++] = LOAD(args[0]);
    out[n++] = IF(test, a, 1, 0);
    out[n++] = IF(test, b, 0, 1);
    out[n++] = END(SECCOMP_RET_ALLOW);
    out[n++] = END(refusal);
    return n;
}

// Call `number` is refused with this first argument.
static int judge_bad(filter *out, unsigned number, uint32_t bad)
{
    int n = 0;
    out[n++] = IF(BPF_JEQ, number, 0, 4);
    out[n++] = LOAD(args[0]);
    out[n++] = IF(BPF_JEQ, bad, 0, 1);
    out[n++] = END(SECCOMP_RET_TRAP);
    out[n++] = END(SECCOMP_RET_ALLOW);
    return n;
}

// The same with one of these second arguments.
static int judge_second(filter *out, unsigned number, const uint32_t *bad, int n_bad)
{
    int n = 0;
    out[n++] = IF(BPF_JEQ, number, 0, (unsigned char)(n_bad + 3));
    out[n++] = LOAD(args[1]);
    for (int i = 0; i < n_bad; i++) out[n++] = IF(BPF_JEQ, bad[i], (unsigned char)(n_bad - i), 0);
    out[n++] = END(SECCOMP_RET_ALLOW);
    out[n++] = END(SECCOMP_RET_TRAP);
    return n;
}

// A file that is ready sends a signal to whoever is called its owner; what is typed in for a terminal is read by the
// shell, outside of any sandbox.
static int judge_files(filter *out)
{
    static const uint32_t owners[] = {F_SETOWN, 15 /* F_SETOWN_EX */, 10 /* F_SETSIG */};
    static const uint32_t typing[] = {TIOCSTI, 0x541C /* TIOCLINUX */};
    int n = judge_second(out, SYS_fcntl, owners, sizeof owners / sizeof *owners);
    return n + judge_second(out + n, SYS_ioctl, typing, sizeof typing / sizeof *typing);
}

static int write_filter(filter *out)
{
    int n = 0;
    uint32_t self = (uint32_t)getpid();
    bool may_truncate = landlock_version() >= KNOWS_TRUNCATION;
    out[n++] = LOAD(arch);
    out[n++] = IF(BPF_JEQ, ARCHITECTURE, 1, 0);
    out[n++] = END(SECCOMP_RET_KILL_PROCESS);
    out[n++] = LOAD(nr);
#if defined(__x86_64__)
    out[n++] = IF(BPF_JGE, 0x40000000, 0, 1); // the calls of x32
    out[n++] = END(SECCOMP_RET_KILL_PROCESS);
#endif
    for (int i = 0; i < N_REFUSED - N_JUDGED; i++) {
        if (refused[i].number == SYS_truncate && may_truncate) continue;
        out[n++] = IF(BPF_JEQ, refused[i].number, 0, 1);
        out[n++] = END(SECCOMP_RET_TRAP);
    }
    out[n++] = IF(BPF_JEQ, SYS_clone3, 0, 1); // its arguments cannot be seen: clone is used then
    out[n++] = END(SECCOMP_RET_ERRNO | ENOSYS);
    // Threads are allowed. The C library blocks all signals before it makes a process: a trap would be deadly.
    n += judge(out + n, SYS_clone, BPF_JSET, 0x10000, 0x10000, SECCOMP_RET_ERRNO | EACCES);
    n += judge(out + n, SYS_kill, BPF_JEQ, self, self, SECCOMP_RET_TRAP);
    n += judge(out + n, SYS_tgkill, BPF_JEQ, self, self, SECCOMP_RET_TRAP);
    n += judge(out + n, SYS_prlimit64, BPF_JEQ, 0, self, SECCOMP_RET_TRAP);
    n += judge_bad(out + n, SYS_prctl, PR_SET_PDEATHSIG);
    n += judge_files(out + n);
    out[n++] = END(SECCOMP_RET_ALLOW);
    return n;
}

static bool restrict_calls(void)
{
    filter rules[2 * N_REFUSED + 6 * N_JUDGED + 16];
    struct sigaction action = {.sa_sigaction = note_call, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&action.sa_mask);
    sigaction(SIGSYS, &action, NULL);
    const struct sock_fprog program = {.len = (unsigned short)write_filter(rules), .filter = rules};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

#else

static bool restrict_calls(void)
{
    return false;
}

#endif

// ---- limits --------------------------------------------------------------------------------------

static void limit(__rlimit_resource_t what, rlim_t most)
{
    struct rlimit now;
    if (getrlimit(what, &now) || (now.rlim_max != RLIM_INFINITY && now.rlim_max < most)) return;
    setrlimit(what, &(struct rlimit){most, most});
}

takt_status takt_sandbox_enter(const takt_sandbox_rules *rules, const takt_sandbox_place *place,
                               takt_region_note *note, const char **lacks, takt_error *err)
{
    enum { MAX_FILE = 1 << 30 };
    *lacks = NULL;
    if (rules->memory > 0) limit(RLIMIT_DATA, (rlim_t)rules->memory);
    if (!rules->is_on) return TAKT_OK;
    notes = note;
    limit(RLIMIT_CORE, 0);
    limit(RLIMIT_FSIZE, MAX_FILE);
    signal(SIGXFSZ, SIG_IGN);
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return takt_fail(err, TAKT_ERR_SIMULATION, "the sandbox cannot be entered: %s",
                         strerror(errno));
    bool has_files = restrict_files(rules, place), has_calls = restrict_calls();
    if (!has_files && !has_calls)
        *lacks = "neither files nor system calls can be restricted (Landlock, seccomp)";
    else if (!has_files)
        *lacks = "files cannot be restricted (Landlock)";
    else if (!has_calls)
        *lacks = "system calls cannot be restricted (seccomp)";
    return TAKT_OK;
}
