// SPDX-License-Identifier: MIT
// The only C++ file: std::to_chars and std::from_chars behind C functions; see number.h.
#include "base/number.h"

#include <charconv>
#include <cctype>
#include <cstring>
#include <limits>

size_t takt_number_write(char out[TAKT_NUMBER_SIZE], double value)
{
    char *end = std::to_chars(out, out + TAKT_NUMBER_SIZE - 1, value).ptr;
    *end = 0;
    return static_cast<size_t>(end - out);
}

size_t takt_number_write_integer(char out[TAKT_NUMBER_SIZE], int64_t value)
{
    char *end = std::to_chars(out, out + TAKT_NUMBER_SIZE - 1, value).ptr;
    *end = 0;
    return static_cast<size_t>(end - out);
}

// "+1" is a number, "+-1" is not.
static const char *skip_plus(const char *begin, const char *end)
{
    return end - begin > 1 && *begin == '+' && begin[1] != '-' ? begin + 1 : begin;
}

// from_chars says only "out of range"; an exponent with a minus sign tells which way.
static double out_of_range(const char *begin, const char *end)
{
    const char *e = begin;
    while (e < end && *e != 'e' && *e != 'E') e++;
    bool tiny =
        e < end ? e + 1 < end && e[1] == '-' : end - begin > 1 && std::memchr(begin, '.', 3);
    double size = tiny ? 0.0 : std::numeric_limits<double>::infinity();
    return *begin == '-' ? -size : size;
}

bool takt_number_read(const char *begin, const char *end, double *out)
{
    begin = skip_plus(begin, end);
    double value = 0;
    auto [rest, problem] = std::from_chars(begin, end, value);
    if (rest != end || begin == end) return false;
    if (problem == std::errc::result_out_of_range)
        value = out_of_range(begin, end);
    else if (problem != std::errc())
        return false;
    *out = value;
    return true;
}

bool takt_number_read_integer(const char *begin, const char *end, int64_t *out)
{
    begin = skip_plus(begin, end);
    int64_t value = 0;
    auto [rest, problem] = std::from_chars(begin, end, value);
    if (rest != end || begin == end || problem != std::errc()) return false;
    *out = value;
    return true;
}

bool takt_number_read_duration(const char *text, double *out)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1},       {"ms", 1e-3},   {"s", 1},         {"min", 60},
                 {"h", 3600.0}, {"d", 86400.0}, {"a", 31536000.0}};
    const char *end = text + std::strlen(text);
    const char *number_end = end;
    while (number_end > text && std::isalpha(static_cast<unsigned char>(number_end[-1])))
        number_end--;
    const char *unit = number_end;
    while (number_end > text && number_end[-1] == ' ') number_end--;
    double value = 0;
    if (!takt_number_read(text, number_end, &value)) return false;
    for (const auto &known : units) {
        if (std::strcmp(known.name, unit) != 0) continue;
        *out = value * known.seconds;
        return true;
    }
    return false;
}

const char *takt_number_scan(const char *begin, const char *end, double *out)
{
    if (begin == end || static_cast<unsigned char>(*begin) > '9') return nullptr;
    auto [rest, problem] = std::from_chars(begin, end, *out);
    return problem == std::errc() ? rest : nullptr;
}
