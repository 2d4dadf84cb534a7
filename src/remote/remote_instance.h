// SPDX-License-Identifier: MIT
// The structs of forwarding instances. Only for src/remote.
#ifndef TAKT_REMOTE_REMOTE_INSTANCE_H
#define TAKT_REMOTE_REMOTE_INSTANCE_H

#include "fmu/options.h"
#include "instance/instance.h"
#include "me/equations.h"
#include "remote/isolation.h"
#include "remote/words.h"
#include "remote/worker.h"

/// The kind of the instances of one model.
typedef struct takt_remote_kind {
    takt_instance_type type; ///< first
    takt_instance_type forward; ///< what `type` is made of
    const takt_instance_type *inner; ///< that of the FMU, which the worker has
    takt_isolation options;
    takt_nest *nest; ///< NULL: not yet needed
    const char *results; ///< folder that the next instance may write into; NULL: none
    takt_placement placement; ///< of instances on ranks; `ranks` NULL: they are workers of the nest
    int *models; ///< per rank: the number that the model has there; -1: not opened yet
} takt_remote_kind;

/// A list of variables.
typedef struct takt_remote_list {
    int *variables; ///< NULL: none yet
    int n, capacity;
} takt_remote_list;

/// A state that the worker keeps.
typedef struct takt_remote_state {
    int64_t number;
    takt_bytes bytes; ///< of it, where the instance may be restarted
    struct takt_remote_state *next_live; ///< likewise: of those that are used
    struct takt_remote_state *next; ///< of those that nobody uses
} takt_remote_state;

typedef struct takt_remote {
    takt_instance base; ///< first
    takt_remote_kind *kind;
    takt_worker worker;
    takt_room ask; ///< calls that wait to be sent
    bool is_waiting; ///< there are some
    bool is_initialized; ///< from here on calls without results may wait
    bool has_just_stepped; ///< no other call came since
    takt_remote_list fetched; ///< what was read after steps
    bool is_fetching; ///< the present step brings it along
    const void *fetched_values; ///< in the answer; NULL: there are none
    takt_room answer; ///< where they begin
    takt_remote_state *unused;
    int64_t n_states;
    takt_me me; ///< what a group needs of the equations, which the worker has
    bool is_in_group; ///< which integrates them
    takt_remote_state *live;
    takt_bytes journal; ///< where it may be restarted: all messages before the first step
    takt_bytes last; ///< the state after the last step
    bool has_last;
    int n_revived; ///< since the last step that came to its end
    struct takt_kept *kept; ///< where its outputs may be held: what was read last; NULL: not
    double t, h; ///< s; of the step that has begun
    char told[TAKT_REGION_NOTE]; ///< what the sandbox refused last, and was reported
    bool is_ended; ///< the FMU has been freed
    takt_status failure; ///< of a worker that has gone; TAKT_OK: none has
} takt_remote;

/// May the instance be restarted?
static inline bool takt_remote_restarts(const takt_remote *self)
{
    return self->kind->options.after_crash == TAKT_CRASH_RESTARTS &&
           takt_model_can_serialize(self->base.model);
}

/// Starts the worker of an instance, in the nest that is there.
static inline takt_status takt_remote_start(takt_remote *self, takt_error *err)
{
    bool is_integrated = takt_fmu_way_of(self->base.model) == TAKT_FMU_32_BITS;
    return takt_worker_start(&self->worker, self->kind->nest, is_integrated, err);
}

#endif
