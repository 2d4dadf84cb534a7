// SPDX-License-Identifier: MIT
// Names and values as CSV; see csv_format.h.
#include "record/csv_format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

void takt_csv_add_real(takt_buffer *buffer, double value)
{
    buffer->length += takt_number_write(buffer->data + buffer->length, value);
}

void takt_csv_add_time(takt_buffer *buffer, double t)
{
    const double most = 1e15;
    if (!(fabs(t) < most) || t != (double)(int64_t)t || (t == 0 && signbit(t)))
        takt_csv_add_real(buffer, t);
    else
        buffer->length += takt_number_write_integer(buffer->data + buffer->length, (int64_t)t);
}

void takt_csv_add_integer(takt_buffer *buffer, takt_type type, int64_t value)
{
    if (type == TAKT_BOOLEAN || type == TAKT_CLOCK) {
        takt_buffer_put(buffer, value ? '1' : '0');
    } else if (type == TAKT_UINT64 && value < 0) {
        // Above the largest int64_t: all digits but the last, then that one.
        uint64_t bits = (uint64_t)value;
        takt_csv_add_integer(buffer, TAKT_INT64, (int64_t)(bits / 10));
        takt_buffer_put(buffer, (char)('0' + bits % 10));
    } else {
        buffer->length += takt_number_write_integer(buffer->data + buffer->length, value);
    }
}

static bool add_quoted(takt_buffer *buffer, const char *data, size_t size)
{
    if (size > SIZE_MAX / 4 || !takt_buffer_reserve(buffer, 2 * size + 2)) return false;
    takt_buffer_put(buffer, '"');
    for (size_t i = 0; i < size; i++) {
        if (data[i] == '"') takt_buffer_put(buffer, '"');
        takt_buffer_put(buffer, data[i]);
    }
    takt_buffer_put(buffer, '"');
    return true;
}

static bool add_hexadecimal(takt_buffer *buffer, const char *data, size_t size)
{
    if (size > SIZE_MAX / 4 || !takt_buffer_reserve(buffer, 2 * size + 2)) return false;
    takt_buffer_put(buffer, '"');
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)data[i];
        takt_buffer_put(buffer, "0123456789abcdef"[byte >> 4]);
        takt_buffer_put(buffer, "0123456789abcdef"[byte & 15]);
    }
    takt_buffer_put(buffer, '"');
    return true;
}

// Other programs find the separator by looking at the header, and trim blanks; so more than commas
// and quotes asks for quotes. What would be taken for a unit ("x [m]") does, too.
static bool needs_quotes(const char *name, size_t length)
{
    if (length == 0 || strchr(" \t", name[0]) || strchr(" \t", name[length - 1])) return true;
    if (name[length - 1] == ']' && strstr(name, " [")) return true;
    return strpbrk(name, ",;\t\"\r\n") != NULL;
}

bool takt_csv_add_name(takt_buffer *buffer, const char *name)
{
    size_t length = strlen(name);
    if (needs_quotes(name, length)) return add_quoted(buffer, name, length);
    if (!takt_buffer_reserve(buffer, length)) return false;
    memcpy(buffer->data + buffer->length, name, length);
    buffer->length += length;
    return true;
}

bool takt_csv_takes_unit(const char *name, const char *unit)
{
    return !needs_quotes(name, strlen(name)) && !needs_quotes(unit, strlen(unit)) &&
           !strpbrk(unit, "[]");
}

bool takt_csv_add_unit(takt_buffer *buffer, const char *unit)
{
    size_t length = strlen(unit);
    if (!takt_buffer_reserve(buffer, length + 3)) return false;
    takt_buffer_put_n(buffer, " [", 2);
    takt_buffer_put_n(buffer, unit, length);
    takt_buffer_put(buffer, ']');
    return true;
}

bool takt_csv_add_bytes(takt_buffer *buffer, takt_type type, const char *data, size_t size)
{
    return type == TAKT_BINARY ? add_hexadecimal(buffer, data, size)
                               : add_quoted(buffer, data, size);
}
