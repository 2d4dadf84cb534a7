// SPDX-License-Identifier: MIT
// The program takt-worker: a nest and its workers; see nest.h. The nest opens the FMU, and makes a process for each
// instance. It runs no code of the FMU itself.
#define _GNU_SOURCE // close_range(), ppoll()
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/crash.h"
#include "base/tree.h"
#include "fmu/recipe.h"
#include "remote/foreign.h"
#include "remote/keeper.h"
#include "remote/nest.h"
#include "remote/nest_folder.h"
#include "remote/partner.h"
#include "remote/sandbox.h"
#include "remote/serve.h"
#include "remote/wake.h"
#include "takt/worker.h"

enum { REQUEST_SIZE = 1024 * 1024 };

// A worker; the nest sees the head of its region only.
typedef struct child {
    pid_t process;
    takt_region *region;
} child;

typedef struct nest {
    pid_t parent; // of a worker: the nest
    pid_t master;
    char *opened; // the bytes of the request; NULL: none yet
    takt_sandbox_rules rules;
    const char *paths[2 * TAKT_SANDBOX_MAX_PATHS]; // of the rules
    takt_arena arena;
    char *folder; // for the folders of workers; NULL: they have none
    int lock; // file descriptor that holds it
    takt_region *region; // in a worker
    takt_model *model; // NULL: nothing is open yet, or workers open it themselves
    takt_foreign foreign; // workers that are other programs; without arguments: they are not
    int recipe; // file with what such a worker opens the FMU by
    const char *recipe_bytes; // the same
    size_t recipe_size;
    takt_me_options me; // of the instance that a worker makes
    child *children;
    int n_children, capacity;
    sigset_t usual; // the mask outside of waiting
} nest;

_Noreturn static void end(int status)
{
    for (;;) syscall(SYS_exit_group, status);
}

// ---- workers -------------------------------------------------------------------------------------

static bool is_orphan(void *context)
{
    const nest *self = context;
    return getppid() != self->parent;
}

// The folder of a worker. NULL: there is none, or no memory.
static char *folder_of(nest *self, pid_t process)
{
    return self->folder ? takt_arena_print(&self->arena, "%s/%d", self->folder, (int)process)
                        : NULL;
}

static bool go_to(const char *folder)
{
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool is_there = file >= 0 && fchdir(file) == 0;
    if (file >= 0) close(file);
    return is_there;
}

// A worker enters its folder. What a partner writes there is not counted as files of the FMU, which have no such names.
static bool enter_folder(const char *folder, const char *partner)
{
    if (!folder || mkdir(folder, 0700) || !go_to(folder)) return false;
    if (partner && mkdir(partner, 0700)) return false;
    return setenv("TMPDIR", partner ? partner : folder, 1) == 0;
}

// A worker enters its folder and the sandbox. `fmu`: where it lies.
static takt_status enter_sandbox(nest *self, const char *fmu, const char *results,
                                 takt_region_note *note, const char **lacks, takt_error *err)
{
    const takt_foreign *foreign = &self->foreign;
    const char *folder = folder_of(self, getpid()), *partner = NULL;
    if (folder && foreign->partner[0])
        partner = takt_arena_print(&self->arena, "%s/" TAKT_PARTNER_FOLDER, folder);
    if (self->rules.is_on && !enter_folder(folder, partner))
        return takt_fail(err, takt_status_of_errno(errno, TAKT_ERR_OUTPUT),
                         "the sandbox has no folder to work in: %s", strerror(errno));
    const takt_sandbox_place place = {.fmu = fmu,
                                      .work = folder ? folder : "",
                                      .results = results,
                                      .partner = partner,
                                      .programs = foreign->arguments[0] ? foreign->folders : NULL};
    return takt_sandbox_enter(&self->rules, &place, note, lacks, err);
}

static takt_status enter(void *context, const char *results, takt_log *log, takt_error *err)
{
    nest *self = context;
    const char *lacks = NULL;
    takt_status st = enter_sandbox(self, takt_fmu_folder(self->model), results, &self->region->note,
                                   &lacks, err);
    if (!st && lacks)
        takt_log_write(log, TAKT_LEVEL_WARN, "the sandbox is incomplete here: %s", lacks);
    return st;
}

// What the first message says about the sandbox must be known before it is entered: it cannot be widened.
static const char *await_results(nest *self, takt_region *region)
{
    const double patience = 2; // s
    while (!takt_wake_wait(&region->asked, 0, patience, NULL))
        if (is_orphan(self)) end(1);
    return takt_serve_results(region);
}

// In the sandbox the program restricts its system calls itself, before it runs code of the FMU. Limits are inherited.
_Noreturn static void become_foreign(nest *self, takt_region *region, int file)
{
    const takt_foreign *foreign = &self->foreign;
    const char *lacks = NULL, *results = self->rules.is_on ? await_results(self, region) : NULL;
    const char *fmu = takt_fmu_recipe_folder(self->recipe_bytes, self->recipe_size);
    takt_error err = {0};
    takt_foreign_set_environment(foreign);
    takt_status st = enter_sandbox(self, fmu, results, &region->note, &lacks, &err);
    if (!st && self->rules.is_on && foreign->partner[0])
        st = takt_partner_start(foreign->partner, foreign->sockets, &err);
    if (st) takt_foreign_give_up(region, err.message);
    const char *sandbox = lacks ? TAKT_FOREIGN_CALLS_ONLY : TAKT_FOREIGN_CONFINED;
    if (self->rules.is_on && foreign->partner[0]) takt_sandbox_restrict(TAKT_CALLS_OF_LAUNCH, NULL);
    takt_foreign_become(foreign, region, (int)self->parent, file, self->recipe,
                        self->rules.is_on ? sandbox : TAKT_FOREIGN_FREE);
}

// What a worker does, from its beginning to its end.
_Noreturn static void work(nest *self, int file, pid_t parent)
{
    takt_region *region = takt_region_open(file);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (!region || getppid() != parent) end(1);
    close(TAKT_NEST_SOCKET);
    if (self->lock >= 0) close(self->lock); // the nest alone has it
    sigprocmask(SIG_SETMASK, &self->usual, NULL);
    signal(SIGCHLD, SIG_DFL);
    self->parent = parent;
    if (self->foreign.arguments[0]) become_foreign(self, region, file);
    close(file);
    self->region = region;
    takt_keeper keeper = {.region = region};
    takt_keeper_start(&keeper);
    const takt_serve_options options = {.me = &self->me,
                                        .is_orphan = is_orphan,
                                        .prepare = enter,
                                        .context = self,
                                        .on_instance = takt_keeper_watch,
                                        .keeper = &keeper};
    bool is_well = takt_serve(region, self->model, &options);
    takt_keeper_end(&keeper);
    if (is_well) takt_model_close(self->model); // the library's own destructors run
    end(!is_well);
}

static takt_status hatch(nest *self, int file, takt_nest_answer *answer, takt_error *err)
{
    if (file < 0 || (!self->model && !self->foreign.arguments[0]))
        return takt_fail(err, TAKT_ERR_USAGE, "no worker can be made yet");
    if (!takt_grow(&self->children, self->n_children, &self->capacity, sizeof *self->children))
        return takt_fail_memory(err);
    void *head = mmap(NULL, TAKT_REGION_HEAD, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    pid_t parent = getpid();
    // Other workers must not see it.
    bool is_own = head != MAP_FAILED && madvise(head, TAKT_REGION_HEAD, MADV_DONTFORK) == 0;
    pid_t process = is_own ? fork() : -1;
    if (process == 0) work(self, file, parent);
    if (process < 0) {
        int number = errno;
        if (head != MAP_FAILED) munmap(head, TAKT_REGION_HEAD);
        return takt_fail(err, takt_status_of_errno(number, TAKT_ERR_OUTPUT),
                         "no process can be made for a worker: %s", strerror(number));
    }
    self->children[self->n_children++] = (child){process, head};
    answer->process = process;
    return TAKT_OK;
}

static child *find_child(nest *self, pid_t process)
{
    for (int i = 0; i < self->n_children; i++)
        if (self->children[i].process == process) return &self->children[i];
    return NULL;
}

// Writes down a file that a worker leaves behind.
static void note_left(const char *folder, takt_region_note *note)
{
    DIR *open = folder ? opendir(folder) : NULL;
    const struct dirent *entry = NULL;
    note->left[0] = 0;
    while (open && (entry = readdir(open)))
        if (entry->d_name[0] != '.') break;
    if (entry) takt_crash_add(note->left, sizeof note->left, entry->d_name);
    if (open) closedir(open);
}

// Says which workers have ended.
static void collect(nest *self)
{
    int status;
    pid_t process;
    while ((process = waitpid(-1, &status, WNOHANG)) > 0) {
        child *at = find_child(self, process);
        if (!at) continue;
        const char *folder = folder_of(self, process);
        note_left(folder, &at->region->note);
        at->region->wait_status = status;
        atomic_store(&at->region->has_gone, 1);
        takt_wake_post_surely(&at->region->answered);
        munmap(at->region, TAKT_REGION_HEAD);
        *at = self->children[--self->n_children];
        if (folder) takt_tree_remove(folder);
    }
}

// ---- requests ------------------------------------------------------------------------------------

// For workers that are other programs, which open the FMU themselves.
static takt_status keep_recipe(nest *self, const takt_unpacker *recipe, takt_error *err)
{
    self->recipe_bytes = recipe->next;
    self->recipe_size = recipe->left;
    self->recipe = memfd_create("recipe", MFD_CLOEXEC);
    if (self->recipe >= 0 &&
        pwrite(self->recipe, recipe->next, recipe->left, 0) == (ssize_t)recipe->left)
        return TAKT_OK;
    return takt_fail(err, takt_status_of_errno(errno, TAKT_ERR_OUTPUT),
                     "a worker cannot be told what to open: %s", strerror(errno));
}

static takt_status open_fmu(nest *self, const char *bytes, size_t size, takt_error *err)
{
    if (self->opened) return takt_fail(err, TAKT_ERR_USAGE, "there is an FMU already");
    self->opened = malloc(size + 1);
    if (!self->opened) return takt_fail_memory(err);
    memcpy(self->opened, bytes, size);
    takt_unpacker unpacker = {.next = self->opened, .left = size};
    takt_sandbox_unpack(&unpacker, &self->rules, self->paths);
    takt_foreign_unpack(&unpacker, &self->foreign);
    if (unpacker.failed) return takt_fail(err, TAKT_ERR_USAGE, "the request cannot be read");
    takt_status st = TAKT_OK;
    prctl(PR_SET_CHILD_SUBREAPER, !self->foreign.is_shared);
    if (self->rules.is_on)
        st = takt_nest_folder_make(&self->arena, &self->folder, &self->lock, err);
    if (st) return st;
    if (self->foreign.arguments[0]) return keep_recipe(self, &unpacker, err);
    return takt_fmu_recipe_open(unpacker.next, unpacker.left, NULL, &self->me, &self->model, err);
}

static takt_status answer(nest *self, const takt_nest_request *request, const char *more,
                          size_t size, int file, takt_nest_answer *out, takt_error *err)
{
    switch (request->wish) {
    case TAKT_NEST_OPEN: return open_fmu(self, more, size, err);
    case TAKT_NEST_HATCH: return hatch(self, file, out, err);
    case TAKT_NEST_KILL:
    case TAKT_NEST_ASK:
        if (find_child(self, request->process))
            kill(request->process, request->wish == TAKT_NEST_KILL ? SIGKILL : TAKT_KEEPER_SIGNAL);
        return TAKT_OK;
    default: return takt_fail(err, TAKT_ERR_USAGE, "unknown request");
    }
}

// Receives a request, perhaps with a file. Returns its size; 0: the master is gone.
static size_t receive(char *room, int *file)
{
    union {
        struct cmsghdr head; // for its alignment
        char room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {.iov_base = room, .iov_len = REQUEST_SIZE};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = control.room,
                             .msg_controllen = sizeof control.room};
    ssize_t n = recvmsg(TAKT_NEST_SOCKET, &message, MSG_CMSG_CLOEXEC);
    const struct cmsghdr *head = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    *file = -1;
    if (head && head->cmsg_type == SCM_RIGHTS) memcpy(file, CMSG_DATA(head), sizeof *file);
    return n > 0 ? (size_t)n : 0;
}

// Returns false when the master is gone.
static bool serve_request(nest *self, char *room)
{
    int file;
    size_t size = receive(room, &file);
    takt_nest_request request;
    if (size < sizeof request) return false;
    memcpy(&request, room, sizeof request);
    takt_nest_answer out = {0};
    takt_error err = {0};
    takt_status st =
        answer(self, &request, room + sizeof request, size - sizeof request, file, &out, &err);
    if (file >= 0) close(file);
    out.status = (int32_t)st;
    memcpy(out.text, err.message, sizeof out.text);
    return send(TAKT_NEST_SOCKET, &out, sizeof out, MSG_NOSIGNAL) == (ssize_t)sizeof out;
}

// ---- the program ---------------------------------------------------------------------------------

// Those of processes that workers have made, and that outlived them, are children of the nest then.
static void kill_adopted(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    for (;;) {
        int process, n = 0;
        FILE *list = fopen(path, "r");
        while (list && fscanf(list, "%d", &process) == 1) n += kill(process, SIGKILL) == 0;
        if (list) fclose(list);
        if (n == 0 || waitpid(-1, NULL, 0) < 0) return;
    }
}

static void note_child(int number)
{
    (void)number; // ends waiting, that is all
}

// Nothing of the master but the connection, standard input, output and errors.
static void prepare(nest *self)
{
    static const int ignored[] = {SIGINT, SIGHUP, SIGQUIT, SIGPIPE};
    close_range(TAKT_NEST_SOCKET + 1, ~0U, 0);
    self->master = getppid();
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) signal(ignored[i], SIG_IGN);
    sigset_t child_signal;
    sigemptyset(&child_signal);
    sigaddset(&child_signal, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_signal, &self->usual);
    struct sigaction action = {.sa_handler = note_child};
    sigemptyset(&action.sa_mask);
    sigaction(SIGCHLD, &action, NULL);
}

void takt_worker_note_refused(const char *path)
{
    takt_sandbox_note(path);
}

int takt_worker_main(int argc, char **argv)
{
    nest self = {.lock = -1};
    if (argc != 2 || strcmp(argv[1], "nest") != 0) return 2;
    prepare(&self);
    char *room = malloc(REQUEST_SIZE);
    const struct timespec period = {.tv_sec = 2};
    while (room && getppid() == self.master) {
        struct pollfd waits = {.fd = TAKT_NEST_SOCKET, .events = POLLIN};
        int n = ppoll(&waits, 1, &period, &self.usual);
        collect(&self);
        if (n > 0 && !serve_request(&self, room)) break;
    }
    for (int i = 0; i < self.n_children; i++) kill(self.children[i].process, SIGKILL);
    for (int i = 0; i < self.n_children; i++) waitpid(self.children[i].process, NULL, 0);
    kill_adopted();
    if (self.folder) takt_tree_remove(self.folder);
    end(0);
}
