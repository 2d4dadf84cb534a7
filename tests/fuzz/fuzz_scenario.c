// SPDX-License-Identifier: MIT
// Fuzzes the readers of scenarios: a text that begins with '{', '[' or a blank is JSON, any other a table. What they accept
// must hold what project/scenario.h promises.
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "project/scenario.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) return 0;
    if (size) memcpy(text, data, size);
    text[size] = 0;
    takt_arena arena = {0};
    takt_problems problems = {0};
    takt_scenario scenario = {.file = "fuzz", .end = INFINITY};
    takt_scenario_reader reader = {.scenario = &scenario, .arena = &arena, .problems = &problems};
    if (size && strchr("{[ \t\r\n", text[0]) && text[0])
        takt_scenario_parse_json(&reader, text, size);
    else
        takt_scenario_parse_table(&reader, text, size);
    if (reader.is_out_of_memory || isnan(scenario.end)) abort();
    for (int i = 0; i < scenario.n_events; i++) {
        const takt_scenario_event *event = &scenario.events[i];
        bool is_whole = isfinite(event->time) && event->change.variable && event->change.value &&
                        event->change.place.line >= 1 && event->action < TAKT_N_SCENARIO_ACTIONS;
        if (!is_whole) abort();
    }
    takt_arena_clear(&arena);
    free(text);
    return 0;
}
