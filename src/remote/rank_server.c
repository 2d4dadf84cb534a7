// SPDX-License-Identifier: MIT
// The other side of link.h: a rank that runs FMUs as rank 0 asks for. Messages are dealt with one after the other, in one thread, each by the core of
// all workers (serve.h). Answers to messages that came as one travel as one, too, unless that takes long: a second thread sends what waits while
// the first one is in an FMU.
#define _GNU_SOURCE // memfd_create()
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/thread.h"
#include "fmu/recipe.h"
#include "remote/keeper.h"
#include "remote/link.h"
#include "remote/serve.h"

/// An FMU that was opened.
typedef struct opened {
    char *recipe; // borrowed by the model
    size_t recipe_size; // bytes
    takt_model *model;
    takt_me_options me; // of the instance that is made next
} opened;

/// A worker.
typedef struct seat {
    struct hub *hub;
    int number;
    takt_server *server;
    takt_region *region;
    const takt_instance *instance; // NULL: there is none
    takt_serve_options options;
    takt_rank_answer answer; // that waits
    uint64_t ticks; // of its last message
} seat;

/// A message that came while another one was waited for.
typedef struct pending {
    struct pending *next;
    size_t size;
    char data[];
} pending;

typedef struct hub {
    const takt_transport *transport;
    opened **models; // by number
    int n_models, model_capacity;
    seat **seats; // by number; NULL: none
    int n_seats, seat_capacity;
    pending *first, **last;
    seat *present; // whose message is dealt with
    takt_keeper keeper;
    bool has_ended;
    bool has_told_end; // that it was asked to end
    const char *rest; // of the parcel that is dealt with
    size_t rest_size; // bytes
    takt_parcel answers; // that wait
    uint64_t began; // tick when the work on the first of them began
    takt_mutex
        lock; // of all of this and the transport; the thread that serves has it, but for the time in an FMU while answers wait
    bool is_in_fmu; // and without the lock
    takt_thread helper; // sends what waits too long
    bool has_helper; // else nothing waits
    takt_semaphore end; // of the helper
} hub;

// ---- sending -------------------------------------------------------------------------------------

static void send_answers(hub *self)
{
    if (takt_parcel_send(&self->answers, self->transport, 0) != 0) self->has_ended = true;
}

static void reply(hub *self, const takt_rank_head *head, const takt_piece *more, int n_more)
{
    send_answers(self);
    takt_parcel_add(&self->answers, head, more, n_more);
    send_answers(self);
}

static void reply_status(hub *self, takt_status st, int number, const takt_error *err)
{
    const takt_piece text = {err->message, st ? strlen(err->message) : 0};
    reply(self, &(takt_rank_head){.kind = TAKT_RANK_DONE, .number = number, .model = st}, &text, 1);
}

// What the region has stays there until the next message for the worker, which comes after the answer.
static void add_answer(seat *at)
{
    takt_region *region = at->region;
    at->answer = (takt_rank_answer){.log_size = region->log_size,
                                    .answer_size = region->answer_size,
                                    .status = region->status,
                                    .motion_order = region->motion_order,
                                    .n_derivatives = region->n_derivatives,
                                    .n_directional = region->n_directional,
                                    .is_in_events = region->is_in_events,
                                    .terminates = region->terminates,
                                    .is_partial = region->is_partial,
                                    .has_text = region->status != 0};
    const takt_piece pieces[TAKT_PARCEL_PIECES - 1] = {
        {&at->answer, sizeof at->answer},
        {takt_region_log(region), region->log_size},
        {takt_region_answer(region), region->answer_size},
        {region->text, region->status ? strnlen(region->text, sizeof region->text) : 0}};
    size_t size = 0;
    for (int i = 0; i < TAKT_PARCEL_PIECES - 1; i++) size += pieces[i].size;
    if (!takt_parcel_has_room(&at->hub->answers, size)) send_answers(at->hub);
    takt_parcel_add(&at->hub->answers,
                    &(takt_rank_head){.kind = TAKT_RANK_ANSWER, .number = at->number}, pieces,
                    TAKT_PARCEL_PIECES - 1);
}

static void enter_fmu(hub *self)
{
    self->is_in_fmu = self->answers.n > 0;
    if (self->is_in_fmu) takt_mutex_unlock(&self->lock);
}

static void leave_fmu(hub *self)
{
    if (self->is_in_fmu) takt_mutex_lock(&self->lock);
    self->is_in_fmu = false;
}

// The second thread: an FMU that takes long, or for ever, does not keep the answers of others.
static void send_late(void *context)
{
    hub *self = context;
    while (!takt_semaphore_wait_until(&self->end, takt_clock() + TAKT_RANK_LATE)) {
        if (!takt_mutex_try(&self->lock)) continue;
        send_answers(self);
        takt_mutex_unlock(&self->lock);
    }
}

// In the handler of a signal: what the process dies of. Rank 0 ends the others then; until then this one stays, as its end would be theirs.
static void tell_crash(void *context)
{
    enum { PATIENCE = 10 }; // s
    hub *self = context;
    const seat *at = self->present;
    // What has crashed may hold a lock that sending needs: then the alarm kills the process.
    signal(SIGALRM, SIG_DFL);
    alarm(2 * PATIENCE);
    for (int i = 0; self->is_in_fmu && i < 100 && !takt_mutex_try(&self->lock); i++) usleep(10000);
    const takt_piece note = {at ? &at->region->note : NULL, at ? sizeof at->region->note : 0};
    reply(self, &(takt_rank_head){.kind = TAKT_RANK_CRASHED, .number = at ? at->number : -1}, &note,
          1);
    for (int i = 0; i < 100 * PATIENCE; i++) {
        int rank;
        void *data;
        size_t size;
        takt_rank_head head = {0};
        bool has = self->transport->receive(self->transport->context, &rank, &data, &size) == 1;
        if (has && size >= sizeof head) memcpy(&head, data, sizeof head);
        if (self->transport->is_ending(self->transport->context)) return;
        if (has && head.kind == TAKT_RANK_END) return;
        if (!has) usleep(10000);
    }
}

// ---- receiving -----------------------------------------------------------------------------------

// Rank 0 decides what comes of it.
static void tell_end(hub *self)
{
    if (self->has_told_end || !self->transport->is_ending(self->transport->context)) return;
    self->has_told_end = true;
    reply(self, &(takt_rank_head){.kind = TAKT_RANK_ENDING}, NULL, 0);
}

static void refuse_message(hub *self)
{
    reply(self, &(takt_rank_head){.kind = TAKT_RANK_SENSELESS}, NULL, 0);
}

// Waits for a message. Returns false when this process is to end.
static bool receive(hub *self, char **data, size_t *size)
{
    enum { QUIET = 200 }; // looks without a message before the clock is asked
    const double patience =
        2; // s; rank 0 is asked at the same time, and may still have something to say
    const takt_transport *t = self->transport;
    double began = 0, ending = INFINITY;
    for (int n_quiet = 0;; n_quiet++) {
        int rank;
        void *place;
        tell_end(self);
        if (t->receive(t->context, &rank, &place, size) == 1) {
            *data = place;
            return true;
        }
        if (n_quiet < QUIET) continue;
        double now = takt_clock();
        if (n_quiet == QUIET) began = now;
        if (!isfinite(ending) && t->is_ending(t->context)) ending = now + patience;
        if (now > ending) return false;
        t->rest(t->context, now - began);
    }
}

// Keeps a message for later. Returns false when memory is exhausted.
static bool keep(hub *self, const char *data, size_t size)
{
    pending *kept = malloc(sizeof *kept + size);
    if (!kept) return false;
    kept->next = NULL;
    kept->size = size;
    memcpy(kept->data, data, size);
    *self->last = kept;
    self->last = &kept->next;
    return true;
}

// Does the message ask a worker again? A parcel may have that among others, which are kept.
static bool asks_again(hub *self, const seat *at, const char *data, size_t size, bool *failed)
{
    takt_rank_head head = {0};
    if (size >= sizeof head) memcpy(&head, data, sizeof head);
    if (head.kind == TAKT_RANK_ASK && head.number == at->number) return true;
    if (head.kind != TAKT_RANK_PARCEL) {
        *failed |= !keep(self, data, size);
        return false;
    }
    bool is_found = false;
    const char *message;
    data += sizeof head;
    size -= sizeof head;
    for (int n = head.number; n > 0 && takt_parcel_take(&data, &size, &head, &message); n--) {
        bool is_own = head.kind == TAKT_RANK_ASK && head.number == at->number;
        if (!is_own) *failed |= !keep(self, message - sizeof head, sizeof head + head.size);
        is_found |= is_own;
    }
    return is_found;
}

// The log is full: rank 0 reads it and asks again. What it has asked others for before and meanwhile, waits.
static bool turn(void *context, takt_region *region)
{
    seat *at = context;
    hub *self = at->hub;
    char *data;
    size_t size;
    bool failed = false;
    (void)region;
    leave_fmu(self);
    for (const char *message; self->rest_size > 0 && !failed;) {
        takt_rank_head head;
        if (!takt_parcel_take(&self->rest, &self->rest_size, &head, &message)) break;
        failed = !keep(self, message - sizeof head, sizeof head + head.size);
    }
    self->rest_size = 0;
    add_answer(at);
    send_answers(self);
    while (!failed && receive(self, &data, &size))
        if (asks_again(self, at, data, size, &failed)) return !failed;
    return false;
}

// ---- what rank 0 asks for ------------------------------------------------------------------------

static takt_status open_model(hub *self, int number, const char *data, size_t size, bool *is_here,
                              takt_error *err)
{
    if (number < 0) return takt_fail(err, TAKT_ERR_SIMULATION, "the FMU has no number");
    // Numbers are those of all ranks.
    while (number >= self->n_models) {
        if (!takt_grow(&self->models, self->n_models, &self->model_capacity, sizeof *self->models))
            return takt_fail_memory(err);
        self->models[self->n_models++] = NULL;
    }
    opened *at = self->models[number] ? NULL : calloc(1, sizeof *at);
    if (!at) return takt_fail_memory(err);
    self->models[number] = at;
    at->recipe = malloc(size + 1);
    if (!at->recipe) return takt_fail_memory(err);
    memcpy(at->recipe, data, size);
    at->recipe_size = size;
    *is_here = takt_fmu_recipe_is_here(at->recipe, size);
    return *is_here ? takt_fmu_recipe_open(at->recipe, size, NULL, &at->me, &at->model, err)
                    : TAKT_OK;
}

// A file that nobody else sees.
static takt_status keep_package(const char *data, size_t size, int *file, takt_error *err)
{
    *file = memfd_create("package", MFD_CLOEXEC);
    size_t at = 0;
    while (*file >= 0 && at < size) {
        ssize_t n = write(*file, data + at, size - at);
        if (n <= 0) break;
        at += (size_t)n;
    }
    if (*file >= 0 && at == size) return TAKT_OK;
    if (*file >= 0) close(*file);
    return takt_fail_memory(err);
}

// The FMU's file, where this computer does not see it; it is unpacked into the cache.
static takt_status open_package(hub *self, int number, const char *data, size_t size,
                                takt_error *err)
{
    opened *at = number >= 0 && number < self->n_models ? self->models[number] : NULL;
    if (!at || at->model) return takt_fail(err, TAKT_ERR_SIMULATION, "no FMU is expected");
    int file;
    char path[64];
    takt_status st = keep_package(data, size, &file, err);
    if (st) return st;
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    st = takt_fmu_recipe_open(at->recipe, at->recipe_size, path, &at->me, &at->model, err);
    close(file);
    return st;
}

static takt_status prepare(void *context, const char *results, takt_log *log, takt_error *err)
{
    (void)context, (void)results, (void)log, (void)err;
    return TAKT_OK;
}

static bool is_orphan(void *context)
{
    (void)context;
    return false;
}

static void note_instance(void *context, const takt_instance *instance)
{
    seat *at = context;
    at->instance = instance;
    takt_keeper_watch(&at->hub->keeper, instance);
}

static takt_status begin_worker(hub *self, int number, int64_t model, takt_error *err)
{
    int file;
    bool is_known =
        model >= 0 && model < self->n_models && self->models[model] && self->models[model]->model;
    while (number >= self->n_seats) {
        if (!takt_grow(&self->seats, self->n_seats, &self->seat_capacity, sizeof *self->seats))
            return takt_fail_memory(err);
        self->seats[self->n_seats++] = NULL;
    }
    seat *at = calloc(1, sizeof *at);
    if (!at || number < 0 || !is_known) {
        free(at);
        return takt_fail(err, TAKT_ERR_SIMULATION, "the worker cannot be made");
    }
    takt_status st = takt_region_create(&at->region, &file, err);
    if (st) {
        free(at);
        return st;
    }
    close(file);
    at->hub = self;
    at->number = number;
    at->options = (takt_serve_options){.me = &self->models[model]->me,
                                       .is_orphan = is_orphan,
                                       .prepare = prepare,
                                       .turn = turn,
                                       .context = at,
                                       .on_instance = note_instance,
                                       .keeper = at};
    self->seats[number] = at;
    at->server = takt_serve_begin(at->region, self->models[model]->model, &at->options);
    return at->server ? TAKT_OK : takt_fail_memory(err);
}

static void look_at(hub *self, seat *at)
{
    self->present = at;
    self->keeper.region = at->region;
    takt_keeper_watch(&self->keeper, at->instance);
}

static void end_worker(hub *self, int number)
{
    seat *at = number >= 0 && number < self->n_seats ? self->seats[number] : NULL;
    if (!at) return;
    look_at(self, at);
    takt_serve_end(at->server);
    self->present = NULL;
    takt_region_close(at->region);
    free(at);
    self->seats[number] = NULL;
}

// Returns false if it makes no sense.
static bool do_asked(hub *self, int number, const char *data, size_t size)
{
    seat *at = number >= 0 && number < self->n_seats ? self->seats[number] : NULL;
    if (!at || size > TAKT_REGION_ROOM) return false;
    look_at(self, at);
    memcpy(takt_region_ask(at->region), data, size);
    at->region->ask_size = size;
    enter_fmu(self);
    takt_serve_message(at->server);
    leave_fmu(self);
    self->present = NULL;
    add_answer(at);
    return true;
}

// One of several questions. Answers do not wait for an FMU that takes long, nor long in all.
static bool do_one_of_many(hub *self, int number, const char *data, size_t size)
{
    const uint64_t is_long = 50000; // ticks, some 20 us: much more than a message costs
    seat *at = number >= 0 && number < self->n_seats ? self->seats[number] : NULL;
    if (!at || at->ticks > is_long || !self->has_helper) send_answers(self);
    uint64_t begin = takt_ticks();
    if (self->answers.n == 0) self->began = begin;
    if (!do_asked(self, number, data, size)) return false;
    uint64_t now = takt_ticks();
    at->ticks = now - begin;
    if (now - self->began > is_long) send_answers(self);
    return true;
}

// Returns false if it makes no sense.
static bool do_other(hub *self, const takt_rank_head *head, const char *data, size_t size)
{
    takt_error err = {0};
    takt_status st;
    bool is_here = false;
    send_answers(self);
    switch (head->kind) {
    case TAKT_RANK_OPEN:
        st = open_model(self, head->number, data, size, &is_here, &err);
        reply_status(self, st, is_here, &err);
        return true;
    case TAKT_RANK_PACKAGE:
        reply_status(self, open_package(self, head->number, data, size, &err), 0, &err);
        return true;
    case TAKT_RANK_START:
        reply_status(self, begin_worker(self, head->number, head->model, &err), 0, &err);
        return true;
    case TAKT_RANK_CLEAR: end_worker(self, head->number); return true;
    case TAKT_RANK_END: self->has_ended = true; return true;
    default: return false;
    }
}

// Only questions for workers come in parcels. What is left of one when the log of a worker is full, is kept.
static bool do_parcel(hub *self, const char *data, size_t size)
{
    takt_rank_head head;
    const char *message;
    self->rest = data;
    self->rest_size = size;
    while (self->rest_size > 0) {
        if (!takt_parcel_take(&self->rest, &self->rest_size, &head, &message) ||
            head.kind != TAKT_RANK_ASK || !do_one_of_many(self, head.number, message, head.size)) {
            self->rest_size = 0;
            return false;
        }
    }
    return true;
}

// Returns false if it makes no sense.
static bool do_message(hub *self, const char *data, size_t size)
{
    takt_rank_head head;
    if (size < sizeof head) return false;
    memcpy(&head, data, sizeof head);
    data += sizeof head;
    size -= sizeof head;
    switch (head.kind) {
    case TAKT_RANK_PARCEL: return do_parcel(self, data, size);
    case TAKT_RANK_ASK: return do_asked(self, head.number, data, size);
    default: return do_other(self, &head, data, size);
    }
}

static void take_message(hub *self, const char *data, size_t size)
{
    if (!do_message(self, data, size)) refuse_message(self);
    send_answers(self);
}

static void take_pending(hub *self)
{
    while (self->first) {
        pending *next = self->first;
        self->first = next->next;
        if (!self->first) self->last = &self->first;
        take_message(self, next->data, next->size);
        free(next);
    }
}

// Takes messages until the end.
static void serve(hub *self)
{
    char *data;
    size_t size;
    takt_mutex_lock(&self->lock);
    self->has_helper = takt_thread_start(&self->helper, send_late, self);
    while (!self->has_ended && receive(self, &data, &size)) {
        take_message(self, data, size);
        take_pending(self);
    }
    for (int i = 0; i < self->n_seats; i++) end_worker(self, i);
    takt_mutex_unlock(&self->lock);
    takt_semaphore_post(&self->end);
    if (self->has_helper) takt_thread_join(&self->helper);
}

static void clear(hub *self)
{
    for (int i = 0; i < self->n_models; i++) {
        if (!self->models[i]) continue;
        takt_model_close(self->models[i]->model);
        free(self->models[i]->recipe);
        free(self->models[i]);
    }
    free(self->models);
    free(self->seats);
    takt_semaphore_clear(&self->end);
    takt_mutex_clear(&self->lock);
}

takt_status takt_ranks_serve(const takt_transport *transport, takt_error *err)
{
    if (!transport || transport->size != sizeof *transport || transport->rank <= 0)
        return takt_fail(err, TAKT_ERR_USAGE,
                         "takt_ranks_serve: needs a transport of this version, not on rank 0");
    hub self = {.transport = transport};
    self.last = &self.first;
    self.keeper.tell = tell_crash;
    self.keeper.context = &self;
    takt_region *idle; // of the keeper, where no message is dealt with
    int file;
    takt_status st = takt_region_create(&idle, &file, err);
    if (st) return st;
    close(file);
    self.keeper.region = idle;
    if (!takt_mutex_init(&self.lock) || !takt_semaphore_init(&self.end)) {
        takt_region_close(idle);
        return takt_fail_memory(err);
    }
    takt_keeper_start(&self.keeper);
    serve(&self);
    takt_keeper_end(&self.keeper);
    clear(&self);
    takt_region_close(idle);
    return TAKT_OK;
}
