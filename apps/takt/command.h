// SPDX-License-Identifier: MIT
// Commands and their options, described once in tables: reading the command line, the help texts
// and the suggestions for wrong words all come from the same rows. The settings of an experiment
// are not described here at all; they are taken from takt_setting().
#ifndef TAKT_APP_COMMAND_H
#define TAKT_APP_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "takt/ranks.h"
#include "takt/takt.h"

/// What an option's value becomes in the options struct of its command.
typedef enum cli_option_kind {
    CLI_FLAG, ///< bool
    CLI_TEXT, ///< const char *, borrowed from the command line; "" where a value is optional and not given
    CLI_NUMBER, ///< double, not negative
    CLI_TIME, ///< double, not negative, in seconds; perhaps given with a unit
    CLI_CHOICE, ///< int: which of the words in `argument` ("text|dot|json")
    CLI_SETTING, ///< nothing: it is kept in cli_arguments::settings, in the order given
} cli_option_kind;

/// A row of an option table. The table ends with a row without a name.
typedef struct cli_option {
    const char *name; ///< without dashes
    char letter; ///< short form; 0: none
    cli_option_kind kind;
    const char *
        argument; ///< what the value is called, "[F]" if it is optional; NULL: the option takes none
    const char *default_text; ///< NULL: nothing worth showing
    const char *help; ///< without a full stop
    const char *heading; ///< in the help text; NULL: that of the row above
    size_t offset; ///< in the options struct
} cli_option;

/// A setting given on the command line.
typedef struct cli_setting {
    const char *name, *value; ///< borrowed from the command line
} cli_setting;

/// What was found on the command line.
typedef struct cli_arguments {
    void *options; ///< the options struct of the command
    const char **operands;
    int n_operands, operand_capacity;
    cli_setting *settings;
    int n_settings, setting_capacity;
    bool wants_help, wants_version;
    takt_ranks *ranks; ///< the other processes of the program; NULL: there are none
    const takt_transport *transport; ///< to them; NULL: there are none
} cli_arguments;

typedef struct cli_command {
    const char *name;
    const char *operands; ///< for the line "Usage:"
    const char *summary; ///< one line without a full stop
    const char *details; ///< a paragraph
    const char *examples; ///< lines "command\tmeaning\n"
    const cli_option *options;
    bool has_settings; ///< takes the settings of takt_setting() as options, too
    bool lists_settings; ///< its help shows them one by one; that of others refers to it
    int min_operands, max_operands;
    size_t options_size;
    const void *defaults; ///< the options struct to start from; NULL: all zero
    int (*execute)(const cli_arguments *arguments); ///< returns the exit code
} cli_command;

extern const cli_command cli_run, cli_check, cli_info, cli_graph, cli_compare, cli_convert,
    cli_plot, cli_advise, cli_cache, cli_new_fmu, cli_new, cli_edit, cli_sweep, cli_ui,
    cli_completion;

#endif
