// SPDX-License-Identifier: MIT
// Components with different rates through `takt run`, with FMUs that follow their inputs and that hold them: slow ones
// take longer steps, by themselves and where the user says how long; results against exact solutions.
#include "support/results.h"
#include "support/ssd.h"
#include "support/statistics.h"

static const double STOP = 60.5, W = 5, RATE = 1 / 50.0, GAIN = 1e-4;

// a = cos(W t), b = sin(W t) are fast; y' = RATE (GAIN a - y) and x' = RATE (y - x) are slow.
static void write_system(test_sandbox *box, const char *lag, const char *settings)
{
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "A", "Swing", "in:u out:y parameter:k parameter:y0");
    test_ssd_component(&ssd, "B", "Swing", "in:u out:y parameter:k");
    test_ssd_component(&ssd, "Small", "Affine", "in:u out:y parameter:k");
    test_ssd_component(&ssd, "Y", lag, "in:u out:x parameter:T");
    test_ssd_component(&ssd, "X", lag, "in:u out:x parameter:T");
    test_ssd_connect(&ssd, "B.y", "A.u");
    test_ssd_connect(&ssd, "A.y", "B.u");
    test_ssd_connect(&ssd, "A.y", "Small.u");
    test_ssd_connect(&ssd, "Small.y", "Y.u");
    test_ssd_connect(&ssd, "Y.x", "X.u");
    test_ssd_write(&ssd, box, "r.ssd", 0, STOP, settings);
}

static double y_of(double t)
{
    double size = GAIN * RATE / (RATE * RATE + W * W);
    return (0.5 - size * RATE) * exp(-RATE * t) + size * (RATE * cos(W * t) + W * sin(W * t));
}

// x from t to t + h: Simpson's rule for the integral with the exponential.
static double go_on(double x, double t, double h)
{
    int n = 2 * (1 + (int)ceil(h / 0.01));
    double sum = 0;
    for (int i = 0; i <= n; i++) {
        double s = h * i / n, weight = i == 0 || i == n ? 1 : i % 2 ? 4 : 2;
        sum += weight * exp(-RATE * (h - s)) * RATE * y_of(t + s);
    }
    return x * exp(-RATE * h) + sum * h / n / 3;
}

static double error_of(test_sandbox *box)
{
    test_results r;
    test_results_read(&r, box, "r.csv");
    double error = 0, x = 1, t = 0;
    assert_near(test_result_time(&r, r.n_rows - 1), STOP, 1e-9);
    for (int i = 0; i < r.n_rows; i++) {
        double now = test_result_time(&r, i);
        x = go_on(x, t, now - t);
        t = now;
        error = fmax(error, fabs(test_result(&r, i, "A.y") - cos(W * t)));
        error = fmax(error, fabs(test_result(&r, i, "Y.x") - y_of(t)) / 0.5);
        error = fmax(error, fabs(test_result(&r, i, "X.x") - x));
    }
    test_results_clear(&r);
    return error;
}

static double calls_of(test_sandbox *box, const char *name)
{
    char path[100];
    snprintf(path, sizeof path, "instances/%s/do_step/count", name);
    json_t *s = test_statistics_read(box, "stats.json");
    double number = test_number(s, path);
    json_decref(s);
    return number;
}

static void run_system(test_sandbox *box, const char *const *more)
{
    const char *none = NULL;
    if (!more) more = &none;
    test_run(box, "run", "r.ssd", "-q", "--tolerance", "1e-4", "--stats", "stats.json", "-o",
             "r.csv", "--strict", "--set", "A.k=-5", "--set", "A.y0=1", "--set", "B.k=5", "--set",
             "Small.k=0.0001", "--set", "Y.T=50", "--set", "X.T=50", "--set", "Y.x=0.5", "--set",
             "X.x=1", more[0], more[0] ? more[1] : NULL, NULL);
    assert_exit(box, 0);
}

static void slow_components_take_longer_steps_by_themselves(void **state)
{
    test_sandbox *box = *state;
    static const char *const lags[] = {"Lag", "Lag_fmi3", "LagHeld"};
    for (int i = 0; i < 3; i++) {
        write_system(box, lags[i], "same-steps=\"true\"");
        run_system(box, NULL);
        double fast = calls_of(box, "A"), slow = calls_of(box, "X");
        write_system(box, lags[i], NULL);
        run_system(box, NULL);
        if (error_of(box) > 10e-4 || 5 * calls_of(box, "X") > slow)
            print_error("%s: error %g, steps %g (%g), %g (%g)\n", lags[i], error_of(box),
                        calls_of(box, "A"), fast, calls_of(box, "X"), slow);
        assert_true(error_of(box) <= 10e-4);
        assert_true(calls_of(box, "A") <= 1.2 * fast);
        assert_true(5 * calls_of(box, "X") <= slow && 5 * calls_of(box, "Y") <= slow);
    }
}

// The stop time is no multiple of the size, and rows lie between its multiples.
static void given_sizes_work_with_any_rows(void **state)
{
    test_sandbox *box = *state;
    static const char *const rows[] = {"output-interval=\"0.1\" output-grid=\"exact\"",
                                       "output-interval=\"0.07\"", "output-interval=\"0\"",
                                       "output-interval=\"0.3\" event-time=\"20.2 20.3\""};
    for (int i = 0; i < 4; i++) {
        write_system(box, i % 2 ? "LagHeld" : "Lag", rows[i]);
        run_system(box, (const char *const[]){"--step-size-of", "?=1"});
        assert_true(error_of(box) <= 10e-4);
        assert_true(calls_of(box, "X") >= STOP && 5 * calls_of(box, "X") <= calls_of(box, "A"));
    }
}

static void the_log_and_the_step_log_say_who_waits(void **state)
{
    test_sandbox *box = *state;
    write_system(box, "Lag", NULL);
    run_system(box, (const char *const[]){"--step-log", "steps.csv"});
    char *log = test_read_file(box, "steps.csv", NULL);
    assert_non_null(strstr(log, "slow components, one step"));
    free(log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(slow_components_take_longer_steps_by_themselves),
        test_in_sandbox(given_sizes_work_with_any_rows),
        test_in_sandbox(the_log_and_the_step_log_say_who_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
