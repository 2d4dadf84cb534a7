// SPDX-License-Identifier: MIT
// FMUs that do not return from a call: with --timeout the run ends with exit code 5, says where, and leaves
// complete results.
#include "support/archive.h"
#include "support/results.h"
#include "support/ssd.h"
#include "support/statistics.h"

// Numbers of the items of `what` in tests/fmus/misbehave.h.
#define SLOW "what=9"
#define PENDING "what=10"
#define SLOW_INIT "what=16"

// Hangs for an hour; the time limit of the test is shorter.
static void run_hanging(test_sandbox *box, const char *fmu, const char *what, const char *timeout)
{
    test_run(box, "run", fmu, "--step-size", "0.1", "--stop-time", "1", "--set", what, "--set",
             "when=0.5", "--set", "delay=3600", "--set", "polls=2000000000", "--timeout", timeout,
             "--stats", "stats.json", "--output-file", "r.csv", NULL);
}

static void check_rows(test_sandbox *box, int n_rows)
{
    test_results r;
    test_results_read(&r, box, "r.csv");
    assert_int_equal(r.n_rows, n_rows);
    for (int i = 0; i < n_rows; i++) assert_near(test_result_time(&r, i), 0.1 * i, 1e-12);
    test_results_clear(&r);
}

static void hanging_step_ends_the_run_with_valid_results(void **state)
{
    test_sandbox *box = *state;
    static const char *const cases[][3] = {
        {TEST_FMUS "/Misbehave_fmi1.fmu", "Misbehave_fmi1", "fmiDoStep"},
        {TEST_FMUS "/Misbehave.fmu", "Misbehave", "fmi2DoStep"},
        {TEST_FMUS "/Misbehave_fmi3.fmu", "Misbehave_fmi3", "fmi3DoStep"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char piece[200];
        snprintf(piece, sizeof piece,
                 "takt: error: instance '%s' at t=0.4 s: %s has not returned within 0.3 s of real "
                 "time; raise --timeout",
                 cases[i][1], cases[i][2]);
        run_hanging(box, cases[i][0], SLOW, "0.3");
        assert_one_error(box, 5, piece);
        check_rows(box, 5);
        json_t *s = test_statistics_read(box, "stats.json");
        assert_string_equal(test_word(s, "status"), "timeout");
        assert_near(test_number(s, "steps"), 4, 0);
        json_decref(s);
    }
}

static void step_that_stays_pending_is_a_hanging_one(void **state)
{
    test_sandbox *box = *state;
    run_hanging(box, TEST_FMUS "/Misbehave.fmu", PENDING, "0.3");
    assert_one_error(box, 5, "instance 'Misbehave' at t=0.4 s: fmi2DoStep has not returned");
    check_rows(box, 5);
}

// Model exchange, alone and in a group: the member is named, in whatever call it hangs.
static void hanging_equations_are_found_and_named(void **state)
{
    test_sandbox *box = *state;
    static const char *const versions[] = {"_fmi1me", "", "_fmi3"}, *const modes[] = {"separate",
                                                                                      "central"};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 2; k++) {
            test_ssd ssd = {0};
            char fmu[100];
            snprintf(fmu, sizeof fmu, "Oddities%s", versions[i]);
            test_ssd_component(&ssd, "Odd", fmu, "out:x parameter:mode:Integer");
            test_ssd_component(&ssd, "Predator", "Predator", "in:x out:y");
            test_ssd_connect(&ssd, "Odd.x", "Predator.x");
            test_ssd_write(&ssd, box, "s.ssd", 0, 1, "step-size=\"0.1\"");
            test_run(box, "run", "s.ssd", "--interface", "me", "--me", modes[k], "--set",
                     "Odd.mode=10", "--timeout", "0.3", "--output-file", "r.csv", NULL);
            assert_one_error(box, 5, "takt: error: instance 'Odd' at t=0.4 s: fmi");
            assert_one_error(box, 5, "has not returned within 0.3 s");
            check_rows(box, 5);
        }
}

// What FMUs of Adams do (quirk 9).
static void hanging_initialization_is_named(void **state)
{
    test_sandbox *box = *state;
    static const char *const cases[][2] = {
        {TEST_FMUS "/Misbehave_fmi1.fmu", ": fmiInitializeSlave has not returned"},
        {TEST_FMUS "/Misbehave.fmu", ": fmi2ExitInitializationMode has not returned"},
        {TEST_FMUS "/Misbehave_fmi3.fmu", ": fmi3ExitInitializationMode has not returned"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_hanging(box, cases[i][0], SLOW_INIT, "0.3");
        assert_one_error(box, 5, cases[i][1]);
        check_rows(box, 0);
    }
}

static void write_fmu(test_sandbox *box, const char *guid)
{
    char text[1000], path[2 * TEST_PATH_SIZE];
    snprintf(text, sizeof text,
             "<fmiModelDescription fmiVersion='2.0' modelName='Quirk' guid='%s'>\n"
             "<CoSimulation modelIdentifier='quirk'/><ModelVariables>"
             "<ScalarVariable name='t' valueReference='2147483650' causality='output'><Real/>"
             "</ScalarVariable></ModelVariables><ModelStructure><Outputs><Unknown index='1'/>"
             "</Outputs></ModelStructure></fmiModelDescription>",
             guid);
    const test_entry entries[] = {{.name = "binaries/linux64/quirk.so", .file = TEST_QUIRK},
                                  {.name = "modelDescription.xml", .data = text}};
    snprintf(path, sizeof path, "%s/q.fmu", box->work);
    test_archive(path, entries, 2);
}

static void calls_at_both_ends_of_life_are_watched(void **state)
{
    test_sandbox *box = *state;
    static const struct {
        const char *guid, *message;
        int n_rows;
    } cases[] = {
        {"hang_instantiate", "instance 'q': its instantiation has not returned within 0.3 s", -1},
        {"hang_terminate", "instance 'q' at t=1 s: fmi2Terminate has not returned", 11},
        {"hang_free", "instance 'q' at t=1 s: freeing it has not returned", 11}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_fmu(box, cases[i].guid);
        test_run(box, "run", "q.fmu", "--step-size", "0.1", "--stop-time", "1", "--timeout", "0.3",
                 "--output-file", "r.csv", NULL);
        assert_one_error(box, 5, cases[i].message);
        if (cases[i].n_rows > 0) check_rows(box, cases[i].n_rows);
    }
}

// The sandbox checks that nothing is left in the folder for temporary files.
static void nothing_is_left_where_the_cache_cannot_be_written(void **state)
{
    test_sandbox *box = *state;
    test_write_text(box, "no-folder", "");
    char cache[sizeof box->cache];
    memcpy(cache, box->cache, sizeof cache);
    snprintf(box->cache, sizeof box->cache, "%.*s/no-folder", (int)sizeof box->cache - 16,
             box->work);
    run_hanging(box, TEST_FMUS "/Misbehave.fmu", SLOW, "0.3");
    assert_one_error(box, 5, "fmi2DoStep has not returned");
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "M", "Misbehave", "in:u out:y");
    test_ssd_write(&ssd, box, "m.ssd", 0, 1, "step-size=\"0.1\"");
    test_run(box, "convert", "m.ssd", "m.ssp", NULL);
    assert_exit(box, 0);
    test_run(box, "run", "m.ssp", "--set", "M.what=9", "--set", "M.when=0.5", "--set",
             "M.delay=3600", "--timeout", "0.3", NULL);
    assert_one_error(box, 5, "fmi2DoStep has not returned");
    memcpy(box->cache, cache, sizeof cache);
}

// Many calls that together take longer are no reason to give up, nor is a slow reader of the results.
static void only_single_calls_count(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", TEST_FMUS "/Misbehave.fmu", "--step-size", "0.1", "--stop-time", "1",
             "--set", SLOW, "--set", "delay=0.2", "--timeout", "1", "--output-file", "r.csv", NULL);
    assert_exit(box, 0);
    check_rows(box, 11);
}

static void impossible_timeouts_are_refused(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", TEST_FMUS "/Misbehave.fmu", "--timeout", "-1", NULL);
    assert_one_error(box, 2, "timeout: '-1' is not allowed; it must not be negative");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(hanging_step_ends_the_run_with_valid_results),
        test_in_sandbox(step_that_stays_pending_is_a_hanging_one),
        test_in_sandbox(hanging_equations_are_found_and_named),
        test_in_sandbox(hanging_initialization_is_named),
        test_in_sandbox(calls_at_both_ends_of_life_are_watched),
        test_in_sandbox(nothing_is_left_where_the_cache_cannot_be_written),
        test_in_sandbox(only_single_calls_count),
        test_in_sandbox(impossible_timeouts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
