// SPDX-License-Identifier: MIT
#include "base/number.h"

#include "support/test.h"

static uint64_t random_state = 88172645463325252u;
static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

// Numbers of `length` characters stand in a longer text, so that fast reading is possible.
static void assert_scans(const char *text, double expected, size_t length)
{
    char padded[128];
    snprintf(padded, sizeof padded, "%s,%063d", text, 0);
    double value = 0.5;
    const char *end = takt_number_scan(padded, padded + strlen(padded), &value);
    if (end != padded + length || memcmp(&value, &expected, sizeof value) != 0)
        fail_msg("%s: read %zd characters as %.17g instead of %zu as %.17g", text,
                 end ? end - padded : -1, value, length, expected);
}

static void numbers_read_back_as_the_same_bits(void **state)
{
    (void)state;
    for (int i = 0; i < 300000; i++) {
        uint64_t bits = next_random();
        double value;
        memcpy(&value, &bits, sizeof value);
        if (i % 3) value = (double)(int64_t)bits * pow(10, (int)(bits % 50) - 35);
        if (!isfinite(value)) continue;
        char text[TAKT_NUMBER_SIZE];
        size_t length = takt_number_write(text, value);
        assert_scans(text, value, length);
    }
}

// Up to 19 digits, more than a double has: halfway cases and their neighbours.
static void long_numbers_are_rounded_like_those_of_the_c_library(void **state)
{
    (void)state;
    for (int i = 0; i < 300000; i++) {
        uint64_t digits = next_random() >> (i % 48);
        char text[64];
        int exponent = (int)(next_random() % 60) - 30;
        // A double in the middle of two: 54 bits, the last one set.
        if (i % 4 == 0) digits = ((next_random() >> 11) | (1ull << 52)) * 2 + 1;
        if (i % 4 == 0) exponent = (int)(next_random() % 3);
        int length = snprintf(text, sizeof text, "%llue%d", (unsigned long long)digits, exponent);
        assert_scans(text, strtod(text, NULL), (size_t)length);
    }
}

// A point anywhere in up to 25 digits, zeros at the front among them, and the end of the text right
// behind the number or far away.
static void fractions_are_rounded_like_those_of_the_c_library(void **state)
{
    (void)state;
    for (int i = 0; i < 300000; i++) {
        char text[64] = "";
        int n_digits = 1 + (int)(next_random() % 25), point = (int)(next_random() % 25), length = 0;
        int n_zeros = (int)(next_random() % 8);
        if (i % 2) text[length++] = '-';
        for (int k = 0; k < n_digits; k++) {
            if (k == point && k > 0) text[length++] = '.';
            text[length++] = (char)('0' + (k < n_zeros ? 0 : next_random() % 10));
        }
        if (i % 3 == 0) length += snprintf(text + length, 8, "e%d", (int)(next_random() % 60) - 40);
        text[length] = 0;
        double expected = strtod(text, NULL), value;
        assert_scans(text, expected, (size_t)length);
        assert_true(takt_number_read(text, text + length, &value));
        assert_memory_equal(&value, &expected, sizeof value);
    }
}

static void all_forms_of_numbers_are_read(void **state)
{
    (void)state;
    const char *const texts[] = {"0",
                                 "-0",
                                 "0.0",
                                 "-0.000",
                                 "5.",
                                 ".5",
                                 "-.5e1",
                                 "1E5",
                                 "1e+05",
                                 "00012",
                                 "0.1",
                                 "1e22",
                                 "1e23",
                                 "123456789012345678",
                                 "1234567890123456789",
                                 "12345678901234567890",
                                 "9007199254740993",
                                 "0.00000000000000000000000001",
                                 "1e-300",
                                 "1.5e308",
                                 "4.9e-324",
                                 "12345678",
                                 "1234567.8",
                                 "99999999.99999999",
                                 "inf",
                                 "-inf"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double value;
        bool is_word = texts[i][strspn(texts[i], "-")] == 'i';
        if (is_word)
            assert_true(takt_number_read(texts[i], texts[i] + strlen(texts[i]), &value));
        else
            assert_scans(texts[i], strtod(texts[i], NULL), strlen(texts[i]));
    }
    assert_scans("1e", 1, 1); // what follows does not belong to it
    assert_scans("12x", 12, 2);
    const char *const none[] = {"", "x", "-", "+1", ".", "-x", "1e400"};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        double value;
        assert_null(takt_number_scan(none[i], none[i] + strlen(none[i]), &value));
    }
}

// Neither the exponent nor the place of the point alone decides whether a number is too large or too small.
static void numbers_out_of_range_become_infinity_or_zero(void **state)
{
    (void)state;
    const char *const forms[] = {"1e400",
                                 "-1e400",
                                 "1e-400",
                                 "-1e-400",
                                 "0e400",
                                 "1e-99999999999999999999",
                                 "-1e99999999999999999999",
                                 "0.%0400d1",
                                 "-000.%0400d1",
                                 "0.%0400d1e+5",
                                 "1%0400d",
                                 "-1%0400d.5",
                                 "1%0400de-5",
                                 "1%0400de-900",
                                 ".%0400d1E-5",
                                 "01%0400de50"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char text[512];
        snprintf(text, sizeof text, forms[i], 0);
        double expected = strtod(text, NULL), value = 0.5;
        assert_true(takt_number_read(text, text + strlen(text), &value));
        if (memcmp(&value, &expected, sizeof value) != 0)
            fail_msg("%s: %g instead of %g", text, value, expected);
    }
}

static void durations_carry_units(void **state)
{
    (void)state;
    double seconds;
    assert_true(takt_number_read_duration("10min", &seconds) && seconds == 600);
    assert_true(takt_number_read_duration("1 h", &seconds) && seconds == 3600);
    assert_false(takt_number_read_duration("1 week", &seconds));
    assert_false(takt_number_read_duration("h", &seconds));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_read_back_as_the_same_bits),
        cmocka_unit_test(long_numbers_are_rounded_like_those_of_the_c_library),
        cmocka_unit_test(fractions_are_rounded_like_those_of_the_c_library),
        cmocka_unit_test(all_forms_of_numbers_are_read),
        cmocka_unit_test(numbers_out_of_range_become_infinity_or_zero),
        cmocka_unit_test(durations_carry_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
