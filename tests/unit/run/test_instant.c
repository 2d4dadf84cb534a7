// SPDX-License-Identifier: MIT
// Loops without time going on, at initialization and in event mode: random linear ones are compared with
// Gaussian elimination.
#include "unit/run/models.h"

#include "run/events.h"

enum { MAX_SIZE = 60 };

static test_coupling c;

// ---- linear loops: x = M x + b ---------------------------------------------------------------------

typedef struct linear {
    int n;
    double m[MAX_SIZE][MAX_SIZE], b[MAX_SIZE], x[MAX_SIZE];
} linear;

static linear problem;

static double uniform(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*seed >> 11) / 9007199254740992.0;
}

// Solves (I - M) x = b by Gaussian elimination with column pivots. Returns the smallest pivot.
static double eliminate(linear *p)
{
    static double a[MAX_SIZE][MAX_SIZE + 1];
    double least = INFINITY;
    for (int i = 0; i < p->n; i++) {
        for (int j = 0; j < p->n; j++) a[i][j] = (i == j) - p->m[i][j];
        a[i][p->n] = p->b[i];
    }
    for (int k = 0; k < p->n; k++) {
        int best = k;
        for (int i = k + 1; i < p->n; i++)
            if (fabs(a[i][k]) > fabs(a[best][k])) best = i;
        least = fmin(least, fabs(a[best][k]));
        for (int j = k; j <= p->n; j++) {
            double swap = a[k][j];
            a[k][j] = a[best][j];
            a[best][j] = swap;
        }
        for (int i = k + 1; i < p->n; i++) {
            double factor = a[i][k] / a[k][k];
            for (int j = k; j <= p->n; j++) a[i][j] -= factor * a[k][j];
        }
    }
    for (int i = p->n - 1; i >= 0; i--) {
        p->x[i] = a[i][p->n];
        for (int j = i + 1; j < p->n; j++) p->x[i] -= a[i][j] * p->x[j];
        p->x[i] /= a[i][i];
    }
    return least;
}

// Elements of a size that gives about the spectral radius; a fraction of them is not 0.
static void make_linear(linear *p, int n, double radius, double density, uint64_t seed)
{
    double size = radius * sqrt(3 / (density * n));
    do {
        p->n = n;
        for (int i = 0; i < n; i++) {
            p->b[i] = 20 * uniform(&seed) - 10;
            for (int j = 0; j < n; j++) {
                double value = size * (2 * uniform(&seed) - 1);
                bool is_in = uniform(&seed) < density || j == (i + 1) % n;
                p->m[i][j] = is_in ? value : 0;
            }
        }
    } while (eliminate(p) < 0.01); // almost singular by chance
}

// Instance "r7" is row 7: y = M[7] u + b[7].
static test_variable row_variables[MAX_SIZE + 2];
static char row_names[MAX_SIZE][16], row_inputs[MAX_SIZE * 8];

static void describe_row(int n)
{
    size_t length = 0;
    for (int i = 0; i < n; i++) {
        snprintf(row_names[i], sizeof row_names[i], "u%d", i);
        length += (size_t)snprintf(row_inputs + length, sizeof row_inputs - length, "u%d ", i);
        row_variables[i] = (test_variable){row_names[i], TAKT_INPUT, .start = "0"};
    }
    row_variables[n] = (test_variable){"y", TAKT_OUTPUT, .depends = row_inputs};
    row_variables[n + 1] = (test_variable){0};
}

static void row_output(test_instance *at)
{
    int i = atoi(at->base.name + 1);
    double y = problem.b[i];
    for (int j = 0; j < problem.n; j++) y += problem.m[i][j] * at->real[j];
    at->real[problem.n] = y;
}

static void couple_linear(test_model *models, const char *settings)
{
    static char components[MAX_SIZE * 10], connections[MAX_SIZE * MAX_SIZE * 16];
    size_t n = 0, k = 0;
    describe_row(problem.n);
    for (int i = 0; i < problem.n; i++) {
        n += (size_t)snprintf(components + n, sizeof components - n, "r%d:Row ", i);
        for (int j = 0; j < problem.n; j++)
            if (problem.m[i][j] != 0)
                k += (size_t)snprintf(connections + k, sizeof connections - k, "r%d.y>r%d.u%d ", j,
                                      i, j);
    }
    test_couple(&c, models, components, connections, settings);
}

static void check_solution(double tolerance)
{
    for (int i = 0; i < problem.n; i++) {
        double y = c.run->state.y.real[c.plan->instances[i].first_output[TAKT_KIND_REAL]];
        assert_near(y, problem.x[i], tolerance * fmax(1, fabs(problem.x[i])));
    }
}

static void initialize(void)
{
    c.status = takt_run_initialize(c.run, &c.err);
}

static void solve_random_loops(test_model *models)
{
    static const double radii[] = {0.3, 0.9, 1.5, 4, 30};
    for (int k = 0; k < 100; k++) {
        int n = 2 + k % 49;
        make_linear(&problem, n, radii[k % 5], k % 2 ? 1 : 0.1, (uint64_t)k);
        couple_linear(models, "step-size=1 stop-time=1");
        initialize();
        if (c.status) fail_msg("loop %d of %d: %s", k, n, c.err.message);
        check_solution(1e-7);
        test_uncouple(&c);
    }
}

static void random_linear_loops_are_solved_at_initialization(void **state)
{
    (void)state;
    test_model models[] = {{"Row", row_variables, .output = row_output, REWINDS}, {0}};
    solve_random_loops(models);
}

// The unknowns are 60 outputs, not the 1770 inputs that they feed.
static void dense_initial_loop_of_60_is_solved(void **state)
{
    (void)state;
    test_model models[] = {{"Row", row_variables, .output = row_output, REWINDS}, {0}};
    make_linear(&problem, 60, 3, 1, 5);
    couple_linear(models, "step-size=1 stop-time=1");
    initialize();
    if (c.status) fail_msg("%s", c.err.message);
    check_solution(1e-7);
    test_uncouple(&c);
}

// ---- errors, not changes ---------------------------------------------------------------------------

// A loop of one gain k near 1: x = c / (1 - k). The change of a sweep is smaller than the error by 1 - k.
static void gains_near_one_are_solved_to_their_error(void **state)
{
    (void)state;
    static const double gains[] = {0.99, 0.9999, 0.999999, 0.99999999, 0.999999999, 1.000000001};
    for (int i = 0; i < 6; i++) {
        char settings[200];
        double k = gains[i], offset = i % 2 ? 1 : 1e-9;
        snprintf(settings, sizeof settings, "step-size=1 stop-time=1 set=a.k=%.17g set=a.c=%.17g",
                 k, offset);
        test_model models[] = {GAIN, {0}};
        test_couple(&c, models, "a:Gain b:Gain", "a.y>b.u b.y>a.u", settings);
        initialize();
        if (c.status) fail_msg("%s: %s", settings, c.err.message);
        double x = offset / (1 - k);
        assert_near(c.run->state.y.real[0], x, 1e-6 * fabs(x));
        test_uncouple(&c);
    }
}

// x1 = 0.1 x1 + 1e6 falls quickly and hides that x2 = 0.999999 x2 + 0.001 hardly moves.
static void a_fast_value_does_not_hide_a_slow_one(void **state)
{
    (void)state;
    test_model models[] = {{"Row", row_variables, .output = row_output, REWINDS}, {0}};
    problem = (linear){.n = 2, .m = {{0.1, 1e-3}, {1e-12, 0.999999}}, .b = {1e6, 1e-8}};
    assert_true(eliminate(&problem) > 1e-7);
    couple_linear(models, "step-size=1 stop-time=1");
    initialize();
    if (c.status) fail_msg("%s", c.err.message);
    check_solution(1e-8);
    test_uncouple(&c);
}

// ---- noise -----------------------------------------------------------------------------------------

// y = k u + c with an error that differs from call to call, or depends on the last bits of u.
static double noise_size;
static bool is_noise_repeatable;
static uint64_t noise_seed;

static void noisy_output(test_instance *at)
{
    double noise = is_noise_repeatable ? sin(1e15 * at->real[0] + 1) : 2 * uniform(&noise_seed) - 1;
    at->real[1] = at->real[2] * at->real[0] + at->real[3] + noise_size * noise;
}

// clang-format off
#define NOISY {"Noisy", gain_variables, .output = noisy_output, REWINDS}
// clang-format on

static void solve_noisy(test_model *models, double gain, double noise, bool is_repeatable)
{
    char settings[200];
    noise_size = noise, is_noise_repeatable = is_repeatable, noise_seed = 1;
    snprintf(settings, sizeof settings, "step-size=1 stop-time=1 set=a.k=%g set=a.c=1", gain);
    test_couple(&c, models, "a:Noisy b:Gain", "a.y>b.u b.y>a.u", settings);
    initialize();
    if (c.status) fail_msg("gain %g, noise %g: %s", gain, noise, c.err.message);
    double x = 1 / (1 - gain);
    assert_near(c.run->state.y.real[0], x, 10 * noise * fmax(1, fabs(x)));
}

static void noise_within_the_tolerance_is_accepted(void **state)
{
    (void)state;
    test_model models[] = {GAIN, NOISY, {0}};
    static const double gains[] = {-0.5, 0.5, -3, 0.9};
    for (int i = 0; i < 8; i++) {
        solve_noisy(models, gains[i % 4], 1e-8, i >= 4);
        assert_null(strstr(c.system.log.text, "noise"));
        test_uncouple(&c);
    }
}

static void noise_above_the_tolerance_is_reported(void **state)
{
    (void)state;
    test_model models[] = {GAIN, NOISY, {0}};
    solve_noisy(models, -0.5, 1e-4, false);
    assert_contains(c.system.log.text, "initialization: the loop through a.u, b.u: its outputs are "
                                       "exact to");
    assert_contains(c.system.log.text, "times the tolerance");
    test_uncouple(&c);
}

// ---- real and discrete values ----------------------------------------------------------------------

// y = k[b] u + c[b], and the relay that chooses b.
static const test_variable switched_variables[] = {
    {"u", TAKT_INPUT, .start = "0"},
    {"b", TAKT_INPUT, .type = TAKT_INT32, .start = "0"},
    {"y", TAKT_OUTPUT, .depends = "u b"},
    {0}};
static const test_variable relay_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"b", TAKT_OUTPUT, .type = TAKT_INT32, .depends = "u"}, {0}};

typedef struct mixed_loop {
    double k[2], c[2], threshold;
    bool is_below;
} mixed_loop;

static mixed_loop mixed;

static void switched_output(test_instance *at)
{
    int b = at->integer[1] != 0;
    at->real[2] = mixed.k[b] * at->real[0] + mixed.c[b];
}
static void relay_output(test_instance *at)
{
    at->integer[1] = (at->real[0] > mixed.threshold) != mixed.is_below;
}

// clang-format off
#define SWITCHED {"Switched", switched_variables, .output = switched_output, REWINDS}
#define RELAY {"Relay", relay_variables, .output = relay_output, REWINDS}
// clang-format on

static void solve_mixed(test_model *models)
{
    test_couple(&c, models, "s:Switched g:Gain r:Relay", "s.y>g.u g.y>s.u g.y>r.u r.b>s.b",
                "step-size=1 stop-time=1");
    initialize();
}

static void discrete_values_are_frozen_while_real_ones_are_solved(void **state)
{
    (void)state;
    test_model models[] = {SWITCHED, GAIN, RELAY, {0}};
    // b = 0: x = 1; b = 1: x = 13/3. On the way to the first the relay would switch.
    mixed = (mixed_loop){{-2, -2}, {3, 13}, 5, false};
    solve_mixed(models);
    if (c.status) fail_msg("%s", c.err.message);
    assert_near(c.run->state.y.real[0], 1, 1e-8);
    test_uncouple(&c);

    // b = 0 gives x = 4, above 2, so b = 1, which gives x = 10.
    mixed = (mixed_loop){{-2, 0.9}, {12, 1}, 2, false};
    solve_mixed(models);
    if (c.status) fail_msg("%s", c.err.message);
    assert_near(c.run->state.y.real[0], 10, 1e-8);
    test_uncouple(&c);

    // x = x + 1 has no solution, but is left.
    mixed = (mixed_loop){{1, -4}, {1, 10}, 1, false};
    solve_mixed(models);
    if (c.status) fail_msg("%s", c.err.message);
    assert_near(c.run->state.y.real[0], 2, 1e-8);
    test_uncouple(&c);
}

// b = 0 gives x = 0, below 2, so b = 1, which gives x = 3, so b = 0.
static void contradiction_of_real_and_discrete_values_is_named(void **state)
{
    (void)state;
    test_model models[] = {SWITCHED, GAIN, RELAY, {0}};
    mixed = (mixed_loop){{-2, -2}, {0, 9}, 2, true};
    solve_mixed(models);
    assert_int_equal(c.status, TAKT_ERR_SIMULATION);
    assert_contains(c.err.message, "initialization: the loop through r.u, s.u, s.b, g.u ");
    assert_contains(c.err.message, "its discrete values return to an earlier pattern");
    test_uncouple(&c);
}

// ---- event mode ------------------------------------------------------------------------------------

#define EVENTS .can = {.rewind = true, .variable_step = true, .events = true}

// b changes with every event, which comes at 1 s: what was solved at initialization is no solution then.
static void shift_event(test_instance *at, takt_event *out)
{
    if (at->time < 0.5) out->next_time = 1;
}
static void shift_step(test_instance *at, double t, double h)
{
    (void)at;
    if (t + h < 0.99 || problem.n == 0) return;
    for (int i = 0; i < problem.n; i++) problem.b[i] = i + 1;
}

// Before and after the event.
static void solve_in_event_mode(int n, double radius, double density, uint64_t seed)
{
    test_model models[] = {{"Row", row_variables, .output = row_output, .event = shift_event,
                            .step = shift_step, EVENTS},
                           {0}};
    make_linear(&problem, n, radius, density, seed);
    couple_linear(models, "algorithm=jacobi step-size=1 stop-time=1 output-interval=1");
    initialize();
    if (!c.status) check_solution(1e-7);
    takt_progress progress;
    if (!c.status) c.status = takt_run_step(c.run, &progress, &c.err);
    if (c.status) fail_msg("loop of %d, radius %g: %s", n, radius, c.err.message);
    eliminate(&problem);
    assert_near(problem.b[0], 1, 0);
    check_solution(1e-7);
    assert_true(models[0].counts.enter_events > 0);
    test_uncouple(&c);
}

static void random_linear_loops_are_solved_in_event_mode(void **state)
{
    (void)state;
    static const double radii[] = {0.3, 0.9, 1.5, 4, 30};
    for (int k = 0; k < 50; k++)
        solve_in_event_mode(2 + k % 49, radii[k % 5], k % 2 ? 1 : 0.1, 100 + (uint64_t)k);
}

// One sweep in turn multiplies an error by more than the largest number.
static void large_gains_do_not_end_in_infinity(void **state)
{
    (void)state;
    for (int k = 0; k < 5; k++) solve_in_event_mode(60, 1e7, 1, 7 + (uint64_t)k);
}

// y = k u + c, and an event at 0.5 s, after which k is -k.
static void turn_event(test_instance *at, takt_event *out)
{
    if (at->time < 0.25)
        out->next_time = 0.5;
    else if (at->state[0] == 0)
        at->state[0] = 1;
}
static void turn_output(test_instance *at)
{
    double k = at->state[0] != 0 ? -at->real[2] : at->real[2];
    at->real[1] = k * at->real[0] + at->real[3];
}

static void gains_of_any_size_are_solved_in_event_mode(void **state)
{
    (void)state;
    static const double gains[] = {-0.3, 0.5, -2, 0.999999, -1000, 3};
    test_model models[] = {
        {"Turn", gain_variables, .output = turn_output, .event = turn_event, EVENTS},
        {"Gain", gain_variables, .output = gain_output, EVENTS},
        {0}};
    for (int i = 0; i < 6; i++) {
        char settings[200];
        double k = gains[i];
        snprintf(settings, sizeof settings,
                 "algorithm=newton step-size=0.1 stop-time=0.5 set=a.k=%.17g set=a.c=1", k);
        test_couple(&c, models, "a:Turn b:Gain d:Gain", "a.y>b.u b.y>a.u b.y>d.u", settings);
        test_try_run_all(&c);
        if (c.status) fail_msg("%s: %s", settings, c.err.message);
        assert_near(test_value(&c, "a.y", 0), 1 / (1 - k), 1e-8 * fmax(1, 1 / fabs(1 - k)));
        assert_near(test_value(&c, "a.y", -1), 1 / (1 + k), 1e-8 * fmax(1, 1 / fabs(1 + k)));
        assert_near(test_value(&c, "d.y", -1), 1 / (1 + k), 1e-8 * fmax(1, 1 / fabs(1 + k)));
        test_uncouple(&c);
    }
}

// After the event x = 1 + x: no solution.
static void singular_loop_in_event_mode_is_named(void **state)
{
    (void)state;
    test_model models[] = {
        {"Turn", gain_variables, .output = turn_output, .event = turn_event, EVENTS},
        {"Gain", gain_variables, .output = gain_output, EVENTS},
        {0}};
    test_couple(&c, models, "a:Turn b:Gain", "a.y>b.u b.y>a.u",
                "algorithm=newton step-size=0.1 stop-time=1 set=a.k=-1 set=a.c=1");
    test_try_run_all(&c);
    assert_int_equal(c.status, TAKT_ERR_SIMULATION);
    assert_contains(c.err.message, "t=0.5 s: the loop of instance 'a', 'b' in event mode has no "
                                   "unique solution");
    test_uncouple(&c);
}

static void discrete_values_are_frozen_in_event_mode(void **state)
{
    (void)state;
    test_model models[] = {SWITCHED, GAIN, RELAY, {0}};
    for (int i = 0; i < 3; i++) models[i].can.events = true;
    mixed = (mixed_loop){{-2, -2}, {3, 13}, 5, false};
    solve_mixed(models);
    if (c.status) fail_msg("%s", c.err.message);
    assert_near(c.run->state.y.real[0], 1, 1e-8);
    // Now b = 0 gives x = 4, above 2, so b = 1, which gives x = 10.
    mixed = (mixed_loop){{-2, 0.9}, {12, 1}, 2, false};
    c.status = takt_run_handle_events(c.run, false, &c.err);
    if (c.status) fail_msg("%s", c.err.message);
    assert_near(c.run->state.y.real[0], 10, 1e-7);
    // b = 0 gives x = 0, below 2, so b = 1, which gives x = 3, so b = 0.
    mixed = (mixed_loop){{-2, -2}, {0, 9}, 2, true};
    c.status = takt_run_handle_events(c.run, false, &c.err);
    assert_int_equal(c.status, TAKT_ERR_SIMULATION);
    assert_contains(c.err.message, "events do not come to rest after 100 rounds");
    test_uncouple(&c);
}

static void noise_does_not_keep_events_from_resting(void **state)
{
    (void)state;
    test_model models[] = {{"Gain", gain_variables, .output = gain_output, EVENTS},
                           {"Noisy", gain_variables, .output = noisy_output, EVENTS},
                           {0}};
    for (int i = 0; i < 4; i++) {
        noise_size = i < 2 ? 1e-8 : 1e-4, is_noise_repeatable = i % 2, noise_seed = 1;
        test_couple(&c, models, "a:Noisy b:Gain", "a.y>b.u b.y>a.u",
                    "step-size=1 stop-time=1 set=a.k=-0.5 set=a.c=1");
        initialize();
        if (c.status) fail_msg("noise %d: %s", i, c.err.message);
        assert_near(c.run->state.y.real[0], 1 / 1.5, 10 * noise_size);
        bool has_warned = strstr(c.system.log.text, "in event mode: its outputs are exact to");
        assert_int_equal(has_warned, i >= 2);
        test_uncouple(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_linear_loops_are_solved_at_initialization),
        cmocka_unit_test(dense_initial_loop_of_60_is_solved),
        cmocka_unit_test(gains_near_one_are_solved_to_their_error),
        cmocka_unit_test(a_fast_value_does_not_hide_a_slow_one),
        cmocka_unit_test(noise_within_the_tolerance_is_accepted),
        cmocka_unit_test(noise_above_the_tolerance_is_reported),
        cmocka_unit_test(discrete_values_are_frozen_while_real_ones_are_solved),
        cmocka_unit_test(contradiction_of_real_and_discrete_values_is_named),
        cmocka_unit_test(random_linear_loops_are_solved_in_event_mode),
        cmocka_unit_test(large_gains_do_not_end_in_infinity),
        cmocka_unit_test(gains_of_any_size_are_solved_in_event_mode),
        cmocka_unit_test(singular_loop_in_event_mode_is_named),
        cmocka_unit_test(discrete_values_are_frozen_in_event_mode),
        cmocka_unit_test(noise_does_not_keep_events_from_resting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
