// SPDX-License-Identifier: MIT
// What counts as the magnitude of a value: declared nominal values, and what was seen at communication points.
#include <math.h>

#include "run/scale.h"
#include "run/snapshot.h"
#include "unit/run/models.h"

static test_coupling c;

// y = k sin(time), with nominal values declared in some places.
static const test_variable wave_variables[] = {
    {"y", TAKT_OUTPUT, .depends = ""}, {"k", TAKT_PARAMETER, .start = "1"}, {0}};
static const test_variable pressure_variables[] = {
    {"y", TAKT_OUTPUT, .depends = "", .unit = "m", .nominal = -1e5},
    {"k", TAKT_PARAMETER, .start = "1"},
    {0}};
static const test_variable length_variables[] = {
    {"y", TAKT_OUTPUT, .depends = "", .unit = "km"}, {"k", TAKT_PARAMETER, .start = "0"}, {0}};
static void wave_output(test_instance *at)
{
    at->real[0] = at->real[1] * sin(at->time);
}
static const test_variable reader_variables[] = {
    {"u", TAKT_INPUT, .start = "0", .unit = "m", .nominal = 1e-3},
    {"v", TAKT_INPUT, .start = "0", .unit = "m", .nominal = 1e-2},
    {"y", TAKT_OUTPUT, .depends = "u", .nominal = INFINITY},
    {0}};

#define WAVE(name, variables)                                                                      \
    {                                                                                              \
        name, variables, .output = wave_output, REWINDS                                            \
    }

static void couple(const char *settings)
{
    static test_model models[] = {WAVE("Wave", wave_variables),
                                  WAVE("Pressure", pressure_variables),
                                  WAVE("Length", length_variables),
                                  {"Reader", reader_variables, REWINDS},
                                  GAIN,
                                  {0}};
    test_couple(&c, models, "w:Wave p:Pressure l:Length r:Reader s:Reader g:Gain",
                "w.y>g.u p.y>s.u l.y>r.v l.y>r.u", settings);
    assert_int_equal(takt_run_initialize(c.run, &c.err), TAKT_OK);
}

static int place(const char *column)
{
    for (int i = 0; i < c.plan->n_columns; i++)
        if (strcmp(takt_run_column(c.run, i), column) == 0) return c.plan->columns[i].slot.index;
    fail_msg("there is no column %s", column);
    return -1;
}

static void step_n_times(int n)
{
    takt_progress progress;
    for (int i = 0; i < n; i++) assert_int_equal(takt_run_step(c.run, &progress, &c.err), TAKT_OK);
}

static void a_nominal_value_is_the_output_s_or_the_smallest_of_its_readers(void **state)
{
    (void)state;
    couple("step-size=0.1 stop-time=1");
    const struct takt_scale *scale = c.run->scale;
    assert_near(scale->nominal[place("p.y")], 1e5, 0);
    assert_near(scale->nominal[place("l.y")], 1e-6, 1e-20); // 1e-3 m in km
    assert_near(scale->nominal[place("w.y")], 0, 0);
    assert_near(scale->nominal[place("r.y")], 0, 0); // not finite: of no use
    assert_near(takt_scale_of(c.run, place("p.y")), 1e3, 0);
    assert_near(takt_scale_of(c.run, place("l.y")), 1e-8, 1e-22);
    assert_near(takt_scale_of(c.run, place("w.y")), TAKT_SCALE_LEAST, 0);
    test_uncouple(&c);
}

static void a_scale_is_the_largest_magnitude_so_far(void **state)
{
    (void)state;
    couple("set=w.k=-3 step-size=0.5 stop-time=10 step-control=convergence step-max=0.5");
    int w = place("w.y");
    step_n_times(2);
    assert_near(takt_scale_of(c.run, w), 3 * sin(1), 1e-14);
    step_n_times(4); // at t = 3, past the maximum
    assert_near(takt_scale_of(c.run, w), 3 * sin(1.5), 1e-14);
    assert_near(takt_scale_at(c.run, w, -7), 7, 0);
    test_uncouple(&c);
}

static void a_rejected_step_leaves_no_trace(void **state)
{
    (void)state;
    // The first attempt reaches 1.5 s, where the wave has its maximum, and is taken back.
    couple("set=w.k=3 step-size=1.5 stop-time=100 step-max=2 step-control=richardson "
           "relative-tolerance=1e-3 absolute-tolerance=1e-3");
    step_n_times(1);
    assert_true(c.run->counts.n_error_failures > 0);
    assert_true(c.run->state.grid.time < 0.5);
    assert_near(takt_scale_of(c.run, place("w.y")), 3 * sin(c.run->state.grid.time), 1e-14);
    test_uncouple(&c);
}

static void snapshots_hold_scales(void **state)
{
    (void)state;
    couple("step-size=0.1 stop-time=10 step-control=convergence step-max=0.1");
    takt_snapshot *snapshot;
    step_n_times(5);
    assert_int_equal(takt_snapshot_take(c.run, &snapshot, &c.err), TAKT_OK);
    double before = takt_scale_of(c.run, place("w.y"));
    step_n_times(8);
    assert_true(takt_scale_of(c.run, place("w.y")) > before);
    assert_int_equal(takt_snapshot_restore(c.run, snapshot, &c.err), TAKT_OK);
    assert_near(takt_scale_of(c.run, place("w.y")), before, 0);
    takt_snapshot_destroy(snapshot);
    test_uncouple(&c);
}

static void scales_are_followed_only_where_somebody_asks(void **state)
{
    (void)state;
    couple("algorithm=seidel step-size=0.1 stop-time=10");
    assert_false(c.run->scale->is_followed);
    step_n_times(20);
    assert_near(c.run->scale->seen[place("w.y")], TAKT_SCALE_LEAST, 0);
    test_uncouple(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_nominal_value_is_the_output_s_or_the_smallest_of_its_readers),
        cmocka_unit_test(a_scale_is_the_largest_magnitude_so_far),
        cmocka_unit_test(a_rejected_step_leaves_no_trace),
        cmocka_unit_test(snapshots_hold_scales),
        cmocka_unit_test(scales_are_followed_only_where_somebody_asks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
