// SPDX-License-Identifier: MIT
// All kinds of step control that users can name.
#ifndef TAKT_RUN_CONTROLS_H
#define TAKT_RUN_CONTROLS_H

#include "run/control.h"

/// The control that the settings of a plan ask for.
const takt_control *takt_control_of(const takt_plan *plan);

#endif
