// SPDX-License-Identifier: MIT
// Rules of the standard that can be checked only when a description is complete. A broken one is a
// note: it does not matter for a run. Called after the variables have inherited from their types.
#ifndef TAKT_DESCRIPTION_RULES_H
#define TAKT_DESCRIPTION_RULES_H

#include "description/reader.h"

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

/// Do the numbers of the present element, a DefaultExperiment, make sense?
void takt_rules_check_experiment(takt_description_reader *reader);

/// Variables that share a value reference and a base type, as indices in the order of the file.
typedef void (*takt_alias_fn)(takt_description_reader *reader, const int *variables, int n);
void takt_rules_for_aliases(takt_description_reader *reader, takt_alias_fn visit);

#endif
