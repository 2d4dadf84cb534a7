// SPDX-License-Identifier: MIT
// Sweeps on several ranks; see sweep_ranks.h. MPI has no file to wait for, so everyone looks for messages once per millisecond; a rank therefore has
// more variants in stock than its workers need in that time.
#include "sweep_ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interrupt.h"
#include "support.h"

/// What a message is about.
typedef enum kind {
    BEGIN, // to all: there is a sweep
    VARIANTS, // to one: run these, n numbers
    OVER, // to one: there is nothing more to be done
    END, // to all: the program ends
    READY, // of one: its definition of the sweep follows
    WANT, // of one: n more variants
    LINE, // of one: a sweep_message and the line
    FAILED, // of one: it cannot go on; a text follows
    ENDING, // of one: it has been asked to end
    BYE, // of one: it has stopped
} kind;

typedef struct head {
    int32_t kind, n;
} head;

static const double period = 1e-3; // s
static const double patience = 10; // s; for ranks that stop their workers

static bool post(const takt_transport *t, int rank, head what, const void *data, size_t size)
{
    const takt_piece pieces[] = {{&what, sizeof what}, {data, size}};
    return t->send(t->context, rank, pieces, size ? 2 : 1) == 0;
}

/// A message that has come; it is there until the next one is taken.
typedef struct letter {
    int rank;
    head head;
    const char *data;
    size_t size;
} letter;

static bool take_letter(const takt_transport *t, letter *out)
{
    void *data;
    if (t->receive(t->context, &out->rank, &data, &out->size) != 1) return false;
    out->head = (head){-1, 0};
    out->data = (const char *)data + sizeof out->head;
    if (out->size < sizeof out->head) return true;
    memcpy(&out->head, data, sizeof out->head);
    out->size -= sizeof out->head;
    return true;
}

static void wait_a_moment(void)
{
    usleep((useconds_t)(1e6 * period));
}

// ---- rank 0 ------------------------------------------------------------------------------------

/// One of the others.
typedef struct party {
    int64_t *held; // variants that it was given
    int n_held, capacity;
    int n_wanted; // that it was not yet given
    bool is_ready; // it may be given some
    bool is_gone; // it says nothing more
} party;

typedef struct lead {
    const sweep_rank *rank;
    const sweep_dealer *inner;
    party *parties; // by rank
    int64_t *returned; // variants of ranks that have failed
    int n_returned, capacity;
    takt_status status; // of what has come from others
    takt_error error;
} lead;

static int64_t lead_next(void *context)
{
    lead *self = context;
    if (self->n_returned) return self->returned[--self->n_returned];
    return self->inner->next(self->inner->context);
}

static takt_status lead_take(void *context, const sweep_message *message, const char *line,
                             takt_error *err)
{
    lead *self = context;
    return self->inner->take(self->inner->context, message, line, err);
}

// What the rank has not done is done by others.
static void lose(lead *self, int rank, const char *why, size_t size)
{
    party *p = &self->parties[rank];
    const takt_transport *t = self->rank->transport;
    cli_console_note(&self->rank->job->session.console,
                     "warning: rank %d on host %s takes no part in the sweep: %.*s", rank,
                     t->host(t->context, rank), (int)size, why);
    for (int i = 0; i < p->n_held && !self->status; i++)
        if (cli_grow(&self->returned, self->n_returned, &self->capacity, sizeof *self->returned))
            self->returned[self->n_returned++] = p->held[i];
        else
            self->status = cli_fail_memory(&self->error);
    p->n_held = p->n_wanted = 0;
    p->is_ready = false;
}

static void check_definition(lead *self, const letter *l)
{
    const char *own = self->rank->definition;
    size_t at = 0;
    int line = 1;
    if (l->size == strlen(own) && memcmp(l->data, own, l->size) == 0) {
        self->parties[l->rank].is_ready = true;
        return;
    }
    for (; at < l->size && own[at] == l->data[at]; at++) line += own[at] == '\n';
    char why[128];
    int n = snprintf(why, sizeof why,
                     "it finds other files than rank 0; see definition.txt, line %d", line);
    lose(self, l->rank, why, (size_t)n);
    post(self->rank->transport, l->rank, (head){OVER, 0}, NULL, 0);
}

static void take_line(lead *self, const letter *l)
{
    party *p = &self->parties[l->rank];
    sweep_message message = {.variant = -1};
    int at = 0;
    if (l->size >= sizeof message) memcpy(&message, l->data, sizeof message);
    while (at < p->n_held && p->held[at] != message.variant) at++;
    if (at == p->n_held || message.size != (int64_t)(l->size - sizeof message)) {
        static const char why[] = "it has sent what makes no sense";
        lose(self, l->rank, why, sizeof why - 1);
        post(self->rank->transport, l->rank, (head){OVER, 0}, NULL, 0);
        return;
    }
    memmove(&p->held[at], &p->held[at + 1], (size_t)(p->n_held - at - 1) * sizeof *p->held);
    p->n_held--;
    if (!self->status)
        self->status = lead_take(self, &message, l->data + sizeof message, &self->error);
}

static void take_from(lead *self, const letter *l)
{
    const takt_transport *t = self->rank->transport;
    party *p = &self->parties[l->rank];
    switch (l->head.kind) {
    case READY: check_definition(self, l); break;
    case WANT: p->n_wanted = l->head.n; break;
    case LINE:
        if (p->is_ready) take_line(self, l); // else another one has the variant now
        break;
    case ENDING: t->end(t->context, l->rank); break;
    case FAILED: lose(self, l->rank, l->data, l->size); break;
    case BYE: p->is_gone = true; break;
    default: break;
    }
}

// Nobody gets so many that the others have none at the end.
static void deal_to(lead *self, int rank)
{
    party *p = &self->parties[rank];
    const takt_transport *t = self->rank->transport;
    int64_t share = self->inner->left(self->inner->context) / (2 * t->n_ranks) + 1, variant;
    int first = p->n_held, most = p->n_wanted < share ? p->n_wanted : (int)share;
    while (p->n_held - first < most && (variant = lead_next(self)) >= 0) {
        if (!cli_grow(&p->held, p->n_held, &p->capacity, sizeof *p->held)) {
            self->status = cli_fail_memory(&self->error);
            return;
        }
        p->held[p->n_held++] = variant;
    }
    int n = p->n_held - first;
    if (n == 0) return;
    p->n_wanted = 0;
    post(t, rank, (head){VARIANTS, n}, p->held + first, (size_t)n * sizeof *p->held);
}

static void look_at_others(lead *self)
{
    letter l;
    while (take_letter(self->rank->transport, &l))
        if (l.rank > 0 && l.rank < self->rank->transport->n_ranks) take_from(self, &l);
    for (int i = 1; i < self->rank->transport->n_ranks && !self->status; i++)
        if (self->parties[i].is_ready && self->parties[i].n_wanted) deal_to(self, i);
}

static void lead_look(void *context)
{
    lead *self = context;
    look_at_others(self);
    self->inner->look(self->inner->context);
}

static bool lead_is_over(void *context)
{
    lead *self = context;
    return self->status || self->inner->is_over(self->inner->context);
}

static bool others_are_busy(const lead *self)
{
    for (int i = 1; i < self->rank->transport->n_ranks; i++)
        if (self->parties[i].n_held) return true;
    return false;
}

// After an interruption, what others have finished by then is taken, too.
static void end_others(lead *self)
{
    const takt_transport *t = self->rank->transport;
    double until = cli_clock() + patience;
    for (int i = 1; i < t->n_ranks; i++) post(t, i, (head){OVER, 0}, NULL, 0);
    for (int i = 1; i < t->n_ranks; i++)
        while (!self->parties[i].is_gone && cli_clock() < until) {
            letter l;
            if (!take_letter(t, &l))
                wait_a_moment();
            else if (l.rank > 0 && l.rank < t->n_ranks)
                take_from(self, &l);
        }
}

static void clear(lead *self)
{
    for (int i = 0; self->parties && i < self->rank->transport->n_ranks; i++)
        free(self->parties[i].held);
    free(self->parties);
    free(self->returned);
}

takt_status sweep_ranks_lead(const sweep_rank *rank, const sweep_dealer *dealer, takt_error *err)
{
    const takt_transport *t = rank->transport;
    lead self = {.rank = rank, .inner = dealer};
    const sweep_dealer outer = {.context = &self,
                                .next = lead_next,
                                .take = lead_take,
                                .look = lead_look,
                                .is_over = lead_is_over,
                                .period = period};
    self.parties = calloc((size_t)t->n_ranks, sizeof *self.parties);
    if (!self.parties) return cli_fail_memory(err);
    for (int i = 1; i < t->n_ranks; i++) post(t, i, (head){BEGIN, 0}, NULL, 0);
    takt_status st = TAKT_OK;
    do {
        st = sweep_pool_run(rank->job, rank->n_workers, rank->timeout, &outer, err);
        while (!st && !lead_is_over(&self) && others_are_busy(&self) && !self.n_returned) {
            lead_look(&self);
            wait_a_moment();
        }
    } while (!st && !lead_is_over(&self) && self.n_returned);
    end_others(&self);
    if (!st && self.status) {
        *err = self.error;
        st = self.status;
    }
    clear(&self);
    return st;
}

void sweep_ranks_end(const takt_transport *transport)
{
    for (int i = 1; i < transport->n_ranks; i++) post(transport, i, (head){END, 0}, NULL, 0);
}

// ---- the others --------------------------------------------------------------------------------

typedef struct served {
    const sweep_rank *rank;
    int64_t *stock;
    int n_stock, capacity, at;
    int64_t n_done;
    double began; // s on the clock: the first variants came; NaN: none yet
    bool has_asked, has_told_end, is_over;
} served;

static int64_t served_next(void *context)
{
    served *self = context;
    if (self->is_over) return -1;
    return self->at < self->n_stock ? self->stock[self->at++] : SWEEP_LATER;
}

static takt_status served_take(void *context, const sweep_message *message, const char *line,
                               takt_error *err)
{
    served *self = context;
    const takt_transport *t = self->rank->transport;
    const head what = {LINE, 0};
    const takt_piece pieces[] = {
        {&what, sizeof what}, {message, sizeof *message}, {line, (size_t)message->size}};
    self->n_done++;
    if (t->send(t->context, 0, pieces, 3) == 0) return TAKT_OK;
    return cli_fail(err, TAKT_ERR_OUTPUT, "rank 0 cannot be reached");
}

// As many as its workers run in a tenth of a second.
static int count_wanted(const served *self)
{
    double passed = cli_clock() - self->began, least = 2.0 * self->rank->n_workers;
    if (isnan(self->began) || self->n_done == 0) return (int)least;
    return (int)fmin(fmax(least, ceil(0.1 * (double)self->n_done / passed)), 1000);
}

static void take_variants(served *self, const letter *l)
{
    int n_left = self->n_stock - self->at, n = l->head.n;
    if (n < 0 || l->size != (size_t)n * sizeof *self->stock) return;
    if (isnan(self->began)) self->began = cli_clock();
    if (n_left) memmove(self->stock, self->stock + self->at, (size_t)n_left * sizeof *self->stock);
    self->at = 0;
    self->n_stock = n_left;
    self->has_asked = false;
    for (int i = 0; i < n; i++) {
        if (!cli_grow(&self->stock, self->n_stock, &self->capacity, sizeof *self->stock)) {
            self->is_over = true; // rank 0 gives them to others
            return;
        }
        memcpy(&self->stock[self->n_stock++], l->data + (size_t)i * sizeof *self->stock,
               sizeof *self->stock);
    }
}

static void served_look(void *context)
{
    served *self = context;
    const takt_transport *t = self->rank->transport;
    letter l;
    if (cli_interrupt_seen() && !self->has_told_end)
        self->has_told_end = post(t, 0, (head){ENDING, 0}, NULL, 0);
    while (!self->is_over && take_letter(t, &l)) {
        if (l.head.kind == VARIANTS) take_variants(self, &l);
        if (l.head.kind == OVER) self->is_over = true;
    }
    int n = count_wanted(self);
    if (self->is_over || self->has_asked || self->n_stock - self->at > n / 2) return;
    self->has_asked = post(t, 0, (head){WANT, n}, NULL, 0);
}

static bool served_is_over(void *context)
{
    return ((served *)context)->is_over;
}

void sweep_ranks_serve(const sweep_rank *rank)
{
    const takt_transport *t = rank->transport;
    takt_error err = {0};
    served self = {.rank = rank, .began = NAN};
    const sweep_dealer dealer = {.context = &self,
                                 .next = served_next,
                                 .take = served_take,
                                 .look = served_look,
                                 .is_over = served_is_over,
                                 .period = period};
    post(t, 0, (head){READY, 0}, rank->definition, strlen(rank->definition));
    if (sweep_pool_run(rank->job, rank->n_workers, rank->timeout, &dealer, &err))
        sweep_ranks_fail(t, &err);
    else
        post(t, 0, (head){BYE, 0}, NULL, 0);
    free(self.stock);
}

void sweep_ranks_fail(const takt_transport *transport, const takt_error *err)
{
    post(transport, 0, (head){FAILED, 0}, err->message, strlen(err->message));
    post(transport, 0, (head){BYE, 0}, NULL, 0);
}

bool sweep_ranks_wait(const takt_transport *transport)
{
    letter l;
    for (double waited = 0;; waited += period) {
        if (take_letter(transport, &l)) {
            if (l.head.kind == BEGIN || l.head.kind == END) return l.head.kind == BEGIN;
        } else if (transport->is_ending(transport->context) && waited > patience) {
            return false;
        } else {
            wait_a_moment();
        }
    }
}
