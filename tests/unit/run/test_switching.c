// SPDX-License-Identifier: MIT
// The control loop of the papers (Math003) with other times and limits: signals that switch at times, a controller
// without memory, and an integrator; all jumps are found with few calls.
#include "run/auto.h"
#include "unit/run/models.h"

static test_coupling c;

/// x1 is 1 from t[0] to t[1] and from t[4] on, x2 from t[2] to t[3] and from t[5] on.
typedef struct control {
    double t[6], limit; ///< of x4, up and down
} control;

static const test_variable signal_variables[] = {
    {"x1", TAKT_OUTPUT, .depends = ""}, {"x2", TAKT_OUTPUT, .depends = ""}, {0}};
static void signal_output(test_instance *at)
{
    const control *all = at->model->context;
    double t = at->time;
    at->real[0] = t < all->t[0] || (t >= all->t[1] && t < all->t[4]) ? 0 : 1;
    at->real[1] = t < all->t[2] || (t >= all->t[3] && t < all->t[5]) ? 0 : 1;
}

static const test_variable controller_variables[] = {{"x1", TAKT_INPUT, .start = "0"},
                                                     {"x2", TAKT_INPUT, .start = "0"},
                                                     {"x4", TAKT_INPUT, .start = "0"},
                                                     {"x3", TAKT_OUTPUT, .depends = "x1 x2 x4"},
                                                     {0}};
static void controller_output(test_instance *at)
{
    const control *all = at->model->context;
    const double *x = at->real;
    bool is_up = x[0] > 0.999 && x[1] < 0.01 && x[2] < all->limit;
    bool is_down = x[0] < 0.001 && x[1] > 0 && x[2] > -all->limit;
    at->real[3] = is_up ? 3 : is_down ? -3 : 0;
}

// x4' = 2 x3
static const test_variable plant_variables[] = {
    {"x3", TAKT_INPUT, .start = "0"}, {"x4", TAKT_OUTPUT, .depends = ""}, {0}};
static void plant_output(test_instance *at)
{
    at->real[1] = at->state[0];
}
static void plant_step(test_instance *at, double t, double h)
{
    (void)t;
    at->state[0] += 2 * h * at->real[0];
}

// Moves by 6 per second towards a goal, and stays there.
static double go(double x, double goal, double length)
{
    return goal > x ? fmin(goal, x + 6 * length) : fmax(goal, x - 6 * length);
}

// In [t0, t1) up, in [t2, t3) down, in [t4, t5) up.
static double x4_of(const control *all, double t)
{
    double x = 0;
    for (int i = 0; i < 6 && t > all->t[i]; i += 2) {
        double goal = i == 2 ? -all->limit : all->limit;
        x = go(x, goal, fmin(t, all->t[i + 1]) - all->t[i]);
    }
    return x;
}

static double largest_error(const control *all)
{
    double error = 0;
    for (int i = 0; i < c.n_rows; i++)
        error = fmax(error, fabs(test_value(&c, "p.x4", i) - x4_of(all, c.time[i])));
    return error;
}

// Calls of all instances together.
static int64_t run_control(control *all)
{
    test_model models[] = {
        {"Signal", signal_variables, .output = signal_output, .context = all, REWINDS},
        {"Controller", controller_variables, .output = controller_output, .context = all, REWINDS},
        {"Plant", plant_variables, .output = plant_output, .step = plant_step, REWINDS},
        {0}};
    test_couple(&c, models, "s:Signal c:Controller p:Plant",
                "s.x1>c.x1 s.x2>c.x2 c.x3>p.x3 p.x4>c.x4",
                "stop-time=10 step-size=0.1 step-max=0.14 tolerance=1e-6 output-interval=0 "
                "strict=true"); // the first step is that of the example
    test_run_all(&c);
    takt_statistics statistics = {.size = sizeof statistics};
    takt_run_statistics(c.run, &statistics, NULL);
    assert_near(largest_error(all), 0, 2e-6 * all->limit); // as 5e-6 with the papers' limit
    test_uncouple(&c);
    return statistics.do_step_total;
}

static void the_papers_control_loop_needs_450_calls(void **state)
{
    (void)state;
    control papers = {{1, 2, 3, 4, 5, 6}, 2.5};
    assert_true(run_control(&papers) <= 450);
}

static uint64_t seed = 12345;
static double uniform(double from, double to)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return from + (to - from) * (double)(seed >> 11) / 9007199254740992.0;
}

// An interval between times is long enough to reach the limit, or not.
static void other_times_and_limits_need_480_calls_on_average(void **state)
{
    (void)state;
    int64_t sum = 0;
    for (int i = 0; i < 20; i++) {
        control all = {.limit = uniform(1, 4)};
        double t = 0;
        for (int k = 0; k < 6; k++) all.t[k] = t += uniform(0.3, 1.6);
        int64_t calls = run_control(&all);
        sum += calls;
    }
    if (sum > 20 * 480) print_error("%g calls on average\n", (double)sum / 20);
    assert_true(sum <= 20 * 480);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_papers_control_loop_needs_450_calls),
        cmocka_unit_test(other_times_and_limits_need_480_calls_on_average),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
