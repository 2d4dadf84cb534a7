// SPDX-License-Identifier: MIT
// What messages are made of; see words.h.
#include "remote/words.h"

#include <string.h>

const char *takt_op_text(unsigned op)
{
    static const char *const texts[TAKT_N_OPS] = {
#define OP_TEXT(name, text, handler) [name] = text,
        TAKT_OP_LIST(OP_TEXT)
#undef OP_TEXT
    };
    return op > TAKT_OP_NONE && op < TAKT_N_OPS ? texts[op] : NULL;
}

int takt_access_size(const takt_access *access)
{
    return access->n_values[TAKT_KIND_REAL] + access->n_values[TAKT_KIND_INTEGER] +
           access->n_values[TAKT_KIND_BYTES];
}

void takt_room_put_access(takt_room *room, const takt_access *access)
{
    int n = takt_access_size(access);
    takt_room_put_number(room, n);
    int *place = takt_room_next(room, (uint64_t)n * sizeof *place);
    for (int i = 0; i < access->n_batches && place; i++) {
        const takt_access_batch *batch = &access->batches[i];
        memcpy(place, batch->variables, (size_t)batch->n_values * sizeof *place);
        place += batch->n_values;
    }
}

bool takt_access_is(const takt_access *access, const int *variables, int n)
{
    if (takt_access_size(access) != n) return false;
    for (int i = 0; i < access->n_batches; i++) {
        const takt_access_batch *batch = &access->batches[i];
        size_t size = (size_t)batch->n_values * sizeof *variables;
        if (memcmp(batch->variables, variables, size) != 0) return false;
        variables += batch->n_values;
    }
    return true;
}
