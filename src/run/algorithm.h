// SPDX-License-Identifier: MIT
// The contract for master algorithms: each advances one block of the plan from t to t + h. One
// algorithm per file; nobody else asks which one a block has.
//
// An algorithm that solves loops works on a loop problem (loop.h) and never sees an instance. Letters are
// those of the papers: t and h, y for the values that travel.
#ifndef TAKT_RUN_ALGORITHM_H
#define TAKT_RUN_ALGORITHM_H

#include "run/outcome.h"

/// Something that an algorithm counts, for statistics.
typedef struct takt_algorithm_count {
    const char *name; ///< key in the statistics
    int64_t value;
} takt_algorithm_count;

typedef struct takt_algorithm_type {
    const takt_algorithm_facts *facts; ///< required
    bool is_pass; ///< one pass over the members and nothing else: blocks may be advanced together

    /// Required. Advances the members of a block, and those of blocks that are joined with it. When a member
    /// does not reach t + h, says so in the outcome, and leaves the others where they are.
    takt_status (*advance)(takt_run *run, takt_run_block *block, const takt_step *step,
                           takt_outcome *outcome, takt_error *err);

    /// Optional: makes the data that the algorithm keeps for a block, with the lifetime of the run, before the
    /// first step with this algorithm. Fails where the algorithm is not possible. Without it the data are NULL.
    takt_status (*prepare)(takt_run *run, takt_run_block *block, void **data, takt_error *err);

    /// Optional: frees what does not lie in the run's arena.
    void (*destroy)(void *data);

    /// Optional: drops what was learnt in earlier steps, because the block has been advanced by another
    /// algorithm since.
    void (*forget)(void *data);

    /// Optional: all that is carried from step to step, for snapshots. Without it steps know nothing of each
    /// other.
    takt_memory (*memory)(void *data);

    /// Required with memory that has more than real numbers: may the memory be used, after it has come from a file? Counts,
    /// indices and truth values within limits; real numbers may be any.
    bool (*is_sound)(const void *data);

    /// Optional: what was counted so far. Returns how many there are, at most `room`.
    int (*count)(const void *data, takt_algorithm_count *out, int room);
} takt_algorithm_type;

extern const takt_algorithm_type takt_jacobi_algorithm, takt_seidel_algorithm,
    takt_fixed_point_algorithm, takt_newton_algorithm, takt_quasi_newton_algorithm,
    takt_anderson_algorithm;

/// What the algorithm of a block carries from step to step.
static inline takt_memory takt_algorithm_memory(const takt_algorithm_use *use)
{
    return use->type->memory ? use->type->memory(use->data) : (takt_memory){0};
}

static inline bool takt_algorithm_is_sound(const takt_algorithm_use *use)
{
    return !use->type->is_sound || use->type->is_sound(use->data);
}

/// Does the algorithm of a block rewind its members?
static inline bool takt_block_iterates(const takt_run_block *block)
{
    return block->use->type->facts->iterates;
}

/// Do the members of a block get the values of the last communication point?
static inline bool takt_block_is_simultaneous(const takt_run_block *block)
{
    return block->use->type->facts->is_simultaneous;
}

#endif
