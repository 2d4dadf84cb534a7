// SPDX-License-Identifier: MIT
// Checkpoints: the whole run in a file or as bytes, from which another process goes on exactly where it stood.
//
//     takt_run_create -> takt_run_allow_checkpoints -> takt_run_record -> takt_run_initialize
//     -> (takt_run_step -> takt_run_checkpoint)* -> ...
// and later
//     takt_checkpoint_open -> takt_run_create -> takt_run_continue_record -> takt_run_resume -> takt_run_step* -> ...
#ifndef TAKT_CHECKPOINT_H
#define TAKT_CHECKPOINT_H

#include <stddef.h>

#include "takt/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A checkpoint that was read.
typedef struct takt_checkpoint takt_checkpoint;

/// Prepares a run for checkpoints: all instances must be able to turn their state into bytes. Those that cannot are all
/// named in the log, and the status is TAKT_ERR_INPUT. Call it before takt_run_record().
TAKT_API takt_status takt_run_allow_checkpoints(takt_run *run, takt_error *err);

/// Writes a checkpoint between two steps, after takt_run_allow_checkpoints(). Rows of results so far are on the disk then.
/// A file that is there stays as it is until the new one is complete; where that cannot be promised (a pipe, a folder
/// without permission), this fails. After a failure with TAKT_ERR_OUTPUT the run can go on.
TAKT_API takt_status takt_run_checkpoint(takt_run *run, const char *path, takt_error *err);

/// Reads a checkpoint. Owned by the caller. Files that are damaged, cut off, or no checkpoints are TAKT_ERR_INPUT.
TAKT_API takt_status takt_checkpoint_open(const char *path, takt_checkpoint **out, takt_error *err);

/// The same as takt_run_checkpoint() in memory, between any two steps; the run needs no preparation. The bytes can be stored, sent, and read by
/// takt_checkpoint_deserialize(). Owned by the caller, freed with takt_free().
TAKT_API takt_status takt_run_serialize(takt_run *run, void **out, size_t *size, takt_error *err);

/// Reads such bytes, or those of a file; they are copied. Owned by the caller. Bytes that are damaged are TAKT_ERR_INPUT.
TAKT_API takt_status takt_checkpoint_deserialize(const void *data, size_t size,
                                                 takt_checkpoint **out, takt_error *err);

/// Accepts NULL.
TAKT_API void takt_checkpoint_close(takt_checkpoint *checkpoint);

/// Its time, in s.
TAKT_API double takt_checkpoint_time(const takt_checkpoint *checkpoint);

/// The file of results that belongs to it; NULL: there is none that could be continued.
TAKT_API const char *takt_checkpoint_results(const takt_checkpoint *checkpoint);

/// Is the checkpoint one of this run's system? FMUs, tables, connections, settings and start values must be the same, but for a stop
/// time that is earlier, settings that do not change results, and parameters that may be tuned. All differences are named in the log; then
/// the status is TAKT_ERR_INPUT. `n_changed` (may be NULL) is the number of tunable parameters with other values.
TAKT_API takt_status takt_run_compare_checkpoint(takt_run *run, const takt_checkpoint *checkpoint,
                                                 int *n_changed, takt_error *err);

/// The same as takt_run_record(), but goes on with the checkpoint's file of results, which is cut to the rows before the
/// checkpoint. A file that has changed is left alone, and the status is TAKT_ERR_INPUT.
TAKT_API takt_status takt_run_continue_record(takt_run *run, const takt_checkpoint *checkpoint,
                                              takt_error *err);

/// Goes to the checkpoint, instead of takt_run_initialize(): the instances are initialized, then everything takes the
/// state of the checkpoint, then tunable parameters get their values where these are others. Files of results that are new begin with a row.
TAKT_API takt_status takt_run_resume(takt_run *run, const takt_checkpoint *checkpoint,
                                     takt_error *err);

#ifdef __cplusplus
}
#endif

#endif
