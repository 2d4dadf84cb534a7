// SPDX-License-Identifier: MIT
// What the readers of scenarios share; see scenario.h.
#include "project/scenario.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"

void takt_scenario_report(takt_scenario_reader *reader, int line, const char *format, ...)
{
    char text[TAKT_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    takt_problem(reader->problems, TAKT_LEVEL_ERROR, (takt_place){reader->scenario->file, line},
                 "%s", text);
}

bool takt_scenario_read_action(takt_scenario_reader *reader, int line, const char *text,
                               takt_scenario_action *out)
{
    static const char *const names[] = {"override", "bias", "reset", NULL};
    const char *nearest;
    if (!takt_problems_is_listed(reader->problems, text, names, &nearest)) {
        takt_scenario_report(reader, line, "unknown action '%s'%s%s%s", text,
                             nearest ? "; did you mean '" : "; choose override, bias or reset",
                             nearest ? nearest : "", nearest ? "'?" : "");
        return false;
    }
    for (int i = 0; names[i]; i++)
        if (strcmp(text, names[i]) == 0) *out = (takt_scenario_action)i;
    return true;
}

bool takt_scenario_read_time(takt_scenario_reader *reader, int line, const char *what,
                             const char *text, double *out)
{
    if (takt_number_read_duration(text, out) && isfinite(*out)) return true;
    takt_scenario_report(reader, line, "%s '%s' is not a time, such as 2.5 or 10min", what, text);
    return false;
}

void takt_scenario_add(takt_scenario_reader *reader, const takt_scenario_event *event)
{
    takt_scenario *scenario = reader->scenario;
    if (reader->is_out_of_memory || scenario->n_events > TAKT_SCENARIO_MAX_EVENTS) return;
    if (scenario->n_events == TAKT_SCENARIO_MAX_EVENTS) {
        scenario->n_events++; // reported once
        takt_scenario_report(reader, event->change.place.line,
                             "a scenario with more than %d events is not supported",
                             TAKT_SCENARIO_MAX_EVENTS);
        return;
    }
    if (scenario->n_events == scenario->capacity) {
        int capacity = scenario->capacity ? 2 * scenario->capacity : 32;
        takt_scenario_event *events =
            takt_arena_array(reader->arena, (size_t)capacity, sizeof *events);
        reader->is_out_of_memory = !events;
        if (!events) return;
        if (scenario->n_events)
            memcpy(events, scenario->events, (size_t)scenario->n_events * sizeof *events);
        scenario->events = events;
        scenario->capacity = capacity;
    }
    scenario->events[scenario->n_events++] = *event;
}

// The line of the first byte that is not UTF-8, or a 0; 0: there is none.
static int find_bad_line(const char *text, size_t size)
{
    int line = 1;
    for (const char *at = text; at < text + size;) {
        int n = takt_utf8_length(at);
        if (n == 0 || *at == 0) return line;
        line += *at == '\n';
        at += n;
    }
    return 0;
}

static void parse(takt_scenario_reader *reader, const char *path, const char *text, size_t size)
{
    bool has_mark = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0;
    const char *begin = text + (has_mark ? 3 : 0);
    size -= (size_t)(begin - text);
    int bad = find_bad_line(begin, size);
    if (bad)
        takt_scenario_report(reader, bad, "this line is not text in UTF-8");
    else if (takt_path_ends_in(path, ".json"))
        takt_scenario_parse_json(reader, begin, size);
    else
        takt_scenario_parse_table(reader, begin, size);
    if (reader->scenario->n_events > TAKT_SCENARIO_MAX_EVENTS)
        reader->scenario->n_events = TAKT_SCENARIO_MAX_EVENTS;
}

static bool has_known_ending(const char *path)
{
    return takt_path_ends_in(path, ".json") || takt_path_ends_in(path, ".csv") ||
           takt_path_ends_in(path, ".tsv");
}

takt_status takt_scenario_read(const char *path, takt_place place, takt_arena *arena,
                               takt_problems *problems, takt_scenario *out, takt_error *err)
{
    *out = (takt_scenario){.file = path, .end = INFINITY};
    takt_scenario_reader reader = {.scenario = out, .arena = arena, .problems = problems};
    char *text = NULL;
    size_t size;
    takt_error why = {0};
    if (!has_known_ending(path)) {
        bool is_yaml = takt_path_ends_in(path, ".yml") || takt_path_ends_in(path, ".yaml");
        takt_problem(problems, TAKT_LEVEL_ERROR, place,
                     "scenario %s: %s; write a .json file, or a table (.csv, .tsv) of time, "
                     "variable, value",
                     path, is_yaml ? "YAML is not supported" : "its ending is unknown");
        return TAKT_OK;
    }
    takt_status st = takt_file_read(path, TAKT_SCENARIO_MAX_SIZE, &text, &size, &why);
    if (st == TAKT_ERR_MEMORY) return takt_fail_memory(err);
    if (st)
        takt_problem(problems, TAKT_LEVEL_ERROR, place, "scenario: %s", why.message);
    else
        parse(&reader, path, text, size);
    free(text);
    return reader.is_out_of_memory ? takt_fail_memory(err) : TAKT_OK;
}
