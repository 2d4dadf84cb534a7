// SPDX-License-Identifier: MIT
// Finding what the reader of descriptions of FMI 3.0 keeps; see fmi3_reader.h.
#include "description/fmi3_reader.h"

int takt_fmi3_count(const takt_variable *variable)
{
    return variable->array ? variable->array->n_elements : 1;
}

int takt_fmi3_find(const takt_fmi3_reader *fmi3, uint32_t reference)
{
    int low = 0, high = fmi3->references ? fmi3->n_references : 0;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (fmi3->references[middle].reference < reference)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_found = fmi3->references && low < fmi3->n_references &&
                    fmi3->references[low].reference == reference;
    return is_found ? fmi3->references[low].variable : -1;
}

int takt_fmi3_find_clock(const takt_list *clocks, int variable)
{
    const takt_fmi3_clock *items = clocks->items;
    int low = 0, high = clocks->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (items[middle].variable < variable)
            low = middle + 1;
        else
            high = middle;
    }
    return low < clocks->n && items[low].variable == variable ? low : -1;
}
