// SPDX-License-Identifier: MIT
// Running takt-mpi in tests.
#ifndef TAKT_TESTS_SUPPORT_MPI_H
#define TAKT_TESTS_SUPPORT_MPI_H

#include <unistd.h>

#include "support/command.h"

/// Is there a takt-mpi in this build? If not, that is said.
static inline bool test_has_mpi(void)
{
    char path[TEST_PATH_SIZE];
    snprintf(path, sizeof path, "%s-mpi", TAKT_PROGRAM);
    if (access(path, X_OK) == 0) return true;
    print_message("NOT TESTED: there is no takt-mpi, as this build has found no MPI\n");
    return false;
}

/// Runs a command of the program on so many ranks. Also for root, in one computer only, and with more ranks than processors.
#define test_run_mpi(box, n, command)                                                              \
    test_run_program(box, "bash", "-c", TEST_MPIRUN, n, TAKT_PROGRAM, command, "0", NULL)

/// Only starts it. `patience`: how long mpirun waits, s, between SIGTERM and SIGKILL for ranks when one has failed, also where all have ended.
#define test_start_mpi(box, n, command, patience)                                                  \
    test_start_program(box, "bash", "-c", TEST_MPIRUN, n, TAKT_PROGRAM, command, patience, NULL)

/// The process of mpirun (the test has started timeout, which has started it), and those that it has started.
static inline pid_t test_mpirun_process(const test_sandbox *box)
{
    return test_child_process(box->process, 1);
}

static inline pid_t test_rank_process(const test_sandbox *box, int rank)
{
    return test_child_process(test_mpirun_process(box), rank + 1);
}

#define TEST_MPIRUN                                                                                \
    "set -f; "                                                                                     \
    "export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; exec timeout -k 5 100 "     \
    "mpirun --oversubscribe --bind-to none --mca btl vader,self --mca "                            \
    "btl_vader_single_copy_mechanism none --mca odls_base_sigkill_timeout $3 --mca "               \
    "oob_tcp_if_include lo --mca plm isolated -n \"$0\" \"$1-mpi\" $2"

#endif
