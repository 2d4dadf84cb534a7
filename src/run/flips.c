// SPDX-License-Identifier: MIT
// Discrete values that do not come to rest; see flips.h.
#include "run/flips.h"

#include <stdio.h>

#include "run/naming.h"

uint64_t takt_hash_add(uint64_t hash, const void *data, size_t size)
{
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

bool takt_patterns_meet(takt_patterns *patterns, uint64_t hash)
{
    for (int i = 0; i < patterns->n; i++)
        if (patterns->seen[i] == hash) return true;
    if (patterns->n == TAKT_MAX_ROUNDS) return true;
    patterns->seen[patterns->n++] = hash;
    return false;
}

takt_flip takt_flip_find(const takt_run *run, double t)
{
    for (int b = 0; b < run->plan->n_blocks; b++) {
        const takt_flip *flip = &run->work.blocks[b].flip;
        if (flip->is_noted && flip->t == t) return *flip;
    }
    return (takt_flip){.is_noted = false};
}

void takt_flip_note(const takt_run *run, takt_flip *flip, takt_kind kind, int index,
                    const takt_values *before, double t)
{
    const takt_values *y = &run->state.y;
    *flip = (takt_flip){.is_noted = true, .t = t, .kind = kind, .index = index};
    if (kind == TAKT_KIND_REAL) {
        flip->before = before->real[index];
        flip->after = y->real[index];
    } else if (kind == TAKT_KIND_INTEGER) {
        flip->before = (double)before->integer[index];
        flip->after = (double)y->integer[index];
    }
}

void takt_flip_describe(const takt_run *run, const takt_flip *flip, double t, char *text,
                        size_t size)
{
    char name[200];
    text[0] = 0;
    if (!flip->is_noted || flip->t != t) return;
    takt_name_value(run, flip->kind, flip->index, name, sizeof name);
    if (flip->kind == TAKT_KIND_BYTES)
        snprintf(text, size, " (%s does not rest)", name);
    else
        snprintf(text, size, " (%s does not rest: it is %.15g, then %.15g, then %.15g again)", name,
                 flip->before, flip->after, flip->before);
}
