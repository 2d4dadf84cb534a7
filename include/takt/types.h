// SPDX-License-Identifier: MIT
// Types of variables and the parts that variables play, in the words of FMI 3.0.
#ifndef TAKT_TYPES_H
#define TAKT_TYPES_H

#include "takt/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/// How values are kept: every float as a double, every integer, Boolean, enumeration and clock as an int64_t, every
/// string and binary as bytes.
typedef enum takt_kind { TAKT_KIND_REAL, TAKT_KIND_INTEGER, TAKT_KIND_BYTES } takt_kind;

/// Every type: constant, name (that of FMI 3.0; Real and Integer of FMI 1.0 and 2.0 are Float64 and
/// Int32), kind of storage. A UInt64 is stored with the same bits.
#define TAKT_TYPE_LIST(X)                                                                          \
    X(TAKT_FLOAT64, "Float64", TAKT_KIND_REAL)                                                     \
    X(TAKT_FLOAT32, "Float32", TAKT_KIND_REAL)                                                     \
    X(TAKT_INT8, "Int8", TAKT_KIND_INTEGER)                                                        \
    X(TAKT_UINT8, "UInt8", TAKT_KIND_INTEGER)                                                      \
    X(TAKT_INT16, "Int16", TAKT_KIND_INTEGER)                                                      \
    X(TAKT_UINT16, "UInt16", TAKT_KIND_INTEGER)                                                    \
    X(TAKT_INT32, "Int32", TAKT_KIND_INTEGER)                                                      \
    X(TAKT_UINT32, "UInt32", TAKT_KIND_INTEGER)                                                    \
    X(TAKT_INT64, "Int64", TAKT_KIND_INTEGER)                                                      \
    X(TAKT_UINT64, "UInt64", TAKT_KIND_INTEGER)                                                    \
    X(TAKT_BOOLEAN, "Boolean", TAKT_KIND_INTEGER)                                                  \
    X(TAKT_ENUMERATION, "Enumeration", TAKT_KIND_INTEGER)                                          \
    X(TAKT_CLOCK, "Clock", TAKT_KIND_INTEGER)                                                      \
    X(TAKT_STRING, "String", TAKT_KIND_BYTES)                                                      \
    X(TAKT_BINARY, "Binary", TAKT_KIND_BYTES)

/// The type of a variable.
typedef enum takt_type {
#define TAKT_TYPE_ENUM(name, text, kind) name,
    TAKT_TYPE_LIST(TAKT_TYPE_ENUM)
#undef TAKT_TYPE_ENUM
} takt_type;

/// What a variable is for.
typedef enum takt_causality {
    TAKT_PARAMETER,
    TAKT_CALCULATED_PARAMETER,
    TAKT_STRUCTURAL_PARAMETER,
    TAKT_INPUT,
    TAKT_OUTPUT,
    TAKT_LOCAL,
    TAKT_INDEPENDENT,
} takt_causality;

/// When a variable may change.
typedef enum takt_variability {
    TAKT_CONSTANT,
    TAKT_FIXED,
    TAKT_TUNABLE,
    TAKT_DISCRETE,
    TAKT_CONTINUOUS,
} takt_variability;

/// Their names in FMI's spelling: "Float64", "input", "tunable"; "unknown" for what is no value of the enumeration.
TAKT_API const char *takt_type_name(takt_type type);
TAKT_API const char *takt_causality_name(takt_causality causality);
TAKT_API const char *takt_variability_name(takt_variability variability);

/// How values of a type are kept.
TAKT_API takt_kind takt_type_kind(takt_type type);

#ifdef __cplusplus
}
#endif
#endif
