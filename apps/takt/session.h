// SPDX-License-Identifier: MIT
// What all commands that look at a system begin with: console, project with the settings of the
// command line, system.
#ifndef TAKT_APP_SESSION_H
#define TAKT_APP_SESSION_H

#include "console.h"
#include "command.h"

typedef struct cli_session {
    cli_console console;
    takt_project *project;
    takt_system *system;
    takt_ranks *ranks; ///< on which the system is made; NULL: in this process
    int n_ranks;
    takt_component_rank *places; ///< owned; of the system's components
} cli_session;

/// Opens project and system of a file; the console must be open.
takt_status cli_session_open(cli_session *session, const char *file, const cli_arguments *arguments,
                             takt_error *err);

/// The same for the files of a command that takes several FMUs in place of a project, with words of content.h.
takt_status cli_session_open_files(cli_session *session, const cli_arguments *arguments,
                                   takt_error *err);

/// Changes the project as one option says: a setting, a value, or a word of content.h.
takt_status cli_session_apply(takt_project *project, const cli_setting *s, takt_error *err);

/// Reports why opening or what follows failed. When the problems of the project have been reported one by
/// one already, their number is not a further error.
void cli_session_fail(cli_session *session, const takt_error *err);

/// Closes system and project; the console stays open.
void cli_session_close(cli_session *session);

/// Says that options of CLI_PLACE_OPTIONS that were given have no effect, and why.
void cli_session_note_places(cli_session *session, const cli_arguments *arguments,
                             const char *reason);

/// Opens only the project, with the settings and values of the command line.
takt_status cli_session_open_project(cli_session *session, const char *file,
                                     const cli_arguments *arguments, takt_error *err);

/// The rows of an option table that place components on ranks.
#define CLI_PLACE_OPTIONS                                                                          \
    {"place",                                                                                      \
     0,                                                                                            \
     CLI_SETTING,                                                                                  \
     "GLOB=RANK",                                                                                  \
     NULL,                                                                                         \
     "components that match run on this rank of takt-mpi (0, 1, ...); may be given several times", \
     "Several processes",                                                                          \
     0},                                                                                           \
    {                                                                                              \
        "cost", 0, CLI_SETTING, "GLOB=SECONDS|FILE", "1 for all FMUs",                             \
            "what a step of components that match costs, for placing them, or a file that "        \
            "--stats "                                                                             \
            "of a run has written; may be given several times",                                    \
            NULL, 0                                                                                \
    }

/// The rows of an option table that choose a variant of a project and give start values.
#define CLI_PROJECT_OPTIONS                                                                        \
    {"set",                                                                                        \
     0,                                                                                            \
     CLI_SETTING,                                                                                  \
     "COMPONENT.VARIABLE=VALUE",                                                                   \
     NULL,                                                                                         \
     "start value of a variable, perhaps with a unit (\"10 cm\"); may be given several times",     \
     "Values",                                                                                     \
     0},                                                                                           \
        {"ssv",                                                                                    \
         0,                                                                                        \
         CLI_SETTING,                                                                              \
         "FILE",                                                                                   \
         NULL,                                                                                     \
         "start values from a file (SystemStructureParameterValues); may be given several times",  \
         NULL,                                                                                     \
         0},                                                                                       \
        {"variant",  0,    CLI_SETTING,                                                            \
         "NAME",     NULL, "which description of a package (.ssp or folder), by its file or name", \
         "Packages", 0},                                                                           \
        {"unpack-limit", 0,      CLI_SETTING,                                                      \
         "SIZE",         "4GiB", "what an archive (.fmu, .ssp) may grow to when it is unpacked",   \
         NULL,           0},                                                                       \
    {                                                                                              \
        "unpack-entries", 0, CLI_SETTING, "N", "100000", "how many files an archive may hold",     \
            NULL, 0                                                                                \
    }

#endif
