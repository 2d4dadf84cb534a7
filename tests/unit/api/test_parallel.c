// SPDX-License-Identifier: MIT
// Threads that step real FMUs side by side: results and messages are those of one thread, for every example
// and for FMUs of all versions with events, logs, derivatives and faults. Examples are quick, so that no
// thread would pay: here they are forced. With -fsanitize=thread this is also the test for races.
#include <glob.h>

#include "run/run.h"
#include "run/waves.h"
#include "support/ssd.h"
#include "takt/takt.h"
#include "fmus/misbehave.h"

typedef struct outcome {
    takt_status status;
    takt_error err;
    takt_progress progress;
    char *results; // owned
    int64_t n_parallel, n_calls;
} outcome;

// What an experiment adds to a project: settings as "NAME=VALUE" and start values as "set=NAME.VARIABLE=VALUE",
// separated by blanks.
static void change(takt_project *project, const char *settings)
{
    char words[512];
    snprintf(words, sizeof words, "%s", settings);
    for (char *rest = words, *word; (word = strsep(&rest, " "));) {
        if (!*word) continue;
        char *value = strchr(word, '=');
        takt_error err = {0};
        *value++ = '\0';
        takt_status st = strcmp(word, "set") == 0 ? takt_project_set_value(project, value, &err)
                                                  : takt_project_set(project, word, value, &err);
        if (st) fail_msg("%s=%s: %s", word, value, err.message);
    }
}

// To the end, or so far that every step has been met many times: on a machine that is busy, threads wait long
// for each other.
static takt_status take_steps(takt_run *run, takt_progress *progress, takt_error *err)
{
    enum { MOST_STEPS = 150 };
    *progress = TAKT_RUNNING;
    takt_status st = takt_run_initialize(run, err);
    for (int i = 0; !st && *progress == TAKT_RUNNING && i < MOST_STEPS; i++)
        st = takt_run_step(run, progress, err);
    takt_status finished = takt_run_finish(run, st ? NULL : err);
    return st ? st : finished;
}

static void look_at_run(test_sandbox *box, takt_run *run, bool traces, outcome *out)
{
    char path[TEST_PATH_SIZE + 16];
    takt_statistics statistics = {.size = sizeof statistics};
    snprintf(path, sizeof path, "%s/results.csv", box->work);
    assert_int_equal(takt_run_record(run, path, &out->err), TAKT_OK);
    snprintf(path, sizeof path, "%s/trace.json", box->work);
    if (traces) assert_int_equal(takt_run_trace_to(run, path, &out->err), TAKT_OK);
    assert_int_equal(takt_waves_force(run, &out->err), TAKT_OK);
    out->status = take_steps(run, &out->progress, &out->err);
    takt_run_statistics(run, &statistics, NULL);
    out->n_calls = statistics.do_step_total;
    out->n_parallel = run->counts.n_parallel;
    out->results = test_read_file(box, "results.csv", NULL);
}

static outcome run_project(test_sandbox *box, const char *name, const char *settings, int n_threads)
{
    char path[2 * TEST_PATH_SIZE], jobs[24];
    snprintf(path, sizeof path, "%s/%s", box->work, name);
    snprintf(jobs, sizeof jobs, " jobs=%d", n_threads);
    outcome out = {0};
    takt_project *project = NULL;
    takt_system *system = NULL;
    takt_run *run = NULL;
    test_log log;
    test_log_init(&log);
    out.status = takt_project_open(path, log.log, &project, &out.err);
    assert_int_equal(out.status, TAKT_OK);
    change(project, settings);
    change(project, jobs);
    out.status = takt_system_create(project, &system, &out.err);
    if (!out.status) out.status = takt_run_create(system, &run, &out.err);
    if (!out.status) look_at_run(box, run, strstr(settings, "timeout="), &out);
    takt_run_destroy(run);
    takt_system_destroy(system);
    takt_project_close(project);
    test_log_clear(&log);
    return out;
}

// Compares one thread with each of some numbers, ended by 0. Returns how many waves threads have shared.
static int64_t compare(test_sandbox *box, const char *name, const char *settings,
                       const int *n_threads)
{
    int64_t n_parallel = 0;
    outcome serial = run_project(box, name, settings, 1);
    assert_int_equal(serial.n_parallel, 0);
    for (int i = 0; n_threads[i]; i++) {
        outcome other = run_project(box, name, settings, n_threads[i]);
        if (other.status != serial.status || strcmp(other.err.message, serial.err.message) != 0)
            fail_msg("%s, %s, %d threads: '%s' in place of '%s'", name, settings, n_threads[i],
                     other.err.message, serial.err.message);
        if (serial.results && strcmp(other.results, serial.results) != 0)
            fail_msg("%s, %s: other results with %d threads", name, settings, n_threads[i]);
        // In a step that one instance breaks off, others may have been stepped beside it.
        if (!serial.status && serial.progress != TAKT_TERMINATED)
            assert_int_equal(other.n_calls, serial.n_calls);
        n_parallel += other.n_parallel;
        free(other.results);
    }
    free(serial.results);
    return n_parallel;
}

// ---- examples --------------------------------------------------------------------------------------

static void every_example_gives_the_same_bits_with_threads(void **state)
{
    test_sandbox *box = *state;
    static const char *const settings[] = {"", "algorithm=jacobi"};
    glob_t found = {0};
    assert_int_equal(glob(TAKT_EXAMPLES "/*/*.ssd", 0, NULL, &found), 0);
    assert_int_equal(glob(TAKT_EXAMPLES "/coupling/*/*.ssd", GLOB_APPEND, NULL, &found), 0);
    assert_true(found.gl_pathc > 25);
    test_link(box, "fmus", TEST_FMUS);
    int64_t n_parallel = 0;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        test_ssd_copy(box, found.gl_pathv[i], "system.ssd");
        for (size_t k = 0; k < sizeof settings / sizeof *settings; k++)
            n_parallel += compare(box, "system.ssd", settings[k], (int[]){2, 0});
    }
    globfree(&found);
    assert_true(n_parallel > 1000);
}

static void central_groups_and_solvers_of_their_own_run_beside_each_other(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "model_exchange");
    static const char *const settings[] = {
        "algorithm=jacobi", "algorithm=jacobi interface=me", "algorithm=seidel interface=me",
        "algorithm=jacobi interface=me me=central",
        "algorithm=jacobi interface=me step-control=richardson step-size=0.1 step-min=0.1"};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        compare(box, "model_exchange.ssd", settings[i], (int[]){2, 0});
}

// ---- versions, events, messages, faults --------------------------------------------------------------

// One of each version, side by side: nothing connects them.
static void write_three(test_sandbox *box, const char *fmu, const char *connectors)
{
    test_ssd ssd = {0};
    static const char *const versions[] = {"_fmi1", "", "_fmi3"};
    for (int i = 0; i < 6; i++) {
        char name[8], of_version[64];
        snprintf(name, sizeof name, "c%d", i);
        snprintf(of_version, sizeof of_version, "%s%s", fmu, versions[i % 3]);
        test_ssd_component(&ssd, name, of_version, connectors);
    }
    test_ssd_write(&ssd, box, "three.ssd", 0, 1, "step-size=\"0.04\"");
}

static void fmus_of_all_versions_run_beside_each_other(void **state)
{
    test_sandbox *box = *state;
    static const char *const fmus[][2] = {{"Ball", "out:h"},
                                          {"Thermostat", "out:T out:switches:Integer"},
                                          {"Counter", "out:count:Integer out:text:String"},
                                          {"Stairs", "out:n:Integer"}};
    for (size_t i = 0; i < sizeof fmus / sizeof *fmus; i++) {
        write_three(box, fmus[i][0], fmus[i][1]);
        assert_true(compare(box, "three.ssd", "algorithm=jacobi", (int[]){2, 3, 0}) > 20);
        assert_true(compare(box, "three.ssd", "algorithm=seidel timeout=60", (int[]){8, 0}) > 20);
    }
}

static void write_misbehaving(test_sandbox *box, const char *version)
{
    char fmu[32];
    test_ssd ssd = {0};
    snprintf(fmu, sizeof fmu, "Misbehave%s", version);
    test_ssd_component(&ssd, "a", fmu, "in:u out:y");
    test_ssd_component(&ssd, "b", fmu, "in:u out:y");
    test_ssd_component(&ssd, "c", fmu, "in:u out:y");
    test_ssd_connect(&ssd, "a.y", "b.u");
    test_ssd_connect(&ssd, "b.y", "c.u");
    test_ssd_connect(&ssd, "c.y", "a.u");
    test_ssd_write(&ssd, box, "bad.ssd", 0, 1, "step-size=\"0.05\" algorithm=\"jacobi\"");
}

// Pending steps end when they are asked for: waiting for them is not the subject.
#define PROMPT " set=a.polls=0 set=b.polls=0 set=c.polls=0"

// All three misbehave at once; what is reported is what the first of them did.
static void faults_and_messages_of_several_threads_are_those_of_one(void **state)
{
    test_sandbox *box = *state;
    static const char *const versions[] = {"_fmi1", "", "_fmi3"};
    static const int kinds[] = {
        MISBEHAVE_NOTHING,       MISBEHAVE_DISCARD,        MISBEHAVE_TERMINATE,
        MISBEHAVE_WARNING,       MISBEHAVE_ERROR,          MISBEHAVE_NOT_A_NUMBER,
        MISBEHAVE_PENDING,       MISBEHAVE_LOG_PERCENT,    MISBEHAVE_LOG_HOSTILE,
        MISBEHAVE_LOG_NULL,      MISBEHAVE_LOG_HUGE,       MISBEHAVE_EVENT,
        MISBEHAVE_ENDLESS_EVENT, MISBEHAVE_TERMINATE_EVENT};
    for (int v = 0; v < 3; v++) {
        write_misbehaving(box, versions[v]);
        for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
            char settings[160];
            int what = kinds[i];
            snprintf(settings, sizeof settings, "set=a.what=%d set=b.what=%d set=c.what=%d" PROMPT,
                     what, what, what);
            compare(box, "bad.ssd", settings, (int[]){2, 0});
            snprintf(settings, sizeof settings, "set=b.what=%d set=c.what=%d timeout=60" PROMPT,
                     what, MISBEHAVE_ERROR);
            compare(box, "bad.ssd", settings, (int[]){2, 0});
        }
    }
}

static void inputs_that_move_are_the_same_in_threads(void **state)
{
    test_sandbox *box = *state;
    static const char *const versions[] = {"", "_fmi1", "_fmi3"};
    for (int v = 0; v < 3; v++) {
        char fmu[32];
        test_ssd ssd = {0};
        snprintf(fmu, sizeof fmu, "Swing%s", versions[v]);
        test_ssd_component(&ssd, "a", fmu, "in:u out:y");
        test_ssd_component(&ssd, "b", fmu, "in:u out:y");
        test_ssd_connect(&ssd, "a.y", "b.u");
        test_ssd_connect(&ssd, "b.y", "a.u");
        test_ssd_write(&ssd, box, "swing.ssd", 0, 1, "step-size=\"0.04\"");
        compare(box, "swing.ssd", "algorithm=jacobi set=b.k=-1", (int[]){2, 0});
        compare(box, "swing.ssd", "algorithm=seidel set=b.k=-1", (int[]){2, 0});
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(every_example_gives_the_same_bits_with_threads),
        test_in_sandbox(central_groups_and_solvers_of_their_own_run_beside_each_other),
        test_in_sandbox(fmus_of_all_versions_run_beside_each_other),
        test_in_sandbox(faults_and_messages_of_several_threads_are_those_of_one),
        test_in_sandbox(inputs_that_move_are_the_same_in_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
