// SPDX-License-Identifier: MIT
// Steps by prediction, to a tolerance: error and calls on coupled problems with known solutions, all with the same
// settings. Calls are exact numbers, so that every bound is one of the method.
#include "support/problems.h"

static test_problem problem;

static test_measured run_with(double tolerance, const char *more)
{
    char settings[200];
    snprintf(settings, sizeof settings, "output-interval=0 tolerance=%g %s", tolerance, more);
    test_measured out = test_problem_run(&problem, settings);
    if (out.status) print_error("%s\n", out.message);
    return out;
}

static test_measured run(const char *name, char mode, double tolerance)
{
    test_problem_make(&problem, name, mode);
    return run_with(tolerance, "");
}

/// Bounds: error in units of the tolerance, and steps of the busiest instance.
typedef struct bound {
    const char *name;
    char mode;
    double tolerance, error;
    int64_t calls;
} bound;

static bool holds(const bound *b, const test_measured *m)
{
    if (!m->status && m->error <= b->error * b->tolerance && m->calls <= b->calls) return true;
    print_error("%s (%c) at %g: error %.3g x tolerance (at most %g), %lld calls (at most %lld)\n",
                b->name, b->mode, b->tolerance, m->error / b->tolerance, b->error,
                (long long)m->calls, (long long)b->calls);
    return false;
}

static void check(const bound *bounds, size_t n)
{
    int n_broken = 0;
    for (size_t i = 0; i < n; i++) {
        test_measured m = run(bounds[i].name, bounds[i].mode, bounds[i].tolerance);
        n_broken += !holds(&bounds[i], &m) || m.n_doubts > 0;
    }
    assert_int_equal(n_broken, 0);
}

static void smooth_problems_keep_error_and_calls_when_inputs_are_followed(void **state)
{
    (void)state;
    static const bound bounds[] = {
        {"lv", 'a', 1e-4, 3, 300},       {"lv", 'a', 1e-6, 3, 700},
        {"mass_fx", 'a', 1e-4, 3, 1000}, {"mass_fx", 'a', 1e-6, 3, 2000},
        {"mass_xx", 'a', 1e-4, 3, 1000}, {"mass_xx", 'a', 1e-6, 3, 2000},
        {"thermal", 'a', 1e-4, 3, 500},  {"thermal", 'a', 1e-6, 3, 1100},
    };
    check(bounds, sizeof bounds / sizeof *bounds);
}

static void smooth_problems_keep_error_and_calls_when_inputs_are_held(void **state)
{
    (void)state;
    static const bound bounds[] = {
        {"lv", 'b', 1e-4, 10, 500},        {"lv", 'b', 1e-6, 10, 1100},
        {"mass_fx", 'b', 1e-4, 10, 2300},  {"mass_fx", 'b', 1e-6, 10, 4800},
        {"mass_xx", 'b', 1e-4, 10, 2300},  {"mass_xx", 'b', 1e-6, 10, 4800},
        {"thermal", 'b', 1e-4, 10, 12000},
    };
    check(bounds, sizeof bounds / sizeof *bounds);
}

// Problems that the method was not made with have bounds of the error only, and calls that are far above what they
// need: they must not explode.
static void other_problems_keep_the_error(void **state)
{
    (void)state;
    static const bound bounds[] = {
        {"thermal2", 'a', 1e-4, 3, 1100}, {"thermal2", 'b', 1e-4, 10, 40000},
        {"roessler", 'a', 1e-4, 3, 1500}, {"roessler", 'b', 1e-4, 10, 4000},
        {"loop", 'a', 1e-4, 3, 1500},     {"loop", 'b', 1e-4, 10, 6000},
    };
    check(bounds, sizeof bounds / sizeof *bounds);
}

static void followers_and_holders_mix(void **state)
{
    (void)state;
    static const bound bounds[] = {
        {"lv", 'm', 1e-3, 10, 1000},       {"lv", 'm', 1e-5, 10, 1000},
        {"mass_fx", 'm', 1e-4, 10, 2300},  {"mass_xx", 'm', 1e-4, 10, 2300},
        {"thermal", 'm', 1e-3, 10, 12000}, {"thermal", 'm', 1e-4, 10, 12000},
        {"loop", 'm', 1e-4, 10, 6000},     {"roessler", 'm', 1e-4, 10, 4000},
    };
    check(bounds, sizeof bounds / sizeof *bounds);
}

// ---- random problems -------------------------------------------------------------------------------

static void check_random(const char *kind, int first, int n, const bound *like)
{
    int n_broken = 0;
    for (int i = first; i < first + n; i++) {
        char name[30];
        snprintf(name, sizeof name, "%s%d", kind, i);
        bound one = *like;
        one.name = name;
        test_measured m = run(name, like->mode, like->tolerance);
        n_broken += !holds(&one, &m);
    }
    assert_int_equal(n_broken, 0);
}

static void random_linear_systems_keep_error_and_calls(void **state)
{
    (void)state;
    check_random("rnd", 1, 20, &(bound){"", 'a', 1e-4, 3, 1200});
    check_random("rnd", 1, 20, &(bound){"", 'a', 1e-6, 3, 2600});
}

static void random_linear_systems_keep_error_and_calls_when_inputs_are_held(void **state)
{
    (void)state;
    check_random("rnd", 1, 20, &(bound){"", 'b', 1e-3, 10, 25000});
    check_random("rnd", 1, 20, &(bound){"", 'b', 1e-4, 10, 25000});
}

// The same tolerance by step doubling, with the inputs that its instances hold.
static void random_populations_need_a_fortieth_of_the_calls_of_step_doubling(void **state)
{
    (void)state;
    for (int i = 1; i <= 6; i++) {
        char name[30];
        snprintf(name, sizeof name, "lvr%d", i);
        test_problem_make(&problem, name, 'a');
        test_measured now = test_problem_run(&problem, "tolerance=1e-6 output-interval=1");
        test_problem_make(&problem, name, 'b');
        test_measured doubling =
            test_problem_run(&problem, "algorithm=seidel tolerance=1e-6 output-interval=1");
        assert_int_equal(now.status, TAKT_OK);
        assert_int_equal(doubling.status, TAKT_OK);
        assert_true(now.error < doubling.error);
        assert_true(now.error <= 3e-6);
        if (40 * now.calls > doubling.calls)
            print_error("%s: %lld calls, %lld by step doubling\n", name, (long long)now.calls,
                        (long long)doubling.calls);
        assert_true(40 * now.calls <= doubling.calls);
    }
}

// ---- events ----------------------------------------------------------------------------------------

static void check_switching(const bound *b, bool is_discrete)
{
    test_problem_make(&problem, b->name, b->mode);
    problem.parts[1].is_discrete = is_discrete;
    test_measured m = run_with(b->tolerance, "");
    assert_true(holds(b, &m));
    assert_int_equal(m.n_switchings, m.n_expected);
}

static void no_switching_is_missed_or_invented(void **state)
{
    (void)state;
    static const bound bounds[] = {
        {"hysteresis", 'a', 1e-4, 6, 900},
        {"hysteresis", 'a', 1e-6, 6, 1500},
        {"hysteresis", 'b', 1e-4, 10, 1800},
        {"hysteresis", 'b', 1e-6, 10, 2000},
    };
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
        for (int k = 0; k < 2; k++) check_switching(&bounds[i], k == 1);
}

static void the_number_of_switchings_is_that_of_the_closed_form(void **state)
{
    (void)state;
    test_measured m = run("hysteresis", 'a', 1e-4);
    assert_int_equal(m.n_expected, 23);
}

static void random_switches_are_found(void **state)
{
    (void)state;
    static const double tolerances[] = {1e-3, 1e-4, 1e-6, 1e-7};
    for (int i = 1; i <= 10; i++)
        for (int k = 0; k < 8; k++) {
            char name[30];
            snprintf(name, sizeof name, "hyst%d", i);
            char mode = k % 2 ? 'b' : 'a';
            bound one = {name, mode, tolerances[k / 2], mode == 'a' ? 6 : 10, 10000};
            check_switching(&one, false);
        }
}

// ---- instances that cannot be rewound ----------------------------------------------------------------

static test_measured run_without_rewinding(const char *name, char mode, double tolerance)
{
    test_problem_make(&problem, name, mode);
    problem.cannot_rewind = true;
    char settings[100];
    snprintf(settings, sizeof settings, "output-interval=0.05 tolerance=%g", tolerance);
    return test_problem_run(&problem, settings);
}

// Steps aim lower, as none can be made again; apart from that smooth problems are as good, and not twice as dear.
static void smooth_problems_need_no_rewinding(void **state)
{
    (void)state;
    static const char *const names[] = {"lv", "lvr2", "mass_fx", "mass_xx", "roessler", "rnd1"};
    int n_broken = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (int k = 0; k < 4; k++) {
            double tolerance = k < 2 ? 1e-4 : 1e-6;
            char mode = "ab"[k % 2];
            int64_t calls = 2 * run(names[i], mode, tolerance).calls;
            test_measured m = run_without_rewinding(names[i], mode, tolerance);
            n_broken += !holds(&(bound){names[i], mode, tolerance, 3, calls}, &m);
            assert_int_equal(m.rejected, 0);
        }
    assert_int_equal(n_broken, 0);
}

// Strong loops, stiff instances and jumps need what is not there: the result is worse, and that is said.
static void what_needs_rewinding_is_counted(void **state)
{
    (void)state;
    static const char *const names[] = {"thermal", "hysteresis", "hyst3"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (const char *mode = "ab"; *mode; mode++) {
            test_measured m = run_without_rewinding(names[i], *mode, 1e-4);
            assert_int_equal(m.status, TAKT_OK);
            assert_true(m.n_doubts > 0);
            assert_true(m.error < 1); // but it does not explode
        }
}

// ---- the tolerance ---------------------------------------------------------------------------------

static void smaller_tolerances_give_smaller_errors(void **state)
{
    (void)state;
    static const char *const names[] = {"lv",      "mass_fx", "mass_xx",
                                        "thermal", "loop",    "hysteresis"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        double before = INFINITY;
        for (double tolerance = 1e-3; tolerance > 0.5e-7; tolerance /= 10) {
            test_measured m = run(names[i], 'a', tolerance);
            assert_int_equal(m.status, TAKT_OK);
            if (!(m.error < before && m.error <= 6 * tolerance))
                print_error("%s at %g: error %g, before %g\n", names[i], tolerance, m.error,
                            before);
            assert_true(m.error < before && m.error <= 6 * tolerance);
            before = m.error;
        }
    }
}

// Spikes whose time is ill-conditioned: SciPy 1.11's LSODA on the whole system has errors of 157, 184 and 624
// tolerances.
static void an_ill_conditioned_problem_is_solved_as_an_ordinary_solver_would(void **state)
{
    (void)state;
    static const struct {
        double tolerance, lsoda;
    } known[] = {{1e-3, 157}, {1e-4, 184}, {1e-6, 624}};
    for (int i = 0; i < 3; i++) {
        double tolerance = known[i].tolerance;
        test_measured m = run("vdp", 'a', tolerance);
        assert_true(holds(&(bound){"vdp", 'a', tolerance, 10 * known[i].lsoda, 3000}, &m));
        m = run("vdp", 'b', tolerance);
        assert_true(holds(&(bound){"vdp", 'b', tolerance, 10 * known[i].lsoda, 100000}, &m));
    }
}

// Instances are asked for a thousandth of the tolerance.
static void noise_within_a_thousandth_of_the_tolerance_does_no_harm(void **state)
{
    (void)state;
    static const char *const names[] = {"lv", "mass_xx", "mass_fx", "thermal"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (double tolerance = 1e-4; tolerance > 0.5e-6; tolerance /= 100) {
            test_measured clean = run(names[i], 'a', tolerance);
            test_problem_make(&problem, names[i], 'a');
            for (int p = 0; p < problem.n_parts; p++) problem.parts[p].noise = 1e-3 * tolerance;
            test_measured m = run_with(tolerance, "");
            assert_true(holds(&(bound){names[i], 'a', tolerance, 5, 2 * clean.calls}, &m));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smooth_problems_keep_error_and_calls_when_inputs_are_followed),
        cmocka_unit_test(smooth_problems_keep_error_and_calls_when_inputs_are_held),
        cmocka_unit_test(other_problems_keep_the_error),
        cmocka_unit_test(followers_and_holders_mix),
        cmocka_unit_test(random_linear_systems_keep_error_and_calls),
        cmocka_unit_test(random_linear_systems_keep_error_and_calls_when_inputs_are_held),
        cmocka_unit_test(random_populations_need_a_fortieth_of_the_calls_of_step_doubling),
        cmocka_unit_test(no_switching_is_missed_or_invented),
        cmocka_unit_test(the_number_of_switchings_is_that_of_the_closed_form),
        cmocka_unit_test(random_switches_are_found),
        cmocka_unit_test(smooth_problems_need_no_rewinding),
        cmocka_unit_test(what_needs_rewinding_is_counted),
        cmocka_unit_test(smaller_tolerances_give_smaller_errors),
        cmocka_unit_test(an_ill_conditioned_problem_is_solved_as_an_ordinary_solver_would),
        cmocka_unit_test(noise_within_a_thousandth_of_the_tolerance_does_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
