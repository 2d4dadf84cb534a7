// SPDX-License-Identifier: MIT
// Shortest decimals: read back as the same bits, and no shorter text is.
#include "base/decimal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "support/test.h"

static uint64_t seed = 1;

static uint64_t draw(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

// Digits of a text, without point, sign, zeros in front and at the end.
static int count_digits(const char *text)
{
    int n = 0, n_zeros = 0;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || (*text == '0' && n == 0)) continue;
        n_zeros = *text == '0' ? n_zeros + 1 : 0;
        n++;
    }
    return n - n_zeros;
}

static void check(double value)
{
    char text[32] = "", shorter[40];
    char *end = takt_decimal_write(text, value);
    if (!end) return;
    *end = 0;
    double back = strtod(text, NULL);
    if (memcmp(&back, &value, sizeof back) != 0) fail_msg("%.17g became %s", value, text);
    int n = count_digits(text);
    snprintf(shorter, sizeof shorter, "%.*e", n > 1 ? n - 2 : 0, value);
    if (n > 1 && strtod(shorter, NULL) == value) fail_msg("%s is longer than %s", text, shorter);
    snprintf(shorter, sizeof shorter, "%.*e", n - 1, value); // the nearest of this length
    if (strtod(shorter, NULL) == value && fabs(strtod(shorter, NULL) - value) > fabs(back - value))
        fail_msg("%s is not nearest to %.17g", text, value);
    if (strchr(text, 'e')) fail_msg("%s has an exponent", text);
}

static void times_of_grids_are_shortest(void **state)
{
    (void)state;
    for (int i = 0; i <= 30000; i++) {
        check(i * 0.1);
        check(i * 0.001);
        check(i / 16.0);
        check(-i / 3.0);
        check(1e-3 + i * 1e-9);
    }
}

static void random_numbers_and_their_neighbours_are_shortest(void **state)
{
    (void)state;
    for (int i = 0; i < 100000; i++) {
        uint64_t bits = (draw() & 0xfffffffffffff) | (1013 + draw() % 40) << 52;
        double value;
        memcpy(&value, &bits, sizeof value);
        check(value);
        double decimal = (double)(draw() % 100000000) / pow(10, (double)(draw() % 10));
        check(decimal);
        check(nextafter(decimal, 0));
        check(nextafter(decimal, 1e300));
    }
}

static void texts_are_those_of_the_standard_library(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.1, "0.1"},
                 {0.001, "0.001"},
                 {-2.5, "-2.5"},
                 {10000, "10000"},
                 {99999, "99999"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {1.0 / 3, "0.3333333333333333"},
                 {123456789.123456789, "123456789.12345679"},
                 {999999.999999999, "999999.999999999"},
                 {5e8 + 0.5, "500000000.5"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[32];
        char *end = takt_decimal_write(text, cases[i].value);
        assert_non_null(end);
        *end = 0;
        assert_string_equal(text, cases[i].text);
    }
}

static void other_numbers_are_left_to_others(void **state)
{
    (void)state;
    static const double others[] = {0, -0.0, 1e-4, 1e5, 1e9, 1e300, 123456, NAN, INFINITY};
    char text[32];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_null(takt_decimal_write(text, others[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_of_grids_are_shortest),
        cmocka_unit_test(random_numbers_and_their_neighbours_are_shortest),
        cmocka_unit_test(texts_are_those_of_the_standard_library),
        cmocka_unit_test(other_numbers_are_left_to_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
