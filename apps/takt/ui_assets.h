// SPDX-License-Identifier: MIT
// The page, packed into the program when it was built (`make ui`).
#ifndef TAKT_APP_UI_ASSETS_H
#define TAKT_APP_UI_ASSETS_H

#include <stddef.h>

typedef struct ui_asset {
    const char *path; ///< "/", "/app.js"; NULL: behind the last one
    const char *type; ///< its media type
    const unsigned char *data; ///< compressed by gzip
    size_t size;
} ui_asset;

/// Nothing but the end if the program was built without the page.
extern const ui_asset ui_assets[];

#endif
