// SPDX-License-Identifier: MIT
// Shortest decimals; see decimal.h. There are two ways:
//
// Times and many other values have few digits. Where d / 10^n == a for a whole number d below 10^15, d
// without the zeros at its end is the shortest decimal: decimals of up to 15 digits are all read as different
// numbers.
//
// All others have 15 to 17 digits. a = m 2^-s, with whole m and s, is scaled to a 10^p, which has 17 digits
// before its point. All decimals between a - ulp/2 and a + ulp/2 are read as a (with both ends if m is
// even); after scaling these ends are whole numbers of 128 bits over 2^(s+1), so that nothing is rounded. The
// range is up to 23 wide: a multiple of 100 in it has 15 digits, one of 10 has 16, and a whole number has 17.
#include "base/decimal.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"

__extension__ typedef unsigned __int128 wide;

static const char PAIRS[] = "0001020304050607080910111213141516171819"
                            "2021222324252627282930313233343536373839"
                            "4041424344454647484950515253545556575859"
                            "6061626364656667686970717273747576777879"
                            "8081828384858687888990919293949596979899";

static const uint64_t TEN[] = {1u,
                               10u,
                               100u,
                               1000u,
                               10000u,
                               100000u,
                               1000000u,
                               10000000u,
                               100000000u,
                               1000000000u,
                               10000000000u,
                               100000000000u,
                               1000000000000u,
                               10000000000000u,
                               100000000000000u,
                               1000000000000000u,
                               10000000000000000u,
                               100000000000000000u,
                               1000000000000000000u,
                               10000000000000000000u};

// ---- digits ----------------------------------------------------------------------------------------

// Writes n digits of a number, two at a time.
static inline void put_digits(char *out, uint32_t number, int n)
{
    for (; n >= 2; number /= 100) {
        n -= 2;
        memcpy(out + n, PAIRS + 2 * (number % 100), 2);
    }
    if (n) *out = (char)('0' + number);
}

// The same of up to 19 digits, nine at a time.
static inline void put_many_digits(char *out, uint64_t number, int n)
{
    for (; n > 9; number /= TEN[9]) {
        n -= 9;
        put_digits(out + n, (uint32_t)(number % TEN[9]), 9);
    }
    put_digits(out, (uint32_t)number, n);
}

// Writes a number below 10^9.
static inline char *put_whole(char *out, uint32_t number)
{
    int n = number < 10 ? 1 : number < 100 ? 2 : 3;
    while (n < 9 && number >= TEN[n]) n++;
    put_digits(out, number, n);
    return out + n;
}

// ---- few digits ------------------------------------------------------------------------------------

// Finds whole + fraction / 10^n that is exactly a < 10^6, if there are few digits.
static inline bool find_short(double a, uint32_t *whole, uint32_t *fraction, int *n)
{
    uint64_t d = (uint64_t)(a * 1e4 + 0.5);
    if ((double)d / 1e4 == a) {
        *whole = (uint32_t)(d / 10000);
        *fraction = (uint32_t)(d % 10000);
        *n = 4;
        return true;
    }
    d = (uint64_t)(a * 1e9 + 0.5);
    if ((double)d / 1e9 != a) return false;
    *whole = (uint32_t)(d / 1000000000);
    *fraction = (uint32_t)(d % 1000000000);
    *n = 9;
    return true;
}

// ---- all digits ------------------------------------------------------------------------------------

// How many powers of ten from 10^-2 on a is not less than.
static inline int find_magnitude(double a)
{
    static const double powers[] = {1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8};
    int n = 0;
    while (n < 11 && a >= powers[n]) n++;
    return n;
}

// The multiple of `unit` that is nearest to v + rest / 2^s; 0: two are equally near.
static inline uint64_t find_nearest(uint64_t v, wide rest, int s, uint64_t unit)
{
    wide over = ((wide)(v % unit) << s) + rest, half = (wide)unit << (s - 1);
    uint64_t below = v - v % unit;
    return over < half ? below : over > half ? below + unit : 0;
}

// The shortest decimal d / 10^p that is read as a; false: it is a case for others.
static bool find_long(double a, uint64_t *d, int *p)
{
    uint64_t bits;
    memcpy(&bits, &a, sizeof bits);
    uint64_t fraction = bits & 0xfffffffffffffu;
    int s = 1075 - (int)(bits >> 52);
    if (!fraction || a == floor(a)) return false; // a narrower range below; perhaps an exponent
    uint64_t m = fraction | 0x10000000000000u;
    *p = 19 - find_magnitude(a);
    wide scaled = (wide)m * TEN[*p], mask = ((wide)1 << (s + 1)) - 1;
    wide low = 2 * scaled - TEN[*p], high = 2 * scaled + TEN[*p];
    bool with_ends = m % 2 == 0;
    uint64_t first = (uint64_t)(low >> (s + 1)), last = (uint64_t)(high >> (s + 1));
    if ((low & mask) || !with_ends) first++;
    if (!(high & mask) && !with_ends) last--;

    uint64_t v = (uint64_t)(scaled >> s);
    wide rest = scaled & (((wide)1 << s) - 1);
    uint64_t unit = last - last % 100 >= first ? 100 : last - last % 10 >= first ? 10 : 1;
    *d = find_nearest(v, rest, s, unit);
    return *d >= first && *d <= last;
}

TAKT_APART static char *write_long(char *out, double value)
{
    uint64_t d;
    int n;
    double a = fabs(value);
    if (!(a >= 1e-3 && a < 1e9) || !find_long(a, &d, &n)) return NULL;
    if (value < 0) *out++ = '-';
    out = put_whole(out, (uint32_t)(d / TEN[n]));
    uint64_t fraction = d % TEN[n]; // not 0: the number is not whole
    for (; fraction % 10 == 0; fraction /= 10) n--;
    *out++ = '.';
    put_many_digits(out, fraction, n);
    return out + n;
}

char *takt_decimal_write(char *out, double value)
{
    uint32_t whole, fraction;
    int n;
    double a = fabs(value);
    if (!(a >= 1e-3 && a < 1e6 && find_short(a, &whole, &fraction, &n)))
        return write_long(out, value);
    if (!fraction && whole >= 100000) return NULL; // perhaps shorter with an exponent
    if (value < 0) *out++ = '-';
    out = put_whole(out, whole);
    if (!fraction) return out;
    for (; fraction % 100 == 0; fraction /= 100) n -= 2;
    if (fraction % 10 == 0) fraction /= 10, n--;
    *out++ = '.';
    put_digits(out, fraction, n);
    return out + n;
}
