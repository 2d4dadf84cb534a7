// SPDX-License-Identifier: MIT
// The file of a checkpoint: what the run was made from, as facts that can be compared and named; where its results
// stand; its state and those of its instances, as bytes that this file does not look into.
//
//     "TAKTCKPT", number of the format, mark of the byte order, size of the content, content, SHA-256 of all before
//
// A file is written beside the old one and takes its place when it is complete on the disk, so that there is always a
// whole one. What is read is trusted in nothing before the sum has been found right, and in no size afterwards.
#ifndef TAKT_RECORD_CHECKPOINT_FILE_H
#define TAKT_RECORD_CHECKPOINT_FILE_H

#include "run/observer.h"
#include "system/identity.h"
#include "takt/checkpoint.h"

enum { TAKT_CHECKPOINT_FORMAT = 5 }; ///< grows with every change of a file

typedef struct takt_saved_instance {
    const char *name;
    const char *data;
    size_t size; ///< bytes
} takt_saved_instance;

/// The content; texts and bytes are borrowed from `bytes`, or, for writing, from the caller.
struct takt_checkpoint {
    takt_arena arena;
    char *bytes; ///< owned; NULL: to be written
    double time; ///< s
    takt_fact *facts; ///< without places of start values
    int n_facts;
    takt_file_mark results; ///< path NULL: none that could be continued
    const char *run;
    size_t run_size; ///< bytes
    takt_saved_instance *instances;
    int n_instances;
};

/// The bytes of a file, added to `out`, which is empty.
takt_status takt_checkpoint_print(const takt_checkpoint *content, takt_bytes *out, takt_error *err);

/// Writes these bytes to a file; one that is there stays valid until the new one is complete.
takt_status takt_checkpoint_file_write(const char *path, const takt_bytes *bytes, takt_error *err);

/// Reads a file. The result is owned by the caller; see takt_checkpoint_close().
takt_status takt_checkpoint_file_read(const char *path, takt_checkpoint **out, takt_error *err);

/// The same from memory. The data, which was allocated with malloc(), is taken over, also when this fails. Messages do not name
/// the file.
takt_status takt_checkpoint_parse(char *data, size_t size, takt_checkpoint **out, takt_error *err);

#endif
