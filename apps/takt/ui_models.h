// SPDX-License-Identifier: MIT
// What FMUs, tables and functions say about themselves, read once for each.
#ifndef TAKT_APP_UI_MODELS_H
#define TAKT_APP_UI_MODELS_H

#include <jansson.h>

/// Descriptions by path.
typedef struct ui_models {
    json_t *known; ///< path -> {"stamp": ..., "model": description}
} ui_models;

/// The description of an FMU, a table or a function: kind, version, tool, ..., variables. Where it cannot be opened it has
/// only "error". Nothing of its code is run. Borrowed until the next call; NULL: out of memory.
const json_t *ui_models_get(ui_models *models, const char *source);

void ui_models_clear(ui_models *models);

#endif
