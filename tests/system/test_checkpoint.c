// SPDX-License-Identifier: MIT
// Checkpoints through the program: killed at random moments, resumed, refused, branched.
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "support/command.h"
#include "support/results.h"

#define GAIN TEST_FMUS "/Gain.fmu"
#define MATH003 TAKT_EXAMPLES "/math003/math003.ssd"
#define LOTKA_VOLTERRA TAKT_EXAMPLES "/lotka_volterra/lotka_volterra.ssd"
#define TABLE TAKT_EXAMPLES "/formats/table.ssd"
#define OSP TAKT_EXAMPLES "/formats/OspSystemStructure.xml"
#define MODEL_EXCHANGE TAKT_EXAMPLES "/model_exchange/model_exchange.ssd"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void assert_same_file(test_sandbox *box, const char *a, const char *b)
{
    size_t n_a, n_b;
    char *first = test_read_file(box, a, &n_a), *second = test_read_file(box, b, &n_b);
    assert_int_equal(n_a, n_b);
    assert_memory_equal(first, second, n_a);
    free(first);
    free(second);
}

// ---- kill -9 -------------------------------------------------------------------------------------

enum { N_KILLS = 10, MAX_TRIES = 80, N_WORDS = 4 };

typedef struct system_case {
    const char *project, *interval, *results;
    const char *words[N_WORDS]; // options; the rest is NULL, which ends them
} system_case;

#define WORDS(at) (at)->words[0], (at)->words[1], (at)->words[2], (at)->words[3]
#define OPTIONS(at)                                                                                \
    "run", (at)->project, "-q", "--checkpoint", "a.ckpt", "--checkpoint-interval", (at)->interval

// Results of ten runs that were killed and resumed are those of a run that was not.
static void kill_and_resume(test_sandbox *box, const system_case *at)
{
    double begin = now();
    test_run(box, OPTIONS(at), "-o", at->results, WORDS(at), NULL);
    double length = now() - begin;
    assert_exit(box, 0);
    size_t size;
    char *wanted = test_read_file(box, at->results, &size);
    test_write_file(box, "wanted", wanted, size);
    free(wanted);
    int n_kills = 0;
    for (int i = 0; i < MAX_TRIES && n_kills < N_KILLS; i++) {
        test_run_program(box, "rm", "-f", "a.ckpt", at->results, NULL);
        test_start(box, OPTIONS(at), "-o", at->results, WORDS(at), NULL);
        usleep((useconds_t)(1e6 * length * (double)rand() / RAND_MAX));
        kill(box->process, SIGKILL);
        test_wait(box);
        if (!test_has_file(box, "a.ckpt")) continue; // it had not begun
        test_run(box, OPTIONS(at), "--resume", "a.ckpt", WORDS(at), NULL);
        assert_exit(box, 0);
        assert_same_file(box, at->results, "wanted");
        n_kills++;
    }
    assert_int_equal(n_kills, N_KILLS);
}

static const system_case cases[] = {
    {MATH003, "0.5", "r.csv", {"--output-interval", "0.0005"}},
    {MATH003, "0.5", "r.mat", {"--algorithm", "seidel", "--step-size", "0.0002"}},
    {MATH003, "0.5", "r.csv", {"--algorithm", "newton", "--step-size", "0.001"}},
    {MATH003, "0.5", "r.csv", {"--algorithm", "quasi-newton", "--step-size", "0.001"}},
    {MATH003, "0.5", "r.csv", {"--algorithm", "fixed-point", "--step-control", "richardson"}},
    {LOTKA_VOLTERRA, "5", "r.csv", {"--tolerance", "1e-8"}},
    {LOTKA_VOLTERRA, "5", "r.csv", {"--tolerance", "1e-6", "--step-size-of", "Pre*=0.1"}},
    {TABLE, "0.05", "r.mat", {"--tolerance", "1e-8", "--output-interval", "1ms"}},
    {OSP, "5", "r.csv", {"--step-size", "0.002", "--stop-time", "50"}}, // with built-in functions
    {MODEL_EXCHANGE, "0.1", "r.csv", {"--step-size", "0.002"}},
    {MODEL_EXCHANGE, "0.1", "r.csv", {"--me", "central", "--output-interval", "0.002"}},
};

static void runs_that_are_killed_go_on_as_if_they_were_not(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) kill_and_resume(*state, &cases[i]);
}

// ---- interrupted, branched -----------------------------------------------------------------------

static void wait_for_file(test_sandbox *box, const char *name)
{
    for (int i = 0; i < 6000 && !test_has_file(box, name); i++) usleep(10000);
}

// Interrupts a run soon after its first checkpoint. On a busy machine it may come to its end before the signal comes to it: then
// it is tried again.
#define INTERRUPT(box, ...)                                                                        \
    do {                                                                                           \
        test_run_program(box, "rm", "-f", "r.csv", "a.ckpt", NULL);                                \
        test_start(box, "run", __VA_ARGS__, "-o", "r.csv", "--checkpoint", "a.ckpt", NULL);        \
        wait_for_file(box, "a.ckpt");                                                              \
        usleep(30000);                                                                             \
        kill((box)->process, SIGTERM);                                                             \
        test_wait(box);                                                                            \
    } while ((box)->exit_code == 0);                                                               \
    assert_exit(box, 130)

#define LONG_OPTIONS                                                                               \
    MATH003, "-q", "--algorithm", "seidel", "--step-size", "2e-5", "--output-interval", "0.01"

static void ctrl_c_writes_a_checkpoint(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", LONG_OPTIONS, "-o", "wanted.csv", NULL);
    assert_exit(box, 0);
    INTERRUPT(box, LONG_OPTIONS);
    test_run(box, "run", LONG_OPTIONS, "--resume", "a.ckpt", NULL);
    assert_exit(box, 0);
    assert_same_file(box, "r.csv", "wanted.csv");
}

static const char table[] = "time,u\n0,1\n10,1\n";

#define GAIN_OPTIONS                                                                               \
    GAIN, "--input-file", "in.csv", "-q", "--stop-time", "2000", "--output-interval", "0.5"
#define RESUME_GAIN "run", GAIN_OPTIONS, "--resume", "a.ckpt"

// Ends somewhere, with a checkpoint. Returns the number of rows.
static int run_gain(test_sandbox *box)
{
    test_write_text(box, "in.csv", table);
    INTERRUPT(box, GAIN_OPTIONS, "--step-size", "0.001", "--set", "k=2");
    test_results r;
    test_results_read(&r, box, "r.csv");
    int n_rows = r.n_rows;
    test_results_clear(&r);
    return n_rows;
}

static void a_tunable_parameter_may_have_another_value(void **state)
{
    test_sandbox *box = *state;
    int n_rows = run_gain(box);
    test_run(box, RESUME_GAIN, "--step-size", "0.001", "--set", "k=3", NULL);
    assert_one_error(box, 2, "--output-file");
    test_run(box, RESUME_GAIN, "--step-size", "0.001", "--set", "k=3", "-o", "b.csv", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "b.csv");
    assert_in_range(test_result_time(&r, 0), (n_rows - 1) / 2,
                    n_rows / 2); // between two rows of the first
    assert_int_equal(n_rows - 1 + r.n_rows, 4001);
    assert_near(test_result(&r, 1, "Gain.y"), 3, 0);
    assert_near(test_result(&r, r.n_rows - 1, "Gain.y"), 3, 0);
    test_results_clear(&r);
    test_results_read(&r, box, "r.csv");
    assert_int_equal(r.n_rows, n_rows);
    test_results_clear(&r);
}

// ---- refused -------------------------------------------------------------------------------------

static void what_differs_is_named(void **state)
{
    test_sandbox *box = *state;
    run_gain(box);
    test_run(box, RESUME_GAIN, "--step-size", "0.5", "--set", "k=2", NULL);
    assert_exit(box, 3);
    assert_non_null(strstr(box->err, "setting step-size: 0.001 in the checkpoint, 0.5 now"));
    test_write_text(box, "in.csv", "time,u\n0,1\n10,2\n");
    test_run(box, RESUME_GAIN, "--step-size", "0.001", "--set", "k=2", NULL);
    assert_exit(box, 3);
    assert_non_null(strstr(box->err, "component 'input'"));
    assert_null(strstr(box->err, "component 'Gain'"));
}

static void instances_that_cannot_be_saved_are_all_named(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", TEST_FMUS "/Gain_fmi1.fmu", "-q", "--stop-time", "1", "--step-size", "0.5",
             "-o", "r.csv", "--checkpoint", "a.ckpt", NULL);
    assert_exit(box, 3);
    assert_non_null(strstr(box->err, "instance 'Gain_fmi1' cannot save its state"));
    assert_false(test_has_file(box, "a.ckpt"));
    assert_false(test_has_file(box, "r.csv"));
}

static void refuse(test_sandbox *box, const char *data, size_t size, const char *message)
{
    size_t n_before;
    char *before = test_read_file(box, "r.csv", &n_before);
    test_write_file(box, "before.csv", before, n_before);
    free(before);
    test_write_file(box, "a.ckpt", data, size);
    test_run(box, RESUME_GAIN, "--step-size", "0.001", "--set", "k=2", NULL);
    assert_one_error(box, 3, message);
    assert_same_file(box, "r.csv", "before.csv");
}

static void damaged_checkpoints_are_refused(void **state)
{
    test_sandbox *box = *state;
    run_gain(box);
    size_t size;
    char *data = test_read_file(box, "a.ckpt", &size);
    refuse(box, data, size - 1, "cut off");
    refuse(box, data, 10, "cut off");
    refuse(box, data, 0, "no checkpoint of Takt");
    refuse(box, "time,u\n0,1\n", 11, "no checkpoint of Takt");
    data[size / 2] ^= 1;
    refuse(box, data, size, "checksum");
    data[8]--; // the number of the format
    refuse(box, data, size, "format 0");
    free(data);
}

static void results_that_have_changed_are_left_alone(void **state)
{
    test_sandbox *box = *state;
    run_gain(box);
    size_t size;
    char *rows = test_read_file(box, "r.csv", &size);
    rows[size - 2] = '7';
    test_write_file(box, "r.csv", rows, size);
    test_write_file(box, "changed.csv", rows, size);
    free(rows);
    test_run(box, RESUME_GAIN, "--step-size", "0.001", "--set", "k=2", NULL);
    assert_one_error(box, 3, "rows have changed");
    assert_same_file(box, "r.csv", "changed.csv");
    test_run_program(box, "rm", "r.csv", NULL);
    test_run(box, RESUME_GAIN, "--step-size", "0.001", "--set", "k=2", NULL);
    assert_one_error(box, 3, "No such file");
    test_run(box, RESUME_GAIN, "--step-size", "0.001", "--set", "k=2", "-o", "new.csv", NULL);
    assert_exit(box, 0);
    assert_false(test_has_file(box, "r.csv"));
}

static void a_wrong_place_is_found_out_at_once(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", MATH003, "-q", "--checkpoint", "missing/a.ckpt", "-o", "r.csv", NULL);
    assert_one_error(box, 1, "missing/a.ckpt");
}

static void a_checkpoint_at_the_end_has_nothing_left_to_do(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", MATH003, "-q", "-o", "r.csv", "--checkpoint", "a.ckpt", NULL);
    assert_exit(box, 0);
    test_run_program(box, "cp", "r.csv", "wanted.csv", NULL);
    for (int i = 0; i < 2; i++) { // the same checkpoint serves twice
        test_run(box, "run", MATH003, "-q", "--resume", "a.ckpt", NULL);
        assert_exit(box, 0);
        assert_same_file(box, "r.csv", "wanted.csv");
    }
    test_run(box, "run", MATH003, "-q", "--resume", "a.ckpt", "--stop-time", "20", NULL);
    assert_exit(box, 3);
    assert_non_null(strstr(box->err, "setting stop-time: 10 in the checkpoint, 20 now"));
    assert_same_file(box, "r.csv", "wanted.csv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(runs_that_are_killed_go_on_as_if_they_were_not),
        test_in_sandbox(ctrl_c_writes_a_checkpoint),
        test_in_sandbox(a_tunable_parameter_may_have_another_value),
        test_in_sandbox(what_differs_is_named),
        test_in_sandbox(instances_that_cannot_be_saved_are_all_named),
        test_in_sandbox(damaged_checkpoints_are_refused),
        test_in_sandbox(results_that_have_changed_are_left_alone),
        test_in_sandbox(a_wrong_place_is_found_out_at_once),
        test_in_sandbox(a_checkpoint_at_the_end_has_nothing_left_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
