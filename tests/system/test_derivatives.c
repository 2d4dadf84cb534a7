// SPDX-License-Identifier: MIT
// Inputs that change within a step, with FMUs of FMI 1.0, 2.0 and 3.0: two halves of a swing,
// a' = -b and b' = a, which are cos t and sin t.
#include "support/results.h"
#include "support/ssd.h"
#include "support/statistics.h"

static const char *const versions[] = {"Swing_fmi1", "Swing", "Swing_fmi3"};

static void write_swing(test_sandbox *box, const char *a, const char *b)
{
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "a", a, "in:u out:y out:n_asked:Integer");
    test_ssd_component(&ssd, "b", b, "in:u out:y out:n_asked:Integer");
    test_ssd_connect(&ssd, "a.y", "b.u");
    test_ssd_connect(&ssd, "b.y", "a.u");
    test_ssd_write(&ssd, box, "swing.ssd", 0, 1, NULL);
}

#define RUN(box, ...)                                                                              \
    test_run(box, "run", "swing.ssd", "-q", "--set", "a.k=-1", "--set", "a.y0=1", "--stats",       \
             "stats.json", __VA_ARGS__, NULL)

static double error_of(test_sandbox *box, const char *algorithm, const char *derivatives,
                       const char *step)
{
    RUN(box, "--algorithm", algorithm, "--input-derivatives", derivatives, "--step-size", step,
        "--iterations", "100", "--relative-tolerance", "1e-12", "--absolute-tolerance", "1e-12");
    assert_exit(box, 0);
    test_results results;
    test_results_read(&results, box, "swing.csv");
    int last = results.n_rows - 1;
    double error = fabs(test_result(&results, last, "a.y") - cos(1)) +
                   fabs(test_result(&results, last, "b.y") - sin(1));
    test_results_clear(&results);
    return error;
}

static void assert_order(test_sandbox *box, const char *algorithm, const char *derivatives,
                         double factor)
{
    double coarse = error_of(box, algorithm, derivatives, "0.05");
    double fine = error_of(box, algorithm, derivatives, "0.025");
    assert_near(coarse / fine, factor, 0.1 * factor);
}

static void every_version_reaches_the_second_order(void **state)
{
    test_sandbox *box = *state;
    for (int i = 0; i < 3; i++) {
        write_swing(box, versions[i], versions[i]);
        for (int k = 0; k < 2; k++) {
            const char *algorithm = k ? "seidel" : "jacobi";
            assert_order(box, algorithm, "off", 2);
            assert_order(box, algorithm, "fmu", 4);
            assert_order(box, algorithm, "estimate", 4);
        }
    }
}

static void loops_that_iterate_do_so_as_well(void **state)
{
    test_sandbox *box = *state;
    for (int i = 1; i < 3; i++) {
        write_swing(box, versions[i], versions[3 - i]);
        assert_order(box, "fixed-point", "off", 2);
        assert_order(box, "fixed-point", "fmu", 4);
        assert_order(box, "newton", "fmu", 4);
    }
}

static char *results_of(test_sandbox *box, const char *a, const char *b, const char *algorithm,
                        const char *control)
{
    write_swing(box, a, b);
    RUN(box, "--algorithm", algorithm, "--step-size", "0.1", "--step-control", control,
        "--relative-tolerance", "1e-5");
    assert_exit(box, 0);
    return test_read_file(box, "swing.csv", NULL);
}

// Also with steps that are rejected and repeated, and with the two halves of the error test.
static void versions_agree_to_the_last_bit(void **state)
{
    test_sandbox *box = *state;
    const struct {
        const char *algorithm, *control;
        int first; // version that can do it
    } ways[] = {{"jacobi", "fixed", 0},
                {"seidel", "fixed", 0},
                {"seidel", "richardson", 1},
                {"jacobi", "richardson", 1},
                {"newton", "richardson", 1}};
    for (size_t w = 0; w < sizeof ways / sizeof *ways; w++) {
        char *expected = results_of(box, "Swing", "Swing", ways[w].algorithm, ways[w].control);
        for (int i = ways[w].first; i < 3; i++)
            for (int k = ways[w].first; k < 3; k++) {
                char *other =
                    results_of(box, versions[i], versions[k], ways[w].algorithm, ways[w].control);
                assert_string_equal(other, expected);
                free(other);
            }
        free(expected);
    }
}

static double count_sets(test_sandbox *box, const char *derivatives)
{
    RUN(box, "--algorithm", "jacobi", "--step-size", "0.1", "--input-derivatives", derivatives);
    assert_exit(box, 0);
    json_t *stats = test_statistics_read(box, "stats.json");
    double n = test_number(stats, "instances/a/set/count");
    json_decref(stats);
    return n;
}

// Derivatives count as calls that set and get, besides those of the initialization and of ten steps. In
// each step Simpson's rule asks for three inputs.
static void calls_are_counted(void **state)
{
    test_sandbox *box = *state;
    for (int i = 0; i < 3; i++) {
        write_swing(box, versions[i], versions[i]);
        double n = count_sets(box, "off");
        assert_true(n >= 11);
        assert_near(count_sets(box, "fmu"), n + 10, 0);
        test_results results;
        test_results_read(&results, box, "swing.csv");
        assert_near(test_result(&results, 10, "a.n_asked"), 30, 0);
        test_results_clear(&results);
    }
}

static void wrong_derivatives_are_told(void **state)
{
    test_sandbox *box = *state;
    const char *const functions[] = {"fmiGetRealOutputDerivatives", "fmi2GetRealOutputDerivatives",
                                     "fmi3GetOutputDerivatives"};
    for (int i = 0; i < 3; i++) {
        char message[300];
        write_swing(box, versions[i], versions[i]);
        RUN(box, "--algorithm", "jacobi", "--step-size", "0.1", "--set", "b.fault=1");
        snprintf(message, sizeof message, "instance 'b' at t=0 s: %s of 'y' failed (status error)",
                 functions[i]);
        assert_exit(box, 1);
        assert_contains(box->err, message);
        assert_contains(box->err, "no derivative today");
        RUN(box, "--algorithm", "jacobi", "--step-size", "0.1", "--set", "b.fault=2");
        assert_one_error(box, 1,
                         "instance 'b' at t=0 s: the derivative of variable 'y' by time is not a "
                         "number");
        assert_contains(box->err, "--input-derivatives off does without it");
        RUN(box, "--algorithm", "jacobi", "--step-size", "0.1", "--set", "b.fault=2",
            "--input-derivatives", "off");
        assert_exit(box, 0);
    }
}

// u is 2 t up to 0.55, jumps there to 4, and falls to 0 at 1: its integral is 0.55^2 + 0.45 * 2.
static void tables_tell_their_slopes(void **state)
{
    test_sandbox *box = *state;
    test_link(box, "fmus", TEST_FMUS);
    test_write_text(box, "u.csv", "time,u\n0,0\n0.55,1.1\n0.55,4\n1,0\n");
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            char fmu[100];
            snprintf(fmu, sizeof fmu, "fmus/%s.fmu", versions[i]);
            test_run(box, "run", fmu, "-q", "--input-file", "u.csv", "--stop-time", "1",
                     "--step-size", "0.25", "--algorithm", k ? "seidel" : "jacobi", "-o", "y.csv",
                     NULL);
            assert_exit(box, 0);
            test_results results;
            test_results_read(&results, box, "y.csv");
            assert_near(test_result(&results, results.n_rows - 1, results.names[1]),
                        0.55 * 0.55 + 0.45 * 2, 1e-12);
            test_results_clear(&results);
        }
}

// x' = u - x with u = 2 t, so that x = 2 (t - 1 + exp(-t)); steps of 0.25 s, integrated by the kit to 1e-6.
static void fmus_of_the_kit_follow_tables(void **state)
{
    test_sandbox *box = *state;
    test_link(box, "fmus", TEST_FMUS);
    test_write_text(box, "u.csv", "time,u\n0,0\n1,2\n");
    static const struct {
        const char *fmu;
        double least, most; // error
    } cases[] = {{"fmus/Lag_fmi1.fmu", 0, 1e-6},
                 {"fmus/Lag.fmu", 0, 1e-6},
                 {"fmus/Lag_fmi3.fmu", 0, 1e-6},
                 {"fmus/LagHeld.fmu", 0.1, 0.2},
                 {"fmus/LagHeld_fmi3.fmu", 0.1, 0.2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        test_run(box, "run", cases[i].fmu, "-q", "--input-file", "u.csv", "--stop-time", "1",
                 "--step-size", "0.25", "--algorithm", "jacobi", "-o", "x.csv", NULL);
        assert_exit(box, 0);
        test_results results;
        test_results_read(&results, box, "x.csv");
        double x = test_result(&results, results.n_rows - 1, results.names[1]);
        double error = fabs(x - 2 * exp(-1));
        if (!(error >= cases[i].least && error <= cases[i].most))
            fail_msg("%s: error %g", cases[i].fmu, error);
        test_results_clear(&results);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(every_version_reaches_the_second_order),
        test_in_sandbox(loops_that_iterate_do_so_as_well),
        test_in_sandbox(versions_agree_to_the_last_bit),
        test_in_sandbox(calls_are_counted),
        test_in_sandbox(wrong_derivatives_are_told),
        test_in_sandbox(tables_tell_their_slopes),
        test_in_sandbox(fmus_of_the_kit_follow_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
