// SPDX-License-Identifier: MIT
// Reads JSON (RFC 8259) piece by piece and says in which line each piece stands, so that messages about files that
// people write can name it. The caller drives:
//
//     takt_json_scan_value(&scan, &value);
//     if (value.kind == TAKT_JSON_OBJECT)
//         while (takt_json_scan_key(&scan, &key) && takt_json_scan_value(&scan, &value)) ...
//
// A value that is an object or a list and is of no interest is passed over by takt_json_scan_skip().
#ifndef TAKT_BASE_JSON_SCAN_H
#define TAKT_BASE_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

typedef enum takt_json_kind {
    TAKT_JSON_NULL,
    TAKT_JSON_FALSE,
    TAKT_JSON_TRUE,
    TAKT_JSON_NUMBER,
    TAKT_JSON_STRING,
    TAKT_JSON_OBJECT, ///< its keys follow
    TAKT_JSON_LIST, ///< its items follow
} takt_json_kind;

typedef struct takt_json_piece {
    takt_json_kind kind;
    const char *
        text; ///< of a string; of everything else but objects and lists as it is written; in the arena
    int line;
} takt_json_piece;

enum { TAKT_JSON_MAX_DEPTH = 64 };

/// Begin with {.at = text, .end = text + size, .line = 1, .arena = arena}; the text must be UTF-8.
typedef struct takt_json_scan {
    const char *at, *end;
    int line; ///< of `at`
    takt_arena *arena; ///< for texts
    int depth; ///< of objects and lists that are open
    bool has_items; ///< the innermost one has had an item
    const char *
        error; ///< what is wrong in `line`; NULL: nothing so far. After an error all functions return false
    bool is_out_of_memory;
} takt_json_scan;

/// Reads a value; of an object or a list only its beginning.
bool takt_json_scan_value(takt_json_scan *scan, takt_json_piece *out);

/// The next key of the innermost object; false: it has no more, and is closed, or there is an error.
bool takt_json_scan_key(takt_json_scan *scan, takt_json_piece *out);

/// Is there another item in the innermost list? False: no, and it is closed, or there is an error.
bool takt_json_scan_item(takt_json_scan *scan);

/// Passes over all that belongs to a value that was read.
bool takt_json_scan_skip(takt_json_scan *scan, const takt_json_piece *value);

/// Nothing may follow the outermost value.
bool takt_json_scan_end(takt_json_scan *scan);

#endif
