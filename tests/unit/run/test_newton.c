// SPDX-License-Identifier: MIT
// Newton's method for loops; what every solver of loops must be able to do is tested with the others as well.
#include "unit/run/models.h"

static test_coupling c;
static const char *solver; // the algorithm of the present test

static void couple(test_model *models, const char *components, const char *connections,
                   const char *settings)
{
    char all[400];
    snprintf(all, sizeof all, "algorithm=%s %s", solver, settings);
    test_couple(&c, models, components, connections, all);
}

// y = k1 u1 + k2 u2 + c, without a state
static void sum_output(test_instance *at)
{
    at->real[2] = at->real[3] * at->real[0] + at->real[4] * at->real[1] + at->real[5];
}
// clang-format off
#define SUM {"Sum", pair_variables, .output = sum_output, REWINDS}
// clang-format on

// Unequal gains: a transposed matrix (as in an older program) would diverge.
static void linear_loop_with_unequal_gains_is_solved(void **state)
{
    solver = *state;
    test_model models[] = {GAIN, {0}};
    couple(models, "a:Gain b:Gain", "a.y>b.u b.y>a.u",
           "step-size=0.1 stop-time=1 set=a.k=3 set=a.c=1 set=b.k=0.1");
    test_run_all(&c);
    assert_near(test_value(&c, "a.y", -1), 1 / 0.7, 1e-9);
    assert_int_equal(c.run->counts.n_limit_exceeded, 0);
    test_uncouple(&c);
}

// x = A x + c with three unknowns, gains far above 1.
static void newton_solves_what_fixed_point_does_not(void **state)
{
    (void)state;
    const char *settings =
        "step-size=0.1 stop-time=0.5 set=a.k1=4 set=a.k2=-2 set=a.c=1 set=b.k1=-3 "
        "set=b.k2=5 set=b.c=2 set=c.k1=2 set=c.k2=6 set=c.c=3";
    const char *connections = "b.y>a.u1 c.y>a.u2 a.y>b.u1 c.y>b.u2 a.y>c.u1 b.y>c.u2";
    test_model models[] = {SUM, {0}};
    char all[400];
    snprintf(all, sizeof all, "algorithm=newton %s", settings);
    test_couple(&c, models, "a:Sum b:Sum c:Sum", connections, all);
    test_run_all(&c);
    double x = test_value(&c, "a.y", -1), y = test_value(&c, "b.y", -1),
           z = test_value(&c, "c.y", -1);
    assert_near(x, 4 * y - 2 * z + 1, 1e-9);
    assert_near(y, -3 * x + 5 * z + 2, 1e-9);
    assert_near(z, 2 * x + 6 * y + 3, 1e-9);
    assert_int_equal(c.run->counts.n_limit_exceeded, 0);
    test_uncouple(&c);
}

// The matrix of a linear loop is made once and kept: afterwards a step costs two evaluations at most.
static void matrix_is_kept_while_convergence_is_good(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, SUM, GAIN, {0}};
    test_couple(&c, models, "clock:Clock a:Sum b:Gain", "clock.y>a.u2 a.y>b.u b.y>a.u1",
                "algorithm=newton step-size=0.1 stop-time=10 set=a.k1=2 set=a.k2=1 set=b.k=3");
    test_run_all(&c);
    assert_near(test_value(&c, "a.y", -1), 10 / (1 - 6.0), 1e-8);
    assert_true(models[1].counts.step <= 2 * 100 + 3);
    assert_true(models[2].counts.step <= 2 * 100 + 3);
    test_uncouple(&c);
}

// Only the members that read an unknown are stepped to make its column: `wide` has the outputs, two
// others read one each.
static void columns_step_only_the_members_that_read_the_unknown(void **state)
{
    (void)state;
    test_model models[] = {SUM, GAIN, {0}};
    // Unknowns: s.y (read by a and b), a.y and b.y (read by s).
    test_couple(&c, models, "s:Sum a:Gain b:Gain", "s.y>a.u s.y>b.u a.y>s.u1 b.y>s.u2",
                "algorithm=newton call-order=flow step-size=1 stop-time=1 set=s.k1=0.5 "
                "set=s.k2=0.25 set=s.c=1");
    assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
    int before_sum = models[0].counts.step, before_gain = models[1].counts.step;
    // Start from values that are no solution, so that a matrix is needed.
    for (int i = 0; i < 3; i++) c.run->state.y.real[i] = 7 * (i + 1);
    takt_progress progress;
    assert_int_equal(takt_run_step(c.run, &progress, &c.err), TAKT_OK);
    assert_near(takt_run_value(c.run, 0), 4, 1e-9);
    // Two evaluations of all; columns: s is stepped for a.y and b.y, a and b once each for s.y.
    assert_int_equal(models[0].counts.step - before_sum, 2 + 2);
    assert_int_equal(models[1].counts.step - before_gain, 2 * 2 + 2);
    test_uncouple(&c);
}

// x = 2 cos(x) has a slope above 1 at the solution; y = u^3-like nonlinearity needs several iterations.
static const test_variable cosine_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, .depends = "u"}, {0}};
static void cosine_output(test_instance *at)
{
    at->real[1] = 2 * cos(at->real[0]);
}

static void nonlinear_loop_is_solved(void **state)
{
    solver = *state;
    test_model models[] = {
        {"Cosine", cosine_variables, .output = cosine_output, REWINDS}, GAIN, {0}};
    couple(models, "a:Cosine b:Gain", "a.y>b.u b.y>a.u",
           "step-size=0.1 stop-time=1 relative-tolerance=1e-9 "
           "absolute-tolerance=1e-10");
    test_run_all(&c);
    assert_near(test_value(&c, "a.y", -1), 1.0298665293222586, 1e-8);
    test_uncouple(&c);
}

// The loop x = x + 1 appears only after the start: until then the gain is 0.
static void gate_output(test_instance *at)
{
    at->real[1] = at->time < 0.5 ? 1 : at->real[0] + 1;
}

static void singular_loop_is_a_failure_with_its_name(void **state)
{
    solver = *state;
    test_model models[] = {{"Gate", cosine_variables, .output = gate_output, REWINDS}, GAIN, {0}};
    couple(models, "a:Gate b:Gain", "a.y>b.u b.y>a.u", "step-size=0.1 stop-time=1");
    test_try_run_all(&c);
    assert_int_equal(c.status, TAKT_ERR_SIMULATION);
    assert_contains(c.err.message, "the loop of 'a' has no unique solution");
    assert_near(c.time[c.n_rows - 1], 0.4, 1e-9);
    test_uncouple(&c);
}

// Discrete values travel through a loop as well, until they rest.
static const test_variable mixed_variables[] = {
    {"u", TAKT_INPUT, .start = "0"},
    {"flag_in", TAKT_INPUT, .type = TAKT_INT32, .start = "0"},
    {"y", TAKT_OUTPUT, .depends = "u flag_in"},
    {"flag", TAKT_OUTPUT, .type = TAKT_INT32, .depends = "u"},
    {"name", TAKT_OUTPUT, .type = TAKT_STRING, .depends = ""},
    {"name_in", TAKT_INPUT, .type = TAKT_STRING, .start = "none"},
    {0},
};
static void mixed_output(test_instance *at)
{
    // With the flag set the gain is 3 with an offset, else -2; the flag is set when u exceeds 5.
    at->real[2] = at->integer[1] ? 3 * at->real[0] - 20 : -2 * at->real[0] + at->time * 28;
    at->integer[3] = at->real[0] > 5;
    takt_bytes_assign(&at->bytes[4], at->integer[1] ? "high" : "low", at->integer[1] ? 4 : 3);
}

static void discrete_values_come_to_rest(void **state)
{
    solver = *state;
    test_model models[] = {{"Mixed", mixed_variables, .output = mixed_output, REWINDS}, GAIN, {0}};
    couple(models, "a:Mixed b:Gain m:Mixed",
           "a.y>b.u b.y>a.u a.flag>m.flag_in m.flag>a.flag_in b.y>m.u a.name>m.name_in",
           "step-size=0.25 stop-time=1 relative-tolerance=1e-8 "
           "absolute-tolerance=1e-9");
    test_run_all(&c);
    for (int i = 1; i < c.n_rows; i++) {
        double x = test_value(&c, "a.y", i);
        bool is_high = x > 5;
        assert_near(test_value(&c, "a.flag", i), is_high, 0);
        assert_near(x, is_high ? 10 : 28 * c.time[i] / 3, 1e-7);
    }
    assert_near(test_value(&c, "a.flag", -1), 1, 0);
    test_uncouple(&c);
}

static void algorithm_changes_by_schedule_and_through_the_api(void **state)
{
    (void)state;
    test_model models[] = {INTEGRATOR, GAIN, {0}};
    test_couple(&c, models, "x:Integrator f:Gain", "x.y>f.u f.y>x.u",
                "algorithm=seidel step-size=0.1 stop-time=0.4 set=f.k=-1 algorithm-at=0.3:x=newton "
                "algorithm-at=0.2:fixed-point iterations=50 relative-tolerance=1e-12 "
                "absolute-tolerance=1e-13");
    takt_progress progress = TAKT_RUNNING;
    assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
    while (progress == TAKT_RUNNING)
        assert_int_equal(takt_run_step(c.run, &progress, &c.err), TAKT_OK);
    // Explicit Euler twice, then implicit Euler twice.
    assert_near(test_value(&c, "x.y", 2), 0.81, 1e-12);
    assert_near(test_value(&c, "x.y", 3), 0.81 / 1.1, 1e-11);
    assert_near(test_value(&c, "x.y", 4), 0.81 / 1.21, 1e-11);
    assert_contains(c.system.log.text, "t=0.2 s: algorithm is now fixed-point");
    takt_statistics statistics = {.size = sizeof statistics};
    takt_run_statistics(c.run, &statistics, NULL);
    assert_string_equal(statistics.loops[0]->algorithm, "newton");
    assert_int_equal(takt_run_set_algorithm(c.run, "f=jacobi", &c.err), TAKT_OK);
    assert_int_equal(takt_run_set_algorithm(c.run, "nobody=jacobi", &c.err), TAKT_ERR_USAGE);
    assert_contains(c.err.message, "there is no component 'nobody'");
    assert_int_equal(takt_run_set_algorithm(c.run, "magic", &c.err), TAKT_ERR_USAGE);
    test_uncouple(&c);
}

static void change_to_an_iterating_algorithm_needs_members_that_can_rewind(void **state)
{
    (void)state;
    test_model models[] = {INTEGRATOR, GAIN, {0}};
    models[1].can.rewind = false;
    test_couple(&c, models, "x:Integrator f:Gain", "x.y>f.u f.y>x.u",
                "step-size=0.1 stop-time=0.4 set=f.k=-1");
    assert_int_equal(takt_run_set_algorithm(c.run, "newton", &c.err), TAKT_ERR_USAGE);
    assert_contains(c.err.message, "instance 'f' cannot save and restore its state");
    assert_contains(c.err.message, "jacobi and seidel are possible");
    test_run_all(&c);
    test_uncouple(&c);
}

// Integers alone that never rest: the iteration must end all the same.
static const test_variable flag_variables[] = {
    {"u", TAKT_INPUT, .type = TAKT_INT32, .start = "0"},
    {"y", TAKT_OUTPUT, .type = TAKT_INT32, .depends = ""},
    {0},
};
static void flag_step(test_instance *at, double t, double h)
{
    (void)t, (void)h;
    at->state[0] = !at->integer[0];
}
static void flag_output(test_instance *at)
{
    at->integer[1] = (int64_t)at->state[0];
}

static void discrete_values_that_never_rest_are_not_converged(void **state)
{
    solver = *state;
    test_model models[] = {
        {"Flag", flag_variables, .output = flag_output, .step = flag_step, REWINDS}, {0}};
    couple(models, "a:Flag b:Flag d:Flag", "a.y>b.u b.y>d.u d.y>a.u",
           "step-size=0.5 stop-time=1 iterations=7");
    test_run_all(&c);
    assert_int_equal(c.run->counts.n_limit_exceeded, 2);
    assert_true(models[0].counts.step <= 3 * 2 * 7);
    test_uncouple(&c);
}

// Defined near 0 only, far away from the solution.
static void narrow_step(test_instance *at, double t, double h)
{
    (void)t, (void)h;
    at->state[0] = fabs(at->real[0]) <= 1e-3 ? 100 + 0.5 * at->real[0] : NAN;
}
static void narrow_output(test_instance *at)
{
    at->real[1] = at->state[0];
}
static const test_variable state_variables[] = {
    {"u", TAKT_INPUT, .start = "0"}, {"y", TAKT_OUTPUT, .depends = ""}, {0}};

// No attempt is finite. The run goes on with the best values there are, and instances that have them.
static void attempts_that_are_not_finite_are_not_kept(void **state)
{
    solver = *state;
    test_model models[] = {
        {"Narrow", state_variables, .output = narrow_output, .step = narrow_step, REWINDS},
        GAIN,
        {0}};
    couple(models, "b:Gain a:Narrow", "a.y>b.u b.y>a.u",
           "call-order=listed step-size=1 stop-time=1");
    test_run_all(&c);
    assert_int_equal(c.run->counts.n_limit_exceeded, 1);
    assert_near(test_value(&c, "a.y", -1), 100, 0);
    assert_near(test_value(&c, "b.y", -1), 0, 0);
    test_uncouple(&c);
}

// a = k1 b + k2 time + c, b = k a; with settings that end in `more`.
static void solve_driven_loop(double k1, double k2, double k, const char *more)
{
    test_model models[] = {CLOCK, SUM, GAIN, {0}};
    char settings[300];
    snprintf(settings, sizeof settings,
             "step-size=0.1 stop-time=1 set=a.k1=%g set=a.k2=%g set=b.k=%g %s", k1, k2, k, more);
    couple(models, "clock:Clock a:Sum b:Gain", "clock.y>a.u2 a.y>b.u b.y>a.u1", settings);
    test_run_all(&c);
    double expected = k2 / (1 - k1 * k);
    assert_near(test_value(&c, "a.y", -1) / expected, 1, 1e-9);
    assert_near(test_value(&c, "b.y", -1) / (k * expected), 1, 1e-9);
    test_uncouple(&c);
}

static void tolerances_near_rounding_are_possible(void **state)
{
    solver = *state;
    solve_driven_loop(3, 1, 0.1, "relative-tolerance=1e-16 absolute-tolerance=1e-30");
    solve_driven_loop(-7, 1, 3, "relative-tolerance=1e-14 absolute-tolerance=1e-300");
}

// Force and displacement: the numbers differ by many powers of ten, the loop is harmless.
static void units_do_not_matter(void **state)
{
    solver = *state;
    solve_driven_loop(0.5e9, 1, 1e-9, "");
    solve_driven_loop(1e12, 3, -2e-12, "");
    solve_driven_loop(1e-12, 3e6, -2e12, "");
}

static void residuals_may_be_huge(void **state)
{
    solver = *state;
    solve_driven_loop(0.5, 1e200, 1, "");
    solve_driven_loop(-30, 1e250, 1, "");
}

static void damped_steps_arrive_as_well(void **state)
{
    solver = *state;
    solve_driven_loop(
        3, 1, -2, "damping=0.5 iterations=60 relative-tolerance=1e-10 absolute-tolerance=1e-12");
}

static double right_derivative(test_instance *at, int output, int input)
{
    (void)output;
    return at->real[3 + input]; // k1 or k2
}

// For the instant, but wrong for the whole step: every step along them makes the residual grow.
static double wrong_derivative(test_instance *at, int output, int input)
{
    return 6 * right_derivative(at, output, input);
}

static int steps_with_derivative(double (*derivative)(test_instance *, int, int))
{
    test_model models[] = {CLOCK, SUM, GAIN, {0}};
    models[1].can.directional_derivatives = derivative != NULL;
    models[1].derivative = derivative;
    test_couple(&c, models, "clock:Clock a:Sum b:Gain", "clock.y>a.u2 a.y>b.u b.y>a.u1",
                "algorithm=newton step-size=0.1 stop-time=1 set=a.k1=0.5 set=a.k2=1 "
                "relative-tolerance=1e-9");
    test_run_all(&c);
    assert_int_equal(c.run->counts.n_limit_exceeded, 0);
    assert_near(test_value(&c, "a.y", -1), 2, 1e-8);
    test_uncouple(&c);
    return models[1].counts.step;
}

static void derivatives_are_used_and_dropped_when_they_lead_astray(void **state)
{
    (void)state;
    int without = steps_with_derivative(NULL);
    assert_int_equal(steps_with_derivative(right_derivative), without - 1);
    assert_true(steps_with_derivative(wrong_derivative) < without + 20);
}

// A member that reads its own output, twice, and the other's: x = 0.2 x + 0.3 x + z, z = 0.5 x + 1.
static const test_variable knot_variables[] = {
    {"u1", TAKT_INPUT, .start = "0"},
    {"u2", TAKT_INPUT, .start = "0"},
    {"u3", TAKT_INPUT, .start = "0"},
    {"y", TAKT_OUTPUT, .depends = ""},
    {0},
};
static void knot_step(test_instance *at, double t, double h)
{
    (void)t, (void)h;
    at->state[0] = 0.2 * at->real[0] - 3 * at->real[1] + at->real[2];
}
static void knot_output(test_instance *at)
{
    at->real[3] = at->state[0];
}

static void members_may_read_themselves_and_a_value_twice(void **state)
{
    solver = *state;
    test_model models[] = {
        {"Knot", knot_variables, .output = knot_output, .step = knot_step, REWINDS}, GAIN, {0}};
    couple(models, "a:Knot b:Gain", "a.y>a.u1 a.y>a.u2 b.y>a.u3 a.y>b.u",
           "step-size=0.5 stop-time=1 set=b.k=0.5 set=b.c=1");
    test_run_all(&c);
    assert_int_equal(c.run->counts.n_limit_exceeded, 0);
    assert_near(test_value(&c, "a.y", -1), 1 / 3.3, 1e-8);
    test_uncouple(&c);
}

static char newton[] = "newton", quasi_newton[] = "quasi-newton", anderson[] = "anderson";
// clang-format off
#define WITH_EACH_SOLVER(test) cmocka_unit_test_prestate(test, newton), \
        cmocka_unit_test_prestate(test, quasi_newton), cmocka_unit_test_prestate(test, anderson)
// clang-format on

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_EACH_SOLVER(linear_loop_with_unequal_gains_is_solved),
        cmocka_unit_test(newton_solves_what_fixed_point_does_not),
        cmocka_unit_test(matrix_is_kept_while_convergence_is_good),
        cmocka_unit_test(columns_step_only_the_members_that_read_the_unknown),
        WITH_EACH_SOLVER(nonlinear_loop_is_solved),
        WITH_EACH_SOLVER(singular_loop_is_a_failure_with_its_name),
        WITH_EACH_SOLVER(discrete_values_come_to_rest),
        WITH_EACH_SOLVER(discrete_values_that_never_rest_are_not_converged),
        WITH_EACH_SOLVER(attempts_that_are_not_finite_are_not_kept),
        WITH_EACH_SOLVER(tolerances_near_rounding_are_possible),
        WITH_EACH_SOLVER(units_do_not_matter),
        WITH_EACH_SOLVER(residuals_may_be_huge),
        WITH_EACH_SOLVER(damped_steps_arrive_as_well),
        cmocka_unit_test(derivatives_are_used_and_dropped_when_they_lead_astray),
        WITH_EACH_SOLVER(members_may_read_themselves_and_a_value_twice),
        cmocka_unit_test(algorithm_changes_by_schedule_and_through_the_api),
        cmocka_unit_test(change_to_an_iterating_algorithm_needs_members_that_can_rewind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
