// SPDX-License-Identifier: MIT
// Units of measurement, as FMI and SSP define them: by exponents of the base units of the SI, a
// factor and an offset.
#ifndef TAKT_BASE_UNIT_H
#define TAKT_BASE_UNIT_H

#include <stdbool.h>
#include <stddef.h>

/// value in base units = factor * value in this unit + offset.
typedef struct takt_unit {
    const char *name;
    bool has_base; ///< false: only the name is known
    int kg, m, s, A, K, mol, cd, rad; ///< exponents of the base units
    double factor, offset;
} takt_unit;

typedef enum takt_unit_relation {
    TAKT_UNITS_CONVERT, ///< one can be converted into the other
    TAKT_UNITS_DIFFER, ///< they measure different things
    TAKT_UNITS_UNKNOWN, ///< of at least one only the name is known
} takt_unit_relation;

/// How units are related. If one can be converted into the other, value in `to` = factor * value in
/// `from` + offset; for differences of quantities (`is_relative`) the offset is 0. Units of the same
/// name are the same, unless base units on both sides say something else. If only the name of one is
/// known, and it is that of a common unit which measures the same as the other, it is taken for that one.
takt_unit_relation takt_unit_convert(const takt_unit *from, const takt_unit *to, bool is_relative,
                                     double *factor, double *offset);

/// Of units that can be converted: is that only because one of them is taken for a common one?
bool takt_unit_is_assumed(const takt_unit *from, const takt_unit *to);

/// A common unit by its name ("cm", "degC", "kW.h"), for values that users type; NULL: not known.
const takt_unit *takt_unit_common(const char *name);

/// All common units in turn; NULL: there are no more.
const takt_unit *takt_unit_common_at(int i);

/// Do two units, both with base units, measure the same kind of quantity?
bool takt_unit_same_dimension(const takt_unit *a, const takt_unit *b);

/// Where the unit begins in "10 cm", "10cm" or "1 2 3 cm", as users type it, and the length of the
/// numbers before it. NULL: there are no numbers, or nothing behind them that could be a unit.
const char *takt_unit_behind(const char *text, size_t *length);

#endif
