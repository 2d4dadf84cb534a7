// SPDX-License-Identifier: MIT
// Finding Wine and making its prefix; see wine.h.
//
// Wine fills a prefix with copies of its own DLLs, hundreds of megabytes. Links to them serve as well, and let later starts
// be quicker: what is a copy becomes a link. A prefix is made in a folder beside its place and renamed when it is
// complete; who comes meanwhile waits for a lock.
#include "remote/wine.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cache_store.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/path.h"
#include "base/process.h"
#include "base/tree.h"
#include "remote/partner.h"
#include "remote/programs.h"

// Processes of Wine find each other by a folder below $TMPDIR: all that use a prefix must agree about it.
#define SERVER "server"
#define FOLDER "x86_64-windows" // of Wine, with its own DLLs

// ---- finding -------------------------------------------------------------------------------------

// A program by the search path.
static const char *find_in_path(takt_arena *arena, const char *name)
{
    const char *path = getenv("PATH");
    for (const char *at = path; at && *at;) {
        size_t n = strcspn(at, ":");
        char *file = n ? takt_arena_print(arena, "%.*s/%s", (int)n, at, name) : NULL;
        if (file && takt_path_is_program(file)) return file;
        at += n + (at[n] == ':');
    }
    return NULL;
}

// Debian hides the program with 64 bits; `wine` may be a script that looks for other things.
static const char *find_loader(takt_arena *arena)
{
    static const char *const places[] = {"/usr/lib/wine/wine64", "/opt/wine-stable/bin/wine64",
                                         "/opt/wine-devel/bin/wine64",
                                         "/opt/wine-staging/bin/wine64"};
    const char *chosen = getenv("TAKT_WINE");
    if (chosen && chosen[0]) return takt_path_is_program(chosen) ? chosen : NULL;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (takt_path_is_program(places[i])) return places[i];
    const char *found = find_in_path(arena, "wine64");
    return found ? found : find_in_path(arena, "wine");
}

const char *takt_wine_find(takt_arena *arena, takt_wine *out)
{
    *out = (takt_wine){
        .loader = find_loader(arena),
        .worker = takt_program_find(arena, "takt-worker-win64.exe.so", "TAKT_WORKER_WIN64")};
    if (!out->loader)
        return "Wine, which runs FMUs for Windows, is not installed (Debian, Ubuntu: apt-get "
               "install "
               "wine64; another place: TAKT_WINE)";
    if (!out->worker)
        return "the program takt-worker-win64.exe.so, in which FMUs for Windows run, is not there; "
               "it "
               "is built where winegcc is installed (Debian, Ubuntu: apt-get install wine64-tools "
               "libwine-dev), and looked for beside the program and the library, or where "
               "TAKT_WORKER_WIN64 says";
    return NULL;
}

const char *takt_wine_dlls(takt_arena *arena)
{
    static const char *const places[] = {"/../lib64/wine/" FOLDER, "/../lib/wine/" FOLDER,
                                         "/../x86_64-linux-gnu/wine/" FOLDER, "/" FOLDER,
                                         "/../lib/x86_64-linux-gnu/wine/" FOLDER};
    const char *loader = find_loader(arena), *real = NULL;
    if (!loader || takt_path_real(arena, loader, &real, NULL)) return NULL;
    const char *folder = takt_path_folder(arena, real);
    for (size_t i = 0; folder && i < sizeof places / sizeof *places; i++) {
        char *path = takt_arena_print(arena, "%s%s", folder, places[i]);
        if (path && takt_path_is_folder(path)) return path;
    }
    return NULL;
}

// ---- making a prefix -----------------------------------------------------------------------------

// Replaces copies of Wine's own DLLs by links to them.
typedef struct thinning {
    takt_arena *arena;
    const char *dlls, *folder;
} thinning;

static bool is_same_size(const char *a, const char *b)
{
    struct stat one, other;
    return lstat(a, &one) == 0 && stat(b, &other) == 0 && S_ISREG(one.st_mode) &&
           S_ISREG(other.st_mode) && one.st_size == other.st_size;
}

static takt_status thin(void *context, const char *name, takt_error *err)
{
    const thinning *self = context;
    struct stat status;
    char *path = takt_path_join(self->arena, self->folder, name);
    char *original = takt_path_join(self->arena, self->dlls, name);
    if (!path || !original) return takt_fail_memory(err);
    if (lstat(path, &status) == 0 && S_ISDIR(status.st_mode)) {
        thinning below = {self->arena, self->dlls, path};
        return takt_folder_visit(path, thin, &below, err);
    }
    if (!is_same_size(path, original)) return TAKT_OK;
    char *link = takt_arena_print(self->arena, "%s.link", path);
    if (!link) return takt_fail_memory(err);
    if (symlink(original, link) == 0 && rename(link, path)) unlink(link);
    return TAKT_OK;
}

// What of the environment is for Wine, whoever starts it. The locale decides how names of files are read.
static const char *const surroundings[] = {
    "WINEDEBUG=-all",  "WINEDLLOVERRIDES=mscoree,mshtml=;winemenubuilder.exe=",
    "LC_ALL=C.UTF-8",  "DISPLAY",
    "WAYLAND_DISPLAY", "WINEARCH",
    "WINELOADER",      "WINESERVER",
    "WINEPATH",        "WINEDLLPATH"};
enum { N_SURROUNDINGS = sizeof surroundings / sizeof *surroundings };

// Runs a program of Wine for a prefix, in a home of its own, so that no links to the user's folders appear in it.
static takt_status run(const char *prefix, const char *program, const char *const *more,
                       const char *output, takt_arena *arena, int *code, takt_error *err)
{
    const char *arguments[2 * N_SURROUNDINGS + 16] = {"timeout", "-k", "5", "300", "env"};
    int n = 5;
    for (int i = 0; i < N_SURROUNDINGS; i++) {
        if (strchr(surroundings[i], '=')) continue;
        arguments[n++] = "-u";
        arguments[n++] = surroundings[i];
    }
    for (int i = 0; i < N_SURROUNDINGS; i++)
        if (strchr(surroundings[i], '=')) arguments[n++] = surroundings[i];
    arguments[n++] = takt_arena_print(arena, "WINEPREFIX=%s", prefix);
    arguments[n++] = takt_arena_print(arena, "HOME=%s/home", prefix);
    arguments[n++] = takt_arena_print(arena, "TMPDIR=%s/" SERVER, prefix);
    if (!arguments[n - 1] || !arguments[n - 2] || !arguments[n - 3]) return takt_fail_memory(err);
    arguments[n++] = program;
    for (int i = 0; more[i]; i++) arguments[n++] = more[i];
    return takt_process_run(arguments, output, code, err);
}

// The process that all programs of a prefix share. Debian wraps it in a script, which would need a shell in the sandbox.
static const char *find_server(const takt_wine *wine, takt_arena *arena)
{
    static const char *const names[] = {"wineserver64", "wineserver"};
    const char *real = NULL;
    if (takt_path_real(arena, wine->loader, &real, NULL)) return NULL;
    const char *folder = takt_path_folder(arena, real);
    for (size_t i = 0; folder && i < sizeof names / sizeof *names; i++) {
        const char *server = takt_path_join(arena, folder, names[i]);
        if (server && access(server, X_OK) == 0) return server;
    }
    return find_in_path(arena, "wineserver");
}

// Waits until nothing of Wine uses the prefix any more.
static void settle(const char *prefix, const takt_wine *wine, takt_arena *arena)
{
    int code;
    static const char *const wait[] = {"-w", NULL};
    const char *server = find_server(wine, arena);
    if (server) run(prefix, server, wait, "/dev/null", arena, &code, NULL);
}

static takt_status make(const char *part, const takt_wine *wine, takt_arena *arena, takt_error *err)
{
    static const char *const boot[] = {"wineboot", "--init", NULL};
    int code = 0;
    char *output = takt_arena_print(arena, "%s.log", part);
    char *home = takt_path_join(arena, part, "home"),
         *drive = takt_path_join(arena, part, "drive_c");
    char *stamp = takt_path_join(arena, part, ".update-timestamp");
    const char *dlls = takt_wine_dlls(arena);
    char *server = takt_path_join(arena, part, SERVER);
    if (!output || !home || !drive || !stamp || !server) return takt_fail_memory(err);
    takt_status st = takt_folder_create(home, err);
    if (!st) st = takt_folder_create(server, err);
    if (!st) st = run(part, wine->loader, boot, output, arena, &code, err);
    if (!st) settle(part, wine, arena);
    if (!st && (code || !takt_path_is_folder(drive)))
        return takt_fail(err, TAKT_ERR_OUTPUT,
                         "Wine cannot prepare itself (%s wineboot --init, status %d, see %s)",
                         wine->loader, code, output);
    thinning all = {arena, dlls, drive};
    if (!st && dlls) st = takt_folder_visit(drive, thin, &all, err);
    // Another version of Wine gets another prefix, so this one is never brought up to date.
    if (!st) st = takt_file_write(stamp, "disable\n", 8, err);
    unlink(output);
    return st;
}

static takt_status make_in_place(const char *prefix, const takt_wine *wine, takt_arena *arena,
                                 takt_log *log, takt_error *err)
{
    char *part = takt_arena_print(arena, "%s.part", prefix);
    double begin = takt_clock();
    if (!part) return takt_fail_memory(err);
    takt_log_write(log, TAKT_LEVEL_WARN,
                   "preparing Wine for FMUs for Windows, once, in %s; this takes some seconds",
                   prefix);
    takt_tree_remove(part);
    takt_status st = make(part, wine, arena, err);
    if (!st) st = takt_file_rename(part, prefix, err);
    if (st) return st;
    takt_log_write(log, TAKT_LEVEL_INFO, "Wine is prepared (%.1f s)", takt_clock() - begin);
    return TAKT_OK;
}

// Another version of Wine, or one that was installed again, gets another name.
static char *name_prefix(const takt_wine *wine, takt_arena *arena)
{
    struct stat status;
    char hash[TAKT_HASH_SIZE];
    char *cache = takt_cache_folder(arena);
    if (!cache || stat(wine->loader, &status)) return NULL;
    char *key = takt_arena_print(arena, "2 %s %lld %lld", wine->loader, (long long)status.st_size,
                                 (long long)status.st_mtim.tv_sec);
    if (!key) return NULL;
    takt_hash_bytes(key, strlen(key), hash);
    return takt_arena_print(arena, "%s/wine-%.16s", cache, hash);
}

static takt_status find_prefix(const takt_wine *wine, takt_arena *arena, takt_log *log,
                               const char **out, takt_error *err)
{
    char *prefix = name_prefix(wine, arena);
    char *lock_name = prefix ? takt_arena_print(arena, "%s.lock", prefix) : NULL;
    char *folder = prefix ? takt_path_folder(arena, prefix) : NULL;
    if (!folder || !lock_name)
        return takt_fail(err, TAKT_ERR_OUTPUT,
                         "there is no place for the files of Wine; TAKT_CACHE_DIR chooses one");
    *out = prefix;
    if (takt_path_is_folder(prefix)) return TAKT_OK;
    takt_status st = takt_folder_create(folder, err);
    if (st) return st;
    int lock = open(lock_name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock < 0 || flock(lock, LOCK_EX))
        st = takt_fail(err, TAKT_ERR_OUTPUT, "%s: %s", lock_name, strerror(errno));
    if (!st && !takt_path_is_folder(prefix)) st = make_in_place(prefix, wine, arena, log, err);
    if (lock >= 0) close(lock);
    return st;
}

// Files are opened by the server, so that each worker has one of its own, in the same sandbox. Processes of Wine cannot start
// any others there: without Wine's services a start is quick, too.
static takt_status confine(const takt_wine *wine, const char *prefix, takt_arena *arena,
                           takt_foreign *out, takt_error *err)
{
    static const char *const sockets[] = {TAKT_PARTNER_FOLDER "/wine-*/server-*/socket",
                                          TAKT_PARTNER_FOLDER "/.wine-*/server-*/socket"};
    const char *server = find_server(wine, arena), *loader = NULL;
    if (!server)
        return takt_fail(err, TAKT_ERR_INPUT,
                         "Wine's program wineserver, which the sandbox for "
                         "FMUs for Windows needs, is not there");
    takt_status st = takt_path_real(arena, wine->loader, &loader, err);
    if (st) return st;
    const char *folder = takt_path_folder(arena, loader), *dlls = takt_wine_dlls(arena);
    const char *const list[] = {folder,
                                takt_path_folder(arena, server),
                                prefix,
                                wine->worker,
                                dlls ? takt_path_folder(arena, dlls) : NULL,
                                "/etc/fonts",
                                "/var/cache/fontconfig"};
    const char *const partner[] = {server, "-f", "-p"}; // in the foreground, as long as it is let
    for (size_t i = 0; i < sizeof partner / sizeof *partner; i++) out->partner[i] = partner[i];
    for (size_t i = 0; i < sizeof sockets / sizeof *sockets; i++) out->sockets[i] = sockets[i];
    for (size_t i = 0, n = 0; i < sizeof list / sizeof *list; i++)
        if (list[i]) out->folders[n++] = list[i];
    return TAKT_OK;
}

takt_status takt_wine_prepare(takt_arena *arena, takt_log *log, bool is_confined, takt_foreign *out,
                              takt_error *err)
{
    takt_wine wine;
    const char *lacks = takt_wine_find(arena, &wine), *prefix = NULL;
    if (lacks) return takt_fail(err, TAKT_ERR_INPUT, "%s", lacks);
    takt_status st = find_prefix(&wine, arena, log, &prefix, err);
    // Workers change their folder before Wine starts.
    if (!st) st = takt_path_real(arena, prefix, &prefix, err);
    if (!st) st = takt_path_real(arena, wine.worker, &wine.worker, err);
    if (st) return st;
    *out = (takt_foreign){.arguments = {wine.loader, wine.worker}};
    for (int i = 0; i < N_SURROUNDINGS; i++) out->environment[i] = surroundings[i];
    const char **more = out->environment + N_SURROUNDINGS;
    more[0] = takt_arena_print(arena, "WINEPREFIX=%s", prefix);
    if (is_confined)
        st = confine(&wine, prefix, arena, out, err);
    else
        more[1] = takt_arena_print(arena, "TMPDIR=%s/" SERVER, prefix);
    out->is_shared = !is_confined; // the server of the prefix
    return st || !arena->has_failed ? st : takt_fail_memory(err);
}
