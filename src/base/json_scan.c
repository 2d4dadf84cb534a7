// SPDX-License-Identifier: MIT
// A scanner of JSON; see json_scan.h.
#include "base/json_scan.h"

#include <string.h>

#include "base/text.h"

static bool fail(takt_json_scan *scan, const char *what)
{
    if (!scan->error) scan->error = what;
    return false;
}

static bool fail_memory(takt_json_scan *scan)
{
    scan->is_out_of_memory = true;
    return fail(scan, "out of memory");
}

static void skip_blanks(takt_json_scan *scan)
{
    for (; scan->at < scan->end && strchr(" \t\r\n", *scan->at) && *scan->at; scan->at++)
        scan->line += *scan->at == '\n';
}

// The next character that is no blank; 0: there is none.
static char peek(takt_json_scan *scan)
{
    skip_blanks(scan);
    return scan->at < scan->end ? *scan->at : 0;
}

// ---- strings -----------------------------------------------------------------------------------

static int read_hex(const char *digits)
{
    int value = 0;
    for (int i = 0; i < 4; i++) {
        static const char hex[] = "0123456789abcdef";
        char c = digits[i] >= 'A' && digits[i] <= 'F' ? (char)(digits[i] - 'A' + 'a') : digits[i];
        const char *found = c ? strchr(hex, c) : NULL;
        if (!found) return -1;
        value = 16 * value + (int)(found - hex);
    }
    return value;
}

static size_t write_utf8(unsigned code, char *out)
{
    if (code < 0x80) return out[0] = (char)code, 1;
    int n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned first[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (int i = n - 1; i > 0; i--, code >>= 6) out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(first[n] | code);
    return (size_t)n;
}

// The four digits behind "\u", and those of the second half of a pair.
static bool read_code(takt_json_scan *scan, char *out, size_t *n)
{
    int code = scan->end - scan->at >= 4 ? read_hex(scan->at) : -1;
    if (code <= 0) return fail(scan, "'\\u' needs four hexadecimal digits, and not 0000");
    scan->at += 4;
    if (code < 0xd800 || code > 0xdfff) {
        *n += write_utf8((unsigned)code, out + *n);
        return true;
    }
    bool is_pair = scan->end - scan->at >= 6 && scan->at[0] == '\\' && scan->at[1] == 'u';
    int low = is_pair ? read_hex(scan->at + 2) : -1;
    if (code > 0xdbff || low < 0xdc00 || low > 0xdfff)
        return fail(scan, "half of a surrogate pair in a string");
    scan->at += 6;
    *n += write_utf8(0x10000u + (((unsigned)code & 0x3ffu) << 10) + ((unsigned)low & 0x3ffu),
                     out + *n);
    return true;
}

static bool read_escape(takt_json_scan *scan, char *out, size_t *n)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char c = scan->at < scan->end ? *scan->at++ : 0;
    if (c == 'u') return read_code(scan, out, n);
    const char *found = c ? strchr(from, c) : NULL;
    if (!found) return fail(scan, "an unknown escape in a string");
    out[(*n)++] = to[found - from];
    return true;
}

// `at` is behind the opening quote. What is read is no longer than what is written.
static bool read_string(takt_json_scan *scan, const char **out)
{
    const char *stop = scan->at;
    while (stop < scan->end && *stop != '"') stop += *stop == '\\' && stop + 1 < scan->end ? 2 : 1;
    if (stop >= scan->end) return fail(scan, "a string has no end");
    char *text = takt_arena_alloc(scan->arena, (size_t)(stop - scan->at) + 1);
    size_t n = 0;
    if (!text) return fail_memory(scan);
    while (scan->at < stop) {
        char c = *scan->at++;
        if ((unsigned char)c < 0x20)
            return fail(scan, "a line break or control character in a string");
        if (c != '\\')
            text[n++] = c;
        else if (!read_escape(scan, text, &n))
            return false;
    }
    scan->at = stop + 1;
    text[n] = 0;
    *out = text;
    return true;
}

// ---- other values ------------------------------------------------------------------------------

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9') at++;
    return at;
}

// Where the number at `at` ends; NULL: it is none.
static const char *end_of_number(const char *at, const char *end)
{
    if (at < end && *at == '-') at++;
    const char *digits = at;
    at = skip_digits(at, end);
    if (at == digits || (*digits == '0' && at - digits > 1)) return NULL;
    if (at < end && *at == '.') {
        digits = ++at;
        at = skip_digits(at, end);
        if (at == digits) return NULL;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        if (at < end && (*at == '+' || *at == '-')) at++;
        digits = at;
        at = skip_digits(at, end);
        if (at == digits) return NULL;
    }
    return at;
}

static bool take(takt_json_scan *scan, const char *stop, takt_json_kind kind, takt_json_piece *out)
{
    out->kind = kind;
    out->text = takt_arena_copy_n(scan->arena, scan->at, (size_t)(stop - scan->at));
    scan->at = stop;
    return out->text ? true : fail_memory(scan);
}

static bool read_word(takt_json_scan *scan, takt_json_piece *out)
{
    static const char *const words[] = {"null", "false", "true"};
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(scan->end - scan->at) >= length && memcmp(scan->at, words[i], length) == 0)
            return take(scan, scan->at + length, (takt_json_kind)(TAKT_JSON_NULL + i), out);
    }
    const char *stop = end_of_number(scan->at, scan->end);
    if (stop) return take(scan, stop, TAKT_JSON_NUMBER, out);
    return fail(scan, scan->at < scan->end ? "this is no value of JSON; texts stand in quotes"
                                           : "the file ends where a value is expected");
}

static bool open_nested(takt_json_scan *scan, takt_json_kind kind, takt_json_piece *out)
{
    if (scan->depth >= TAKT_JSON_MAX_DEPTH) return fail(scan, "nested too deeply");
    scan->at++;
    scan->depth++;
    scan->has_items = false;
    out->kind = kind;
    return true;
}

bool takt_json_scan_value(takt_json_scan *scan, takt_json_piece *out)
{
    if (scan->error) return false;
    char c = peek(scan);
    *out = (takt_json_piece){.line = scan->line};
    if (c == '{') return open_nested(scan, TAKT_JSON_OBJECT, out);
    if (c == '[') return open_nested(scan, TAKT_JSON_LIST, out);
    scan->has_items = true;
    if (c != '"') return read_word(scan, out);
    scan->at++;
    out->kind = TAKT_JSON_STRING;
    return read_string(scan, &out->text);
}

// ---- objects and lists -------------------------------------------------------------------------

// Goes to the next item of what `close` ends; false: there is none, or an error.
static bool go_to_next(takt_json_scan *scan, char close, const char *missing)
{
    if (scan->error) return false;
    char c = peek(scan);
    if (c == close) {
        scan->at++;
        scan->depth--;
        scan->has_items = true; // what is around has this one
        return false;
    }
    if (!scan->has_items) return c ? true : fail(scan, "the file ends too early");
    if (c != ',') return fail(scan, c ? missing : "the file ends too early");
    scan->at++;
    c = peek(scan);
    return c != close || fail(scan, "a comma without anything behind it");
}

bool takt_json_scan_key(takt_json_scan *scan, takt_json_piece *out)
{
    if (!go_to_next(scan, '}', "',' or '}' is missing")) return false;
    *out = (takt_json_piece){.kind = TAKT_JSON_STRING, .line = scan->line};
    if (peek(scan) != '"') return fail(scan, "a key in quotes is expected");
    scan->at++;
    if (!read_string(scan, &out->text)) return false;
    if (peek(scan) != ':') return fail(scan, "':' is missing behind a key");
    scan->at++;
    return true;
}

bool takt_json_scan_item(takt_json_scan *scan)
{
    return go_to_next(scan, ']', "',' or ']' is missing");
}

bool takt_json_scan_skip(takt_json_scan *scan, const takt_json_piece *value)
{
    bool is_object[TAKT_JSON_MAX_DEPTH + 1];
    int n = 0; // open ones
    takt_json_piece key, at = *value;
    for (;;) {
        if (at.kind == TAKT_JSON_OBJECT || at.kind == TAKT_JSON_LIST)
            is_object[n++] = at.kind == TAKT_JSON_OBJECT;
        while (n > 0 &&
               !(is_object[n - 1] ? takt_json_scan_key(scan, &key) : takt_json_scan_item(scan))) {
            if (scan->error) return false;
            n--;
        }
        if (n == 0) return true;
        if (!takt_json_scan_value(scan, &at)) return false;
    }
}

bool takt_json_scan_end(takt_json_scan *scan)
{
    if (scan->error) return false;
    return peek(scan) == 0 && scan->at >= scan->end ? true
                                                    : fail(scan, "something follows the end");
}
