// SPDX-License-Identifier: MIT
// The end of a table; see table.h. Readers make them.
#include "base/table.h"

#include <stdlib.h>

void takt_table_destroy(takt_table *table)
{
    if (!table) return;
    takt_map_clear(&table->names);
    takt_arena_clear(&table->arena);
    free(table);
}
