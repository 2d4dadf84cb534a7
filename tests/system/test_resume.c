// SPDX-License-Identifier: MIT
// Runs that are killed or interrupted at random moments and go on from their checkpoint: in the end the results are
// those of a run that nobody has disturbed and that wrote no checkpoint, byte by byte. A sample of the systems, each
// disturbed once; with TAKT_TEST_KILLS=N all of them, each N times (`make kills`), from number TAKT_TEST_KILLS_FROM on.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "support/command.h"
#include "support/ssd.h"

#define MATH003 TAKT_EXAMPLES "/math003/math003.ssd"
#define LOTKA_VOLTERRA TAKT_EXAMPLES "/lotka_volterra/lotka_volterra.ssd"
#define TABLE TAKT_EXAMPLES "/formats/table.ssd"
#define OSP TAKT_EXAMPLES "/formats/OspSystemStructure.xml"
#define MODEL_EXCHANGE TAKT_EXAMPLES "/model_exchange/model_exchange.ssd"
#define FMU(name) TEST_FMUS "/" name ".fmu"

enum { MAX_WAITS = 60000, N_WORDS = 6 };

typedef struct system_case {
    bool is_sample; // else only with TAKT_TEST_KILLS
    const char *project, *interval, *results;
    const char *words[N_WORDS]; // options; the rest is NULL, which ends them
    const char *own; // a file of results that an FMU writes; NULL: none
} system_case;

#define SAMPLE true
#define MORE false

static const system_case cases[] = {
    // Error control, which is the default, and what it keeps.
    {SAMPLE, MATH003, "0.5", "r.csv", {"--tolerance", "1e-7", "--output-interval", "0.001"}, NULL},
    {MORE, MATH003, "0.5", "r.mat", {"--tolerance", "1e-7", "--output-interval", "0"}, NULL},
    {SAMPLE,
     LOTKA_VOLTERRA,
     "5",
     "r.mat",
     {"--tolerance", "1e-8", "--output-time-unit", "min", "--record", "*"}, // a warning; inputs
     NULL},
    {SAMPLE,
     LOTKA_VOLTERRA,
     "5",
     "r.csv",
     {"--tolerance", "1e-7", "--step-size-of", "Pre*=0.1"},
     NULL},
    {MORE, LOTKA_VOLTERRA, "5", "r.csv", {"--tolerance", "1e-7", "--same-steps"}, NULL},
    {MORE, LOTKA_VOLTERRA, "5", "r.csv", {"--tolerance", "1e-7", "--event-time", "12.3"}, NULL},
    {MORE, "fmi3.ssd", "1", "r.csv", {"--tolerance", "1e-7"}, NULL},
    {SAMPLE, "fmi3.ssd", "1", "r.csv", {"--tolerance", "1e-7", "--interface", "me"}, NULL},
    {MORE, MATH003, "0.5", "r.csv", {"--tolerance", "1e-7", "--jobs", "2"}, NULL},
    // Every algorithm, with secants and matrices; fixed steps, and both other kinds of step control.
    {MORE, MATH003, "0.5", "r.csv", {"--algorithm", "auto", "--step-size", "0.0005"}, NULL},
    {MORE, MATH003, "0.5", "r.csv", {"--algorithm", "jacobi", "--step-size", "0.0005"}, NULL},
    {MORE, MATH003, "0.5", "r.mat", {"--algorithm", "seidel", "--step-size", "0.0002"}, NULL},
    {MORE, MATH003, "0.5", "r.csv", {"--algorithm", "fixed-point", "--step-size", "0.001"}, NULL},
    {MORE, MATH003, "0.5", "r.csv", {"--algorithm", "newton", "--step-size", "0.001"}, NULL},
    {SAMPLE,
     MATH003,
     "0.5",
     "r.csv",
     {"--algorithm", "quasi-newton", "--step-size", "0.001"},
     NULL},
    {SAMPLE, MATH003, "0.5", "r.csv", {"--algorithm", "anderson", "--step-size", "0.001"}, NULL},
    {SAMPLE,
     MATH003,
     "0.5",
     "r.csv",
     {"--algorithm", "fixed-point", "--step-control", "richardson"},
     NULL},
    {MORE,
     MATH003,
     "0.5",
     "r.csv",
     {"--algorithm", "newton", "--step-control", "convergence", "--step-size", "0.001"},
     NULL},
    {SAMPLE,
     MATH003,
     "0.5",
     "r.csv",
     {"--algorithm-at", "2:newton", "--algorithm-at", "5:seidel", "--step-size", "0.001"},
     NULL},
    {MORE, MATH003, "0.5", "r.csv", {"--norm", "papers", "--step-size", "0.001"}, NULL},
    {MORE, MATH003, "0.5", "r.csv", {"--time-grid", "accumulated", "--step-size", "0.001"}, NULL},
    // Rows between, beside and at the ends of steps.
    {SAMPLE,
     MATH003,
     "0.5",
     "r.csv",
     {"--step-size", "0.001", "--output-interval", "0.0027", "--output-grid", "next"},
     NULL},
    {MORE, MATH003, "0.5", "r.mat", {"--step-size", "0.001", "--output-interval", "0.0027"}, NULL},
    // Longer steps, tables, functions.
    {SAMPLE,
     LOTKA_VOLTERRA,
     "5",
     "r.csv",
     {"--step-size", "0.002", "--step-size-of", "Pre*=0.1"},
     NULL},
    {SAMPLE, TABLE, "0.05", "r.mat", {"--tolerance", "1e-8", "--output-interval", "1ms"}, NULL},
    {MORE, TABLE, "50", "r.csv", {"--algorithm", "seidel", "--step-size", "0.02"}, NULL},
    {MORE, OSP, "5", "r.csv", {"--step-size", "0.002", "--stop-time", "50"}, NULL},
    // Model exchange: integrators with a past that goes over checkpoints; events; groups; a loop within a group.
    {SAMPLE, FMU("Ball"), "0.1", "r.csv", {"--interface", "me", "--step-size", "1e-4"}, NULL},
    {MORE, FMU("Ball_fmi3"), "0.1", "r.csv", {"--interface", "me", "--tolerance", "1e-6"}, NULL},
    {MORE,
     FMU("Ball"),
     "0.1",
     "r.csv",
     {"--interface", "me", "--solver", "rk4", "--step-size", "1e-4"},
     NULL},
    {MORE, MODEL_EXCHANGE, "0.1", "r.csv", {"--interface", "me", "--step-size", "0.0005"}, NULL},
    {SAMPLE,
     MODEL_EXCHANGE,
     "0.1",
     "r.csv",
     {"--interface", "me", "--me", "central", "--step-size", "0.0005"},
     NULL},
    {MORE,
     MODEL_EXCHANGE,
     "0.1",
     "r.csv",
     {"--interface", "me", "--me", "central", "--tolerance", "1e-6"},
     NULL},
    {MORE,
     MODEL_EXCHANGE,
     "0.1",
     "r.csv",
     {"--me", "central", "--interface", "me", "--solver", "cvode-adams"},
     NULL},
    {SAMPLE,
     "looped.ssd",
     "1",
     "r.csv",
     {"--interface=me", "--me=central", "--step-size", "0.005", "--ssv", "looped.ssv"},
     NULL},
    {MORE, FMU("Lag_fmi1me"), "0.01", "r.csv", {"--step-size", "1e-4"}, NULL},
    {MORE, FMU("Hysteresis"), "0.1", "r.csv", {"--step-size", "1e-3"}, NULL},
    {MORE, FMU("Thermostat_fmi3"), "1", "r.csv", {"--step-size", "0.01"}, NULL},
    // FMUs in processes of their own; a scenario.
    {MORE, MATH003, "0.5", "r.csv", {"--isolate", "--tolerance", "1e-7"}, NULL},
    {SAMPLE, "fmi3.ssd", "1", "r.csv", {"--isolate", "--step-size", "0.01"}, NULL},
    {MORE,
     "fmi3.ssd",
     "1",
     "r.mat",
     {"--isolate=L*", "--interface", "me", "--tolerance", "1e-6"},
     NULL},
    {SAMPLE,
     LOTKA_VOLTERRA,
     "5",
     "r.csv",
     {"--tolerance", "1e-7", "--scenario", "changes.csv"},
     NULL},
    // The kit's implicit integrator, and results of its own.
    {MORE, FMU("Rectifier"), "0.1", "r.csv", {"--stop-time", "2"}, NULL},
    {SAMPLE,
     "building.ssd",
     "6h",
     "r.csv",
     {"--stop-time", "1d", "--ssv", "own.ssv", "--tolerance", "1e-3"},
     "zones.csv"},
    {MORE,
     "building.ssd",
     "10min",
     "r.csv",
     {"--stop-time", "2h", "--set", "House.cell=0.0026", "--output-interval", "60"},
     NULL},
};

#define WORDS(at)                                                                                  \
    (at)->words[0], (at)->words[1], (at)->words[2], (at)->words[3], (at)->words[4], (at)->words[5]
#define RUN(at) "run", (at)->project, "-q"
#define SAVE(at) "--checkpoint", "a.ckpt", "--checkpoint-interval", (at)->interval

#define SSV(parameters)                                                                            \
    "<?xml version=\"1.0\"?>\n<ssv:ParameterSet name=\"values\" version=\"1.0\" "                  \
    "xmlns:ssv=\"http://ssp-standard.org/SSP1/"                                                    \
    "SystemStructureParameterValues\"><ssv:Parameters>\n" parameters                               \
    "</ssv:Parameters></ssv:ParameterSet>\n"
#define VALUE(name, type, value)                                                                   \
    "<ssv:Parameter name=\"" name "\"><ssv:" type " value=\"" value "\"/></ssv:Parameter>\n"
#define REAL(name, value) VALUE(name, "Real", value)

// Two oscillators that feed each other through feedthrough: a loop at every instant.
static const char looped_ssv[] =
    SSV(REAL("A.A11", "-0.1") REAL("A.A12", "-3") REAL("A.A21", "3") REAL("A.B11", "1")
            REAL("A.C11", "1") REAL("A.D11", "0.4") REAL("A.x01", "1") REAL("B.A11", "-0.2")
                REAL("B.A12", "-2") REAL("B.A21", "2") REAL("B.B21", "0.5") REAL("B.C12", "1")
                    REAL("B.D11", "-0.7"));

static const char own_ssv[] = SSV(VALUE("House.zones", "Integer", "3") REAL(
    "House.result_interval", "300") VALUE("House.ResultsRootDir", "String", "."));

static const char changes[] = "time,variable,value\n10,Prey.y,12\n20,Prey.y,\n30,Predator.x,20\n";

static void make_projects(test_sandbox *box)
{
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "Left", "LeftMass_fmi3", "in:F out:x out:v");
    test_ssd_component(&ssd, "Right", "RightMass_fmi3", "in:x_left in:v_left out:F");
    test_ssd_connect(&ssd, "Left.x", "Right.x_left");
    test_ssd_connect(&ssd, "Left.v", "Right.v_left");
    test_ssd_connect(&ssd, "Right.F", "Left.F");
    test_ssd_write(&ssd, box, "fmi3.ssd", 0, 20, NULL);
    test_ssd_component(&ssd, "A", "LinearSystem", "in:u1 out:y1");
    test_ssd_component(&ssd, "B", "LinearSystem", "in:u1 out:y1");
    test_ssd_connect(&ssd, "A.y1", "B.u1");
    test_ssd_connect(&ssd, "B.y1", "A.u1");
    test_ssd_write(&ssd, box, "looped.ssd", 0, 20, NULL);
    test_ssd_example(box, "building");
    test_link(box, "weather.csv", TAKT_EXAMPLES "/building/weather.csv");
    test_write_text(box, "own.ssv", own_ssv);
    test_write_text(box, "looped.ssv", looped_ssv);
    test_write_text(box, "changes.csv", changes);
}

static bool is_same_file(test_sandbox *box, const char *a, const char *b)
{
    size_t n_a, n_b;
    char *first = test_read_file(box, a, &n_a), *second = test_read_file(box, b, &n_b);
    bool is_same = first && second && n_a == n_b && memcmp(first, second, n_a) == 0;
    free(first);
    free(second);
    return is_same;
}

// A call that takes seconds is told; on a busy machine any may.
static void leave_out_waiting(char *text)
{
    for (char *line = text, *end; *line; line = end) {
        end = line + strcspn(line, "\n");
        end += *end == '\n';
        char *found = strstr(line, "still waiting for it");
        if (!found || found >= end) continue;
        memmove(line, end, strlen(end) + 1);
        end = line;
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// At a random moment behind the first checkpoint, which is the beginning.
static void disturb(test_sandbox *box, double length, int signal_number)
{
    for (int i = 0; i < MAX_WAITS && !test_has_file(box, "a.ckpt"); i++) usleep(1000);
    usleep((useconds_t)(1e6 * length * (double)rand() / RAND_MAX));
    kill(box->process, signal_number);
    test_wait(box);
}

static void print_case(const system_case *at)
{
    print_message("%s", at->project);
    for (int i = 0; i < N_WORDS && at->words[i]; i++) print_message(" %s", at->words[i]);
    print_message("\n");
}

// Killed, gone on, interrupted, gone on to the end. `warnings` are those of the run that was not disturbed.
static void try_once(test_sandbox *box, const system_case *at, double length, const char *warnings)
{
    test_run_program(box, "rm", "-f", "a.ckpt", at->results, at->own ? at->own : "none", NULL);
    test_start(box, RUN(at), SAVE(at), "-o", at->results, WORDS(at), NULL);
    disturb(box, length, SIGKILL);
    test_start(box, RUN(at), SAVE(at), "--resume", "a.ckpt", WORDS(at), NULL);
    disturb(box, length, SIGTERM);
    test_run(box, RUN(at), "--resume", "a.ckpt", WORDS(at), NULL);
    leave_out_waiting(box->err);
    bool is_same = is_same_file(box, at->results, "wanted") &&
                   (!at->own || is_same_file(box, at->own, "wanted.own"));
    if (box->exit_code || !is_same || strcmp(box->err, warnings) != 0) print_case(at);
    assert_exit(box, 0);
    assert_true(is_same);
    assert_string_equal(box->err, warnings); // those of the whole simulation, and no others
}

static void disturb_runs(test_sandbox *box, const system_case *at, int n_kills)
{
    double begin = now();
    test_run(box, RUN(at), "-o", at->results, WORDS(at), NULL);
    double length = now() - begin;
    if (box->exit_code) print_case(at);
    assert_exit(box, 0);
    char *warnings = strdup(box->err);
    assert_non_null(warnings);
    leave_out_waiting(warnings);
    test_run_program(box, "mv", at->results, "wanted", NULL);
    if (at->own) test_run_program(box, "mv", at->own, "wanted.own", NULL);
    for (int i = 0; i < n_kills; i++) try_once(box, at, length, warnings);
    free(warnings);
}

static void disturbed_runs_have_the_same_results(void **state)
{
    const char *asked = getenv("TAKT_TEST_KILLS"), *from = getenv("TAKT_TEST_KILLS_FROM");
    int n_kills = asked ? (int)strtol(asked, NULL, 10) : 1, n = sizeof cases / sizeof *cases;
    make_projects(*state);
    srand((unsigned)getpid());
    for (int i = from ? (int)strtol(from, NULL, 10) - 1 : 0; i < n; i++) {
        if (!asked && !cases[i].is_sample) continue;
        if (asked) print_message("%d of %d: ", i + 1, n);
        if (asked) print_case(&cases[i]);
        disturb_runs(*state, &cases[i], n_kills);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {test_in_sandbox(disturbed_runs_have_the_same_results)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
