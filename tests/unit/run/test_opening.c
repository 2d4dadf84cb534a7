// SPDX-License-Identifier: MIT
// Feedthrough that opens only later: a valve behind a state lets its input through once that is large enough, which no
// trial at the beginning can see. What results is compared with the equations solved as a whole.
#include "unit/run/models.h"

static test_coupling c;

static struct {
    double k, g, limit; // of the valve, of the way back, where the valve opens
    double base, swing, rate; // of the drive
} p;

// x' = u - x, y = x + k max(0, u - limit); nobody says what y depends on.
enum { U, Y, X };
static const test_variable valve_variables[] = {{"u", TAKT_INPUT, .start = "0"},
                                                {"y", TAKT_OUTPUT, .depends = NULL},
                                                {"x", TAKT_OUTPUT, .depends = ""},
                                                {0}};
static void valve_output(test_instance *at)
{
    at->real[X] = at->state[0];
    at->real[Y] = at->state[0] + p.k * fmax(0, at->real[U] - p.limit);
}
static void valve_step(test_instance *at, double t, double h)
{
    enum { N = 50 };
    for (int i = 0; i < N; i++) {
        double goal = test_input_at(at, U, t + (i + 0.5) * h / N);
        at->state[0] = goal + (at->state[0] - goal) * exp(-h / N);
    }
}

// y = g u + base + swing sin(rate t)
static const test_variable drive_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, .depends = "u"}, {0}};
static double drive_at(double t)
{
    return p.base + p.swing * sin(p.rate * t);
}
static void drive_output(test_instance *at)
{
    at->real[1] = p.g * at->real[0] + drive_at(at->time);
}

// clang-format off
#define VALVE {"Valve", valve_variables, .output = valve_output, .step = valve_step, \
               .can = {.rewind = true, .variable_step = true, .interpolate_inputs = true}}
#define DRIVE {"Drive", drive_variables, .output = drive_output, REWINDS}
// clang-format on

// The input of the valve at x and t.
static double input_of(double x, double t)
{
    double shut = p.g * x + drive_at(t);
    return shut <= p.limit ? shut : (shut - p.g * p.k * p.limit) / (1 - p.g * p.k);
}

static double slope(double x, double t)
{
    return input_of(x, t) - x;
}

// The largest difference of x and of the valve's input from a solution by Runge's method.
static double error_of_run(void)
{
    double x = 0, t = 0, h = 1e-3, largest = 0;
    for (int i = 0; i < c.n_rows; i++) {
        while (t < c.time[i] - 1e-9) {
            double k1 = slope(x, t), k2 = slope(x + h / 2 * k1, t + h / 2);
            double k3 = slope(x + h / 2 * k2, t + h / 2), k4 = slope(x + h * k3, t + h);
            x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
            t += h;
        }
        largest = fmax(largest, fabs(test_value(&c, "v.x", i) - x));
        largest = fmax(largest, fabs(test_value(&c, "d.y", i) - input_of(x, t)));
    }
    return largest;
}

static double uniform(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) / 9007199254740992.0;
}

static void draw(int i)
{
    uint64_t seed = 77 + (uint64_t)i;
    for (int k = 0; k < 5; k++) uniform(&seed);
    do {
        p.k = 4 * uniform(&seed);
        p.g = 2 * uniform(&seed) - 1.5;
    } while (p.k * p.g > 0.7 || p.k * p.g < -3);
    p.limit = 0.5 + uniform(&seed);
    p.base = 0.3 * uniform(&seed);
    p.swing = 1 + 2 * uniform(&seed);
    p.rate = 0.3 + uniform(&seed);
}

static int64_t n_doubts(void)
{
    int64_t n = takt_log_count_doubts(c.system.system->log);
    for (int k = 0; k < TAKT_N_DOUBTS; k++) n += c.run->counts.doubts[k].n;
    return n;
}

static void run(const char *settings)
{
    static test_model models[] = {VALVE, DRIVE, {0}};
    test_try_couple(&c, models, "v:Valve d:Drive", "d.y>v.u v.y>d.u", settings);
    if (!c.status) test_try_run_all(&c);
}

static void try_all(const char *settings, double bound)
{
    for (int i = 0; i < 12; i++) {
        draw(i);
        run(settings);
        double error = c.status ? 0 : error_of_run();
        if (error > bound && n_doubts() == 0)
            fail_msg("%s, system %d: error %g without a word", settings, i, error);
        test_uncouple(&c);
    }
}

static void steps_to_a_tolerance_are_right_or_doubted(void **state)
{
    (void)state;
    try_all("stop-time=10 output-interval=0.5 tolerance=1e-4", 1e-3);
}

// Their own errors are up to 2e-3.
static void fixed_steps_are_right_or_doubted(void **state)
{
    (void)state;
    try_all("stop-time=10 output-interval=0.5 step-size=0.01", 1e-2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_to_a_tolerance_are_right_or_doubted),
        cmocka_unit_test(fixed_steps_are_right_or_doubted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
