// SPDX-License-Identifier: MIT
// One simulation over several processes: results are those of one process, bit by bit. Needs mpirun and takt-mpi; without them nothing is
// tested, which is said.
#include "support/examples.h"
#include "support/mpi.h"

#define EVERYTHING "TAKT_TEST_RANKS" // "all": every example, algorithm and number of ranks

static void assert_equal_files(test_sandbox *box, const char *a, const char *b)
{
    size_t n, m;
    char *x = test_read_file(box, a, &n), *y = test_read_file(box, b, &m);
    assert_non_null(x);
    assert_non_null(y);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    free(x);
    free(y);
}

static void forget(const test_sandbox *box, const char *name)
{
    char path[2 * TEST_PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", box->work, name);
    remove(path);
}

static bool has_file(const test_sandbox *box, const char *name)
{
    char path[2 * TEST_PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", box->work, name);
    return access(path, F_OK) == 0;
}

// Results and exit code are those of one process. Some algorithms and interfaces are refused by both.
static void check_case(test_sandbox *box, const char *words, const char *const *ranks)
{
    char command[1024];
    snprintf(command, sizeof command, "set -f; exec \"$0\" run %s -q -o one.csv", words);
    test_run_program(box, "bash", "-c", command, TAKT_PROGRAM, NULL);
    int code = box->exit_code;
    assert_true(has_file(box, "one.csv") || code);
    for (; *ranks; ranks++) {
        snprintf(command, sizeof command, "run %s -q -o many.csv", words);
        test_run_mpi(box, *ranks, command);
        if (box->exit_code != code) print_error("with %s ranks: %s\n", *ranks, words);
        assert_exit(box, code);
        assert_int_equal(has_file(box, "many.csv"), has_file(box, "one.csv"));
        if (has_file(box, "one.csv")) assert_equal_files(box, "one.csv", "many.csv");
        forget(box, "many.csv");
    }
    forget(box, "one.csv");
}

static const char *const every_number[] = {"1", "2", "3", "4", "8", NULL};

static void results_are_those_of_one_process(void **state)
{
    test_sandbox *box = *state;
    if (!test_has_mpi()) return;
    test_ssd_example(box, "math003");
    test_ssd_example(box, "lotka_volterra");
    test_ssd_example(box, "model_exchange");
    const char *const three[] = {"3", NULL};
    check_case(box, "math003.ssd", every_number);
    static const char *const cases[] = {
        "math003.ssd --algorithm seidel",
        "math003.ssd --algorithm newton --step-control richardson --tolerance 1e-5",
        "lotka_volterra.ssd --tolerance 1e-6",
        "lotka_volterra.ssd --place Prey=2 --place Predator=1 --algorithm jacobi",
        "model_exchange.ssd",
        "model_exchange.ssd --me central",
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_case(box, cases[i], three);
}

// With one number of ranks; where all is asked for, with every one.
static void check_example(test_sandbox *box, const char *project, const char *algorithm,
                          const char *stop)
{
    static int turn;
    char words[256];
    test_link(box, "fmus", TEST_FMUS);
    test_ssd_copy(box, project, "project.ssd");
    snprintf(words, sizeof words, "project.ssd --algorithm %s %s", algorithm, stop ? stop : "");
    const char *const one[] = {every_number[1 + turn++ % 3], NULL};
    check_case(box, words, getenv(EVERYTHING) ? every_number : one);
}

static void results_of_every_example_are_those_of_one_process(void **state)
{
    if (test_has_mpi()) test_each_example(*state, EVERYTHING, check_example);
}

static void checkpoints_go_from_many_processes_to_one_and_back(void **state)
{
    test_sandbox *box = *state;
    if (!test_has_mpi()) return;
    test_ssd_example(box, "lotka_volterra");
    test_run(box, "run", "lotka_volterra.ssd", "-q", "-o", "one.csv", NULL);
    assert_exit(box, 0);
    test_run_mpi(box, "2",
                 "run lotka_volterra.ssd -q -o many.csv --stop-time 40 --checkpoint a.ckpt");
    assert_exit(box, 0);
    test_run(box, "run", "lotka_volterra.ssd", "-q", "--stop-time", "60", "--resume", "a.ckpt",
             "--checkpoint", "b.ckpt", NULL);
    assert_exit(box, 0);
    test_run_mpi(box, "3", "run lotka_volterra.ssd -q --resume b.ckpt");
    assert_exit(box, 0);
    assert_equal_files(box, "one.csv", "many.csv");
}

static void placement_is_shown(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "graph", "math003.ssd", "--ranks", "2", NULL);
    assert_exit(box, 0);
    // Part2 and Part3 are a loop, which alone is more than half of the work.
    assert_contains(box->out, "Rank 0: ");
    assert_contains(box->out, "Connections between ranks: ");
    assert_contains(box->out, "the busiest rank has 2 of 3 FMUs");
    test_run(box, "graph", "math003.ssd", "--ranks", "2", "--place", "Part*=1", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "Rank 0: (no FMU)\nRank 1: Part1 Part2 Part3\n");
    test_run(box, "graph", "math003.ssd", "--ranks", "2", "--place", "Part*", NULL);
    assert_one_error(box, 2, "--place: 'Part*' is not GLOB=RANK");
}

// A ring of 40 can be cut into 4 equal parts at 4 places.
static void neighbours_are_placed_together(void **state)
{
    test_sandbox *box = *state;
    test_ssd ssd = {0};
    for (int i = 0; i < 40; i++) {
        char name[16], from[16], to[16];
        snprintf(name, sizeof name, "l%d", i);
        test_ssd_component(&ssd, name, "Lag", "in:u out:x");
        snprintf(from, sizeof from, "l%d.x", i * 7 % 40);
        snprintf(to, sizeof to, "l%d.u", (i + 1) * 7 % 40);
        test_ssd_connect(&ssd, from, to);
    }
    test_ssd_write(&ssd, box, "ring.ssd", 0, 1, NULL);
    test_run(box, "graph", "ring.ssd", "--ranks", "4", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "Connections between ranks: 4 of 40\n");
    assert_contains(box->out, "the busiest rank has 10 of 40 FMUs");
}

// The loop of Part2 and Part3 costs less than a third: Part1, which is as dear as both, gets a rank for itself.
static void costs_are_measured_or_given(void **state)
{
    test_sandbox *box = *state;
    test_ssd_example(box, "math003");
    test_run(box, "graph", "math003.ssd", "--ranks", "2", "--cost", "Part1=2ms", "--cost",
             "Part2=1ms", "--cost", "Part3=0.5ms", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "Rank 0: Part1\n");
    assert_contains(box->out, "has 57 % of the work, 0.002 s per step");
    assert_contains(box->out, "1.75 times as fast");
    test_write_text(box, "s.json",
                    "{\"steps\": 4, \"instances\": {\"Part1\": {\"do_step\": {\"time\": 5}, "
                    "\"set\": {\"time\": 3}}, \"Part2\": {\"do_step\": {\"time\": 4}}}}");
    test_run(box, "graph", "math003.ssd", "--ranks", "2", "--cost", "s.json", NULL);
    assert_exit(box, 0); // Part3 costs the average of both, 1.5 s
    assert_contains(box->out, "has 56 % of the work, 2.5 s per step");
    test_run(box, "run", "math003.ssd", "-q", "--stats", "own.json", NULL);
    test_run(box, "graph", "math003.ssd", "--ranks", "2", "--cost", "own.json", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, "% of the work");
    test_write_text(box, "s.json", "{\"steps\": 4, \"instances\": {\"Other\": {}}}");
    test_run(box, "graph", "math003.ssd", "--ranks", "2", "--cost", "s.json", NULL);
    assert_one_error(box, 3, "--cost s.json: these are no statistics of this project");
    test_write_text(box, "s.json", "{\n\"steps\"");
    test_run(box, "graph", "math003.ssd", "--ranks", "2", "--cost", "s.json", NULL);
    assert_one_error(box, 3, "--cost s.json:2: ");
    test_run(box, "graph", "math003.ssd", "--ranks", "2", "--cost", "Part1=fast", NULL);
    assert_one_error(box, 2, "--cost: 'Part1=fast' is not GLOB=SECONDS");
    test_run(box, "graph", "math003.ssd", "--ranks", "2", "--cost", "Nobody=1", NULL);
    assert_one_error(box, 2, "--cost Nobody=1: no component matches");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(results_are_those_of_one_process),
        test_in_sandbox(results_of_every_example_are_those_of_one_process),
        test_in_sandbox(checkpoints_go_from_many_processes_to_one_and_back),
        test_in_sandbox(placement_is_shown),
        test_in_sandbox(neighbours_are_placed_together),
        test_in_sandbox(costs_are_measured_or_given),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
