// SPDX-License-Identifier: MIT
// The words that change a project, as the page sends them.
#ifndef TAKT_APP_UI_OPERATIONS_H
#define TAKT_APP_UI_OPERATIONS_H

#include <jansson.h>
#include <stdbool.h>

#include "takt/takt.h"

/// Applies one operation ({"op": "connect", "from": "A.y", "to": "B.u"}) to a project. Files that it names are resolved within `root`.
takt_status ui_operation_apply(takt_project *project, const char *root, const json_t *op,
                               takt_error *err);

/// Does an operation only concern the picture, so that nothing else has to be looked at anew?
bool ui_operation_is_layout(const json_t *op);

#endif
