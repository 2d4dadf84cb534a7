// SPDX-License-Identifier: MIT
// Landlock (landlock(7)), privileges (capabilities(7)) and limits; see sandbox.h. System calls: sandbox_calls.c.
#define _GNU_SOURCE // syscall()
#include "remote/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/landlock.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/crash.h"
#include "remote/sandbox_calls.h"

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

enum {
    READS = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
    // What may be written, others read later, without a sandbox: links would lead them elsewhere, and devices and pipes are no files.
    MISLEADS = LANDLOCK_ACCESS_FS_MAKE_SYM | LANDLOCK_ACCESS_FS_MAKE_CHAR |
               LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
               LANDLOCK_ACCESS_FS_MAKE_SOCK,
};

// 0: the kernel has no Landlock, or it is switched off.
static int landlock_version(void)
{
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return version < 1 ? 0 : (int)version;
}

enum { KNOWS_TRUNCATION = 3, KNOWS_SCOPES = 6 }; // this version, and later ones

// Newer than the struct of the system's headers, whose beginning it has.
typedef struct attributes {
    uint64_t files, network;
    uint64_t scopes; // out of which nothing can be reached:
} attributes;
enum { SCOPE_OF_ABSTRACT_SOCKETS = 1, SCOPE_OF_SIGNALS = 2 };

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
    const uint64_t of_files = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE |
                              LANDLOCK_ACCESS_FS_TRUNCATE | LANDLOCK_ACCESS_FS_EXECUTE;
    int file = open(path, O_PATH | O_CLOEXEC);
    if (file < 0) return;
    struct landlock_path_beneath_attr beneath = {.allowed_access = rights, .parent_fd = file};
    if (syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0)) {
        beneath.allowed_access = rights & of_files;
        syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &beneath, 0);
    }
    close(file);
}

// Programs are started in the sandbox; libraries need no right to be executed.
static void allow_programs(int rules, const char *const *programs)
{
    static const char *const loaders[] = {"/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux.so.2"};
    const uint64_t rights = READS | LANDLOCK_ACCESS_FS_EXECUTE;
    for (size_t i = 0; i < sizeof loaders / sizeof *loaders; i++) allow(rules, loaders[i], rights);
    for (; *programs; programs++) allow(rules, *programs, rights);
}

// Windows tells about a file by reading its folder: a folder in the cache, which has nothing but this FMU.
static void allow_listing(int rules, const char *fmu)
{
    char entry[4096];
    const char *name = strrchr(fmu, '/');
    if (!name || strcmp(name, "/content") != 0) return;
    snprintf(entry, sizeof entry, "%s/..", fmu);
    allow(rules, entry, LANDLOCK_ACCESS_FS_READ_DIR);
}

static void allow_all(int rules, uint64_t rights, const takt_sandbox_rules *wanted,
                      const takt_sandbox_place *place)
{
    static const char *const readable[] = {"/usr",
                                           "/lib",
                                           "/lib32",
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
    if (place->programs) allow_programs(rules, place->programs);
    if (place->partner) allow_listing(rules, place->fmu);
    allow(rules, "/dev/null", READS | LANDLOCK_ACCESS_FS_WRITE_FILE);
    rights &= ~(uint64_t)(LANDLOCK_ACCESS_FS_EXECUTE | MISLEADS);
    for (int i = 0; i < wanted->n_writes; i++) allow(rules, wanted->writes[i], rights);
    allow(rules, place->work, rights);
    if (place->partner) allow(rules, place->partner, rights | LANDLOCK_ACCESS_FS_MAKE_SOCK);
    if (place->results) allow(rules, place->results, rights);
}

// Returns false where the kernel has no Landlock, or it is switched off.
static bool restrict_files(const takt_sandbox_rules *wanted, const takt_sandbox_place *place)
{
    int version = landlock_version();
    if (!version) return false;
    attributes about = {.files = all_rights(version)};
    bool has_scopes = version >= KNOWS_SCOPES;
    if (has_scopes) about.scopes = SCOPE_OF_ABSTRACT_SOCKETS | SCOPE_OF_SIGNALS;
    int rules = (int)syscall(SYS_landlock_create_ruleset, &about,
                             has_scopes ? sizeof about : sizeof about.files, 0);
    if (rules < 0) return false;
    allow_all(rules, about.files, wanted, place);
    bool is_done = syscall(SYS_landlock_restrict_self, rules, 0) == 0;
    close(rules);
    return is_done;
}

// ---- limits --------------------------------------------------------------------------------------

static void limit(__rlimit_resource_t what, rlim_t most)
{
    struct rlimit now;
    if (getrlimit(what, &now) || (now.rlim_max != RLIM_INFINITY && now.rlim_max < most)) return;
    setrlimit(what, &(struct rlimit){most, most});
}

// ---- privileges ----------------------------------------------------------------------------------

// Of root nothing is left but access to files whatever their permissions are, which Landlock restricts; without Landlock not
// even that. There is no way back: programs that are executed get no new privileges, either.
static bool drop_privileges(bool has_files)
{
    struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct sets[2] = {{0}};
    if (syscall(SYS_capget, &head, sets)) return false;
    uint32_t kept =
        has_files ? CAP_TO_MASK(CAP_DAC_OVERRIDE) | CAP_TO_MASK(CAP_DAC_READ_SEARCH) : 0;
    kept &= sets[0].permitted;
    sets[0] = (struct __user_cap_data_struct){.effective = kept, .permitted = kept};
    sets[1] = (struct __user_cap_data_struct){0};
    return syscall(SYS_capset, &head, sets) == 0;
}

// ---- standard input, output and errors -----------------------------------------------------------

// Whoever may write to a terminal, may usually read what is typed there, too.
static void see_only_output(void)
{
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO);
    if (nothing > STDERR_FILENO) close(nothing);
    for (int i = STDOUT_FILENO; i <= STDERR_FILENO; i++) {
        char path[32];
        struct stat status;
        if (fstat(i, &status) || !S_ISCHR(status.st_mode)) continue;
        snprintf(path, sizeof path, "/proc/self/fd/%d", i);
        int own = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
        if (own >= 0) dup2(own, i);
        if (own > STDERR_FILENO) close(own);
    }
}

// ---- system calls --------------------------------------------------------------------------------

bool takt_sandbox_restrict(takt_call_stage stage, takt_region_note *note)
{
    struct rlimit memory;
    if (note) notes = note;
    const takt_call_rules calls = {.stage = stage,
                                   .is_memory_limited = getrlimit(RLIMIT_DATA, &memory) == 0 &&
                                                        memory.rlim_cur != RLIM_INFINITY,
                                   .knows_truncation = landlock_version() >= KNOWS_TRUNCATION,
                                   .note = takt_sandbox_note};
    return takt_sandbox_restrict_calls(&calls);
}

// ---- all -----------------------------------------------------------------------------------------

const char *takt_sandbox_lack(bool has_files, bool has_calls)
{
    if (has_files) return has_calls ? NULL : "system calls cannot be restricted (seccomp)";
    return has_calls ? "files cannot be restricted (Landlock)"
                     : "neither files nor system calls can be restricted (Landlock, seccomp)";
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
    see_only_output();
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return takt_fail(err, TAKT_ERR_SIMULATION, "the sandbox cannot be entered: %s",
                         strerror(errno));
    bool has_files = restrict_files(rules, place), is_plain = drop_privileges(has_files);
    if (!is_plain)
        return takt_fail(err, TAKT_ERR_SIMULATION, "the sandbox cannot give up privileges: %s",
                         strerror(errno));
    bool has_calls = place->programs || takt_sandbox_restrict(TAKT_CALLS_OF_FMU, note);
    *lacks = takt_sandbox_lack(has_files, has_calls);
    return TAKT_OK;
}
