// SPDX-License-Identifier: MIT
// Worker processes; see sweep_pool.h. Nothing here runs code of FMUs. A worker has one variant at work and, where variants are
// short, one more in hand, so that it need not wait for the answer.
//
// An FMU may keep something outside of its instances, so that a variant sees what earlier ones in the same process have left. So now and then such a
// variant is run once more, by a process of its own (the examiner), and has to come to the same line. Until the first one has, their lines wait.
#include "sweep_pool.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "exit_guard.h"
#include "support.h"

enum { MOST_IN_HAND = 2 };
static const double short_variant = 0.05; // s

typedef struct worker {
    pid_t process; // 0: there is none
    int socket;
    sweep_view *view; // shared with it
    int64_t in_hand[MOST_IN_HAND];
    int n_in_hand;
    double began; // s on the clock: the first of them
    int64_t late; // the variant for which it was killed; -1: none
    char *data; // of messages that are not complete
    size_t n_data, capacity;
    int64_t n_taken; // variants that this process has run
} worker;

/// A line that waits for the examiner, and what it came with.
typedef struct waiting {
    sweep_message message;
    char *line; // owned
} waiting;

typedef struct pool {
    sweep_job *job;
    const sweep_dealer *dealer;
    double timeout;
    worker *workers; // and behind them the examiner
    int n_workers;
    char *examined; // the line that the examiner has to come to; NULL: it has nothing to do
    int64_t n_reused; // variants that were not the first ones of their process
    int64_t next_check; // which of these will be examined
    double examining; // s, of all examinations
    bool is_trusted; // one has been passed
    waiting *waiting;
    int n_waiting, waiting_capacity;
    sweep_view *views;
    int64_t *returned; // variants that a worker had in hand when it crashed
    int n_returned, returned_capacity;
    bool is_dry; // there are no more
    int n_deaths_between; // of workers that did not come to begin their variant, one after the other
    int64_t n_done;
    double busy; // s, of all variants
} pool;

// ---- processes ---------------------------------------------------------------------------------

static _Noreturn void live(pool *self, int i, int socket, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) cli_exit_now(0); // it has gone already
    // The parent decides; schedulers send SIGTERM to all processes of a job.
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    for (int k = 0; k <= self->n_workers; k++)
        if (self->workers[k].process) close(self->workers[k].socket);
    if (i == self->n_workers) self->job->results = NULL; // they have been written
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (null >= 0) dup2(null, STDIN_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO); // what FMUs print
    takt_guard_remove(); // it is that of the process that made this one
    takt_guard_install(STDERR_FILENO, NULL);
    sweep_serve(self->job, socket, &self->views[i]);
    cli_exit_now(0);
}

static takt_status begin_worker(pool *self, int i, takt_error *err)
{
    worker *w = &self->workers[i];
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        return cli_fail(err, TAKT_ERR_SIMULATION, "cannot start a worker: %s", strerror(errno));
    fflush(NULL); // else both would write it
    self->views[i].variant = -1;
    pid_t parent = getpid(), process = fork();
    if (process < 0) {
        close(pair[0]), close(pair[1]);
        return cli_fail(err, TAKT_ERR_SIMULATION, "cannot start a worker: %s", strerror(errno));
    }
    if (process == 0) {
        close(pair[0]);
        live(self, i, pair[1], parent);
    }
    close(pair[1]);
    fcntl(pair[0], F_SETFL, O_NONBLOCK);
    w->process = process;
    w->socket = pair[0];
    w->view = &self->views[i];
    w->n_in_hand = 0;
    w->n_data = 0;
    w->n_taken = 0;
    w->late = -1;
    return TAKT_OK;
}

static void end_worker(worker *w, bool is_killed, int *status)
{
    if (!w->process) return;
    if (is_killed) kill(w->process, SIGKILL);
    close(w->socket);
    while (waitpid(w->process, status, 0) < 0 && errno == EINTR) continue;
    w->process = 0;
}

// ---- dealing -----------------------------------------------------------------------------------

// Negative: there is none, now or any more.
static int64_t next_variant(pool *self)
{
    if (self->n_returned) return self->returned[--self->n_returned];
    int64_t next = self->is_dry ? -1 : self->dealer->next(self->dealer->context);
    if (next < 0 && next != SWEEP_LATER) self->is_dry = true;
    return next;
}

static bool is_short(const pool *self)
{
    return self->n_done && self->busy / (double)self->n_done < short_variant;
}

static takt_status fill(pool *self, worker *w, takt_error *err)
{
    int most = is_short(self) && !self->job->is_fresh ? MOST_IN_HAND : 1;
    while (w->n_in_hand < most) {
        if (!self->n_returned && self->is_dry) return TAKT_OK;
        int64_t variant = next_variant(self);
        if (variant < 0) return TAKT_OK;
        if (w->n_in_hand == 0) w->began = cli_clock();
        w->in_hand[w->n_in_hand++] = variant;
        // If the worker is gone, that shows when its socket is read.
        if (send(w->socket, &variant, sizeof variant, MSG_NOSIGNAL) < 0 && errno != EPIPE &&
            errno != ECONNRESET)
            return cli_fail(err, TAKT_ERR_SIMULATION, "cannot reach a worker: %s", strerror(errno));
    }
    return TAKT_OK;
}

// For another worker.
static takt_status give_back(pool *self, int64_t variant, takt_error *err)
{
    if (!cli_grow(&self->returned, self->n_returned, &self->returned_capacity,
                  sizeof *self->returned))
        return cli_fail_memory(err);
    self->returned[self->n_returned++] = variant;
    return TAKT_OK;
}

// ---- examinations --------------------------------------------------------------------------------

// Has the examiner something to do now? The first reused variant, the 4th, the 16th ..., while that takes little of the time.
static takt_status examine(pool *self, const sweep_message *message, const char *line,
                           takt_error *err)
{
    const double most = 0.05; // of the time of all variants
    worker *w = &self->workers[self->n_workers];
    self->n_reused++;
    if (self->examined || self->n_reused < self->next_check) return TAKT_OK;
    // What fails may say why with other words, such as times.
    if (self->is_trusted && !message->is_ok) return TAKT_OK;
    if (self->is_trusted && self->examining > most * self->busy) return TAKT_OK;
    self->next_check = 4 * self->n_reused;
    self->examined = malloc((size_t)message->size + 1);
    if (!self->examined) return cli_fail_memory(err);
    memcpy(self->examined, line, (size_t)message->size);
    self->examined[message->size] = 0;
    takt_status st = begin_worker(self, self->n_workers, err);
    if (st) return st;
    w->began = cli_clock();
    w->in_hand[w->n_in_hand++] = message->variant;
    send(w->socket, &message->variant, sizeof message->variant, MSG_NOSIGNAL); // else it is seen
    return TAKT_OK;
}

// Are two lines of a variant equal, but for the time that it took, the 4th cell? There are no quotes before.
static bool are_equal(const char *a, const char *b, size_t n_b)
{
    size_t n_a = strlen(a), i = 0, k = 0;
    for (int n = 0; n < 3; i++, k++) {
        if (i >= n_a || k >= n_b || a[i] != b[k]) return false;
        n += a[i] == ',';
    }
    while (i < n_a && a[i] != ',') i++;
    while (k < n_b && b[k] != ',') k++;
    return n_a - i == n_b - k && memcmp(a + i, b + k, n_b - k) == 0;
}

// Nothing that was written is wrong. From here on each variant has a process of its own, those whose lines wait are run again.
static takt_status stop_reusing(pool *self, int64_t variant, takt_error *err)
{
    takt_status st = TAKT_OK;
    cli_console_note(&self->job->session.console,
                     "variant %" PRId64 " has other results in a process of its own: an FMU keeps "
                     "something outside of its instances, or its results are random; all variants "
                     "get processes of their own (--fresh)",
                     variant + 1);
    self->job->is_fresh = true;
    for (int i = 0; i < self->n_waiting; i++) {
        if (!st) st = give_back(self, self->waiting[i].message.variant, err);
        free(self->waiting[i].line);
    }
    self->n_waiting = 0;
    for (int i = 0; i < self->n_workers && !st; i++) {
        worker *w = &self->workers[i];
        int status;
        for (int k = 0; k < w->n_in_hand && !st; k++) st = give_back(self, w->in_hand[k], err);
        end_worker(w, true, &status);
        if (!st) st = begin_worker(self, i, err);
    }
    return st;
}

static takt_status release(pool *self, takt_error *err)
{
    takt_status st = TAKT_OK;
    self->is_trusted = true;
    for (int i = 0; i < self->n_waiting; i++) {
        const waiting *at = &self->waiting[i];
        if (!st) st = self->dealer->take(self->dealer->context, &at->message, at->line, err);
        free(at->line);
    }
    self->n_waiting = 0;
    return st;
}

// `line`: what the examiner has come to; NULL: it has died.
static takt_status judge(pool *self, const char *line, size_t size, takt_error *err)
{
    worker *w = &self->workers[self->n_workers];
    int64_t variant = w->in_hand[0];
    bool is_equal = line && are_equal(self->examined, line, size);
    int status;
    self->examining += cli_clock() - w->began;
    free(self->examined);
    self->examined = NULL;
    w->n_in_hand = 0;
    end_worker(w, true, &status);
    if (is_equal) return self->is_trusted ? TAKT_OK : release(self, err);
    if (!self->is_trusted) return stop_reusing(self, variant, err);
    return cli_fail(err, TAKT_ERR_SIMULATION,
                    "variant %" PRId64 " has other results in a process of its own: an FMU keeps "
                    "something outside of its instances, or its results are random; variants "
                    "before may be wrong, so begin in another folder, with --fresh",
                    variant + 1);
}

// Reads what is there, up to a piece. *is_gone: the worker has ended; *has_more: there may be more.
static takt_status read_piece(worker *w, bool *is_gone, bool *has_more, takt_error *err)
{
    enum { PIECE = 65536 };
    *has_more = false;
    if (w->capacity - w->n_data < PIECE) {
        char *grown = realloc(w->data, 2 * w->capacity + PIECE);
        if (!grown) return cli_fail_memory(err);
        w->data = grown;
        w->capacity = 2 * w->capacity + PIECE;
    }
    ssize_t n;
    do n = read(w->socket, w->data + w->n_data, PIECE);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EAGAIN) return TAKT_OK;
    *is_gone = n <= 0;
    if (n > 0) w->n_data += (size_t)n;
    *has_more = n == PIECE;
    return TAKT_OK;
}

// Its answer is one message.
static takt_status read_examiner(pool *self, takt_error *err)
{
    worker *w = &self->workers[self->n_workers];
    sweep_message message;
    bool is_gone = false, has_more = true;
    takt_status st = TAKT_OK;
    while (!st && has_more && !is_gone) st = read_piece(w, &is_gone, &has_more, err);
    if (st) return st;
    if (w->n_data >= sizeof message) {
        memcpy(&message, w->data, sizeof message);
        if (message.size >= 0 && w->n_data - sizeof message >= (size_t)message.size)
            return judge(self, w->data + sizeof message, (size_t)message.size, err);
    }
    return is_gone ? judge(self, NULL, 0, err) : TAKT_OK;
}

// ---- answers -----------------------------------------------------------------------------------

// Keeps a line until the examiner has come to a result.
static takt_status hold(pool *self, const sweep_message *message, const char *line, takt_error *err)
{
    if (!cli_grow(&self->waiting, self->n_waiting, &self->waiting_capacity, sizeof *self->waiting))
        return cli_fail_memory(err);
    char *copy = malloc((size_t)message->size + 1);
    if (!copy) return cli_fail_memory(err);
    memcpy(copy, line, (size_t)message->size);
    self->waiting[self->n_waiting++] = (waiting){*message, copy};
    return TAKT_OK;
}

static takt_status take(pool *self, worker *w, const sweep_message *message, const char *line,
                        bool is_death, takt_error *err)
{
    double now = cli_clock();
    self->n_done++;
    self->n_deaths_between = 0;
    self->busy += now - w->began;
    w->began = now;
    for (int i = 1; i < w->n_in_hand; i++) w->in_hand[i - 1] = w->in_hand[i];
    w->n_in_hand--;
    bool is_reused = w->n_taken++ > 0;
    takt_status st = is_reused && !is_death ? examine(self, message, line, err) : TAKT_OK;
    if (!st && is_reused && self->examined && !self->is_trusted)
        return hold(self, message, line, err);
    return st ? st : self->dealer->take(self->dealer->context, message, line, err);
}

// Takes all messages that are complete.
static takt_status take_messages(pool *self, worker *w, takt_error *err)
{
    size_t at = 0;
    takt_status st = TAKT_OK;
    while (!st && w->n_data - at >= sizeof(sweep_message)) {
        sweep_message message;
        memcpy(&message, w->data + at, sizeof message);
        if (message.size < 0 || w->n_in_hand == 0 || message.variant != w->in_hand[0])
            return cli_fail(err, TAKT_ERR_SIMULATION,
                            "a worker sent a message that makes no sense");
        if (w->n_data - at - sizeof message < (size_t)message.size) break;
        st = take(self, w, &message, w->data + at + sizeof message, false, err);
        at += sizeof message + (size_t)message.size;
    }
    memmove(w->data, w->data + at, w->n_data - at);
    w->n_data -= at;
    return st;
}

static takt_status read_answers(pool *self, worker *w, bool *is_gone, takt_error *err)
{
    bool has_more = true;
    takt_status st = TAKT_OK;
    while (!st && has_more && !*is_gone) {
        st = read_piece(w, is_gone, &has_more, err);
        if (!st && !*is_gone) st = take_messages(self, w, err);
    }
    return st;
}

// ---- deaths ------------------------------------------------------------------------------------

static void describe_death(const pool *self, const worker *w, int status, double time, char *text,
                           size_t size)
{
    char at[64] = "before the simulation began";
    if (!isnan(time)) snprintf(at, sizeof at, "at t = %.9g s", time);
    if (w->late == w->in_hand[0])
        snprintf(text, size, "took longer than %g s (--variant-timeout); ended %s", self->timeout,
                 at);
    else if (WIFSIGNALED(status))
        snprintf(text, size, "the process of the variant was killed by signal %d (%s) %s",
                 WTERMSIG(status), strsignal(WTERMSIG(status)), at);
    else
        snprintf(text, size, "the process of the variant ended with exit code %d %s",
                 WEXITSTATUS(status), at);
}

// The variant at work has failed; what the worker had in hand besides goes to another one.
static takt_status bury(pool *self, int i, takt_error *err)
{
    worker *w = &self->workers[i];
    int status = 0;
    end_worker(w, true, &status);
    bool had_begun = w->n_in_hand && w->view->variant == w->in_hand[0];
    double time = had_begun ? w->view->time : NAN;
    takt_status st = TAKT_OK;
    // It died in between, or was killed for one that has come in after all: this one is not to blame.
    bool is_late = w->n_in_hand && w->late == w->in_hand[0];
    bool was_idle = w->n_in_hand && !is_late && (!had_begun || w->late >= 0);
    if (was_idle && w->late < 0 && ++self->n_deaths_between > 10)
        return cli_fail(err, TAKT_ERR_SIMULATION, "workers end before they begin to work");
    if (w->n_in_hand && !was_idle) {
        char text[256];
        size_t size;
        describe_death(self, w, status, time, text, sizeof text);
        sweep_outcome outcome = {.time = time, .wall = cli_clock() - w->began, .text = text};
        char *line = sweep_line(self->job, w->in_hand[0], &outcome, &size);
        if (!line) return cli_fail_memory(err);
        st = take(self, w, &(sweep_message){.variant = w->in_hand[0], .size = (int64_t)size}, line,
                  true, err);
        free(line);
    }
    for (int k = 0; k < w->n_in_hand && !st; k++) st = give_back(self, w->in_hand[k], err);
    return st ? st : begin_worker(self, i, err);
}

static void kill_late(pool *self)
{
    double now = cli_clock();
    for (int i = 0; i <= self->n_workers && self->timeout > 0; i++) {
        worker *w = &self->workers[i];
        if (!w->n_in_hand || w->late >= 0 || now - w->began < self->timeout) continue;
        w->late = w->in_hand[0];
        kill(w->process, SIGKILL); // its end is seen at the socket
    }
}

// ---- all ---------------------------------------------------------------------------------------

static bool is_busy(const pool *self)
{
    for (int i = 0; i < self->n_workers; i++)
        if (self->workers[i].n_in_hand) return true;
    return self->examined != NULL;
}

static int wait_time(const pool *self)
{
    double wait = 1e3 * self->dealer->period;
    double now = cli_clock();
    for (int i = 0; i <= self->n_workers && self->timeout > 0; i++)
        if (self->workers[i].n_in_hand)
            wait = fmin(wait, 1e3 * (self->workers[i].began + self->timeout - now) + 1);
    return wait > 0 ? (int)wait : 0;
}

static takt_status work(pool *self, struct pollfd *files, takt_error *err)
{
    takt_status st = TAKT_OK;
    for (;;) {
        for (int i = 0; i < self->n_workers && !st; i++) st = fill(self, &self->workers[i], err);
        if (st || self->dealer->is_over(self->dealer->context)) return st;
        if (self->is_dry && self->n_returned == 0 && !is_busy(self)) return TAKT_OK;
        for (int i = 0; i <= self->n_workers; i++)
            files[i] = (struct pollfd){
                .fd = self->workers[i].process ? self->workers[i].socket : -1, .events = POLLIN};
        poll(files, (nfds_t)self->n_workers + 1, wait_time(self));
        for (int i = 0; i < self->n_workers && !st; i++) {
            bool is_gone = false;
            if (!files[i].revents) continue;
            st = read_answers(self, &self->workers[i], &is_gone, err);
            if (!st && is_gone) st = bury(self, i, err);
        }
        if (!st && files[self->n_workers].revents && self->examined) st = read_examiner(self, err);
        kill_late(self);
        self->dealer->look(self->dealer->context);
    }
}

takt_status sweep_pool_run(sweep_job *job, int n_workers, double timeout,
                           const sweep_dealer *dealer, takt_error *err)
{
    pool self = {
        .job = job, .dealer = dealer, .timeout = timeout, .n_workers = n_workers, .next_check = 1};
    size_t n = (size_t)n_workers + 1;
    self.workers = calloc(n, sizeof *self.workers);
    struct pollfd *files = calloc(n, sizeof *files);
    self.views = mmap(NULL, n * sizeof *self.views, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    takt_status st =
        self.workers && files && self.views != MAP_FAILED ? TAKT_OK : cli_fail_memory(err);
    for (int i = 0; i < n_workers && !st; i++) st = begin_worker(&self, i, err);
    if (!st) st = work(&self, files, err);
    for (int i = 0; i <= n_workers && self.workers; i++) {
        int status;
        end_worker(&self.workers[i], true, &status);
        free(self.workers[i].data);
    }
    if (self.views != MAP_FAILED) munmap(self.views, n * sizeof *self.views);
    free(self.workers);
    for (int i = 0; i < self.n_waiting; i++) free(self.waiting[i].line);
    free(self.waiting);
    free(self.examined);
    free(self.returned);
    free(files);
    return st;
}
