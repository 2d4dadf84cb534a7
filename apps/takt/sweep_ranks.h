// SPDX-License-Identifier: MIT
// A sweep on the ranks of takt-mpi: rank 0 has the manifest and deals variants, every rank runs those that it is given with workers of its own, and asks
// for more in time. Each rank opens the project itself; one that finds other files than rank 0 gets no variants.
#ifndef TAKT_APP_SWEEP_RANKS_H
#define TAKT_APP_SWEEP_RANKS_H

#include "sweep_pool.h"
#include "takt/ranks.h"

/// What a rank has to do with.
typedef struct sweep_rank {
    const takt_transport *transport;
    sweep_job *job;
    const char *definition; ///< of the sweep; the same on all ranks
    int n_workers;
    double timeout; ///< s for each variant; 0: none
} sweep_rank;

/// On rank 0: runs the dealer's variants here and on all others, until there are none any more.
takt_status sweep_ranks_lead(const sweep_rank *rank, const sweep_dealer *dealer, takt_error *err);

/// On another one: runs what rank 0 deals out. What fails is told by rank 0.
void sweep_ranks_serve(const sweep_rank *rank);

/// On another one: it cannot take part.
void sweep_ranks_fail(const takt_transport *transport, const takt_error *err);

/// On another one: waits until rank 0 has begun a sweep (true), or the program is to end (false).
bool sweep_ranks_wait(const takt_transport *transport);

/// On rank 0, at the end of the program: all others may end.
void sweep_ranks_end(const takt_transport *transport);

#endif
