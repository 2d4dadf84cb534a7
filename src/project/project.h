// SPDX-License-Identifier: MIT
// What the user wrote: names, paths and settings, nothing resolved. Readers fill this struct; the
// system (src/system) is made from it. Everything lives in the project's arena.
#ifndef TAKT_PROJECT_PROJECT_H
#define TAKT_PROJECT_PROJECT_H

#include "project/problems.h"
#include "project/settings.h"

typedef struct takt_project_component {
    const char *name;
    const char *source; ///< path of the FMU, usable from the current folder; NULL: not usable
    takt_place place;
} takt_project_component;

/// A connector declared in the project. It need not exist for every variable.
typedef struct takt_project_connector {
    int component;
    const char *name; ///< of the variable
    const char *kind; ///< "input", "output", "parameter", ...; as written
    const char *type; ///< name of a takt_type; NULL: not said
    takt_place place;
} takt_project_connector;

/// A connection. Which end is the source follows from the variables, not from the order.
typedef struct takt_project_connection {
    const char *start_component, *start_variable;
    const char *end_component, *end_variable;
    takt_place place;
} takt_project_connection;

/// A start value for a variable. Later assignments win over earlier ones.
typedef struct takt_project_assignment {
    const char *component, *variable; ///< component NULL: `variable` is "component.variable"
    const char *value; ///< in text form
    const char *type; ///< name of a takt_type as declared; NULL: not said
    const char *unit; ///< of the value; NULL: not said
    takt_place place;
} takt_project_assignment;

struct takt_project {
    takt_arena arena;
    takt_log *log; ///< borrowed
    const char *path; ///< of the project file, as the user wrote it
    const char *name;
    takt_settings settings;
    takt_problems problems; ///< of the file's content; takt_system_make() fails if there are any
    takt_project_component *components;
    int n_components, component_capacity;
    takt_project_connector *connectors;
    int n_connectors, connector_capacity;
    takt_project_connection *connections;
    int n_connections, connection_capacity;
    takt_project_assignment *assignments;
    int n_assignments, assignment_capacity;
};

/// Makes an empty project for a file. The result is owned by the caller; see takt_project_close().
takt_status takt_project_create(const char *path, takt_log *log, takt_project **out,
                                takt_error *err);

/// Add one thing each; all texts are copied, except that of `place`, which must live as long as the
/// project. Return false when memory is exhausted.
bool takt_project_add_component(takt_project *project, const takt_project_component *component);
bool takt_project_add_connector(takt_project *project, const takt_project_connector *connector);
bool takt_project_add_connection(takt_project *project, const takt_project_connection *connection);
bool takt_project_add_assignment(takt_project *project, const takt_project_assignment *assignment);

/// Where a setting was given, for messages about it; `member` as in takt_settings_has().
takt_place takt_project_place_of(const takt_project *project, const void *member);

/// One reader per file format. Each fills an empty project as far as possible and reports all problems
/// of the content to it; only a file that cannot be read at all is a failure.
takt_status takt_project_read_ssd(takt_project *project, takt_error *err);
takt_status takt_project_read_fmu(takt_project *project, takt_error *err);

/// The SSD reader for a text in memory.
takt_status takt_project_parse_ssd(takt_project *project, const void *data, size_t size,
                                   takt_error *err);

#endif
