// SPDX-License-Identifier: MIT
// Pieces of state, saved or loaded by the same functions; see stream.h. When loading, no byte is
// trusted: lengths are compared with what is left before memory is taken.
#include "stream.h"

#include <string.h>

void fmukit_refuse(fmukit_stream *s, const char *reason)
{
    if (!s->is_loading || s->failed) return;
    s->failed = true;
    fmukit_fail(s->fmu, FMUKIT_ERROR, "the saved state cannot be used: %s", reason);
}

bool fmukit_is_loading(const fmukit_stream *s)
{
    return s->is_loading;
}

fmukit_instance *fmukit_stream_instance(const fmukit_stream *s)
{
    return s->fmu;
}

// When loading: are there n bytes left? Refuses the state if not.
static bool has_left(fmukit_stream *s, size_t n)
{
    if (s->failed) return false;
    if (n <= s->capacity - s->position) return true;
    fmukit_refuse(s, "it is too short");
    return false;
}

void fmukit_bytes(fmukit_stream *s, void *bytes, size_t n)
{
    if (n == 0) return;
    if (s->is_loading) {
        if (!has_left(s, n)) return;
        memcpy(bytes, s->bytes + s->position, n);
    } else if (s->position <= s->capacity && n <= s->capacity - s->position) {
        memcpy(s->bytes + s->position, bytes, n);
    }
    s->position += n;
}

void fmukit_real(fmukit_stream *s, double *value)
{
    fmukit_bytes(s, value, sizeof *value);
}

void fmukit_reals(fmukit_stream *s, double *values, size_t n)
{
    fmukit_bytes(s, values, n * sizeof *values);
}

void fmukit_integer(fmukit_stream *s, int *value)
{
    fmukit_bytes(s, value, sizeof *value);
}

void fmukit_integers(fmukit_stream *s, int *values, size_t n)
{
    fmukit_bytes(s, values, n * sizeof *values);
}

// A byte other than 0 and 1 must not get into a bool.
void fmukit_boolean(fmukit_stream *s, bool *value)
{
    unsigned char byte = *value;
    fmukit_bytes(s, &byte, 1);
    *value = byte != 0;
}

void fmukit_count(fmukit_stream *s, size_t *count, size_t limit)
{
    size_t loaded = *count;
    fmukit_bytes(s, &loaded, sizeof loaded);
    if (s->is_loading && loaded > limit) fmukit_refuse(s, "a length in it is too large");
    if (!s->failed) *count = loaded;
}

void fmukit_buffer(fmukit_stream *s, void *items, size_t *n_items, size_t item_size)
{
    size_t n = *n_items;
    size_t most = s->is_loading && item_size ? (s->capacity - s->position) / item_size : (size_t)-1;
    fmukit_count(s, &n, most);
    if (s->failed) return;
    void *memory; // `items` is the address of a pointer of any type
    memcpy(&memory, items, sizeof memory);
    if (s->is_loading && n != *n_items) {
        void *fresh = n ? fmukit_alloc(s->fmu, n, item_size) : NULL;
        if (n && !fresh) {
            fmukit_refuse(s, "out of memory");
            return;
        }
        fmukit_free(s->fmu, memory);
        memory = fresh;
        memcpy(items, &memory, sizeof memory);
        *n_items = n;
    }
    fmukit_bytes(s, memory, n * item_size);
}

void fmukit_stream_binary(fmukit_stream *s, fmukit_binary *binary)
{
    size_t size = s->is_loading ? 0 : binary->size;
    fmukit_count(s, &size, s->is_loading ? s->capacity - s->position : size);
    if (s->failed) return;
    if (!s->is_loading) {
        fmukit_bytes(s, (void *)(size_t)binary->bytes, size); // saving does not write to it
        return;
    }
    if (!has_left(s, size)) return;
    *binary = (fmukit_binary){s->bytes + s->position, size};
    s->position += size;
}

void fmukit_stream_text(fmukit_stream *s, const char **text)
{
    fmukit_binary loaded = {*text, s->is_loading ? 0 : strlen(*text) + 1};
    fmukit_stream_binary(s, &loaded);
    if (!s->is_loading || s->failed) return;
    const char *end = loaded.size ? memchr(loaded.bytes, 0, loaded.size) : NULL;
    if (!end || end != (const char *)loaded.bytes + loaded.size - 1)
        fmukit_refuse(s, "a string in it has no end");
    else
        *text = loaded.bytes;
}
