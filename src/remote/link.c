// SPDX-License-Identifier: MIT
// Rank 0's side of ranks; see link.h. Whoever waits takes the messages of all others, too. Of what they say, kind, numbers and sizes are checked: ranks
// are processes of the same program, but their FMUs may have written over their memory. A rank whose message makes no sense is not waited for any more.
#include "remote/link.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/thread.h"

/// A worker on a rank.
typedef struct seat {
    takt_region *region; // NULL: it has ended
    int rank;
    atomic_bool is_answered;
} seat;

/// Why a rank is not waited for.
typedef enum fault { SOUND, SILENT, SENSELESS } fault;

struct takt_ranks {
    takt_transport transport;
    takt_mutex lock; // of the transport and all below
    seat **seats; // they stay where they are
    int n_seats, seat_capacity;
    int n_models;
    atomic_int *faults; // per rank, a fault
    atomic_bool *is_told; // per rank: a wait has failed for that
    takt_parcel *parcels; // per rank: messages to workers that wait
    atomic_int n_parcels; // that are not empty
    atomic_bool is_done; // the answer to OPEN or START has come
    takt_status status; // in it
    int number; // likewise
    char text[TAKT_MESSAGE_SIZE];
};

static bool has_failed(const takt_ranks *ranks, int rank)
{
    return atomic_load(&ranks->faults[rank]) != SOUND;
}

// The first reason counts.
static void note_fault(takt_ranks *ranks, int rank, fault what)
{
    int sound = SOUND;
    atomic_compare_exchange_strong(&ranks->faults[rank], &sound, what);
}

// ---- messages ------------------------------------------------------------------------------------

// With the lock; who only looks has none.
static void count_parcels(takt_ranks *ranks, int more)
{
    int n = atomic_load_explicit(&ranks->n_parcels, memory_order_relaxed);
    atomic_store_explicit(&ranks->n_parcels, n + more, memory_order_relaxed);
}

// With the lock. To a rank that is not waited for nothing is sent.
static void send_parcel(takt_ranks *ranks, int rank)
{
    takt_parcel *parcel = &ranks->parcels[rank];
    if (parcel->n == 0) return;
    count_parcels(ranks, -1);
    if (has_failed(ranks, rank))
        *parcel = (takt_parcel){0};
    else if (takt_parcel_send(parcel, &ranks->transport, rank) != 0)
        note_fault(ranks, rank, SILENT);
}

// With the lock. The data is borrowed until it is sent.
static void add_to_parcel(takt_ranks *ranks, int rank, const takt_rank_head *head, const void *data,
                          size_t size)
{
    takt_parcel *parcel = &ranks->parcels[rank];
    if (!takt_parcel_has_room(parcel, size)) send_parcel(ranks, rank);
    if (parcel->n == 0) count_parcels(ranks, 1);
    takt_parcel_add(parcel, head, &(takt_piece){data, size}, 1);
}

static void send(takt_ranks *ranks, int rank, const takt_rank_head *head, const void *data,
                 size_t size)
{
    takt_mutex_lock(&ranks->lock);
    send_parcel(ranks, rank);
    add_to_parcel(ranks, rank, head, data, size);
    send_parcel(ranks, rank);
    takt_mutex_unlock(&ranks->lock);
}

// Returns false if it makes no sense.
static bool take_answer(seat *at, const char *data, size_t size)
{
    takt_rank_answer answer;
    takt_region *region = at->region;
    if (size < sizeof answer || atomic_load(&at->is_answered)) return false;
    memcpy(&answer, data, sizeof answer);
    data += sizeof answer;
    size -= sizeof answer;
    if (answer.log_size > TAKT_REGION_LOG || answer.answer_size > TAKT_REGION_ROOM ||
        size < answer.log_size + answer.answer_size)
        return false;
    region->log_size = answer.log_size;
    region->answer_size = answer.answer_size;
    region->status = answer.status;
    region->motion_order = answer.motion_order;
    region->n_derivatives = answer.n_derivatives;
    region->n_directional = answer.n_directional;
    region->is_in_events = answer.is_in_events;
    region->terminates = answer.terminates;
    region->is_partial = answer.is_partial;
    memcpy(takt_region_log(region), data, answer.log_size);
    memcpy(takt_region_answer(region), data + answer.log_size, answer.answer_size);
    size_t n_text = size - answer.log_size - answer.answer_size;
    if (n_text > sizeof region->text) n_text = sizeof region->text;
    if (answer.has_text) memcpy(region->text, data + size - n_text, n_text);
    region->text[sizeof region->text - 1] = 0;
    atomic_store(&at->is_answered, true);
    return true;
}

static bool take_done(takt_ranks *ranks, const takt_rank_head *head, const char *text, size_t size)
{
    int64_t status = head->model;
    if (atomic_load(&ranks->is_done) || status < 0 || status > TAKT_ERR_CRASH) return false;
    ranks->status = (takt_status)status;
    ranks->number = head->number;
    if (size >= sizeof ranks->text) size = sizeof ranks->text - 1;
    snprintf(ranks->text, sizeof ranks->text, "%.*s", (int)size, text);
    atomic_store(&ranks->is_done, true);
    return true;
}

static bool take_crash(takt_ranks *ranks, int rank, const seat *at, const char *data, size_t size)
{
    if (size && size != sizeof at->region->note) return false;
    if (at && at->region && size) memcpy(&at->region->note, data, size);
    note_fault(ranks, rank, SILENT);
    return true;
}

static seat *find_seat(const takt_ranks *ranks, int rank, int number)
{
    seat *at = number >= 0 && number < ranks->n_seats ? ranks->seats[number] : NULL;
    return at && at->rank == rank ? at : NULL;
}

// Only answers come in parcels.
static bool take_parcel(const takt_ranks *ranks, int rank, int n, const char *data, size_t size)
{
    for (int i = 0; i < n; i++) {
        takt_rank_head head;
        const char *message;
        if (!takt_parcel_take(&data, &size, &head, &message) || head.kind != TAKT_RANK_ANSWER)
            return false;
        seat *at = find_seat(ranks, rank, head.number);
        if (!at || (at->region && !take_answer(at, message, head.size))) return false;
    }
    return n > 0 && size == 0;
}

// Returns false if it makes no sense.
static bool take_message(takt_ranks *ranks, int rank, const char *data, size_t size)
{
    takt_rank_head head;
    if (size < sizeof head) return false;
    memcpy(&head, data, sizeof head);
    data += sizeof head;
    size -= sizeof head;
    seat *at = find_seat(ranks, rank, head.number);
    switch (head.kind) {
    case TAKT_RANK_PARCEL: return take_parcel(ranks, rank, head.number, data, size);
    case TAKT_RANK_DONE: return take_done(ranks, &head, data, size);
    case TAKT_RANK_CRASHED: return take_crash(ranks, rank, at, data, size);
    case TAKT_RANK_ANSWER:
        if (!at) return false;
        return !at->region || take_answer(at, data, size); // of a worker that has ended: too late
    case TAKT_RANK_ENDING:
        if (ranks->transport.end) ranks->transport.end(ranks->transport.context, rank);
        return true;
    default: return false;
    }
}

// Takes the next message, if there is one.
static bool pump(takt_ranks *ranks)
{
    int rank;
    void *data;
    size_t size;
    const takt_transport *t = &ranks->transport;
    takt_mutex_lock(&ranks->lock);
    bool has = t->receive(t->context, &rank, &data, &size) == 1;
    if (has && !take_message(ranks, rank, data, size)) note_fault(ranks, rank, SENSELESS);
    takt_mutex_unlock(&ranks->lock);
    return has;
}

void takt_link_depart(takt_ranks *ranks)
{
    // A thread sees at least what it has added itself.
    if (atomic_load_explicit(&ranks->n_parcels, memory_order_relaxed) == 0) return;
    takt_mutex_lock(&ranks->lock);
    for (int i = 1; i < ranks->transport.n_ranks; i++) send_parcel(ranks, i);
    takt_mutex_unlock(&ranks->lock);
}

// Waits for what `rank` has to say. When this process is to end, a rank that is alive answers soon.
static takt_link_signal wait_for(takt_ranks *ranks, int rank, const atomic_bool *is_there,
                                 double until)
{
    enum { QUIET = 200 }; // looks without a message before the clock is asked
    const double patience = 0.5; // s
    double began = 0, ending = INFINITY;
    for (int n_quiet = 0;;) {
        if (atomic_load(is_there)) return TAKT_LINK_ANSWERED;
        takt_link_depart(ranks);
        if (has_failed(ranks, rank)) return TAKT_LINK_GONE;
        if (pump(ranks)) {
            n_quiet = 0;
            continue;
        }
        if (++n_quiet < QUIET) continue;
        double now = takt_clock();
        if (n_quiet == QUIET) began = now;
        if (now > until) return TAKT_LINK_EXPIRED;
        if (!isfinite(ending) && ranks->transport.is_ending(ranks->transport.context))
            ending = now + patience;
        if (now > ending) note_fault(ranks, rank, SILENT); // which it is for all its workers
        ranks->transport.rest(ranks->transport.context, now - began);
    }
}

// One question that is not for a worker.
static takt_status ask(takt_ranks *ranks, int rank, const takt_rank_head *head, const void *data,
                       size_t size, takt_error *err)
{
    atomic_store(&ranks->is_done, false);
    send(ranks, rank, head, data, size);
    if (wait_for(ranks, rank, &ranks->is_done, INFINITY) != TAKT_LINK_ANSWERED) {
        note_fault(ranks, rank, SILENT);
        return takt_fail(err, TAKT_ERR_CRASH, "rank %d on host %s %s", rank,
                         takt_link_host(ranks, rank),
                         takt_link_is_senseless(ranks, rank) ? "has sent what makes no sense"
                                                             : "does not answer");
    }
    if (!ranks->status) return TAKT_OK;
    return takt_fail(err, ranks->status, "rank %d on host %s: %s", rank,
                     takt_link_host(ranks, rank), ranks->text);
}

// ---- life ----------------------------------------------------------------------------------------

takt_status takt_ranks_create(const takt_transport *transport, takt_ranks **out, takt_error *err)
{
    if (!transport || !out || transport->size != sizeof *transport || transport->rank != 0 ||
        transport->n_ranks < 1)
        return takt_fail(err, TAKT_ERR_USAGE,
                         "takt_ranks_create: needs a transport of this version, on rank 0");
    takt_ranks *ranks = calloc(1, sizeof *ranks);
    if (!ranks) return takt_fail_memory(err);
    ranks->transport = *transport;
    atomic_init(&ranks->is_done, true);
    ranks->faults = calloc((size_t)transport->n_ranks, sizeof *ranks->faults);
    ranks->is_told = calloc((size_t)transport->n_ranks, sizeof *ranks->is_told);
    ranks->parcels = calloc((size_t)transport->n_ranks, sizeof *ranks->parcels);
    if (!ranks->faults || !ranks->is_told || !ranks->parcels || !takt_mutex_init(&ranks->lock)) {
        free(ranks->faults);
        free(ranks->is_told);
        free(ranks->parcels);
        free(ranks);
        return takt_fail_memory(err);
    }
    *out = ranks;
    return TAKT_OK;
}

void takt_ranks_destroy(takt_ranks *ranks)
{
    if (!ranks) return;
    for (int i = 1; i < ranks->transport.n_ranks; i++)
        send(ranks, i, &(takt_rank_head){.kind = TAKT_RANK_END}, NULL, 0);
    for (int i = 0; i < ranks->n_seats; i++) {
        takt_region_close(ranks->seats[i]->region);
        free(ranks->seats[i]);
    }
    free(ranks->seats);
    free(ranks->faults);
    free(ranks->is_told);
    free(ranks->parcels);
    takt_mutex_clear(&ranks->lock);
    free(ranks);
}

int takt_ranks_have_failed(const takt_ranks *ranks)
{
    for (int i = 0; ranks && i < ranks->transport.n_ranks; i++)
        if (has_failed(ranks, i)) return 1;
    return 0;
}

int takt_link_count(const takt_ranks *ranks)
{
    return ranks ? ranks->transport.n_ranks : 1;
}

const char *takt_link_host(const takt_ranks *ranks, int rank)
{
    return ranks->transport.host(ranks->transport.context, rank);
}

bool takt_link_is_senseless(const takt_ranks *ranks, int rank)
{
    return atomic_load(&ranks->faults[rank]) == SENSELESS;
}

bool takt_link_is_over(const takt_ranks *ranks, int number)
{
    int rank = ranks->seats[number]->rank;
    return has_failed(ranks, rank) && atomic_load(&ranks->is_told[rank]);
}

int takt_link_rank_of(const takt_ranks *ranks, int number)
{
    return ranks->seats[number]->rank;
}

// ---- models and workers --------------------------------------------------------------------------

takt_status takt_link_open(takt_ranks *ranks, int rank, const takt_bytes *recipe, int *model,
                           bool *is_here, takt_error *err)
{
    const takt_rank_head head = {.kind = TAKT_RANK_OPEN, .number = ranks->n_models};
    takt_status st = ask(ranks, rank, &head, recipe->data, recipe->size, err);
    if (st) return st;
    *is_here = ranks->number != 0;
    *model = ranks->n_models++;
    return TAKT_OK;
}

takt_status takt_link_bring(takt_ranks *ranks, int rank, int model, const void *data, size_t size,
                            takt_error *err)
{
    const takt_rank_head head = {.kind = TAKT_RANK_PACKAGE, .number = model};
    return ask(ranks, rank, &head, data, size, err);
}

takt_status takt_link_start(takt_ranks *ranks, int rank, int model, int *number,
                            takt_region **region, takt_error *err)
{
    int file;
    if (!takt_grow(&ranks->seats, ranks->n_seats, &ranks->seat_capacity, sizeof *ranks->seats))
        return takt_fail_memory(err);
    seat *at = calloc(1, sizeof *at);
    if (!at) return takt_fail_memory(err);
    takt_status st = takt_region_create(&at->region, &file, err);
    if (st) {
        free(at);
        return st;
    }
    close(file);
    at->rank = rank;
    atomic_init(&at->is_answered, true); // nothing has been asked
    int i = ranks->n_seats++;
    ranks->seats[i] = at;
    st = ask(ranks, rank, &(takt_rank_head){.kind = TAKT_RANK_START, .number = i, .model = model},
             NULL, 0, err);
    *number = i;
    *region = at->region;
    if (st) takt_link_clear(ranks, i);
    return st;
}

void takt_link_clear(takt_ranks *ranks, int number)
{
    seat *at = ranks->seats[number];
    send(ranks, at->rank, &(takt_rank_head){.kind = TAKT_RANK_CLEAR, .number = number}, NULL, 0);
    takt_mutex_lock(&ranks->lock);
    takt_region_close(at->region);
    at->region = NULL;
    takt_mutex_unlock(&ranks->lock);
}

void takt_link_send(takt_ranks *ranks, int number)
{
    seat *at = ranks->seats[number];
    atomic_store(&at->is_answered, false);
    takt_mutex_lock(&ranks->lock);
    add_to_parcel(ranks, at->rank, &(takt_rank_head){.kind = TAKT_RANK_ASK, .number = number},
                  takt_region_ask(at->region), at->region->ask_size);
    takt_mutex_unlock(&ranks->lock);
}

takt_link_signal takt_link_wait(takt_ranks *ranks, int number, double until)
{
    seat *at = ranks->seats[number];
    // The answer may be waiting behind another worker, which is the one that hangs.
    takt_link_signal signal =
        wait_for(ranks, at->rank, &at->is_answered, until + 5 * TAKT_RANK_LATE);
    if (signal != TAKT_LINK_ANSWERED) atomic_store(&ranks->is_told[at->rank], true);
    return signal;
}

void takt_link_give_up(takt_ranks *ranks, int number)
{
    note_fault(ranks, ranks->seats[number]->rank, SILENT);
}
