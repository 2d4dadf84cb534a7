// SPDX-License-Identifier: MIT
// Problems as JSON: a list of objects with severity, file, line, component, message, suggestion and doubt.
#ifndef TAKT_APP_PROBLEM_LIST_H
#define TAKT_APP_PROBLEM_LIST_H

#include <stdbool.h>
#include <stdio.h>

#include "takt/takt.h"

typedef struct cli_problem_list {
    FILE *file; ///< where the list goes
    const char *about; ///< the file that is being checked, for messages that name none
    int n_items;
    takt_problem_list *parts; ///< one message at a time, taken apart; NULL: out of memory
} cli_problem_list;

void cli_problem_list_begin(cli_problem_list *list, FILE *file);

/// Adds a message; for cli_console::collect.
void cli_problem_list_add(void *context, const takt_message *message);

/// Adds an information about the file with a list that is JSON already, as value of `key`.
void cli_problem_list_add_facts(cli_problem_list *list, const char *message, const char *key,
                                const char *json);
void cli_problem_list_end(cli_problem_list *list);

#endif
