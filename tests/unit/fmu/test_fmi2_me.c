// SPDX-License-Identifier: MIT
#include "support/archive.h"
#include "support/test.h"

#include "fmu/model.h"
#include "fmu/open.h"
#include "unit/fmu/me_fmu.h"

#define VARIABLE(name, ref, attributes, type)                                                      \
    "<ScalarVariable name='" name "' valueReference='" ref "' " attributes ">" type                \
    "</ScalarVariable>\n"

// Attributes of the FMU, of its interface, discrete variables, the rest of the variables, derivatives.
static const char description[] =
    "<?xml version='1.0' encoding='UTF-8'?>\n"
    "<fmiModelDescription fmiVersion='2.0' modelName='Ball' guid='g' %s>\n"
    "<ModelExchange modelIdentifier='ball' %s/>\n"
    "<ModelVariables>\n" VARIABLE("u", "0", "causality='input'", "<Real start='0'/>")
        VARIABLE("x1", "1", "causality='output'", "<Real/>")
            VARIABLE("x2", "2", "causality='output'", "<Real/>")
                VARIABLE("der1", "5", "", "<Real derivative='2'/>")
                    VARIABLE("der2", "6", "", "<Real derivative='3'/>")
                        VARIABLE("mode", "0", "causality='parameter' variability='fixed'",
                                 "<Integer start='0'/>") "%s"
                                                         "</ModelVariables><ModelStructure>"
                                                         "<Outputs>%s</Outputs>%s"
                                                         "</ModelStructure></fmiModelDescription>";

static const char discrete[] =
    VARIABLE("t_event", "3", "causality='output' variability='discrete'", "<Real/>")
        VARIABLE("n_events", "4", "causality='output' variability='discrete'", "<Real/>");

typedef struct options {
    int mode;
    bool has_indicator, has_discrete, has_no_states, can_save;
    takt_fmu_options fmu;
} options;

typedef struct fixture {
    test_folder folder;
    test_log log;
    takt_model *model;
    takt_instance *instance;
    takt_arena arena;
    takt_error err;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    f->folder = test_folder_create();
    test_log_init(&f->log);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    if (f->instance) f->instance->type->destroy(f->instance);
    takt_model_close(f->model);
    takt_arena_clear(&f->arena);
    test_log_clear(&f->log);
    test_folder_remove(&f->folder);
    free(f);
    return 0;
}

static double get(fixture *f, const char *name)
{
    double value = NAN;
    int variable = takt_model_find(f->model, name);
    takt_access access;
    assert_true(variable >= 0);
    assert_true(takt_access_create(&f->arena, f->model, &variable, 1, &access, NULL));
    assert_int_equal(
        f->instance->type->get(f->instance, &access, &(takt_values){.real = &value}, &f->err),
        TAKT_OK);
    return value;
}

static void set(fixture *f, const char *name, double real, int64_t integer)
{
    int variable = takt_model_find(f->model, name);
    takt_access access;
    assert_true(takt_access_create(&f->arena, f->model, &variable, 1, &access, NULL));
    assert_int_equal(f->instance->type->set(f->instance, &access,
                                            &(takt_values){.real = &real, .integer = &integer},
                                            &f->err),
                     TAKT_OK);
}

// Opens, instantiates and initializes the FMU.
static void start(fixture *f, options o)
{
    char path[512], text[8192];
    const takt_interval interval = {.start = 0, .stop = 1, .has_stop = true};
    snprintf(path, sizeof path, "%s/ball.fmu", f->folder.path);
    snprintf(text, sizeof text, description, o.has_indicator ? "numberOfEventIndicators='1'" : "",
             o.can_save ? "canGetAndSetFMUstate='true'" : "", o.has_discrete ? discrete : "",
             o.has_discrete ? "<Unknown index='2'/><Unknown index='3'/><Unknown index='7'/>"
                              "<Unknown index='8'/>"
                            : "<Unknown index='2'/><Unknown index='3'/>",
             o.has_no_states
                 ? ""
                 : "<Derivatives><Unknown index='4'/><Unknown index='5'/></Derivatives>");
    test_archive(path,
                 (test_entry[]){{.name = "binaries/linux64/ball.so", .file = TEST_ME},
                                {.name = "modelDescription.xml", .data = text}},
                 2);
    if (takt_fmu_open_with(path, &o.fmu, f->log.log, &f->model, &f->err))
        fail_msg("%s", f->err.message);
    const takt_instance_type *type = f->model->type;
    assert_int_equal(type->instantiate(f->model, "ball", f->log.log, &f->instance, &f->err),
                     TAKT_OK);
    set(f, "mode", 0, o.mode);
    assert_int_equal(type->enter_initialization(f->instance, &interval, &f->err), TAKT_OK);
    if (type->exit_initialization(f->instance, &f->err)) fail_msg("%s", f->err.message);
}

static takt_status step(fixture *f, double t, double h, takt_step_result *result)
{
    return f->instance->type->step(f->instance, t, h, true, result, &f->err);
}

// Ten steps to t = 1, or until something happens.
static takt_status run(fixture *f, takt_step_result *result)
{
    takt_status st = TAKT_OK;
    for (int i = 0; i < 10 && !st; i++) {
        st = step(f, i * 0.1, 0.1, result);
        if (!st && result->end != TAKT_STEP_DONE) break;
    }
    return st;
}

static void run_to_end(fixture *f)
{
    takt_step_result result;
    if (run(f, &result)) fail_msg("%s", f->err.message);
    assert_int_equal(result.end, TAKT_STEP_DONE);
    assert_near(result.time, 1, 1e-12);
}

// ---- equations -------------------------------------------------------------------------------------

static void every_solver_integrates_the_states(void **state)
{
    static const double tolerances[] = {1e-7, 1e-7, 0.01, 1e-7};
    for (int method = 0; method < TAKT_N_ODE_METHODS; method++) {
        fixture *f = *state;
        start(f, (options){.fmu.me = {.method = (takt_ode_method)method, .relative = 1e-9}});
        assert_string_equal(f->model->type->name, "FMI 2.0 model exchange");
        run_to_end(f);
        assert_near(get(f, "x1"), exp(-1), tolerances[method]);
        assert_near(get(f, "x2"), 1 - exp(-1), tolerances[method]);
        teardown(state);
        setup(state);
    }
}

static void the_tolerance_of_the_run_is_used_unless_the_solver_has_its_own(void **state)
{
    fixture *f = *state;
    start(f, (options){0});
    run_to_end(f);
    assert_near(get(f, "x1"), exp(-1), 1e-4);
}

static void inputs_are_held_during_a_step(void **state)
{
    fixture *f = *state;
    takt_step_result result;
    start(f, (options){.fmu.me.relative = 1e-9});
    set(f, "u", 2, 0);
    assert_int_equal(step(f, 0, 0.5, &result), TAKT_OK);
    assert_near(get(f, "x1"), 2 - exp(-0.5), 1e-7);
    set(f, "u", get(f, "x1"), 0);
    assert_int_equal(step(f, 0.5, 0.5, &result), TAKT_OK);
    assert_near(get(f, "x1"), 2 - exp(-0.5), 1e-7);
}

static void an_fmu_without_states_is_run(void **state)
{
    fixture *f = *state;
    start(f, (options){.mode = ME_TIME_EVENT, .has_discrete = true, .has_no_states = true});
    run_to_end(f);
    assert_true(get(f, "t_event") == 0.37);
    assert_true(get(f, "x1") == 1);
}

// ---- events ----------------------------------------------------------------------------------------

static void bounces_are_found_to_a_millionth_of_a_second(void **state)
{
    for (int method = 0; method < TAKT_N_ODE_METHODS; method++) {
        if (method == TAKT_EULER) continue; // is not that good
        fixture *f = *state;
        start(f, (options){.mode = ME_BALL,
                           .has_indicator = true,
                           .has_discrete = true,
                           .fmu.me = {.method = (takt_ode_method)method, .relative = 1e-9}});
        run_to_end(f);
        double first = sqrt(2 / 9.81), speed = 0.7 * 9.81 * first, rest = 1 - first;
        assert_true(get(f, "n_events") == 1);
        assert_near(get(f, "t_event"), first, 1e-6);
        assert_near(get(f, "x1"), speed * rest - 9.81 / 2 * rest * rest, 1e-5);
        teardown(state);
        setup(state);
    }
}

static void no_bounce_is_lost_in_one_long_step(void **state)
{
    fixture *f = *state;
    takt_step_result result;
    start(f, (options){.mode = ME_BALL,
                       .has_indicator = true,
                       .has_discrete = true,
                       .fmu.me.relative = 1e-10});
    assert_int_equal(step(f, 0, 2.4, &result), TAKT_OK);
    double t = sqrt(2 / 9.81), flight = 2 * t * 0.7, last = t;
    int n = 1;
    while (last + flight < 2.4) {
        last += flight;
        flight *= 0.7;
        n++;
    }
    assert_true(get(f, "n_events") == n);
    assert_near(get(f, "t_event"), last, 1e-6);
}

static void a_time_event_is_hit_exactly(void **state)
{
    fixture *f = *state;
    start(f, (options){.mode = ME_TIME_EVENT, .has_discrete = true});
    run_to_end(f);
    assert_true(get(f, "t_event") == 0.37);
    assert_true(get(f, "n_events") == 1);
}

static void a_step_event_is_handled_once(void **state)
{
    fixture *f = *state;
    start(f, (options){.mode = ME_STEP_EVENT, .has_discrete = true});
    run_to_end(f);
    assert_true(get(f, "t_event") > 0.37 && get(f, "t_event") <= 0.5);
    assert_true(get(f, "n_events") == 1);
}

static void an_input_that_jumps_across_an_indicator_is_an_event(void **state)
{
    fixture *f = *state;
    takt_step_result result;
    start(f, (options){.mode = ME_BY_INPUT, .has_indicator = true, .has_discrete = true});
    assert_int_equal(step(f, 0, 0.5, &result), TAKT_OK);
    assert_true(get(f, "n_events") == 0);
    set(f, "u", 1, 0);
    assert_int_equal(step(f, 0.5, 0.5, &result), TAKT_OK);
    assert_true(get(f, "n_events") == 1);
    assert_true(get(f, "t_event") == 0.5);
}

static void nominal_values_may_change(void **state)
{
    fixture *f = *state;
    start(f, (options){.mode = ME_NOMINALS, .has_discrete = true, .fmu.me.relative = 1e-8});
    run_to_end(f);
    assert_near(get(f, "x1"), exp(-1), 1e-6);
}

static void the_fmu_may_end_the_simulation(void **state)
{
    fixture *f = *state;
    takt_step_result result;
    start(f, (options){.mode = ME_TERMINATE, .has_discrete = true});
    assert_int_equal(run(f, &result), TAKT_OK);
    assert_int_equal(result.end, TAKT_STEP_TERMINATED);
    assert_true(result.time == 0.37);
}

// ---- what goes wrong -------------------------------------------------------------------------------

static void what_cannot_go_on_fails_with_a_message(void **state)
{
    static const struct {
        int mode;
        const char *message;
    } cases[] = {
        {ME_NAN, "the derivative of continuous state 2 of 2 is "},
        {ME_DISCARD, "s: the "},
        {ME_ERROR, "fmi2GetDerivatives failed (status error)"},
        {ME_ENDLESS_UPDATES, "the discrete states do not come to rest after 1000 updates"},
        {ME_CHATTER, "the model chatters between discrete states"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int method = 0; method < TAKT_N_ODE_METHODS; method++) {
            fixture *f = *state;
            takt_step_result result;
            start(f, (options){.mode = cases[i].mode,
                               .has_indicator = true,
                               .has_discrete = true,
                               .fmu.me.method = (takt_ode_method)method});
            if (!run(f, &result))
                fail_msg("mode %d goes on with %s", cases[i].mode,
                         takt_ode_method_name((takt_ode_method)method));
            assert_contains(f->err.message, cases[i].message);
            if (cases[i].mode != ME_ENDLESS_UPDATES && cases[i].mode != ME_ERROR)
                assert_contains(f->err.message, "t=0.3");
            teardown(state);
            setup(state);
        }
}

static void an_event_that_is_demanded_again_and_again_is_put_off(void **state)
{
    for (int method = 0; method < TAKT_N_ODE_METHODS; method++) {
        fixture *f = *state;
        takt_step_result result;
        test_log_clear(&f->log); // a thousand events would fill it
        test_log_init_level(&f->log, TAKT_LEVEL_WARN);
        start(f, (options){.mode = ME_ENDLESS_EVENTS,
                           .has_discrete = true,
                           .fmu.me.method = (takt_ode_method)method});
        assert_int_equal(run(f, &result), TAKT_OK);
        assert_near(result.time, 1, 1e-12);
        assert_contains(f->log.text, "demands its next event at t=0.37 s again and again");
        teardown(state);
        setup(state);
    }
}

// ---- rewinding -------------------------------------------------------------------------------------

static void a_repeated_step_is_the_same(fixture *f, double u, double t_end)
{
    const takt_instance_type *type = f->instance->type;
    takt_step_result result;
    void *saved = NULL;
    double x1[2], x2[2];
    set(f, "u", 0.25, 0);
    assert_int_equal(step(f, 0, 0.3, &result), TAKT_OK);
    assert_int_equal(type->save(f->instance, &saved, &f->err), TAKT_OK);
    for (int i = 0; i < 2; i++) {
        set(f, "u", u, 0);
        assert_int_equal(step(f, 0.3, t_end - 0.3, &result), TAKT_OK);
        x1[i] = get(f, "x1");
        x2[i] = get(f, "x2");
        set(f, "u", -7, 0);
        if (type->restore(f->instance, saved, &f->err)) fail_msg("%s", f->err.message);
        assert_true(get(f, "u") == 0.25);
    }
    assert_int_equal(type->save(f->instance, &saved, &f->err), TAKT_OK);
    type->free_state(f->instance, &saved);
    assert_null(saved);
    assert_near(x1[0], x1[1], 1e-15);
    assert_near(x2[0], x2[1], 1e-15);
}

static void an_fmu_of_states_alone_is_serialised_by_them(void **state)
{
    fixture *f = *state;
    takt_step_result result;
    takt_bytes bytes = {0};
    void *saved = NULL;
    start(f, (options){0});
    const takt_instance_type *type = f->instance->type;
    assert_true(takt_model_can_serialize(f->model));
    assert_int_equal(step(f, 0, 0.3, &result), TAKT_OK);
    assert_int_equal(type->save(f->instance, &saved, &f->err), TAKT_OK);
    assert_int_equal(type->serialize(f->instance, saved, &bytes, &f->err), TAKT_OK);
    assert_int_equal(step(f, 0.3, 0.3, &result), TAKT_OK);
    double x1 = get(f, "x1");
    assert_int_equal(type->deserialize(f->instance, bytes.data, bytes.size, &saved, &f->err),
                     TAKT_OK);
    assert_int_equal(type->restore(f->instance, saved, &f->err), TAKT_OK);
    assert_int_equal(step(f, 0.3, 0.3, &result), TAKT_OK);
    assert_near(get(f, "x1"), x1, 1e-15);
    assert_int_equal(type->deserialize(f->instance, bytes.data, bytes.size - 1, &saved, &f->err),
                     TAKT_ERR_INPUT);
    type->free_state(f->instance, &saved);
    takt_bytes_clear(&bytes);
}

static void an_fmu_that_saves_its_state_can_be_rewound(void **state)
{
    static const int modes[] = {ME_BALL, ME_TIME_EVENT, ME_BY_INPUT};
    for (int i = 0; i < 3; i++) {
        fixture *f = *state;
        start(f,
              (options){
                  .mode = modes[i], .has_indicator = true, .has_discrete = true, .can_save = true});
        assert_true(takt_model_can_rewind(f->model));
        a_repeated_step_is_the_same(f, 1, 0.6);
        teardown(state);
        setup(state);
    }
}

static void an_fmu_of_states_alone_is_rewound_by_them(void **state)
{
    fixture *f = *state;
    start(f, (options){.mode = ME_DECAY});
    assert_true(takt_model_can_rewind(f->model));
    assert_contains(f->log.text, "cannot save its state; it is rewound by its continuous states");
    a_repeated_step_is_the_same(f, 1, 0.6);
}

static void an_fmu_with_indicators_or_discrete_variables_is_not_rewound_by_states(void **state)
{
    for (int i = 0; i < 2; i++) {
        fixture *f = *state;
        start(f, (options){.has_indicator = i == 0, .has_discrete = i == 1});
        assert_false(takt_model_can_rewind(f->model));
        teardown(state);
        setup(state);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(every_solver_integrates_the_states),
        TEST(the_tolerance_of_the_run_is_used_unless_the_solver_has_its_own),
        TEST(inputs_are_held_during_a_step),
        TEST(an_fmu_without_states_is_run),
        TEST(bounces_are_found_to_a_millionth_of_a_second),
        TEST(no_bounce_is_lost_in_one_long_step),
        TEST(a_time_event_is_hit_exactly),
        TEST(a_step_event_is_handled_once),
        TEST(an_input_that_jumps_across_an_indicator_is_an_event),
        TEST(nominal_values_may_change),
        TEST(the_fmu_may_end_the_simulation),
        TEST(what_cannot_go_on_fails_with_a_message),
        TEST(an_event_that_is_demanded_again_and_again_is_put_off),
        TEST(an_fmu_that_saves_its_state_can_be_rewound),
        TEST(an_fmu_of_states_alone_is_rewound_by_them),
        TEST(an_fmu_of_states_alone_is_serialised_by_them),
        TEST(an_fmu_with_indicators_or_discrete_variables_is_not_rewound_by_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
