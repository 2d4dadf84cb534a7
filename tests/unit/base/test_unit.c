// SPDX-License-Identifier: MIT
#include "support/command.h"

#include "base/unit.h"

static double convert(const char *from, const char *to, double value, bool is_relative)
{
    double factor, offset;
    const takt_unit *a = takt_unit_common(from), *b = takt_unit_common(to);
    assert_non_null(a);
    assert_non_null(b);
    assert_int_equal(takt_unit_convert(a, b, is_relative, &factor, &offset), TAKT_UNITS_CONVERT);
    return factor * value + offset;
}

static void common_units_are_converted(void **state)
{
    (void)state;
    assert_near(convert("cm", "m", 10, false), 0.1, 1e-15);
    assert_near(convert("degC", "K", 20, false), 293.15, 1e-12);
    assert_near(convert("degF", "degC", 212, false), 100, 1e-9);
    assert_near(convert("degC", "K", 20, true), 20, 0);
    assert_near(convert("kWh", "MJ", 1, false), 3.6, 1e-12);
    assert_near(convert("rpm", "rad/s", 60, false), 2 * 3.14159265358979, 1e-12);
    assert_near(convert("bar", "Pa", 1, false), 1e5, 1e-9);
    assert_null(takt_unit_common("furlong"));
}

static void units_that_are_not_related_are_distinguished(void **state)
{
    (void)state;
    double factor = 7, offset = 7;
    takt_unit bare = {.name = "m"}, other = {.name = "x"};
    const takt_unit *m = takt_unit_common("m"), *s = takt_unit_common("s");
    assert_int_equal(takt_unit_convert(m, s, false, &factor, &offset), TAKT_UNITS_DIFFER);
    assert_int_equal(takt_unit_convert(m, &other, false, &factor, &offset), TAKT_UNITS_UNKNOWN);
    assert_int_equal(takt_unit_convert(&bare, m, false, &factor, &offset), TAKT_UNITS_CONVERT);
    assert_true(factor == 1 && offset == 0); // the same name
    // OMSimulator's 'rad' has no base units at all.
    takt_unit rad = {.name = "rad", .has_base = true, .factor = 1};
    takt_unit one = {.name = "1", .has_base = true, .factor = 1};
    const takt_unit *angle = takt_unit_common("rad");
    assert_int_equal(takt_unit_convert(&rad, angle, false, &factor, &offset), TAKT_UNITS_CONVERT);
    assert_int_equal(takt_unit_convert(&one, angle, false, &factor, &offset), TAKT_UNITS_DIFFER);
}

static void a_common_name_is_enough_where_it_fits_the_other_side(void **state)
{
    (void)state;
    double factor = 7, offset = 7;
    takt_unit bare_cm = {.name = "cm"}, bare_m = {.name = "m"};
    const takt_unit *m = takt_unit_common("m"), *s = takt_unit_common("s");
    assert_int_equal(takt_unit_convert(&bare_cm, m, false, &factor, &offset), TAKT_UNITS_CONVERT);
    assert_near(factor, 0.01, 1e-17);
    assert_int_equal(takt_unit_convert(&bare_cm, s, false, &factor, &offset), TAKT_UNITS_UNKNOWN);
    assert_int_equal(takt_unit_convert(&bare_cm, &bare_m, false, &factor, &offset),
                     TAKT_UNITS_UNKNOWN);
    // The same name is the same unit, whatever one side says about it.
    takt_unit bare = {.name = "degC"},
              odd = {.name = "degC", .K = 1, .has_base = true, .factor = 1};
    assert_int_equal(takt_unit_convert(&bare, &odd, false, &factor, &offset), TAKT_UNITS_CONVERT);
    assert_true(factor == 1 && offset == 0);
}

static void units_are_found_behind_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text, *unit;
        size_t length;
    } cases[] = {{"10 cm", "cm", 2},      {"10cm", "cm", 2},   {" 1 2 3 m/s2", "m/s2", 6},
                 {"3 1/min", "1/min", 1}, {"5 %", "%", 1},     {"20 °C", "°C", 2},
                 {"1e2m", "m", 3},        {"7 (a)", "(a)", 1}, {"1 2", NULL, 0},
                 {"cm", NULL, 0},         {"", NULL, 0},       {"1,5 m", NULL, 0},
                 {"3/min", NULL, 0},      {"-2e-3 K", "K", 5}, {"1cm 2cm", "cm 2cm", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t length = 0;
        const char *unit = takt_unit_behind(cases[i].text, &length);
        if (!cases[i].unit) {
            assert_null(unit);
            continue;
        }
        assert_string_equal(unit, cases[i].unit);
        assert_int_equal(length, cases[i].length);
    }
}

static void all_common_units_are_documented(void **state)
{
    (void)state;
    char *page = test_read_path(TAKT_EXAMPLES "/../docs/reference/values.md", NULL), name[40];
    const takt_unit *unit;
    for (int i = 0; (unit = takt_unit_common_at(i)); i++) {
        snprintf(name, sizeof name, "`%s`", unit->name);
        assert_contains(page, name);
        assert_ptr_equal(takt_unit_common(unit->name), unit); // none is there twice
    }
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(common_units_are_converted),
        cmocka_unit_test(units_that_are_not_related_are_distinguished),
        cmocka_unit_test(a_common_name_is_enough_where_it_fits_the_other_side),
        cmocka_unit_test(units_are_found_behind_numbers),
        cmocka_unit_test(all_common_units_are_documented),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
