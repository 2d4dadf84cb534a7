// SPDX-License-Identifier: MIT
// Hash table with linear probing; never more than half full. The hash is FNV-1a, seeded by the
// address of the entries, so that a hostile file cannot choose colliding names beforehand, and that a copy of
// a map, which shares them, finds the same.
#include "base/map.h"

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct takt_map_entry {
    const char *name; // NULL: free
    int index;
};

static size_t hash(const takt_map *map, const char *name)
{
    uint64_t h = 14695981039346656037u ^ (uint64_t)(uintptr_t)map->entries;
    for (; *name; name++) h = (h ^ (unsigned char)*name) * 1099511628211u;
    return (size_t)(h ^ h >> 32);
}

static struct takt_map_entry *place(const takt_map *map, const char *name)
{
    size_t mask = (size_t)map->capacity - 1;
    size_t i = hash(map, name) & mask;
    while (map->entries[i].name && strcmp(map->entries[i].name, name) != 0) i = (i + 1) & mask;
    return &map->entries[i];
}

static bool enlarge(takt_map *map)
{
    if (map->capacity > INT_MAX / 4) return false;
    takt_map old = *map;
    map->capacity = old.capacity ? 2 * old.capacity : 16;
    map->entries = calloc((size_t)map->capacity, sizeof *map->entries);
    if (!map->entries) {
        *map = old;
        return false;
    }
    for (int i = 0; i < old.capacity; i++)
        if (old.entries[i].name) *place(map, old.entries[i].name) = old.entries[i];
    free(old.entries);
    return true;
}

void takt_map_clear(takt_map *map)
{
    free(map->entries);
    *map = (takt_map){0};
}

int takt_map_find(const takt_map *map, const char *name)
{
    if (!map->entries) return -1;
    const struct takt_map_entry *entry = place(map, name);
    return entry->name ? entry->index : -1;
}

bool takt_map_add(takt_map *map, const char *name, int index)
{
    if (2 * (map->n_entries + 1) > map->capacity && !enlarge(map)) return false;
    *place(map, name) = (struct takt_map_entry){name, index};
    map->n_entries++;
    return true;
}
