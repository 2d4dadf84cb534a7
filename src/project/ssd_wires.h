// SPDX-License-Identifier: MIT
// The connectors of nested systems and what connects them. Connectors of systems and entries of signal
// dictionaries only pass values on; takt_wires_flatten() replaces them by connections between variables
// of components, which have the hops of the whole route.
#ifndef TAKT_PROJECT_SSD_WIRES_H
#define TAKT_PROJECT_SSD_WIRES_H

#include "project/project.h"

/// What connectors belong to.
typedef enum takt_wire_owner_kind {
    TAKT_OWNER_COMPONENT,
    TAKT_OWNER_SYSTEM,
    TAKT_OWNER_NOTHING, ///< a component without an implementation
    TAKT_OWNER_DICTIONARY,
} takt_wire_owner_kind;

/// The most memory that a project may take, see takt_wires_memory(). What one file can hold, a million
/// connectors with half a million connections, takes less.
enum { TAKT_WIRES_MAX_MEMORY = 512 << 20 };

typedef struct takt_wire_owner {
    takt_wire_owner_kind kind;
    const char *path; ///< "Sub.Inner"; that of the root system is empty
} takt_wire_owner;

/// A connector.
typedef struct takt_wire_node {
    int owner;
    const char *name;
    const char *kind; ///< as declared; NULL: not declared
    const takt_unit *unit; ///< NULL: not said
    const takt_project_enumeration *enumeration; ///< NULL: not said
    takt_place place;
    int first_in, last_in, first_out, last_out; ///< lists of edges; -1: empty
    bool is_on_route; ///< while a route is followed
    bool is_wrong; ///< it has several sources
} takt_wire_node;

/// A connection, from source to target.
typedef struct takt_wire_edge {
    int from, to; ///< nodes
    const char *from_index, *to_index; ///< "[1,2]" for an element of an array, else ""
    takt_project_hop hop;
    int next_in, next_out;
} takt_wire_edge;

typedef struct takt_wires {
    takt_arena *arena; ///< for names and hops; must outlive the wires
    takt_wire_owner *owners;
    int n_owners, owner_capacity;
    takt_wire_node *nodes;
    int n_nodes, node_capacity;
    takt_wire_edge *edges;
    int n_edges, edge_capacity;
    takt_map names; ///< "owner name" -> node
    bool failed; ///< memory is exhausted; nothing that follows counts
} takt_wires;

void takt_wires_clear(takt_wires *wires);

/// The memory that a project and its wires take, in bytes: names, values, connectors and connections.
size_t takt_wires_memory(const takt_wires *wires, const takt_project *project);

/// Add an owner or find and, if `is_new`, add a connector. They return its index, or -1: memory is
/// exhausted (see `failed`), or there is no such connector. `name` must outlive the wires.
int takt_wires_add_owner(takt_wires *wires, takt_wire_owner_kind kind, const char *path);
int takt_wires_node(takt_wires *wires, int owner, const char *name, bool is_new);

bool takt_wires_connect(takt_wires *wires, const takt_wire_edge *edge);

/// Adds connections and aliases to the project and reports what leads nowhere. Returns false when memory
/// is exhausted.
bool takt_wires_flatten(takt_wires *wires, takt_project *project);

#endif
