// SPDX-License-Identifier: MIT
// Projects made and changed by words of the command line: --add, --connect and so on, in the order in which they are given.
#ifndef TAKT_APP_CONTENT_H
#define TAKT_APP_CONTENT_H

#include "command.h"
#include "console.h"

/// Is an option one of these words?
bool cli_content_is(const char *name);

/// Changes the project. Values of variables are no such word; `auto-connect` waits for cli_content_finish().
takt_status cli_content_apply(takt_project *project, const cli_setting *word, takt_error *err);

/// Connects by name what fits, if the command line asks for it.
takt_status cli_content_finish(takt_project *project, const cli_arguments *arguments,
                               cli_console *console, takt_error *err);

/// Adds a component that is named after its file.
takt_status cli_content_add_file(takt_project *project, const char *path, takt_error *err);

/// The rows of an option table that add something.
#define CLI_CONTENT_OPTIONS                                                                         \
    {"add",                                                                                         \
     0,                                                                                             \
     CLI_SETTING,                                                                                   \
     "NAME=FMU",                                                                                    \
     NULL,                                                                                          \
     "add a component: an FMU, a table (.csv) or a function (builtin:...); "                        \
     "repeatable",                                                                                  \
     "Content",                                                                                     \
     0},                                                                                            \
        {"connect", 0, CLI_SETTING, "A.y=B.u", NULL, "connect two variables; repeatable", NULL, 0}, \
    {                                                                                               \
        "auto-connect", 0, CLI_SETTING, NULL, NULL,                                                 \
            "connect each open input with the output of the same name and unit of another "         \
            "component, where there is exactly one",                                                \
            NULL, 0                                                                                 \
    }

#endif
