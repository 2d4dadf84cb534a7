// SPDX-License-Identifier: MIT
// From names to indices.
#ifndef TAKT_BASE_MAP_H
#define TAKT_BASE_MAP_H

#include <stdbool.h>

/// A zeroed map is empty and ready for use. Names are borrowed and must outlive the map.
typedef struct takt_map {
    struct takt_map_entry *entries;
    int n_entries, capacity;
} takt_map;

void takt_map_clear(takt_map *map);

/// The index stored for a name, or -1.
int takt_map_find(const takt_map *map, const char *name);

/// Stores an index (not negative) for a name that is not in the map yet. Returns false when memory
/// is exhausted.
bool takt_map_add(takt_map *map, const char *name, int index);

#endif
