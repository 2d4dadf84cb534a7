// SPDX-License-Identifier: MIT
// How values of each type travel between our buffers and an FMU of FMI 3.0.
#ifndef TAKT_FMU_FMI3_CODEC_H
#define TAKT_FMU_FMI3_CODEC_H

#include "fmu/fmi3_instance.h"

typedef struct takt_fmi3_codec {
    /// Call the FMU. Sizes of Binary values lie in the instance.
    takt_status (*set)(takt_fmi3_instance *self, const takt_access_batch *batch, const void *values,
                       takt_error *err);
    takt_status (*get)(takt_fmi3_instance *self, const takt_access_batch *batch, void *values,
                       takt_error *err);
    size_t size; ///< of a value as the FMU wants it
    bool is_direct; ///< our values are like the FMU's
    bool has_sizes; ///< pack and unpack use `sizes`

    /// Converts n values from our buffers. Returns the index of the first one that does not fit, or -1.
    int (*pack)(const takt_values *from, int first, int n, void *to, size_t *sizes);

    /// Converts one value to our buffers. Returns false when memory is exhausted.
    bool (*unpack)(const void *from, const size_t *sizes, int i_from, takt_values *to, int i_to);
} takt_fmi3_codec;

/// By type; clocks have none, see fmi3_clocks.c.
extern const takt_fmi3_codec takt_fmi3_codecs[TAKT_N_TYPES];

#endif
