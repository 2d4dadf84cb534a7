// SPDX-License-Identifier: MIT
// What the files that make a system share. Each phase reports its problems and continues; only
// exhausted memory ends the work at once.
#ifndef TAKT_SYSTEM_BUILDER_H
#define TAKT_SYSTEM_BUILDER_H

#include <string.h>

#include "system/system.h"

/// A unit that the project declares for a variable.
typedef struct takt_declared_unit {
    takt_reference variable;
    const takt_unit *unit;
} takt_declared_unit;

typedef struct takt_builder {
    const takt_project *project;
    const takt_system *lender; ///< whose models may be borrowed; NULL: none
    takt_system *system; ///< being made
    takt_problems problems;
    bool is_out_of_memory;
    takt_model_source *sources; ///< per component; path NULL: it cannot be opened, and was reported
    takt_connection *connections; ///< while they are collected
    int connection_capacity;
    takt_declared_unit *declared_units; ///< sorted by variable
    int n_declared_units;
    int n_function_variables; ///< of all built-in functions
    bool has_no_size; ///< neither the user nor an FMU gives a step size
} takt_builder;

/// The index of a component or of a variable; when there is none, reports it and returns -1. The
/// variables of a component whose model could not be opened are not known: -1 without a report.
int takt_builder_component(takt_builder *builder, const char *name, takt_place place);
int takt_builder_variable(takt_builder *builder, int component, const char *name, takt_place place);

/// The component, or the variable of a component, that is most like a name; NULL: none is, or the
/// search would take too long.
const char *takt_builder_nearest_component(const takt_builder *builder, const char *name);
const char *takt_builder_nearest(const takt_builder *builder, int component, const char *name);

/// Finds what "component.variable" means, where either may contain dots. *component is the first
/// component whose name fits even if no variable does, or -1. `buffer` has room for the name.
bool takt_builder_split(const takt_system *system, const char *name, char *buffer, int *component,
                        int *variable);

/// The only component of a project, for which names of variables alone suffice; -1: there are several,
/// or it could not be opened.
int takt_builder_only_component(const takt_builder *builder);

/// Adds a component for each table of the setting input-file, before models are opened. Returns false
/// when memory is exhausted.
bool takt_builder_add_input_files(takt_builder *builder);

/// A path that a setting of the project names: in the project's file it is seen from its folder, on the command line from
/// the current one. In the system's arena; NULL: out of memory.
const char *takt_builder_path_of(const takt_builder *builder, const takt_text_list *setting,
                                 const char *item);

/// The connections that the columns of these tables stand for, in the system's arena. Reports columns
/// that are no input.
bool takt_builder_drive_inputs(takt_builder *builder, takt_project_connection **out, int *n);

/// Reports settings that were given and have no effect in this system, when everything else is known.
void takt_builder_check_effects(takt_builder *builder);

/// Are two types the same for the user? (An enumeration of FMI 1.0 and 2.0 is an Int32.)
bool takt_builder_types_agree(takt_type a, takt_type b);

/// Does a name mean an element of an array, "x[1,2]"?
static inline bool takt_builder_is_element(const char *name)
{
    size_t length = strlen(name);
    return length > 0 && name[length - 1] == ']';
}

/// Are these the sizes, "[2,?]", of an array? `array` is NULL for a scalar. If not, `out` is what they are,
/// "[2,3]", or "a scalar".
bool takt_builder_has_shape(const takt_array *array, const char *shape, char out[static 80]);

/// The unit of a variable: what the FMU says, else what the project declares; NULL: none.
const takt_unit *takt_builder_unit(takt_builder *builder, takt_reference variable);

/// Collects the units that the project declares, and reports those that contradict the FMUs. The phases
/// below need them. Returns false when memory is exhausted.
bool takt_builder_units(takt_builder *builder);

/// The value of an item of a variable's enumeration, by name. Returns false when there is none.
bool takt_builder_item(const takt_component *owner, const takt_variable *variable, const char *name,
                       int64_t *out);

/// The item of a variable's enumeration that is most like a name; NULL: none is.
const char *takt_builder_nearest_item(const takt_component *owner, const takt_variable *variable,
                                      const char *name);

/// Finds out how a value gets from one variable to another, of which `connection` has the indices:
/// types that can be converted, units, transformations. Reports what is impossible and returns false.
bool takt_builder_convert(takt_builder *builder, const takt_project_connection *given,
                          takt_connection *connection);

/// What the text of a value becomes on its way to a variable: other units, transformations, names of
/// items as numbers. `hops` are those of the assignment, then those of an alias. Reports what is
/// impossible and returns NULL.
const char *takt_builder_convert_text(takt_builder *builder, const takt_project_assignment *given,
                                      const takt_project_alias *alias, takt_reference target,
                                      const char *text);

/// A value that the project gives to a structural parameter.
typedef struct takt_given_size {
    takt_reference variable;
    int64_t value;
    takt_place place;
} takt_given_size;

/// All of them, sorted by component, in the system's arena. Returns false when memory is exhausted.
bool takt_builder_given_sizes(takt_builder *builder, takt_given_size **out, int *n);

/// The phases. They return TAKT_OK or TAKT_ERR_MEMORY.
takt_status takt_builder_sizes(takt_builder *builder, takt_error *err); // before all others
takt_status takt_builder_connectors(takt_builder *builder, takt_error *err);
takt_status takt_builder_connections(takt_builder *builder, takt_error *err);
takt_status takt_builder_starts(takt_builder *builder, takt_error *err);
takt_status takt_builder_experiment(takt_builder *builder, takt_error *err);
takt_status takt_builder_record(takt_builder *builder, takt_error *err);
takt_status takt_builder_scenarios(takt_builder *builder, takt_error *err); // replaces models

/// Replaces the step control `auto` by what it stands for; the step size is complete.
void takt_builder_choose_control(takt_builder *builder);

/// Chooses where rows lie, when the step control is known.
void takt_builder_choose_rows(takt_builder *builder);

#endif
