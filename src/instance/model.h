// SPDX-License-Identifier: MIT
// A model: something that can be instantiated, and all that is known about it without running it.
// For an FMU this is the content of modelDescription.xml. A model does not change once it is open.
#ifndef TAKT_INSTANCE_MODEL_H
#define TAKT_INSTANCE_MODEL_H

#include "base/map.h"
#include "base/unit.h"
#include "instance/value.h"

typedef enum takt_initial {
    TAKT_INITIAL_NONE, ///< inputs and the independent variable
    TAKT_EXACT,
    TAKT_APPROX,
    TAKT_CALCULATED,
} takt_initial;

const char *takt_initial_name(takt_initial initial);

/// One item of an enumeration.
typedef struct takt_enumeration_item {
    const char *name;
    const char *description; ///< NULL: none
    int64_t value;
} takt_enumeration_item;

/// A type that several variables share; variables already have inherited unit, limits and nominal.
typedef struct takt_type_definition {
    const char *name;
    takt_type type;
    const char *unit; ///< NULL: none
    double min, max, nominal; ///< -inf, inf, 1 unless declared
    takt_enumeration_item *items; ///< of an enumeration
    int n_items;
    int line;
} takt_type_definition;

/// An array variable of FMI 3.0. Its elements are variables of their own, "x[1]", "x[2]" or "x[1,2]", which
/// lie one after the other in the order of the array's values (the last index runs fastest), so that
/// connections, start values and results need no arrays.
typedef struct takt_array {
    const char *name; ///< "x"
    int first; ///< index of its first element in takt_model::variables
    int n_elements;
    int n_dimensions;
    const int *dimensions; ///< their sizes
} takt_array;

typedef struct takt_variable {
    const char *name;
    const takt_array *array; ///< NULL: not an element of an array
    const char *description; ///< NULL: none
    const char *unit; ///< NULL: none
    const char *declared_type; ///< name of its type definition, NULL: none
    uint32_t reference; ///< FMI's value reference
    takt_type type;
    takt_causality causality;
    takt_variability variability;
    takt_initial initial;
    bool may_be_tunable; ///< a parameter of FMI 1.0, which does not say which ones are
    bool is_relative; ///< relativeQuantity: offsets of units do not apply
    bool
        is_held; ///< an input that keeps its value within a step, even if others can be interpolated
    bool is_scripted; ///< a scenario changes it, so that only the instance knows its value
    bool has_start;
    takt_value start;
    double min, max, nominal; ///< -inf, inf, 1 unless declared; of numeric types
    bool has_nominal; ///< by itself or by its type definition
    int line; ///< in modelDescription.xml
} takt_variable;

/// A parameter that may change during a run, at communication points, so that it can be driven like an input.
static inline bool takt_variable_is_tuned(const takt_variable *variable)
{
    return variable->causality == TAKT_PARAMETER &&
           (variable->variability == TAKT_TUNABLE || variable->may_be_tunable);
}

/// On which variables an output depends, as ModelStructure says.
typedef struct takt_dependency {
    int variable; ///< the output, calculated parameter or state that depends
    bool is_known; ///< false: nothing was said, so it depends on every input
    int n_known; ///< how many entries of `known`
    const int *known; ///< indices of variables
    bool is_tried; ///< nothing was said; what is known was seen in steps on trial
} takt_dependency;

/// A variable of a terminal (FMI calls it a member).
typedef struct takt_terminal_member {
    const char *variable_name; ///< as written
    const char *name; ///< by which members of two terminals are matched; NULL: not said
    const char *kind; ///< "signal", "inflow", ...; NULL: not said
    int variable; ///< index; of an array its first element; -1: there is none of that name
} takt_terminal_member;

/// A terminal of FMI 3.0, or of 2.0 from 2.0.4 on: variables that are connected together.
typedef struct takt_terminal {
    const char *name; ///< of an inner terminal "outer.inner"
    const char *kind; ///< NULL: not said
    const char *matching_rule; ///< "plug", "bus", "sequence", ...
    const char *description; ///< NULL: none
    int first_member, n_members; ///< in takt_model::terminal_members
    int line; ///< in terminalsAndIcons.xml
} takt_terminal;

/// What instances of the model can do. Everything false and 0 is always allowed.
typedef struct takt_capabilities {
    bool rewind; ///< save and restore the state
    bool serialize; ///< turn a saved state into bytes and back
    bool
        save_restarts; ///< saving a state lets an integrator begin anew, which changes what follows
    bool variable_step; ///< any communication step size
    bool interpolate_inputs; ///< let inputs change within a step
    bool directional_derivatives;
    bool element_dependencies; ///< says on which elements of arrays elements depend
    bool asynchronous;
    bool events; ///< has an event mode
    bool early_return; ///< a step may stop early for an event
    bool once_per_process; ///< cannot be instantiated twice in one process
    bool needs_tool; ///< runs only with the exporting tool
    int max_output_derivative_order;
} takt_capabilities;

typedef struct takt_default_experiment {
    bool has_start, has_stop, has_tolerance, has_step;
    double start, stop, tolerance, step; ///< s, s, relative, s
} takt_default_experiment;

typedef struct takt_model takt_model;
struct takt_model {
    const struct takt_instance_type *type; ///< how its instances are run
    takt_arena arena; ///< owns everything below
    const char *path; ///< file it was opened from, as the user wrote it
    const char *private_folder; ///< with its unpacked files, not shared with others; NULL: none
    const char *description_file; ///< for messages with a line, e.g. "a.fmu/modelDescription.xml"
    const char *name; ///< modelName
    const char *version; ///< "FMI 2.0"
    const char *tool; ///< generationTool; NULL: not said
    const char *description; ///< NULL: none
    const char *platforms; ///< "linux64 win64"; NULL: does not apply
    const char *ways; ///< in which it can run here: "native, wine"; NULL: does not apply
    takt_unit *units;
    int n_units;
    takt_unit *display_units; ///< in which users may give values; all have base units
    int n_display_units;
    takt_type_definition *types;
    int n_types;
    takt_variable *variables; ///< in the order of the file
    int n_variables;
    takt_map names; ///< name -> index in `variables`; cleared with the model
    takt_array *arrays;
    int n_arrays;
    takt_map array_names; ///< name -> index in `arrays`; cleared with the model
    takt_terminal *terminals; ///< those inside others follow them
    int n_terminals;
    takt_terminal_member *terminal_members;
    takt_map terminal_names; ///< name -> index in `terminals`; cleared with the model
    takt_dependency *outputs; ///< of ModelStructure/Outputs
    int n_outputs;
    takt_dependency *initial_unknowns; ///< of ModelStructure/InitialUnknowns
    int n_initial_unknowns;
    takt_capabilities can;
    bool
        is_function; ///< outputs are functions of the present inputs and parameters; a step does nothing
    bool is_isolated; ///< its instances run in other processes
    bool has_states; ///< as far as the description says, inputs may act on continuous states
    takt_default_experiment experiment;
};

/// The index of the variable of that name, or of the first element of the array of that name; -1: there
/// is neither.
int takt_model_find(const takt_model *model, const char *name);

/// The type definition that a variable names, or NULL.
const takt_type_definition *takt_model_type(const takt_model *model, const char *name);

/// The unit of that name that the model defines, or NULL.
const takt_unit *takt_model_unit(const takt_model *model, const char *name);

/// Which interface of an FMU is used.
typedef enum takt_model_interface {
    TAKT_MODEL_ANY_INTERFACE, ///< as the settings say
    TAKT_MODEL_CS, ///< co-simulation
    TAKT_MODEL_ME, ///< model exchange
} takt_model_interface;

/// What a model is opened from.
typedef struct takt_model_source {
    const char *path;
    const char *shown; ///< its name in messages; NULL: the path
    takt_model_interface interface;
    bool is_table; ///< whatever its name ends in
    bool is_isolated; ///< its instances run in processes of their own
    const takt_model *opened; ///< from the same path, whose data may be shared; NULL: none
} takt_model_source;

/// Opens a model. The layers above src/fmu get this function from the API, so that they do not depend
/// on FMUs.
typedef takt_status (*takt_model_open_fn)(void *context, const takt_model_source *source,
                                          takt_model **out, takt_error *err);

#endif
