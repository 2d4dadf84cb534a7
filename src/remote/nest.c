// SPDX-License-Identifier: MIT
// Nests, as the master sees them; see nest.h.
#include "remote/nest.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/thread.h"
#include "remote/nest_folder.h"
#include "remote/programs.h"

extern char **environ;

enum { PATIENCE = 30000 }; // ms; then a nest is killed that should answer, or end, at once

struct takt_nest {
    pid_t process;
    int socket; // -1: none
    atomic_int n_holders;
    atomic_bool is_given_up; // it was killed, because it did not answer
    takt_mutex lock; // one question at a time
};

// ---- the program ---------------------------------------------------------------------------------

static takt_status find_program(takt_arena *arena, const char **out, takt_error *err)
{
    *out = takt_program_find(arena, "takt-worker", "TAKT_WORKER");
    if (*out) return TAKT_OK;
    return takt_fail(err, TAKT_ERR_USAGE,
                     "the program takt-worker, which isolated FMUs run in, is neither beside the "
                     "program nor beside the library; install it, or say where it is with "
                     "TAKT_WORKER");
}

// Signals of the terminal are for the master; who has blocked some here has not done so for the nest.
static takt_status spawn(takt_nest *nest, const char *program, int socket, takt_error *err)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure) return takt_fail_memory(err);
    failure = posix_spawnattr_init(&attributes);
    if (!failure) failure = posix_spawn_file_actions_adddup2(&actions, socket, TAKT_NEST_SOCKET);
    if (!failure) failure = posix_spawnattr_setsigmask(&attributes, &none);
    if (!failure) failure = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    const char *const arguments[] = {"takt-worker", "nest", NULL};
    // posix_spawn() does not change the arguments, its declaration only says so for the sake of old programs.
    if (!failure)
        failure = posix_spawn(&nest->process, program, &actions, &attributes,
                              (char *const *)arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    if (!failure) return TAKT_OK;
    return takt_fail(err, takt_status_of_errno(failure, TAKT_ERR_OUTPUT),
                     "the program %s cannot be run: %s", program, strerror(failure));
}

static takt_status start(takt_nest *nest, takt_error *err)
{
    takt_arena arena = {0};
    const char *program = NULL;
    int sockets[2] = {-1, -1};
    takt_status st = find_program(&arena, &program, err);
    if (!st && socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
        st = takt_fail(err, takt_status_of_errno(errno, TAKT_ERR_OUTPUT),
                       "a worker cannot be reached: %s", strerror(errno));
    if (!st) st = spawn(nest, program, sockets[1], err);
    if (sockets[1] >= 0) close(sockets[1]);
    nest->socket = sockets[0];
    takt_arena_clear(&arena);
    return st;
}

// An FMU without a sandbox may have stopped it. Its workers end with it.
static void give_up(takt_nest *nest)
{
    nest->is_given_up = true;
    kill(nest->process, SIGKILL);
}

// ---- questions -----------------------------------------------------------------------------------

static takt_status fail_silent(const takt_nest *nest, takt_error *err)
{
    return takt_fail(err, TAKT_ERR_CRASH,
                     "the process %d, which makes the workers of this FMU, has ended",
                     (int)nest->process);
}

static bool send_all(const takt_nest *nest, const takt_nest_request *request,
                     const takt_bytes *more, int file)
{
    union {
        struct cmsghdr head; // for its alignment
        char room[CMSG_SPACE(sizeof(int))];
    } control = {.room = {0}};
    struct iovec parts[2] = {{.iov_base = (void *)request, .iov_len = sizeof *request}};
    if (more) parts[1] = (struct iovec){.iov_base = more->data, .iov_len = more->size};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = more ? 2 : 1};
    if (file >= 0) {
        message.msg_control = control.room;
        message.msg_controllen = sizeof control.room;
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof file);
        memcpy(CMSG_DATA(head), &file, sizeof file);
    }
    ssize_t n;
    do n = sendmsg(nest->socket, &message, MSG_NOSIGNAL);
    while (n < 0 && errno == EINTR);
    return n >= 0;
}

// Is there an answer, in so many milliseconds? Opening an FMU may take as long as it does: then negative, for ever.
static bool is_answered(const takt_nest *nest, int patience)
{
    struct pollfd waits = {.fd = nest->socket, .events = POLLIN};
    int n;
    do n = poll(&waits, 1, patience);
    while (n < 0 && errno == EINTR);
    return n > 0;
}

static takt_status ask(takt_nest *nest, takt_nest_request request, const takt_bytes *more, int file,
                       takt_nest_answer *answer, takt_error *err)
{
    takt_mutex_lock(&nest->lock);
    ssize_t n = -1;
    bool is_quick = request.wish != TAKT_NEST_OPEN;
    bool is_sent = !nest->is_given_up && send_all(nest, &request, more, file);
    if (is_sent && !is_answered(nest, is_quick ? PATIENCE : -1)) {
        give_up(nest);
    } else if (is_sent) {
        do n = recv(nest->socket, answer, sizeof *answer, 0);
        while (n < 0 && errno == EINTR);
    }
    takt_mutex_unlock(&nest->lock);
    if (n != (ssize_t)sizeof *answer) return fail_silent(nest, err);
    answer->text[sizeof answer->text - 1] = 0;
    return answer->status ? takt_fail(err, (takt_status)answer->status, "%s", answer->text)
                          : TAKT_OK;
}

takt_status takt_nest_hatch(takt_nest *nest, int file, int *process, takt_error *err)
{
    takt_nest_answer answer;
    takt_status st =
        ask(nest, (takt_nest_request){.wish = TAKT_NEST_HATCH}, NULL, file, &answer, err);
    if (!st) *process = answer.process;
    return st;
}

void takt_nest_kill(takt_nest *nest, int process)
{
    takt_nest_answer answer;
    ask(nest, (takt_nest_request){TAKT_NEST_KILL, process}, NULL, -1, &answer, NULL);
}

void takt_nest_ask(takt_nest *nest, int process)
{
    takt_nest_answer answer;
    ask(nest, (takt_nest_request){TAKT_NEST_ASK, process}, NULL, -1, &answer, NULL);
}

bool takt_nest_is_alive(takt_nest *nest)
{
    struct pollfd hangs = {.fd = nest->socket};
    if (nest->is_given_up) return false;
    return poll(&hangs, 1, 0) <= 0; // a signal says nothing
}

// ---- life ----------------------------------------------------------------------------------------

takt_status takt_nest_create(const takt_bytes *fmu, takt_nest **out, takt_error *err)
{
    takt_nest *nest = calloc(1, sizeof *nest);
    if (!nest || !takt_mutex_init(&nest->lock)) {
        free(nest);
        return takt_fail_memory(err);
    }
    takt_nest_answer answer;
    atomic_store(&nest->n_holders, 1);
    nest->socket = -1;
    takt_status st = start(nest, err);
    if (!st) st = ask(nest, (takt_nest_request){.wish = TAKT_NEST_OPEN}, fmu, -1, &answer, err);
    if (st)
        takt_nest_destroy(nest);
    else
        *out = nest;
    return st;
}

void takt_nest_hold(takt_nest *nest)
{
    atomic_fetch_add(&nest->n_holders, 1);
}

// The end of the connection ends the nest, which takes a moment: it removes folders.
static int wait_for_end(takt_nest *nest)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    int status = 0;
    pid_t ended = 0;
    for (int i = 0; nest->process > 0 && ended == 0 && i < PATIENCE; i++) {
        ended = waitpid(nest->process, &status, WNOHANG);
        if (ended == 0) nanosleep(&pause, NULL);
    }
    if (nest->process > 0 && ended == 0) {
        kill(nest->process, SIGKILL);
        while (waitpid(nest->process, &status, 0) < 0 && errno == EINTR) continue;
    }
    return status;
}

void takt_nest_destroy(takt_nest *nest)
{
    if (!nest || atomic_fetch_sub(&nest->n_holders, 1) > 1) return;
    if (nest->socket >= 0) close(nest->socket);
    if (wait_for_end(nest)) takt_nest_folder_sweep(); // it was killed, and could not do that
    takt_mutex_clear(&nest->lock);
    free(nest);
}
