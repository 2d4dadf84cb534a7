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

// ---- switches ----------------------------------------------------------------------------------------

// A switch that looks at cos(W t) drives a slow lag Y and a fast one, F; another one looks at a slow lag, X, and drives it.
static void write_switches(test_sandbox *box, const char *lag, const char *hysteresis,
                           const char *settings)
{
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "A", "Swing", "in:u out:y parameter:k parameter:y0");
    test_ssd_component(&ssd, "B", "Swing", "in:u out:y parameter:k");
    test_ssd_component(&ssd, "H", hysteresis, "in:x out:u");
    test_ssd_component(&ssd, "K", hysteresis, "in:x out:u parameter:hi parameter:lo");
    test_ssd_component(&ssd, "X", lag, "in:u out:x parameter:T");
    test_ssd_component(&ssd, "Y", lag, "in:u out:x parameter:T");
    test_ssd_component(&ssd, "F", lag, "in:u out:x parameter:T");
    test_ssd_connect(&ssd, "A.y", "B.u");
    test_ssd_connect(&ssd, "B.y", "A.u");
    test_ssd_connect(&ssd, "H.u", "X.u");
    test_ssd_connect(&ssd, "X.x", "H.x");
    test_ssd_connect(&ssd, "A.y", "K.x");
    test_ssd_connect(&ssd, "K.u", "Y.u");
    test_ssd_connect(&ssd, "K.u", "F.u");
    test_ssd_write(&ssd, box, "s.ssd", 0, 20.3, settings);
}

/// A lag whose input changes between 0 and 1.
typedef struct switched {
    double time_constant, t, x, u;
} switched;

static void let_pass(switched *at, double t)
{
    at->x = at->u + (at->x - at->u) * exp(-(t - at->t) / at->time_constant);
    at->t = t;
}

// K is off at once (cos 0 > 0.5), then on where the cosine falls below -0.5, off where it rises above 0.5.
static void follow_cosine(switched *at, double t)
{
    for (int n = 0;; n++) {
        double next = (n % 2 ? 5 : 2) * acos(-1) / 3 / W + n / 2 * 2 * acos(-1) / W;
        if (next > t) break;
        if (next <= at->t) continue;
        let_pass(at, next);
        at->u = n % 2 == 0;
    }
    let_pass(at, t);
}

// H is on below 0.4, off above 0.6.
static void follow_itself(switched *at, double t)
{
    for (;;) {
        double bound = at->u > 0.5 ? 0.6 : 0.4;
        double next = at->t + at->time_constant * log((at->u - at->x) / (at->u - bound));
        if (next > t) break;
        *at = (switched){at->time_constant, next, bound, 1 - at->u};
    }
    let_pass(at, t);
}

static double switched_error(test_sandbox *box, bool is_on_grid, double interval)
{
    test_results r;
    test_results_read(&r, box, "s.csv");
    switched x = {10, 0, 0, 1}, y = {50, 0, 0.5, 0}, f = {0.3, 0, 0.5, 0};
    double error = 0;
    int n_grid = 0;
    for (int i = 0; i < r.n_rows; i++) {
        double t = test_result_time(&r, i);
        follow_itself(&x, t), follow_cosine(&y, t), follow_cosine(&f, t);
        error = fmax(error, fabs(test_result(&r, i, "A.y") - cos(W * t)));
        error = fmax(error, fabs(test_result(&r, i, "X.x") - x.x) / 0.6);
        error = fmax(error, fabs(test_result(&r, i, "Y.x") - y.x) / 0.5);
        error = fmax(error, fabs(test_result(&r, i, "F.x") - f.x));
        n_grid += fabs(t - n_grid * interval) < 1e-9;
    }
    if (is_on_grid) assert_int_equal(n_grid, (int)(20.3 / interval + 1 + 1e-9));
    test_results_clear(&r);
    return error;
}

// Given sizes, jumps of slow and fast components, the first of them at the very beginning, and rows of all kinds. --strict:
// nothing is doubtful.
static void given_sizes_work_with_jumps_and_any_rows(void **state)
{
    test_sandbox *box = *state;
    static const struct {
        const char *lag, *hysteresis, *settings;
        double interval; // 0: rows are not on a grid
    } cases[] = {
        {"Lag", "Hysteresis", "output-interval=\"0.1\" output-grid=\"exact\"", 0.1},
        {"LagHeld", "HysteresisHeld", "output-interval=\"0.1\" output-grid=\"exact\"", 0.1},
        {"Lag_fmi3", "Hysteresis_fmi3", "output-interval=\"0.07\"", 0.07},
        {"LagHeld_fmi3", "HysteresisHeld_fmi3", "output-interval=\"0\"", 0},
        {"Lag", "HysteresisHeld", "output-interval=\"0.3\" event-time=\"7.2 7.3\"", 0.3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_switches(box, cases[i].lag, cases[i].hysteresis, cases[i].settings);
        test_run(box, "run", "s.ssd", "-q", "--tolerance", "1e-4", "-o", "s.csv", "--strict",
                 "--set", "A.k=-5", "--set", "A.y0=1", "--set", "B.k=5", "--set", "K.hi=0.5",
                 "--set", "K.lo=-0.5", "--set", "X.T=10", "--set", "Y.T=50", "--set", "Y.x=0.5",
                 "--set", "F.T=0.3", "--set", "F.x=0.5", "--step-size-of", "Y=1", "--step-size-of",
                 "X=0.7", NULL);
        assert_exit(box, 0);
        double error = switched_error(box, cases[i].interval > 0, cases[i].interval);
        if (error > 6e-4) print_error("%s, %s: %g\n", cases[i].lag, cases[i].settings, error);
        assert_true(error <= 6e-4);
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
        test_in_sandbox(given_sizes_work_with_jumps_and_any_rows),
        test_in_sandbox(the_log_and_the_step_log_say_who_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
