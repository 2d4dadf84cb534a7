// SPDX-License-Identifier: MIT
// What several FMI versions do when all variables are read: inheriting from types, the model structure, and
// moving everything into the model.
#ifndef TAKT_DESCRIPTION_FINISH_H
#define TAKT_DESCRIPTION_FINISH_H

#include "description/reader.h"

/// Gives a variable what its type has, and limits their defaults.
void takt_description_inherit(takt_description_reader *reader, takt_variable *variable);

/// Copies reader->indices into the model's arena as the known variables of a dependency.
void takt_description_take_known(takt_description_reader *reader, takt_dependency *dependency);

/// Each output must be listed once in ModelStructure; one that is missing counts as depending on all.
/// `list` names the list in messages.
void takt_description_check_outputs(takt_description_reader *reader, const char *list);

/// Finishes type definitions and moves all lists into the model.
takt_status takt_description_finish(takt_description_reader *reader, takt_error *err);

#endif
