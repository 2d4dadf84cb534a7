// SPDX-License-Identifier: MIT
// Saved states as bytes, of FMUs made with the kit and of an FMU that misbehaves.
#include "unit/fmu/tiny3_fixture.h"

// An instance of an FMU of the kit that has been initialized; for model exchange if it offers that.
typedef struct player {
    takt_model *model;
    takt_instance *instance;
    int input, output;
    takt_arena arena;
} player;

static player play(const char *path, const char *input, const char *output)
{
    player p = {0};
    takt_error err = {0};
    const takt_interval interval = {0};
    const takt_fmu_options me = {.prefers_me = true};
    assert_int_equal(takt_fmu_open_with(path, &me, NULL, &p.model, &err), TAKT_OK);
    assert_true(takt_model_can_serialize(p.model));
    p.input = takt_model_find(p.model, input);
    p.output = takt_model_find(p.model, output);
    assert_true(p.input >= 0 && p.output >= 0);
    const takt_instance_type *type = p.model->type;
    assert_int_equal(type->instantiate(p.model, "p", NULL, &p.instance, &err), TAKT_OK);
    assert_int_equal(type->enter_initialization(p.instance, &interval, &err), TAKT_OK);
    assert_int_equal(type->exit_initialization(p.instance, &err), TAKT_OK);
    return p;
}

static void stop(player *p)
{
    p->model->type->destroy(p->instance);
    takt_arena_clear(&p->arena);
    takt_model_close(p->model);
}

// Three steps from t on with an input of its own each; returns the output.
static double advance(player *p, double t)
{
    const takt_instance_type *type = p->model->type;
    takt_error err = {0};
    takt_access in, out;
    assert_true(takt_access_create(&p->arena, p->model, &p->input, 1, &in, NULL) &&
                takt_access_create(&p->arena, p->model, &p->output, 1, &out, NULL));
    double real = 0;
    takt_values values = {.real = &real};
    takt_step_result result;
    for (int i = 0; i < 3; i++) {
        real = 10 + i + t;
        assert_int_equal(type->set(p->instance, &in, &values, &err), TAKT_OK);
        if (type->step(p->instance, t + 0.5 * i, 0.5, true, &result, &err))
            fail_msg("%s", err.message);
    }
    assert_int_equal(type->get(p->instance, &out, &values, &err), TAKT_OK);
    return real;
}

static takt_bytes bytes_of(player *p)
{
    takt_error err = {0};
    takt_bytes bytes = {0};
    void *saved = NULL;
    assert_int_equal(p->model->type->save(p->instance, &saved, &err), TAKT_OK);
    if (p->model->type->serialize(p->instance, saved, &bytes, &err)) fail_msg("%s", err.message);
    p->model->type->free_state(p->instance, &saved);
    return bytes;
}

// For co-simulation only, then for model exchange.
static const char *const paths[] = {
    TEST_FMUS "/LotkaVolterraPrey.fmu", TEST_FMUS "/LotkaVolterraPrey_fmi3.fmu",
    TEST_FMUS "/Prey_fmi1me.fmu", TEST_FMUS "/Prey.fmu", TEST_FMUS "/Prey_fmi3.fmu"};
enum { N_PATHS = sizeof paths / sizeof *paths };

static void a_serialised_state_goes_on_in_another_instance(void **state)
{
    (void)state;
    for (int i = 0; i < N_PATHS; i++) {
        player a = play(paths[i], "y", "x"), b = play(paths[i], "y", "x");
        const takt_instance_type *type = a.model->type;
        takt_error err = {0};
        advance(&a, 0);
        takt_bytes bytes = bytes_of(&a);
        void *restored = NULL;
        assert_int_equal(type->save(b.instance, &restored, &err), TAKT_OK); // is replaced
        if (type->deserialize(b.instance, bytes.data, bytes.size, &restored, &err))
            fail_msg("%s", err.message);
        assert_int_equal(type->restore(b.instance, restored, &err), TAKT_OK);
        double of_a = advance(&a, 1.5), of_b = advance(&b, 1.5);
        assert_true(of_a == of_b);
        type->free_state(b.instance, &restored);
        takt_bytes_clear(&bytes);
        stop(&a);
        stop(&b);
    }
}

static void check_sizes(const char *path)
{
    player p = play(path, "y", "x");
    const takt_instance_type *type = p.model->type;
    takt_error err = {0};
    takt_bytes bytes = bytes_of(&p);
    for (size_t size = 0; size <= bytes.size + 1; size++) {
        if (size == bytes.size) continue;
        void *restored = NULL;
        // The byte behind the last one is a 0 that belongs to takt_bytes.
        assert_int_equal(type->deserialize(p.instance, bytes.data, size, &restored, &err),
                         TAKT_ERR_INPUT);
        assert_contains(err.message, "the saved state is not one of this model");
        type->free_state(p.instance, &restored);
    }
    advance(&p, 0); // the instance is as good as before
    takt_bytes_clear(&bytes);
    stop(&p);
}

static void bytes_that_are_too_short_or_long_are_refused(void **state)
{
    (void)state;
    for (int i = 1; i < N_PATHS; i++) check_sizes(paths[i]);
}

static void clocked_values_and_ticks_are_part_of_the_state(void **state)
{
    fixture *f = *state;
    instantiate(
        f, (options){.attributes = EVENTS " canSerializeFMUState='true'", .variables = clocks});
    initialize(f, T_MODE_NORMAL);
    settle(f);
    takt_step_result result;
    const takt_instance_type *type = f->instance->type;
    assert_int_equal(step_to(f, 0, 0.25, &result), TAKT_OK);
    handle_events(f, 0.25);
    assert_int_equal(get_integer(f, "ticks"), 1);
    void *saved = NULL, *restored = NULL;
    takt_bytes bytes = {0};
    assert_int_equal(type->save(f->instance, &saved, &f->err), TAKT_OK);
    assert_int_equal(type->serialize(f->instance, saved, &bytes, &f->err), TAKT_OK);
    assert_int_equal(step_to(f, 0.25, 0.5, &result), TAKT_OK);
    handle_events(f, 0.5);
    assert_int_equal(get_integer(f, "ticks"), 2);
    assert_int_equal(type->restore(f->instance, saved, &f->err), TAKT_OK);
    assert_int_equal(get_integer(f, "ticks"), 1);
    assert_int_equal(step_to(f, 0.25, 0.5, &result), TAKT_OK);
    handle_events(f, 0.5);
    assert_int_equal(type->deserialize(f->instance, bytes.data, bytes.size, &restored, &f->err),
                     TAKT_OK);
    assert_int_equal(type->restore(f->instance, restored, &f->err), TAKT_OK);
    assert_int_equal(get_integer(f, "ticks"), 1);
    assert_int_equal(step_to(f, 0.25, 0.5, &result), TAKT_OK);
    handle_events(f, 0.5);
    assert_int_equal(get_integer(f, "ticks"), 2);
    type->free_state(f->instance, &saved);
    type->free_state(f->instance, &restored);
    takt_bytes_clear(&bytes);
    assert_int_equal(counters(f)->n_states, 0);
}

static void an_fmu_that_cannot_do_what_it_promises_is_told(void **state)
{
    static const struct {
        int mode;
        const char *message;
    } cases[] = {
        {T_MODE_STATE_EMPTY, "fmi3SerializedFMUStateSize: the FMU says that its state has 0 bytes"},
        {T_MODE_STATE_HUGE, "says that its state has 18446744073709551615 bytes"},
        {T_MODE_STATE_ERROR, "fmi3SerializeFMUState failed (status error)"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture *f = *state;
        instantiate(f, (options){.attributes = "canSerializeFMUState='true'"});
        initialize(f, cases[i].mode);
        const takt_instance_type *type = f->instance->type;
        void *saved = NULL;
        takt_bytes bytes = {0};
        assert_int_equal(type->save(f->instance, &saved, &f->err), TAKT_OK);
        assert_int_equal(type->serialize(f->instance, saved, &bytes, &f->err), TAKT_ERR_SIMULATION);
        assert_contains(f->err.message, cases[i].message);
        type->free_state(f->instance, &saved);
        takt_bytes_clear(&bytes);
        teardown(state);
        setup(state);
    }
}

static void the_size_of_a_state_may_change(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = "canSerializeFMUState='true'"});
    initialize(f, T_MODE_STATE_GROWS);
    const takt_instance_type *type = f->instance->type;
    void *saved = NULL;
    takt_bytes bytes = {0};
    size_t before = 0;
    assert_int_equal(type->save(f->instance, &saved, &f->err), TAKT_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(type->serialize(f->instance, saved, &bytes, &f->err), TAKT_OK);
        assert_true(bytes.size > before);
        before = bytes.size;
        assert_int_equal(type->deserialize(f->instance, bytes.data, bytes.size, &saved, &f->err),
                         TAKT_OK);
    }
    type->free_state(f->instance, &saved);
    takt_bytes_clear(&bytes);
}

static void an_fmu_that_returns_no_state_is_told(void **state)
{
    fixture *f = *state;
    instantiate(f, (options){.attributes = "canSerializeFMUState='true'"});
    initialize(f, T_MODE_NORMAL);
    const takt_instance_type *type = f->instance->type;
    void *saved = NULL;
    takt_bytes bytes = {0};
    assert_int_equal(type->save(f->instance, &saved, &f->err), TAKT_OK);
    assert_int_equal(type->serialize(f->instance, saved, &bytes, &f->err), TAKT_OK);
    assert_int_equal(set_one(f, "mode", 0, T_MODE_STATE_EMPTY), TAKT_OK);
    assert_int_equal(type->deserialize(f->instance, bytes.data, bytes.size, &saved, &f->err),
                     TAKT_ERR_SIMULATION);
    assert_contains(f->err.message, "fmi3DeserializeFMUState returned no state");
    type->free_state(f->instance, &saved);
    takt_bytes_clear(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_serialised_state_goes_on_in_another_instance),
        cmocka_unit_test(bytes_that_are_too_short_or_long_are_refused),
        TEST(clocked_values_and_ticks_are_part_of_the_state),
        TEST(an_fmu_that_cannot_do_what_it_promises_is_told),
        TEST(the_size_of_a_state_may_change),
        TEST(an_fmu_that_returns_no_state_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
