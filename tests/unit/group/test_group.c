// SPDX-License-Identifier: MIT
// Central integration with plain C models: accuracy, algebraic loops, events that pass from member to member,
// systems with other instances, rewinding, and what goes wrong.
#include "group/group.h"
#include "run/run.h"
#include "support/system.h"

// ---- models ----------------------------------------------------------------------------------------

// x' = x (a - b y)
static const test_variable prey_variables[] = {
    {"y", TAKT_INPUT, .start = "10"}, {"x", TAKT_OUTPUT, .depends = ""}, {0}};
static void prey_init(test_instance *at)
{
    at->state[0] = 10;
}
static void prey_output(test_instance *at)
{
    at->real[1] = at->counts.exit ? at->state[0] : 10;
}
static void prey_derivatives(test_instance *at, double *dx)
{
    dx[0] = at->state[0] * (0.1 - 0.02 * at->real[0]);
}

// y' = y (d x - c)
static void predator_derivatives(test_instance *at, double *dx)
{
    dx[0] = at->state[0] * (0.02 * at->real[0] - 0.4);
}

#define ME .can = {.rewind = true, .variable_step = true}

// clang-format off
#define PREY {"Prey", prey_variables, prey_init, prey_output, .derivatives = prey_derivatives, .n_states = 1, ME}
#define PREDATOR {"Predator", prey_variables, prey_init, prey_output, .derivatives = predator_derivatives, \
                  .n_states = 1, ME}
// clang-format on

// ---- running ---------------------------------------------------------------------------------------

typedef struct fixture {
    test_system s;
    takt_system *grouped;
    takt_plan *plan;
    takt_run *run;
    takt_error err;
    takt_status st;
} fixture;

static void start(fixture *f, test_model *models, const char *components, const char *connections,
                  const char *settings)
{
    *f = (fixture){0};
    test_system_init(&f->s, models, components, connections, settings);
    assert_int_equal(takt_group_system(f->s.system, &f->grouped, &f->err), TAKT_OK);
    const takt_system *system = f->grouped ? f->grouped : f->s.system;
    assert_int_equal(takt_plan_create(system, &f->plan, &f->err), TAKT_OK);
    assert_int_equal(takt_run_make(f->plan, &f->run, &f->err), TAKT_OK);
}

static void go(fixture *f)
{
    takt_progress progress = TAKT_RUNNING;
    f->st = takt_run_initialize(f->run, &f->err);
    while (!f->st && progress == TAKT_RUNNING) f->st = takt_run_step(f->run, &progress, &f->err);
}

static void go_well(fixture *f)
{
    go(f);
    if (f->st) fail_msg("%s", f->err.message);
}

static double value(const fixture *f, const char *name)
{
    for (int i = 0; takt_run_column(f->run, i); i++)
        if (strcmp(takt_run_column(f->run, i), name) == 0) return takt_run_value(f->run, i);
    fail_msg("no column %s", name);
    return NAN;
}

static void end(fixture *f)
{
    takt_run_destroy(f->run);
    takt_plan_destroy(f->plan);
    takt_system_destroy(f->grouped);
    test_system_clear(&f->s);
}

// ---- tests -----------------------------------------------------------------------------------------

// The solution by the classical method of Runge and Kutta with tiny steps: its own error is below 1e-11.
static void solve_exactly(double t_end, double *x, double *y)
{
    int n = (int)(t_end * 1000);
    double h = t_end / n;
    *x = *y = 10;
    for (int i = 0; i < n; i++) {
        double k[4][2], at[2] = {*x, *y};
        for (int s = 0; s < 4; s++) {
            double c = s == 0 ? 0 : s == 3 ? h : h / 2;
            double u = at[0] + (s ? c * k[s - 1][0] : 0), v = at[1] + (s ? c * k[s - 1][1] : 0);
            k[s][0] = u * (0.1 - 0.02 * v);
            k[s][1] = v * (0.02 * u - 0.4);
        }
        *x += h / 6 * (k[0][0] + 2 * k[1][0] + 2 * k[2][0] + k[3][0]);
        *y += h / 6 * (k[0][1] + 2 * k[1][1] + 2 * k[2][1] + k[3][1]);
    }
}

static void central_lotka_volterra_is_accurate_with_few_evaluations(void **state)
{
    (void)state;
    test_model models[] = {PREY, PREDATOR, {0}};
    fixture f;
    start(&f, models, "prey:Prey pred:Predator", "prey.x>pred.y pred.x>prey.y",
          "step-size=1 stop-time=100 solver-tolerance=1e-8");
    go_well(&f);
    double x, y;
    solve_exactly(100, &x, &y);
    takt_statistics stats;
    takt_run_statistics(f.run, &stats);
    printf("error %g %g, evaluations %lld\n", value(&f, "prey.x") - x, value(&f, "pred.x") - y,
           (long long)stats.instances[0].parts[0].derivatives);
    assert_near(value(&f, "prey.x"), x, 1e-6);
    assert_near(value(&f, "pred.x"), y, 1e-6);
    assert_int_equal(stats.n_instances, 1);
    assert_int_equal(stats.instances[0].n_parts, 2);
    assert_string_equal(stats.instances[0].name, "prey+pred");
    assert_string_equal(stats.instances[0].parts[1].name, "pred");
    assert_true(stats.instances[0].parts[0].derivatives < 3000);
    assert_true(stats.instances[0].parts[1].derivatives < 3000);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(central_lotka_volterra_is_accurate_with_few_evaluations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
