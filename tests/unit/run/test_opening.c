// SPDX-License-Identifier: MIT
// Feedthrough that opens only later: a valve behind a state lets its input through once that is large enough, which no
// trial at the beginning can see. What results is compared with the equations solved as a whole.
#include "unit/run/models.h"

enum { N_SYSTEMS = 120 };

static test_coupling c;

static struct {
    double k, g, limit; // of the valve, of the way back, where the valve opens
    double base, swing, rate; // of the drive
} p;

// ---- members ---------------------------------------------------------------------------------------

// x' = u - x, y = x + k max(0, u - limit); nobody says what y depends on.
enum { U, Y, X };
static const test_variable valve_variables[] = {{"u", TAKT_INPUT, .start = "0"},
                                                {"y", TAKT_OUTPUT, .depends = NULL},
                                                {"x", TAKT_OUTPUT, .depends = ""},
                                                {0}};
static double valve_at(const test_instance *at)
{
    return at->state[0] + p.k * fmax(0, at->real[U] - p.limit);
}
static void valve_output(test_instance *at)
{
    at->real[X] = at->state[0];
    at->real[Y] = valve_at(at);
}
static void valve_step(test_instance *at, double t, double h)
{
    enum { N = 50 };
    for (int i = 0; i < N; i++) {
        double goal = test_input_at(at, U, t + (i + 0.5) * h / N);
        at->state[0] = goal + (at->state[0] - goal) * exp(-h / N);
    }
    at->state[2] = test_input_at(at, U, t + h);
}

// Its outputs are computed only when it steps, as with many FMUs.
static void lazy_output(test_instance *at)
{
    at->real[X] = at->state[0];
    at->real[Y] = at->state[0] + p.k * fmax(0, at->state[2] - p.limit);
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

// The same, told.
static const test_variable told_variables[] = {{"u", TAKT_INPUT, .start = "0"},
                                               {"y", TAKT_OUTPUT, .depends = ""},
                                               {"x", TAKT_OUTPUT, .depends = ""},
                                               {0}};

#define STEPS_FREELY .rewind = true, .variable_step = true

static test_model models[] = {
    {"Valve", valve_variables, .output = valve_output, .step = valve_step,
     .can = {STEPS_FREELY, .interpolate_inputs = true}},
    {"Holding", valve_variables, .output = valve_output, .step = valve_step, .can = {STEPS_FREELY}},
    {"Lazy", valve_variables, .output = lazy_output, .step = valve_step,
     .can = {STEPS_FREELY, .interpolate_inputs = true}},
    {"Final", valve_variables, .output = valve_output, .step = valve_step,
     .can = {.variable_step = true, .interpolate_inputs = true}},
    {"Told", told_variables, .output = valve_output, .step = valve_step,
     .can = {STEPS_FREELY, .interpolate_inputs = true}},
    {"Drive", drive_variables, .output = drive_output, .can = {STEPS_FREELY}},
    {0}};

// ---- the whole -------------------------------------------------------------------------------------

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

// The largest difference of x and of the valve's input from a solution by Runge's method, relative to the largest value.
static double error_of_run(void)
{
    double x = 0, t = 0, h = 1e-3, largest = 0, scale = 1;
    for (int i = 0; i < c.n_rows; i++) {
        while (t < c.time[i] - 1e-9) {
            double k1 = slope(x, t), k2 = slope(x + h / 2 * k1, t + h / 2);
            double k3 = slope(x + h / 2 * k2, t + h / 2), k4 = slope(x + h * k3, t + h);
            x += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
            t += h;
        }
        scale = fmax(scale, fmax(fabs(x), fabs(input_of(x, t))));
        largest = fmax(largest, fabs(test_value(&c, "v.x", i) - x));
        largest = fmax(largest, fabs(test_value(&c, "d.y", i) - input_of(x, t)));
    }
    return largest / scale;
}

// ---- chance ----------------------------------------------------------------------------------------

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

typedef struct tally {
    int n_right, n_doubted, n_wrong, n_failed;
} tally;

// Only whoever is silent must be right.
static tally try_all(const char *valve, const char *settings, double bound)
{
    tally sum = {0};
    char components[40];
    snprintf(components, sizeof components, "v:%s d:Drive", valve);
    for (int i = 0; i < N_SYSTEMS; i++) {
        draw(i);
        test_try_couple(&c, models, components, "d.y>v.u v.y>d.u", settings);
        if (!c.status) test_try_run_all(&c);
        bool is_silent = !c.status && test_count_doubts(&c) == 0;
        double error = c.status ? INFINITY : error_of_run();
        sum.n_failed += c.status != TAKT_OK;
        sum.n_doubted += !c.status && !is_silent;
        sum.n_right += is_silent && error <= bound;
        sum.n_wrong += is_silent && error > bound;
        test_uncouple(&c);
    }
    print_message("%s, %s: %d right, %d doubted, %d failed, %d wrong\n", valve, settings,
                  sum.n_right, sum.n_doubted, sum.n_failed, sum.n_wrong);
    return sum;
}

#define LENGTH "stop-time=10 output-interval=0.5 "

static void steps_to_a_tolerance_are_right_or_doubted(void **state)
{
    (void)state;
    static const char *const valves[] = {"Valve", "Holding", "Lazy", "Final"};
    for (int i = 0; i < 4; i++) {
        tally sum = try_all(valves[i], LENGTH "tolerance=1e-4", 1e-3);
        assert_int_equal(sum.n_wrong, 0);
        if (i < 2) assert_int_equal(sum.n_failed, 0);
        if (i == 0) assert_true(sum.n_right >= 100);
    }
}

// The errors of the steps themselves are up to 2e-3.
static void fixed_steps_by_prediction_solve_a_loop_that_opens(void **state)
{
    (void)state;
    tally sum = try_all("Valve", LENGTH "step-size=0.01", 1e-2);
    assert_int_equal(sum.n_right, N_SYSTEMS);
    sum = try_all("Holding", LENGTH "step-size=0.01", 1e-2);
    assert_int_equal(sum.n_right, N_SYSTEMS);
}

static void loops_that_cannot_be_rewound_are_doubted(void **state)
{
    (void)state;
    assert_int_equal(try_all("Final", LENGTH "step-size=0.01", 1e-2).n_wrong, 0);
}

static void fixed_steps_without_reaction_are_right_or_doubted(void **state)
{
    (void)state;
    assert_int_equal(try_all("Lazy", LENGTH "step-size=0.01", 1e-2).n_wrong, 0);
}

static void one_pass_doubts_a_loop_that_opens(void **state)
{
    (void)state;
    assert_int_equal(try_all("Valve", LENGTH "step-size=0.01 algorithm=seidel", 1e-2).n_wrong, 0);
    assert_int_equal(try_all("Valve", LENGTH "step-size=0.01 algorithm=jacobi", 1e-2).n_wrong, 0);
}

// A loop that stays as the trials saw it is stepped as often as if that had been told.
static void a_valve_that_stays_shut_costs_no_step(void **state)
{
    (void)state;
    static const char *const valves[] = {"v:Valve d:Drive", "v:Told d:Drive"};
    static const char *const settings[] = {LENGTH "step-size=0.01", LENGTH "tolerance=1e-4",
                                           LENGTH "step-size=0.01 algorithm=seidel"};
    draw(3);
    p.limit = 1e9;
    for (int k = 0; k < 3; k++) {
        int calls[2];
        for (int i = 0; i < 2; i++) {
            test_couple(&c, models, valves[i], "d.y>v.u v.y>d.u", settings[k]);
            test_run_all(&c);
            assert_int_equal(test_count_doubts(&c), 0);
            calls[i] = ((test_instance *)c.run->work.instances[0].instance)->counts.step;
            test_uncouple(&c);
        }
        assert_int_equal(calls[0], calls[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_to_a_tolerance_are_right_or_doubted),
        cmocka_unit_test(fixed_steps_by_prediction_solve_a_loop_that_opens),
        cmocka_unit_test(loops_that_cannot_be_rewound_are_doubted),
        cmocka_unit_test(fixed_steps_without_reaction_are_right_or_doubted),
        cmocka_unit_test(one_pass_doubts_a_loop_that_opens),
        cmocka_unit_test(a_valve_that_stays_shut_costs_no_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
