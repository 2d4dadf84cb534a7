// SPDX-License-Identifier: MIT
// Rules of FMI 2.0, and what is kept of a description for checking them.
#ifndef TAKT_DESCRIPTION_FMI2_RULES_H
#define TAKT_DESCRIPTION_FMI2_RULES_H

#include "description/rules.h"

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

#endif
