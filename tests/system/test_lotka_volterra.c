// SPDX-License-Identifier: MIT
// Lotka-Volterra with Gauss-Seidel against a reference solution that is exact to 1e-10.
//   dx/dt = x (a - b y), dy/dt = y (d x - c); both FMUs integrate exactly for a constant input.
#include "support/results.h"
#include "support/ssd.h"

#define PROJECT "lotka_volterra.ssd"

static const double a = 0.1, b = 0.02, c = 0.4, d = 0.02, stop = 100;

typedef struct point {
    double x, y;
} point;

// The equations for u = log x and v = log y: smoother, and relative errors become absolute ones.
static point slope(point p)
{
    return (point){a - b * exp(p.y), d * exp(p.x) - c};
}

static point moved(point p, double h, point k)
{
    return (point){p.x + h * k.x, p.y + h * k.y};
}

static point runge_kutta_step(point p, double h)
{
    point k1 = slope(p);
    point k2 = slope(moved(p, h / 2, k1));
    point k3 = slope(moved(p, h / 2, k2));
    point k4 = slope(moved(p, h, k3));
    return (point){p.x + h / 6 * (k1.x + 2 * k2.x + 2 * k3.x + k4.x),
                   p.y + h / 6 * (k1.y + 2 * k2.y + 2 * k3.y + k4.y)};
}

enum { N_POINTS = 4000 }; // every 0.025 s

// The classical method of fourth order with `n` small steps between two points.
static void solve(point out[N_POINTS + 1], int n)
{
    point p = {log(10), log(10)};
    double h = stop / N_POINTS / n;
    for (int i = 0; i <= N_POINTS; i++) {
        out[i] = (point){exp(p.x), exp(p.y)};
        for (int k = 0; k < n; k++) p = runge_kutta_step(p, h);
    }
}

static double relative(double value, double wanted)
{
    return fabs(value / wanted - 1);
}

static const point *reference(void)
{
    static point solution[N_POINTS + 1];
    if (solution[0].x == 0) solve(solution, 10);
    return solution;
}

static void reference_solution_is_accurate_to_1e_10(void **state)
{
    (void)state;
    static point coarse[N_POINTS + 1];
    solve(coarse, 5);
    const point *fine = reference();
    for (int i = 0; i <= N_POINTS; i++) {
        // Halving the step divides the error by 16: the fine one has a 15th of the difference.
        assert_near(relative(coarse[i].x, fine[i].x), 0, 1.5e-9);
        assert_near(relative(coarse[i].y, fine[i].y), 0, 1.5e-9);
    }
}

// The largest relative error over all rows of a run with the given step size.
static double error_of_run(test_sandbox *box, const char *step_size, int n_rows)
{
    test_run(box, "run", PROJECT, "--algorithm", "seidel", "--call-order", "flow", "--step-size",
             step_size, "-o", "lv.csv", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "lv.csv");
    assert_int_equal(r.n_rows, n_rows);
    double error = 0;
    for (int n = 0; n < n_rows; n++) {
        point wanted = reference()[n * (N_POINTS / (n_rows - 1))];
        error = fmax(error, relative(test_result(&r, n, "Prey.x"), wanted.x));
        error = fmax(error, relative(test_result(&r, n, "Predator.y"), wanted.y));
    }
    test_results_clear(&r);
    return error;
}

static void seidel_is_of_first_order_with_the_known_error(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "lotka_volterra");
    double e1 = error_of_run(box, "0.1", 1001);
    double e2 = error_of_run(box, "0.05", 2001);
    double e4 = error_of_run(box, "25ms", 4001);
    assert_near(e1, 0.03735, 1e-4); // computed beforehand by a separate program
    assert_near(e1 / e2, 2, 0.05);
    assert_near(e2 / e4, 2, 0.05);
}

static void seidel_passes_the_new_prey_to_the_predator_in_the_same_step(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "lotka_volterra");
    test_run(box, "run", PROJECT, "--algorithm", "seidel", "--call-order", "flow", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "lotka_volterra.csv");
    double x = 10, y = 10, h = 0.1;
    for (int n = 0; n < r.n_rows; n++) {
        assert_near(relative(test_result(&r, n, "Prey.x"), x), 0, 1e-9);
        assert_near(relative(test_result(&r, n, "Predator.y"), y), 0, 1e-9);
        x *= exp((a - b * y) * h);
        y *= exp((d * x - c) * h);
    }
    test_results_clear(&r);
}

static void parameters_can_be_set_on_the_command_line(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "lotka_volterra");
    // Without predators the prey grows exponentially.
    test_run(box, "run", PROJECT, "--set", "Predator.y0=0", "--set=Prey.x0=3", "--stop-time", "10",
             NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "lotka_volterra.csv");
    int last = r.n_rows - 1;
    assert_near(test_result(&r, 0, "Prey.x"), 3, 0);
    assert_near(test_result(&r, last, "Prey.x"), 3 * exp(a * 10), 1e-9);
    assert_near(test_result(&r, last, "Predator.y"), 0, 0);
    test_results_clear(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reference_solution_is_accurate_to_1e_10),
        test_in_sandbox(seidel_is_of_first_order_with_the_known_error),
        test_in_sandbox(seidel_passes_the_new_prey_to_the_predator_in_the_same_step),
        test_in_sandbox(parameters_can_be_set_on_the_command_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
