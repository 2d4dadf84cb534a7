// SPDX-License-Identifier: MIT
// All kinds of step control that users can name.
#ifndef TAKT_RUN_CONTROLS_H
#define TAKT_RUN_CONTROLS_H

#include "run/control.h"

/// What the setting step-control stands for; not for TAKT_STEP_CONTROL_AUTO, which a system has replaced.
const takt_control *takt_control_of(takt_step_control control);

#endif
