// SPDX-License-Identifier: MIT
// What modules carry from step to step besides takt_run_state, as pieces of memory without pointers: the one list for
// snapshots in memory (snapshot.h) and for checkpoints in files (checkpoint.h). What algorithms carry belongs to
// the blocks; see takt_algorithm_memory().
#ifndef TAKT_RUN_PIECES_H
#define TAKT_RUN_PIECES_H

#include "run/run.h"

typedef struct takt_piece {
    const char *name; ///< in checkpoints
    takt_memory memory; ///< empty: the module has nothing to do in this run
    bool (*is_sound)(const takt_run *run); ///< after it has come from a file; NULL: any is
} takt_piece;

enum { TAKT_N_PIECES = 4 };

void takt_pieces_find(takt_run *run, takt_piece out[TAKT_N_PIECES]);

#endif
