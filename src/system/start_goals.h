// SPDX-License-Identifier: MIT
// Which variables an assignment of a start value is for.
#ifndef TAKT_SYSTEM_START_GOALS_H
#define TAKT_SYSTEM_START_GOALS_H

#include "system/builder.h"

/// What an assignment sets: variables, each perhaps through an alias. Several things may have the same
/// name, "a.b" + "c" and "a" + "b.c"; a value is for all of them (SSP standard, section 5.2.3).
typedef struct takt_start_goal {
    takt_reference variable;
    const takt_project_alias *alias; ///< NULL: none
    bool is_element; ///< not all of the array to which the variable belongs
} takt_start_goal;

enum { TAKT_MAX_GOALS = 32 };

typedef struct takt_start_goals {
    takt_start_goal items[TAKT_MAX_GOALS];
    int n_items;
    int component; ///< the first whose name fits, even if no variable does; -1: none
} takt_start_goals;

/// Finds what "component.variable" means, or the bare variable of an only component. What is the alias
/// of something else is added by the caller. Reports what cannot be found. `buffer` has room for the name.
void takt_start_find_dotted(takt_builder *builder, const takt_project_assignment *given,
                            char *buffer, takt_start_goals *out);

/// The same where the assignment names the component.
void takt_start_find_in_component(takt_builder *builder, const takt_project_assignment *given,
                                  takt_start_goals *out);

/// The first alias of a name, or for "x[1,2]" that of "x"; then `index` is "[1,2]", else "". -1: none.
int takt_start_find_alias(const takt_builder *builder, const char *name, char *buffer,
                          const char **index);

#endif
