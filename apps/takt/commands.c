// SPDX-License-Identifier: MIT
// All commands of the program, in the order of its help.
#include "commands.h"

#include <string.h>

const cli_command *const cli_commands[] = {
    &cli_run,     &cli_sweep,   &cli_check,      &cli_advise, &cli_info, &cli_graph,
    &cli_compare, &cli_convert, &cli_plot,       &cli_cache,  &cli_new,  &cli_edit,
    &cli_ui,      &cli_new_fmu, &cli_completion, NULL,
};

const cli_command *cli_command_find(const char *name)
{
    for (int i = 0; cli_commands[i]; i++)
        if (strcmp(cli_commands[i]->name, name) == 0) return cli_commands[i];
    return NULL;
}
