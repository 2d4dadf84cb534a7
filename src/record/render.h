// SPDX-License-Identifier: MIT
// Pictures in SVG as PNG or PDF, by the library librsvg. It is loaded when it is needed: Takt can be built and used without it.
#ifndef TAKT_RECORD_RENDER_H
#define TAKT_RECORD_RENDER_H

#include "base/error.h"
#include "base/text.h"

typedef enum takt_render_format { TAKT_RENDER_PNG, TAKT_RENDER_PDF } takt_render_format;

/// Appends the picture to `out`, which the caller clears in any case; width and height are in pixels.
takt_status takt_render(const char *svg, size_t size, int width, int height,
                        takt_render_format format, takt_text *out, takt_error *err);

#endif
