// SPDX-License-Identifier: MIT
// Checkpoints through the program: interrupted, resumed, branched, refused. (Killed: test_resume.c.)
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/command.h"
#include "support/results.h"
#include "support/ssd.h"

#define GAIN TEST_FMUS "/Gain.fmu"
#define MATH003 TAKT_EXAMPLES "/math003/math003.ssd"
#define LOTKA_VOLTERRA TAKT_EXAMPLES "/lotka_volterra/lotka_volterra.ssd"

static void assert_same_file(test_sandbox *box, const char *a, const char *b)
{
    size_t n_a, n_b;
    char *first = test_read_file(box, a, &n_a), *second = test_read_file(box, b, &n_b);
    assert_int_equal(n_a, n_b);
    assert_memory_equal(first, second, n_a);
    free(first);
    free(second);
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

// A tunable parameter of a member: the time constant of a lag behind another one that has come to rest.
static void a_parameter_of_a_member_may_have_another_value(void **state)
{
    test_sandbox *box = *state;
    test_ssd ssd = {0};
    test_ssd_component(&ssd, "A", "Lag", "in:u out:x");
    test_ssd_component(&ssd, "B", "Lag", "in:u out:x parameter:T");
    test_ssd_connect(&ssd, "A.x", "B.u");
    test_ssd_connect(&ssd, "B.x", "A.u");
    test_ssd_write(&ssd, box, "ring.ssd", 0, 2,
                   "interface=\"me\" me=\"central\" step-size=\"0.01\"");
    const char *const options[] = {"--set", "A.x=1"};
    test_run(box, "run", "ring.ssd", "-q", options[0], options[1], "--stop-time", "1", "-o",
             "r.csv", "--checkpoint", "a.ckpt", NULL);
    assert_exit(box, 0);
    test_run(box, "run", "ring.ssd", "-q", options[0], options[1], "--resume", "a.ckpt", "--set",
             "B.T=0.5", "-o", "b.csv", NULL);
    assert_exit(box, 0);
    test_results r;
    test_results_read(&r, box, "b.csv");
    assert_near(test_result_time(&r, 0), 1, 1e-12);
    // (A + B)/2 stays, and A - B dies out as exp(-2 t); then A + B/2 stays, and A - B dies out as exp(-3 t).
    double difference = exp(-2), sum = 1, a = (sum + difference) / 2, b = (sum - difference) / 2;
    assert_near(test_result(&r, 0, "A.x"), a, 1e-5);
    double kept = a + b / 2, last = difference * exp(-3);
    assert_near(test_result(&r, r.n_rows - 1, "A.x"), (kept + last / 2) / 1.5, 1e-5);
    assert_near(test_result(&r, r.n_rows - 1, "B.x"), (kept - last) / 1.5, 1e-5);
    test_results_clear(&r);
}

// ---- the example of the manual ---------------------------------------------------------------------

// Runs the lines of docs/checkpoint.md between the heading and its table. Returns how many there are.
static int run_lines(test_sandbox *box, char *lines, const char *end)
{
    int n = 0;
    for (char *line = lines; (line = strstr(line, "\n    takt ")) && line < end; n++) {
        char shell[1024];
        line += strlen("\n    takt ");
        snprintf(shell, sizeof shell, "exec \"$0\" %.*s -q", (int)strcspn(line, "\n"), line);
        test_run_program(box, "sh", "-c", shell, TAKT_PROGRAM, NULL);
        assert_exit(box, 0);
    }
    return n;
}

static void the_example_of_the_manual_gives_its_table(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "building");
    test_link(box, "weather.csv", TAKT_EXAMPLES "/building/weather.csv");
    char *manual = test_read_path(TAKT_EXAMPLES "/../docs/checkpoint.md", NULL);
    assert_non_null(manual);
    char *example = strstr(manual, "## Example"), *rows = example ? strstr(example, "|---") : NULL;
    assert_non_null(rows);
    assert_int_equal(run_lines(box, example, rows), 4);
    int n_rows = 0, setpoint, length;
    double heat, temperature;
    for (char *row = strchr(rows, '\n') + 1;
         sscanf(row, "| %d | %lf | %lf |%n", &setpoint, &heat, &temperature, &length) == 3;
         row += length + 1, n_rows++) {
        char name[32];
        test_results r;
        snprintf(name, sizeof name, "set-%d.csv", setpoint);
        test_results_read(&r, box, name);
        int last = r.n_rows - 1;
        assert_near(test_result_time(&r, 0), 43200, 0);
        assert_near(test_result_time(&r, last), 172800, 0);
        assert_near(test_result(&r, last, "House.energy.heat") / 3.6e6, heat, 0.05001);
        assert_near(test_result(&r, last, "House.zone[1].T_operative"), temperature, 0.005001);
        test_results_clear(&r);
    }
    assert_int_equal(n_rows, 3);
    free(manual);
}

// ---- other stop times ------------------------------------------------------------------------------

// Simulates up to `first`, then on to `second`; the results are those of one run.
static void go_on_later(test_sandbox *box, const char *project, const char *first,
                        const char *second, const char *option, const char *value)
{
    test_run(box, "run", project, "-q", option, value, "--stop-time", second, "-o", "wanted.csv",
             NULL);
    assert_exit(box, 0);
    test_run(box, "run", project, "-q", option, value, "--stop-time", first, "-o", "r.csv",
             "--checkpoint", "a.ckpt", NULL);
    assert_exit(box, 0);
    test_run(box, "run", project, "-q", option, value, "--stop-time", second, "--resume", "a.ckpt",
             NULL);
    assert_exit(box, 0);
}

static void a_simulation_may_be_made_longer(void **state)
{
    test_sandbox *box = *state;
    go_on_later(box, LOTKA_VOLTERRA, "30", "100", "--output-interval", "1");
    assert_same_file(box, "r.csv", "wanted.csv");
    go_on_later(box, LOTKA_VOLTERRA, "30", "100", "--step-size", "0.1");
    assert_same_file(box, "r.csv", "wanted.csv");
    // The stop time was no communication point: it has got a row, and behind it the grid goes on.
    go_on_later(box, GAIN, "0.25", "1", "--step-size", "0.1");
    test_results r;
    test_results_read(&r, box, "r.csv");
    static const double times[] = {0, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};
    assert_int_equal(r.n_rows, sizeof times / sizeof *times);
    for (int i = 0; i < r.n_rows; i++) assert_near(test_result_time(&r, i), times[i], 1e-12);
    test_results_clear(&r);
}

static void an_earlier_stop_time_must_lie_behind_the_checkpoint(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", MATH003, "-q", "-o", "r.csv", "--checkpoint", "a.ckpt", NULL);
    assert_exit(box, 0);
    test_run_program(box, "cp", "r.csv", "wanted.csv", NULL);
    test_run(box, "run", MATH003, "-q", "--resume", "a.ckpt", "--stop-time", "5", NULL);
    assert_one_error(box, 2, "the stop time 5 s lies before the checkpoint at t=10 s");
    assert_same_file(box, "r.csv", "wanted.csv");
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
    char message[100];
    snprintf(message, sizeof message, "it has format %d, but this version of Takt reads format %d",
             data[8], data[8] + 1);
    refuse(box, data, size, message);
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

// Intervals that are lost beside the time: every step is behind one.
static void an_interval_may_be_as_short_as_one_likes(void **state)
{
    test_sandbox *box = *state;
    static const char *const intervals[] = {"1e-18", "4.9e-324"};
    for (int i = 0; i < 2; i++) {
        test_run(box, "run", GAIN, "-q", "--start-time", "0.5", "--stop-time", "1", "--step-size",
                 "0.25", "-o", "r.csv", "--checkpoint", "a.ckpt", "--checkpoint-interval",
                 intervals[i], NULL);
        assert_exit(box, 0);
        assert_true(test_has_file(box, "a.ckpt"));
    }
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
}

// A file that may have so many bytes is like a disk that is full: the first checkpoint stays.
static void a_full_disk_leaves_the_checkpoint_before(void **state)
{
    test_sandbox *box = *state;
    test_run(box, "run", MATH003, "-q", "--no-output", "--stop-time", "1", "--checkpoint", "a.ckpt",
             NULL);
    assert_exit(box, 0);
    test_run_program(box, "cp", "a.ckpt", "before.ckpt", NULL);
    test_run_program(box, "sh", "-c",
                     "trap '' XFSZ; ulimit -f 1; \"$0\" run \"$1\" -q --no-output --resume a.ckpt "
                     "--checkpoint a.ckpt --stop-time 10",
                     TAKT_PROGRAM, MATH003, NULL);
    assert_one_error(box, 1, "a.ckpt: cannot be written: File too large");
    assert_same_file(box, "a.ckpt", "before.ckpt");
    test_run(box, "run", MATH003, "-q", "--no-output", "--resume", "a.ckpt", "--stop-time", "10",
             NULL);
    assert_exit(box, 0);
}

static void another_fmu_is_named(void **state)
{
    test_sandbox *box = *state;
    test_run_program(box, "cp", GAIN, "Model.fmu", NULL);
    test_run(box, "run", "Model.fmu", "-q", "-o", "r.csv", "--checkpoint", "a.ckpt", NULL);
    assert_exit(box, 0);
    test_run_program(box, "cp", "r.csv", "wanted.csv", NULL);
    test_run_program(box, "cp", TEST_FMUS "/Gain_fmi3.fmu", "Model.fmu", NULL);
    test_run(box, "run", "Model.fmu", "-q", "--resume", "a.ckpt", NULL);
    assert_exit(box, 3);
    assert_non_null(strstr(box->err, "component 'Model': FMI 2.0 co-simulation, SHA-256"));
    assert_same_file(box, "r.csv", "wanted.csv");
    test_run(box, "run", LOTKA_VOLTERRA, "-q", "--resume", "a.ckpt", NULL);
    assert_exit(box, 3);
    assert_non_null(strstr(box->err, "component 'Prey': nothing in the checkpoint"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(ctrl_c_writes_a_checkpoint),
        test_in_sandbox(a_tunable_parameter_may_have_another_value),
        test_in_sandbox(a_parameter_of_a_member_may_have_another_value),
        test_in_sandbox(the_example_of_the_manual_gives_its_table),
        test_in_sandbox(a_simulation_may_be_made_longer),
        test_in_sandbox(an_earlier_stop_time_must_lie_behind_the_checkpoint),
        test_in_sandbox(what_differs_is_named),
        test_in_sandbox(another_fmu_is_named),
        test_in_sandbox(a_full_disk_leaves_the_checkpoint_before),
        test_in_sandbox(instances_that_cannot_be_saved_are_all_named),
        test_in_sandbox(damaged_checkpoints_are_refused),
        test_in_sandbox(results_that_have_changed_are_left_alone),
        test_in_sandbox(an_interval_may_be_as_short_as_one_likes),
        test_in_sandbox(a_wrong_place_is_found_out_at_once),
        test_in_sandbox(a_checkpoint_at_the_end_has_nothing_left_to_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
