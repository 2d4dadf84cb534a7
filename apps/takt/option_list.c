// SPDX-License-Identifier: MIT
// All options of a command in order; see option_list.h.
#include "option_list.h"

const cli_option *cli_option_each(const cli_command *command,
                                  bool (*visit)(void *, const cli_option *), void *context,
                                  cli_option *room)
{
    static const cli_option common[] = {
        {"help", 'h', CLI_FLAG, NULL, NULL, "show this text", "Other options", 0},
        {"version", 0, CLI_FLAG, NULL, NULL, "show the version", NULL, 0},
    };
    for (const cli_option *o = command->options; o->name; o++)
        if (visit(context, o)) return o;
    const takt_setting_info *info;
    for (int i = 0; command->has_settings && (info = takt_setting(i)); i++) {
        *room = (cli_option){.name = info->name,
                             .kind = CLI_SETTING,
                             .argument = info->argument,
                             .default_text = info->default_text,
                             .help = info->help,
                             .heading = takt_setting_group(i)};
        if (visit(context, room)) return room;
    }
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (visit(context, &common[i])) return &common[i];
    return NULL;
}
