// SPDX-License-Identifier: MIT
// Access to several variables of one model at once. Variables are sorted by type into batches, so that an
// instance needs one FMI call per type and not one per variable.
#ifndef TAKT_INSTANCE_ACCESS_H
#define TAKT_INSTANCE_ACCESS_H

#include "instance/model.h"

/// Variables of the same type; their values lie together in the buffer of their kind.
typedef struct takt_access_batch {
    takt_type type;
    int first; ///< index of the first value
    int n_values; ///< one per variable; an element of an array is a variable
    int n_refs; ///< number of value references; smaller than n_values where there are arrays
    const uint32_t *refs;
    const int *variables; ///< indices in the model, one per value
    bool is_whole; ///< every array is there with all elements in order, so that one call suffices
} takt_access_batch;

typedef struct takt_access {
    int n_batches;
    const takt_access_batch *batches;
    int n_values[TAKT_N_KINDS];
} takt_access;

/// Where the value of a variable lies in the buffers of an access.
typedef struct takt_slot {
    takt_kind kind;
    int index;
} takt_slot;

/// Makes an access to `n` variables of a model, in `arena`. Writes to slots[i] where the value of
/// variables[i] lies (`slots` may be NULL). Values keep the given order within a type. Returns
/// false when memory is exhausted.
bool takt_access_create(takt_arena *arena, const takt_model *model, const int *variables, int n,
                        takt_access *out, takt_slot *slots);

/// The index in the model of the variable whose value lies in the buffer of `kind` at `index`; -1:
/// there is none.
int takt_access_index(const takt_access *access, takt_kind kind, int index);

/// The variable whose value lies in the buffer of `kind` at `index`; for messages.
const takt_variable *takt_access_variable(const takt_access *access, const takt_model *model,
                                          takt_kind kind, int index);

#endif
