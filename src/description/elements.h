// SPDX-License-Identifier: MIT
// Parts of model descriptions that several FMI versions have in common; only for the readers of the
// versions.
#ifndef TAKT_DESCRIPTION_ELEMENTS_H
#define TAKT_DESCRIPTION_ELEMENTS_H

#include "description/reader.h"

/// Elements that are the same from FMI 2.0 on; for tables of rules.
takt_status takt_description_read_experiment(takt_description_reader *reader, takt_error *err);
takt_status takt_description_read_categories(takt_description_reader *reader, takt_error *err);
takt_status takt_description_read_units(takt_description_reader *reader, takt_error *err);

/// The attributes of the root element that all versions have; `token_name` is guid or instantiationToken.
void takt_description_root(takt_description_reader *reader, const char *token_name,
                           const char *version);

/// The line of the present element.
int takt_description_line(const takt_description_reader *reader);

/// The name of a type as the FMI version of the description spells it: Real or Float64.
const char *takt_description_type_name(const takt_description_reader *reader, takt_type type);

/// The attribute modelIdentifier, which becomes a file name; "" after an error.
const char *takt_description_identifier(takt_description_reader *reader);

/// Boolean attributes of the present element that are false when they are missing.
typedef struct takt_flag {
    const char *name;
    bool *value;
} takt_flag;
void takt_description_flags(takt_description_reader *reader, const takt_flag *flags, size_t n);

/// The attributes min, max and (unless NULL) nominal. Missing ones are NaN until
/// takt_description_inherit().
void takt_description_limits(takt_description_reader *reader, double *min, double *max,
                             double *nominal);

/// Starts a type definition with the attribute name; it becomes reader->type.
takt_status takt_description_add_type(takt_description_reader *reader, takt_error *err);

/// An item of an enumeration, and its end: moves the items read so far into reader->type.
takt_status takt_description_add_item(takt_description_reader *reader, int64_t least,
                                      int64_t greatest, takt_error *err);
void takt_description_take_items(takt_description_reader *reader);

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

/// Gives a variable what its type has, and limits their defaults.
void takt_description_inherit(takt_description_reader *reader, takt_variable *variable);

/// Hands over one token after the other of a list between blanks; false after the last one.
bool takt_description_token(const char **text, const char **begin, const char **end);

/// Copies reader->indices into the model's arena as the known variables of a dependency.
void takt_description_take_known(takt_description_reader *reader, takt_dependency *dependency);

/// Each output must be listed once in ModelStructure; one that is missing counts as depending on all.
/// `list` names the list in messages.
void takt_description_check_outputs(takt_description_reader *reader, const char *list);

/// Finishes type definitions and moves all lists into the model.
takt_status takt_description_finish(takt_description_reader *reader, takt_error *err);

#endif
