// SPDX-License-Identifier: MIT
// The program `takt-mpi`: the program `takt` on rank 0; all other ranks run FMUs as it asks for, or variants of a sweep. Only this file knows MPI, of which it uses what version 3 has.
#define OMPI_SKIP_MPICXX
#include <mpi.h>

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interrupt.h"
#include "ranks.h"
#include "sweep_ranks.h"

// ---- transport ---------------------------------------------------------------------------------

/// A message on its way.
typedef struct outgoing {
    MPI_Request request; // MPI_REQUEST_NULL: none, `data` may be used again
    char *data;
    size_t capacity;
} outgoing;

typedef struct post {
    outgoing *out;
    int n_out, n_busy;
    char *in; // the last message
    size_t capacity;
    char (*hosts)[MPI_MAX_PROCESSOR_NAME]; // by rank
} post;

// A place for a message: one that has arrived, else a new one. NULL: out of memory.
static outgoing *find_place(post *self)
{
    for (int i = 0; i < self->n_out; i++) {
        int is_done = 1;
        if (self->out[i].request != MPI_REQUEST_NULL)
            MPI_Test(&self->out[i].request, &is_done, MPI_STATUS_IGNORE);
        if (is_done) return &self->out[i];
    }
    outgoing *grown = realloc(self->out, (size_t)(self->n_out + 1) * sizeof *grown);
    if (!grown) return NULL;
    self->out = grown;
    self->out[self->n_out] = (outgoing){.request = MPI_REQUEST_NULL};
    return &self->out[self->n_out++];
}

static int send_pieces(void *context, int rank, const takt_piece *pieces, int n_pieces)
{
    post *self = context;
    size_t size = 0;
    for (int i = 0; i < n_pieces; i++) size += pieces[i].size;
    outgoing *to = find_place(self);
    if (!to || size > INT32_MAX) return 1;
    if (size > to->capacity) {
        char *grown = realloc(to->data, 2 * size);
        if (!grown) return 1;
        to->data = grown;
        to->capacity = 2 * size;
    }
    char *at = to->data;
    for (int i = 0; i < n_pieces; i++) {
        memcpy(at, pieces[i].data, pieces[i].size);
        at += pieces[i].size;
    }
    return MPI_Isend(to->data, (int)size, MPI_BYTE, rank, 0, MPI_COMM_WORLD, &to->request) !=
           MPI_SUCCESS;
}

static int receive(void *context, int *rank, void **data, size_t *size)
{
    post *self = context;
    MPI_Status status;
    int has = 0, n = 0;
    if (MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &has, &status) != MPI_SUCCESS || !has)
        return 0;
    MPI_Get_count(&status, MPI_BYTE, &n);
    if ((size_t)n > self->capacity) {
        char *grown = realloc(self->in, 2 * (size_t)n);
        if (!grown) return 0;
        self->in = grown;
        self->capacity = 2 * (size_t)n;
    }
    MPI_Recv(self->in, n, MPI_BYTE, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    *rank = status.MPI_SOURCE;
    *data = self->in;
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

// All messages arrive before this process ends.
static void end_post(post *self)
{
    for (int i = 0; i < self->n_out; i++) {
        if (self->out[i].request != MPI_REQUEST_NULL)
            MPI_Wait(&self->out[i].request, MPI_STATUS_IGNORE);
        free(self->out[i].data);
    }
    free(self->out);
    free(self->in);
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

int main(int argc, char **argv)
{
    int provided;
    if (MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) return 1;
    post self = {0};
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
    if (find_hosts(&self, transport.n_ranks)) code = work(&transport, argc, argv);
    end_post(&self);
    MPI_Finalize();
    return code;
}
