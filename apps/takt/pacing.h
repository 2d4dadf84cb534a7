// SPDX-License-Identifier: MIT
// `takt run --real-time` and `--until-steady`.
#ifndef TAKT_APP_PACING_H
#define TAKT_APP_PACING_H

#include "console.h"
#include "takt/takt.h"

typedef struct cli_pacing {
    double factor; ///< 0: as fast as possible
    bool ends_when_steady;
    double window; ///< s; 0: by default
    bool is_steady;
} cli_pacing;

/// Reads the values of the two options; NULL: not given, "": without a value.
takt_status cli_pacing_read(cli_pacing *out, const char *real_time, const char *until_steady,
                            takt_error *err);

/// After the initialization.
takt_status cli_pacing_begin(cli_pacing *pacing, takt_run *run, takt_error *err);

/// After a step: waits, unless the user interrupts, and looks whether the run is steady.
takt_status cli_pacing_step(cli_pacing *pacing, takt_run *run, takt_error *err);

/// Says at the end how punctual the run was, and whether it has become steady.
void cli_pacing_tell(const cli_pacing *pacing, const takt_run *run, cli_console *console,
                     bool is_quiet);

#endif
