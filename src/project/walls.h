// SPDX-License-Identifier: MIT
// Connections through the walls of subsystems. A value reaches a component inside of a subsystem through connectors of the systems
// on the way: those that lead to the variable already (aliases, see project.h) are used, others are made. What is to be written
// for that is noted in the project, as connectors and wires.
#ifndef TAKT_PROJECT_WALLS_H
#define TAKT_PROJECT_WALLS_H

#include "project/project.h"

/// What is connected: a variable of a component, or a connector of a subsystem.
typedef struct takt_wall_end {
    const char *component, *variable; ///< of a connector: those that it stands for
    int alias; ///< the first one of the connector; -1: the variable itself is meant
} takt_wall_end;

/// Are they in different systems, or is one of them a connector of a subsystem?
bool takt_walls_are_between(const takt_project *project, const takt_wall_end *from,
                            const takt_wall_end *to);

/// Connects them; `from` gives the value, unless its declared kind says otherwise.
takt_status takt_walls_connect(takt_project *project, takt_wall_end from, takt_wall_end to,
                               takt_error *err);

/// Forgets what would be written for a new connection, and all connections that it stands for.
void takt_walls_drop_wire(takt_project *project, int wire);

/// A connection is removed that stands in the file: connectors lead to its target no more, as the last piece of the way goes.
void takt_walls_forget(takt_project *project, const takt_project_connection *connection);

/// A component gets another name, or (NULL) is removed.
void takt_walls_rename(takt_project *project, const char *old, const char *name);

/// The connector that the project's files declare for a variable, or that was added for it; NULL: none.
const takt_project_connector *takt_walls_declared(const takt_project *project,
                                                  const char *component, const char *variable);

/// A wire in the direction of its value, as far as that is known.
takt_project_wire takt_walls_directed(const takt_project *project, const takt_project_wire *wire);

/// How many characters of the name of a connector of a subsystem, "Heating.T_in", are those of the system.
int takt_walls_system_of(const takt_project *project, const takt_project_alias *alias);

#endif
