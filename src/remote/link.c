// SPDX-License-Identifier: MIT
// Rank 0's side of ranks; see link.h. Whoever waits takes the messages of all others, too. What they say is checked for its size only: ranks are
// processes of the same program.
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

struct takt_ranks {
    takt_transport transport;
    takt_mutex lock; // of the transport and all below
    seat **seats; // they stay where they are
    int n_seats, seat_capacity;
    int n_models;
    bool *has_failed; // per rank
    bool is_done; // the answer to OPEN or START has come
    takt_status status; // in it
    char text[TAKT_MESSAGE_SIZE];
};

// ---- messages ------------------------------------------------------------------------------------

static void send(takt_ranks *ranks, int rank, const takt_rank_head *head, const void *data,
                 size_t size)
{
    const takt_piece pieces[] = {{head, sizeof *head}, {data, size}};
    takt_mutex_lock(&ranks->lock);
    if (!ranks->has_failed[rank] &&
        ranks->transport.send(ranks->transport.context, rank, pieces, size ? 2 : 1) != 0)
        ranks->has_failed[rank] = true;
    takt_mutex_unlock(&ranks->lock);
}

static void take_answer(seat *at, const char *data, size_t size)
{
    takt_rank_answer answer;
    takt_region *region = at->region;
    if (size < sizeof answer) return;
    memcpy(&answer, data, sizeof answer);
    data += sizeof answer;
    size -= sizeof answer;
    if (answer.log_size > TAKT_REGION_LOG || answer.answer_size > TAKT_REGION_ROOM ||
        size < answer.log_size + answer.answer_size)
        return;
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
}

static void take_message(takt_ranks *ranks, int rank, const char *data, size_t size)
{
    takt_rank_head head;
    if (size < sizeof head) return;
    memcpy(&head, data, sizeof head);
    data += sizeof head;
    size -= sizeof head;
    seat *at = head.number >= 0 && head.number < ranks->n_seats ? ranks->seats[head.number] : NULL;
    bool is_live = at && at->region && at->rank == rank;
    switch (head.kind) {
    case TAKT_RANK_DONE:
        ranks->is_done = true;
        ranks->status = (takt_status)head.model;
        snprintf(ranks->text, sizeof ranks->text, "%.*s", (int)size, data);
        break;
    case TAKT_RANK_ANSWER:
        if (is_live) take_answer(at, data, size);
        break;
    case TAKT_RANK_CRASHED:
        ranks->has_failed[rank] = true;
        if (is_live && size == sizeof at->region->note) memcpy(&at->region->note, data, size);
        break;
    default: break;
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
    if (has) take_message(ranks, rank, data, size);
    takt_mutex_unlock(&ranks->lock);
    return has;
}

// Waits for what `rank` has to say. When this process is to end, a rank that is alive answers soon.
static takt_link_signal wait_for(takt_ranks *ranks, int rank, const atomic_bool *seat_answered,
                                 const bool *done, double until)
{
    enum { QUIET = 200 }; // looks without a message before the clock is asked
    const double patience = 0.5; // s
    double began = 0, ending = INFINITY;
    for (int n_quiet = 0;;) {
        if (seat_answered ? atomic_load(seat_answered) : *done) return TAKT_LINK_ANSWERED;
        if (ranks->has_failed[rank]) return TAKT_LINK_GONE;
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
        if (now > ending) return TAKT_LINK_GONE;
        ranks->transport.rest(ranks->transport.context, now - began);
    }
}

// One question that is not for a worker.
static takt_status ask(takt_ranks *ranks, int rank, const takt_rank_head *head,
                       const takt_bytes *more, takt_error *err)
{
    ranks->is_done = false;
    send(ranks, rank, head, more ? more->data : NULL, more ? more->size : 0);
    if (wait_for(ranks, rank, NULL, &ranks->is_done, INFINITY) != TAKT_LINK_ANSWERED) {
        ranks->has_failed[rank] = true;
        return takt_fail(err, TAKT_ERR_CRASH, "rank %d on host %s does not answer", rank,
                         takt_link_host(ranks, rank));
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
    ranks->has_failed = calloc((size_t)transport->n_ranks, sizeof *ranks->has_failed);
    if (!ranks->has_failed || !takt_mutex_init(&ranks->lock)) {
        free(ranks->has_failed);
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
    free(ranks->has_failed);
    takt_mutex_clear(&ranks->lock);
    free(ranks);
}

int takt_ranks_have_failed(const takt_ranks *ranks)
{
    for (int i = 0; ranks && i < ranks->transport.n_ranks; i++)
        if (ranks->has_failed[i]) return 1;
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

int takt_link_rank_of(const takt_ranks *ranks, int number)
{
    return ranks->seats[number]->rank;
}

// ---- models and workers --------------------------------------------------------------------------

takt_status takt_link_open(takt_ranks *ranks, int rank, const takt_bytes *recipe, int *model,
                           takt_error *err)
{
    int number = ranks->n_models;
    takt_status st =
        ask(ranks, rank, &(takt_rank_head){.kind = TAKT_RANK_OPEN, .number = number}, recipe, err);
    if (st) return st;
    ranks->n_models++;
    *model = number;
    return TAKT_OK;
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
    int i = ranks->n_seats++;
    ranks->seats[i] = at;
    st = ask(ranks, rank, &(takt_rank_head){.kind = TAKT_RANK_START, .number = i, .model = model},
             NULL, err);
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
    send(ranks, at->rank, &(takt_rank_head){.kind = TAKT_RANK_ASK, .number = number},
         takt_region_ask(at->region), at->region->ask_size);
}

takt_link_signal takt_link_wait(takt_ranks *ranks, int number, double until)
{
    seat *at = ranks->seats[number];
    return wait_for(ranks, at->rank, &at->is_answered, NULL, until);
}

void takt_link_give_up(takt_ranks *ranks, int number)
{
    ranks->has_failed[ranks->seats[number]->rank] = true;
}
