// SPDX-License-Identifier: MIT
// Checking start values.
#ifndef TAKT_SYSTEM_START_CHECK_H
#define TAKT_SYSTEM_START_CHECK_H

#include "system/start_goals.h"

/// Reads a value for a variable and checks it. Returns false, with a report, when it is impossible.
bool takt_start_read(takt_builder *builder, const takt_project_assignment *given,
                     const takt_start_goal *to, const char *text, takt_value *out);

/// The same for a variable that need not be one that can be set.
bool takt_start_read_value(takt_builder *builder, const takt_project_assignment *given,
                           const takt_start_goal *to, const char *text, takt_value *out);

#endif
