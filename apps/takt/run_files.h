// SPDX-License-Identifier: MIT
// Files that `takt run` writes must not be those that it reads, nor each other: what is there would be lost.
#ifndef TAKT_APP_RUN_FILES_H
#define TAKT_APP_RUN_FILES_H

#include "command.h"

typedef struct cli_written_file {
    const char *option;
    const char *path; ///< NULL or "-": no file
} cli_written_file;

/// Is each of them another one, and none the project?
takt_status cli_files_check(const cli_written_file *files, int n, const char *project,
                            takt_error *err);

/// Is none of them the file `path`, which is "the ..." in the message?
takt_status cli_files_check_read(const cli_written_file *files, int n, const char *what,
                                 const char *path, takt_error *err);

/// Is none of them the file of results, which may have a name by default, or the one that describes it? NULL: there is none.
takt_status cli_files_check_results(const cli_written_file *files, int n, const char *results,
                                    takt_error *err);

/// Is none of them an FMU or table of the project, or a file that a setting or value came from?
takt_status cli_files_check_sources(const cli_written_file *files, int n,
                                    const takt_project *project, const cli_arguments *arguments,
                                    takt_error *err);

#endif
