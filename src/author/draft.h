// SPDX-License-Identifier: MIT
// The draft of an FMU that is to be written: its name, its variables with their units, enumerations and clocks. It is filled
// from words of the command line, from a table, or from an opened FMU; project_files.h makes files of it.
#ifndef TAKT_AUTHOR_DRAFT_H
#define TAKT_AUTHOR_DRAFT_H

#include "base/arena.h"
#include "base/log.h"
#include "base/map.h"
#include "description/description.h"

enum { TAKT_DRAFT_MAX_DIMENSIONS = 4 };

/// What is not said about a variable; the kit then takes the usual.
enum { TAKT_DRAFT_USUAL = -1 };

typedef struct takt_draft_enumeration {
    const char *name;
    const takt_enumeration_item *items;
    int n_items;
} takt_draft_enumeration;

typedef struct takt_draft_variable {
    const char *name, *description, *unit; ///< the latter NULL: none
    const char *field; ///< its name in C
    takt_type type;
    takt_causality causality;
    int variability, initial; ///< takt_variability, takt_initial, or TAKT_DRAFT_USUAL
    const takt_value *starts; ///< one per element; NULL: none
    int n_starts;
    double min, max; ///< -inf, inf: none
    double nominal; ///< 0: none
    int enumeration; ///< index; -1: none
    const char *derivative_of; ///< name of a state; NULL: none
    int n_dimensions; ///< 0: not an array
    int dimensions[TAKT_DRAFT_MAX_DIMENSIONS];
    bool has_inputs; ///< it is known on which inputs it depends
    const char **inputs; ///< their names
    int n_inputs;
    const char **states; ///< the same for states
    int n_states;
    const takt_fmi3_clock *clock; ///< of a clock; NULL: it is triggered
    const char **clocks; ///< names of the clocks that it belongs to
    int n_clocks;
    const char *place; ///< where it was read, for messages
    int line; ///< 0: the place as a whole
} takt_draft_variable;

typedef struct takt_draft {
    takt_arena arena; ///< owns all texts
    takt_log *log; ///< gets all problems; may be NULL
    int n_problems;
    const char *name, *description; ///< the latter NULL: none
    const char *origin; ///< the FMU that it was taken from; NULL: none
    const char *versions; ///< of FMI, for the build: "2 3"
    bool has_co_simulation, has_model_exchange; ///< of the origin
    takt_default_experiment experiment;
    takt_draft_variable *variables;
    int n_variables, variable_capacity;
    takt_map names; ///< of the variables
    takt_draft_enumeration *enumerations;
    int n_enumerations, enumeration_capacity;
    takt_unit *units; ///< those with a definition
    int n_units, unit_capacity;
} takt_draft;

void takt_draft_clear(takt_draft *draft);

/// Counts and reports a problem.
void takt_draft_problem(takt_draft *draft, const char *place, int line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/// These return false when memory is exhausted.
bool takt_draft_add(takt_draft *draft, const takt_draft_variable *variable);
bool takt_draft_add_enumeration(takt_draft *draft, const takt_draft_enumeration *enumeration,
                                int *index);
/// Takes the definition of a unit, unless it is there.
bool takt_draft_add_unit(takt_draft *draft, const takt_unit *unit);

/// A variable of which nothing is said but its name.
takt_draft_variable takt_draft_plain(const char *name);

/// Is it a continuous state, because another variable is its derivative?
bool takt_draft_is_state(const takt_draft *draft, const takt_draft_variable *variable);
bool takt_draft_has_clocks(const takt_draft *draft);

/// With the usual value filled in, as the kit does.
takt_variability takt_draft_variability(const takt_draft_variable *variable);
takt_initial takt_draft_initial(const takt_draft *draft, const takt_draft_variable *variable);

/// Finds what the kit or the standard would refuse, chooses the versions of FMI where none are given, and names in C.
takt_status takt_draft_finish(takt_draft *draft, takt_error *err);

#endif
