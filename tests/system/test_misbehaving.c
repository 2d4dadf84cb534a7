// SPDX-License-Identifier: MIT
// FMUs that misbehave: the exit code, one message that names instance, variable and time, and
// results that are valid up to the failure. The FMU Misbehave does what its parameter `what` says
// in the first step that ends at or after `when`.
#include <signal.h>

#include "support/archive.h"
#include "support/hostile.h"
#include "support/results.h"
#include "support/ssd.h"
#include "support/statistics.h"

#ifdef __aarch64__
#define TEST_PLATFORM "aarch64-linux"
#else
#define TEST_PLATFORM "x86_64-linux"
#endif

// Numbers of the items of `what` in tests/fmus/Misbehave.c.
#define DISCARD "what=2"
#define TERMINATE "what=3"
#define WARNING "what=4"
#define ERROR "what=5"
#define FATAL "what=6"
#define NOT_A_NUMBER "what=7"
#define INFINITE "what=8"
#define SLOW "what=9"
#define PENDING "what=10"
#define INIT_ERROR "what=11"
#define WRITE_STDOUT "what=12"
#define LOG_PERCENT "what=13"
#define LOG_HOSTILE "what=14"
#define LOG_NULL "what=15"
#define ENDLESS_EVENT "what=18"
#define LOG_MISSING "what=21"
#define LOG_HUGE "what=22"

#define FMU TEST_FMUS "/Misbehave.fmu"

// Misbehaves in the step from 0.4 to 0.5 of ten steps of 0.1 s.
#define misbehave(box, what, ...)                                                                  \
    test_run(box, "run", FMU, "--step-size", "0.1", "--stop-time", "1", "--set",                   \
             "Misbehave." what, "--set", "Misbehave.when=0.5", "--stats", "stats.json",            \
             __VA_ARGS__)

static void check_results(test_sandbox *box, int n_rows, int n_steps, const char *status)
{
    test_results r;
    test_results_read(&r, box, "Misbehave.csv");
    assert_int_equal(r.n_rows, n_rows);
    for (int i = 0; i < n_rows; i++) {
        assert_near(test_result_time(&r, i), 0.1 * i, 1e-12);
        assert_near(test_result(&r, i, "Misbehave.y"), 0, 0);
    }
    test_results_clear(&r);
    json_t *s = test_statistics_read(box, "stats.json");
    assert_string_equal(test_word(s, "status"), status);
    assert_near(test_number(s, "steps"), n_steps, 0);
    assert_near(test_number(s, "stop_time"), 0.1 * n_steps, 1e-12);
    json_decref(s);
}

static void error_of_an_fmu_ends_the_run(void **state)
{
    test_sandbox *box = *state;
    misbehave(box, ERROR, NULL);
    assert_exit(box, 1);
    assert_contains(box->err, "takt: error: instance 'Misbehave' at t=0.4 s: ");
    check_results(box, 5, 4, "failed");
    assert_contains(box->out, "Results: Misbehave.csv (5 rows, 2 columns)");
}

static void fatal_error_of_an_fmu_ends_the_run(void **state)
{
    test_sandbox *box = *state;
    misbehave(box, FATAL, NULL);
    assert_exit(box, 1);
    assert_contains(box->err, "takt: error: instance 'Misbehave' at t=0.4 s: ");
    assert_contains(box->err, "fatal");
    check_results(box, 5, 4, "failed");
}

static void discarded_step_ends_the_run_and_tells_how_far_it_came(void **state)
{
    test_sandbox *box = *state;
    misbehave(box, DISCARD, "--set", "Misbehave.last_time=0.45", NULL);
    assert_exit(box, 1);
    assert_contains(box->err, "takt: error: instance 'Misbehave' at t=0.4 s: ");
    assert_contains(box->err, "discarded");
    assert_contains(box->err, "0.45");
    assert_contains(box->err, "--step-size");
    check_results(box, 5, 4, "failed");
}

static void fmu_that_wants_to_end_is_no_failure(void **state)
{
    test_sandbox *box = *state;
    misbehave(box, TERMINATE, "--set", "Misbehave.last_time=0.45", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "takt: warning: instance 'Misbehave' ended the simulation");
    assert_contains(box->err, "0.45");
    assert_int_equal(test_count(box->err, "error: "), 0);
    check_results(box, 5, 4, "terminated");
}

static void results_reach_the_end_that_an_fmu_chooses(void **state)
{
    test_sandbox *box = *state;
    misbehave(box, TERMINATE, "--set", "Misbehave.last_time=0.5", NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "ended the simulation at t=0.5 s; the last row is at t=0.5 s");
    check_results(box, 6, 5, "terminated");
}

// The largest steps would pass the end by far; the one that reaches it exactly is made all the same.
static void adaptive_steps_reach_the_end_that_an_fmu_chooses(void **state)
{
    test_sandbox *box = *state;
    const char *const controls[] = {"convergence", "richardson"};
    for (int i = 0; i < 2; i++) {
        test_run(box, "run", FMU, "--step-control", controls[i], "--step-size", "0.1",
                 "--stop-time", "20", "--set", "Misbehave." TERMINATE, "--set",
                 "Misbehave.when=5.25", "--set", "Misbehave.last_time=5.25", NULL);
        assert_exit(box, 0);
        assert_contains(box->err, "ended the simulation at t=5.25 s; the last row is at t=5.25 s");
        test_results r;
        test_results_read(&r, box, "Misbehave.csv");
        assert_near(test_result_time(&r, r.n_rows - 1), 5.25, 1e-9);
        test_results_clear(&r);
    }
}

static void end_at_the_stop_time_is_nothing_special(void **state)
{
    test_sandbox *box = *state;
    misbehave(box, TERMINATE, "--set", "Misbehave.last_time=1", "--set", "Misbehave.when=1", NULL);
    assert_exit(box, 0);
    assert_int_equal(test_count(box->err, "ended the simulation"), 0);
    check_results(box, 11, 10, "ok");
}

static void warning_of_an_fmu_lets_the_run_go_on(void **state)
{
    test_sandbox *box = *state;
    misbehave(box, WARNING, NULL);
    assert_exit(box, 0);
    assert_contains(box->err, "warning: Misbehave");
    assert_contains(box->err, "the step from 0.4 to 0.5 is odd");
    check_results(box, 11, 10, "ok");
    misbehave(box, WARNING, "--log-level", "error", NULL);
    assert_exit(box, 0);
    assert_string_equal(box->err, "");
}

static void value_that_is_no_number_is_named_with_variable_and_time(void **state)
{
    test_sandbox *box = *state;
    // The bad value comes from the fifth step; the row with it is not written.
    misbehave(box, NOT_A_NUMBER, NULL);
    assert_one_error(box, 1,
                     "takt: error: instance 'Misbehave' at t=0.5 s: variable 'y' is not a number");
    check_results(box, 5, 5, "failed");
    misbehave(box, INFINITE, NULL);
    assert_one_error(box, 1,
                     "takt: error: instance 'Misbehave' at t=0.5 s: variable 'y' is infinite");
    check_results(box, 5, 5, "failed");
}

static void pending_step_is_waited_for(void **state)
{
    test_sandbox *box = *state;
    misbehave(box, PENDING, NULL);
    assert_exit(box, 0);
    check_results(box, 11, 10, "ok");
}

static void failing_initialization_is_named(void **state)
{
    test_sandbox *box = *state;
    misbehave(box, INIT_ERROR, NULL);
    assert_exit(box, 1);
    assert_contains(box->err, "takt: error: instance 'Misbehave'");
    assert_contains(box->err, "initialization fails because what = init_error");
    json_t *s = test_statistics_read(box, "stats.json");
    assert_string_equal(test_word(s, "status"), "failed");
    json_decref(s);
    char *csv = test_read_file(box, "Misbehave.csv", NULL);
    assert_string_equal(csv, "time,Misbehave.y\n");
    free(csv);
}

static void failure_in_one_of_several_instances_names_it(void **state)
{
    test_sandbox *box = *state;
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "Source", "Math003Part1", "out:x1 out:x2");
    test_ssd_component(&ssd, "Good", "Misbehave", "in:u out:y");
    test_ssd_component(&ssd, "Bad", "Misbehave", "in:u out:y");
    test_ssd_connect(&ssd, "Source.x1", "Good.u");
    test_ssd_connect(&ssd, "Good.y", "Bad.u");
    test_ssd_write(&ssd, box, "plant.ssd", 0, 3, "step-size=\"0.1\"");
    test_run(box, "run", "plant.ssd", "--set", "Bad.what=7", "--set", "Bad.when=2", NULL);
    assert_one_error(box, 1, "takt: error: instance 'Bad' at t=2 s: variable 'y'");
    test_results r;
    test_results_read(&r, box, "plant.csv");
    assert_int_equal(r.n_rows, 20);
    test_results_clear(&r);
}

// Messages pass through several layers; only one of them names the instance.
static void instance_is_named_once(void **state)
{
    test_sandbox *box = *state;
    static const char *const fmus[] = {"Misbehave_fmi1", "Misbehave", "Misbehave_fmi3"};
    static const char *const cases[] = {ERROR, FATAL, NOT_A_NUMBER, INIT_ERROR, ENDLESS_EVENT};
    for (size_t i = 0; i < sizeof fmus / sizeof *fmus; i++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            if (strcmp(cases[k], ENDLESS_EVENT) == 0 && i < 2) continue; // only of FMI 3.0
            char path[300];
            snprintf(path, sizeof path, "%s/%s.fmu", TEST_FMUS, fmus[i]);
            test_run(box, "run", path, "--step-size", "0.1", "--stop-time", "1", "--set", cases[k],
                     "--set", "when=0.5", "--no-output", NULL);
            assert_exit(box, 1);
            const char *first = strstr(box->err, "instance '");
            assert_non_null(first);
            assert_null(strstr(first + 1, "instance '"));
        }
}

// ---- what FMUs print -------------------------------------------------------------------------------

// In every version of FMI. The log tells instance and category, and less where less is wanted.
static void texts_of_an_fmu_cannot_harm(void **state)
{
    test_sandbox *box = *state;
    static const char *const fmus[] = {"Misbehave_fmi1", "Misbehave", "Misbehave_fmi3"};
    static const char *const cases[][2] = {{LOG_PERCENT, "logEvents: 100% done"},
                                           {LOG_HOSTILE, "logEvents: %n%n%n%n %1000000000d"},
                                           {LOG_MISSING, "logEvents: missing "},
                                           {LOG_HUGE, "logEvents: hhhhhhhhhhhhhhhh"},
                                           {LOG_NULL, ""}};
    for (size_t i = 0; i < sizeof fmus / sizeof *fmus; i++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            char path[300], piece[100];
            snprintf(path, sizeof path, "%s/%s.fmu", TEST_FMUS, fmus[i]);
            snprintf(piece, sizeof piece, "warning: %s: %s", fmus[i], cases[k][1]);
            for (int quiet = 0; quiet < (k == 0 ? 2 : 1); quiet++) {
                test_run(box, "run", path, "--step-size", "0.1", "--stop-time", "1", "--set",
                         cases[k][0], "--set", "when=0.5", "--no-output", "--log-level",
                         quiet ? "error" : "warn", NULL);
                assert_exit(box, 0);
                if (quiet)
                    assert_string_equal(box->err, "");
                else if (cases[k][1][0])
                    assert_contains(box->err, piece);
            }
        }
}

static void fmu_that_prints_cannot_spoil_results_on_standard_output(void **state)
{
    test_sandbox *box = *state;
    misbehave(box, WRITE_STDOUT, "--output-file", "-", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_parse(&r, box->out);
    assert_int_equal(r.n_rows, 11);
    test_results_clear(&r);
    assert_contains(box->err, "Misbehave writes to standard output");
}

// ---- interruption ----------------------------------------------------------------------------------

// Starts a run of 1000 steps that take 20 ms each, and waits for some rows.
static void start_slow_run(test_sandbox *box, const char *progress)
{
    test_start(box, "run", FMU, "--step-size", "0.01", "--stop-time", "10", "--set",
               "Misbehave." SLOW, "--set", "Misbehave.delay=0.02", "--stats", "stats.json",
               "--progress", progress, NULL);
    test_wait_for_lines(box, "Misbehave.csv", 5);
}

static void check_interrupted(test_sandbox *box)
{
    assert_exit(box, 130);
    assert_contains(box->err, "takt: interrupted at t = ");
    assert_contains(box->err, " s of 10 s; the results up to there are complete");
    assert_contains(box->out, "Solver statistics");
    test_results r;
    test_results_read(&r, box, "Misbehave.csv");
    assert_true(r.n_rows >= 4 && r.n_rows < 1000);
    json_t *s = test_statistics_read(box, "stats.json");
    assert_string_equal(test_word(s, "status"), "interrupted");
    assert_near(test_number(s, "steps"), r.n_rows - 1, 0);
    assert_near(test_number(s, "stop_time"), test_result_time(&r, r.n_rows - 1), 0);
    json_decref(s);
    test_results_clear(&r);
}

static void interrupt_ends_a_run_with_valid_results(void **state)
{
    test_sandbox *box = *state;
    start_slow_run(box, "none");
    kill(box->process, SIGINT);
    test_wait(box);
    check_interrupted(box);
    assert_int_equal(test_count(box->err, "error: "), 0);
}

static void termination_signal_does_the_same(void **state)
{
    test_sandbox *box = *state;
    start_slow_run(box, "bar");
    kill(box->process, SIGTERM);
    test_wait(box);
    check_interrupted(box);
}

// Ctrl-C during a step that takes its time: which one is said at once, not only when it is over.
static void first_interrupt_says_what_it_waits_for(void **state)
{
    test_sandbox *box = *state;
    start_slow_run(box, "none");
    kill(box->process, SIGINT);
    test_wait(box);
    assert_exit(box, 130);
    assert_contains(box->err, "takt: interrupted; ");
    assert_contains(box->err, "; a second Ctrl-C ends the program at once\n");
}

static void a_closed_terminal_does_the_same(void **state)
{
    test_sandbox *box = *state;
    start_slow_run(box, "none");
    kill(box->process, SIGHUP);
    test_wait(box);
    check_interrupted(box);
}

// The FMU hangs: only the second signal can end the run, and only if it does not wait for the FMU.
static void second_interrupt_ends_at_once(void **state)
{
    test_sandbox *box = *state;
    test_hostile_fmu(box, TEST_HOSTILE, "Engine.fmu", "deadlock step");
    test_start(box, "run", "Engine.fmu", "--step-size", "0.1", "--stop-time", "1", "--progress",
               "none", NULL);
    test_wait_for_lines(box, "Engine.csv", 2);
    kill(box->process, SIGINT);
    test_wait_for_lines(box, "../err", 1);
    kill(box->process, SIGINT);
    test_wait(box);
    assert_exit(box, 130);
    assert_string_equal(box->out, "");
    assert_int_equal(test_count(box->err, "\n"), 1);
    assert_contains(box->err, "takt: interrupted; waiting for ");
}

// ---- abilities -------------------------------------------------------------------------------------

// Two FMUs in a loop with feedthrough: y1 = k y2 + c, y2 = k y1.
static void write_loop(test_sandbox *box, const char *second, const char *settings)
{
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "First", "InitLoop", "in:u out:y");
    test_ssd_component(&ssd, "Second", second, "in:u out:y");
    test_ssd_connect(&ssd, "First.y", "Second.u");
    test_ssd_connect(&ssd, "Second.y", "First.u");
    test_ssd_write(&ssd, box, "loop.ssd", 0, 1, settings);
}

static void iterating_without_rewind_is_refused_by_name(void **state)
{
    test_sandbox *box = *state;
    write_loop(box, "NoRewind", "step-size=\"0.1\" algorithm=\"fixed-point\"");
    test_run(box, "run", "loop.ssd", NULL);
    assert_exit(box, 3);
    assert_contains(box->err, "Second");
    assert_contains(box->err, "fixed-point");
    assert_false(test_has_file(box, "loop.csv"));
    test_run(box, "check", "loop.ssd", NULL);
    assert_exit(box, 3);
    assert_string_equal(box->out, "loop.ssd: 1 error\n");
}

static void automatic_choice_avoids_iterating_without_rewind(void **state)
{
    test_sandbox *box = *state;
    write_loop(box, "NoRewind", "step-size=\"0.1\"");
    test_run(box, "run", "loop.ssd", "--stats", "stats.json", NULL);
    assert_exit(box, 0);
    json_t *s = test_statistics_read(box, "stats.json");
    assert_string_equal(test_word(s, "loops/0/algorithm"), "seidel");
    assert_near(test_number(s, "loops/0/sweeps"), test_number(s, "steps"), 0);
    json_decref(s);
}

static void initial_loop_is_solved(void **state)
{
    test_sandbox *box = *state;
    write_loop(box, "InitLoop", "step-size=\"0.1\"");
    // y = k y' + 1, y' = k y + 1: y = 1 / (1 - k), also where plain iteration diverges.
    test_run(box, "run", "loop.ssd", "--set", "First.k=-3", "--set", "Second.k=-3", "--test-init",
             "-o", "init.csv", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "init.csv");
    assert_near(test_result(&r, 0, "First.y"), 0.25, 1e-6);
    assert_near(test_result(&r, 0, "Second.y"), 0.25, 1e-6);
    test_results_clear(&r);
}

static void initial_loop_without_solution_is_named(void **state)
{
    test_sandbox *box = *state;
    write_loop(box, "InitLoop", "step-size=\"0.1\"");
    test_run(box, "run", "loop.ssd", "--set", "First.k=1", "--set", "Second.k=1", NULL);
    assert_exit(box, 1);
    assert_contains(box->err, "First");
    assert_contains(box->err, "Second");
}

// Couples two instances of an FMU in the work folder, or of one in the usual place.
static void check_two_instances(test_sandbox *box, const char *source)
{
    char ssd[2000];
    snprintf(ssd, sizeof ssd,
             "<?xml version='1.0' encoding='UTF-8'?>\n<ssd:SystemStructureDescription "
             "xmlns:ssd='http://ssp-standard.org/SSP1/SystemStructureDescription' "
             "xmlns:ssc='http://ssp-standard.org/SSP1/SystemStructureCommon' version='1.0' "
             "name='two'><ssd:System name='two'><ssd:Elements>\n"
             "<ssd:Component name='A' source='%s' type='application/x-fmu-sharedlibrary'>"
             "<ssd:Connectors><ssd:Connector name='y' kind='output'><ssc:Real/></ssd:Connector>"
             "</ssd:Connectors></ssd:Component>\n"
             "<ssd:Component name='B' source='%s' type='application/x-fmu-sharedlibrary'>"
             "<ssd:Connectors><ssd:Connector name='u' kind='input'><ssc:Real/></ssd:Connector>"
             "</ssd:Connectors></ssd:Component>\n"
             "</ssd:Elements><ssd:Connections><ssd:Connection startElement='A' startConnector='y' "
             "endElement='B' endConnector='u'/></ssd:Connections></ssd:System>"
             "</ssd:SystemStructureDescription>\n",
             source, source);
    test_write_text(box, "two.ssd", ssd);
    test_run(box, "run", "two.ssd", "--stop-time", "1", "--step-size", "0.1", "--set", "A.u=2",
             "--set", "B.k=4", "--output-file", "two.csv", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "two.csv");
    assert_near(test_result(&r, r.n_rows - 1, "B.y"), 8, 0);
    test_results_clear(&r);
}

static const char *const once[] = {"OncePerProcess_fmi1", "OncePerProcess", "OncePerProcess_fmi3"};

static void fmu_that_can_exist_only_once_gets_copies(void **state)
{
    test_sandbox *box = *state;
    for (int i = 0; i < 3; i++) {
        char source[300];
        snprintf(source, sizeof source, "%s/%s.fmu", TEST_FMUS, once[i]);
        check_two_instances(box, source);
    }
}

// The same FMUs, but their descriptions do not tell: the second instance is refused.
static void fmu_that_refuses_a_second_instance_gets_a_copy(void **state)
{
    test_sandbox *box = *state;
    static const char flag[] = "canBeInstantiatedOnlyOncePerProcess=\"true\"";
    for (int i = 0; i < 3; i++) {
        char unpacked[400], library[500], path[2 * TEST_PATH_SIZE];
        snprintf(unpacked, sizeof unpacked, "%s.unpacked/%s", TEST_FMUS, once[i]);
        const char *folder = i < 2 ? "linux64" : TEST_PLATFORM;
        snprintf(library, sizeof library, "%s/binaries/%s/OncePerProcess.so", unpacked, folder);
        snprintf(path, sizeof path, "%s/modelDescription.xml", unpacked);
        size_t size;
        char *text = test_read_path(path, &size), name[100];
        assert_non_null(text);
        char *at = strstr(text, flag);
        assert_non_null(at);
        memset(at, ' ', strlen(flag));
        snprintf(name, sizeof name, "binaries/%s/OncePerProcess.so", folder);
        const test_entry entries[] = {{.name = "modelDescription.xml", .data = text},
                                      {.name = name, .file = library}};
        snprintf(path, sizeof path, "%s/once.fmu", box->work);
        test_archive(path, entries, 2);
        free(text);
        check_two_instances(box, "once.fmu");
    }
}

// A library that has nothing to do with FMI, and one of another version.
static void library_without_functions_is_refused(void **state)
{
    test_sandbox *box = *state;
    static const char *const descriptions[] = {
        "<fmiModelDescription fmiVersion='1.0' modelName='M' modelIdentifier='m' guid='g' "
        "numberOfContinuousStates='0' numberOfEventIndicators='0'><ModelVariables/>"
        "<Implementation><CoSimulation_StandAlone><Capabilities/></CoSimulation_StandAlone>"
        "</Implementation></fmiModelDescription>",
        "<fmiModelDescription fmiVersion='2.0' modelName='M' guid='g'>"
        "<CoSimulation modelIdentifier='m'/><ModelVariables/><ModelStructure/>"
        "</fmiModelDescription>",
        "<fmiModelDescription fmiVersion='3.0' modelName='M' instantiationToken='g'>"
        "<CoSimulation modelIdentifier='m'/><ModelVariables><Float64 name='time' "
        "valueReference='0' causality='independent' variability='continuous'/></ModelVariables>"
        "<ModelStructure/></fmiModelDescription>"};
    static const char *const libraries[] = {TEST_TINY, TEST_TINY1, TEST_TINY};
    for (int i = 0; i < 3; i++) {
        char path[2 * TEST_PATH_SIZE], name[100], piece[200];
        snprintf(name, sizeof name, "binaries/%s/m.so", i < 2 ? "linux64" : TEST_PLATFORM);
        snprintf(path, sizeof path, "%s/m.fmu", box->work);
        const test_entry entries[] = {{.name = "modelDescription.xml", .data = descriptions[i]},
                                      {.name = name, .file = libraries[i]}};
        test_archive(path, entries, 2);
        test_run(box, "run", "m.fmu", "--stop-time", "1", NULL);
        snprintf(piece, sizeof piece,
                 "the library has none of the functions of FMI %d.0, with or without 'm_' in front",
                 i + 1);
        assert_one_error(box, 3, piece);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(error_of_an_fmu_ends_the_run),
        test_in_sandbox(fatal_error_of_an_fmu_ends_the_run),
        test_in_sandbox(discarded_step_ends_the_run_and_tells_how_far_it_came),
        test_in_sandbox(fmu_that_wants_to_end_is_no_failure),
        test_in_sandbox(results_reach_the_end_that_an_fmu_chooses),
        test_in_sandbox(adaptive_steps_reach_the_end_that_an_fmu_chooses),
        test_in_sandbox(end_at_the_stop_time_is_nothing_special),
        test_in_sandbox(warning_of_an_fmu_lets_the_run_go_on),
        test_in_sandbox(value_that_is_no_number_is_named_with_variable_and_time),
        test_in_sandbox(pending_step_is_waited_for),
        test_in_sandbox(failing_initialization_is_named),
        test_in_sandbox(failure_in_one_of_several_instances_names_it),
        test_in_sandbox(instance_is_named_once),
        test_in_sandbox(texts_of_an_fmu_cannot_harm),
        test_in_sandbox(fmu_that_prints_cannot_spoil_results_on_standard_output),
        test_in_sandbox(interrupt_ends_a_run_with_valid_results),
        test_in_sandbox(termination_signal_does_the_same),
        test_in_sandbox(first_interrupt_says_what_it_waits_for),
        test_in_sandbox(a_closed_terminal_does_the_same),
        test_in_sandbox(second_interrupt_ends_at_once),
        test_in_sandbox(iterating_without_rewind_is_refused_by_name),
        test_in_sandbox(automatic_choice_avoids_iterating_without_rewind),
        test_in_sandbox(initial_loop_is_solved),
        test_in_sandbox(initial_loop_without_solution_is_named),
        test_in_sandbox(fmu_that_can_exist_only_once_gets_copies),
        test_in_sandbox(fmu_that_refuses_a_second_instance_gets_a_copy),
        test_in_sandbox(library_without_functions_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
