// SPDX-License-Identifier: MIT
// XML that is written again stays as it was where it means the same.
#ifndef TAKT_BASE_XML_KEEP_H
#define TAKT_BASE_XML_KEEP_H

#include <stdbool.h>

#include "base/text.h"

/// Writes `after` to `out` so that each tag which says the same as one in `before`, the same document as a person wrote it, has its lines,
/// blanks, quotes and order of attributes; also the encoding and the ends of lines. `after` is in UTF-8. Where that is not possible (no
/// XML) it is `after` as it is. Returns false when memory is exhausted.
bool takt_xml_keep(const char *before, size_t n_before, const char *after, size_t n_after,
                   takt_text *out);

#endif
