// SPDX-License-Identifier: MIT
// What the user wrote: names, paths and settings, nothing resolved. Readers fill this struct; the
// system (src/system) is made from it. Everything lives in the project's arena.
#ifndef TAKT_PROJECT_PROJECT_H
#define TAKT_PROJECT_PROJECT_H

#include "base/cache.h"
#include "base/map.h"
#include "base/unit.h"
#include "project/problems.h"
#include "project/settings.h"

typedef struct takt_project_component {
    const char *name;
    const char *source; ///< path of the FMU, usable from the current folder; NULL: not usable
    const char *shown; ///< what messages call it, "plant.ssp/resources/a.fmu"; NULL: its path
    const char *implementation; ///< "CoSimulation" or "ModelExchange"; NULL: any
    bool is_table; ///< it is said to be one; files whose name ends in .csv or .tsv are, too
    bool is_new; ///< it does not stand in the project's files
    int n_system; ///< so many characters of `name` are that of its subsystem, "Heating"; 0: it is at the top
    bool is_elsewhere; ///< its system is in another file, or used several times
    bool has_box, is_moved; ///< `box` is known; it is not the one of the project's files
    double box[4]; ///< x1, y1, x2, y2 in the diagram, y upwards
    takt_place place;
} takt_project_component;

/// A connector declared in the project. It need not exist for every variable.
typedef struct takt_project_connector {
    int component;
    const char *name; ///< of the variable
    const char *kind; ///< "input", "output", "parameter", ...; as written
    const char *type; ///< name of a takt_type; NULL: not said
    const char *shape; ///< sizes of an array, "[2,?]", ? where not said; NULL: not said at all
    const takt_unit *unit; ///< NULL: not said
    bool is_new; ///< it does not stand in the project's files
    takt_place place;
} takt_project_connector;

/// An enumeration that a file of the project defines.
typedef struct takt_project_item {
    const char *name;
    int64_t value;
} takt_project_item;

typedef struct takt_project_enumeration {
    takt_project_item *items;
    int n_items;
} takt_project_enumeration;

/// How a value is changed between its source and its target.
typedef enum takt_transformation_kind {
    TAKT_TRANSFORM_NONE,
    TAKT_TRANSFORM_LINEAR, ///< factor * value + offset
    TAKT_TRANSFORM_BOOLEAN, ///< by a table; values that are not in it stay
    TAKT_TRANSFORM_INTEGER,
    TAKT_TRANSFORM_ENUMERATION, ///< by the names of items
} takt_transformation_kind;

typedef struct takt_transformation_entry {
    const char *source, *target; ///< as written: "true", "3", "open"
} takt_transformation_entry;

typedef struct takt_transformation {
    takt_transformation_kind kind;
    double factor, offset; ///< of a linear one
    const takt_transformation_entry *entries; ///< of the others
    int n_entries;
} takt_transformation;

/// One leg of the route of a value: first the unit is converted, then the transformation applied.
typedef struct takt_project_hop {
    takt_transformation transformation;
    bool keeps_unit; ///< units are not converted (suppressUnitConversion)
    const takt_unit *unit; ///< at the end of the hop, as declared; NULL: not said
    takt_place place;
} takt_project_hop;

/// A hop with factor * value + offset and nothing else.
static inline takt_project_hop takt_project_hop_linear(double factor, double offset)
{
    return (takt_project_hop){
        .transformation = {.kind = TAKT_TRANSFORM_LINEAR, .factor = factor, .offset = offset}};
}

/// A connection. Which end is the source follows from the variables, not from the order. `hops` lead
/// from the source to the target, whichever of them is the start; without any, the value is passed
/// on, converted to the target's unit.
typedef struct takt_project_connection {
    const char *start_component, *start_variable;
    const char *end_component, *end_variable;
    const takt_unit *unit; ///< of the source, where the FMU does not say it; NULL: not said
    const takt_project_hop *hops;
    int n_hops;
    bool is_new; ///< it does not stand in the project's files
    int wire; ///< of a new one through the wall of a subsystem: what is written for it, 1 + index in `wires`; else 0
    takt_place place;
} takt_project_connection;

/// A new connector of a subsystem; see walls.h.
typedef struct takt_project_wall {
    const char *system, *name;
    const char *component, *variable; ///< that it stands for; component NULL: removed since
} takt_project_wall;

/// A new connection to or between connectors of subsystems.
typedef struct takt_project_wire {
    const char *system; ///< in which it stands; NULL: it was removed again
    const char *start_owner,
        *start_name; ///< "Heating.Tank" and "level"; owner NULL: the system itself
    const char *end_owner, *end_name;
} takt_project_wire;

/// A start value for a variable. Later assignments win over earlier ones.
typedef struct takt_project_assignment {
    const char *component, *variable; ///< component NULL: `variable` is "component.variable"
    const char *value; ///< in text form
    const char *type; ///< name of a takt_type as declared; NULL: not said
    const char *shape; ///< as in takt_project_connector
    const char *unit; ///< of the value; NULL: not said
    const takt_unit *unit_definition; ///< what it means; NULL: as the component's FMU says
    const takt_project_hop *hops; ///< from the value to the variable; may be NULL
    int n_hops;
    bool is_difference; ///< to be added to something: offsets of units do not apply
    takt_level if_missing; ///< how a variable is reported that does not exist or cannot be set;
        ///< error by default
    takt_place place;
} takt_project_assignment;

/// A connector of a (sub)system that stands for a variable: what is assigned to the one is assigned to
/// the other. Several may have the same name; see takt_project_find_alias().
typedef struct takt_project_alias {
    const char *name; ///< "System.connector"; of the system itself "connector"
    const char *index; ///< "[2,1]": the element of the connector that is meant; "": the whole
    const takt_unit *unit; ///< of the connector; NULL: not said
    const takt_project_enumeration
        *enumeration; ///< of the connector, in the project's arena; NULL:
    ///< not said
    const char *component, *variable;
    const takt_project_hop *hops; ///< from the connector to the variable
    int n_hops;
    int n_outputs; ///< of systems on the route: it is a constant that another element gives
    int next; ///< the next one of the same name; -1: none
} takt_project_alias;

/// A change to something that stands in the project's description, in the order in which they were made. What is new is not
/// among them: it is marked by `is_new`.
typedef enum takt_project_edit_kind {
    TAKT_EDIT_REMOVE, ///< component a
    TAKT_EDIT_RENAME, ///< component a to b
    TAKT_EDIT_DISCONNECT, ///< variable b of component a, variable d of component c
    TAKT_EDIT_UNSET, ///< value of variable b of component a
} takt_project_edit_kind;

typedef struct takt_project_edit {
    takt_project_edit_kind kind;
    const char *a, *b, *c, *d; ///< in the project's arena
} takt_project_edit;

/// An unpacked archive that the project uses.
typedef struct takt_project_archive {
    takt_unpacked unpacked;
    const char *path; ///< of the archive
} takt_project_archive;

struct takt_project {
    takt_arena arena;
    _Atomic(int)
        n_users; ///< who opened it, until it is closed, and the systems made of it; the last one frees it
    const struct takt_project *varied; ///< that lends the content; held; NULL: it has its own
    takt_log *log; ///< borrowed, or `own_log`
    takt_log *own_log; ///< counts doubts where the user gave no log; else NULL
    int n_doubts_before; ///< that the log had seen when the project was opened
    int n_doubts_read; ///< that the reader had
    const char *path; ///< of the project file, as the user wrote it
    const char *content; ///< file that is read in place of `path`; NULL: that one itself
    const char *name;
    takt_settings settings;
    takt_place setting_places[TAKT_MAX_SETTINGS]; ///< where each was read
    takt_problems problems; ///< of the file's content; takt_system_make() fails if there are any
    takt_project_component *components;
    int n_components, component_capacity;
    takt_project_connector *connectors;
    int n_connectors, connector_capacity;
    takt_project_connection *connections;
    int n_connections, connection_capacity;
    takt_project_assignment *assignments;
    int n_assignments, assignment_capacity;
    int n_read_assignments; ///< how many of them stand in the project's files
    takt_project_alias *aliases;
    int n_aliases, alias_capacity;
    takt_map alias_names; ///< name -> index of the first alias
    takt_project_wall *walls;
    int n_walls, wall_capacity;
    takt_project_wire *wires;
    int n_wires, wire_capacity;
    takt_project_archive *archives; ///< open as long as the project
    int n_archives, archive_capacity;
    takt_project_edit *edits; ///< to its SystemStructureDescription
    int n_edits, edit_capacity;
    const char *variant; ///< which SystemStructureDescription of a package; NULL: the default one
    const char *ssd_path; ///< file that was read as the SystemStructureDescription; NULL: none
    const char *package; ///< folder of an unpacked .ssp; NULL: the project is no archive
};

/// A project that is used stays, also after takt_project_close(), until everybody has let it go. From any thread.
void takt_project_hold(const takt_project *project);
void takt_project_release(const takt_project *project); ///< accepts NULL

/// With the setting `strict`, fails if the log has seen doubts since the project was opened: about it or what
/// was made from it.
takt_status takt_project_check_doubts(const takt_project *project, takt_error *err);

/// The file to be read where `path` is meant: another one where the project's content is elsewhere.
const char *takt_project_file(const takt_project *project, const char *path);

/// Add one thing each; all texts, units and hops are copied, except the file name of `place`, which must
/// live as long as the project. Return false when memory is exhausted.
bool takt_project_add_component(takt_project *project, const takt_project_component *component);
bool takt_project_add_connector(takt_project *project, const takt_project_connector *connector);
bool takt_project_add_connection(takt_project *project, const takt_project_connection *connection);
bool takt_project_add_assignment(takt_project *project, const takt_project_assignment *assignment);

bool takt_project_add_alias(takt_project *project, const takt_project_alias *alias);

/// The index of the first alias of that name, or -1.
int takt_project_find_alias(const takt_project *project, const char *name);

/// The folder with the content of an archive (FMU or SSP), which is unpacked only once.
takt_status takt_project_unpack(takt_project *project, const char *path, const char **folder,
                                takt_error *err);

/// Sets a setting that stands at `place`, as takt_settings_set() does.
takt_status takt_project_set_at(takt_project *project, const char *name, const char *value,
                                takt_place place, takt_error *err);

/// Where a setting was given, for messages about it; `field` as in takt_settings_has().
takt_place takt_project_place_of(const takt_project *project, const void *field);

/// One reader per file format. Each fills an empty project as far as possible and reports all problems
/// of the content to it; only a file that cannot be read at all is a failure.
takt_status takt_project_read_ssd(takt_project *project, takt_error *err);
takt_status takt_project_read_ssp(takt_project *project, takt_error *err); ///< archive or folder
takt_status takt_project_read_fmu(takt_project *project, takt_error *err);
takt_status takt_project_read_msim(takt_project *project, takt_error *err);
takt_status takt_project_read_osp(takt_project *project, takt_error *err);
takt_status takt_project_read_eas(takt_project *project, takt_error *err); ///< or an unknown file

/// The readers for a text in memory.
takt_status takt_project_parse_ssd(takt_project *project, const void *data, size_t size,
                                   takt_error *err);
takt_status takt_project_parse_msim(takt_project *project, const void *data, size_t size,
                                    takt_error *err);
takt_status takt_project_parse_osp(takt_project *project, const void *data, size_t size,
                                   takt_error *err);
takt_status takt_project_parse_eas(takt_project *project, const void *data, size_t size,
                                   takt_error *err);

/// Writes the project as SSP; see takt_project_write(). Of a project of another format `connectors` give
/// the kinds of connected variables.
takt_status takt_project_save(takt_project *project, const char *path, takt_error *err);

/// Reads parameter values (SSV) from memory, and assigns them as those bound to the system are; with
/// a mapping (SSM) if there is one. Problems are reported to the project.
takt_status takt_project_parse_ssv(takt_project *project, const void *data, size_t size,
                                   const void *mapping, size_t mapping_size, takt_error *err);

#endif
