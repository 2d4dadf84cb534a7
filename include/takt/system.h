// SPDX-License-Identifier: MIT
// A system: a project with its FMUs opened, all names resolved and everything checked.
#ifndef TAKT_SYSTEM_H
#define TAKT_SYSTEM_H

#include "takt/project.h"
#include "takt/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What was made of a project; it does not change any more.
typedef struct takt_system takt_system;

/// Opens the FMUs of a project (running none of their code), resolves and checks everything. All
/// problems go to the project's log; then the status is TAKT_ERR_INPUT, or TAKT_ERR_USAGE if only
/// settings and values that were given by options or the API are wrong. The result is owned by the
/// caller.
TAKT_API takt_status takt_system_create(const takt_project *project, takt_system **out,
                                        takt_error *err);

/// Ends a system. Its runs keep what they need of it. Accepts NULL.
TAKT_API void takt_system_destroy(takt_system *system);

/// Removes the temporary files of a system that cannot be destroyed, because an FMU does not return from a
/// call; for a takt_timeout_fn. Nothing but ending the process may follow. Accepts NULL.
TAKT_API void takt_system_remove_files(const takt_system *system);

// ---- what a system consists of ---------------------------------------------------------------------
// Structs that functions fill carry their size: takt_variable_info info = {.size = sizeof info}. Texts and arrays in them are
// borrowed from the system. Components and variables are meant by their index from 0.

/// A component and what is known of its FMU, table or function.
typedef struct takt_model_info {
    size_t size; ///< of this struct, set by the caller
    const char *component; ///< its name
    const char *model; ///< the FMU's modelName
    const char *path; ///< of the FMU or table; NULL: a function
    const char *kind; ///< "FMI 2.0 co-simulation", "table", ...
    const char *version; ///< "FMI 2.0"
    const char *tool; ///< that exported it; NULL: not said
    const char *description; ///< NULL: none
    const char *platforms; ///< "linux64 win64"; NULL: does not apply
    int n_variables; ///< elements of arrays count singly
    int can_rewind; ///< its state can be saved and restored
    int can_serialize; ///< a saved state can be turned into bytes
    int takes_any_step; ///< communication steps may have any size
    int interpolates_inputs; ///< inputs may change within a step
    int has_events; ///< it has an event mode
} takt_model_info;

/// A variable. Elements of arrays are variables of their own, "x[2,1]", that follow each other.
typedef struct takt_variable_info {
    size_t size; ///< of this struct, set by the caller
    const char *name; ///< without the component's
    takt_type type; ///< Float64, ...
    takt_causality causality; ///< input, output, ...
    takt_variability variability; ///< fixed, continuous, ...
    int is_tunable; ///< a parameter that may be changed during a run
    int is_connected; ///< an input, or parameter, that gets its value from another component
    const char *unit; ///< NULL: none
    const char *description; ///< NULL: none
    const char *declared_type; ///< name of its type definition; NULL: none
    double min, max, nominal; ///< -infinity, infinity, 1 unless declared; of numbers
    int has_start; ///< a start value is known: that of the project, else of the FMU
    double start_real; ///< of TAKT_KIND_REAL
    long long start_integer; ///< of TAKT_KIND_INTEGER
    const char *start_text; ///< of TAKT_KIND_BYTES
    size_t start_size; ///< bytes of `start_text`, without the final 0
    const char *array; ///< of an element of an array, the name of that, "x"; NULL: it is none
    int array_first; ///< the index of the array's first element
    int array_size; ///< how many elements it has
    int n_dimensions; ///< of the array
    const int *dimensions; ///< their sizes
} takt_variable_info;

/// A connection; elements of arrays are connected one by one.
typedef struct takt_link_info {
    size_t size; ///< of this struct, set by the caller
    int from, from_variable; ///< component and variable
    int to, to_variable; ///< the other end
    double factor, offset; ///< the value becomes factor * value + offset: units, transformations
    int is_initial; ///< only during the initialization
} takt_link_info;

TAKT_API int
takt_system_count_components(const takt_system *system); ///< with tables of `input-file`
TAKT_API int takt_system_count_variables(const takt_system *system,
                                         int component); ///< of a component
TAKT_API int takt_system_count_links(const takt_system *system); ///< connections

/// The index of a component, or of a variable (of an array: its first element) in a component; -1: there is none.
TAKT_API int takt_system_find_component(const takt_system *system, const char *name);
TAKT_API int takt_system_find_variable(const takt_system *system, int component, const char *name);

/// One of each. TAKT_ERR_USAGE: there is none of this index.
TAKT_API takt_status takt_system_get_model(const takt_system *system, int component,
                                           takt_model_info *out, takt_error *err);
TAKT_API takt_status takt_system_get_variable(const takt_system *system, int component,
                                              int variable, takt_variable_info *out,
                                              takt_error *err);
TAKT_API takt_status takt_system_get_link(const takt_system *system, int index, takt_link_info *out,
                                          takt_error *err);

/// The item of an enumeration that stands for a value; NULL: the variable has none.
TAKT_API const char *takt_system_item(const takt_system *system, int component, int variable,
                                      long long value);

/// A terminal of a model: variables that are connected together (FMI 3.0, and FMI 2.0 from 2.0.4 on).
typedef struct takt_terminal_info {
    size_t size; ///< of this struct, set by the caller
    const char *name; ///< of one inside of another, "outer.inner"
    const char *kind; ///< NULL: not said
    const char *matching_rule; ///< "plug", "bus", "sequence", ...
    const char *description; ///< NULL: none
    int n_members; ///< see takt_system_get_member()
} takt_terminal_info;

/// How many terminals a component's model has; one of them, by index from 0; and one of its members: the variable's index, or -1 where the model
/// has none of that name, and (`name`, may be NULL) what the member is called, by which those of two terminals are matched.
TAKT_API int takt_system_count_terminals(const takt_system *system, int component);
TAKT_API takt_status takt_system_get_terminal(const takt_system *system, int component, int index,
                                              takt_terminal_info *out, takt_error *err);
TAKT_API int takt_system_get_member(const takt_system *system, int component, int terminal,
                                    int member, const char **name);

/// The value in effect of a setting, by its name, as one would write it; "" if it has none. Owned by the caller, freed with takt_free().
TAKT_API takt_status takt_system_get_setting(const takt_system *system, const char *name,
                                             char **out, takt_error *err);

/// What a description of a system shows.
typedef enum takt_topic {
    TAKT_TOPIC_CONTENT, ///< components, variables, capabilities, settings
    TAKT_TOPIC_GRAPH, ///< calling sequence, levels, loops, feedthrough; instances of FMUs may be made for it
    TAKT_TOPIC_INPUTS, ///< inputs that are not connected, and the values that they keep; "" if there are none
    TAKT_TOPIC_STATIC_GRAPH, ///< as TAKT_TOPIC_GRAPH as far as it is known without running code of FMUs
    TAKT_TOPIC_EXPERIMENT, ///< interval, algorithm, steps, tolerance, rows: the values in effect, and where each comes from
    TAKT_TOPIC_IDENTITY, ///< what results depend on, a line for each fact; files, which are read for it, by their SHA-256; only as text
} takt_topic;

/// The form of a description.
typedef enum takt_format {
    TAKT_FORMAT_TEXT, ///< for reading
    TAKT_FORMAT_JSON,
    TAKT_FORMAT_DOT, ///< Graphviz; only TAKT_TOPIC_GRAPH
    TAKT_FORMAT_SVG, ///< a picture; only TAKT_TOPIC_GRAPH
} takt_format;

/// Finds the problems that show only when the calling order is made, without running code of FMUs; they go
/// to the project's log. With the setting `strict` it also fails if a warning said that results may be
/// wrong; see takt_log_count_doubts().
TAKT_API takt_status takt_system_check(const takt_system *system, takt_error *err);

/// Describes a system. The text is owned by the caller and freed with takt_free().
TAKT_API takt_status takt_system_describe(const takt_system *system, takt_topic topic,
                                          takt_format format, char **out, takt_error *err);

/// Frees a text, or bytes, that a function of this library returned. Accepts NULL.
TAKT_API void takt_free(void *data);

#ifdef __cplusplus
}
#endif
#endif
