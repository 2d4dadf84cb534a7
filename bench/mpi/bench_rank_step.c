// SPDX-License-Identifier: MIT
// What a step costs where FMUs are on other ranks: a ring of FMUs Lag, the first ones on rank 0, the others dealt in turn to all other ranks.
// Prints the seconds of a step of the quickest batch, which is there even where the machine is busy with other things.
//
//     mpirun -n RANKS bench_rank_step FMUS FMUS_ON_RANK_0 ALGORITHM FILE.fmu
#define OMPI_SKIP_MPICXX
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interrupt.h"
#include "ranks.h"
#include "sweep_ranks.h"
#include "takt/takt.h"

enum { MAX_FMUS = 10000, N_BATCHES = 400, N_CALLS = 60000 };

static void write_project(FILE *file, int n_fmus, const char *fmu)
{
    fputs("<ssd:SystemStructureDescription version='1.0' name='ring' "
          "xmlns:ssd='http://ssp-standard.org/SSP1/SystemStructureDescription'>\n"
          "<ssd:System name='s'><ssd:Elements>\n",
          file);
    for (int i = 0; i < n_fmus; i++)
        fprintf(file, "<ssd:Component name='c%d' source='%s'/>\n", i, fmu);
    fputs("</ssd:Elements><ssd:Connections>\n", file);
    for (int i = 0; i < n_fmus; i++)
        fprintf(file,
                "<ssd:Connection startElement='c%d' startConnector='x' endElement='c%d' "
                "endConnector='u'/>\n",
                i, (i + 1) % n_fmus);
    fputs("</ssd:Connections></ssd:System></ssd:SystemStructureDescription>\n", file);
}

static void tell(void *context, const takt_message *message)
{
    (void)context;
    fprintf(stderr, "%s\n", message->text);
}

// Short batches: while the machine is busy only these are not interrupted.
static takt_status time_batches(takt_run *run, int n_steps, takt_error *err)
{
    takt_status st = TAKT_OK;
    takt_progress progress = TAKT_RUNNING;
    double best = 1e9;
    for (int i = 0; i < N_BATCHES && !st; i++) {
        double begin = MPI_Wtime();
        for (int k = 0; k < n_steps && !st; k++) st = takt_run_step(run, &progress, err);
        double now = (MPI_Wtime() - begin) / n_steps;
        if (now < best) best = now;
    }
    if (!st) printf("%.9f\n", best);
    return st;
}

static takt_status simulate(const char *file, int n_fmus, const char *algorithm, takt_ranks *ranks,
                            const takt_component_rank *list, takt_error *err)
{
    takt_log *log = takt_log_create(TAKT_LEVEL_WARN, tell, NULL);
    takt_project *project = NULL;
    takt_system *system = NULL;
    takt_run *run = NULL;
    takt_status st = takt_project_open(file, log, &project, err);
    if (!st) st = takt_project_set(project, "step-size", "0.001", err);
    if (!st) st = takt_project_set(project, "stop-time", "1e6", err);
    if (!st) st = takt_project_set(project, "algorithm", algorithm, err);
    if (!st) st = takt_project_set(project, "jobs", "1", err);
    if (!st) st = takt_system_create_on(project, ranks, list, n_fmus, &system, err);
    if (!st) st = takt_run_create(system, &run, err);
    if (!st) st = takt_run_initialize(run, err);
    if (!st) st = time_batches(run, 1 + N_CALLS / N_BATCHES / n_fmus, err);
    takt_run_destroy(run);
    takt_system_destroy(system);
    takt_project_close(project);
    takt_log_destroy(log);
    return st;
}

int cli_main(int argc, char **argv, takt_ranks *ranks, const takt_transport *transport)
{
    static char names[MAX_FMUS][16];
    static takt_component_rank list[MAX_FMUS];
    char path[] = "/tmp/takt_bench_XXXXXX.ssd";
    long n = argc == 5 ? strtol(argv[1], NULL, 10) : 0;
    long n_here = argc == 5 ? strtol(argv[2], NULL, 10) : 0;
    if (n < 1 || n > MAX_FMUS || (transport->n_ranks == 1 && n_here < n)) {
        fputs("usage: mpirun -n RANKS bench_rank_step FMUS FMUS_ON_RANK_0 ALGORITHM FILE.fmu\n",
              stderr);
        return 2;
    }
    for (int i = 0; i < n; i++) {
        snprintf(names[i], sizeof names[i], "c%d", i);
        int rank = i < n_here ? 0 : 1 + (i - (int)n_here) % (transport->n_ranks - 1);
        list[i] = (takt_component_rank){names[i], rank};
    }
    int fd = mkstemps(path, 4);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!file) return 1;
    write_project(file, (int)n, argv[4]);
    fclose(file);
    takt_error err = {0};
    takt_status st = simulate(path, (int)n, argv[3], ranks, list, &err);
    remove(path);
    if (st) fprintf(stderr, "%s\n", err.message);
    return st ? 1 : 0;
}

// Signals end this program at once; sweeps, which takt-mpi deals to its ranks, are no part of it.
bool cli_interrupt_seen(void)
{
    return false;
}

bool sweep_ranks_wait(const takt_transport *transport)
{
    (void)transport;
    return false;
}

void sweep_ranks_end(const takt_transport *transport)
{
    (void)transport;
}
