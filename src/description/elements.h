// SPDX-License-Identifier: MIT
// Elements of model descriptions that several FMI versions have in common: units, types, the experiment.
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

#endif
