// SPDX-License-Identifier: MIT
#include "run/grid.h"

#include "unit/run/models.h"

static test_coupling c;

static takt_grid make_grid(double start, double stop, double h, takt_time_grid kind)
{
    takt_settings settings = takt_settings_default();
    settings.start_time = start;
    settings.stop_time = stop;
    settings.step_size = h;
    settings.time_grid = kind;
    return takt_grid_start(&settings);
}

// Goes to the end; the number of steps. All of them must have nearly the size h but the last one.
static int64_t walk(takt_grid *grid)
{
    int64_t n = 0;
    while (!takt_grid_is_done(grid)) {
        double before = grid->time, next = takt_grid_next(grid);
        double size = takt_grid_size(grid, next);
        takt_grid_advance(grid, next);
        assert_true(grid->time > before);
        assert_near(grid->time - before, size, 1e-3 * grid->h);
        if (!takt_grid_is_done(grid)) assert_near(size, grid->h, 1e-3 * grid->h);
        n++;
    }
    assert_true(grid->time == grid->stop);
    return n;
}

static void grid_ends_exactly_wherever_it_starts(void **state)
{
    (void)state;
    const struct {
        double start, stop, h;
        int64_t n;
    } cases[] = {
        {-5, 5, 0.1, 100},           {-1, -0.25, 0.3, 3},         {1e6, 1e6 + 1, 0.1, 10},
        {1e6, 1000000.02, 0.01, 2},  {-1e6, -999999.98, 0.01, 2}, {1.7e9, 1.7e9 + 5, 0.01, 500},
        {-3.7, 96.3, 0.001, 100000}, {0, 1e-6, 1e-9, 1000},       {0, 0.05, 1, 1},
        {0, 1e12, 3e10, 34},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        takt_grid exact = make_grid(cases[i].start, cases[i].stop, cases[i].h, TAKT_GRID_EXACT);
        assert_int_equal(walk(&exact), cases[i].n);
        takt_grid sum = make_grid(cases[i].start, cases[i].stop, cases[i].h, TAKT_GRID_ACCUMULATED);
        assert_int_equal(walk(&sum), cases[i].n);
    }
}

// Every point is the number that a person would write: exact decimals, rounded once.
static void points_of_a_decimal_grid_are_decimals(void **state)
{
    (void)state;
    const struct {
        double start, h;
        int64_t whole_start, whole_h, unit;
    } cases[] = {
        {0, 0.1, 0, 1, 10},          {0, 0.3, 0, 3, 10},
        {-5, 0.1, -50, 1, 10},       {0.05, 0.001, 50, 1, 1000},
        {0, 1e-9, 0, 1, 1000000000}, {1.7e9, 0.01, 170000000000, 1, 100},
        {3, 600, 3, 600, 1},         {0, 2.5e-7, 0, 25, 100000000},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double h = cases[i].h;
        takt_grid grid = make_grid(cases[i].start, cases[i].start + 1e4 * h, h, TAKT_GRID_EXACT);
        for (int n = 1; n < 9999; n++) {
            takt_grid_advance(&grid, takt_grid_next(&grid));
            // By the C library: the decimal as text, read back.
            char text[64];
            int n_zeros = 0;
            for (int64_t unit = cases[i].unit; unit > 1; unit /= 10) n_zeros++;
            int64_t whole = cases[i].whole_start + n * cases[i].whole_h;
            snprintf(text, sizeof text, "%llde-%d", (long long)whole, n_zeros);
            assert_true(grid.time == strtod(text, NULL));
        }
    }
}

// Steps that are no decimals, and counts beyond what a double can hold, still give points.
static void points_that_are_no_decimals_are_those_of_before(void **state)
{
    (void)state;
    takt_points thirds = takt_points_make(0, 1.0 / 3);
    assert_true(thirds.unit == 0);
    for (int n = 0; n < 1000; n++) assert_true(takt_points_at(&thirds, n) == n * (1.0 / 3));
    takt_points fine = takt_points_make(0, 1.23456789012e-8);
    assert_true(takt_points_at(&fine, 1e15) == 1e15 * 1.23456789012e-8);
    takt_points mixed = takt_points_make(1.0 / 3, 0.1);
    assert_true(takt_points_at(&mixed, 3) == 1.0 / 3 + 3 * 0.1);
}

// The error of adding up grows with the number of steps; it must not make a tiny step of its own.
static void accumulated_grid_makes_no_tiny_last_step(void **state)
{
    (void)state;
    takt_grid grid = make_grid(0, 1000, 0.001, TAKT_GRID_ACCUMULATED);
    assert_int_equal(walk(&grid), 1000000);
}

static int count_rows(const char *settings)
{
    test_model models[] = {CLOCK, {0}};
    test_couple(&c, models, "clock:Clock", "", settings);
    test_run_all(&c);
    int n = c.n_rows;
    test_uncouple(&c);
    return n;
}

static void rows_follow_the_output_interval_far_from_zero(void **state)
{
    (void)state;
    assert_int_equal(count_rows("start-time=1700000000 stop-time=1700000010 step-size=0.1 "
                                "output-interval=0.2"),
                     51);
    for (int i = 0; i < 51; i++) assert_near(c.time[i], 1.7e9 + 0.2 * i, 1e-6);
    assert_int_equal(count_rows("start-time=-10 stop-time=10 step-size=0.1 output-interval=0.3"),
                     68); // 0, 0.3, ..., 19.8, and the end
}

static void rows_are_counted_from_the_origin(void **state)
{
    (void)state;
    int n = count_rows("start-time=100.05 stop-time=101 step-size=0.05 output-interval=0.1 "
                       "output-grid=next output-origin=0");
    assert_int_equal(n, 11); // the start, 100.1, 100.2, ...
    for (int i = 1; i < n; i++) assert_near(c.time[i], 100 + 0.1 * i, 1e-12);
    n = count_rows("start-time=0.5 stop-time=2 step-size=0.4 output-interval=1 output-origin=2");
    assert_int_equal(n, 3); // steps end there
    assert_near(c.time[1], 1, 0);
    n = count_rows("start-time=-0.5 stop-time=1 step-size=0.25 output-interval=1 output-origin=-4");
    assert_int_equal(n, 3);
    assert_near(c.time[1], 0, 0);
    // Far from the origin the quotient is not exact.
    for (int i = 0; i < 20; i++) {
        char text[128];
        snprintf(text, sizeof text,
                 "start-time=%d stop-time=%d step-size=0.05 output-interval=0.1 output-origin=0",
                 1000000 + 77777 * i, 1000001 + 77777 * i);
        assert_int_equal(count_rows(text), 11);
    }
}

static void rows_follow_the_output_interval_for_long(void **state)
{
    (void)state;
    assert_int_equal(count_rows("stop-time=100 step-size=0.001 output-interval=0.5"), 201);
    assert_int_equal(count_rows("stop-time=100 step-size=0.001 output-interval=0.5 "
                                "time-grid=accumulated"),
                     201);
    assert_near(c.time[199], 99.5, 1e-6);
}

static void an_interval_finer_than_the_steps_makes_them_smaller(void **state)
{
    (void)state;
    int n = count_rows("stop-time=1 step-size=0.1 output-interval=0.03");
    assert_int_equal(n, 35); // 0, 0.03, ..., 0.99, 1
    for (int i = 0; i + 1 < n; i++) assert_true(c.time[i] == 3 * i / 100.0);
    assert_int_equal(count_rows("stop-time=1 step-size=0.1 output-interval=1e-3"), 1001);
    n = count_rows("stop-time=1 step-size=0.1 output-interval=0.03 step-control=convergence");
    assert_int_equal(n, 35);
    for (int i = 0; i + 1 < n; i++) assert_true(c.time[i] == 3 * i / 100.0);
}

static void rows_at_the_next_points_leave_the_steps_as_they_are(void **state)
{
    (void)state;
    assert_int_equal(count_rows("stop-time=1 step-size=0.1 output-interval=0.03 output-grid=next"),
                     11);
    assert_int_equal(
        count_rows("stop-time=1 step-size=0.1 output-interval=1e-300 output-grid=next"), 11);
    assert_int_equal(count_rows("stop-time=1 step-size=0.1 output-interval=0.25 output-grid=next"),
                     5);
    assert_near(c.time[1], 0.3, 1e-12);
    int n = count_rows("stop-time=1 step-size=0.1 output-interval=0.25 output-grid=next "
                       "step-control=convergence step-max=1"); // steps of 0.1, 0.2, 0.4
    assert_int_equal(n, 4);
    assert_near(c.time[1], 0.3, 1e-12);
    assert_near(c.time[2], 0.7, 1e-12);
}

// Also where times add up, and with the drift of many steps, there is no extra step beside a row.
static void exact_rows_can_be_had_where_times_add_up(void **state)
{
    (void)state;
    int n = count_rows("stop-time=100 step-size=0.001 output-interval=0.5 output-grid=exact "
                       "time-grid=accumulated");
    assert_int_equal(n, 201);
    n = count_rows("stop-time=1 step-size=0.1 output-interval=0.25 output-grid=exact "
                   "time-grid=accumulated");
    assert_int_equal(n, 5);
    for (int i = 0; i < n; i++) assert_near(c.time[i], 0.25 * i, 0);
}

// Rows lie at the first point at or after those of the interval; the last row is the end.
static void adaptive_steps_give_a_row_per_interval(void **state)
{
    (void)state;
    int n = count_rows("step-control=convergence step-size=0.013 step-max=0.07 stop-time=10 "
                       "output-interval=0.5");
    assert_int_equal(n, 21);
    for (int i = 0; i < n; i++) {
        assert_true(c.time[i] >= 0.5 * i - 1e-9);
        assert_true(c.time[i] <= 0.5 * i + 0.08);
    }
    assert_true(c.time[n - 1] == 10);
}

static void steps_finer_than_times_can_tell_are_refused(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, {0}};
    test_try_couple(&c, models, "clock:Clock", "",
                    "start-time=1000000000 stop-time=1000000001 step-size=2e-7");
    assert_int_equal(c.status, TAKT_ERR_USAGE);
    assert_contains(c.system.log.text, "step-size 2e-07 s is too small");
    test_uncouple(&c);
    test_try_couple(&c, models, "clock:Clock", "",
                    "start-time=1000000000 stop-time=1000000001 step-size=0.1 step-min=1e-9 "
                    "step-control=richardson");
    assert_int_equal(c.status, TAKT_ERR_USAGE);
    assert_contains(c.system.log.text, "step-min 1e-09 s is too small");
    test_uncouple(&c);
    test_try_couple(&c, models, "clock:Clock", "",
                    "stop-time=1 step-size=0.1 output-interval=1e-300");
    assert_int_equal(c.status, TAKT_ERR_USAGE);
    assert_contains(c.system.log.text, "output-interval 1e-300 s is too small");
    test_uncouple(&c);
}

static void last_row_is_told_when_an_instance_ends_the_simulation(void **state)
{
    (void)state;
    test_model models[] = {CLOCK, {0}};
    models[0].fault = TEST_STOPS;
    models[0].fault_time = 0.75;
    test_couple(&c, models, "clock:Clock", "", "step-size=0.1 stop-time=1 output-interval=0.5");
    test_run_all(&c);
    assert_contains(c.system.log.text,
                    "ended the simulation at t=0.75 s; the last row is at t=0.5 s");
    test_uncouple(&c);
}

static void points_of_a_grid_are_known_but_for_rounding(void **state)
{
    (void)state;
    takt_settings settings = {.start_time = 1, .stop_time = 1e4, .step_size = 0.1};
    takt_grid grid = takt_grid_start(&settings);
    assert_true(takt_grid_has_point(&grid, 1.3) && takt_grid_has_point(&grid, 9999.9));
    assert_false(takt_grid_has_point(&grid, 1.31) || takt_grid_has_point(&grid, 1.3 - 1e-8));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grid_ends_exactly_wherever_it_starts),
        cmocka_unit_test(points_of_a_decimal_grid_are_decimals),
        cmocka_unit_test(points_that_are_no_decimals_are_those_of_before),
        cmocka_unit_test(accumulated_grid_makes_no_tiny_last_step),
        cmocka_unit_test(rows_follow_the_output_interval_far_from_zero),
        cmocka_unit_test(rows_are_counted_from_the_origin),
        cmocka_unit_test(rows_follow_the_output_interval_for_long),
        cmocka_unit_test(an_interval_finer_than_the_steps_makes_them_smaller),
        cmocka_unit_test(rows_at_the_next_points_leave_the_steps_as_they_are),
        cmocka_unit_test(exact_rows_can_be_had_where_times_add_up),
        cmocka_unit_test(adaptive_steps_give_a_row_per_interval),
        cmocka_unit_test(steps_finer_than_times_can_tell_are_refused),
        cmocka_unit_test(points_of_a_grid_are_known_but_for_rounding),
        cmocka_unit_test(last_row_is_told_when_an_instance_ends_the_simulation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
