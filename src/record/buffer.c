// SPDX-License-Identifier: MIT
// Memory of a buffer; see buffer.h.
#include "record/buffer.h"

#include <stdint.h>
#include <stdlib.h>

void takt_buffer_clear(takt_buffer *buffer)
{
    free(buffer->data);
    *buffer = (takt_buffer){0};
}

bool takt_buffer_reserve(takt_buffer *buffer, size_t more)
{
    if (more <= buffer->capacity - buffer->length) return true;
    if (more > SIZE_MAX / 2 - buffer->length) return false;
    size_t wanted = buffer->length + more;
    if (wanted < 2 * buffer->capacity) wanted = 2 * buffer->capacity;
    char *grown = realloc(buffer->data, wanted);
    if (!grown) return false;
    buffer->data = grown;
    buffer->capacity = wanted;
    return true;
}
