// SPDX-License-Identifier: MIT
// The system: names turned into indices, models opened, everything checked. Constant from then on.
#ifndef TAKT_SYSTEM_SYSTEM_H
#define TAKT_SYSTEM_SYSTEM_H

#include "instance/instance.h"
#include "project/project.h"
#include "takt/system.h"

typedef struct takt_component {
    const char *name;
    takt_model *model; ///< owned by the system; several components may share one
    bool is_input_file; ///< a table of the setting input-file, not of the project
    bool in_one_thread; ///< all of these are stepped by one thread (setting one-thread)
    double step_size; ///< s; of its own steps, where the error is controlled; 0: those of all
    bool is_group; ///< the names of its variables begin with those of its members
    takt_place place;
} takt_component;

/// A table for integers, truth values and enumerations. Values that are not in it stay as they are.
typedef struct takt_value_map {
    const int64_t *from, *to; ///< sorted by `from`
    int n_values;
} takt_value_map;

/// From an output (or another readable variable) to an input, both by index. Integers go through `map`,
/// then real values become factor * value + offset; other types are converted without loss.
typedef struct takt_connection {
    int from, from_variable; ///< component, variable of its model
    int to, to_variable;
    double factor, offset; ///< 1 and 0 unless units differ or the project says so
    takt_value_map map; ///< empty: nothing is mapped
    bool is_initial; ///< only during the initialization: into a parameter, or inside a group
    takt_place place;
} takt_connection;

/// What a value becomes.
static inline int64_t takt_value_map_find(const takt_value_map *map, int64_t value)
{
    int low = 0, high = map->n_values;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (map->from[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < map->n_values && map->from[low] == value ? map->to[low] : value;
}

/// A start value to be set before initialization.
typedef struct takt_start {
    int variable;
    takt_value value;
} takt_start;

/// A variable of a component.
typedef struct takt_reference {
    int component, variable;
} takt_reference;

struct takt_system {
    takt_arena arena;
    _Atomic(int)
        n_users; ///< who made it, until that one destroys it, and its runs; the last one frees it
    const takt_project *project; ///< held, unless the system is part of another one
    bool holds_project;
    const struct takt_system *lender; ///< of models; held; NULL: there is none
    takt_log *log; ///< borrowed
    takt_settings settings; ///< complete: what was not given has been derived
    takt_model **models;
    int n_models;
    takt_map by_source; ///< what a model was opened from -> its index; not those with other sizes
    bool *
        is_borrowed; ///< per model: it belongs to the system that this one was varied from; NULL: none does
    takt_project *own_project; ///< of a varied system; else NULL
    takt_component *components; ///< in the order of the project
    int n_components;
    takt_map names; ///< component name -> index
    takt_connection *connections;
    int n_connections;
    takt_start **starts; ///< per component, only what the project gives
    int *n_starts;
    const char **scenario_files; ///< paths, as they can be opened
    int n_scenario_files;
    double last_change; ///< s; of the scenarios; -infinite: there is none
    takt_reference *recorded; ///< variables for the results, in the order of the columns
    int n_recorded;
};

/// Makes the system of a project. Opens each model once, through `open`. All problems go to the
/// project's log, each with its place; then the status is TAKT_ERR_INPUT, or TAKT_ERR_USAGE when
/// only options were wrong. The result is owned by the caller; see takt_system_destroy().
takt_status takt_system_make(const takt_project *project, takt_model_open_fn open,
                             void *open_context, takt_system **out, takt_error *err);

/// A system that is used stays, also after takt_system_destroy(), until everybody has let it go by that function. From any thread.
void takt_system_hold(const takt_system *system);

/// Makes a system of `project`, a variation of the project of `lender`, whose models it borrows as far as it needs the
/// same, and which it holds. NULL: nothing is borrowed. Owns the project, also after a failure. `lender` may be used by
/// other threads meanwhile.
takt_status takt_system_vary(takt_project *project, const takt_system *lender,
                             takt_model_open_fn open, void *open_context, takt_system **out,
                             takt_error *err);

/// Reports that a setting, the field `field` of `system->settings`, has no effect in this system: a warning if it was
/// given as an option, an information if the project has it. Returns false if it was not given.
bool takt_system_report_idle(const takt_system *system, takt_problems *problems, const void *field,
                             const char *name, const char *reason);

/// The components in an order that does not depend on how the project lists them, by name; as listed if the
/// setting call-order asks for that. In `arena`; NULL when memory is exhausted.
const int *takt_system_sort(const takt_system *system, takt_arena *arena);

/// Sets the start values that the project gives, either of inputs or of all other variables, in an instance
/// of a component; the instance has the rest from its description.
takt_status takt_system_set_starts(const takt_system *system, int component,
                                   takt_instance *instance, bool of_inputs, takt_error *err);

/// Sets one start value of a component, in an instance that runs.
takt_status takt_system_set_start(const takt_system *system, int component, int i_start,
                                  takt_instance *instance, takt_error *err);

/// Sets a string of an instance before its initialization.
takt_status takt_system_set_text(takt_instance *instance, int i_variable, const char *text,
                                 takt_error *err);

/// Is it the parameter that names the folder for results of the instance's own? In groups its name begins with the member's.
bool takt_system_is_results_folder(const takt_variable *variable, bool is_of_member);

/// The interval that a run covers, for the instances.
takt_interval takt_system_interval(const takt_system *system);

/// "component.variable", in `arena` or borrowed from the system; NULL when memory is exhausted.
const char *takt_system_name(const takt_system *system, int component, int variable,
                             takt_arena *arena);

#endif
