// SPDX-License-Identifier: MIT
// The words of settings that are a choice, in the order of their enumerations in settings.h. Only for settings.c.
#ifndef TAKT_PROJECT_CHOICES_H
#define TAKT_PROJECT_CHOICES_H

#include <stddef.h>

static const char *const call_orders[] = {"auto", "flow", "listed", NULL};
static const char *const step_controls[] = {"auto", "fixed", "convergence", "richardson", NULL};
static const char *const error_estimates[] = {"both", "richardson", "slope", NULL};
static const char *const norms[] = {"error", "papers", NULL};
static const char *const input_derivatives[] = {"off", "fmu", "estimate", NULL};
static const char *const time_grids[] = {"exact", "accumulated", NULL};
static const char *const output_grids[] = {"exact", "next", "interpolated", NULL};
static const char *const interfaces[] = {"cs", "me", NULL};
static const char *const me_modes[] = {"separate", "central", NULL};
static const char *const on_crash[] = {"stop", "hold", "restart", NULL};
static const char *const binaries[] = {"auto", "native", "sources", "wine", "linux32", NULL};
static const char *const solvers[] = {"cvode-bdf", "cvode-adams", "euler", "rk4", NULL};

#endif
