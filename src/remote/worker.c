// SPDX-License-Identifier: MIT
// Talking to a worker; see worker.h.
#define _GNU_SOURCE // sigabbrev_np()
#include "remote/worker.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/pool.h"
#include "base/text.h"
#include "remote/wake.h"
#include "remote/words.h"

// ---- who spins -----------------------------------------------------------------------------------

// All runs of this process share its processors: what its workers and threads do at the same time decides whether one may be kept for waiting.
static struct {
    atomic_int n_awake; // workers that have a message, and threads that wait for one
    atomic_uint n_sent; // messages to workers
} crew;

// A worker may spin until its next message where that comes after few to others. Those that spin let others have their processor all the time, so
// that a few per processor do no harm.
enum { SPINNERS = 4 };

static void note_sent(takt_worker *worker)
{
    unsigned n_sent = atomic_fetch_add_explicit(&crew.n_sent, 1, memory_order_relaxed) + 1;
    bool is_frequent = n_sent - worker->n_sent <= SPINNERS * (unsigned)worker->n_processors;
    worker->region->may_spin = worker->n_processors > 1 && is_frequent;
    worker->n_sent = n_sent;
    if (!worker->is_busy) atomic_fetch_add_explicit(&crew.n_awake, 1, memory_order_relaxed);
    worker->is_busy = true;
}

static void note_answered(takt_worker *worker)
{
    if (worker->is_busy) atomic_fetch_sub_explicit(&crew.n_awake, 1, memory_order_relaxed);
    worker->is_busy = false;
}

static bool wait_awhile(takt_worker *worker, double seconds)
{
    int n_awake = atomic_fetch_add_explicit(&crew.n_awake, 1, memory_order_relaxed);
    worker->patience.may_spin = n_awake < worker->n_processors;
    bool is_new =
        takt_wake_wait(&worker->region->answered, worker->seen, seconds, &worker->patience);
    atomic_fetch_sub_explicit(&crew.n_awake, 1, memory_order_relaxed);
    worker->seen = atomic_load(&worker->region->answered.count);
    return is_new;
}

// ---- life ----------------------------------------------------------------------------------------

takt_status takt_worker_start(takt_worker *worker, takt_nest *nest, bool is_integrated,
                              takt_error *err)
{
    int file;
    takt_region *region = NULL;
    takt_status st = takt_region_create(&region, &file, err);
    if (st) return st;
    int process = 0;
    takt_integrator *integrator = is_integrated ? takt_integrator_create(region) : NULL;
    st = is_integrated && !integrator ? takt_fail_memory(err)
                                      : takt_nest_hatch(nest, file, &process, err);
    close(file);
    if (st) {
        takt_integrator_destroy(integrator);
        takt_region_close(region);
        return st;
    }
    takt_nest_hold(nest);
    *worker = (takt_worker){.nest = nest,
                            .region = region,
                            .process = process,
                            .integrator = integrator,
                            .n_processors = takt_pool_processors()};
    return TAKT_OK;
}

takt_status takt_worker_start_on(takt_worker *worker, takt_ranks *ranks, int rank, int model,
                                 takt_error *err)
{
    takt_worker made = {.ranks = ranks};
    takt_status st = takt_link_start(ranks, rank, model, &made.number, &made.region, err);
    if (!st) *worker = made;
    return st;
}

void takt_worker_clear(takt_worker *worker)
{
    if (!worker->region) return;
    note_answered(worker);
    if (worker->ranks) {
        takt_link_clear(worker->ranks, worker->number);
        *worker = (takt_worker){0};
        return;
    }
    takt_integrator_destroy(worker->integrator);
    takt_nest_kill(worker->nest, worker->process); // that it has gone, it may only say
    takt_nest_destroy(worker->nest);
    takt_region_close(worker->region);
    *worker = (takt_worker){0};
}

takt_room takt_worker_room(const takt_worker *worker)
{
    return takt_room_of(takt_region_ask(worker->region), TAKT_REGION_ROOM);
}

static void post(takt_worker *worker)
{
    if (worker->ranks) {
        takt_link_send(worker->ranks, worker->number);
        return;
    }
    note_sent(worker);
    takt_wake_post(&worker->region->asked);
}

void takt_worker_send(takt_worker *worker, const char *end)
{
    worker->region->ask_size = (uint64_t)(end - takt_region_ask(worker->region));
    post(worker);
}

// ---- the log of the worker -----------------------------------------------------------------------

// The worker may change what it has written while it is read. NULL where there is none.
static const char *take_copy(takt_room *room, takt_arena *arena)
{
    size_t size;
    const void *text = takt_room_take_bytes(room, &size);
    char *copy = text && size ? takt_arena_array(arena, size, 1) : NULL;
    if (!copy) return NULL;
    memcpy(copy, text, size);
    copy[size - 1] = 0;
    return copy;
}

static void write_message(takt_room *room, takt_arena *arena, takt_log *log)
{
    takt_level level = (takt_level)takt_room_take_number(room, 0, TAKT_LEVEL_TRACE);
    bool is_doubt = takt_room_take_number(room, 0, 1);
    int line = (int)takt_room_take_number(room, 0, INT32_MAX);
    const char *file = take_copy(room, arena), *source = take_copy(room, arena);
    const char *text = take_copy(room, arena);
    if (room->failed || !text) return;
    if (is_doubt)
        takt_log_doubt(log, file, line, "%s", text);
    else if (source)
        takt_log_relay(log, level, source, text);
    else if (file)
        takt_log_problem(log, level, file, line, "%s", text);
    else
        takt_log_write(log, level, "%s", text);
}

static void read_log(const takt_worker *worker, takt_log *log)
{
    takt_region *region = worker->region;
    uint64_t size = region->log_size;
    if (size == 0) return;
    if (size > TAKT_REGION_LOG) size = TAKT_REGION_LOG;
    takt_room room = takt_room_of(takt_region_log(region), size);
    while (room.at < room.end && !room.failed) {
        takt_arena arena = {0};
        write_message(&room, &arena, log);
        takt_arena_clear(&arena);
    }
}

// ---- how a worker ended --------------------------------------------------------------------------

// What the worker wrote down, as a text that can be shown.
static void copy_note(char *out, size_t size, const char *note)
{
    size_t n = 0;
    for (; n + 1 < size && note[n]; n++)
        out[n] = (unsigned char)note[n] >= ' ' || note[n] == '\n' ? note[n] : '?';
    out[n] = 0;
    takt_utf8_clean(out);
}

void takt_worker_refused(const takt_worker *worker, char out[TAKT_REGION_NOTE])
{
    char note[TAKT_REGION_NOTE];
    memcpy(note, worker->region->note.refused, sizeof note);
    note[sizeof note - 1] = 0;
    copy_note(out, TAKT_REGION_NOTE, note);
    if (strcmp(out, note) != 0) out[0] = 0; // an FMU has written over it: nobody was refused that
}

void takt_worker_left(const takt_worker *worker, char out[TAKT_REGION_NOTE])
{
    copy_note(out, TAKT_REGION_NOTE, worker->region->note.left);
}

// Where a worker on a rank was; "" for others.
static void describe_place(const takt_worker *worker, char *out, size_t size)
{
    out[0] = 0;
    if (!worker->ranks) return;
    int rank = takt_link_rank_of(worker->ranks, worker->number);
    snprintf(out, size, " (rank %d on host %s)", rank, takt_link_host(worker->ranks, rank));
}

// "SIGSEGV in fmi2DoStep": what the worker wrote down, or, if it could not, what the system says.
static takt_status fail_crash(const takt_worker *worker, takt_log *log, takt_error *err)
{
    takt_region *region = worker->region;
    char how[TAKT_REGION_NOTE], function[TAKT_REGION_NOTE], trace[TAKT_REGION_TRACE];
    int status = region->wait_status;
    const char *doing = takt_op_text(atomic_load(&region->note.op));
    char place[TAKT_REGION_NOTE];
    describe_place(worker, place, sizeof place);
    copy_note(how, sizeof how, region->note.how);
    copy_note(function, sizeof function, region->note.function);
    if (worker->ranks && !how[0] &&
        takt_link_is_senseless(worker->ranks, takt_link_rank_of(worker->ranks, worker->number)))
        return takt_fail(err, TAKT_ERR_CRASH,
                         "its process%s has sent what makes no sense; an FMU there has probably "
                         "written over memory that is not its own",
                         place);
    if (worker->ranks && !how[0])
        return takt_fail(err, TAKT_ERR_CRASH, "does not answer any more: its process%s was ended",
                         place);
    copy_note(trace, sizeof trace, region->note.trace);
    bool is_signal = WIFSIGNALED(status), has_ended = WIFEXITED(status);
    if (!how[0] && is_signal)
        snprintf(how, sizeof how, "SIG%s",
                 sigabbrev_np(WTERMSIG(status)) ? sigabbrev_np(WTERMSIG(status)) : "?");
    if (!how[0] && has_ended) snprintf(how, sizeof how, "exit(%d)", WEXITSTATUS(status));
    if (trace[0]) takt_log_write(log, TAKT_LEVEL_INFO, "calls when the FMU crashed:\n%s", trace);
    const char *verb = how[0] == 'S' ? "crashed with" : "ended the program by";
    if (!how[0]) snprintf(how, sizeof how, "an end of its process");
    if (!function[0] && doing)
        return takt_fail(err, TAKT_ERR_CRASH, "%s %s during %s%s", verb, how, doing, place);
    return takt_fail(err, TAKT_ERR_CRASH, "%s %s%s%s%s", verb, how, function[0] ? " in " : "",
                     function, place);
}

// What hangs is asked for the function before it is killed; it may not answer.
static takt_status fail_timeout(takt_worker *worker, double timeout, takt_error *err)
{
    takt_region *region = worker->region;
    const char *doing = takt_op_text(atomic_load(&region->note.op));
    char function[TAKT_REGION_NOTE], place[TAKT_REGION_NOTE];
    if (!worker->ranks) takt_nest_ask(worker->nest, worker->process);
    for (int i = 0; i < 20 && !worker->ranks && !region->note.function[0]; i++) usleep(5000);
    copy_note(function, sizeof function, region->note.function);
    if (worker->ranks)
        takt_link_give_up(worker->ranks, worker->number);
    else
        takt_nest_kill(worker->nest, worker->process);
    worker->has_gone = true;
    describe_place(worker, place, sizeof place);
    return takt_fail(
        err, TAKT_ERR_TIMEOUT,
        "%s%s has not returned within %.15g s of real time; raise --timeout if the FMU "
        "only needs longer",
        function[0] ? function
        : doing     ? doing
                    : "a call",
        place, timeout);
}

// ---- answers -------------------------------------------------------------------------------------

typedef enum signal_of { ANSWERED, GONE, EXPIRED } signal_of;

// Waits until there is something new. The nest wakes us when the worker ends; only its own end has to be looked for.
static signal_of wait_for_answer(takt_worker *worker, double until)
{
    const double period = 0.1; // s
    takt_region *region = worker->region;
    if (worker->ranks) switch (takt_link_wait(worker->ranks, worker->number, until)) {
        case TAKT_LINK_ANSWERED: return ANSWERED;
        case TAKT_LINK_GONE: return GONE;
        case TAKT_LINK_EXPIRED: return EXPIRED;
        }
    for (;;) {
        double left = isfinite(until) ? until - takt_clock() : period;
        if (left < 0) return EXPIRED;
        bool is_new = wait_awhile(worker, fmin(left, period));
        if (atomic_load(&region->replied) == atomic_load(&region->asked.count)) return ANSWERED;
        if (atomic_load(&region->has_gone)) return GONE;
        if (!is_new && !takt_nest_is_alive(worker->nest)) return GONE;
    }
}

static takt_status read_answer(takt_worker *worker, takt_room *out, takt_error *err)
{
    takt_region *region = worker->region;
    uint64_t size = region->answer_size;
    if (size > TAKT_REGION_ROOM) size = 0;
    *out = takt_room_of(takt_region_answer(region), size);
    int64_t status = region->status;
    if (!status) return TAKT_OK;
    char text[sizeof region->text];
    copy_note(text, sizeof text, region->text);
    if (status < 0 || status > TAKT_ERR_CRASH) status = TAKT_ERR_SIMULATION;
    return takt_fail(err, (takt_status)status, "%s", text);
}

// An answer that is waited for.
typedef struct awaited {
    takt_worker *worker;
    takt_log *log;
    double until; // s, on the clock
    signal_of signal;
    bool is_last; // the worker has ended the call
} awaited;

// Until the worker answers, or wants the integrator. In between it may only want its log to be read.
static void await(awaited *self)
{
    takt_worker *worker = self->worker;
    const takt_region *region = worker->region;
    for (;;) {
        self->signal = wait_for_answer(worker, self->until);
        note_answered(worker);
        if (self->signal != ANSWERED) return;
        read_log(worker, self->log);
        self->is_last = !region->is_partial;
        if (self->is_last || (worker->integrator && region->wants_integrator)) return;
        post(worker);
    }
}

static bool take_turn(void *context)
{
    awaited *self = context;
    post(self->worker);
    await(self);
    return self->signal == ANSWERED && !self->is_last;
}

takt_status takt_worker_receive(takt_worker *worker, double timeout, takt_log *log, takt_room *out,
                                takt_error *err)
{
    double until = isfinite(timeout) ? takt_clock() + timeout : INFINITY;
    awaited turn = {.worker = worker, .log = log, .until = until};
    await(&turn);
    while (turn.signal == ANSWERED && !turn.is_last) {
        takt_integrator_serve(worker->integrator, take_turn, &turn);
        if (turn.signal != ANSWERED || turn.is_last) break;
        post(worker);
        await(&turn);
    }
    if (turn.signal == ANSWERED) return read_answer(worker, out, err);
    if (turn.signal == EXPIRED) return fail_timeout(worker, timeout, err);
    worker->has_gone = true;
    read_log(worker, log);
    return fail_crash(worker, log, err);
}

bool takt_worker_has_ended_well(takt_worker *worker, double timeout)
{
    takt_region *region = worker->region;
    double until = takt_clock() + timeout;
    if (worker->ranks) return true; // it has answered, and its rank goes on
    while (!atomic_load(&region->has_gone)) {
        if (takt_clock() > until || !takt_nest_is_alive(worker->nest)) break;
        takt_wake_wait(&region->answered, worker->seen, 0.05, NULL);
        worker->seen = atomic_load(&region->answered.count);
    }
    worker->has_gone = atomic_load(&region->has_gone);
    return worker->has_gone && WIFEXITED(region->wait_status) &&
           WEXITSTATUS(region->wait_status) == 0;
}
