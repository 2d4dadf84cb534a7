// SPDX-License-Identifier: MIT
// The defaults of `takt run`, with FMUs: steps by prediction to a tolerance, fixed ones where a size is given, step
// doubling where an algorithm is; calls and errors against exact solutions.
#include "support/results.h"
#include "support/ssd.h"
#include "support/statistics.h"

// ---- the control loop of the papers ------------------------------------------------------------------

// x4 rises and falls with 6 per second between -2.5 and 2.5.
static double x4_of(double t)
{
    if (t < 3) return fmax(0, fmin(6 * (t - 1), 2.5));
    if (t < 5) return fmax(-2.5, 2.5 - 6 * (t - 3));
    return fmin(2.5, -2.5 + 6 * (t - 5));
}

static double x4_error(test_sandbox *box, const char *name)
{
    test_results r;
    test_results_read(&r, box, name);
    double error = 0;
    for (int i = 0; i < r.n_rows; i++)
        error = fmax(error, fabs(test_result(&r, i, "Part3.x4") - x4_of(test_result_time(&r, i))));
    test_results_clear(&r);
    return error;
}

static double number_of(test_sandbox *box, const char *path)
{
    json_t *s = test_statistics_read(box, "stats.json");
    double number = test_number(s, path);
    json_decref(s);
    return number;
}

static void math003_needs_a_tenth_of_the_papers_calls(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "run", "math003.ssd", "--step-max", "0.14", "--tolerance", "1e-6", "--stats",
             "stats.json", "--strict", NULL);
    assert_exit(box, 0);
    assert_near(x4_error(box, "math003.csv"), 0, 5e-6);
    assert_true(number_of(box, "do_step_total") <= 450);
}

// ---- populations -------------------------------------------------------------------------------------

static double log_slope(double a, double b, double u)
{
    return a + b * u;
}

// x' = x (0.1 - 0.02 y), y' = y (0.02 x - 0.4), in logarithms, by short steps of Runge and Kutta.
static void go_on(double *x, double *y, double length)
{
    int n = 1 + (int)ceil(length / 1e-3);
    double h = length / n, p = log(*x), q = log(*y);
    for (int i = 0; i < n; i++) {
        double k1 = log_slope(0.1, -0.02, exp(q)), l1 = log_slope(-0.4, 0.02, exp(p));
        double k2 = log_slope(0.1, -0.02, exp(q + h / 2 * l1));
        double l2 = log_slope(-0.4, 0.02, exp(p + h / 2 * k1));
        double k3 = log_slope(0.1, -0.02, exp(q + h / 2 * l2));
        double l3 = log_slope(-0.4, 0.02, exp(p + h / 2 * k2));
        double k4 = log_slope(0.1, -0.02, exp(q + h * l3));
        double l4 = log_slope(-0.4, 0.02, exp(p + h * k3));
        p += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
        q += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    }
    *x = exp(p), *y = exp(q);
}

// The largest error of both, relative to their largest values.
static double population_error(test_sandbox *box, const char *name)
{
    test_results r;
    test_results_read(&r, box, name);
    double x = 10, y = 10, t = 0, errors[2] = {0}, largest[2] = {0};
    for (int i = 0; i < r.n_rows; i++) {
        go_on(&x, &y, test_result_time(&r, i) - t);
        t = test_result_time(&r, i);
        errors[0] = fmax(errors[0], fabs(test_result(&r, i, "Prey.x") - x));
        errors[1] = fmax(errors[1], fabs(test_result(&r, i, "Predator.y") - y));
        largest[0] = fmax(largest[0], x), largest[1] = fmax(largest[1], y);
    }
    test_results_clear(&r);
    return fmax(errors[0] / largest[0], errors[1] / largest[1]);
}

static void write_populations(test_sandbox *box, const char *prey, const char *predator,
                              const char *settings)
{
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "Predator", predator, "in:x out:y");
    test_ssd_component(&ssd, "Prey", prey, "in:y out:x");
    test_ssd_connect(&ssd, "Prey.x", "Predator.x");
    test_ssd_connect(&ssd, "Predator.y", "Prey.y");
    test_ssd_write(&ssd, box, "p.ssd", 0, 100, settings);
}

static void populations_keep_error_and_calls(void **state)
{
    test_sandbox *box = *state;
    static const struct {
        const char *prey, *predator, *tolerance;
        double error, calls;
    } cases[] = {{"Prey", "Predator", "1e-4", 3e-4, 300},
                 {"Prey", "Predator", "1e-6", 3e-6, 700},
                 {"Prey_fmi3", "Predator_fmi3", "1e-4", 3e-4, 300},
                 {"PreyHeld", "PredatorHeld", "1e-4", 10e-4, 500},
                 {"PreyHeld", "PredatorHeld", "1e-6", 10e-6, 1100},
                 {"PreyHeld", "Predator", "1e-4", 10e-4, 500}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_populations(box, cases[i].prey, cases[i].predator, NULL);
        test_run(box, "run", "p.ssd", "--tolerance", cases[i].tolerance, "--stats", "stats.json",
                 "-o", "p.csv", "--strict", NULL);
        assert_exit(box, 0);
        double calls = fmax(number_of(box, "instances/Prey/do_step/count"),
                            number_of(box, "instances/Predator/do_step/count"));
        double error = population_error(box, "p.csv");
        if (error > cases[i].error || calls > cases[i].calls)
            print_error("%s, %s: error %g, %g calls\n", cases[i].prey, cases[i].tolerance, error,
                        calls);
        assert_true(error <= cases[i].error && calls <= cases[i].calls);
    }
}

// ---- two masses and a spring -------------------------------------------------------------------------

// Masses 1 and 2, stiffness 100, damping 1: the distance r swings, and the centre of mass rests at 2/3.
static double distance_of(double t)
{
    double w = sqrt(150 - 0.75 * 0.75);
    return exp(-0.75 * t) * (cos(w * t) + 0.75 / w * sin(w * t));
}

static double mass_error(test_sandbox *box)
{
    test_results r;
    test_results_read(&r, box, "m.csv");
    double error = 0;
    for (int i = 0; i < r.n_rows; i++) {
        double distance = distance_of(test_result_time(&r, i));
        error = fmax(error, fabs(test_result(&r, i, "L.x") - 2 / 3.0 * (1 - distance)) / 1.2);
        error = fmax(error, fabs(test_result(&r, i, "R.x") - (2 + distance) / 3));
    }
    test_results_clear(&r);
    return error;
}

static void masses_keep_the_error_whatever_is_held(void **state)
{
    test_sandbox *box = *state;
    static const char *const fmus[][2] = {{"LeftMass", "RightMass"},
                                          {"LeftMassHeld", "RightMassHeld"},
                                          {"LeftMass", "RightMassHeld"}};
    for (int i = 0; i < 6; i++) {
        test_ssd ssd = {0};
        double tolerance = i % 2 ? 1e-6 : 1e-4;
        test_ssd_component(&ssd, "R", fmus[i / 2][1], "in:x_left in:v_left out:F out:x");
        test_ssd_component(&ssd, "L", fmus[i / 2][0], "in:F out:x out:v");
        test_ssd_connect(&ssd, "L.x", "R.x_left");
        test_ssd_connect(&ssd, "L.v", "R.v_left");
        test_ssd_connect(&ssd, "R.F", "L.F");
        test_ssd_write(&ssd, box, "m.ssd", 0, 2, NULL);
        test_run(box, "run", "m.ssd", "--tolerance", i % 2 ? "1e-6" : "1e-4", "--stats",
                 "stats.json", "-o", "m.csv", "--strict", NULL);
        assert_exit(box, 0);
        double error = mass_error(box) / tolerance;
        if (error > (i < 2 ? 3 : 10)) print_error("%s: %g tolerances\n", fmus[i / 2][1], error);
        assert_true(error <= (i < 2 ? 3 : 10));
        assert_near(number_of(box, "doubtful_steps/at_step_min"), 0, 0);
    }
}

// All values of this loop are 0 at the beginning, so that every step changes them by as much as there is.
static void a_loop_that_begins_at_zero_needs_no_tiny_steps(void **state)
{
    test_sandbox *box = *state;
    static const char *const tolerances[] = {"1e-3", "1e-5"};
    test_link(box, "fmus", TEST_FMUS);
    test_ssd_copy(box, TAKT_EXAMPLES "/coupling/15_jumping_sources/system.ssd", "system.ssd");
    for (int i = 0; i < 2; i++) {
        test_run(box, "run", "system.ssd", "--tolerance", tolerances[i], "--output-interval", "0",
                 "-o", "r.csv", "--strict", NULL);
        assert_exit(box, 0);
        test_results r;
        test_results_read(&r, box, "r.csv");
        assert_true(test_result_time(&r, 1) > 1e-9);
        test_results_clear(&r);
    }
}

// ---- defaults ----------------------------------------------------------------------------------------

// A delay fails if a step is longer than it: trials must not try that.
static void trials_make_no_steps_that_are_unusually_long(void **state)
{
    test_sandbox *box = *state;
    static const char *const tolerances[] = {"1e-3", "1e-4"};
    for (size_t i = 0; i < sizeof tolerances / sizeof *tolerances; i++) {
        test_run(box, "run", TAKT_EXAMPLES "/coupling/17_delay/system.ssd", "--tolerance",
                 tolerances[i], "-q", "--no-output", NULL);
        assert_exit(box, 0);
    }
}

static void nothing_set_is_right_without_a_word(void **state)
{
    test_sandbox *box = *state;
    write_populations(box, "Prey", "Predator", NULL);
    test_run(box, "run", "p.ssd", "--strict", "-o", "p.csv", "--stats", "stats.json", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->err, "");
    assert_true(population_error(box, "p.csv") <= 10e-4); // the default tolerance is 1e-4
    // Rows lie at the interval that the FMUs suggest.
    test_results r;
    test_results_read(&r, box, "p.csv");
    assert_int_equal(r.n_rows, 1001);
    for (int i = 0; i < r.n_rows; i++) assert_near(test_result_time(&r, i), 0.1 * i, 1e-9);
    test_results_clear(&r);
    assert_true(number_of(box, "steps") < 400);
}

static void a_step_size_alone_means_fixed_steps(void **state)
{
    test_sandbox *box = *state;
    static const char *const fmus[][2] = {{"Prey", "Predator"}, {"PreyHeld", "PredatorHeld"}};
    for (int i = 0; i < 2; i++) {
        write_populations(box, fmus[i][0], fmus[i][1], NULL);
        test_run(box, "run", "p.ssd", "--step-size", "0.5", "--stats", "stats.json", "-o", "p.csv",
                 NULL);
        assert_exit(box, 0);
        assert_near(number_of(box, "steps"), 200, 0);
        assert_near(number_of(box, "rejected"), 0, 0);
        assert_true(population_error(box, "p.csv") < 0.01);
        test_results r;
        test_results_read(&r, box, "p.csv");
        assert_int_equal(r.n_rows, 201);
        test_results_clear(&r);
    }
}

// Step doubling with an algorithm that holds inputs is of first order: its error is not that of the coupled
// solution, but falls with the tolerance.
static void an_algorithm_alone_means_step_doubling(void **state)
{
    test_sandbox *box = *state;
    double errors[2], calls[2];
    write_populations(box, "Prey", "Predator", NULL);
    for (int i = 0; i < 2; i++) {
        test_run(box, "run", "p.ssd", "--algorithm", "seidel", "--tolerance", i ? "1e-5" : "1e-3",
                 "--stats", "stats.json", "-o", "p.csv", NULL);
        assert_exit(box, 0);
        errors[i] = population_error(box, "p.csv");
        calls[i] = number_of(box, "do_step_total");
    }
    assert_near(errors[0] / errors[1], 10, 4); // the square root
    assert_true(calls[1] > 5 * calls[0]);
    test_run(box, "run", "p.ssd", "--algorithm", "seidel", "--stats", "stats.json", "-o", "p.csv",
             NULL);
    assert_exit(box, 0); // the default tolerance
    double error = population_error(box, "p.csv");
    assert_true(error < errors[0] && error > errors[1]);
}

// ---- components that limit what is possible ------------------------------------------------------------

static void write_gains(test_sandbox *box, const char *first, const char *second)
{
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "a", first, "in:u out:y");
    test_ssd_component(&ssd, "b", second, "in:u out:y");
    test_ssd_connect(&ssd, "a.y", "b.u");
    test_ssd_write(&ssd, box, "g.ssd", 0, 1, NULL);
}

static void components_of_equal_steps_are_warned_of(void **state)
{
    test_sandbox *box = *state;
    write_gains(box, "Gain", "FixedStep");
    test_run(box, "run", "g.ssd", "-o", "g.csv", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "component 'b' takes only steps of equal size, so the error of the "
                              "coupling is not controlled");
    test_run(box, "run", "g.ssd", "-o", "g.csv", "--strict", NULL);
    assert_int_not_equal(box->exit_code, 0);
    assert_contains(box->err, "takes only steps of equal size");
}

static void a_step_size_is_no_reason_for_a_warning(void **state)
{
    test_sandbox *box = *state;
    write_gains(box, "Gain", "FixedStep");
    test_run(box, "run", "g.ssd", "-o", "g.csv", "--step-size", "0.1", "--strict", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->err, "");
}

static void components_without_rewinding_are_led_as_well_as_possible(void **state)
{
    test_sandbox *box = *state;
    write_gains(box, "Gain", "NoRewind");
    test_run(box, "run", "g.ssd", "-o", "g.csv", "--stats", "stats.json", NULL);
    assert_exit(box, 0);
    assert_near(number_of(box, "rejected"), 0, 0);
    assert_null(strstr(box->err, "rows lie"));
    test_run(box, "run", "g.ssd", "-o", "g.csv", "--algorithm", "seidel", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "component 'b' cannot be rewound");
    // Where rows are wanted on a grid, it is told that they are not.
    static const char rows[] = "rows lie at the first communication point after each point of the "
                               "output grid, as component 'b' cannot be rewound";
    test_run(box, "run", "g.ssd", "-o", "g.csv", "--output-interval", "0.1", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, rows);
    test_run(box, "run", "g.ssd", "-o", "g.csv", "--output-interval", "0.1", "--output-grid",
             "exact", NULL);
    assert_exit(box, 0);
    assert_null(strstr(box->err, rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(math003_needs_a_tenth_of_the_papers_calls),
        test_in_sandbox(populations_keep_error_and_calls),
        test_in_sandbox(masses_keep_the_error_whatever_is_held),
        test_in_sandbox(a_loop_that_begins_at_zero_needs_no_tiny_steps),
        test_in_sandbox(trials_make_no_steps_that_are_unusually_long),
        test_in_sandbox(nothing_set_is_right_without_a_word),
        test_in_sandbox(a_step_size_alone_means_fixed_steps),
        test_in_sandbox(an_algorithm_alone_means_step_doubling),
        test_in_sandbox(components_of_equal_steps_are_warned_of),
        test_in_sandbox(a_step_size_is_no_reason_for_a_warning),
        test_in_sandbox(components_without_rewinding_are_led_as_well_as_possible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
