// SPDX-License-Identifier: MIT
// Rules of the standard that can be checked only when a description is complete. What breaks them is told
// as a note: it does not matter for a run. Called after the variables have inherited from their types.
#ifndef TAKT_DESCRIPTION_RULES_H
#define TAKT_DESCRIPTION_RULES_H

#include "description/elements.h"

/// What FMI 1.0 and 2.0 have in common: units that are used are defined, once; names of types differ from
/// those of variables; items of an enumeration are unique; start values lie within the limits.
void takt_rules_check_common(takt_description_reader *reader);

/// Looks at those attributes of the present element, a variable being read, that the model does not keep:
/// displayUnit, reinit, and those of clocks. Units and types must be known.
void takt_rules_note_attributes(takt_description_reader *reader, const takt_variable *variable);

/// Enters a display unit of a unit.
void takt_rules_add_display_unit(takt_description_reader *reader, const char *unit,
                                 const char *name);

/// Checks the attribute dependenciesKind of the present element. Unknowns of the initialization have fewer
/// kinds.
void takt_rules_check_kinds(takt_description_reader *reader, bool is_initial);

/// Reads an element DefaultExperiment and checks whether its numbers make sense.
takt_status takt_rules_read_experiment(takt_description_reader *reader, takt_error *err);

/// Variables that share a value reference and a base type, as indices in the order of the file.
typedef void (*takt_alias_fn)(takt_description_reader *reader, const int *variables, int n);
void takt_rules_for_aliases(takt_description_reader *reader, takt_alias_fn visit);

/// The derivative of a variable is declared with another one.
typedef struct takt_declared_derivative {
    int variable; ///< that has the attribute
    int64_t of; ///< index in the file, from 1
} takt_declared_derivative;

/// What only descriptions of FMI 2.0 have and the model does not keep.
typedef struct takt_fmi2_structure {
    takt_list declared; ///< takt_declared_derivative
    takt_list derivatives; ///< takt_dependency; what ModelStructure/Derivatives lists
    takt_list sources, me_sources; ///< const char *; of co-simulation and model exchange
    takt_list *sources_being_read; ///< one of these two
    bool has_variables, has_structure, has_derivatives, has_initial_unknowns;
} takt_fmi2_structure;

/// Derivatives, InitialUnknowns, aliases, the independent variable (FMI 2.0.5, sections 2.2.7 and 2.2.8).
void takt_rules_check_fmi2(takt_description_reader *reader, const takt_fmi2_structure *structure);

/// Initial unknowns, states, links between variables (FMI 3.0.2, sections 2.4.7 and 2.4.8).
void takt_rules_check_fmi3(takt_description_reader *reader);

#endif
