// SPDX-License-Identifier: MIT
// A worker, as the master sees it: a process with one instance of an FMU. What it says is not trusted.
#ifndef TAKT_REMOTE_WORKER_H
#define TAKT_REMOTE_WORKER_H

#include "base/log.h"
#include "remote/integrator.h"
#include "remote/link.h"
#include "remote/nest.h"
#include "remote/region.h"

typedef struct takt_worker {
    takt_nest *nest; ///< held
    takt_region *region; ///< NULL: there is no worker
    int process;
    unsigned seen; ///< of takt_region::answered
    int n_processors; ///< that this process may use
    unsigned n_sent; ///< messages of this process to all workers, when this one got its last
    bool is_busy; ///< with a message
    takt_patience patience; ///< while its answer is waited for
    bool has_gone; ///< it has ended, or was killed: it is not asked any more
    takt_integrator *integrator; ///< for its equations; NULL: it has one of its own
    takt_ranks *ranks; ///< borrowed; it is on one of these; NULL: it is of the nest
    int number; ///< there
} takt_worker;

/// Starts a worker of a nest, which may have no integrator of its own. Ended by takt_worker_clear().
takt_status takt_worker_start(takt_worker *worker, takt_nest *nest, bool is_integrated,
                              takt_error *err);

/// Starts a worker of a model that was opened on a rank.
takt_status takt_worker_start_on(takt_worker *worker, takt_ranks *ranks, int rank, int model,
                                 takt_error *err);

/// Kills it if it still runs. Accepts one that is all zero.
void takt_worker_clear(takt_worker *worker);

/// The room for a message.
takt_room takt_worker_room(const takt_worker *worker);

/// Sends what lies in the room of messages, up to `end`.
void takt_worker_send(takt_worker *worker, const char *end);

/// Waits for the answer, for so many seconds at most (infinite: for ever). Messages of the worker's log go to `log`. Fails with TAKT_ERR_CRASH
/// where the worker has died and TAKT_ERR_TIMEOUT where it had to be killed, else as the call did.
takt_status takt_worker_receive(takt_worker *worker, double timeout, takt_log *log, takt_room *out,
                                takt_error *err);

/// What the sandbox has refused last; "": nothing.
void takt_worker_refused(const takt_worker *worker, char out[TAKT_REGION_NOTE]);

/// Of a worker that has ended: a file that it left in its working folder, which has gone; "": none.
void takt_worker_left(const takt_worker *worker, char out[TAKT_REGION_NOTE]);

/// Lets a worker end that has been asked to. Returns how it ended otherwise, or NULL.
bool takt_worker_has_ended_well(takt_worker *worker, double timeout);

#endif
