// SPDX-License-Identifier: MIT
// What a system contains, in words or as data.
#ifndef TAKT_SYSTEM_DESCRIBE_H
#define TAKT_SYSTEM_DESCRIBE_H

#include "system/system.h"

/// Describes components, variables, connections and settings, as text or JSON; see
/// takt_system_describe(). The text is owned by the caller, who frees it.
takt_status takt_system_describe_content(const takt_system *system, takt_format format, char **out,
                                         takt_error *err);

/// Describes the inputs that are not connected; "" as text if there are none. The text is owned by the caller.
takt_status takt_system_describe_inputs(const takt_system *system, takt_format format, char **out,
                                        takt_error *err);
char *takt_describe_inputs_as_json(const takt_system *system); ///< NULL when memory is exhausted

/// Describes the settings in effect that matter for results, and where each comes from. The text is owned by the caller.
takt_status takt_system_describe_experiment(const takt_system *system, takt_format format,
                                            char **out, takt_error *err);

/// The two forms; NULL when memory is exhausted.
char *takt_describe_as_text(const takt_system *system);
char *takt_describe_as_json(const takt_system *system);

#endif
