// SPDX-License-Identifier: MIT
// The program, whichever main() it has: that of takt, or that of takt-mpi, where FMUs are placed on several processes.
#ifndef TAKT_APP_RANKS_H
#define TAKT_APP_RANKS_H

#include "command.h"

struct cli_session; // session.h

/// Everything the program does; the exit code. `transport` leads to the other processes; NULL: there are none. `ranks` are these as far as they run FMUs
/// for this one; NULL: they do not.
int cli_main(int argc, char **argv, takt_ranks *ranks, const takt_transport *transport);

/// Which rank each component belongs to: those of --place, all others so that ranks have equal work and few connections are cut.
/// `out` has a rank per component of the system.
takt_status cli_place(const takt_system *system, const cli_arguments *arguments, int n_ranks,
                      int *out, takt_error *err);

/// Describes that: the load of each rank, the connections cut, the speed-up that is to be expected.
takt_status cli_describe_places(const takt_system *system, const cli_arguments *arguments,
                                const int *ranks, int n_ranks, takt_error *err);

/// Makes the system of a session on all ranks.
takt_status cli_create_on_ranks(struct cli_session *session, const cli_arguments *arguments,
                                takt_error *err);

#endif
