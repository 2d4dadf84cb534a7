// SPDX-License-Identifier: MIT
#include "support/test.h"

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

static void units_that_are_not_related_are_told_apart(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(common_units_are_converted),
        cmocka_unit_test(units_that_are_not_related_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
