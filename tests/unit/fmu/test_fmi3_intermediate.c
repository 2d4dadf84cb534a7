// SPDX-License-Identifier: MIT
// Derivatives by time in FMI 3.0: outputs give them, inputs follow them by intermediate update.
#include "unit/fmu/tiny3_fixture.h"

#define UPDATES "providesIntermediateUpdate='true' maxOutputDerivativeOrder='1'"

static takt_status set_motion(fixture *f, const char *const names[], int n, double t, int order,
                              const double *derivatives)
{
    // It has to live until the step is over.
    takt_access *access = takt_arena_array(&f->arena, 1, sizeof *access);
    assert_non_null(access);
    *access = access_to(f, names, n);
    return f->instance->type->set_motion(f->instance, t, access, order, derivatives, &f->err);
}

static takt_status step(fixture *f, double t)
{
    takt_step_result result;
    return f->instance->type->step(f->instance, t, 0.1, true, &result, &f->err);
}

static const char *const u = "u";

static void only_variables_of_intermediate_update_can_move(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = UPDATES});
    const takt_map *names = &f->model->names;
    assert_true(takt_model_interpolates(f->model, takt_map_find(names, "u")));
    assert_true(takt_model_interpolates(f->model, takt_map_find(names, "a[2,3]")));
    assert_false(takt_model_interpolates(f->model, takt_map_find(names, "f32_in")));
    assert_false(takt_model_interpolates(f->model, takt_map_find(names, "x")));
    assert_true(takt_model_derives(f->model, takt_map_find(names, "x")));
    assert_false(takt_model_derives(f->model, takt_map_find(names, "u")));
    assert_int_equal(counters(f)->n_intermediate, 2); // u and the array a, once
}

static void without_intermediate_update_nothing_is_asked_for(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){0});
    assert_false(takt_model_interpolates(f->model, takt_map_find(&f->model->names, "u")));
    assert_int_equal(counters(f)->n_intermediate, 0);
}

// From t = 0.2 on the input is 1 + 4 (t - 0.2); the FMU asks in the middle of the step.
static void inputs_are_set_where_the_fmu_asks_for_them(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = UPDATES});
    initialize(f, T_MODE_LINES);
    assert_int_equal(step(f, 0), TAKT_OK); // nothing moves yet
    assert_near(get_real(f, "x"), 0.1, 1e-15);
    assert_near(get_real(f, "u"), 1, 0);
    assert_int_equal(set_motion(f, &u, 1, 0.2, 1, (double[]){1, 4}), TAKT_OK);
    assert_int_equal(step(f, 0.2), TAKT_OK);
    assert_near(get_real(f, "u"), 1.2, 1e-15);
    assert_near(get_real(f, "x"), 0.1 + 0.1 * 1.2, 1e-15);
    // The next step is another one: the input rests.
    assert_int_equal(step(f, 0.3), TAKT_OK);
    assert_near(get_real(f, "u"), 1.2, 1e-15);
}

// u = 1 + 2 s - 6 s^2 / 2 + 12 s^3 / 6, asked for at s = 0.05
static void inputs_follow_polynomials(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = UPDATES});
    initialize(f, T_MODE_LINES);
    assert_int_equal(takt_instance_motion_order(f->instance), 6);
    assert_int_equal(set_motion(f, &u, 1, 0.2, 3, (double[]){1, 2, -6, 12}), TAKT_OK);
    assert_int_equal(step(f, 0.2), TAKT_OK);
    assert_near(get_real(f, "u"), 1 + 0.1 - 3 * 0.0025 + 2 * 0.000125, 1e-15);
}

static void after_an_early_return_inputs_go_on(void **state)
{
    fixture *f = *state;
    takt_step_result result;
    instantiate(f, (options){.attributes = UPDATES});
    initialize(f, T_MODE_LINES_EARLY);
    assert_int_equal(set_motion(f, &u, 1, 0.5, 1, (double[]){1, 4}), TAKT_OK);
    takt_status st = f->instance->type->step(f->instance, 0.5, 0.1, true, &result, &f->err);
    assert_true(st == TAKT_OK && result.end == TAKT_STEP_EARLY);
    st = f->instance->type->step(f->instance, 0.55, 0.05, true, &result, &f->err);
    assert_true(st == TAKT_OK && result.end == TAKT_STEP_DONE);
    assert_near(get_real(f, "u"), 1 + 4 * 0.075, 1e-15);
}

static void times_outside_of_the_step_count_as_its_ends(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = UPDATES});
    initialize(f, T_MODE_LINES_AFTER);
    assert_int_equal(set_motion(f, &u, 1, 0, 1, (double[]){1, 4}), TAKT_OK);
    assert_int_equal(step(f, 0), TAKT_OK);
    assert_near(get_real(f, "u"), 1.4, 1e-15);
    assert_int_equal(set_one(f, "mode", 0, T_MODE_LINES_NAN), TAKT_OK);
    assert_int_equal(set_motion(f, &u, 1, 0, 1, (double[]){1, 4}), TAKT_OK);
    assert_int_equal(step(f, 0), TAKT_OK);
    assert_near(get_real(f, "u"), 1, 0);
}

static void elements_of_an_array_leave_the_others_alone(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = UPDATES});
    initialize(f, T_MODE_LINES);
    static const char *const names[] = {"a[1,2]", "u", "a[2,3]"};
    assert_int_equal(set_motion(f, names, 3, 0, 1, (double[]){2, 1, 6, 10, 20, -20}), TAKT_OK);
    assert_int_equal(step(f, 0), TAKT_OK);
    assert_near(get_real(f, "u"), 2, 1e-15);
    static const double expected[] = {1, 2.5, 3, 4, 5, 5};
    static const char *const b[] = {"b[1,1]", "b[1,2]", "b[1,3]", "b[2,1]", "b[2,2]", "b[2,3]"};
    for (int i = 0; i < 6; i++) assert_near(get_real(f, b[i]), expected[i], 1e-15);
}

static void inputs_that_the_fmu_refuses_within_a_step_fail_it(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = UPDATES});
    initialize(f, T_MODE_LINES_REFUSED);
    assert_int_equal(set_motion(f, &u, 1, 0, 1, (double[]){1, 4}), TAKT_OK);
    assert_int_equal(step(f, 0), TAKT_ERR_SIMULATION);
    assert_string_equal(f->err.message,
                        "within the step: fmi3SetFloat64 of 'u' failed (status error)");
}

static void derivatives_of_outputs_are_read(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = UPDATES});
    initialize(f, T_MODE_NORMAL);
    static const char *const elements[] = {"b[2,1]", "x", "b[1,2]"};
    static const char *const whole[] = {"b[1,1]", "b[1,2]", "b[1,3]", "b[2,1]", "b[2,2]", "b[2,3]"};
    takt_access access = access_to(f, elements, 3);
    double derivatives[6];
    const takt_instance_type *type = f->instance->type;
    assert_int_equal(type->get_derivatives(f->instance, &access, derivatives, &f->err), TAKT_OK);
    assert_true(derivatives[0] == 40 && derivatives[1] == 1 && derivatives[2] == 20);
    access = access_to(f, whole, 6);
    assert_int_equal(type->get_derivatives(f->instance, &access, derivatives, &f->err), TAKT_OK);
    for (int i = 0; i < 6; i++) assert_true(derivatives[i] == 10 * (i + 1));
    access = access_to(f, (const char *const[]){"y"}, 1);
    assert_int_equal(type->get_derivatives(f->instance, &access, derivatives, &f->err),
                     TAKT_ERR_SIMULATION);
    assert_string_equal(f->err.message, "fmi3GetOutputDerivatives of 'y' failed (status error)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(only_variables_of_intermediate_update_can_move),
        TEST(without_intermediate_update_nothing_is_asked_for),
        TEST(inputs_are_set_where_the_fmu_asks_for_them),
        TEST(inputs_follow_polynomials),
        TEST(after_an_early_return_inputs_go_on),
        TEST(times_outside_of_the_step_count_as_its_ends),
        TEST(elements_of_an_array_leave_the_others_alone),
        TEST(inputs_that_the_fmu_refuses_within_a_step_fail_it),
        TEST(derivatives_of_outputs_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
