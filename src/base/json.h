// SPDX-License-Identifier: MIT
// JSON over jansson, which goes on without what it cannot allocate.
#ifndef TAKT_BASE_JSON_H
#define TAKT_BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>

/// Before values are made.
void takt_json_begin(void);

/// Has an allocation failed since then?
bool takt_json_has_failed(void);

/// All of them as text, owned by the caller, who frees it; ends `all` (may be NULL). NULL: memory was exhausted, now
/// or since takt_json_begin().
char *takt_json_end(json_t *all);

/// A text that may not be UTF-8, such as the name of a file or a word of the command line: then other bytes
/// become '_'. NULL: out of memory.
json_t *takt_json_text(const char *text);

#endif
