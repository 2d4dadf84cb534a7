// SPDX-License-Identifier: MIT
// The whole run at one communication point as bytes, so that another process can go on from there: the same pieces as
// those of a snapshot (snapshot.h), with the counts that say whether results are doubtful. The states of
// instances are apart, so that each can be named.
#ifndef TAKT_RUN_CHECKPOINT_H
#define TAKT_RUN_CHECKPOINT_H

#include "instance/pack.h"
#include "run/run.h"

/// Is the run between two steps, after its initialization?
takt_status takt_checkpoint_check_moment(const takt_run *run, takt_error *err);

/// Everything but the states of the instances. Bytes that do not belong to a run of this system are a failure with
/// TAKT_ERR_INPUT; the run cannot go on then.
takt_status takt_checkpoint_pack(takt_run *run, takt_packer *packer, takt_error *err);
takt_status takt_checkpoint_unpack(takt_run *run, takt_unpacker *unpacker, takt_error *err);

/// The state of one instance.
takt_status takt_checkpoint_pack_instance(takt_run *run, int i_instance, takt_bytes *out,
                                          takt_error *err);
takt_status takt_checkpoint_unpack_instance(takt_run *run, int i_instance, const void *data,
                                            size_t size, takt_error *err);

#endif
