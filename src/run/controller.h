// SPDX-License-Identifier: MIT
// The contract for step-size controllers: which size follows? They know errors and sizes, and nothing of
// how a step is made. What they remember lies in takt_control_state::memory, so that it is rewound and saved
// with the rest.
#ifndef TAKT_RUN_CONTROLLER_H
#define TAKT_RUN_CONTROLLER_H

#include "project/settings.h"
#include "run/run.h"

typedef struct takt_controller_type {
    const char *name;

    /// Required. After a step of size h with this error (in units of the tolerance; 0 if there is no
    /// estimator), good or not: the size that should follow. For a step that was not good it must be smaller.
    double (*after_error)(const takt_settings *settings, double *memory, double h, double error);

    /// Required. After a step of size h that a loop did not solve or an instance discarded: a smaller size.
    double (*after_failure)(const takt_settings *settings, double *memory, double h);
} takt_controller_type;

extern const takt_controller_type takt_elementary_controller, takt_growth_controller;

#endif
