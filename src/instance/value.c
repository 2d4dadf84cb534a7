// SPDX-License-Identifier: MIT
// Types, values and their buffers; see value.h.
#include "instance/value.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"

static const struct {
    const char *name;
    takt_kind kind;
} types[] = {
#define TYPE_ENTRY(name, text, kind) {text, kind},
    TAKT_TYPE_LIST(TYPE_ENTRY)
#undef TYPE_ENTRY
};

static bool is_type(takt_type type)
{
    return (int)type >= 0 && (int)type < (int)(sizeof types / sizeof *types);
}

const char *takt_type_name(takt_type type)
{
    return is_type(type) ? types[type].name : "unknown";
}

takt_kind takt_type_kind(takt_type type)
{
    return is_type(type) ? types[type].kind : TAKT_KIND_REAL;
}

bool takt_bytes_resize(takt_bytes *bytes, size_t size)
{
    if (size >= bytes->capacity) {
        if (size > SIZE_MAX / 2) return false;
        size_t capacity = size + size / 2 + 16;
        char *grown = realloc(bytes->data, capacity);
        if (!grown) return false;
        bytes->data = grown;
        bytes->capacity = capacity;
    }
    bytes->data[size] = 0;
    bytes->size = size;
    return true;
}

bool takt_bytes_assign(takt_bytes *bytes, const void *data, size_t size)
{
    if (!takt_bytes_resize(bytes, size)) return false;
    if (size) memcpy(bytes->data, data, size);
    return true;
}

bool takt_bytes_equal(const takt_bytes *a, const takt_bytes *b)
{
    return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

void takt_bytes_clear(takt_bytes *bytes)
{
    free(bytes->data);
    *bytes = (takt_bytes){0};
}

// An array of no values is still an array, so that pointers into it can be formed.
static void *array(int n, size_t size)
{
    return calloc(n ? (size_t)n : 1, size);
}

bool takt_values_init(takt_values *values, const int n[TAKT_N_KINDS])
{
    *values = (takt_values){array(n[TAKT_KIND_REAL], sizeof(double)),
                            array(n[TAKT_KIND_INTEGER], sizeof(int64_t)),
                            array(n[TAKT_KIND_BYTES], sizeof(takt_bytes))};
    if (values->real && values->integer && values->bytes) return true;
    free(values->real);
    free(values->integer);
    free(values->bytes);
    *values = (takt_values){0};
    return false;
}

void takt_values_clear(takt_values *values, const int n[TAKT_N_KINDS])
{
    if (values->bytes)
        for (int i = 0; i < n[TAKT_KIND_BYTES]; i++) takt_bytes_clear(&values->bytes[i]);
    free(values->real);
    free(values->integer);
    free(values->bytes);
    *values = (takt_values){0};
}

static bool read_boolean(const char *text, int64_t *out)
{
    if (strcmp(text, "true") == 0 || strcmp(text, "1") == 0)
        *out = 1;
    else if (strcmp(text, "false") == 0 || strcmp(text, "0") == 0)
        *out = 0;
    else
        return false;
    return true;
}

bool takt_values_copy(const takt_values *from, takt_values *to, const int n[TAKT_N_KINDS])
{
    memcpy(to->real, from->real, (size_t)n[TAKT_KIND_REAL] * sizeof *to->real);
    memcpy(to->integer, from->integer, (size_t)n[TAKT_KIND_INTEGER] * sizeof *to->integer);
    bool ok = true;
    for (int i = 0; i < n[TAKT_KIND_BYTES] && ok; i++)
        ok = takt_bytes_assign(&to->bytes[i], from->bytes[i].data, from->bytes[i].size);
    return ok;
}

void takt_type_range(takt_type type, int64_t *least, int64_t *greatest)
{
    switch (type) {
    case TAKT_INT8: *least = INT8_MIN, *greatest = INT8_MAX; break;
    case TAKT_UINT8: *least = 0, *greatest = UINT8_MAX; break;
    case TAKT_INT16: *least = INT16_MIN, *greatest = INT16_MAX; break;
    case TAKT_UINT16: *least = 0, *greatest = UINT16_MAX; break;
    case TAKT_INT32:
    case TAKT_ENUMERATION: *least = INT32_MIN, *greatest = INT32_MAX; break;
    case TAKT_UINT32: *least = 0, *greatest = UINT32_MAX; break;
    case TAKT_UINT64: *least = 0, *greatest = INT64_MAX; break;
    case TAKT_BOOLEAN:
    case TAKT_CLOCK: *least = 0, *greatest = 1; break;
    default: *least = INT64_MIN, *greatest = INT64_MAX; break;
    }
}

static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    const char *found = c ? strchr(digits, c) : NULL;
    return found ? (int)(found - digits) % 16 : -1;
}

bool takt_value_is_hex(const char *text)
{
    size_t length = 0;
    while (hex_digit(text[length]) >= 0) length++;
    return !text[length] && length % 2 == 0;
}

static bool read_binary(const char *text, takt_arena *arena, takt_value *out)
{
    if (!takt_value_is_hex(text)) return false;
    size_t n = strlen(text) / 2;
    char *bytes = takt_arena_alloc(arena, n + 1);
    for (size_t i = 0; bytes && i < n; i++)
        bytes[i] = (char)(hex_digit(text[2 * i]) * 16 + hex_digit(text[2 * i + 1]));
    *out = (takt_value){.text = bytes, .size = n};
    return bytes != NULL;
}

static bool read_integer(takt_type type, const char *text, int64_t *out)
{
    const char *end = text + strlen(text);
    int64_t least, greatest;
    uint64_t bits;
    if (type == TAKT_BOOLEAN) return read_boolean(text, out);
    if (type == TAKT_UINT64) {
        bool ok = takt_number_read_unsigned(text, end, &bits);
        if (ok) *out = (int64_t)bits;
        return ok;
    }
    takt_type_range(type, &least, &greatest);
    return takt_number_read_integer(text, end, out) && *out >= least && *out <= greatest;
}

bool takt_value_read(takt_type type, const char *text, takt_arena *arena, takt_value *out)
{
    takt_value value = {0};
    const char *end = text + strlen(text);
    bool ok;
    switch (takt_type_kind(type)) {
    case TAKT_KIND_REAL: ok = takt_number_read(text, end, &value.real); break;
    case TAKT_KIND_INTEGER: ok = read_integer(type, text, &value.integer); break;
    default:
        if (type == TAKT_BINARY) {
            ok = read_binary(text, arena, &value);
            break;
        }
        value.size = (size_t)(end - text);
        value.text = takt_arena_copy(arena, text);
        ok = value.text != NULL;
        break;
    }
    if (ok) *out = value;
    return ok;
}
