// SPDX-License-Identifier: MIT
// The text form of results in CSV (RFC 4180): how names and values are written into a buffer.
#ifndef TAKT_RECORD_CSV_FORMAT_H
#define TAKT_RECORD_CSV_FORMAT_H

#include "instance/value.h"
#include "record/buffer.h"

/// Numbers; there must be room for TAKT_NUMBER_SIZE characters. Integers are written as their type
/// says: booleans 0 or 1, UInt64 without a sign.
void takt_csv_add_real(takt_buffer *buffer, double value);
/// The same for a point in time: 100000 where the shortest form is 1e+05.
void takt_csv_add_time(takt_buffer *buffer, double t);
void takt_csv_add_integer(takt_buffer *buffer, takt_type type, int64_t value);

/// A name, quoted only where it must be. These make the room they need and return false when memory
/// is exhausted.
bool takt_csv_add_name(takt_buffer *buffer, const char *name);

/// The unit behind a name. Not possible where one of them needs quotes: in these no unit is looked for.
bool takt_csv_takes_unit(const char *name, const char *unit);
bool takt_csv_add_unit(takt_buffer *buffer, const char *unit);

/// The value of a string (always quoted) or a binary (hexadecimal digits in quotes).
bool takt_csv_add_bytes(takt_buffer *buffer, takt_type type, const char *data, size_t size);

#endif
