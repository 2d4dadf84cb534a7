// SPDX-License-Identifier: MIT
// A plan as a picture.
#ifndef TAKT_PLAN_PICTURE_H
#define TAKT_PLAN_PICTURE_H

#include "plan/plan.h"

/// Components with their connected variables, connections, calling order and loops, as SVG. Owned by the caller, who frees it;
/// NULL: memory is exhausted.
char *takt_plan_picture(const takt_plan *plan);

#endif
