// SPDX-License-Identifier: MIT
// Fuzzes the reader of terminals: any bytes as terminalsAndIcons.xml of a model with two variables.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "description/terminals.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Members lie one terminal after the other, and name variables of the model or none.
static void check_terminals(const takt_model *model)
{
    int next = 0;
    for (int i = 0; i < model->n_terminals; i++) {
        const takt_terminal *terminal = &model->terminals[i];
        if (!terminal->name || takt_map_find(&model->terminal_names, terminal->name) < 0) abort();
        if (terminal->n_members == 0) continue;
        if (terminal->first_member != next) abort();
        for (int k = 0; k < terminal->n_members; k++) {
            const takt_terminal_member *member = &model->terminal_members[next++];
            if (!member->variable_name || member->variable >= model->n_variables) abort();
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    takt_variable variables[] = {{.name = "u"}, {.name = "y"}};
    takt_model model = {.variables = variables, .n_variables = 2};
    takt_error err = {0};
    for (int i = 0; i < model.n_variables; i++)
        if (!takt_map_add(&model.names, variables[i].name, i)) abort();
    if (takt_terminals_read_memory(data, size, "terminals.xml", NULL, &model, &err) == TAKT_OK)
        check_terminals(&model);
    else if (!err.message[0])
        abort();
    takt_map_clear(&model.names);
    takt_map_clear(&model.terminal_names);
    takt_arena_clear(&model.arena);
    return 0;
}
