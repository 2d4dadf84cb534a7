// SPDX-License-Identifier: MIT
// The inside of fmukit_stream. Saving counts bytes even where there is no room for them, so that
// measuring is saving without room.
#ifndef FMUKIT_STREAM_H
#define FMUKIT_STREAM_H

#include "core.h"

struct fmukit_stream {
    fmukit_instance *fmu;
    bool is_loading;
    bool failed; ///< only when loading; everything after that is ignored
    unsigned char *bytes;
    size_t capacity; ///< of `bytes`: room when saving, length when loading
    size_t position; ///< when saving it may be beyond the capacity
};

/// When loading: how many bytes are left.
static inline size_t fmukit_left(const fmukit_stream *s)
{
    return s->failed ? 0 : s->capacity - s->position;
}

/// A string; loading points `*text` into the stream's bytes.
void fmukit_stream_text(fmukit_stream *s, const char **text);
/// The same for bytes.
void fmukit_stream_binary(fmukit_stream *s, fmukit_binary *binary);

#endif
