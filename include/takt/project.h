// SPDX-License-Identifier: MIT
// A project: the components, connections, values and settings, as the user wrote them.
#ifndef TAKT_PROJECT_H
#define TAKT_PROJECT_H

#include <stddef.h>

#include "takt/log.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What the user wrote.
typedef struct takt_project takt_project;

/// Reads a project: a package of SSP (`.ssp`, or a folder with a SystemStructure.ssd), a single
/// SystemStructureDescription (`.ssd`), an FMU (`.fmu`), a project of MasterSim (`.msim`), of the Open
/// Simulation Platform (`.xml`), or of the EAS master (any other text file). Fails when the file cannot
/// be read at all. Problems of its content go to `log` and let takt_system_create() fail, which adds
/// those that it finds. The result is owned by the caller; `log` (may be NULL) must outlive it.
TAKT_API takt_status takt_project_open(const char *path, takt_log *log, takt_project **out,
                                       takt_error *err);

/// Makes an empty project, to be filled by the functions below and written. `path` names it and is where it will be written
/// ("plant.ssd"); nothing is read or written now. Owned by the caller; `log` (may be NULL) must outlive it.
TAKT_API takt_status takt_project_create(const char *path, takt_log *log, takt_project **out,
                                         takt_error *err);

/// The same for another variant of a package: `variant` is the file name of a SystemStructureDescription
/// at its top ("VariantB.ssd", "VariantB"), or the name that is written in it. NULL: the default one.
TAKT_API takt_status takt_project_open_variant(const char *path, const char *variant, takt_log *log,
                                               takt_project **out, takt_error *err);

/// The same for a project whose content is that of another file, `copy`, as if it stood at `path`, where nothing is read: relative paths in
/// it begin there, and messages name it. For programs that keep earlier states of a file. Both are an `.ssd` or both an `.ssp`.
TAKT_API takt_status takt_project_open_copy(const char *copy, const char *path, takt_log *log,
                                            takt_project **out, takt_error *err);

/// Ends a project. Systems made of it keep what they need of it. Accepts NULL.
TAKT_API void takt_project_close(takt_project *project);

/// The project's name: that of the file without folder and extension.
TAKT_API const char *takt_project_name(const takt_project *project);

/// Changes a setting, overriding what the file says: `name` and `value` are those of the
/// command line option, for example "step-size" and "10ms". Flags take "true" or "false".
TAKT_API takt_status takt_project_set(takt_project *project, const char *name, const char *value,
                                      takt_error *err);

/// Gives a variable another start value: "Tank.level=1.5". It is checked with the rest of the
/// system by takt_system_create().
TAKT_API takt_status takt_project_set_value(takt_project *project, const char *assignment,
                                            takt_error *err);

/// Gives variables the values of a file (SystemStructureParameterValues, `.ssv`), as if it were bound to
/// the whole system: names are "component.variable". Values for variables that do not exist are
/// reported and left out.
TAKT_API takt_status takt_project_set_values(takt_project *project, const char *path,
                                             takt_error *err);

/// Writes a project as SSP, with the settings and values that were changed: as a package (`.ssp`, or a
/// folder, which exists or whose path ends in '/') that holds all files it needs, or as a single
/// description (`.ssd`) that refers to them where they are.
/// What was read from SSP and means nothing to Takt stays. What cannot be expressed goes to the log as
/// warnings. An old file is replaced. The FMUs of a project that is not SSP are opened to find out the
/// kinds of their variables.
TAKT_API takt_status takt_project_write(takt_project *project, const char *path, takt_error *err);

// ---- content: it can be changed as long as no system exists that was made of the project --------------------
// Structs that functions fill carry their size: takt_component_info info = {.size = sizeof info}. Texts in them are
// borrowed from the project until it is changed.

/// A component of a project.
typedef struct takt_component_info {
    size_t size; ///< of this struct, set by the caller
    const char *name; ///< "Tank"; of a component in a subsystem "Heating.Tank"
    const char *source; ///< path of the FMU or table, or "builtin:..."; NULL: it cannot be used
    const char *file; ///< where it is written; NULL: it was added by this program
    int line; ///< in `file`; 0: unknown
} takt_component_info;

/// A connection of a project. Which end is the output follows from the variables.
typedef struct takt_connection_info {
    size_t size; ///< of this struct, set by the caller
    const char *from_component, *from_variable; ///< as written
    const char *to_component, *to_variable; ///< the other end
    const char *file; ///< where it is written; NULL: it was added by this program
    int line; ///< in `file`; 0: unknown
} takt_connection_info;

/// A connector in the wall of a subsystem, and a variable that it stands for; one that stands for several is there several times.
typedef struct takt_connector_info {
    size_t size; ///< of this struct, set by the caller
    const char *name; ///< "Heating.T_in"
    int n_system; ///< so many of its characters are the name of the system; 0: that of the whole project
    const char *index; ///< "[2,1]": of this element of it; "": of the whole
    const char *component; ///< of the variable; NULL: it has been removed
    const char *variable; ///< "level", "x[2]"
    const char *unit; ///< of the connector; NULL: not said
} takt_connector_info;

/// A start value that a project gives. Of several for the same variable the last one counts.
typedef struct takt_value_info {
    size_t size; ///< of this struct, set by the caller
    const char *component; ///< NULL: the name of the variable has it
    const char *variable, *value; ///< `value` as written
    const char *unit; ///< of the value; NULL: not said
    const char *file; ///< where it is written; NULL: it was given by this program
    int line; ///< in `file`; 0: unknown
} takt_value_info;

/// How many there are, and one of them, by index from 0.
TAKT_API int takt_project_count_components(const takt_project *project);
TAKT_API int takt_project_count_connections(const takt_project *project);
TAKT_API int takt_project_count_connectors(const takt_project *project);
TAKT_API int takt_project_count_values(const takt_project *project);
TAKT_API takt_status takt_project_get_component(const takt_project *project, int index,
                                                takt_component_info *out, takt_error *err);
TAKT_API takt_status takt_project_get_connection(const takt_project *project, int index,
                                                 takt_connection_info *out, takt_error *err);
TAKT_API takt_status takt_project_get_connector(const takt_project *project, int index,
                                                takt_connector_info *out, takt_error *err);
TAKT_API takt_status takt_project_get_value(const takt_project *project, int index,
                                            takt_value_info *out, takt_error *err);

/// The index of a component, or -1.
TAKT_API int takt_project_find_component(const takt_project *project, const char *name);

/// Adds a component: the path of an FMU or of a table (.csv, .tsv), seen from the current folder, or a function
/// ("builtin:sum?inputs=3"). In a subsystem of the project's own file it is called "Heating.Tank". Whether it can be opened is seen when the project is checked or a system is made.
TAKT_API takt_status takt_project_add(takt_project *project, const char *name, const char *source,
                                      takt_error *err);

/// Removes a component with its connections and values.
TAKT_API takt_status takt_project_remove(takt_project *project, const char *name, takt_error *err);

/// Gives a component another name, also in connections, values and settings. It stays in its system: "Heating.Tank" becomes "Heating.Boiler".
TAKT_API takt_status takt_project_rename(takt_project *project, const char *name,
                                         const char *new_name, takt_error *err);

/// Connects two variables, "Tank.level" and "Control.u", or arrays. Those of different subsystems are connected through connectors of the
/// systems between them: those that lead there already, which then give their value to all that they stand for, else new ones. An end may
/// also be a connector of a subsystem, "Heating.T_in". Where the files do not declare it, `from` gives the value in these cases.
TAKT_API takt_status takt_project_connect(takt_project *project, const char *from, const char *to,
                                          takt_error *err);

/// Removes a connection; the order of its ends does not matter. With `to` NULL all connections of a variable.
TAKT_API takt_status takt_project_disconnect(takt_project *project, const char *from,
                                             const char *to, takt_error *err);

/// Connects each input that has no connection yet with the output of the same name and of a unit that fits, where
/// exactly one other component has one; members of a terminal with those of a terminal of the same name and kind, whatever their variables are
/// called. `n_added` (may be NULL): how many connections that
/// are, the last ones of the project. The log warns of
/// inputs that have several outputs to choose from.
TAKT_API takt_status takt_project_auto_connect(takt_project *project, int *n_added,
                                               takt_error *err);

/// Where a component stands in a diagram of its system: two opposite corners, x to the right, y upwards. The unit is the author's
/// choice.
typedef struct takt_geometry {
    size_t size; ///< of this struct, set by the caller
    double x1, y1, x2, y2; ///< ElementGeometry of SSP
} takt_geometry;

/// The place of a component, by index. TAKT_ERR_USAGE: the project does not say it, or there is none of this index.
TAKT_API takt_status takt_project_get_geometry(const takt_project *project, int index,
                                               takt_geometry *out, takt_error *err);

/// Moves a component to another place of the diagram. What runs does not depend on it.
TAKT_API takt_status takt_project_set_geometry(takt_project *project, const char *name,
                                               const takt_geometry *geometry, takt_error *err);

/// Takes back what takt_project_set_value() or a file gave a variable, "Tank.level".
TAKT_API takt_status takt_project_unset_value(takt_project *project, const char *variable,
                                              takt_error *err);

/// Finds all problems without running code of FMUs, as takt_system_create() and takt_system_check() do. They go to the project's log; see
/// takt_problem_list_create() for a log that keeps them.
TAKT_API takt_status takt_project_check(const takt_project *project, takt_error *err);

// ---- settings --------------------------------------------------------------------------------------

/// One setting, for help texts and documentation.
typedef struct takt_setting_info {
    size_t size; ///< of this struct, set by the library
    const char *name; ///< "step-size"
    const char *argument; ///< what its value is called in help texts; NULL: a flag
    const char *default_text; ///< as one would write it; NULL: depends on the project
    const char *help; ///< one sentence without a full stop
} takt_setting_info;

/// What kind of value a setting has.
typedef enum takt_setting_type {
    TAKT_SETTING_FLAG, ///< "true" or "false"
    TAKT_SETTING_NUMBER,
    TAKT_SETTING_COUNT, ///< a whole number of at least 1
    TAKT_SETTING_TIME, ///< seconds, or a number with a unit: "10min"
    TAKT_SETTING_CHOICE, ///< one of several words
    TAKT_SETTING_TEXT,
} takt_setting_type;

/// The type of setting number `index`, the words to choose from (ended by NULL; NULL: any text), and whether it may be given
/// several times.
TAKT_API takt_setting_type takt_setting_type_of(int index);
TAKT_API const char *const *takt_setting_choices(int index);
TAKT_API int takt_setting_is_repeatable(int index);

/// The value that a project has for a setting, as one would write it, several separated by blanks; "" if it has none. Owned by
/// the caller, freed with takt_free().
TAKT_API takt_status takt_project_get(const takt_project *project, const char *name, char **out,
                                      takt_error *err);

/// The settings, by index from 0; NULL after the last one.
TAKT_API const takt_setting_info *takt_setting(int index);

/// The heading above a setting in help texts; NULL: it belongs to the setting before.
TAKT_API const char *takt_setting_group(int index);

#ifdef __cplusplus
}
#endif
#endif
