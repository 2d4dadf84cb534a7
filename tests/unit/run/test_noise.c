// SPDX-License-Identifier: MIT
// Noise of instances: random outputs, those of integrators with a tolerance of their own, rounded ones. What compares results must
// not take it for an effect, and where it limits the accuracy, that is said.
#include "support/problems.h"

static test_problem problem;

static test_measured run(const char *name, char mode, test_noise kind, double noise)
{
    const double tolerance = 1e-4;
    test_problem_make(&problem, name, mode);
    for (int i = 0; i < problem.n_parts; i++) {
        problem.parts[i].noise = noise * tolerance;
        problem.parts[i].noise_kind = kind;
    }
    char settings[100];
    snprintf(settings, sizeof settings, "output-interval=%g tolerance=%g", problem.stop / 1000,
             tolerance);
    test_measured out = test_problem_run(&problem, settings);
    out.error /= tolerance;
    if (out.status) print_error("%s\n", out.message);
    return out;
}

static const char *const names[] = {"lv",      "mass_fx",    "mass_xx",
                                    "thermal", "hysteresis", "roessler"};

/// Noise, in tolerances, and what may become of it: errors in tolerances, and how many times as many calls as without noise.
typedef struct bound {
    test_noise kind;
    double noise, error, calls;
} bound;

static bool holds(const char *name, char mode, const bound *b, const test_measured *clean)
{
    test_measured m = run(name, mode, b->kind, b->noise);
    double more = (double)m.calls / (double)clean->calls;
    if (!m.status && m.error <= b->error && more <= b->calls) return true;
    print_error("%s (%c), noise %d of %g: error %.3g, %.3g times the calls, %lld doubts\n", name,
                mode, (int)b->kind, b->noise, m.error, more, (long long)m.n_doubts);
    return m.n_doubts > 0 && b->noise > 0.05 && more <= b->calls;
}

static void check(const bound *bounds, size_t n)
{
    int n_broken = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (const char *mode = "ab"; *mode; mode++) {
            test_measured clean = run(names[i], *mode, TEST_NOISE_OF_READING, 0);
            assert_int_equal(clean.n_doubts, 0);
            for (size_t k = 0; k < n; k++) n_broken += !holds(names[i], *mode, &bounds[k], &clean);
        }
    assert_int_equal(n_broken, 0);
}

// Instances are asked for a thousandth of the tolerance.
static void a_thousandth_of_the_tolerance_costs_little(void **state)
{
    (void)state;
    static const bound bounds[] = {{TEST_NOISE_OF_READING, 1e-3, 5, 1.5},
                                   {TEST_NOISE_OF_STATE, 1e-3, 5, 2.5},
                                   {TEST_NOISE_ABSOLUTE, 1e-3, 5, 3},
                                   {TEST_NOISE_ROUNDED, 1e-3, 10, 3}};
    check(bounds, sizeof bounds / sizeof *bounds);
}

static void a_hundredth_is_dearer_but_right(void **state)
{
    (void)state;
    static const bound bounds[] = {{TEST_NOISE_OF_READING, 1e-2, 10, 8},
                                   {TEST_NOISE_OF_STATE, 1e-2, 10, 8}};
    check(bounds, sizeof bounds / sizeof *bounds);
}

// Steps of few points, which noise does not upset; right, or there is a doubt.
static void a_tenth_is_right_or_a_doubt(void **state)
{
    (void)state;
    static const bound bounds[] = {{TEST_NOISE_OF_READING, 0.1, 10, 60},
                                   {TEST_NOISE_OF_STATE, 0.1, 10, 60}};
    check(bounds, sizeof bounds / sizeof *bounds);
}

static void algebraic_loops_are_solved_as_exactly_as_noise_allows(void **state)
{
    (void)state;
    for (const char *mode = "ab"; *mode; mode++) {
        test_measured clean = run("loop", *mode, TEST_NOISE_OF_READING, 0);
        assert_true(holds("loop", *mode, &(bound){TEST_NOISE_OF_READING, 1e-3, 1, 1.5}, &clean));
        assert_true(holds("loop", *mode, &(bound){TEST_NOISE_OF_READING, 1e-2, 1, 5}, &clean));
        assert_true(holds("loop", *mode, &(bound){TEST_NOISE_OF_READING, 0.1, 1, 60}, &clean));
    }
}

static void the_noisy_one_is_named(void **state)
{
    (void)state;
    for (const char *mode = "ab"; *mode; mode++) {
        test_problem_make(&problem, "mass_xx", *mode);
        problem.parts[1].noise = 0.3e-4;
        test_measured m = test_problem_run(&problem, "output-interval=0.02 tolerance=1e-4");
        assert_int_equal(m.status, TAKT_OK);
        assert_string_equal(m.noisy, "p1");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thousandth_of_the_tolerance_costs_little),
        cmocka_unit_test(a_hundredth_is_dearer_but_right),
        cmocka_unit_test(a_tenth_is_right_or_a_doubt),
        cmocka_unit_test(algebraic_loops_are_solved_as_exactly_as_noise_allows),
        cmocka_unit_test(the_noisy_one_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
