// SPDX-License-Identifier: MIT
// Saved states of a group of real FMUs as bytes.
#include "run/run.h"
#include "support/ssd.h"
#include "takt/takt.h"

// A run whose only instance is a group of two FMUs.
typedef struct player {
    takt_project *project;
    takt_system *system;
    takt_run *run;
    takt_instance *group;
    const takt_instance_type *type;
    takt_arena arena;
} player;

static player play(const char *path)
{
    player p = {0};
    takt_error err = {0};
    assert_int_equal(takt_project_open(path, NULL, &p.project, &err), TAKT_OK);
    assert_int_equal(takt_project_set(p.project, "me", "central", &err), TAKT_OK);
    assert_int_equal(takt_project_set(p.project, "interface", "me", &err), TAKT_OK);
    if (takt_system_create(p.project, &p.system, &err) || takt_run_create(p.system, &p.run, &err) ||
        takt_run_initialize(p.run, &err))
        fail_msg("%s", err.message);
    assert_int_equal(p.run->work.n_instances, 1);
    p.group = p.run->work.instances[0].instance;
    p.type = p.group->type;
    assert_true(p.type->member && takt_model_can_serialize(p.group->model));
    return p;
}

static void stop(player *p)
{
    takt_arena_clear(&p->arena);
    takt_run_destroy(p->run);
    takt_system_destroy(p->system);
    takt_project_close(p->project);
}

// Three steps from t on; returns the number of prey.
static double advance(player *p, double t)
{
    takt_error err = {0};
    takt_step_result result;
    takt_access out;
    int variable = 0;
    double x = 0;
    while (strcmp(p->group->model->variables[variable].name, "Prey.x") != 0) variable++;
    for (int i = 0; i < 3; i++)
        if (p->type->step(p->group, t + 0.5 * i, 0.5, true, &result, &err))
            fail_msg("%s", err.message);
    assert_true(takt_access_create(&p->arena, p->group->model, &variable, 1, &out, NULL));
    takt_values values = {.real = &x};
    assert_int_equal(p->type->get(p->group, &out, &values, &err), TAKT_OK);
    return x;
}

static takt_bytes bytes_of(player *p)
{
    takt_error err = {0};
    takt_bytes bytes = {0};
    void *saved = NULL;
    assert_int_equal(p->type->save(p->group, &saved, &err), TAKT_OK);
    if (p->type->serialize(p->group, saved, &bytes, &err)) fail_msg("%s", err.message);
    p->type->free_state(p->group, &saved);
    return bytes;
}

static const char *write_project(test_sandbox *box, const char *prey, const char *predator)
{
    static char path[TEST_PATH_SIZE + 16];
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "Prey", prey, "in:y out:x");
    test_ssd_component(&ssd, "Predator", predator, "in:x out:y");
    test_ssd_connect(&ssd, "Prey.x", "Predator.x");
    test_ssd_connect(&ssd, "Predator.y", "Prey.y");
    test_ssd_write(&ssd, box, "hunt.ssd", 0, 10, "step-size=\"0.5\"");
    snprintf(path, sizeof path, "%s/hunt.ssd", box->work);
    return path;
}

// One that has saved, and one in another run that begins with the bytes.
static void check_going_on(const char *path)
{
    player a = play(path), b = play(path);
    takt_error err = {0};
    double first = advance(&a, 0);
    takt_bytes bytes = bytes_of(&a);
    void *restored = NULL;
    for (int i = 0; i < 2; i++) // the second time there is a state that is replaced
        if (b.type->deserialize(b.group, bytes.data, bytes.size, &restored, &err))
            fail_msg("%s", err.message);
    assert_int_equal(b.type->restore(b.group, restored, &err), TAKT_OK);
    double of_a = advance(&a, 1.5), of_b = advance(&b, 1.5);
    assert_true(of_a == of_b && of_a != first);
    b.type->free_state(b.group, &restored);
    takt_bytes_clear(&bytes);
    stop(&a);
    stop(&b);
}

static void a_serialised_group_goes_on_in_another_run(void **state)
{
    check_going_on(write_project(*state, "Prey", "Predator"));
    check_going_on(write_project(*state, "Prey_fmi3", "Predator"));
    check_going_on(write_project(*state, "Prey_fmi1me", "Predator_fmi3"));
}

static void bytes_that_are_too_short_or_long_are_refused(void **state)
{
    player p = play(write_project(*state, "Prey_fmi3", "Predator"));
    takt_error err = {0};
    takt_bytes bytes = bytes_of(&p);
    for (size_t size = 0; size <= bytes.size + 1; size++) {
        void *restored = NULL;
        if (size == bytes.size) continue;
        // The byte behind the last one is a 0 that belongs to takt_bytes.
        assert_int_equal(p.type->deserialize(p.group, bytes.data, size, &restored, &err),
                         TAKT_ERR_INPUT);
        assert_contains(err.message, "the saved state is not one of this model");
        p.type->free_state(p.group, &restored);
    }
    advance(&p, 0); // as good as before
    takt_bytes_clear(&bytes);
    stop(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(a_serialised_group_goes_on_in_another_run),
        test_in_sandbox(bytes_that_are_too_short_or_long_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
