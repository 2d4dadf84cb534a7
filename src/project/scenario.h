// SPDX-License-Identifier: MIT
// A scenario: changes of inputs, outputs and parameters at known times, as a file says. Read from the JSON of the
// Open Simulation Platform (scenario_json.c) or from a table of time, variable, value (scenario_table.c); nothing is
// resolved here. Layouts: docs/reference/files.md.
#ifndef TAKT_PROJECT_SCENARIO_H
#define TAKT_PROJECT_SCENARIO_H

#include "project/project.h"

typedef enum takt_scenario_action {
    TAKT_SCENARIO_OVERRIDE, ///< the value takes the place of the variable's own one
    TAKT_SCENARIO_BIAS, ///< the value is added to it
    TAKT_SCENARIO_RESET, ///< the variable has its own value again
    TAKT_N_SCENARIO_ACTIONS
} takt_scenario_action;

typedef struct takt_scenario_event {
    double time; ///< s, simulated
    takt_scenario_action action;
    takt_project_assignment change; ///< of which variable, the value, and where that is written
} takt_scenario_event;

typedef struct takt_scenario {
    const char *file; ///< for messages
    takt_scenario_event *events; ///< in the order of the file
    int n_events, capacity;
    double end; ///< s; then all variables have their own values again; infinite: it is not said
    int end_line; ///< where that is written
} takt_scenario;

/// What a file is read with.
typedef struct takt_scenario_reader {
    takt_scenario *scenario;
    takt_arena *arena; ///< for the scenario
    takt_problems *problems;
    bool is_out_of_memory;
} takt_scenario_reader;

/// The largest file, and the most events in it.
enum { TAKT_SCENARIO_MAX_SIZE = 64 * 1024 * 1024, TAKT_SCENARIO_MAX_EVENTS = 1000 * 1000 };

/// Reads a file into `arena`; what is wrong is reported to `problems`, a file that cannot be read at `place`. Fails only when
/// memory is exhausted.
takt_status takt_scenario_read(const char *path, takt_place place, takt_arena *arena,
                               takt_problems *problems, takt_scenario *out, takt_error *err);

/// The readers for a text in memory, which is UTF-8 and ends with a 0 that is not counted.
void takt_scenario_parse_json(takt_scenario_reader *reader, const char *text, size_t size);
void takt_scenario_parse_table(takt_scenario_reader *reader, const char *text, size_t size);

/// Reports an error in a line of the file.
void takt_scenario_report(takt_scenario_reader *reader, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Reads the name of an action; reports one that is unknown.
bool takt_scenario_read_action(takt_scenario_reader *reader, int line, const char *text,
                               takt_scenario_action *out);

/// Reads a time; reports what is none.
bool takt_scenario_read_time(takt_scenario_reader *reader, int line, const char *what,
                             const char *text, double *out);

/// Adds an event, when there is room.
void takt_scenario_add(takt_scenario_reader *reader, const takt_scenario_event *event);

#endif
