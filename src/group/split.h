// SPDX-License-Identifier: MIT
// Access to variables of a group, split into accesses to its members.
#ifndef TAKT_GROUP_SPLIT_H
#define TAKT_GROUP_SPLIT_H

#include "group/group_model.h"

/// The portion of an access that concerns one member.
typedef struct takt_portion {
    int member;
    takt_access access;
    takt_values values; ///< in its order; owned
    const int *index[TAKT_N_KINDS]; ///< for each value its index in the values of the whole access
} takt_portion;

typedef struct takt_split {
    struct takt_split *next;
    int n_variables;
    const int *variables; ///< of the whole access, batch by batch
    int n_portions;
    takt_portion *portions;
} takt_split;

/// All accesses that were split so far: there are only a few, used over and over.
typedef struct takt_splitter {
    const takt_group_model *model;
    takt_split *splits;
    takt_arena arena;
} takt_splitter;

/// Finds or makes the portions of an access; NULL: out of memory. Only the first use of an access allocates.
const takt_split *takt_splitter_find(takt_splitter *splitter, const takt_access *access);
void takt_splitter_clear(takt_splitter *splitter); ///< accepts one that is all zero

/// Copies values from the whole access to the portion, or back; false: out of memory.
bool takt_portion_fill(const takt_portion *portion, const takt_values *whole);
bool takt_portion_return(const takt_portion *portion, takt_values *whole);

#endif
