// SPDX-License-Identifier: MIT
// The program `takt-mpi`: the program `takt` on rank 0; all other ranks run FMUs as it asks for, or variants of a sweep. Only this file knows MPI, of which it uses what version 3 has.
#define OMPI_SKIP_MPICXX
#include <mpi.h>

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interrupt.h"
#include "ranks.h"
#include "sweep_ranks.h"

// ---- transport ---------------------------------------------------------------------------------

enum {
    SMALL =
        16 *
        1024, // bytes; a place for such a message waits for it, so that it needs no further copy
    IS_SMALL = 0, // tag: the message itself
    IS_LARGE = 1, // tag: its size; it follows by the second communicator
};

/// A message on its way.
typedef struct outgoing {
    MPI_Request request; // MPI_REQUEST_NULL: none, `data` may be used again
    char *data;
    size_t capacity;
} outgoing;

/// A place where the next small message will lie.
typedef struct awaited {
    MPI_Request request; // persistent
    char data[SMALL];
} awaited;

typedef struct post {
    outgoing *out;
    int n_out;
    awaited in[2]; // they take turns
    int next; // whose message comes next
    bool is_lent; // the other one has the last message
    MPI_Comm bulk; // for large messages
    MPI_Request coming; // a large message
    uint64_t large_size; // of it; 0: none is coming
    int large_rank; // likewise
    char *large; // the last one
    size_t capacity;
    char (*hosts)[MPI_MAX_PROCESSOR_NAME]; // by rank
} post;

// A place for a message: one that has arrived, else a new one. NULL: out of memory.
static outgoing *find_place(post *self, size_t size)
{
    outgoing *to = NULL;
    for (int i = 0; i < self->n_out && !to; i++) {
        int is_done = 1;
        if (self->out[i].request != MPI_REQUEST_NULL)
            MPI_Test(&self->out[i].request, &is_done, MPI_STATUS_IGNORE);
        if (is_done) to = &self->out[i];
    }
    if (!to) {
        outgoing *grown = realloc(self->out, (size_t)(self->n_out + 1) * sizeof *grown);
        if (!grown) return NULL;
        self->out = grown;
        to = &grown[self->n_out++];
        *to = (outgoing){.request = MPI_REQUEST_NULL};
    }
    if (size > to->capacity) {
        char *grown = realloc(to->data, 2 * size);
        if (!grown) return NULL;
        to->data = grown;
        to->capacity = 2 * size;
    }
    return to;
}

static int send_announcement(post *self, int rank, uint64_t size)
{
    outgoing *to = find_place(self, sizeof size);
    if (!to) return 1;
    memcpy(to->data, &size, sizeof size);
    return MPI_Isend(to->data, sizeof size, MPI_BYTE, rank, IS_LARGE, MPI_COMM_WORLD,
                     &to->request) != MPI_SUCCESS;
}

static int send_pieces(void *context, int rank, const takt_piece *pieces, int n_pieces)
{
    post *self = context;
    size_t size = 0;
    for (int i = 0; i < n_pieces; i++) size += pieces[i].size;
    bool is_large = size > SMALL;
    if (size > INT32_MAX || (is_large && send_announcement(self, rank, size))) return 1;
    outgoing *to = find_place(self, size);
    if (!to) return 1;
    char *at = to->data;
    for (int i = 0; i < n_pieces; i++) {
        memcpy(at, pieces[i].data, pieces[i].size);
        at += pieces[i].size;
    }
    return MPI_Isend(to->data, (int)size, MPI_BYTE, rank, IS_SMALL,
                     is_large ? self->bulk : MPI_COMM_WORLD, &to->request) != MPI_SUCCESS;
}

// Has the large message come that was announced? Nothing else is looked for before, so that the order is kept.
static int receive_large(post *self, int *rank, void **data, size_t *size)
{
    int has = 0;
    if (self->coming == MPI_REQUEST_NULL) {
        char *grown = self->large_size > self->capacity ? realloc(self->large, self->large_size)
                                                        : self->large;
        if (!grown) return 0; // perhaps later
        if (self->large_size > self->capacity) self->capacity = self->large_size;
        self->large = grown;
        MPI_Irecv(grown, (int)self->large_size, MPI_BYTE, self->large_rank, IS_SMALL, self->bulk,
                  &self->coming);
    }
    if (MPI_Test(&self->coming, &has, MPI_STATUS_IGNORE) != MPI_SUCCESS || !has) return 0;
    *rank = self->large_rank;
    *data = self->large;
    *size = self->large_size;
    self->large_size = 0;
    return 1;
}

static int receive(void *context, int *rank, void **data, size_t *size)
{
    post *self = context;
    MPI_Status status;
    int has = 0, n = 0;
    if (self->is_lent) MPI_Start(&self->in[!self->next].request);
    self->is_lent = false;
    if (self->large_size) return receive_large(self, rank, data, size);
    awaited *in = &self->in[self->next];
    if (MPI_Test(&in->request, &has, &status) != MPI_SUCCESS || !has) return 0;
    MPI_Get_count(&status, MPI_BYTE, &n);
    self->next = !self->next;
    self->is_lent = true;
    *rank = status.MPI_SOURCE;
    if (status.MPI_TAG == IS_LARGE && n == sizeof self->large_size) {
        memcpy(&self->large_size, in->data, sizeof self->large_size);
        self->large_rank = status.MPI_SOURCE;
        return receive_large(self, rank, data, size);
    }
    *data = in->data;
    *size = (size_t)n;
    return 1;
}

// There may be more ranks than processors.
static void rest(void *context, double waited)
{
    (void)context;
    if (waited < 0.05)
        sched_yield();
    else
        usleep(200);
}

static int is_ending(void *context)
{
    (void)context;
    return cli_interrupt_seen();
}

// Rank 0 ends the run as if it had been asked itself.
static void end_all(void *context, int rank)
{
    (void)context, (void)rank;
    if (!cli_interrupt_seen()) raise(SIGTERM);
}

static volatile sig_atomic_t is_asked_to_end; // a rank that is not 0

static int is_rank_ending(void *context)
{
    (void)context;
    return is_asked_to_end;
}

static const char *host_of(void *context, int rank)
{
    return ((post *)context)->hosts[rank];
}

static int find_hosts(post *self, int n_ranks)
{
    char name[MPI_MAX_PROCESSOR_NAME] = "";
    int length;
    self->hosts = calloc((size_t)n_ranks, sizeof *self->hosts);
    if (!self->hosts) return 0;
    MPI_Get_processor_name(name, &length);
    MPI_Allgather(name, sizeof name, MPI_CHAR, self->hosts, sizeof name, MPI_CHAR, MPI_COMM_WORLD);
    return 1;
}

static int begin_post(post *self, int n_ranks)
{
    self->coming = MPI_REQUEST_NULL;
    for (int i = 0; i < 2; i++) {
        awaited *in = &self->in[i];
        MPI_Recv_init(in->data, SMALL, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                      &in->request);
        MPI_Start(&in->request);
    }
    return MPI_Comm_dup(MPI_COMM_WORLD, &self->bulk) == MPI_SUCCESS && find_hosts(self, n_ranks);
}

// All messages arrive before this process ends.
static void end_post(post *self)
{
    for (int i = 0; i < 2; i++) {
        bool is_started = !self->is_lent || i == self->next;
        if (is_started) MPI_Cancel(&self->in[i].request);
        if (is_started) MPI_Wait(&self->in[i].request, MPI_STATUS_IGNORE);
        MPI_Request_free(&self->in[i].request);
    }
    for (int i = 0; i < self->n_out; i++) {
        if (self->out[i].request != MPI_REQUEST_NULL)
            MPI_Wait(&self->out[i].request, MPI_STATUS_IGNORE);
        free(self->out[i].data);
    }
    free(self->out);
    free(self->large);
    free(self->hosts);
}

// ---- program -----------------------------------------------------------------------------------

static int fail(const takt_error *err)
{
    fprintf(stderr, "takt-mpi: error: %s\n", err->message);
    return takt_status_exit_code(err->status);
}

// What mpirun sends when it wants the end of all. Rank 0 may still need this one for a moment, but an FMU may never return.
static void note_end(int number)
{
    (void)number;
    is_asked_to_end = 1;
    alarm(3); // s
}

// Rank 0 decides when all end.
static void watch_end(takt_transport *transport)
{
    transport->is_ending = is_rank_ending;
    struct sigaction end = {.sa_handler = note_end, .sa_flags = SA_RESTART};
    sigemptyset(&end.sa_mask);
    sigaction(SIGTERM, &end, NULL);
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
}

static int serve(takt_transport *transport)
{
    takt_error err = {0};
    watch_end(transport);
    return takt_ranks_serve(transport, &err) ? fail(&err) : 0;
}

static int lead(const takt_transport *transport, int argc, char **argv)
{
    takt_error err = {0};
    takt_ranks *ranks = NULL;
    if (takt_ranks_create(transport, &ranks, &err)) return fail(&err);
    int code = cli_main(argc, argv, ranks, transport);
    int have_failed = takt_ranks_have_failed(ranks);
    takt_ranks_destroy(ranks);
    fflush(NULL);
    if (have_failed) MPI_Abort(MPI_COMM_WORLD, code ? code : 1);
    return code;
}

// Variants of a sweep are dealt to all ranks, each of which runs them by itself.
static int lead_sweep(const takt_transport *transport, int argc, char **argv)
{
    int code = cli_main(argc, argv, NULL, transport);
    sweep_ranks_end(transport);
    return code;
}

static int serve_sweep(takt_transport *transport, int argc, char **argv)
{
    watch_end(transport);
    if (!sweep_ranks_wait(transport)) return 0;
    int code = cli_main(argc, argv, NULL, transport);
    watch_end(transport);
    sweep_ranks_wait(transport);
    return code;
}

static int work(takt_transport *transport, int argc, char **argv)
{
    bool is_sweep = argc > 1 && strcmp(argv[1], "sweep") == 0;
    if (transport->rank == 0)
        return is_sweep ? lead_sweep(transport, argc, argv) : lead(transport, argc, argv);
    return is_sweep ? serve_sweep(transport, argc, argv) : serve(transport);
}

// MPI may have handlers of its own, which would report a crash once more.
static void reset_signals(void)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) signal(faults[i], SIG_DFL);
}

int main(int argc, char **argv)
{
    int provided;
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) return 1;
    reset_signals();
    static post self;
    takt_transport transport = {.size = sizeof transport,
                                .context = &self,
                                .send = send_pieces,
                                .receive = receive,
                                .rest = rest,
                                .is_ending = is_ending,
                                .host = host_of,
                                .end = end_all};
    MPI_Comm_rank(MPI_COMM_WORLD, &transport.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &transport.n_ranks);
    int code = 1;
    if (begin_post(&self, transport.n_ranks)) code = work(&transport, argc, argv);
    end_post(&self);
    MPI_Finalize();
    return code;
}
