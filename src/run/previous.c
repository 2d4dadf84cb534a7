// SPDX-License-Identifier: MIT
// The values of the sweep before; see previous.h.
#include "run/previous.h"

static takt_status copy_discrete(const takt_run_block *block, const takt_values *from,
                                 takt_values *to, takt_error *err)
{
    for (int i = 0; i < block->n_own[TAKT_KIND_INTEGER]; i++) {
        int k = block->own[TAKT_KIND_INTEGER][i];
        to->integer[k] = from->integer[k];
    }
    for (int i = 0; i < block->n_own[TAKT_KIND_BYTES]; i++) {
        int k = block->own[TAKT_KIND_BYTES][i];
        if (!takt_bytes_assign(&to->bytes[k], from->bytes[k].data, from->bytes[k].size))
            return takt_fail_memory(err);
    }
    return TAKT_OK;
}

takt_status takt_previous_remember(takt_run *run, const takt_run_block *block, takt_error *err)
{
    for (int i = 0; i < block->n_own[TAKT_KIND_REAL]; i++) {
        int k = block->own[TAKT_KIND_REAL][i];
        run->previous.real[k] = run->y.real[k];
    }
    return copy_discrete(block, &run->y, &run->previous, err);
}

takt_status takt_previous_recall_discrete(takt_run *run, const takt_run_block *block,
                                          takt_error *err)
{
    return copy_discrete(block, &run->previous, &run->y, err);
}

bool takt_previous_discrete_agree(const takt_run *run, const takt_run_block *block)
{
    for (int i = 0; i < block->n_own[TAKT_KIND_INTEGER]; i++) {
        int k = block->own[TAKT_KIND_INTEGER][i];
        if (run->previous.integer[k] != run->y.integer[k]) return false;
    }
    for (int i = 0; i < block->n_own[TAKT_KIND_BYTES]; i++) {
        int k = block->own[TAKT_KIND_BYTES][i];
        if (!takt_bytes_equal(&run->previous.bytes[k], &run->y.bytes[k])) return false;
    }
    return true;
}
