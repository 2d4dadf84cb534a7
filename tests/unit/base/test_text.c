// SPDX-License-Identifier: MIT
#include "support/test.h"

#include "base/number.h"
#include "base/text.h"

static void glob_matches_stars_and_question_marks(void **state)
{
    (void)state;
    assert_true(takt_glob_matches("*", ""));
    assert_true(takt_glob_matches("*.x?", "Part1.x1"));
    assert_true(takt_glob_matches("a*b*c", "a__b_bc"));
    assert_false(takt_glob_matches("a*b*c", "a__b_b"));
    assert_false(takt_glob_matches("?", ""));
    assert_true(takt_glob_matches("Part1.x1", "Part1.x1"));
}

static const char *candidate(void *context, int i)
{
    return ((const char **)context)[i];
}

static void nearest_name_is_found_and_far_ones_are_not(void **state)
{
    (void)state;
    const char *names[] = {"step-size", "stop-time", "start-time"};
    assert_string_equal(takt_text_nearest("stepsize", 3, candidate, names), "step-size");
    assert_string_equal(takt_text_nearest("strt-time", 3, candidate, names), "start-time");
    assert_string_equal(takt_text_nearest("setp-size", 3, candidate, names), "step-size");
    assert_null(takt_text_nearest("colour", 3, candidate, names));
    assert_null(takt_text_nearest("step-size", 1, candidate, names)); // it is what was written
    const char *letters[] = {"k", "u"};
    assert_null(takt_text_nearest("y", 2, candidate, letters));
    assert_string_equal(takt_text_nearest("U", 2, candidate, letters), "u");
}

static void text_grows_and_is_handed_over(void **state)
{
    (void)state;
    takt_text text = {0};
    for (int i = 0; i < 1000; i++) takt_text_print(&text, "%d,", i % 10);
    assert_int_equal(text.length, 2000);
    char *taken = takt_text_take(&text);
    assert_memory_equal(taken, "0,1,2,3,", 8);
    free(taken);
    taken = takt_text_take(&text);
    assert_string_equal(taken, "");
    free(taken);
}

static void numbers_survive_a_round_trip(void **state)
{
    (void)state;
    const double values[] = {0.1, 1.0 / 3, -0.0, 5e-324, 1.7976931348623157e308, 1e21, 123456789};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        char text[TAKT_NUMBER_SIZE];
        double back = 0;
        size_t length = takt_number_write(text, values[i]);
        assert_int_equal(length, strlen(text));
        assert_true(takt_number_read(text, text + length, &back));
        assert_memory_equal(&back, &values[i], sizeof back);
    }
}

static bool read(const char *text, double *out)
{
    return takt_number_read(text, text + strlen(text), out);
}

static void numbers_are_read_strictly(void **state)
{
    (void)state;
    double value = 7;
    const char *const wrong[] = {"", "1,5", " 1", "1 ", "+-1", "1e", "0x10", "--1", "+", "1.2.3"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) assert_false(read(wrong[i], &value));
    assert_true(value == 7);
    assert_true(read("+1.5E3", &value) && value == 1500);
    assert_true(read("1e999", &value) && isinf(value));
    assert_true(read("-1e-999", &value) && value == 0);
    int64_t integer = 7;
    const char *large = "9223372036854775808";
    assert_false(takt_number_read_integer(large, large + strlen(large), &integer));
    assert_int_equal(integer, 7);
}

static void durations_carry_units(void **state)
{
    (void)state;
    double value = 0;
    assert_true(takt_number_read_duration("10min", &value) && value == 600);
    assert_true(takt_number_read_duration("1 h", &value) && value == 3600);
    assert_true(takt_number_read_duration("0.1", &value) && value == 0.1);
    assert_true(takt_number_read_duration("2e3ms", &value) && value == 2);
    assert_false(takt_number_read_duration("1 K", &value));
    assert_false(takt_number_read_duration("min", &value));
    assert_false(takt_number_read_duration("", &value));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(glob_matches_stars_and_question_marks),
        cmocka_unit_test(nearest_name_is_found_and_far_ones_are_not),
        cmocka_unit_test(text_grows_and_is_handed_over),
        cmocka_unit_test(numbers_survive_a_round_trip),
        cmocka_unit_test(numbers_are_read_strictly),
        cmocka_unit_test(durations_carry_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
