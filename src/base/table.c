// SPDX-License-Identifier: MIT
// The owners of a table; see table.h. Readers make them.
#include "base/table.h"

#include <stdlib.h>

takt_table *takt_table_share(takt_table *table)
{
    table->n_more_owners++;
    return table;
}

void takt_table_destroy(takt_table *table)
{
    if (!table || table->n_more_owners-- > 0) return;
    takt_map_clear(&table->names);
    takt_arena_clear(&table->arena);
    free(table);
}
