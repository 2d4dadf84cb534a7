// SPDX-License-Identifier: MIT
// Formatting what cannot be trusted; see format.h. Conversions are passed to snprintf one by one, so
// that each "%s" can be looked at before it is followed: the system copies the text and says where there
// is no memory, instead of a crash.
#include "fmu/format.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>

#include "base/memory.h"

enum { MAX_WIDTH = 999, TEXT_SIZE = 2048 };

// One conversion of a format: "%-*.3lf".
typedef struct conversion {
    const char *begin; // behind the '%'
    size_t length; // 0: it is none, or does harm
    bool has_width, has_precision; // given by arguments
    char size[3]; // "", "h", "hh", "l", "ll", "j", "z", "t" or "L"
    char letter;
} conversion;

// Reads digits or a '*'. Returns false for numbers that would only fill memory.
static bool read_count(const char **at, bool *by_argument)
{
    size_t n = strspn(*at, "0123456789");
    *by_argument = n == 0 && **at == '*';
    *at += *by_argument ? 1 : n;
    return n <= 3;
}

// Plain texts with a percent sign ("50% done") end here, too: a blank after '%' is taken for such a text.
static conversion read_conversion(const char *text)
{
    conversion c = {.begin = text};
    const char *at = text + strspn(text, "-+#0");
    if (!read_count(&at, &c.has_width)) return c;
    if (*at == '.') {
        at++;
        if (!read_count(&at, &c.has_precision)) return c;
    }
    size_t n = strspn(at, "hlLjzt");
    if (n > 2 || (n == 2 && (at[0] != at[1] || !strchr("hl", at[0])))) return c;
    memcpy(c.size, at, n);
    at += n;
    if (!*at || !strchr("diouxXeEfFgGaAcsp%", *at)) return c;
    c.letter = *at;
    c.length = (size_t)(at + 1 - text);
    return c;
}

static bool is_format(const char *text)
{
    for (const char *at = text; (at = strchr(at, '%'));) {
        conversion c = read_conversion(at + 1);
        if (c.length == 0) return false;
        at += 1 + c.length;
    }
    return true;
}

// ---- texts ---------------------------------------------------------------------------------------

// Copies a text of at most `size` - 1 bytes, in pieces that do not reach into the next page.
static void copy_text(char *out, size_t size, const char *from)
{
    enum { PIECE = 256 };
    size_t used = 0;
    if (!from) from = "(null)";
    while (from && used + 1 < size) {
        size_t n = PIECE - (uintptr_t)from % PIECE;
        if (n > size - 1 - used) n = size - 1 - used;
        if (!takt_memory_read(out + used, from, n)) from = NULL;
        if (!from) break;
        size_t length = strnlen(out + used, n);
        used += length;
        from += n;
        if (length < n) break;
    }
    if (from)
        out[used] = 0;
    else
        snprintf(out, size, "(no text)");
}

// ---- conversions ---------------------------------------------------------------------------------

static int limited(int count)
{
    return count > MAX_WIDTH ? MAX_WIDTH : count < -MAX_WIDTH ? -MAX_WIDTH : count;
}

// The arguments, in a struct, because the address of a va_list cannot be passed everywhere.
typedef struct reader {
    takt_fmu_arguments arguments;
} reader;

static intmax_t take_signed(reader *r, const char *size)
{
    if (strcmp(size, "l") == 0) return va_arg(r->arguments, takt_fmu_long);
    if (strcmp(size, "ll") == 0) return va_arg(r->arguments, long long);
    if (size[0] == 'j') return va_arg(r->arguments, intmax_t);
    if (size[0] == 'z') return va_arg(r->arguments, ssize_t);
    if (size[0] == 't') return va_arg(r->arguments, ptrdiff_t);
    int value = va_arg(r->arguments, int);
    return strcmp(size, "hh") == 0 ? (signed char)value : size[0] == 'h' ? (short)value : value;
}

static uintmax_t take_unsigned(reader *r, const char *size)
{
    if (strcmp(size, "l") == 0) return va_arg(r->arguments, takt_fmu_unsigned_long);
    if (strcmp(size, "ll") == 0) return va_arg(r->arguments, unsigned long long);
    if (size[0] == 'j') return va_arg(r->arguments, uintmax_t);
    if (size[0] == 'z') return va_arg(r->arguments, size_t);
    if (size[0] == 't') return (uintmax_t)va_arg(r->arguments, ptrdiff_t);
    unsigned value = va_arg(r->arguments, unsigned);
    return strcmp(size, "hh") == 0 ? (unsigned char)value
           : size[0] == 'h'        ? (unsigned short)value
                                   : value;
}

// The format for snprintf: flags, width and precision as arguments, another size.
static void make_format(const conversion *c, const char *size, char out[16])
{
    int n_flags = (int)strspn(c->begin, "-+#0");
    snprintf(out, 16, "%%%.*s*.*%s%c", n_flags < 4 ? n_flags : 4, c->begin, size, c->letter);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static int print(const conversion *c, reader *r, char *out, size_t size)
{
    const char *at = c->begin + strspn(c->begin, "-+#0");
    int width = 0, precision = -1;
    if (c->has_width)
        width = limited(va_arg(r->arguments, int));
    else
        for (; *at >= '0' && *at <= '9'; at++) width = 10 * width + (*at - '0');
    if (c->has_width) at++;
    if (*at == '.') precision = 0;
    if (c->has_precision)
        precision = limited(va_arg(r->arguments, int));
    else if (*at == '.')
        for (at++; *at >= '0' && *at <= '9'; at++) precision = 10 * precision + (*at - '0');

    char format[16], text[TEXT_SIZE];
    switch (c->letter) {
    case '%': return snprintf(out, size, "%%");
    case 'd':
    case 'i':
        make_format(c, "j", format);
        return snprintf(out, size, format, width, precision, take_signed(r, c->size));
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        make_format(c, "j", format);
        return snprintf(out, size, format, width, precision, take_unsigned(r, c->size));
    case 'c': return snprintf(out, size, "%*c", width, va_arg(r->arguments, int));
    case 'p': return snprintf(out, size, "%*p", width, va_arg(r->arguments, void *));
    case 's':
        copy_text(text, sizeof text, va_arg(r->arguments, const char *));
        make_format(c, "", format);
        return snprintf(out, size, format, width, precision, text);
    default: break;
    }
    if (c->size[0] == 'L') {
        make_format(c, "L", format);
        return snprintf(out, size, format, width, precision,
                        (long double)va_arg(r->arguments, takt_fmu_long_double));
    }
    make_format(c, "", format);
    return snprintf(out, size, format, width, precision, va_arg(r->arguments, double));
}
#pragma GCC diagnostic pop

void takt_fmu_format(char *out, size_t size, const char *format, takt_fmu_arguments arguments)
{
    reader r;
    TAKT_FMU_ARGUMENTS_COPY(r.arguments, arguments);
    bool converts = is_format(format);
    size_t used = 0;
    for (const char *at = format; *at && used + 1 < size;) {
        if (*at != '%' || !converts) {
            out[used++] = *at++;
            continue;
        }
        conversion c = read_conversion(at + 1);
        int n = print(&c, &r, out + used, size - used);
        if (n > 0) used = (size_t)n < size - used ? used + (size_t)n : size - 1;
        at += 1 + c.length;
    }
    out[used] = 0;
    TAKT_FMU_ARGUMENTS_END(r.arguments);
}
