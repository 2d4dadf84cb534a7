// SPDX-License-Identifier: MIT
// Runs that differ: settings and values of their own, and going on from the bytes of another one.
#include <math.h>

#include "unit/api/fixture.h"

static double run_with(fixture *f, const takt_run_options *options, const char *name)
{
    takt_run_destroy(f->run);
    f->run = NULL;
    assert_ok(f, takt_run_create_with(f->system, options, &f->run, &f->err));
    assert_ok(f, takt_run_initialize(f->run, &f->err));
    go_to(f, INFINITY);
    return read_one(f, name);
}

// Programs that were built with a header of fewer fields have less room.
static void defaults_are_written_as_far_as_there_is_room(void **state)
{
    (void)state;
    takt_run_options options;
    memset(&options, 0x5a, sizeof options);
    options.size = offsetof(takt_run_options, step_size);
    takt_run_options_init(&options);
    assert_int_equal(options.size, offsetof(takt_run_options, step_size));
    assert_true(isnan(options.stop_time));
    assert_int_equal(options.iterations, 0x5a5a5a5a);
    takt_plot_options plot = {.size = offsetof(takt_plot_options, from), .from = 7};
    takt_plot_options_init(&plot);
    assert_true(plot.width == 900 && plot.from == 7);
    takt_compare_options compare = {.size = offsetof(takt_compare_options, absolute)};
    takt_compare_options_init(&compare);
    assert_true(compare.relative == 1e-6 && compare.absolute == 0);
    takt_advise_options advise = {.size = offsetof(takt_advise_options, max_time)};
    takt_advise_options_init(&advise);
    assert_true(advise.max_steps == 500 && advise.max_time == 0);
}

static void options_are_for_one_run_alone(void **state)
{
    (void)state;
    fixture f;
    lotka_volterra(&f);
    assert_ok(&f, takt_system_create(f.project, &f.system, &f.err));
    double before = run_with(&f, NULL, "Prey.x");
    takt_run_options options = takt_run_options_default();
    assert_true(run_with(&f, &options, "Prey.x") == before);

    options.stop_time = 5;
    options.step_size = 0.5;
    options.algorithm = TAKT_ALGORITHM_SEIDEL;
    options.step_control = TAKT_STEP_CONTROL_FIXED;
    options.output_interval = 0;
    options.record = (const char *const[]){"Predator.*"};
    options.n_record = 1;
    options.values = (const takt_assignment[]){{"Prey.x0", "20"}};
    options.n_values = 1;
    options.settings = (const takt_assignment[]){{"record", "*.y"}, {"record", "*.x"}};
    run_with(&f, &options, "Prey.x");
    takt_statistics counts = {.size = sizeof counts};
    takt_run_statistics(f.run, &counts, NULL);
    assert_int_equal(counts.steps, 10);
    assert_int_equal(counts.rows, 11);
    assert_string_equal(takt_run_column(f.run, 0), "Predator.x");
    assert_true(takt_run_time(f.run) == 5);
    options.n_settings = 2;
    double other = run_with(&f, &options, "Prey.x");
    assert_string_equal(takt_run_column(f.run, 0), "Prey.y");

    options = takt_run_options_default();
    assert_true(run_with(&f, &options, "Prey.x") == before);

    // The same as if the project said it.
    takt_run_destroy(f.run);
    takt_system_destroy(f.system);
    f.run = NULL;
    f.system = NULL;
    options.stop_time = 5;
    options.step_size = 0.5;
    options.algorithm = TAKT_ALGORITHM_SEIDEL;
    options.step_control = TAKT_STEP_CONTROL_FIXED;
    options.values = (const takt_assignment[]){{"Prey.x0", "20"}};
    options.n_values = 1;
    assert_ok(&f, takt_project_set_options(f.project, &options, &f.err));
    assert_ok(&f, takt_system_create(f.project, &f.system, &f.err));
    assert_true(run_with(&f, NULL, "Prey.x") == other);
    end(&f);
}

static void wrong_options_are_named(void **state)
{
    (void)state;
    fixture f;
    lotka_volterra(&f);
    assert_ok(&f, takt_system_create(f.project, &f.system, &f.err));
    takt_run_options options = takt_run_options_default();
    options.tolerance = -1;
    assert_refused(&f, takt_run_create_with(f.system, &options, &f.run, &f.err), "tolerance");
    options = takt_run_options_default();
    options.algorithm = (takt_algorithm)99;
    assert_refused(&f, takt_run_create_with(f.system, &options, &f.run, &f.err), "algorithm");
    options = takt_run_options_default();
    options.settings = (const takt_assignment[]){{"step-sise", "1"}};
    options.n_settings = 1;
    assert_refused(&f, takt_run_create_with(f.system, &options, &f.run, &f.err), "'step-size'");
    options.settings = NULL;
    assert_refused(&f, takt_run_create_with(f.system, &options, &f.run, &f.err), "settings");
    options = takt_run_options_default();
    options.values = (const takt_assignment[]){{"Prey.nothing", "1"}};
    options.n_values = 1;
    assert_refused(&f, takt_run_create_with(f.system, &options, &f.run, &f.err), "1 problem");
    takt_problem_info problem = {.size = sizeof problem};
    assert_ok(&f, takt_problem_list_get(f.problems, 0, &problem, &f.err));
    assert_contains(problem.message, "no variable 'nothing'");
    options = takt_run_options_default();
    options.size = 0;
    assert_refused(&f, takt_run_create_with(f.system, &options, &f.run, &f.err), "size");
    end(&f);
}

static void settings_that_change_how_fmus_are_opened_open_them_again(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    add(&f, "C", FMU("Gain"));
    set(&f, "stop-time", "1");
    assert_ok(&f, takt_system_create(f.project, &f.system, &f.err));
    takt_run_options options = takt_run_options_default();
    options.settings = (const takt_assignment[]){{"isolate", "true"}};
    options.n_settings = 1;
    run_with(&f, &options, "C.y");
    end(&f);
}

static void runs_go_on_from_bytes_exactly(void **state)
{
    (void)state;
    fixture f;
    void *data = NULL;
    size_t size = 0;
    takt_checkpoint *checkpoint = NULL;
    lotka_volterra(&f);
    start(&f);
    assert_refused(&f, takt_run_serialize(f.run, &data, &size, &f.err), "initializ");
    assert_ok(&f, takt_run_initialize(f.run, &f.err));
    go_to(&f, 3);
    assert_ok(&f, takt_run_serialize(f.run, &data, &size, &f.err));
    go_to(&f, 10);
    double x = read_one(&f, "Prey.x"), y = read_one(&f, "Predator.y");

    takt_run_destroy(f.run);
    start(&f);
    assert_ok(&f, takt_checkpoint_deserialize(data, size, &checkpoint, &f.err));
    assert_ok(&f, takt_run_resume(f.run, checkpoint, &f.err));
    assert_true(takt_run_time(f.run) == 3 && takt_run_time_reached(f.run) == 3);
    assert_true(takt_checkpoint_time(checkpoint) == 3);
    takt_checkpoint_close(checkpoint);
    go_to(&f, 10);
    assert_true(read_one(&f, "Prey.x") == x && read_one(&f, "Predator.y") == y);

    ((char *)data)[size / 2] ^= 1;
    assert_int_equal(takt_checkpoint_deserialize(data, size, &checkpoint, &f.err), TAKT_ERR_INPUT);
    assert_int_equal(takt_checkpoint_deserialize(data, 0, &checkpoint, &f.err), TAKT_ERR_INPUT);
    takt_free(data);
    end(&f);
}

static void runs_keep_their_system_and_project(void **state)
{
    (void)state;
    for (int is_varied = 0; is_varied < 2; is_varied++) {
        fixture f;
        takt_run_options options = takt_run_options_default();
        lotka_volterra(&f);
        assert_ok(&f, takt_system_create(f.project, &f.system, &f.err));
        assert_refused(&f, takt_project_rename(f.project, "Prey", "Hare", &f.err),
                       "end them first");
        assert_refused(&f, takt_project_disconnect(f.project, "Prey.x", NULL, &f.err),
                       "systems or runs");
        if (is_varied) options.tolerance = 1e-5;
        assert_ok(&f, takt_run_create_with(f.system, &options, &f.run, &f.err));
        takt_system_destroy(f.system);
        takt_project_close(f.project);
        f.system = NULL;
        f.project = NULL;
        assert_ok(&f, takt_run_initialize(f.run, &f.err));
        go_to(&f, 10);
        assert_true(read_one(&f, "Prey.x") > 0);
        end(&f);
    }
}

static void missing_arguments_are_named(void **state)
{
    (void)state;
    fixture f;
    char *text = NULL;
    int is_steady;
    takt_progress progress;
    lotka_volterra(&f);
    start(&f);
    assert_refused(&f, takt_system_create(NULL, &f.system, &f.err), "takt_system_create");
    assert_refused(&f, takt_system_check(NULL, &f.err), "takt_system_check");
    assert_refused(&f,
                   takt_system_describe(NULL, TAKT_TOPIC_CONTENT, TAKT_FORMAT_TEXT, &text, &f.err),
                   "takt_system_describe");
    assert_refused(&f, takt_run_create(NULL, &f.run, &f.err), "NULL");
    assert_refused(&f, takt_run_initialize(NULL, &f.err), "takt_run_initialize");
    assert_refused(&f, takt_run_step(NULL, &progress, &f.err), "NULL");
    assert_refused(&f, takt_run_to(NULL, 1, &progress, &f.err), "NULL");
    assert_refused(&f, takt_run_finish(NULL, &f.err), "takt_run_finish");
    assert_refused(&f, takt_run_record(f.run, NULL, &f.err), "takt_run_record");
    assert_refused(&f, takt_run_resume(f.run, NULL, &f.err), "takt_run_resume");
    assert_refused(&f, takt_run_checkpoint(NULL, "x", &f.err), "takt_run_checkpoint");
    assert_refused(&f, takt_run_serialize(f.run, NULL, NULL, &f.err), "takt_run_serialize");
    assert_refused(&f, takt_run_set_algorithm(f.run, NULL, &f.err), "takt_run_set_algorithm");
    assert_refused(&f, takt_run_look_steady(NULL, &is_steady, &f.err), "takt_run_look_steady");
    assert_refused(&f, takt_view_read(NULL, &f.err), "view");
    assert_refused(&f, takt_snapshot_restore(f.run, NULL, &f.err), "NULL");
    end(&f);
}

static void projects_are_free_again_when_their_systems_have_ended(void **state)
{
    (void)state;
    fixture f;
    lotka_volterra(&f);
    start(&f);
    takt_run_destroy(f.run);
    takt_system_destroy(f.system);
    f.run = NULL;
    f.system = NULL;
    assert_ok(&f, takt_project_rename(f.project, "Prey", "Hare", &f.err));
    start(&f);
    assert_ok(&f, takt_run_initialize(f.run, &f.err));
    assert_true(read_one(&f, "Hare.x") == 10);
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_written_as_far_as_there_is_room),
        cmocka_unit_test(options_are_for_one_run_alone),
        cmocka_unit_test(wrong_options_are_named),
        cmocka_unit_test(settings_that_change_how_fmus_are_opened_open_them_again),
        cmocka_unit_test(runs_keep_their_system_and_project),
        cmocka_unit_test(missing_arguments_are_named),
        cmocka_unit_test(projects_are_free_again_when_their_systems_have_ended),
        cmocka_unit_test(runs_go_on_from_bytes_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
