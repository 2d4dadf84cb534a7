// SPDX-License-Identifier: MIT
#include "support/test.h"

#include "project/settings.h"

typedef struct fixture {
    takt_arena arena;
    takt_settings settings;
    takt_error err;
} fixture;

static fixture make(void)
{
    return (fixture){.settings = takt_settings_default()};
}

static takt_status set(fixture *f, const char *name, const char *value)
{
    f->err = (takt_error){0};
    return takt_settings_set(&f->settings, &f->arena, name, value, &f->err);
}

static void defaults_are_those_of_the_table(void **state)
{
    (void)state;
    takt_settings s = takt_settings_default();
    assert_int_equal(s.algorithm, TAKT_ALGORITHM_AUTO);
    assert_int_equal(s.step_control, TAKT_STEP_CONTROL_AUTO);
    assert_int_equal(s.iterations, 20);
    assert_true(s.relative_tolerance == 1e-5 && s.absolute_tolerance == 1e-6);
    assert_int_equal(s.time_grid, TAKT_GRID_EXACT);
    assert_false(s.overstep_end);
    assert_true(s.output_interval == 0);
    assert_int_equal(s.given, 0);
    assert_false(takt_settings_has(&s, &s.iterations));
}

static void values_are_read_and_remembered_as_given(void **state)
{
    (void)state;
    fixture f = make();
    assert_int_equal(set(&f, "start-time", "-1"), TAKT_OK);
    assert_int_equal(set(&f, "stop-time", "10min"), TAKT_OK);
    assert_int_equal(set(&f, "step-size", "20 ms"), TAKT_OK);
    assert_int_equal(set(&f, "tolerance", "1e-4"), TAKT_OK);
    assert_int_equal(set(&f, "iterations", "5"), TAKT_OK);
    assert_int_equal(set(&f, "time-grid", "accumulated"), TAKT_OK);
    assert_int_equal(set(&f, "overstep-end", "true"), TAKT_OK);
    assert_int_equal(set(&f, "step-control", "fixed"), TAKT_OK);
    const takt_settings *s = &f.settings;
    assert_true(s->start_time == -1 && s->stop_time == 600 && s->step_size == 0.02);
    assert_true(s->tolerance == 1e-4 && s->iterations == 5 && s->overstep_end);
    assert_int_equal(s->time_grid, TAKT_GRID_ACCUMULATED);
    assert_int_equal(s->step_control, TAKT_STEP_CONTROL_FIXED);
    assert_true(takt_settings_has(s, &s->step_size));
    assert_false(takt_settings_has(s, &s->relative_tolerance));
    takt_arena_clear(&f.arena);
}

static void impossible_values_are_refused_and_change_nothing(void **state)
{
    (void)state;
    static const char *const wrong[][3] = {
        {"step-size", "0", "step-size: '0' is not allowed; it must be greater than 0"},
        {"step-size", "-0.1", "step-size: '-0.1' is not allowed; it must be greater than 0"},
        {"relative-tolerance", "inf", "relative-tolerance: 'inf' is not a finite number"},
        {"relative-tolerance", "nan", "relative-tolerance: 'nan' is not a finite number"},
        {"step-size", "fast",
         "step-size: 'fast' is not a time; write seconds, or a number with one "
         "of the units ms, s, min, h, d, a, such as 10min"},
        {"stop-time", "1e999", "stop-time: '1e999' is not a finite number"},
        {"tolerance", "0", "tolerance: '0' is not allowed; it must be greater than 0"},
        {"tolerance", "1e-6s", "tolerance: '1e-6s' is not a number"},
        {"iterations", "0",
         "iterations: '0' is not allowed; it must be a whole number of at least 1"},
        {"iterations", "2.5",
         "iterations: '2.5' is not allowed; it must be a whole number of at least 1"},
        {"overstep-end", "yes", "overstep-end: 'yes' is neither true nor false"},
        {"output-interval", "-1", "output-interval: '-1' is not allowed; it must not be negative"},
        {"algorithm", "magic",
         "algorithm: 'magic' is not possible; choose auto, jacobi, seidel, fixed-point, newton, "
         "quasi-newton or anderson"},
        {"algorithm", "Tank=sidel",
         "algorithm: 'sidel' is not possible; choose auto, jacobi, seidel, fixed-point, newton, "
         "quasi-newton or anderson"},
        {"event-time", "noon",
         "event-time: 'noon' is not a time; write seconds, or a number with one of the units ms, "
         "s, min, h, d, a, such as 10min"},
        {"algorithm-at", "newton",
         "algorithm-at: 'newton' is not TIME:NAME or TIME:LOOP=NAME, such as 5:newton"},
        {"algorithm-at", "5:auto",
         "algorithm-at: 'auto' is not an algorithm that can be changed to"},
        {"algorithm-at", "5:=newton",
         "algorithm-at: '5:=newton' is not TIME:NAME or TIME:LOOP=NAME, such as 5:newton"},
        {"damping", "0", "damping: '0' is not allowed; it must be greater than 0 and at most 1"},
        {"damping", "1.5",
         "damping: '1.5' is not allowed; it must be greater than 0 and at most 1"},
        {"step-growth", "0.5", "step-growth: '0.5' is not allowed; it must be at least 1"},
        {"step-min", "0", "step-min: '0' is not allowed; it must be greater than 0"},
        {"algorithm", "=seidel",
         "algorithm: '=seidel' names no loop; write the name of one of its "
         "members before '='"},
        {"step-control", "magic",
         "step-control: 'magic' is not possible; choose auto, fixed, convergence or richardson"},
        {"record", "", "record: nothing is given"},
        {"stepsize", "1", "there is no setting 'stepsize'; did you mean 'step-size'?"},
        {"colour", "1", "there is no setting 'colour'"},
    };
    fixture f = make();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(set(&f, wrong[i][0], wrong[i][1]), TAKT_ERR_USAGE);
        assert_string_equal(f.err.message, wrong[i][2]);
    }
    takt_settings unchanged = takt_settings_default();
    assert_memory_equal(&f.settings, &unchanged, sizeof unchanged);
    takt_arena_clear(&f.arena);
}

static void lists_grow_with_every_value(void **state)
{
    (void)state;
    fixture f = make();
    char text[16];
    for (int i = 0; i < 100; i++) {
        snprintf(text, sizeof text, "p%d", i);
        assert_int_equal(set(&f, "record", text), TAKT_OK);
    }
    assert_int_equal(f.settings.record.n_items, 100);
    for (int i = 0; i < 100; i++) {
        snprintf(text, sizeof text, "p%d", i);
        assert_string_equal(f.settings.record.items[i], text);
    }
    takt_arena_clear(&f.arena);
}

// Blanks separate the times of a list.
static void listed_times_are_kept_in_seconds(void **state)
{
    (void)state;
    fixture f = make();
    assert_int_equal(set(&f, "event-time", "-0.5"), TAKT_OK);
    assert_int_equal(set(&f, "event-time", "1 h"), TAKT_OK);
    const takt_settings *s = &f.settings;
    const char *text = takt_settings_text(s, takt_settings_index(s, &s->event_times), &f.arena);
    assert_string_equal(text, "-0.5 3600");
    assert_true(s->start_time == 0 && !takt_settings_has(s, &s->start_time));
    takt_arena_clear(&f.arena);
}

static void algorithm_of_a_loop_stands_beside_the_general_one(void **state)
{
    (void)state;
    fixture f = make();
    assert_int_equal(set(&f, "algorithm", "seidel"), TAKT_OK);
    assert_int_equal(set(&f, "algorithm", "a=b=fixed-point"), TAKT_OK);
    assert_int_equal(f.settings.algorithm, TAKT_ALGORITHM_SEIDEL);
    assert_int_equal(f.settings.loop_algorithms.n_items, 1);
    takt_algorithm algorithm = TAKT_ALGORITHM_AUTO;
    assert_int_equal(takt_algorithm_of_loop(f.settings.loop_algorithms.items[0], &algorithm), 3);
    assert_int_equal(algorithm, TAKT_ALGORITHM_FIXED_POINT);
    takt_arena_clear(&f.arena);
}

static void what_is_overridden_replaces_the_list_of_the_file(void **state)
{
    (void)state;
    fixture f = make();
    set(&f, "record", "of the file");
    set(&f, "algorithm", "Tank=seidel");
    takt_error err = {0};
    assert_int_equal(takt_settings_override(&f.settings, &f.arena, "record", "a", &err), TAKT_OK);
    assert_int_equal(takt_settings_override(&f.settings, &f.arena, "record", "b", &err), TAKT_OK);
    assert_int_equal(f.settings.record.n_items, 2);
    assert_string_equal(f.settings.record.items[0], "a");
    assert_string_equal(f.settings.record.items[1], "b");
    assert_int_equal(takt_settings_override(&f.settings, &f.arena, "algorithm", "x", &err),
                     TAKT_ERR_USAGE);
    assert_int_equal(f.settings.loop_algorithms.n_items, 1);
    assert_int_equal(takt_settings_override(&f.settings, &f.arena, "algorithm", "jacobi", &err),
                     TAKT_OK);
    assert_int_equal(f.settings.loop_algorithms.n_items, 0);
    assert_int_equal(f.settings.algorithm, TAKT_ALGORITHM_JACOBI);
    assert_true(takt_settings_is_overridden(&f.settings, &f.settings.algorithm));
    assert_false(takt_settings_is_overridden(&f.settings, &f.settings.step_size));
    takt_arena_clear(&f.arena);
}

static void every_setting_has_a_help_text_and_a_value_that_reads_back(void **state)
{
    (void)state;
    fixture f = make();
    set(&f, "step-size", "0.1");
    set(&f, "algorithm", "Tank=seidel");
    int n = 0;
    for (; takt_setting(n); n++) {
        const takt_setting_info *info = takt_setting(n);
        assert_true(info->name && info->help && *info->help);
        assert_true(info->help[strlen(info->help) - 1] != '.');
        const char *text = takt_settings_text(&f.settings, n, &f.arena);
        if (strcmp(info->name, "step-size") == 0) assert_string_equal(text, "0.1");
        if (strcmp(info->name, "algorithm") == 0) assert_string_equal(text, "auto Tank=seidel");
        if (strcmp(info->name, "tolerance") == 0) assert_string_equal(text, "");
        if (strcmp(info->name, "overstep-end") == 0) assert_string_equal(text, "false");
        if (strcmp(info->name, "iterations") == 0) assert_string_equal(text, "20");
    }
    assert_true(n > 10);
    assert_null(takt_setting(-1));
    assert_string_equal(takt_setting(0)->name, "start-time");
    assert_non_null(takt_setting_group(0)); // else the help would begin without a heading
    assert_null(takt_setting_group(1));
    assert_null(takt_setting_group(-1));
    assert_null(takt_setting_group(n));
    takt_arena_clear(&f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_table),
        cmocka_unit_test(values_are_read_and_remembered_as_given),
        cmocka_unit_test(impossible_values_are_refused_and_change_nothing),
        cmocka_unit_test(lists_grow_with_every_value),
        cmocka_unit_test(listed_times_are_kept_in_seconds),
        cmocka_unit_test(algorithm_of_a_loop_stands_beside_the_general_one),
        cmocka_unit_test(what_is_overridden_replaces_the_list_of_the_file),
        cmocka_unit_test(every_setting_has_a_help_text_and_a_value_that_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
