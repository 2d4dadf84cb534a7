// SPDX-License-Identifier: MIT
// Facts about models in the form in which descriptions show them, as text and as JSON.
#ifndef TAKT_SYSTEM_FACTS_H
#define TAKT_SYSTEM_FACTS_H

#include "base/text.h"
#include "system/system.h"

/// What a model may be able to do, by index, with the names that users see.
enum { TAKT_N_CAPABILITIES = 9 };
const char *takt_capability_name(int i);
bool takt_has_capability(const takt_model *model, int i);

/// The default experiment, as pairs of a name and a number; NaN: not said.
typedef struct takt_named_number {
    const char *name;
    double value;
} takt_named_number;

enum { TAKT_N_DEFAULTS = 4 };
void takt_list_defaults(const takt_default_experiment *e, takt_named_number out[TAKT_N_DEFAULTS]);

/// The exponents of a unit's base units, with their names.
typedef struct takt_base_unit {
    const char *name;
    int exponent;
} takt_base_unit;

enum { TAKT_N_BASE_UNITS = 8 };
void takt_list_base_units(const takt_unit *unit, takt_base_unit out[TAKT_N_BASE_UNITS]);

/// A value as text: numbers, true and false, texts in quotes, bytes as hexadecimal digits.
void takt_add_value(takt_text *out, takt_type type, const takt_value *value);

/// Bytes as hexadecimal digits.
void takt_add_hex(takt_text *out, const takt_value *bytes);

#endif
