// SPDX-License-Identifier: MIT
// Types of variables and how their values are kept.
//
// FMI has a dozen types. Takt keeps values in three kinds of storage: every float as a double, every
// integer, boolean and enumeration as an int64_t, every string and binary as bytes. The kinds of
// instances (src/fmu) convert to and from what an FMU needs; nothing else is concerned.
#ifndef TAKT_INSTANCE_VALUE_H
#define TAKT_INSTANCE_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/error.h"
#include "takt/types.h"

enum { TAKT_N_KINDS = 3, TAKT_N_TYPES = TAKT_BINARY + 1 };

/// Bytes that are overwritten again and again. Memory grows to the longest value seen and is then
/// reused, so that strings cost no allocation in the step loop. `data` always ends with a 0 that is
/// not counted; it is NULL only before the first assignment.
typedef struct takt_bytes {
    char *data;
    size_t size, capacity;
} takt_bytes;

/// Returns false when memory is exhausted.
bool takt_bytes_assign(takt_bytes *bytes, const void *data, size_t size);
/// The same without content: what was there stays, the rest is to be written by the caller.
bool takt_bytes_resize(takt_bytes *bytes, size_t size);
bool takt_bytes_equal(const takt_bytes *a, const takt_bytes *b);
void takt_bytes_clear(takt_bytes *bytes);

/// Buffers of values, one array per kind of storage.
typedef struct takt_values {
    double *real;
    int64_t *integer;
    takt_bytes *bytes;
} takt_values;

/// Owned arrays of n[kind] values each; all values are 0 or empty.
bool takt_values_init(takt_values *values, const int n[TAKT_N_KINDS]);
void takt_values_clear(takt_values *values, const int n[TAKT_N_KINDS]);

/// Copies n[kind] values each. Returns false when memory is exhausted.
bool takt_values_copy(const takt_values *from, takt_values *to, const int n[TAKT_N_KINDS]);

/// The same arrays, seen from index first[kind] on. Borrowed from `values`.
static inline takt_values takt_values_from(const takt_values *values, const int first[TAKT_N_KINDS])
{
    return (takt_values){values->real + first[TAKT_KIND_REAL],
                         values->integer + first[TAKT_KIND_INTEGER],
                         values->bytes + first[TAKT_KIND_BYTES]};
}

/// The values that an integer type can hold; of UInt64 those that an int64_t can hold, too.
void takt_type_range(takt_type type, int64_t *least, int64_t *greatest);

/// One constant value, as read from a file or an option. Text lives in an arena.
typedef struct takt_value {
    double real;
    int64_t integer;
    const char *text;
    size_t size; ///< of text, without the final 0
} takt_value;

/// Are these bytes in hexadecimal digits, the text form of Binary values ("00ff")?
bool takt_value_is_hex(const char *text);

/// Reads a value of the given type from its text form ("1.5", "true", "hello"; enumerations as
/// integers; UInt64 as the int64_t of the same bits). Returns false when the text is not a value of
/// that type or does not fit, or memory is exhausted (String, Binary); `out` is then unchanged. `arena`
/// keeps the copy of a string.
bool takt_value_read(takt_type type, const char *text, takt_arena *arena, takt_value *out);

#endif
