// SPDX-License-Identifier: MIT
// The only C++ file: std::to_chars and std::from_chars behind C functions; see number.h.
//
// Most numbers of tables and results have at most 19 digits and a small exponent; they are read here by
// one division of whole numbers, which is exact, with eight digits at a time. All others are left to
// from_chars.
#include "base/number.h"

#include <charconv>
#include <cctype>
#include <cstring>
#include <limits>

#include "base/decimal.h"

size_t takt_number_write(char out[TAKT_NUMBER_SIZE], double value)
{
    if (!out) return 0;
    char *end = takt_decimal_write(out, value);
    if (!end) end = std::to_chars(out, out + TAKT_NUMBER_SIZE - 1, value).ptr;
    *end = 0;
    return static_cast<size_t>(end - out);
}

size_t takt_number_write_integer(char out[TAKT_NUMBER_SIZE], int64_t value)
{
    char *end = std::to_chars(out, out + TAKT_NUMBER_SIZE - 1, value).ptr;
    *end = 0;
    return static_cast<size_t>(end - out);
}

// ---- digits ------------------------------------------------------------------------------------

// digits * 10^exponent
struct decimal {
    uint64_t digits;
    int exponent;
    bool is_negative;
};

constexpr int MAX_DIGITS = 19; // that always fit in 64 bits

struct powers {
    uint64_t of[28];
};

static constexpr powers make_powers(uint64_t base, int n)
{
    powers p = {{1}};
    for (int i = 1; i < n; i++) p.of[i] = p.of[i - 1] * base;
    return p;
}

constexpr powers TEN = make_powers(10, MAX_DIGITS + 1), FIVE = make_powers(5, 28);

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

// Appends digits; false when they could be too many.
static bool append(uint64_t *number, uint64_t digits, int n_digits)
{
    if (*number >= TEN.of[MAX_DIGITS - n_digits]) return false;
    *number = *number * TEN.of[n_digits] + digits;
    return true;
}

// Eight characters with the first one in the lowest byte, on any machine. Digits become 0 to 9.
static uint64_t load_eight(const char *at)
{
    uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) word = __builtin_bswap64(word);
    return word ^ 0x3030303030303030;
}

// Of the bytes that are no digits, the first one has its highest bit set.
static uint64_t find_others(uint64_t word)
{
    return ((word + 0x7676767676767676) | word) & 0x8080808080808080;
}

// The number that eight digits are, neighbours joined to pairs, these to fours, these to all.
static uint64_t join_digits(uint64_t word)
{
    word = (word * 10 + (word >> 8)) & 0x00ff00ff00ff00ff;
    word = (word * 100 + (word >> 16)) & 0x0000ffff0000ffff;
    return (word * 10000 + (word >> 32)) & 0xffffffff;
}

// Appends the digits behind a decimal point. Returns where they end; NULL: too many, or too near to
// the end of the text to read eight at once.
static const char *scan_fraction(const char *at, const char *end, uint64_t *number)
{
    for (; end - at >= 8; at += 8) {
        uint64_t word = load_eight(at), others = find_others(word);
        if (others) {
            int n = __builtin_ctzll(others) / 8;
            word = n ? word << (64 - 8 * n) : 0; // with zeros before them
            return append(number, join_digits(word), n) ? at + n : nullptr;
        }
        if (!append(number, join_digits(word), 8)) return nullptr;
    }
    return nullptr;
}

static const char *scan_exponent(const char *at, const char *end, int *exponent)
{
    bool is_negative = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    if (at == end || !is_digit(*at)) return nullptr;
    int value = 0;
    for (; at < end && is_digit(*at); at++) {
        value = 10 * value + (*at - '0');
        if (value > 999) return nullptr;
    }
    *exponent += is_negative ? -value : value;
    return at;
}

// Reads a number as it is written. NULL: it is not one of the simple ones.
static const char *scan_decimal(const char *at, const char *end, decimal *out)
{
    *out = {0, 0, *at == '-'};
    at += out->is_negative;
    const char *begin = at;
    while (at < end && is_digit(*at) && at - begin < 8)
        out->digits = 10 * out->digits + static_cast<uint64_t>(*at++ - '0');
    if (at == begin || at == end || is_digit(*at)) return nullptr;
    if (*at == '.') {
        const char *point = at;
        at = scan_fraction(at + 1, end, &out->digits);
        if (!at || at == end) return nullptr;
        out->exponent = static_cast<int>(point + 1 - at);
    }
    return *at == 'e' || *at == 'E' ? scan_exponent(at + 1, end, &out->exponent) : at;
}

// 2^exponent, with a sign that needs no branch: it is different from number to number.
static double power_of_two(int exponent, bool is_negative)
{
    uint64_t bits = static_cast<uint64_t>(1023 + exponent) << 52;
    bits |= static_cast<uint64_t>(is_negative) << 63;
    double power = 0;
    std::memcpy(&power, &bits, sizeof power);
    return power;
}

// The nearest double; false when the exponent is not a small negative one. The quotient of the digits
// and a power of five has at least 62 bits; a last bit stands for all that follow, so that rounding it
// to the 53 bits of a double is rounding the number itself.
static bool to_double(decimal d, double *out)
{
    if (d.exponent > 0 || d.exponent < -27) return false;
    if (d.digits == 0) {
        *out = d.is_negative ? -0.0 : 0.0;
        return true;
    }
    uint64_t five = FIVE.of[-d.exponent];
    int shift = __builtin_clzll(d.digits), five_shift = __builtin_clzll(five);
    unsigned __int128 dividend = static_cast<unsigned __int128>(d.digits << shift) << 62;
    uint64_t divisor = five << five_shift;
    auto quotient = static_cast<uint64_t>(dividend / divisor);
    bool has_rest = quotient * divisor != static_cast<uint64_t>(dividend);
    *out = static_cast<double>(static_cast<int64_t>(quotient | has_rest)) *
           power_of_two(d.exponent + five_shift - shift - 62, d.is_negative);
    return true;
}

const char *takt_number_scan(const char *begin, const char *end, double *out)
{
    if (begin == end || static_cast<unsigned char>(*begin) > '9') return nullptr;
    decimal d;
    const char *after = scan_decimal(begin, end, &d);
    if (after && to_double(d, out)) return after;
    auto [rest, problem] = std::from_chars(begin, end, *out);
    return problem == std::errc() ? rest : nullptr;
}

// ---- numbers -----------------------------------------------------------------------------------

// "+1" is a number, "+-1" is not.
static const char *skip_plus(const char *begin, const char *end)
{
    return end - begin > 1 && *begin == '+' && begin[1] != '-' ? begin + 1 : begin;
}

// from_chars says only "out of range"; the power of ten of the first digit that is not 0 shows whether
// the number is too large or too small.
static double out_of_range(const char *begin, const char *end)
{
    const char *e = begin, *point = nullptr, *first = begin;
    for (; e < end && *e != 'e' && *e != 'E'; e++) {
        if (*e == '.') point = e;
        if (*first <= '0') first = e;
    }
    if (!point) point = e;
    double exponent = 0; // has no exponent itself: this goes one level deep
    if (e < end) takt_number_read(e + 1, end, &exponent);
    bool is_tiny = static_cast<double>(point - first) + exponent < 0;
    double size = is_tiny ? 0.0 : std::numeric_limits<double>::infinity();
    return *begin == '-' ? -size : size;
}

int takt_number_read(const char *begin, const char *end, double *out)
{
    if (!begin || !end || !out) return false;
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

template <typename whole> static bool read_whole(const char *begin, const char *end, whole *out)
{
    begin = skip_plus(begin, end);
    whole value = 0;
    auto [rest, problem] = std::from_chars(begin, end, value);
    if (rest != end || begin == end || problem != std::errc()) return false;
    *out = value;
    return true;
}

bool takt_number_read_integer(const char *begin, const char *end, int64_t *out)
{
    return read_whole(begin, end, out);
}

bool takt_number_read_unsigned(const char *begin, const char *end, uint64_t *out)
{
    return read_whole(begin, end, out);
}

int takt_number_read_duration(const char *text, double *out)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"", 1},       {"ms", 1e-3},   {"s", 1},         {"min", 60},
                 {"h", 3600.0}, {"d", 86400.0}, {"a", 31536000.0}};
    if (!text || !out) return false;
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
