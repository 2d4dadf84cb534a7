// SPDX-License-Identifier: MIT
// Attributes of variables that several FMI versions have in common, and what missing ones mean.
#ifndef TAKT_DESCRIPTION_VARIABLES_H
#define TAKT_DESCRIPTION_VARIABLES_H

#include "description/reader.h"

/// Starts a variable with the attributes name, valueReference, description and causality (out of a list
/// of words).
void takt_description_begin_variable(takt_description_reader *reader, const takt_word *causalities,
                                     takt_variable *variable);

/// The same with variability (-1: not given) and initial. Returns whether `initial` was given.
bool takt_description_attributes(takt_description_reader *reader, const takt_word *causalities,
                                 takt_variable *variable);

/// Corrects variability and initial where they are missing or not allowed.
void takt_description_settle(takt_description_reader *reader, takt_variable *variable,
                             bool has_initial);

/// Says where a start value is missing or must not be.
void takt_description_check_start(takt_description_reader *reader, const takt_variable *variable);

/// Enters the variable with this index into the model's names.
void takt_description_add_name(takt_description_reader *reader, int index);

#endif
