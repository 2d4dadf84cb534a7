// SPDX-License-Identifier: MIT
// Calls of an FMU in the log (level trace): function, arguments, status and what the FMU returned.
//
// Where the log wants them when an instance is made, a tracer takes the place of the FMU: the instance gets its
// table of functions, and the tracer as component. Each of these functions calls the one of the library and
// writes a line. So nothing is asked or paid for where calls are not traced, and no caller knows about it. A line is
// made on the stack: nothing is allocated. Only for src/fmu.
#ifndef TAKT_FMU_TRACE_H
#define TAKT_FMU_TRACE_H

#include "fmu/instance.h"

/// Stands for the component of an FMU. Each version's struct begins with it.
struct takt_tracer {
    takt_fmu_instance *instance;
    void *component; ///< what the FMU calls its instance
    const void *functions; ///< of the library, of the version
};
typedef struct takt_tracer takt_tracer;

/// A line under way.
typedef struct takt_trace_line {
    const takt_tracer *tracer;
    bool has_result; ///< arguments that follow are what the FMU returned
    int n_arguments;
    size_t length;
    char text[2048]; ///< longer lines are cut
} takt_trace_line;

/// Types of arguments.
typedef enum takt_trace_kind {
    TAKT_TRACE_FLOAT64,
    TAKT_TRACE_FLOAT32,
    TAKT_TRACE_INT8,
    TAKT_TRACE_UINT8,
    TAKT_TRACE_INT16,
    TAKT_TRACE_UINT16,
    TAKT_TRACE_INT32,
    TAKT_TRACE_UINT32,
    TAKT_TRACE_INT64,
    TAKT_TRACE_UINT64,
    TAKT_TRACE_STRING,
} takt_trace_kind;

void takt_trace_begin(takt_trace_line *line, const takt_tracer *tracer, const char *function);
/// Adds an argument: `n` values, of which the first are shown; `is_array`: in braces.
void takt_trace_add(takt_trace_line *line, const char *name, takt_trace_kind kind,
                    const void *values, size_t n, bool is_array);
/// The call has returned. Tells whether what it returned may be looked at.
bool takt_trace_result(takt_trace_line *line, int status);
/// The same for a call that returns nothing.
void takt_trace_done(takt_trace_line *line);
/// Writes the line.
void takt_trace_end(takt_trace_line *line);

/// The type behind a pointer. Booleans and enumerations (the default) are numbers: an FMU may write any.
#define TAKT_TRACE_KIND(pointer)                                                                   \
    _Generic((pointer),                                                                            \
        const double *: TAKT_TRACE_FLOAT64,                                                        \
        const float *: TAKT_TRACE_FLOAT32,                                                         \
        const char *: TAKT_TRACE_INT8,                                                             \
        const int8_t *: TAKT_TRACE_INT8,                                                           \
        const bool *: TAKT_TRACE_UINT8,                                                            \
        const uint8_t *: TAKT_TRACE_UINT8,                                                         \
        const int16_t *: TAKT_TRACE_INT16,                                                         \
        const uint16_t *: TAKT_TRACE_UINT16,                                                       \
        const int32_t *: TAKT_TRACE_INT32,                                                         \
        const uint32_t *: TAKT_TRACE_UINT32,                                                       \
        const int64_t *: TAKT_TRACE_INT64,                                                         \
        const uint64_t *: TAKT_TRACE_UINT64,                                                       \
        const char *const *: TAKT_TRACE_STRING, \
        default: TAKT_TRACE_INT32)

/// For TAKT_TRACED: an array of `n` values, one value, the value at a pointer.
#define TAKT_TRACE_ARRAY(x, n)                                                                     \
    takt_trace_add(&line, #x, TAKT_TRACE_KIND(1 ? (x) : TAKT_TRACE_CONST(x)), x, n, true);
#define TAKT_TRACE_VALUE(x)                                                                        \
    takt_trace_add(&line, #x, TAKT_TRACE_KIND(1 ? &(x) : TAKT_TRACE_CONST(&(x))), &(x), 1, false);
#define TAKT_TRACE_AT(x)                                                                           \
    takt_trace_add(&line, #x, TAKT_TRACE_KIND(1 ? (x) : TAKT_TRACE_CONST(x)), x, 1, false);
/// Pointers to const and to others are alike.
#define TAKT_TRACE_CONST(x) ((const __typeof__(*(x)) *)(x))
#define TAKT_TRACE_NONE

/// Defines NAME_traced(), which calls NAME of the library and writes a line. `in` and `out` show the arguments that
/// the FMU gets and those that it sets. `Functions` is the version's table; the component must be called `c`.
#define TAKT_TRACED(Functions, Status, name, parameters, arguments, in, out)                       \
    static TAKT_FMI_CALL Status name##_traced parameters                                           \
    {                                                                                              \
        const takt_tracer *tracer = c;                                                             \
        takt_trace_line line;                                                                      \
        takt_trace_begin(&line, tracer, #name);                                                    \
        in c = tracer->component;                                                                  \
        Status status = ((const Functions *)tracer->functions)->name arguments;                    \
        if (takt_trace_result(&line, (int)status)) {                                               \
            out                                                                                    \
        }                                                                                          \
        takt_trace_end(&line);                                                                     \
        return status;                                                                             \
    }

/// The same for a function that returns nothing and takes only the component.
#define TAKT_TRACED_FREE(Functions, name)                                                          \
    static TAKT_FMI_CALL void name##_traced(void *c)                                               \
    {                                                                                              \
        const takt_tracer *tracer = c;                                                             \
        takt_trace_line line;                                                                      \
        takt_trace_begin(&line, tracer, #name);                                                    \
        ((const Functions *)tracer->functions)->name(tracer->component);                           \
        takt_trace_done(&line);                                                                    \
        takt_trace_end(&line);                                                                     \
    }

/// Lets a table of functions have the traced ones where the library has them.
#define TAKT_TRACE_REPLACE(result, name, parameters)                                               \
    if (from->name) functions->name = name##_traced;

/// Writes the line about the call that has made the component.
void takt_trace_created(const takt_fmu_instance *instance, const char *function);

/// Makes an instance that has its component use a tracer, if the log wants calls. Called with `create` of a kind.
struct takt_fmi1_instance;
struct takt_fmi2_instance;
struct takt_fmi3_instance;
takt_status takt_fmi1_trace(struct takt_fmi1_instance *self, takt_error *err);
takt_status takt_fmi2_trace(struct takt_fmi2_instance *self, takt_error *err);
takt_status takt_fmi3_trace(struct takt_fmi3_instance *self, takt_error *err);

/// Makes the tracer of an instance, with room for `size` bytes; NULL if the log wants none.
takt_status takt_tracer_create(takt_fmu_instance *instance, const void *functions, size_t size,
                               takt_tracer **out, takt_error *err);

#endif
