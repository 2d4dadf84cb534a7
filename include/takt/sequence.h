// SPDX-License-Identifier: MIT
// The plan of a system: in which order its components are called, which of them depend on each other in loops, and where an input
// acts on an output without delay.
#ifndef TAKT_SEQUENCE_H
#define TAKT_SEQUENCE_H

#include "takt/system.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The plan of a system.
typedef struct takt_sequence takt_sequence;

/// Components that are advanced together: one alone, or a loop. Blocks are called in order.
typedef struct takt_block_info {
    size_t size; ///< of this struct, set by the caller
    const char *const *members; ///< names of components, in calling order; borrowed
    int n_members; ///< how many
    const char *algorithm; ///< as in the setting
    const char *const *torn; ///< "Tank.level": read in a sweep before they are delivered
    int n_torn; ///< how many
    int level; ///< blocks of the same level do not depend on each other
    int is_loop; ///< the members depend on each other
    int is_algebraic; ///< a circle passes through feedthrough alone
} takt_block_info;

/// An output and the inputs that act on it without delay.
typedef struct takt_feedthrough_info {
    size_t size; ///< of this struct, set by the caller
    const char *component; ///< its name
    const char *output; ///< name of the variable
    const char *const *inputs; ///< names of variables of the same component; borrowed
    int n_inputs; ///< how many
    int is_known; ///< 0: nothing was said, so all inputs count
} takt_feedthrough_info;

/// Makes the plan. `is_static`: no code of FMUs is run, and what only instances can tell is not known. Owned by the caller; the system must
/// outlive it.
TAKT_API takt_status takt_sequence_create(const takt_system *system, int is_static,
                                          takt_sequence **out, takt_error *err);
TAKT_API void takt_sequence_destroy(takt_sequence *sequence); ///< accepts NULL

TAKT_API int takt_sequence_count_levels(const takt_sequence *sequence); ///< of blocks
TAKT_API int takt_sequence_count_blocks(const takt_sequence *sequence); ///< in calling order
TAKT_API int
takt_sequence_count_feedthroughs(const takt_sequence *sequence); ///< outputs of all components

/// One of each, by index from 0. TAKT_ERR_USAGE: there is none of this index.
TAKT_API takt_status takt_sequence_get_block(const takt_sequence *sequence, int index,
                                             takt_block_info *out, takt_error *err);
TAKT_API takt_status takt_sequence_get_feedthrough(const takt_sequence *sequence, int index,
                                                   takt_feedthrough_info *out, takt_error *err);

#ifdef __cplusplus
}
#endif
#endif
