// SPDX-License-Identifier: MIT
// Inputs along polynomials within a step, for FMUs of every version and interface: x' = u - x, x(0) = 0.
#include "support/test.h"

#include "fmu/open.h"

typedef struct fixture {
    test_log log;
    takt_arena arena;
    takt_model *model;
    takt_instance *instance;
    takt_access u, x;
    takt_error err;
} fixture;

static const struct {
    const char *path;
    bool is_exchange;
} fmus[] = {
    {TEST_FMUS "/Lag_fmi1.fmu", false}, {TEST_FMUS "/Lag.fmu", false},
    {TEST_FMUS "/Lag_fmi3.fmu", false}, {TEST_FMUS "/Lag_fmi1me.fmu", true},
    {TEST_FMUS "/Lag.fmu", true},       {TEST_FMUS "/Lag_fmi3.fmu", true},
};
enum { N_FMUS = sizeof fmus / sizeof *fmus };

static takt_access access_to(fixture *f, const char *name)
{
    takt_access access;
    int variable = takt_model_find(f->model, name);
    assert_true(takt_access_create(&f->arena, f->model, &variable, 1, &access, NULL));
    return access;
}

static void start(fixture *f, const char *path, bool is_exchange)
{
    const takt_fmu_options options = {.prefers_me = is_exchange};
    const takt_interval interval = {
        .stop = 4, .has_stop = true, .tolerance = 1e-9, .has_tolerance = true};
    *f = (fixture){0};
    test_log_init(&f->log);
    takt_status st = takt_fmu_open_with(path, &options, f->log.log, &f->model, &f->err);
    if (st) fail_msg("%s", f->err.message);
    const takt_instance_type *type = f->model->type;
    f->u = access_to(f, "u");
    f->x = access_to(f, "x");
    st = type->instantiate(f->model, "it", f->log.log, &f->instance, &f->err);
    if (!st) st = type->enter_initialization(f->instance, &interval, &f->err);
    if (!st) st = type->exit_initialization(f->instance, &f->err);
    if (st) fail_msg("%s: %s", path, f->err.message);
}

static void end(fixture *f)
{
    f->instance->type->destroy(f->instance);
    takt_model_close(f->model);
    takt_arena_clear(&f->arena);
    test_log_clear(&f->log);
}

// A step in which u is the polynomial with these derivatives at t. Order 0: it is held.
static void step(fixture *f, double t, double h, int order, const double *derivatives)
{
    const takt_instance_type *type = f->instance->type;
    const takt_values values = {.real = (double[]){derivatives[0]}};
    takt_step_result result;
    takt_status st = type->set(f->instance, &f->u, &values, &f->err);
    if (!st && order > 0) st = type->set_motion(f->instance, t, &f->u, order, derivatives, &f->err);
    if (!st) st = type->step(f->instance, t, h, true, &result, &f->err);
    if (st) fail_msg("%s", f->err.message);
    assert_int_equal(result.end, TAKT_STEP_DONE);
}

static double get(fixture *f, const takt_access *access)
{
    double value = NAN;
    takt_values values = {.real = &value};
    assert_int_equal(f->instance->type->get(f->instance, access, &values, &f->err), TAKT_OK);
    return value;
}

// u = t^5, so that x = t^5 - 5 t^4 + 20 t^3 - 60 t^2 + 120 t - 120 + 120 exp(-t).
static void a_polynomial_is_followed_exactly(void **state)
{
    (void)state;
    for (int i = 0; i < N_FMUS; i++) {
        fixture f;
        start(&f, fmus[i].path, fmus[i].is_exchange);
        assert_int_equal(takt_instance_motion_order(f.instance), TAKT_MAX_MOTION_ORDER);
        for (int k = 0; k < 4; k++) {
            double t = 0.5 * k;
            step(&f, t, 0.5, 5,
                 (double[]){pow(t, 5), 5 * pow(t, 4), 20 * pow(t, 3), 60 * t * t, 120 * t, 120});
        }
        const double exact = 32 - 80 + 160 - 240 + 240 - 120 + 120 * exp(-2);
        assert_near(get(&f, &f.x), exact, 50e-9 * exact); // errors of single steps add up
        assert_near(get(&f, &f.u), 32, 1e-13); // as it is at the end
        end(&f);
    }
}

// u = sin t by its derivatives up to `order`; x = (sin t - cos t + exp(-t)) / 2.
static double error_with(int i_fmu, int order, int n_steps)
{
    fixture f;
    start(&f, fmus[i_fmu].path, fmus[i_fmu].is_exchange);
    const double h = 3.0 / n_steps;
    for (int k = 0; k < n_steps; k++) {
        double s = sin(k * h), c = cos(k * h);
        step(&f, k * h, h, order, (double[]){s, c, -s, -c, s, c, -s});
    }
    double error = fabs(get(&f, &f.x) - (sin(3) - cos(3) + exp(-3)) / 2);
    end(&f);
    return error;
}

static void each_derivative_raises_the_order_of_convergence_by_one(void **state)
{
    (void)state;
    for (int i = 0; i < N_FMUS; i++) {
        for (int order = 0; order <= 3; order++) {
            double coarse = error_with(i, order, 15), fine = error_with(i, order, 30);
            assert_near(log2(coarse / fine), order + 1, 0.2);
        }
    }
}

static void a_motion_counts_for_one_step(void **state)
{
    (void)state;
    for (int i = 0; i < N_FMUS; i++) {
        fixture f;
        start(&f, fmus[i].path, fmus[i].is_exchange);
        step(&f, 0, 1, 2, (double[]){0, 0, 2}); // u = t^2
        double x = get(&f, &f.x);
        step(&f, 1, 1, 0, (double[]){1});
        assert_near(get(&f, &f.x), 1 - (1 - x) * exp(-1), 5e-8);
        end(&f);
    }
}

static void fmus_that_hold_their_inputs_say_so(void **state)
{
    (void)state;
    static const char *const paths[] = {TEST_FMUS "/LagHeld.fmu", TEST_FMUS "/LagHeld_fmi3.fmu"};
    for (int i = 0; i < 2; i++) {
        fixture f;
        start(&f, paths[i], false);
        assert_int_equal(takt_instance_motion_order(f.instance), 0);
        step(&f, 0, 1, 0, (double[]){1});
        assert_near(get(&f, &f.x), 1 - exp(-1), 5e-8);
        end(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_polynomial_is_followed_exactly),
        cmocka_unit_test(each_derivative_raises_the_order_of_convergence_by_one),
        cmocka_unit_test(a_motion_counts_for_one_step),
        cmocka_unit_test(fmus_that_hold_their_inputs_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
