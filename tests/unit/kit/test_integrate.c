// SPDX-License-Identifier: MIT
// The kit's integrator without an FMU around it: its accuracy, and what it costs.
#include "support/test.h"

#include "core.h"

#include <stdlib.h>

typedef struct model_data {
    double u, x[2], der_x[2];
} model_data;

static long n_evaluations;

static const fmukit_variable variables[] = {
    {.name = "u", .causality = FMUKIT_INPUT, .field = FMUKIT_FIELD(model_data, u)},
    {.name = "x", .initial = FMUKIT_EXACT, .field = FMUKIT_FIELD(model_data, x[0])},
    {.name = "y", .initial = FMUKIT_EXACT, .field = FMUKIT_FIELD(model_data, x[1])},
    {.name = "der(x)", .field = FMUKIT_FIELD(model_data, der_x[0]), .derivative_of = "x"},
    {.name = "der(y)", .field = FMUKIT_FIELD(model_data, der_x[1]), .derivative_of = "y"},
};

static fmukit_status oscillate(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    model_data *m = model;
    n_evaluations++;
    m->der_x[0] = m->x[1];
    m->der_x[1] = -m->x[0];
    return FMUKIT_OK;
}

// x' = (0.1 - 0.02 y) x, y' = (-0.4 + 0.02 x) y
static fmukit_status hunt(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    model_data *m = model;
    n_evaluations++;
    m->der_x[0] = (0.1 - 0.02 * m->x[1]) * m->x[0];
    m->der_x[1] = (-0.4 + 0.02 * m->x[0]) * m->x[1];
    return FMUKIT_OK;
}

// The prey alone, driven by u; y follows u with a time constant of 0.1 ms.
static fmukit_status follow(fmukit_instance *fmu, void *model, double t)
{
    (void)fmu, (void)t;
    model_data *m = model;
    n_evaluations++;
    m->der_x[0] = (0.1 - 0.02 * m->u) * m->x[0];
    m->der_x[1] = 1e4 * (m->u - m->x[1]);
    return FMUKIT_OK;
}

static const fmukit_model oscillator = {.name = "Oscillator",
                                        .size = sizeof(model_data),
                                        .variables = variables,
                                        .n_variables = 5,
                                        .functions = {.evaluate = oscillate}};
static const fmukit_model hunters = {.name = "Hunters",
                                     .size = sizeof(model_data),
                                     .variables = variables,
                                     .n_variables = 5,
                                     .functions = {.evaluate = hunt}};
static const fmukit_model followers = {.name = "Followers",
                                       .size = sizeof(model_data),
                                       .variables = variables,
                                       .n_variables = 5,
                                       .functions = {.evaluate = follow}};

static void write_message(fmukit_instance *fmu, fmukit_status status, const char *category,
                          const char *text)
{
    (void)fmu, (void)status;
    print_error("%s: %s\n", category, text);
}

static model_data *start(fmukit_instance *fmu, const fmukit_model *model, double tolerance,
                         double x, double y)
{
    static const fmukit_interface interface = {.version = 2, .step_complete = "step complete"};
    *fmu = (fmukit_instance){.host = {.allocate = calloc, .release = free, .log = write_message},
                             .interface = &interface,
                             .enabled_categories = ~0u,
                             .call = "test"};
    assert_true(fmukit_instance_init(fmu, model, "a", ""));
    model_data *m = fmu->data;
    m->x[0] = x;
    m->x[1] = y;
    assert_int_equal(fmukit_set_up(fmu, tolerance, 0, false, 0), FMUKIT_OK);
    assert_int_equal(fmukit_enter_initialization(fmu), FMUKIT_OK);
    assert_int_equal(fmukit_exit_initialization(fmu), FMUKIT_OK);
    n_evaluations = 0;
    return m;
}

static void go(fmukit_instance *fmu, double h, int n)
{
    for (int i = 0; i < n; i++) assert_int_equal(fmukit_step(fmu, i * h, h), FMUKIT_OK);
}

// Over 16 periods the errors of single steps add up; their bound is per step.
static void the_error_is_about_the_tolerance(void **unused)
{
    (void)unused;
    for (double tolerance = 1e-5; tolerance > 1e-10; tolerance /= 10) {
        fmukit_instance fmu;
        model_data *m = start(&fmu, &oscillator, tolerance, 1, 0);
        go(&fmu, 1, 100);
        double error = hypot(m->x[0] - cos(100), m->x[1] + sin(100));
        assert_true(error < 20 * tolerance);
        assert_true(error > 0.5 * tolerance); // it does not do much more than what is asked for
        fmukit_instance_clear(&fmu);
    }
}

// A function of x and y that stays constant is the judge.
static void the_error_of_nonlinear_equations_is_about_the_tolerance(void **unused)
{
    (void)unused;
    for (double tolerance = 1e-5; tolerance > 1e-10; tolerance /= 10) {
        fmukit_instance fmu;
        model_data *m = start(&fmu, &hunters, tolerance, 10, 10);
        go(&fmu, 2, 50);
        double before = 0.02 * 20 - 0.4 * log(10) - 0.1 * log(10);
        double now = 0.02 * (m->x[0] + m->x[1]) - 0.4 * log(m->x[0]) - 0.1 * log(m->x[1]);
        assert_near(now, before, 10 * tolerance);
        fmukit_instance_clear(&fmu);
    }
}

// u = 5 + 3 sin t, by its derivatives up to the sixth. The exact x is 10 exp(3 0.02 (cos t - 1)).
static void inputs_that_move_do_not_cost_accuracy(void **unused)
{
    (void)unused;
    const double h = 0.05;
    fmukit_instance fmu;
    model_data *m = start(&fmu, &followers, 1e-9, 10, 5);
    for (int i = 0; i < 200; i++) {
        double t = i * h, s = 3 * sin(t), c = 3 * cos(t);
        const unsigned references[6] = {0};
        const int orders[] = {1, 2, 3, 4, 5, 6};
        const double derivatives[] = {c, -s, -c, s, c, -s};
        m->u = 5 + s;
        assert_int_equal(fmukit_set_input_derivatives(&fmu, references, 6, orders, derivatives),
                         FMUKIT_OK);
        assert_int_equal(fmukit_step(&fmu, t, h), FMUKIT_OK);
        double exact = 10 * exp(0.06 * (cos(t + h) - 1));
        assert_near(m->x[0], exact, 1e-8);
        assert_near(m->u, 5 + 3 * sin(t + h), 1e-11);
    }
    fmukit_instance_clear(&fmu);
}

static long evaluations(const fmukit_model *model, double h, int n)
{
    fmukit_instance fmu;
    start(&fmu, model, 1e-8, 1, 0);
    go(&fmu, h, n);
    fmukit_instance_clear(&fmu);
    return n_evaluations;
}

// The first slopes of each communication step are evaluated, as inputs may be others, and its last step is
// cut; all else costs nothing.
static void communication_points_cost_little(void **unused)
{
    (void)unused;
    long all = evaluations(&oscillator, 20, 1), parts = evaluations(&oscillator, 1, 20);
    assert_true(parts <= all + 20 * 7);
    all = evaluations(&followers, 1, 1); // steps are as short as stability asks for
    parts = evaluations(&followers, 0.01, 100);
    assert_true(parts <= all + 100 * 14);
}

// The step size is remembered, and it grows when communication steps do.
static void a_short_step_does_not_make_the_next_ones_short(void **unused)
{
    (void)unused;
    fmukit_instance fmu;
    start(&fmu, &oscillator, 1e-8, 1, 0);
    go(&fmu, 0.05, 20);
    assert_int_equal(n_evaluations, 20 * 7); // one step each
    assert_int_equal(fmukit_step(&fmu, 1, 1e-9), FMUKIT_OK);
    n_evaluations = 0;
    assert_int_equal(fmukit_step(&fmu, 1 + 1e-9, 0.05), FMUKIT_OK);
    assert_int_equal(n_evaluations, 7);
    fmukit_instance_clear(&fmu);
}

static void a_restored_state_gives_equal_bits(void **unused)
{
    (void)unused;
    fmukit_instance fmu;
    fmukit_snapshot *snapshot = NULL;
    model_data *m = start(&fmu, &oscillator, 1e-8, 1, 0);
    go(&fmu, 2, 3);
    assert_int_equal(fmukit_save(&fmu, &snapshot), FMUKIT_OK);
    double ends[2];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(fmukit_step(&fmu, 6, 3), FMUKIT_OK);
        ends[i] = m->x[0];
        assert_int_equal(fmukit_restore(&fmu, snapshot), FMUKIT_OK);
    }
    assert_true(ends[0] == ends[1]);
    fmukit_instance_clear(&fmu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_error_is_about_the_tolerance),
        cmocka_unit_test(the_error_of_nonlinear_equations_is_about_the_tolerance),
        cmocka_unit_test(inputs_that_move_do_not_cost_accuracy),
        cmocka_unit_test(communication_points_cost_little),
        cmocka_unit_test(a_short_step_does_not_make_the_next_ones_short),
        cmocka_unit_test(a_restored_state_gives_equal_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
