// SPDX-License-Identifier: MIT
// Workers in other processes than those of nests: ranks (takt/ranks.h). This is rank 0's side; rank_server.c is the other one. A worker has a
// region on both sides, whose content travels as messages.
#ifndef TAKT_REMOTE_LINK_H
#define TAKT_REMOTE_LINK_H

#include "base/error.h"
#include "instance/value.h"
#include "remote/parcel.h"
#include "remote/region.h"
#include "takt/ranks.h"

/// What a message is about; it begins with a takt_rank_head.
typedef enum takt_rank_kind {
    TAKT_RANK_OPEN, ///< opens the FMU of a recipe, as model `number`
    TAKT_RANK_PACKAGE, ///< the file of FMU `number`, which the rank has not found
    TAKT_RANK_START, ///< begins worker `number` of model `model`
    TAKT_RANK_ASK, ///< what has to be done by worker `number`
    TAKT_RANK_CLEAR, ///< ends worker `number`
    TAKT_RANK_END, ///< ends the rank
    TAKT_RANK_DONE, ///< answer to OPEN, PACKAGE and START: status and, where that failed, a text; `number` of OPEN: has it found the FMU?
    TAKT_RANK_ANSWER, ///< of worker `number`: a takt_rank_answer, its log, its answer
    TAKT_RANK_CRASHED, ///< the rank is dying in worker `number`: the takt_region_note; without: nobody knows in which
    TAKT_RANK_ENDING, ///< the rank has been asked to end; it goes on until rank 0 ends it
    TAKT_RANK_SENSELESS, ///< the rank has received what it cannot use
} takt_rank_kind;

/// Answers that wait for others of their rank are sent after this time at the latest, s.
#define TAKT_RANK_LATE 0.01

/// The fields of a region that an answer changes.
typedef struct takt_rank_answer {
    uint64_t log_size, answer_size;
    int64_t status, motion_order, n_derivatives, n_directional;
    uint32_t is_in_events, terminates, is_partial, has_text; ///< a text follows the answer
} takt_rank_answer;

typedef enum takt_link_signal {
    TAKT_LINK_ANSWERED,
    TAKT_LINK_GONE,
    TAKT_LINK_EXPIRED
} takt_link_signal;

int takt_link_count(const takt_ranks *ranks); ///< of processes
const char *takt_link_host(const takt_ranks *ranks, int rank);

/// Opens an FMU on a rank; `*model` is its number there. Where the rank does not see the FMU's files (`*is_here`), takt_link_bring() must follow.
takt_status takt_link_open(takt_ranks *ranks, int rank, const takt_bytes *recipe, int *model,
                           bool *is_here, takt_error *err);

/// Opens it from its file, which is sent to the rank.
takt_status takt_link_bring(takt_ranks *ranks, int rank, int model, const void *data, size_t size,
                            takt_error *err);

/// Begins a worker; it has a number and a region until takt_link_clear().
takt_status takt_link_start(takt_ranks *ranks, int rank, int model, int *number,
                            takt_region **region, takt_error *err);
void takt_link_clear(takt_ranks *ranks, int number);

/// Sends what the region has for the worker, which may wait until others for its rank have come, until takt_link_depart() or a wait for any answer.
void takt_link_send(takt_ranks *ranks, int number);

/// What still waits is sent.
void takt_link_depart(takt_ranks *ranks);

/// Waits until its answer is in the region, up to a time on the clock (infinite: for ever).
takt_link_signal takt_link_wait(takt_ranks *ranks, int number, double until);

/// It does not answer any more: nobody waits for its rank from now on.
void takt_link_give_up(takt_ranks *ranks, int number);

/// Has it sent something that makes no sense? It is not waited for then.
bool takt_link_is_senseless(const takt_ranks *ranks, int rank);

/// Is its rank not waited for, and has somebody who waited for any of its workers heard of that?
bool takt_link_is_over(const takt_ranks *ranks, int number);

int takt_link_rank_of(const takt_ranks *ranks, int number);

#endif
