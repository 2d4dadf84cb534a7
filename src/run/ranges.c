// SPDX-License-Identifier: MIT
// Values that are neighbours; see ranges.h.
#include "run/ranges.h"

bool takt_ranges_create(takt_arena *arena, int n_values, takt_ranges *out)
{
    out->n = 0;
    out->of = takt_arena_array(arena, (size_t)n_values / 2 + 1, sizeof *out->of);
    return out->of != NULL;
}

void takt_ranges_list(takt_ranges *ranges, const bool *marks, int n_values)
{
    ranges->n = 0;
    for (int i = 0; i < n_values; i++) {
        if (!marks[i]) continue;
        int first = i;
        while (i < n_values && marks[i]) i++;
        ranges->of[ranges->n++] = (takt_range){first, i};
    }
}
