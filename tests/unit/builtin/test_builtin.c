// SPDX-License-Identifier: MIT
// Built-in functions: their sources, their models, and their instances by themselves.
#include "support/memory.h"
#include "support/test.h"

#include "builtin/builtin.h"
#include "instance/instance.h"

static takt_model *open_good(const char *source)
{
    takt_model *model = NULL;
    takt_error err = {0};
    assert_true(takt_builtin_is_source(source));
    if (takt_builtin_open(source, &model, &err)) fail_msg("%s", err.message);
    return model;
}

static void assert_refused(const char *source, const char *message)
{
    takt_model *model = NULL;
    takt_error err = {0};
    assert_int_equal(takt_builtin_open(source, &model, &err), TAKT_ERR_INPUT);
    assert_string_equal(err.message, message);
    assert_null(model);
}

static takt_instance *start(const takt_model *model)
{
    takt_instance *instance = NULL;
    takt_error err = {0};
    takt_interval interval = {.start = 0, .stop = 1, .has_stop = true};
    assert_int_equal(model->type->instantiate(model, "f", NULL, &instance, &err), TAKT_OK);
    assert_int_equal(model->type->enter_initialization(instance, &interval, &err), TAKT_OK);
    assert_int_equal(model->type->exit_initialization(instance, &err), TAKT_OK);
    return instance;
}

// Sets or reads one variable.
static double access_one(takt_instance *instance, const char *name, const double *value)
{
    takt_arena arena = {0};
    takt_access access;
    takt_error err = {0};
    double number = value ? *value : NAN;
    takt_values values = {.real = &number};
    int variable = takt_model_find(instance->model, name);
    if (variable < 0) fail_msg("there is no variable %s", name);
    assert_true(takt_access_create(&arena, instance->model, &variable, 1, &access, NULL));
    takt_status st = value ? instance->type->set(instance, &access, &values, &err)
                           : instance->type->get(instance, &access, &values, &err);
    assert_int_equal(st, TAKT_OK);
    takt_arena_clear(&arena);
    return number;
}

static void put(takt_instance *instance, const char *name, double value)
{
    access_one(instance, name, &value);
}

static double read_one(takt_instance *instance, const char *name)
{
    return access_one(instance, name, NULL);
}

static void end(takt_instance *instance, takt_model *model)
{
    instance->type->destroy(instance);
    takt_model_close(model);
}

static void linear_is_factor_times_input_plus_offset(void **state)
{
    (void)state;
    takt_model *model = open_good("builtin:linear?factor=0.5&offset=-1e2");
    takt_instance *f = start(model);
    put(f, "in", 3);
    assert_near(read_one(f, "out"), -98.5, 0);
    assert_near(read_one(f, "in"), 3, 0);
    put(f, "factor", 2);
    put(f, "offset", 1);
    assert_near(read_one(f, "out"), 7, 0);
    end(f, model);
}

static void linear_without_options_passes_on(void **state)
{
    (void)state;
    takt_model *model = open_good("builtin:linear");
    takt_instance *f = start(model);
    put(f, "in", 0.1);
    assert_near(read_one(f, "out"), 0.1, 0);
    end(f, model);
}

static void sum_adds_all_inputs(void **state)
{
    (void)state;
    takt_model *model = open_good("builtin:sum?inputs=3");
    assert_int_equal(model->n_variables, 4);
    takt_instance *f = start(model);
    put(f, "in[0]", 1);
    put(f, "in[1]", 20);
    put(f, "in[2]", 300);
    assert_near(read_one(f, "out"), 321, 0);
    end(f, model);
}

static void vectorsum_adds_element_by_element(void **state)
{
    (void)state;
    takt_model *model = open_good("builtin:vectorsum?inputs=2&dimension=3");
    takt_instance *f = start(model);
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 3; j++) {
            char name[32];
            snprintf(name, sizeof name, "in[%d][%d]", i, j);
            put(f, name, i ? 10 * (j + 1) : j + 1);
        }
    }
    assert_near(read_one(f, "out[0]"), 11, 0);
    assert_near(read_one(f, "out[1]"), 22, 0);
    assert_near(read_one(f, "out[2]"), 33, 0);
    end(f, model);
}

static void an_output_depends_on_its_own_element_only(void **state)
{
    (void)state;
    takt_model *model = open_good("builtin:vectorsum?inputs=2&dimension=2");
    assert_true(model->is_function && takt_model_can_rewind(model) && model->can.variable_step);
    assert_int_equal(model->n_outputs, 2);
    const takt_dependency *second = &model->outputs[1];
    assert_int_equal(second->variable, takt_model_find(model, "out[1]"));
    assert_true(second->is_known);
    assert_int_equal(second->n_known, 2);
    assert_int_equal(second->known[0], takt_model_find(model, "in[0][1]"));
    assert_int_equal(second->known[1], takt_model_find(model, "in[1][1]"));
    takt_model_close(model);
}

static void a_function_can_be_rewound(void **state)
{
    (void)state;
    takt_model *model = open_good("builtin:sum?inputs=2");
    takt_instance *f = start(model);
    takt_error err = {0};
    void *saved = NULL;
    takt_step_result result;
    put(f, "in[0]", 1);
    assert_int_equal(f->type->save(f, &saved, &err), TAKT_OK);
    put(f, "in[0]", 5);
    assert_int_equal(f->type->step(f, 0, 0.5, true, &result, &err), TAKT_OK);
    assert_int_equal(result.end, TAKT_STEP_DONE);
    assert_near(result.time, 0.5, 0);
    assert_near(read_one(f, "out"), 5, 0);
    assert_int_equal(f->type->restore(f, saved, &err), TAKT_OK);
    assert_near(read_one(f, "out"), 1, 0);
    assert_int_equal(f->type->save(f, &saved, &err), TAKT_OK); // memory is reused
    f->type->free_state(f, &saved);
    assert_null(saved);
    end(f, model);
}

static void the_state_of_a_function_is_bytes(void **state)
{
    (void)state;
    takt_model *model = open_good("builtin:sum?inputs=2");
    takt_instance *f = start(model);
    takt_error err = {0};
    takt_bytes bytes = {0};
    void *saved = NULL, *other = NULL;
    assert_true(takt_model_can_serialize(model));
    put(f, "in[0]", 1);
    assert_int_equal(f->type->save(f, &saved, &err), TAKT_OK);
    assert_int_equal(f->type->serialize(f, saved, &bytes, &err), TAKT_OK);
    put(f, "in[0]", 5);
    assert_int_equal(f->type->deserialize(f, bytes.data, bytes.size, &other, &err), TAKT_OK);
    assert_int_equal(f->type->deserialize(f, bytes.data, bytes.size, &other, &err), TAKT_OK);
    assert_int_equal(f->type->restore(f, other, &err), TAKT_OK);
    assert_near(read_one(f, "out"), 1, 0);
    assert_int_equal(f->type->deserialize(f, bytes.data, bytes.size - 1, &other, &err),
                     TAKT_ERR_INPUT);
    f->type->free_state(f, &saved);
    f->type->free_state(f, &other);
    takt_bytes_clear(&bytes);
    end(f, model);
}

static void derivatives_are_exact(void **state)
{
    (void)state;
    takt_model *model = open_good("builtin:linear?factor=3&offset=1");
    takt_instance *f = start(model);
    takt_arena arena = {0};
    takt_access in, out;
    takt_error err = {0};
    int input = takt_model_find(model, "in"), output = takt_model_find(model, "out");
    double seed = 2, derivative = NAN;
    assert_true(takt_access_create(&arena, model, &input, 1, &in, NULL));
    assert_true(takt_access_create(&arena, model, &output, 1, &out, NULL));
    assert_int_equal(f->type->differentiate(f, &out, &in, &seed, &derivative, &err), TAKT_OK);
    assert_near(derivative, 6, 0);
    takt_arena_clear(&arena);
    end(f, model);
}

static void wrong_sources_are_refused(void **state)
{
    (void)state;
    assert_false(takt_builtin_is_source("fmus/builtin.fmu"));
    assert_refused("builtin:summ?inputs=2",
                   "built-in builtin:summ?inputs=2: there is no 'summ'; did you mean 'sum'?");
    assert_refused("builtin:",
                   "built-in builtin:: there is no ''; possible are linear, sum and vectorsum");
    assert_refused("builtin:sum", "built-in builtin:sum: the option 'inputs' is missing");
    assert_refused("builtin:sum?inputs", "built-in builtin:sum?inputs: 'inputs' has no value; "
                                         "write inputs=NUMBER");
    assert_refused("builtin:sum?inputs=0", "built-in builtin:sum?inputs=0: inputs=0 must be a "
                                           "whole number from 1 to 100000");
    assert_refused("builtin:sum?input=2", "built-in builtin:sum?input=2: sum has no option "
                                          "'input'; did you mean 'inputs'?");
    assert_refused("builtin:sum?inputs=2&inputs=3",
                   "built-in builtin:sum?inputs=2&inputs=3: 'inputs' is given twice");
    assert_refused("builtin:linear?factor=nan",
                   "built-in builtin:linear?factor=nan: factor=nan is not a finite number");
    assert_refused("builtin:vectorsum?inputs=100000&dimension=100000",
                   "built-in builtin:vectorsum?inputs=100000&dimension=100000: more than 100000 "
                   "inputs are not possible");
    assert_refused("builtin:linear?", "built-in builtin:linear?: linear has no option ''");
}

static void attempt(void *context)
{
    takt_model *model = NULL;
    takt_instance *instance = NULL;
    takt_error err = {0};
    void *saved = NULL;
    takt_status st = takt_builtin_open(context, &model, &err);
    if (!st) st = model->type->instantiate(model, "f", NULL, &instance, &err);
    if (!st) st = model->type->save(instance, &saved, &err);
    int has_failed = test_memory_has_failed();
    if (instance) model->type->free_state(instance, &saved);
    if (instance) model->type->destroy(instance);
    takt_model_close(model);
    assert_int_equal(st, has_failed ? TAKT_ERR_MEMORY : TAKT_OK);
}

static void exhausted_memory_is_reported(void **state)
{
    (void)state;
    char source[] = "builtin:vectorsum?inputs=2&dimension=2";
    assert_true(test_memory_fail_each(attempt, source) >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_is_factor_times_input_plus_offset),
        cmocka_unit_test(linear_without_options_passes_on),
        cmocka_unit_test(sum_adds_all_inputs),
        cmocka_unit_test(vectorsum_adds_element_by_element),
        cmocka_unit_test(an_output_depends_on_its_own_element_only),
        cmocka_unit_test(a_function_can_be_rewound),
        cmocka_unit_test(the_state_of_a_function_is_bytes),
        cmocka_unit_test(derivatives_are_exact),
        cmocka_unit_test(wrong_sources_are_refused),
        cmocka_unit_test(exhausted_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
