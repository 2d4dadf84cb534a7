// SPDX-License-Identifier: MIT
// Room for values of an instance of FMI 3.0; see fmi3_instance.h.
#include "fmu/fmi3_instance.h"

#include <stdlib.h>

bool takt_fmi3_reserve(void **room, size_t *room_size, size_t size)
{
    if (size <= *room_size) return true;
    void *grown = realloc(*room, size);
    if (!grown) return false;
    *room = grown;
    *room_size = size;
    return true;
}
