// SPDX-License-Identifier: MIT
// The values that go from member to member at events only: discrete ones of all types.
#ifndef TAKT_GROUP_EXCHANGE_H
#define TAKT_GROUP_EXCHANGE_H

#include "group/group_model.h"

typedef struct takt_group_exchange {
    const takt_plan *plan;
    takt_instance *const *members; ///< borrowed
    takt_values y, u; ///< as in the plan
    bool has_values; ///< inputs have been set before
} takt_group_exchange;

/// Makes an exchange; `members` and the plan must outlive it. End it with takt_group_exchange_clear(), also after a
/// failure. Returns false when memory is exhausted.
bool takt_group_exchange_init(takt_group_exchange *exchange, const takt_plan *plan,
                              takt_instance *const *members);
void takt_group_exchange_clear(takt_group_exchange *exchange); ///< accepts one that is all zero

/// Reads all outputs, then sets the inputs of those members that get another value than before, and marks
/// these members in `changed`. Only in event mode.
takt_status takt_group_exchange_run(takt_group_exchange *exchange, bool *changed, takt_error *err);

#endif
