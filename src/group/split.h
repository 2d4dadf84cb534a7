// SPDX-License-Identifier: MIT
// Access to variables of a group, split into accesses to its members.
#ifndef TAKT_GROUP_SPLIT_H
#define TAKT_GROUP_SPLIT_H

#include "group/group_model.h"

/// The part of an access that concerns one member.
typedef struct takt_split_part {
    int member;
    takt_access access;
    takt_values values; ///< in its order; owned
    const int *index[TAKT_N_KINDS]; ///< for each value its index in the values of the whole access
} takt_split_part;

typedef struct takt_split {
    struct takt_split *next;
    int n_variables;
    const int *variables; ///< of the whole access, group by group
    int n_parts;
    takt_split_part *parts;
} takt_split;

/// All accesses that were split so far: there are few different ones, and each is used again and again.
typedef struct takt_splitter {
    const takt_group_model *model;
    takt_split *splits;
    takt_arena arena;
} takt_splitter;

/// Finds or makes the parts of an access; NULL: out of memory. Only the first use of an access allocates.
const takt_split *takt_splitter_find(takt_splitter *splitter, const takt_access *access);
void takt_splitter_clear(takt_splitter *splitter); ///< accepts one that is all zero

/// Copy values between the whole and a part; false: out of memory.
bool takt_split_to_part(const takt_split_part *part, const takt_values *whole);
bool takt_split_from_part(const takt_split_part *part, takt_values *whole);

#endif
