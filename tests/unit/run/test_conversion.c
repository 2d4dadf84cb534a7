// SPDX-License-Identifier: MIT
#include "unit/run/models.h"

static test_coupling c;

static const test_variable source_variables[] = {
    {"n", TAKT_OUTPUT, .type = TAKT_INT32, .depends = ""},
    {"flag", TAKT_OUTPUT, .type = TAKT_BOOLEAN, .depends = ""},
    {"T", TAKT_OUTPUT, .depends = "", .unit = "degC"},
    {"dT", TAKT_OUTPUT, .depends = "", .unit = "degC", .is_relative = true},
    {"way", TAKT_OUTPUT, .depends = "", .unit = "km"},
    {"name", TAKT_OUTPUT, .type = TAKT_STRING, .depends = ""},
    {0}};
static void source_output(test_instance *at)
{
    at->integer[0] = (int64_t)round(at->time * 100);
    at->integer[1] = at->time > 0.5;
    at->real[2] = 20 + at->time;
    at->real[3] = 5;
    at->real[4] = at->time;
    takt_bytes_assign(&at->bytes[5], "x", 1);
}

static const test_variable sink_variables[] = {
    {"real", TAKT_INPUT, .start = "0"},
    {"small", TAKT_INPUT, .type = TAKT_UINT8, .start = "0"},
    {"wide", TAKT_INPUT, .type = TAKT_INT64, .start = "0"},
    {"flag", TAKT_INPUT, .type = TAKT_BOOLEAN, .start = "0"},
    {"T", TAKT_INPUT, .start = "0", .unit = "K"},
    {"way", TAKT_INPUT, .start = "0", .unit = "m"},
    {"got_real", TAKT_OUTPUT, .depends = "real"},
    {"got_T", TAKT_OUTPUT, .depends = "T"},
    {"got_way", TAKT_OUTPUT, .depends = "way"},
    {"got_small", TAKT_OUTPUT, .type = TAKT_INT32, .depends = "small"},
    {"got_wide", TAKT_OUTPUT, .type = TAKT_INT32, .depends = "wide"},
    {0}};
static void sink_output(test_instance *at)
{
    at->real[6] = at->real[0];
    at->real[7] = at->real[4];
    at->real[8] = at->real[5];
    at->integer[9] = at->integer[1];
    at->integer[10] = at->integer[2];
}

// clang-format off
#define SOURCE {"Source", source_variables, .output = source_output, REWINDS}
#define SINK {"Sink", sink_variables, .output = sink_output, REWINDS}
// clang-format on

static void couple(const char *connections, const char *settings)
{
    static test_model models[] = {SOURCE, SINK, {0}};
    test_try_couple(&c, models, "a:Source b:Sink", connections, settings);
}

static void numbers_of_other_types_arrive_unchanged(void **state)
{
    (void)state;
    couple("a.n>b.real a.n>b.wide a.n>b.small a.flag>b.flag", "step-size=0.1 stop-time=1");
    test_run_all(&c);
    for (int i = 0; i < c.n_rows; i++) {
        double n = round(100 * c.time[i]);
        assert_near(test_value(&c, "b.got_real", i), n, 0);
        assert_near(test_value(&c, "b.got_wide", i), n, 0);
        assert_near(test_value(&c, "b.got_small", i), n, 0);
    }
    test_uncouple(&c);
}

static void value_that_does_not_fit_stops_the_run_and_is_named(void **state)
{
    (void)state;
    couple("a.n>b.small", "step-size=0.5 stop-time=10");
    test_try_run_all(&c);
    assert_int_equal(c.status, TAKT_ERR_SIMULATION);
    assert_contains(c.err.message,
                    "t=2.5 s: a.n is 300, but b.small of type UInt8 can take only 0 to 255");
    assert_near(test_value(&c, "b.got_small", -1), 250, 0);
    test_uncouple(&c);
}

static void units_are_converted_by_factor_and_offset(void **state)
{
    (void)state;
    couple("a.T>b.T a.way>b.way", "step-size=0.1 stop-time=1");
    test_run_all(&c);
    assert_near(test_value(&c, "b.got_T", 0), 293.15, 1e-9);
    assert_near(test_value(&c, "b.got_T", -1), 294.15, 1e-9);
    assert_near(test_value(&c, "b.got_way", -1), 1000, 1e-9);
    test_uncouple(&c);
    couple("a.dT>b.T", "step-size=0.1 stop-time=1");
    test_run_all(&c);
    assert_near(test_value(&c, "b.got_T", -1), 5, 1e-12); // a difference has no offset
    test_uncouple(&c);
}

static void what_cannot_be_converted_is_an_error_that_says_why(void **state)
{
    (void)state;
    const char *const wrong[][2] = {
        {"a.T>b.way",
         "a.T is measured in 'degC' and b.way in 'm', which cannot be converted: their "
         "base units differ"},
        {"a.way>b.wide", "a.way is Float64, but b.wide is Int64; a real number would have to be "
                         "rounded"},
        {"a.name>b.real", "a.name is String, but b.real is Float64; these types have nothing in "
                          "common"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        couple(wrong[i][0], "step-size=0.1 stop-time=1");
        assert_int_equal(c.status, TAKT_ERR_INPUT);
        assert_contains(c.system.log.text, wrong[i][1]);
        test_uncouple(&c);
    }
}

// A loop through a conversion: T in degC there, in K back.
static const test_variable room_variables[] = {{"u", TAKT_INPUT, .start = "0", .unit = "K"},
                                               {"y", TAKT_OUTPUT, .depends = "u", .unit = "degC"},
                                               {0}};
static void room_output(test_instance *at)
{
    at->real[1] = 0.5 * (at->real[0] - 273.15) + 10; // in degC: y = u/2 + 10
}

static void loops_are_solved_through_conversions(void **state)
{
    (void)state;
    test_model models[] = {{"Room", room_variables, .output = room_output, REWINDS}, {0}};
    const char *const algorithms[] = {"fixed-point", "newton", "quasi-newton", "anderson"};
    for (int i = 0; i < 4; i++) {
        char settings[200];
        snprintf(settings, sizeof settings,
                 "step-size=0.1 stop-time=1 iterations=100 relative-tolerance=1e-10 "
                 "absolute-tolerance=1e-10 algorithm=%s",
                 algorithms[i]);
        test_couple(&c, models, "a:Room b:Room", "a.y>b.u b.y>a.u", settings);
        test_run_all(&c);
        assert_near(test_value(&c, "a.y", 0), 20, 1e-6); // the initial loop
        assert_near(test_value(&c, "a.y", -1), 20, 1e-8);
        test_uncouple(&c);
    }
}

// A parameter that another instance calculates during the initialization.
static const test_variable maker_variables[] = {
    {"p", TAKT_PARAMETER, .start = "4"}, {"c", TAKT_CALCULATED_PARAMETER, .depends = "p"}, {0}};
static void maker_output(test_instance *at)
{
    at->real[1] = 2 * at->real[0];
}

static const test_variable user_variables[] = {
    {"k", TAKT_PARAMETER, .start = "1"}, {"y", TAKT_OUTPUT, .depends = "k"}, {0}};
static void user_output(test_instance *at)
{
    at->real[1] = at->real[0] + 1;
}

static void parameters_are_set_once_from_calculated_ones(void **state)
{
    (void)state;
    static test_model models[] = {{"Maker", maker_variables, .output = maker_output, REWINDS},
                                  {"User", user_variables, .output = user_output, REWINDS},
                                  {0}};
    memset(&models[1].counts, 0, sizeof models[1].counts);
    test_couple(&c, models, "b:User a:Maker", "b.k>a.c", "step-size=0.1 stop-time=1");
    test_run_all(&c);
    assert_near(test_value(&c, "b.y", 0), 9, 0);
    assert_near(test_value(&c, "b.y", -1), 9, 0);
    assert_int_equal(models[1].counts.set, 1);
    test_uncouple(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_other_types_arrive_unchanged),
        cmocka_unit_test(value_that_does_not_fit_stops_the_run_and_is_named),
        cmocka_unit_test(units_are_converted_by_factor_and_offset),
        cmocka_unit_test(what_cannot_be_converted_is_an_error_that_says_why),
        cmocka_unit_test(loops_are_solved_through_conversions),
        cmocka_unit_test(parameters_are_set_once_from_calculated_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
