// SPDX-License-Identifier: MIT
// One simulation over several processes, also on several computers ("ranks"): rank 0 runs it, the others have some of the FMUs. How
// messages travel is up to the program (takt-mpi uses MPI); results are the same, bit by bit, as in one process.
//
//     rank 0:      takt_ranks_create -> takt_system_create_on -> a run as usual -> takt_ranks_destroy
//     all others:  takt_ranks_serve
#ifndef TAKT_RANKS_H
#define TAKT_RANKS_H

#include <stddef.h>

#include "takt/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A piece of a message.
typedef struct takt_piece {
    const void *data; ///< borrowed during the call
    size_t size; ///< bytes
} takt_piece;

/// How messages travel between processes. Messages between two ranks keep their order. Functions are called by one thread at a time.
typedef struct takt_transport {
    size_t size; ///< of this struct
    void *context; ///< of the functions
    int rank, n_ranks; ///< of this process, and how many there are
    /// Sends the pieces as one message, and does not wait for the receiver: what is not yet sent has been copied. Returns
    /// 0; another value: the rank cannot be reached.
    int (*send)(void *context, int rank, const takt_piece *pieces, int n_pieces);
    /// Returns 1 if a message of any rank has come, which stays in `data` until the next call; 0: there is none now. Does not wait.
    int (*receive)(void *context, int *rank, void **data, size_t *size);
    /// Nothing has come for so long, s: gives other processes the processor, or sleeps for a moment.
    void (*rest)(void *context, double waited);
    /// Shall this process end, because others have died or the user wants it? Asked now and then while it waits.
    int (*is_ending)(void *context);
    const char *(*host)(void *context, int rank); ///< name of the computer
    /// On rank 0: another rank has been asked to end, by a signal; so shall all. NULL: that is ignored.
    void (*end)(void *context, int rank);
} takt_transport;

/// The other processes, seen from rank 0.
typedef struct takt_ranks takt_ranks;

/// On rank 0. `transport` and all it refers to must outlive it. Owned by the caller; must outlive what is made of projects that have it.
TAKT_API takt_status takt_ranks_create(const takt_transport *transport, takt_ranks **out,
                                       takt_error *err);

/// Lets the other processes end. Accepts NULL.
TAKT_API void takt_ranks_destroy(takt_ranks *ranks);

/// Has one of the others crashed, or does not answer? Then they cannot be waited for.
TAKT_API int takt_ranks_have_failed(const takt_ranks *ranks);

/// Where a component's FMU runs.
typedef struct takt_component_rank {
    const char *component; ///< its name
    int rank; ///< from 0
} takt_component_rank;

/// The same as takt_system_create(), with FMUs on other ranks: those of the list, all others on rank 0. Tables, functions, isolated FMUs and, with the
/// setting `me` central, FMUs for model exchange are always on rank 0. The list must outlive the system.
TAKT_API takt_status takt_system_create_on(const takt_project *project, takt_ranks *ranks,
                                           const takt_component_rank *list, int n,
                                           takt_system **out, takt_error *err);

/// On all other ranks: runs FMUs as rank 0 asks for, until it asks for the end, or the transport is ending.
TAKT_API takt_status takt_ranks_serve(const takt_transport *transport, takt_error *err);

#ifdef __cplusplus
}
#endif
#endif
