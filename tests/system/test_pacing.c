// SPDX-License-Identifier: MIT
// Pacing with real time, and ending when nothing changes any more. Only what cannot depend on the speed of the machine is tested.
#include <jansson.h>
#include <signal.h>
#include <unistd.h>

#include "support/results.h"

#define LAG TEST_FMUS "/Lag.fmu"

static json_t *read_stats(test_sandbox *box)
{
    size_t size;
    char *text = test_read_file(box, "stats.json", &size);
    assert_non_null(text);
    json_t *all = json_loads(text, 0, NULL);
    free(text);
    assert_non_null(all);
    return all;
}

static double number(const json_t *all, const char *object, const char *key)
{
    return json_number_value(json_object_get(json_object_get(all, object), key));
}

static void simulated_time_does_not_run_ahead_of_real_time(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", LAG, "--stop-time", "2", "--step-size", "0.5", "--real-time=20", "--stats",
             "stats.json", "--no-output", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "real time x 20: ");
    assert_contains(box->err, " of 4 points were late by more than 1 ms; at most ");
    json_t *all = read_stats(box);
    assert_true(json_number_value(json_object_get(all, "wall")) >= 0.1);
    assert_near(number(all, "real_time", "factor"), 20, 0);
    assert_near(number(all, "real_time", "points"), 4, 0);
    double late = number(all, "real_time", "late"),
           mean = number(all, "real_time", "mean_lateness");
    double largest = number(all, "real_time", "largest_lateness");
    assert_true(late >= 0 && late <= 4 && mean >= 0 && mean <= largest);
    assert_int_equal(late > 0, largest > 1e-3);
    json_decref(all);
    test_run(box, "run", LAG, "--stop-time", "1", "--stats", "stats.json", "--no-output", NULL);
    all = read_stats(box);
    assert_null(json_object_get(all, "real_time"));
    assert_null(json_object_get(all, "steady"));
    json_decref(all);
}

static void an_interruption_ends_the_wait(void **state)
{
    test_sandbox *box = *state;
    test_start(box, "run", LAG, "--stop-time", "1e6", "--step-size", "1e5", "--real-time", "-o",
               "r.csv", "--checkpoint", "c.ckpt", NULL);
    for (int i = 0; i < 2000 && !test_has_file(box, "c.ckpt"); i++) usleep(10000);
    kill(box->process, SIGINT);
    test_wait(box);
    assert_exit(box, 130);
    assert_contains(box->err, "the results up to there are complete");
    test_results r;
    test_results_read(&r, box, "r.csv");
    assert_true(r.n_rows >= 1 && r.n_rows <= 2);
    test_results_clear(&r);
}

static void a_run_ends_when_nothing_changes(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", LAG, "--set", "u=1", "--stop-time", "1000", "--step-size", "0.5",
             "--until-steady=20", "--stats", "stats.json", "-o", "r.csv", NULL);
    assert_exit(box, 0);
    json_t *all = read_stats(box);
    assert_true(json_is_true(json_object_get(json_object_get(all, "steady"), "reached")));
    assert_string_equal(json_string_value(json_object_get(all, "status")), "ok");
    double since = number(all, "steady", "since");
    assert_near(number(all, "steady", "window"), 20, 0);
    // x = 1 - exp(-t): the band of what follows is exp(-since) wide, which must not be more than 1e-4.
    assert_true(since >= 9.2 && since <= 10);
    json_decref(all);
    test_results r;
    test_results_read(&r, box, "r.csv");
    assert_near(test_result_time(&r, r.n_rows - 1), since + 20, 1e-9);
    assert_near(test_result(&r, r.n_rows - 1, "Lag.x"), 1, 1e-4);
    test_results_clear(&r);
    assert_contains(box->err, "nothing changed for 20 s");
}

static void assert_same_results(test_sandbox *box)
{
    size_t n_a, n_b;
    char *a = test_read_file(box, "r.csv", &n_a), *b = test_read_file(box, "wanted.csv", &n_b);
    assert_int_equal(n_a, n_b);
    assert_memory_equal(a, b, n_a);
    free(a);
    free(b);
}

#define UNTIL_STEADY                                                                               \
    "run", LAG, "--set", "u=1", "--step-size", "0.5", "--until-steady=20", "--no-describe-results"
#define SAVE "--checkpoint", "a.ckpt"

// Checkpoints hold since when nothing has changed: before anything has come to rest (0), meanwhile (5), and at the end.
static void a_resumed_run_ends_where_it_would_have(void **state)
{
    test_sandbox *box = *state;
    static const char *const pauses[] = {"5", "15", "1000", "1000"};
    test_run(box, UNTIL_STEADY, "--stop-time", "1000", "-o", "wanted.csv", NULL);
    assert_exit(box, 0);
    test_run(box, UNTIL_STEADY, "--stop-time", "5", "-o", "r.csv", SAVE, NULL);
    for (int i = 0; i < 4; i++) {
        test_run(box, UNTIL_STEADY, "--stop-time", pauses[i], SAVE, "--resume", "a.ckpt", NULL);
        assert_exit(box, 0);
        if (i > 1) assert_contains(box->err, "steady since t = 9.5 s: ended at t = 29.5 s");
    }
    assert_same_results(box);
    // Who asks for it only later counts from there.
    test_run(box, "run", LAG, "--set", "u=1", "--step-size", "0.5", "--stop-time", "50", "-q", SAVE,
             "--no-output", NULL);
    assert_exit(box, 0);
    test_run(box, UNTIL_STEADY, "--no-output", "--stop-time", "1000", "--resume", "a.ckpt", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "steady since t = 50 s: ended at t = 70 s");
}

// A change that is known to come is waited for, and what follows from it.
static void known_changes_are_waited_for(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "s.csv", "time,variable,value\n50,u,2\n");
    test_write_text(box, "in.csv", "time,u\n0,1\n50,1\n50,2\n");
    static const char *const options[] = {"--scenario", "s.csv", "--input-file", "in.csv"};
    for (int i = 0; i < 2; i++) {
        test_results r;
        test_run(box, "run", LAG, options[2 * i], options[2 * i + 1], "--stop-time", "1000",
                 "--until-steady=5", "-o", "r.csv", "-q", NULL);
        assert_exit(box, 0);
        test_results_read(&r, box, "r.csv");
        double end = test_result_time(&r, r.n_rows - 1);
        assert_true(end > 62 && end < 68);
        assert_near(test_result(&r, r.n_rows - 1, "Lag.x"), 2, 3e-4);
        test_results_clear(&r);
    }
}

static void what_still_changes_at_the_stop_time_is_named(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", LAG, "--set", "u=1", "--stop-time", "5", "--until-steady", "-o", "r.csv",
             "-q", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "not steady at the stop time: the last change was that of Lag.x");
    test_run(box, "run", LAG, "--until-steady=0", NULL);
    assert_exit(box, 2);
    test_run(box, "run", LAG, "--real-time=-1", NULL);
    assert_exit(box, 2);
}

// The word behind such an option is its value, unless it may be the file, or another one.
static void values_of_options_may_be_left_out(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", "--until-steady", LAG, "--real-time", "1000", "-o", "r.csv", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "real time x 1000:");
    test_run(box, "run", LAG, "--real-time", "fast", NULL);
    assert_one_error(box, 2, "fast");
    test_run(box, "run", LAG, "--until-steady", TEST_FMUS "/Gain.fmu", "-o", "r.csv", "-q", NULL);
    assert_exit(box, 0);
    test_run(box, "run", "--help", NULL);
    assert_contains(box->out, "--real-time [F]");
    assert_contains(box->out, "--isolate [GLOB]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(simulated_time_does_not_run_ahead_of_real_time),
        test_in_sandbox(an_interruption_ends_the_wait),
        test_in_sandbox(a_run_ends_when_nothing_changes),
        test_in_sandbox(a_resumed_run_ends_where_it_would_have),
        test_in_sandbox(known_changes_are_waited_for),
        test_in_sandbox(what_still_changes_at_the_stop_time_is_named),
        test_in_sandbox(values_of_options_may_be_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
