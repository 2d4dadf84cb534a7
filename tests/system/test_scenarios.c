// SPDX-License-Identifier: MIT
// Scenarios through the program: changes at known times, with all algorithms and step controls, for all kinds of FMUs and types.
#include <math.h>

#include "support/results.h"
#include "takt/takt.h"

#define PART3 TEST_FMUS "/Math003Part3.fmu"
#define GAIN TEST_FMUS "/Gain.fmu"
#define MATH003 TAKT_EXAMPLES "/math003/math003.ssd"
#define PULSE "time,variable,value\n1.1,x3,3\n2.3,x3,\n"

// The difference of a column between the last row of one time and the first one of another.
static double change_between(const test_results *r, const char *column, double from, double to)
{
    int first = -1, last = -1;
    for (int i = 0; i < r->n_rows; i++) {
        if (fabs(test_result_time(r, i) - from) < 1e-9) first = i;
        if (last < 0 && fabs(test_result_time(r, i) - to) < 1e-9) last = i;
    }
    assert_true(first >= 0 && last >= 0);
    return test_result(r, last, column) - test_result(r, first, column);
}

static int count_at(const test_results *r, double time)
{
    int n = 0;
    for (int i = 0; i < r->n_rows; i++) n += fabs(test_result_time(r, i) - time) < 1e-9;
    return n;
}

// x4' = 2 x3: a pulse of height 3 from 1.1 to 2.3 is worth 7.2, wherever steps would end.
static void values_are_held_exactly_as_long_as_asked(void **state)
{
    test_sandbox *box = *state;
    static const char *const fmus[] = {PART3, TEST_FMUS "/Math003Part3_fmi1.fmu",
                                       TEST_FMUS "/Math003Part3_fmi3.fmu"};
    static const char *const controls[] = {"fixed", "auto", "convergence", "richardson"};
    test_write_text(box, "s.csv", PULSE);
    for (int i = 0; i < 12; i++) {
        if (i / 3 >= 2 && i % 3 == 1) continue; // FMI 1.0 has no way back
        test_results r;
        test_run(box, "run", fmus[i % 3], "--scenario", "s.csv", "--stop-time", "4", "--step-size",
                 "0.5", "--step-control", controls[i / 3], "--record", "*", "-o", "r.csv", "-q",
                 "--strict", NULL);
        assert_exit(box, 0);
        assert_string_equal(box->err, "");
        test_results_read(&r, box, "r.csv");
        const char *x4 = r.names[1][strlen(r.names[1]) - 1] == '4' ? r.names[1] : r.names[2];
        assert_near(test_result(&r, r.n_rows - 1, x4), 7.2, 1e-9);
        assert_near(change_between(&r, x4, 1.1, 2.3), 7.2, 1e-9);
        assert_int_equal(count_at(&r, 1.1), 2);
        assert_int_equal(count_at(&r, 2.3), 2);
        test_results_clear(&r);
    }
}

static void rows_left_and_right_of_a_change_show_both_values(void **state)
{
    test_sandbox *box = *state;
    test_write_text(
        box, "s.json",
        "{\"name\": \"n\", \"description\": \"d\", \"defaults\": {\"model\": \"Gain\","
        "\"action\": \"override\"}, \"events\": ["
        "{\"time\": 0.75, \"variable\": \"u\", \"action\": \"reset\"},"
        "{\"time\": 0.25, \"variable\": \"u\", \"value\": 3},"
        "{\"time\": \"500ms\", \"variable\": \"u\", \"action\": \"bias\", \"value\": 1},"
        "{\"time\": 0.75, \"variable\": \"k\", \"value\": 10},"
        "{\"time\": 1.25, \"variable\": \"y\", \"action\": \"bias\", \"value\": -1}],"
        "\"end\": 1.5}");
    test_run(box, "run", GAIN, "--scenario", "s.json", "--set", "u=1", "--step-size", "0.5",
             "--stop-time", "2", "--record", "*", "-o", "-", "-q", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->out, "time,Gain.u,Gain.y,Gain.k\n0,1,1,1\n0.25,1,1,1\n0.25,3,3,1\n"
                                  "0.5,3,3,1\n0.5,2,2,1\n0.75,2,2,1\n0.75,1,10,10\n1,1,10,10\n"
                                  "1.25,1,10,10\n1.25,1,9,10\n1.5,1,9,10\n1.5,1,1,1\n2,1,1,1\n");
}

static void changes_up_to_the_start_hold_from_the_beginning(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "s.csv",
                    "time,variable,value,action\n-1,u,5,\n0,k,2,override\n"
                    "0,u,1,bias\n1,u,,reset\n");
    test_run(box, "run", GAIN, "--scenario", "s.csv", "--set", "u=3", "--step-size", "1",
             "--stop-time", "1", "--record", "*", "-o", "-", "-q", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->out, "time,Gain.u,Gain.y,Gain.k\n0,4,8,2\n1,4,8,2\n1,3,6,2\n");
    assert_contains(box->err, "s.csv:2: warning: t=-1 s lies before the start time 0 s");
}

// The input is connected; within a loop the change reaches everybody.
static void every_algorithm_follows_a_scenario(void **state)
{
    test_sandbox *box = *state;
    static const char *const algorithms[] = {"jacobi", "seidel",   "fixed-point", "newton",
                                             "auto",   "anderson", "quasi-newton"};
    test_write_text(box, "s.csv", "time,variable,value\n1.23,Part3.x3,5\n2.43,Part3.x3,\n");
    for (int i = 0; i < 14; i++) {
        test_results r;
        test_run(box, "run", MATH003, "--scenario", "s.csv", "--stop-time", "4", "--algorithm",
                 algorithms[i % 7], i < 7 ? "--step-size" : "--tolerance", i < 7 ? "0.1" : "1e-5",
                 "--record", "*", "-o", "r.csv", "-q", "--log-level", "error", NULL);
        assert_exit(box, 0);
        test_results_read(&r, box, "r.csv");
        assert_near(change_between(&r, "Part3.x4", 1.23, 2.43), 12, 1e-9);
        test_results_clear(&r);
    }
}

static void outputs_are_changed_for_those_who_read_them(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "s.csv", "time,variable,value\n1.23,Part2.x3,5\n2.43,Part2.x3,\n");
    static const char *const sizes[] = {"--step-size", "0.1", "--tolerance", "1e-5"};
    for (int i = 0; i < 2; i++) {
        test_results r;
        test_run(box, "run", MATH003, "--scenario", "s.csv", "--stop-time", "4", sizes[2 * i],
                 sizes[2 * i + 1], "--record", "*", "-o", "r.csv", "-q", "--log-level", "error",
                 NULL);
        assert_exit(box, 0);
        test_results_read(&r, box, "r.csv");
        assert_near(change_between(&r, "Part3.x4", 1.23, 2.43), 12, 1e-6);
        assert_near(change_between(&r, "Part2.x3", 1.23, 2.43), 0, 0);
        test_results_clear(&r);
    }
}

static void all_types_are_held_and_released(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "s.csv",
                    "time,variable,value\n0.5,real_in,2.5\n0.5,integer_in,7\n0.5,boolean_in,true\n"
                    "0.5,string_in,\"a, b\"\n0.75,real_in,\n0.75,integer_in,\n0.75,boolean_in,\n"
                    "0.75,string_in,\n");
    test_run(box, "run", TEST_FMUS "/Passthrough.fmu", "--scenario", "s.csv", "--step-size", "0.5",
             "--stop-time", "1", "-o", "-", "-q", NULL);
    assert_exit(box, 0);
    assert_string_equal(
        box->out,
        "time,Passthrough.real_out,Passthrough.integer_out,Passthrough.boolean_out,"
        "Passthrough.string_out,Passthrough.enumeration_out\n0,0,0,0,\"start & <text>\",1\n"
        "0.5,0,0,0,\"start & <text>\",1\n0.5,2.5,7,1,\"a, b\",1\n0.75,2.5,7,1,\"a, b\",1\n"
        "0.75,0,0,0,\"start & <text>\",1\n1,0,0,0,\"start & <text>\",1\n");
}

static void units_of_values_are_converted(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "s.csv",
                    "time,variable,value,action\n500 ms,real_in,250 cm,\n"
                    "1,real_in,10 cm,bias\n");
    test_run(box, "run", TEST_FMUS "/Passthrough.fmu", "--scenario", "s.csv", "--step-size", "1",
             "--stop-time", "1", "--record", "*.real_out", "-o", "-", "-q", "--set", "real_in=1",
             NULL);
    assert_exit(box, 0);
    assert_string_equal(box->out, "time,Passthrough.real_out\n0,1\n0.5,1\n0.5,2.5\n1,2.5\n1,1.1\n");
    test_write_text(box, "s.csv", "time,variable,value\n1,real_in,250 K\n1,enumeration_in,fats\n");
    test_run(box, "check", TEST_FMUS "/Passthrough.fmu", "--scenario", "s.csv", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, "s.csv:2: error: Passthrough.real_in is measured in 'm', but the "
                              "value is given in 'K'");
    assert_contains(box->err, "s.csv:3: error: Passthrough.enumeration_in: 'fats' is not a value "
                              "of type Enumeration; did you mean 'fast'?");
}

// Model exchange, by itself and integrated with others: a change is an event of the integration. While the force on the left mass is
// held at 0, its velocity stays what it is.
static void model_exchange_follows_a_scenario(void **state)
{
    test_sandbox *box = *state;
    static const char *const modes[] = {"separate", "central"};
    test_write_text(box, "s.csv", "time,variable,value\n0.33,Left.F,0\n0.77,Left.F,\n");
    for (int i = 0; i < 4; i++) {
        test_results r;
        test_run(box, "run", TAKT_EXAMPLES "/model_exchange/model_exchange.ssd", "--me",
                 modes[i % 2], i < 2 ? "--step-size" : "--tolerance", i < 2 ? "0.01" : "1e-5",
                 "--scenario", "s.csv", "--record", "*", "-o", "r.csv", "-q", NULL);
        assert_exit(box, 0);
        test_results_read(&r, box, "r.csv");
        assert_near(change_between(&r, "Left.v", 0.33, 0.77), 0, 1e-12);
        assert_true(fabs(change_between(&r, "Left.v", 0, 0.33)) > 1e-3);
        assert_true(fabs(change_between(&r, "Left.v", 0.77, 2)) > 1e-3);
        test_results_clear(&r);
    }
}

static void all_problems_of_a_scenario_are_reported_at_once(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "s.csv",
                    "time,variable,value\nsoon,Part2.x1,1\n1,Part9.x1,1\n"
                    "1,Part2.x9,1\n1,Part2.x1,much\n1,Part2.x1,\"1\n");
    test_write_text(box, "s.json",
                    "{\"events\": [{\"time\": 1, \"model\": \"Part2\",\n"
                    "\"variable\": \"x1\", \"action\": \"overide\"},\n"
                    "{\"tim\": 1, \"variable\": \"x1\", \"action\": \"bias\"}]}");
    test_run(box, "check", MATH003, "--scenario", "s.csv", "--scenario", "s.json", NULL);
    assert_exit(box, 3);
    static const char *const pieces[] = {
        "s.csv:2: error: time 'soon' is not a time",
        "s.csv:3: error: there is no component 'Part9'; did you mean 'Part",
        "s.csv:4: error: component 'Part2' has no variable 'x9'; did you mean 'x",
        "s.csv:5: error: Part2.x1: 'much' is not a value of type Float64",
        "s.csv:6: error: quotes are not closed",
        "s.json:1: error: unknown action 'overide'; did you mean 'override'?",
        "s.json:3: warning: event: the key 'tim' is not known and ignored; did you mean 'time'?",
        "s.json:3: error: the event has no 'time'",
        "s.json:3: error: the event has no 'model', and 'defaults' has none",
        "s.json:3: error: the event has no 'value'",
    };
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        assert_contains(box->err, pieces[i]);
    assert_int_equal(test_count(box->err, "error: "), 9);
}

static void what_cannot_be_changed_is_said(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "s.csv", "time,variable,value,action\n1,a,1,\n1,x,3,scale\n");
    test_run(box, "check", TEST_FMUS "/LotkaVolterraPrey.fmu", "--scenario", "s.csv", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, "unknown action 'scale'; choose override, bias or reset");
    test_run(box, "check", GAIN, "--scenario", "s.yml", NULL);
    assert_exit(box, 2);
    assert_contains(box->err, "YAML is not supported");
    test_run(box, "check", GAIN, "--scenario", "none.json", NULL);
    assert_exit(box, 2);
    assert_contains(box->err, "scenario: none.json: ");
}

// ---- checkpoints -------------------------------------------------------------------------------------

typedef struct simulation {
    takt_project *project;
    takt_system *system;
    takt_run *run;
} simulation;

static void make(simulation *at, const char *scenario, const char *tolerance)
{
    takt_error err = {0};
    assert_int_equal(takt_project_open(MATH003, NULL, &at->project, &err), TAKT_OK);
    assert_int_equal(takt_project_set(at->project, "stop-time", "4", &err), TAKT_OK);
    assert_int_equal(takt_project_set(at->project, "scenario", scenario, &err), TAKT_OK);
    if (tolerance)
        assert_int_equal(takt_project_set(at->project, "tolerance", tolerance, &err), TAKT_OK);
    assert_int_equal(takt_system_create(at->project, &at->system, &err), TAKT_OK);
    assert_int_equal(takt_run_create(at->system, &at->run, &err), TAKT_OK);
    assert_int_equal(takt_run_allow_checkpoints(at->run, &err), TAKT_OK);
}

static void end(simulation *at)
{
    takt_run_destroy(at->run);
    takt_system_destroy(at->system);
    takt_project_close(at->project);
}

// The last values of all columns.
static int run_to(simulation *at, double time, double *values)
{
    takt_progress progress = TAKT_RUNNING;
    takt_error err = {0};
    while (progress == TAKT_RUNNING && takt_run_time(at->run) < time)
        assert_int_equal(takt_run_step(at->run, &progress, &err), TAKT_OK);
    int n = 0;
    for (; takt_run_column(at->run, n); n++) values[n] = takt_run_value(at->run, n);
    return n;
}

// At the checkpoint a value is held, another one changes later.
static void a_run_goes_on_within_its_scenario(void **state)
{
    test_sandbox *box = *state;
    char scenario[TEST_PATH_SIZE + 16], other[TEST_PATH_SIZE + 16], file[TEST_PATH_SIZE + 16];
    static const char *const tolerances[] = {NULL, "1e-5"};
    test_write_text(box, "s.csv",
                    "time,variable,value\n0.33,Part3.x3,5\n2.43,Part3.x3,\n"
                    "2.5,Part2.x1,2\n");
    test_write_text(box, "other.csv", "time,variable,value\n0.33,Part3.x3,6\n");
    snprintf(scenario, sizeof scenario, "%s/s.csv", box->work);
    snprintf(other, sizeof other, "%s/other.csv", box->work);
    snprintf(file, sizeof file, "%s/c.ckpt", box->work);
    for (int i = 0; i < 2; i++) {
        simulation whole = {0}, rest = {0}, wrong = {0};
        takt_error err = {0};
        takt_checkpoint *checkpoint = NULL;
        double wanted[16], values[16];
        make(&whole, scenario, tolerances[i]);
        assert_int_equal(takt_run_initialize(whole.run, &err), TAKT_OK);
        run_to(&whole, 1.5, values);
        assert_int_equal(takt_run_checkpoint(whole.run, file, &err), TAKT_OK);
        int n = run_to(&whole, 4, wanted);
        end(&whole);
        assert_int_equal(takt_checkpoint_open(file, &checkpoint, &err), TAKT_OK);
        make(&rest, scenario, tolerances[i]);
        assert_int_equal(takt_run_resume(rest.run, checkpoint, &err), TAKT_OK);
        assert_int_equal(run_to(&rest, 4, values), n);
        assert_memory_equal(values, wanted, (size_t)n * sizeof *values);
        end(&rest);
        make(&wrong, other, tolerances[i]);
        assert_int_equal(takt_run_resume(wrong.run, checkpoint, &err), TAKT_ERR_INPUT);
        end(&wrong);
        takt_checkpoint_close(checkpoint);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(values_are_held_exactly_as_long_as_asked),
        test_in_sandbox(rows_left_and_right_of_a_change_show_both_values),
        test_in_sandbox(changes_up_to_the_start_hold_from_the_beginning),
        test_in_sandbox(every_algorithm_follows_a_scenario),
        test_in_sandbox(outputs_are_changed_for_those_who_read_them),
        test_in_sandbox(all_types_are_held_and_released),
        test_in_sandbox(units_of_values_are_converted),
        test_in_sandbox(model_exchange_follows_a_scenario),
        test_in_sandbox(all_problems_of_a_scenario_are_reported_at_once),
        test_in_sandbox(a_run_goes_on_within_its_scenario),
        test_in_sandbox(what_cannot_be_changed_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
