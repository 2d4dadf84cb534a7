// SPDX-License-Identifier: MIT
// The values that travel from member to member at events only: discrete ones of all types.
#ifndef TAKT_GROUP_TRANSFER_H
#define TAKT_GROUP_TRANSFER_H

#include "group/group_model.h"

typedef struct takt_group_transfer {
    const takt_plan *plan;
    takt_instance *const *members; ///< borrowed
    takt_values y, u; ///< as in the plan
    bool has_values; ///< inputs have been set before
} takt_group_transfer;

/// Prepares it; `members` and the plan must outlive it. End it with takt_group_transfer_clear(), also after a
/// failure. Returns false when memory is exhausted.
bool takt_group_transfer_init(takt_group_transfer *transfer, const takt_plan *plan,
                              takt_instance *const *members);
void takt_group_transfer_clear(takt_group_transfer *transfer); ///< accepts one that is all zero

/// Reads all outputs, then sets the inputs of those members for which a value has changed, and marks
/// these members in `changed`. Only in event mode.
takt_status takt_group_transfer_run(takt_group_transfer *transfer, bool *changed, takt_error *err);

#endif
