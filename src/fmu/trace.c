// SPDX-License-Identifier: MIT
// Lines about calls of FMUs; see trace.h.
#include "fmu/trace.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

// ---- text ----------------------------------------------------------------------------------------

static void print(takt_trace_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void print(takt_trace_line *line, const char *format, ...)
{
    size_t room = sizeof line->text - line->length;
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(line->text + line->length, room, format, arguments);
    va_end(arguments);
    if (n > 0) line->length += (size_t)n < room ? (size_t)n : room - 1;
}

static void print_real(takt_trace_line *line, double value)
{
    char number[TAKT_NUMBER_SIZE];
    takt_number_write(number, value);
    print(line, "%s", number);
}

// FMUs may give any pointer to a text, also none.
static void print_string(takt_trace_line *line, const char *text)
{
    enum { MAX_SHOWN = 60 };
    if (!text) {
        print(line, "NULL");
        return;
    }
    size_t length = strnlen(text, MAX_SHOWN + 1), shown = length;
    if (shown > MAX_SHOWN) shown = MAX_SHOWN;
    while (shown && shown < length && ((unsigned char)text[shown] & 0xC0) == 0x80) shown--;
    print(line, "\"%.*s%s\"", (int)shown, text, shown < length ? "..." : "");
}

static void print_value(takt_trace_line *line, takt_trace_kind kind, const void *values, size_t i)
{
    switch (kind) {
    case TAKT_TRACE_FLOAT64: print_real(line, ((const double *)values)[i]); break;
    case TAKT_TRACE_FLOAT32: print_real(line, (double)((const float *)values)[i]); break;
    case TAKT_TRACE_INT8: print(line, "%d", ((const int8_t *)values)[i]); break;
    case TAKT_TRACE_UINT8: print(line, "%d", ((const uint8_t *)values)[i]); break;
    case TAKT_TRACE_INT16: print(line, "%d", ((const int16_t *)values)[i]); break;
    case TAKT_TRACE_UINT16: print(line, "%d", ((const uint16_t *)values)[i]); break;
    case TAKT_TRACE_INT32: print(line, "%" PRId32, ((const int32_t *)values)[i]); break;
    case TAKT_TRACE_UINT32: print(line, "%" PRIu32, ((const uint32_t *)values)[i]); break;
    case TAKT_TRACE_INT64: print(line, "%" PRId64, ((const int64_t *)values)[i]); break;
    case TAKT_TRACE_UINT64: print(line, "%" PRIu64, ((const uint64_t *)values)[i]); break;
    case TAKT_TRACE_STRING: print_string(line, ((const char *const *)values)[i]); break;
    }
}

// ---- lines ---------------------------------------------------------------------------------------

void takt_trace_begin(takt_trace_line *line, const takt_tracer *tracer, const char *function)
{
    line->tracer = tracer;
    line->has_result = false;
    line->n_arguments = 0;
    line->length = 0;
    print(line, "%s(", function);
}

void takt_trace_add(takt_trace_line *line, const char *name, takt_trace_kind kind,
                    const void *values, size_t n, bool is_array)
{
    enum { MAX_SHOWN = 16 };
    const char *arrow = strrchr(name, '>'); // of a member of a struct
    if (arrow) name = arrow + 1;
    bool is_first = line->n_arguments++ == 0 && !line->has_result;
    print(line, "%s%s=%s", is_first ? "" : ", ", name, is_array ? "{" : "");
    if (!values && n) print(line, "NULL");
    for (size_t i = 0; values && i < n && i < MAX_SHOWN; i++) {
        if (i) print(line, ", ");
        print_value(line, kind, values, i);
    }
    if (values && n > MAX_SHOWN) print(line, ", and %zu more", n - MAX_SHOWN);
    if (is_array) print(line, "}");
}

bool takt_trace_result(takt_trace_line *line, int status)
{
    static const char *const names[] = {"OK", "warning", "discard", "error", "fatal", "pending"};
    bool is_known = status >= 0 && status < (int)(sizeof names / sizeof *names);
    if (is_known)
        print(line, ") -> %s", names[status]);
    else
        print(line, ") -> %d", status);
    line->has_result = true;
    return status == 0 || status == 1;
}

void takt_trace_done(takt_trace_line *line)
{
    print(line, ")");
}

void takt_trace_end(takt_trace_line *line)
{
    const takt_fmu_instance *self = line->tracer->instance;
    char time[TAKT_NUMBER_SIZE];
    takt_number_write(time, self->time);
    takt_log_write(self->base.log, TAKT_LEVEL_TRACE, "instance '%s', t=%s: %s", self->base.name,
                   time, line->text);
}

void takt_trace_created(const takt_fmu_instance *instance, const char *function)
{
    takt_log_write(instance->base.log, TAKT_LEVEL_TRACE, "instance '%s': %s(instanceName=\"%s\")%s",
                   instance->base.name, function, instance->base.name,
                   instance->component ? "" : " -> NULL");
}

// ---- tracers -------------------------------------------------------------------------------------

takt_status takt_tracer_create(takt_fmu_instance *instance, const void *functions, size_t size,
                               takt_tracer **out, takt_error *err)
{
    if (!takt_log_wants(instance->base.log, TAKT_LEVEL_TRACE)) return TAKT_OK;
    takt_tracer *tracer = calloc(1, size);
    if (!tracer) return takt_fail_memory(err);
    *tracer = (takt_tracer){
        .instance = instance, .component = instance->component, .functions = functions};
    instance->tracer = tracer;
    instance->component = tracer;
    *out = tracer;
    return TAKT_OK;
}
