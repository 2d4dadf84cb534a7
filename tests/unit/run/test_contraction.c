// SPDX-License-Identifier: MIT
// Loops whose changes do not show how slowly they converge: fixed-point must not take them for solved.
#include "unit/run/models.h"

static test_coupling c;

// y = k1 u1 + k2 u2 + c (1 + sin t)
static void pair_output(test_instance *at)
{
    const double *r = at->real;
    at->real[2] = r[3] * r[0] + r[4] * r[1] + r[5] * (1 + sin(at->time));
}

// a and b converge fast by themselves, and so does what they have in common; their difference, or their
// sum, hardly at all.
static void couple(double fast, double slow, double drive, const char *more)
{
    char settings[400];
    double same = (fast + slow) / 2, other = (slow - fast) / 2;
    snprintf(settings, sizeof settings,
             "algorithm=fixed-point step-size=0.1 stop-time=1 set=a.k1=%.17g set=a.k2=%.17g "
             "set=b.k1=%.17g set=b.k2=%.17g set=a.c=%.17g set=b.c=%.17g %s",
             same, other, same, other, drive, -0.999 * drive, more);
    static test_model models[] = {
        {"Pair", pair_variables, .output = pair_output, REWINDS}, GAIN, {0}};
    test_couple(&c, models, "a:Pair b:Pair ga:Gain gb:Gain",
                "a.y>ga.u b.y>gb.u ga.y>a.u1 gb.y>a.u2 gb.y>b.u1 ga.y>b.u2", settings);
    test_run_all(&c);
}

static bool is_silent(void)
{
    takt_statistics s = {.size = sizeof s};
    takt_run_statistics(c.run, &s, NULL);
    return s.doubtful_steps->unconverged == 0;
}

// The mode (1, 1) has the rate `slow`, and is driven by a thousandth of what drives (1, -1).
static void slow_parts_are_not_hidden_by_fast_ones(void **state)
{
    (void)state;
    const double slow[] = {0.5, 0.9, 0.999, 0.99999, 0.9999999};
    for (int i = 0; i < 5; i++) {
        couple(0.05, slow[i], 1e-4, "iterations=250");
        double t = c.time[c.n_rows - 1], drive = 1e-4 * (1 + sin(t));
        double exact =
            (1 + 0.999) / 2 * drive / (1 - 0.05) + (1 - 0.999) / 2 * drive / (1 - slow[i]);
        double error = fabs(test_value(&c, "a.y", -1) - exact);
        if (is_silent() && error > 3 * (1e-5 * fabs(exact) + 1e-6))
            fail_msg("rate %g: silently wrong by %g", slow[i], error);
        assert_true(is_silent() || slow[i] > 0.9);
        test_uncouple(&c);
    }
}

// One torn value needs no probe: its own changes show all.
static void loops_with_one_torn_value_are_not_probed(void **state)
{
    (void)state;
    static test_model models[] = {GAIN, {0}};
    test_couple(&c, models, "a:Gain b:Gain", "a.y>b.u b.y>a.u",
                "algorithm=fixed-point step-size=0.1 stop-time=1 set=b.k=0.5 set=a.c=1");
    test_run_all(&c);
    assert_true(is_silent());
    // The initialization has solved it: in each step one sweep changes nothing.
    assert_int_equal(models[0].counts.step, 2 * 10);
    test_uncouple(&c);
}

// What the probes have found is taken back with a rejected step, and does not change values.
static void probes_leave_no_trace_in_values(void **state)
{
    (void)state;
    couple(0.05, 0.6, 1, "relative-tolerance=1e-9 absolute-tolerance=1e-12 iterations=100");
    double drive = 1 + sin(1);
    double exact = (1 + 0.999) / 2 * drive / (1 - 0.05) + (1 - 0.999) / 2 * drive / (1 - 0.6);
    assert_near(test_value(&c, "a.y", -1), exact, 1e-8);
    assert_true(is_silent());
    test_uncouple(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slow_parts_are_not_hidden_by_fast_ones),
        cmocka_unit_test(loops_with_one_torn_value_are_not_probed),
        cmocka_unit_test(probes_leave_no_trace_in_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
