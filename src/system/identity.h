// SPDX-License-Identifier: MIT
// What a system is made of, as a list of facts: two systems with the same facts have the same results. For
// checkpoints, which must not be continued with anything else.
#ifndef TAKT_SYSTEM_IDENTITY_H
#define TAKT_SYSTEM_IDENTITY_H

#include "system/system.h"

typedef struct takt_fact {
    const char *name, *value; ///< as a user would read them
    int component, i_start; ///< of a start value, in the system with the instances; else -1
} takt_fact;

typedef struct takt_identity {
    takt_fact *facts;
    int n_facts;
} takt_identity;

/// Lists the facts, in `arena`. `system` is the user's; `with_instances` the same, but perhaps with groups in place of
/// components. Reads the files of all FMUs and tables.
takt_status takt_identity_find(const takt_system *system, const takt_system *with_instances,
                               takt_arena *arena, takt_identity *out, takt_error *err);

/// The facts as text, a line for each: "name: value". Owned by the caller, who frees it.
takt_status takt_identity_describe(const takt_system *system, takt_format format, char **out,
                                   takt_error *err);

/// May the value be changed while an instance runs?
bool takt_identity_is_tunable(const takt_system *with_instances, const takt_fact *fact);

#endif
