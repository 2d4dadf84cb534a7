// SPDX-License-Identifier: MIT
// What takt-mpi cannot do without: two ranks send each other a message of so many bytes, in turns, and wait for it. Prints the seconds of
// one turn, there and back, of the quickest batch.
//
//     mpirun -n 2 bench_ping BYTES_THERE BYTES_BACK
#define OMPI_SKIP_MPICXX
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

enum { N_BATCHES = 200, N_TURNS = 500, MAX_BYTES = 1 << 20 };

static char buffer[MAX_BYTES];

static double time_batch(int rank, int there, int back)
{
    double begin = MPI_Wtime();
    for (int i = 0; i < N_TURNS; i++) {
        if (rank == 0) MPI_Send(buffer, there, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(buffer, MAX_BYTES, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1) MPI_Send(buffer, back, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - begin) / N_TURNS;
}

int main(int argc, char **argv)
{
    int rank, n_ranks;
    double best = 1e9;
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    long there = argc == 3 ? strtol(argv[1], NULL, 10) : -1;
    long back = argc == 3 ? strtol(argv[2], NULL, 10) : -1;
    if (n_ranks != 2 || there < 0 || back < 0 || there > MAX_BYTES || back > MAX_BYTES) {
        fprintf(stderr, "usage: mpirun -n 2 bench_ping BYTES_THERE BYTES_BACK\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int i = 0; i < N_BATCHES; i++) {
        double now = time_batch(rank, (int)there, (int)back);
        if (now < best) best = now;
    }
    if (rank == 0) printf("%.9f\n", best);
    MPI_Finalize();
    return 0;
}
