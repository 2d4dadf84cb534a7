// SPDX-License-Identifier: MIT
// The building of examples/building, small and for a day: coupled against one piece, its energy, its own results.
#include <stdlib.h>

#include "support/building.h"
#include "support/results.h"
#include "support/ssd.h"

static void run_days(test_sandbox *box, const char *project, const char *stop,
                     const char *tolerance, const char *file)
{
    test_link(box, "weather.csv", TAKT_EXAMPLES "/building/weather.csv");
    test_run(box, "run", project, "--stop-time", stop, "--tolerance", tolerance, "--set",
             "House.zones=3", "--set", "House.cell=0.05", "--set", "House.result_interval=1800",
             "--set", "House.ResultsRootDir=.", "-o", file, "--strict", NULL);
    assert_exit(box, 0);
}

static void run_day(test_sandbox *box, const char *project, const char *tolerance, const char *file)
{
    run_days(box, project, "86400", tolerance, file);
}

// The largest difference of a column, relative to its largest value.
static double difference(const test_results *a, const test_results *b, const char *column)
{
    double largest = 0, size = 0;
    assert_int_equal(a->n_rows, b->n_rows);
    for (int i = 0; i < a->n_rows; i++) {
        double x = test_result(a, i, column), y = test_result(b, i, column);
        assert_true(test_result_time(a, i) == test_result_time(b, i));
        largest = fmax(largest, fabs(x - y));
        size = fmax(size, fabs(y));
    }
    return largest / size;
}

static void the_coupled_building_agrees_with_one_piece(void **state)
{
    static const char *const columns[] = {"House.zone[1].T_air", "House.zone[2].T_operative",
                                          "House.zone[3].T_operative", "House.energy.heat",
                                          "House.heat"};
    static const struct {
        const char *text;
        double value;
    } tolerances[] = {{"1e-3", 1e-3}, {"1e-4", 1e-4}};
    test_sandbox *box = *state;
    test_results one, coupled;
    test_ssd_example(box, "building");
    test_ssd_copy(box, TAKT_EXAMPLES "/building/one_piece.ssd", "one_piece.ssd");
    run_day(box, "one_piece.ssd", "1e-10", "one.csv");
    test_results_read(&one, box, "one.csv");
    for (int i = 0; i < 2; i++) {
        run_day(box, "building.ssd", tolerances[i].text, "coupled.csv");
        test_results_read(&coupled, box, "coupled.csv");
        for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
            assert_near(difference(&coupled, &one, columns[k]), 0, 10 * tolerances[i].value);
        int last = coupled.n_rows - 1;
        double heat = test_result(&coupled, last, "House.energy.heat");
        assert_near(test_result(&coupled, last, "Plant.energy"), heat, tolerances[i].value * heat);
        test_results_clear(&coupled);
    }
    test_results_clear(&one);
}

// The largest difference of a column of results, every hour, from a number of the independent solution, relative to its
// largest value.
static double deviation(const test_results *r, const char *column, const test_building *exact,
                        int place)
{
    double largest = 0, size = 0;
    assert_int_equal(r->n_rows, exact->n_hours + 1);
    for (int i = 0; i < r->n_rows; i++) {
        double y = exact->values[i * exact->width + place];
        assert_true(test_result_time(r, i) == 3600.0 * i);
        largest = fmax(largest, fabs(test_result(r, i, column) - y));
        size = fmax(size, fabs(y));
    }
    return largest / size;
}

static void solve_independently(test_sandbox *box, int n_hours, test_building *out)
{
    test_results weather;
    test_link(box, "weather.csv", TAKT_EXAMPLES "/building/weather.csv");
    test_results_read(&weather, box, "weather.csv");
    test_building_solve(out, &weather, 3, 0.05, n_hours);
    test_results_clear(&weather);
}

// Equations of their own, and CVODE: neither the kit's solver nor the house is used for the reference.
static void the_building_agrees_with_an_independent_solution(void **state)
{
    static const struct {
        const char *column;
        int place;
    } columns[] = {{"House.zone[1].T_air", TEST_BUILDING_ZONES},
                   {"House.zone[2].T_operative", TEST_BUILDING_ZONES + 3},
                   {"House.zone[3].T_operative", TEST_BUILDING_ZONES + 5},
                   {"House.energy.heat", TEST_BUILDING_ENERGY},
                   {"House.heat", TEST_BUILDING_HEAT},
                   {"Plant.T", TEST_BUILDING_WATER},
                   {"Plant.energy", TEST_BUILDING_ENERGY},
                   {"Controller.level", TEST_BUILDING_LEVEL}};
    enum { N_COUPLED = sizeof columns / sizeof *columns, N_ONE_PIECE = 5 };
    static const struct {
        const char *project, *tolerance;
        double bound;
        int n_columns;
    } runs[] = {{"building.ssd", "1e-3", 1e-2, N_COUPLED},
                {"building.ssd", "1e-4", 1e-3, N_COUPLED},
                {"building.ssd", "1e-5", 1e-4, N_COUPLED},
                {"one_piece.ssd", "1e-10", 1e-7, N_ONE_PIECE}};
    test_sandbox *box = *state;
    test_building exact;
    test_ssd_example(box, "building");
    test_ssd_copy(box, TAKT_EXAMPLES "/building/one_piece.ssd", "one_piece.ssd");
    solve_independently(box, 24, &exact);
    assert_true(exact.n_switchings > 0);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        test_results r;
        run_day(box, runs[i].project, runs[i].tolerance, "r.csv");
        test_results_read(&r, box, "r.csv");
        for (int k = 0; k < runs[i].n_columns; k++) {
            double error = deviation(&r, columns[k].column, &exact, columns[k].place);
            assert_near(error, 0, runs[i].bound);
        }
        test_results_clear(&r);
    }
    test_building_clear(&exact);
}

// No step is doubted (--strict), and none is wrong.
static void some_days_raise_no_doubt(void **state)
{
    test_sandbox *box = *state;
    test_results r;
    test_building exact;
    test_ssd_example(box, "building");
    solve_independently(box, 96, &exact);
    run_days(box, "building.ssd", "4d", "1e-3", "r.csv");
    test_results_read(&r, box, "r.csv");
    double error = deviation(&r, "House.zone[2].T_operative", &exact, TEST_BUILDING_ZONES + 3);
    assert_near(error, 0, 1e-2);
    assert_near(deviation(&r, "Plant.energy", &exact, TEST_BUILDING_ENERGY), 0, 1e-2);
    test_results_clear(&r);
    test_building_clear(&exact);
}

static void the_energy_of_the_house_is_kept(void **state)
{
    test_sandbox *box = *state;
    test_results r;
    test_ssd_example(box, "building");
    run_day(box, "building.ssd", "1e-3", "coupled.csv");
    test_results_read(&r, box, "coupled.csv");
    for (int i = 0; i < r.n_rows; i++)
        assert_near(test_result(&r, i, "House.imbalance"), 0,
                    1e-6 * test_result(&r, i, "House.stored"));
    test_results_clear(&r);
}

static void the_house_writes_results_of_its_own(void **state)
{
    test_sandbox *box = *state;
    test_results own, r;
    test_ssd_example(box, "building");
    run_day(box, "building.ssd", "1e-3", "coupled.csv");
    test_results_read(&own, box, "zones.csv");
    test_results_read(&r, box, "coupled.csv");
    assert_int_equal(own.n_rows, 49);
    for (int i = 0; i < own.n_rows; i++) assert_true(test_result_time(&own, i) == 1800.0 * i);
    for (int i = 0; i < r.n_rows; i++) { // every hour
        int row = test_row_at(&own, test_result_time(&r, i));
        assert_near(test_result(&own, row, "zone[2].T_air [degC]"),
                    test_result(&r, i, "House.zone[2].T_air"), 1e-2);
    }
    test_results_clear(&own);
    test_results_clear(&r);
}

// Without a folder of the user's the house gets one beside the results, which goes again if nothing is in it; a branch has its
// own, so that both remain.
static void each_run_has_a_folder_for_results_of_the_house(void **state)
{
    test_sandbox *box = *state;
    test_results own;
    test_ssd_example(box, "building");
    test_link(box, "weather.csv", TAKT_EXAMPLES "/building/weather.csv");
    test_run(box, "run", "building.ssd", "-q", "--stop-time", "1h", "-o", "none.csv", NULL);
    assert_exit(box, 0);
    assert_false(test_has_file(box, "none.files"));
    test_run(box, "run", "building.ssd", "-q", "--stop-time", "2h", "-o", "a.csv", "--set",
             "House.result_interval=600", "--checkpoint", "a.ckpt", NULL);
    assert_exit(box, 0);
    test_run(box, "run", "building.ssd", "-q", "--stop-time", "4h", "-o", "b.csv", "--set",
             "House.result_interval=600", "--resume", "a.ckpt", "--set", "House.T_set=24", NULL);
    assert_exit(box, 0);
    test_results_read(&own, box, "a.files/House/zones.csv");
    assert_int_equal(own.n_rows, 13);
    test_results_clear(&own);
    test_results_read(&own, box, "b.files/House/zones.csv");
    assert_true(test_result_time(&own, 0) >= 7200);
    assert_near(test_result_time(&own, own.n_rows - 1), 14400, 0);
    test_results_clear(&own);
    // Going on in the same file, also that of the house goes on.
    test_run(box, "run", "building.ssd", "-q", "--stop-time", "4h", "--resume", "a.ckpt", "--set",
             "House.result_interval=600", NULL);
    assert_exit(box, 0);
    test_results_read(&own, box, "a.files/House/zones.csv");
    assert_int_equal(own.n_rows, 25);
    test_results_clear(&own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(the_coupled_building_agrees_with_one_piece),
        test_in_sandbox(the_building_agrees_with_an_independent_solution),
        test_in_sandbox(some_days_raise_no_doubt),
        test_in_sandbox(the_energy_of_the_house_is_kept),
        test_in_sandbox(the_house_writes_results_of_its_own),
        test_in_sandbox(each_run_has_a_folder_for_results_of_the_house),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
