// SPDX-License-Identifier: MIT
// Bytes to be written.
#ifndef TAKT_RECORD_BUFFER_H
#define TAKT_RECORD_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/// A zeroed buffer is empty and ready for use.
typedef struct takt_buffer {
    char *data;
    size_t length, capacity;
} takt_buffer;

void takt_buffer_clear(takt_buffer *buffer);

/// Makes room for `more` bytes. Returns false when memory is exhausted.
bool takt_buffer_reserve(takt_buffer *buffer, size_t more);

/// One byte, or some; there must be room.
static inline void takt_buffer_put(takt_buffer *buffer, char c)
{
    buffer->data[buffer->length++] = c;
}
static inline void takt_buffer_put_n(takt_buffer *buffer, const void *data, size_t size)
{
    memcpy(buffer->data + buffer->length, data, size);
    buffer->length += size;
}

#endif
