// SPDX-License-Identifier: MIT
// What the user wrote: names, paths and settings, nothing resolved. Readers fill this struct; the
// system (src/system) is made from it. Everything lives in the project's arena.
#ifndef TAKT_PROJECT_PROJECT_H
#define TAKT_PROJECT_PROJECT_H

#include "base/log.h"
#include "project/settings.h"

/// Where something was written, for messages.
typedef struct takt_place {
    const char *file; ///< NULL: on the command line or through the API
    int line; ///< 0: the file as a whole
} takt_place;

typedef struct takt_project_component {
    const char *name;
    const char *source; ///< path of the FMU, usable from the current folder
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
    takt_place place;
} takt_project_assignment;

struct takt_project {
    takt_arena arena;
    takt_log *log; ///< borrowed
    const char *path; ///< of the project file, as the user wrote it
    const char *name;
    takt_settings settings;
    takt_project_component *components;
    int n_components, component_capacity;
    takt_project_connector *connectors;
    int n_connectors, connector_capacity;
    takt_project_connection *connections;
    int n_connections, connection_capacity;
    takt_project_assignment *assignments;
    int n_assignments, assignment_capacity;
};

/// One reader per file format. Each fills an empty project and reports all problems to its log.
takt_status takt_project_read_ssd(takt_project *project, takt_error *err);
takt_status takt_project_read_fmu(takt_project *project, takt_error *err);

#endif
