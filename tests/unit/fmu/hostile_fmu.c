// SPDX-License-Identifier: MIT
// An FMU of FMI 2.0, written by hand, that crashes, ends the program, or changes what belongs to all: y = u, and its GUID
// says what it does and where: "segfault step" in the first step that ends at or after 0.5 s; other places are
// instantiate, initialize, get, set (both after the first half of a second), terminate, free and logger. With "always" it happens in
// every step.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <locale.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "fmi/fmi2.h"

#define DECLARE(result, name, parameters)                                                          \
    __attribute__((visibility("default"))) result name parameters;
FMI2_COMMON_FUNCTIONS(DECLARE)
FMI2_CS_FUNCTIONS(DECLARE)

typedef struct hostile {
    double reals[2]; // u, y
    double time;
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

#define CARELESS __attribute__((no_sanitize("undefined"))) // what it does is wrong on purpose

CARELESS static void *crash(void *unused)
{
    (void)unused;
    *nowhere = 1;
    return NULL;
}

static void *do_nothing(void *unused)
{
    return unused;
}

CARELESS static void crash_by_default(void)
{
    signal(SIGSEGV, SIG_DFL);
    *nowhere = 1;
}

CARELESS static void crash_by_default_action(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL}, before;
    if (sigaction(SIGSEGV, &action, &before) || !(before.sa_flags & SA_SIGINFO)) exit(50);
    *nowhere = 1;
}

// As programs do that have their last words and then leave the rest to the system.
static void say_goodbye(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

CARELESS static void crash_with_handler(void)
{
    signal(SIGSEGV, say_goodbye);
    *nowhere = 1;
}

static void *leave(void *unused)
{
    (void)unused;
    pthread_exit(NULL);
}

static void exit_own_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, leave, NULL) == 0) pthread_join(thread, NULL);
}

static void crash_in_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, crash, NULL) == 0) pthread_join(thread, NULL);
}

static void *end(void *unused)
{
    (void)unused;
    exit(3);
}

static void end_in_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, end, NULL) == 0) pthread_join(thread, NULL);
}

static void flush_to_zero(void)
{
#if defined(__x86_64__)
    _MM_SET_FLUSH_ZERO_MODE(_MM_FLUSH_ZERO_ON);
#endif
}

// To numbers with 24 bits, as run-time libraries of Windows can.
static void compute_roughly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    unsigned short word;
    __asm__ volatile("fnstcw %0" : "=m"(word));
    word &= 0xFCFF;
    __asm__ volatile("fldcw %0" : : "m"(word));
#endif
}

static void block(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void ignore(void)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGSEGV, SIG_DFL);
}

static void change_folder(void)
{
    if (chdir("/")) abort();
}

static void close_all(void)
{
    for (int i = 0; i < 64; i++) close(i);
}

static void lock_twice(void)
{
    pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    pthread_mutex_lock(&lock);
}

// Over all memory that is shared with another process.
CARELESS static void scribble(void)
{
    char line[512];
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long begin = 0, end = 0;
        if (!strstr(line, " rw-s ") || sscanf(line, "%lx-%lx", &begin, &end) != 2) continue;
        size_t size = end - begin < 65536 ? end - begin : 65536;
        memset((void *)begin, 0xA5, size);
    }
    if (maps) fclose(maps);
}

static volatile int goes_on = 1;

// Shows by the exit status of the process what was possible.
static void read_file(void)
{
    FILE *file = fopen("/etc/passwd", "r");
    if (file) exit(11);
}

static void write_file(void)
{
    const char *home = getenv("HOSTILE_TARGET");
    FILE *file = fopen(home ? home : "/tmp/hostile", "w");
    if (file) exit(12);
    file = fopen("own", "w"); // in its own folder
    if (!file) exit(13);
    fclose(file);
}

static void use_network(void)
{
    if (socket(AF_INET, SOCK_STREAM, 0) >= 0) exit(14);
}

static void make_process(void)
{
    pid_t process = fork();
    if (process == 0) _exit(0);
    if (process > 0) exit(15);
    if (system("true") == 0) exit(16);
}

// One that does not end with its parent.
static void leave_process(void)
{
    if (fork()) return;
    setsid();
    for (;;) sleep(60);
}

static void disturb_others(void)
{
    if (kill(getppid(), 0) == 0) exit(17);
    if (ptrace(PTRACE_ATTACH, getppid(), NULL, NULL) == 0) exit(18);
}

// A file that is ready sends a signal to its owner.
static void own_others(void)
{
    int ends[2];
    if (pipe(ends) == 0 && fcntl(ends[0], F_SETOWN, getppid()) == 0) exit(19);
}

// It need not be a terminal: who may not try gets another failure.
static void type_in(void)
{
    int ends[2];
    if (pipe(ends) == 0 && ioctl(ends[0], TIOCSTI, " ") != 0 && errno != EACCES) exit(20);
}

static const long calls[] = {SYS_connect,
                             SYS_bind,
                             SYS_listen,
#ifdef SYS_accept // x86 with 32 bits has others for these
                             SYS_accept,
#endif
                             SYS_accept4,
                             SYS_sendto,
                             SYS_sendmsg,
                             SYS_sendmmsg,
                             SYS_process_vm_readv,
                             SYS_process_vm_writev,
                             SYS_process_madvise,
                             SYS_migrate_pages,
                             SYS_move_pages,
                             SYS_kcmp,
                             SYS_pidfd_open,
                             SYS_pidfd_getfd,
                             SYS_pidfd_send_signal,
                             SYS_setpriority,
                             SYS_ioprio_set,
                             SYS_shmat,
                             SYS_shmctl,
                             SYS_semget,
#ifdef __i386__
                             SYS_socketcall,
                             SYS_ipc,
                             SYS_semtimedop_time64,
                             SYS_umount,
                             SYS_nice,
                             SYS_vm86,
                             SYS_vm86old,
                             SYS_stime,
                             SYS_clock_settime64,
                             SYS_clock_adjtime64,
                             SYS_lchown32,
                             SYS_fchown32,
                             SYS_utimensat_time64,
#endif
#ifdef SYS_semop
                             SYS_semop,
                             SYS_semtimedop,
#endif
                             SYS_semctl,
                             SYS_msgget,
                             SYS_msgsnd,
                             SYS_msgrcv,
                             SYS_msgctl,
                             SYS_mq_unlink,
                             SYS_open_tree,
                             SYS_move_mount,
                             SYS_fsopen,
                             SYS_fspick,
                             SYS_mount_setattr,
                             SYS_open_by_handle_at,
                             SYS_setns,
                             SYS_keyctl,
                             SYS_add_key,
                             SYS_request_key,
                             SYS_bpf,
                             SYS_perf_event_open,
                             SYS_userfaultfd,
                             SYS_io_uring_setup,
                             SYS_finit_module,
                             SYS_syslog,
                             SYS_quotactl,
                             SYS_clock_adjtime,
                             SYS_fchmod,
                             SYS_fchown,
                             SYS_fsetxattr,
                             SYS_fremovexattr,
                             SYS_utimensat,
                             SYS_inotify_init1,
                             SYS_fanotify_init};

// Calls that no FMU needs, with arguments that are wrong: who may make them gets another failure than EACCES, and those that
// a process may do to itself, but not to others.
static void call_everything(void)
{
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (syscall(calls[i], -1, -1, -1, -1, -1, -1) >= 0 || errno != EACCES)
            exit(100 + (int)i); // the number of the call in the list
    }
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    struct rlimit limit;
    if (sched_setaffinity(getppid(), sizeof one, &one) == 0) exit(30);
    if (prlimit(getppid(), RLIMIT_CORE, NULL, &limit) == 0) exit(31);
    if (kill(0, 0) == 0 || kill(-1, 0) == 0 || kill(-getppid(), 0) == 0) exit(32);
    if (syscall(SYS_tgkill, getppid(), getppid(), 0) == 0) exit(33);
    if (prctl(PR_SET_PDEATHSIG, 0) == 0) exit(34);
}

// Calls of the system as programs for the other kind of processor make them: for another number of bits.
static void call_otherwise(void)
{
    long process = 0;
#if defined(__x86_64__)
    __asm__ volatile("int $0x80" : "=a"(process) : "a"(20) : "r8", "r9", "r10", "r11", "memory");
#elif defined(__i386__) // to the code segment of 64 bits, and back
    __asm__ volatile("pushl $0x33\n\tcall 1f\n1:\taddl $2f-1b,(%%esp)\n\tlret\n"
                     "2:\n\t.code64\n\tsyscall\n\tcall 3f\n"
                     "3:\tmovl $0x23,4(%%rsp)\n\taddl $4f-3b,(%%rsp)\n\tlret\n\t.code32\n4:"
                     : "=a"(process)
                     : "a"(39)
                     : "ecx", "memory", "cc");
#endif
    if (process == getpid()) exit(46);
}

// What threads and libraries of honest FMUs do.
static void call_what_is_needed(void)
{
    cpu_set_t all;
    struct rlimit limit;
    if (sched_getaffinity(0, sizeof all, &all) || sched_setaffinity(0, sizeof all, &all)) exit(40);
    if (kill(getpid(), 0) || getrlimit(RLIMIT_CORE, &limit)) exit(41);
    pthread_t thread;
    if (pthread_create(&thread, NULL, do_nothing, NULL) || pthread_join(thread, NULL)) exit(42);
    void *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED || memfd_create("x", 0) < 0) exit(43);
    if (isatty(1) < 0 || fcntl(1, F_GETFL) < 0) exit(44);
    FILE *file = fopen("own", "w");
    if (!file || fputs("text", file) < 0 || fclose(file) || remove("own")) exit(45);
}

// Memory that outlives the process, so that it would be left on the machine.
static void leave_memory(void)
{
    int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
    if (id >= 0) shmctl(id, IPC_RMID, NULL);
    if (id >= 0) exit(23);
    mqd_t queue = mq_open("/takt-hostile", O_RDWR | O_CREAT, 0600, NULL);
    if (queue != (mqd_t)-1) mq_unlink("/takt-hostile");
    if (queue != (mqd_t)-1) exit(24);
    int file = shm_open("/takt-hostile", O_RDWR | O_CREAT, 0600);
    if (file >= 0) shm_unlink("/takt-hostile");
    if (file >= 0) exit(25);
    sem_t *semaphore = sem_open("/takt-hostile", O_CREAT, 0600, 1);
    if (semaphore != SEM_FAILED) sem_unlink("/takt-hostile");
    if (semaphore != SEM_FAILED) exit(26);
}

// What another program would follow.
static void lay_traps(void)
{
    if (symlink("/etc/passwd", "link") == 0) exit(27);
    if (mkfifo("pipe", 0600) == 0) exit(28);
}

// A privilege of root that is not used, and what is typed in for the program.
static void use_privileges(void)
{
    char line[64], *effective = NULL;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && !effective && fgets(line, sizeof line, file))
        effective = strncmp(line, "CapEff:", 7) == 0 ? line + 7 : NULL;
    if (file) fclose(file);
    unsigned long long kept = effective ? strtoull(effective, NULL, 16) : ~0ull;
    if (kept & ~6ull) exit(29); // all but those that Landlock restricts
    if (read(0, line, sizeof line) > 0) exit(35);
}

// In ways that the limit of memory does not count by itself.
static void use_shared_memory(void)
{
    const int kinds[] = {MAP_SHARED | MAP_ANONYMOUS, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (mmap(NULL, (size_t)1 << 4 * sizeof(size_t), PROT_READ | PROT_WRITE, kinds[i], -1, 0) !=
            MAP_FAILED)
            exit(36 + (int)i);
    if (memfd_create("x", 0) >= 0) exit(38);
}

static void change_file(void)
{
    const char *target = getenv("HOSTILE_TARGET");
    if (target && truncate(target, 0) == 0) exit(21);
    if (target && chmod(target, 0) == 0) exit(22);
}

static void use_memory(void)
{
    for (int i = 0; i < 4096; i++) {
        char *piece = malloc(1 << 20);
        if (!piece) abort();
        memset(piece, i, 1 << 20);
    }
}

// Only the allocator's own notes are destroyed; the next allocation finds them.
CARELESS static void write_over_heap(void)
{
    static void *volatile pieces[2];
    pieces[0] = malloc(100000);
    memset((char *)pieces[0] + 100000, 0xA5, 4096);
    pieces[1] = malloc(100000);
}

void hostile_throw(void);

// More than any disk should have to take.
static void print_much(void)
{
    static char text[1 << 20];
    memset(text, 'x', sizeof text);
    for (int i = 0; i < 2048; i++) {
        fwrite(text, 1, sizeof text, stdout);
        fwrite(text, 1, sizeof text, stderr);
    }
    fflush(stdout);
}

// Numbers as they could be in a master's memory, anywhere in what is shared. The seed is the number behind the word.
CARELESS static void spoil(const char *seed)
{
    static const unsigned nice[] = {0,          1,          2,    7,        0x7fffffff,
                                    0x80000000, 0xffffffff, 4096, 268435456};
    char line[512];
    unsigned random = (unsigned)atoi(seed) * 2654435761u + 1;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        unsigned long begin = 0, end = 0;
        if (!strstr(line, " rw-s ") || sscanf(line, "%lx-%lx", &begin, &end) != 2) continue;
        // The head, the log behind it, and what is asked and answered behind that.
        const unsigned long parts[] = {0, 16384, 16384 + (4ul << 20), 16384 + (260ul << 20)};
        for (int i = 0; i < 64; i++) {
            random = random * 1664525u + 1013904223u;
            unsigned long at = parts[random >> 30] + (random >> 12) % 1024 * 4;
            if (begin + at + 4 > end) continue;
            unsigned value = random & 4 ? nice[(random >> 5) % 9] : random * 69069u;
            memcpy((void *)(begin + at), &value, sizeof value);
        }
    }
    if (maps) fclose(maps);
}

// The same again and again while the master reads, by a thread that ends with the process.
_Noreturn CARELESS static void *spoil_on(void *seed)
{
    char number[16];
    for (unsigned n = (unsigned)(uintptr_t)seed * 1000u;; n++) {
        snprintf(number, sizeof number, "%u", n);
        spoil(number);
    }
}

static void storm(const char *seed)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, spoil_on, (void *)(uintptr_t)atoi(seed)) == 0)
        pthread_detach(thread);
}

CARELESS static void do_it(const char *what)
{
    if (strcmp(what, "segfault") == 0) *nowhere = 1;
    if (strcmp(what, "default") == 0) crash_by_default();
    if (strcmp(what, "sigaction") == 0) crash_by_default_action();
    if (strcmp(what, "handler") == 0) crash_with_handler();
    if (strcmp(what, "pthread_exit") == 0) pthread_exit(NULL);
    if (strcmp(what, "own_exit") == 0) exit_own_thread();
    if (strcmp(what, "bus") == 0) raise(SIGBUS);
    if (strcmp(what, "divide") == 0) raise(SIGFPE);
    if (strcmp(what, "illegal") == 0) __builtin_trap();
    if (strcmp(what, "abort") == 0) abort();
    if (strcmp(what, "overflow") == 0) overflow(1);
    if (strcmp(what, "exit0") == 0) exit(0);
    if (strcmp(what, "exit7") == 0) exit(7);
    if (strcmp(what, "_exit") == 0) _exit(0);
    if (strcmp(what, "quick") == 0) quick_exit(0);
    if (strcmp(what, "thread") == 0) crash_in_thread();
    if (strcmp(what, "thread_exit") == 0) end_in_thread();
    if (strcmp(what, "round") == 0) fesetround(FE_UPWARD);
    if (strcmp(what, "flush") == 0) flush_to_zero();
    if (strcmp(what, "x87") == 0) compute_roughly();
    if (strcmp(what, "trap") == 0) feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
    if (strcmp(what, "locale") == 0 && !setlocale(LC_ALL, "C.UTF-8")) abort();
    if (strcmp(what, "mask") == 0) block();
    if (strcmp(what, "handlers") == 0) ignore();
    if (strcmp(what, "folder") == 0) change_folder();
    if (strcmp(what, "kill") == 0) raise(SIGKILL);
    if (strcmp(what, "close") == 0) close_all();
    if (strcmp(what, "deadlock") == 0) lock_twice();
    if (strcmp(what, "read") == 0) read_file();
    if (strcmp(what, "write") == 0) write_file();
    if (strcmp(what, "network") == 0) use_network();
    if (strcmp(what, "fork") == 0) make_process();
    if (strcmp(what, "daemon") == 0) leave_process();
    if (strcmp(what, "others") == 0) disturb_others();
    if (strcmp(what, "owner") == 0) own_others();
    if (strcmp(what, "type") == 0) type_in();
    if (strcmp(what, "change") == 0) change_file();
    if (strcmp(what, "calls") == 0) call_everything();
    if (strcmp(what, "mixed") == 0) call_otherwise();
    if (strcmp(what, "needs") == 0) call_what_is_needed();
    if (strcmp(what, "leave") == 0) leave_memory();
    if (strcmp(what, "traps") == 0) lay_traps();
    if (strcmp(what, "root") == 0) use_privileges();
    if (strcmp(what, "shared") == 0) use_shared_memory();
    if (strcmp(what, "heap") == 0) write_over_heap();
#ifndef HOSTILE_WITHOUT_THROW // the C++ library is not there with 32 bits
    if (strcmp(what, "throw") == 0) hostile_throw();
#endif
    if (strcmp(what, "print") == 0) print_much();
    if (strncmp(what, "spoil", 5) == 0) spoil(what + 5);
    if (strncmp(what, "storm", 5) == 0) storm(what + 5);
    if (strcmp(what, "memory") == 0) use_memory();
    if (strcmp(what, "scribble") == 0) scribble();
    while (strcmp(what, "loop") == 0 && goes_on) continue;
    if (strcmp(what, "wait") == 0) nanosleep(&(struct timespec){6, 0}, NULL);
}

static void at(const hostile *h, const char *where)
{
    if (strcmp(h->where, where) == 0) do_it(h->what);
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *callbacks, fmi2Boolean visible,
                              fmi2Boolean logging)
{
    (void)name, (void)type, (void)resources, (void)visible, (void)logging;
    hostile *h = calloc(1, sizeof *h);
    if (!h) return NULL;
    const char *blank = strchr(guid, ' ');
    if (blank) snprintf(h->what, sizeof h->what, "%.*s", (int)(blank - guid), guid);
    if (blank) snprintf(h->where, sizeof h->where, "%s", blank + 1);
    h->callbacks = callbacks;
    at(h, "instantiate");
    return h;
}

void fmi2FreeInstance(fmi2Component c)
{
    at(c, "free");
    free(c);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance, fmi2Real tolerance,
                               fmi2Real start, fmi2Boolean has_stop, fmi2Real stop)
{
    (void)has_tolerance, (void)tolerance, (void)has_stop, (void)stop;
    ((hostile *)c)->time = start;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    at(c, "initialize");
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component c)
{
    at(c, "terminate");
    return fmi2OK;
}

static int is_due(const hostile *h)
{
    return h->time >= 0.5 - 1e-9;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n, fmi2Real value[])
{
    hostile *h = c;
    if (is_due(h)) at(h, "get");
    h->reals[1] = h->reals[0];
    if (strcmp(h->what, "clock") == 0) {
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        h->reals[1] = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    }
    for (size_t i = 0; i < n; i++) value[i] = h->reals[vr[i]];
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                       const fmi2Real value[])
{
    hostile *h = c;
    if (is_due(h)) at(h, "set");
    for (size_t i = 0; i < n; i++) h->reals[vr[i]] = value[i];
    return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real time, fmi2Real h, fmi2Boolean is_final)
{
    hostile *self = c;
    (void)is_final;
    if (time + h < 0.5 - 1e-9 || self->time >= 0.5 - 1e-9) {
        self->time = time + h;
        at(self, "always");
        return fmi2OK;
    }
    self->time = time + h;
    at(self, "step");
    at(self, "always");
    if (strcmp(self->where, "logger") == 0)
        self->callbacks->logger(self->callbacks->componentEnvironment, "x", fmi2OK,
                                (const char *)(uintptr_t)16, "%s", (const char *)(uintptr_t)16);
    return fmi2OK;
}
