// SPDX-License-Identifier: MIT
// Results that are larger than the memory which the program may use, through convert, plot and compare.
#define _GNU_SOURCE // O_TMPFILE
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "support/command.h"

#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
enum { HAS_SANITIZER = 1 }; // which needs much memory of its own
#elif defined __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { HAS_SANITIZER = 1 };
#else
enum { HAS_SANITIZER = 0 };
#endif
#else
enum { HAS_SANITIZER = 0 };
#endif

// The program may have less memory for data than the file has bytes.
enum { FILE_SIZE = 64000000, MEMORY = 50000000, N_COLUMNS = 20 };

// "0.001,1.2345...,...": the values repeat, so that the file is made quickly. `wrong` is a row with another first value.
static int write_large(test_sandbox *box, const char *name, int size, int wrong)
{
    enum { PERIOD = 1000 };
    static char rows[PERIOD][24 * N_COLUMNS];
    char path[2 * TEST_PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", box->work, name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int i = 0; i < PERIOD; i++)
        for (int k = 0, n = 0; k < N_COLUMNS; k++)
            n += sprintf(rows[i] + n, ",%.15g", 1 + (k + 1) * i / 1003.0);
    fprintf(file, "time");
    for (int k = 0; k < N_COLUMNS; k++) fprintf(file, ",Plant.x%d", k);
    fprintf(file, "\n");
    int n_rows = 0;
    for (long done = 0; done < size; n_rows++) {
        const char *values = rows[n_rows % PERIOD];
        done += fprintf(file, "%d.%03d,%s", n_rows / 1000, n_rows % 1000,
                        n_rows == wrong ? "7777" : "");
        if (n_rows == wrong)
            values = strchr(values + 1, ',');
        else
            values++;
        done += fprintf(file, "%s\n", values);
    }
    assert_int_equal(fclose(file), 0);
    return n_rows;
}

// Programs that are started get this limit, until it is taken back.
static struct rlimit limit_memory(void)
{
    struct rlimit before, now;
    assert_int_equal(getrlimit(RLIMIT_DATA, &before), 0);
    now = before;
    now.rlim_cur = MEMORY;
    assert_int_equal(setrlimit(RLIMIT_DATA, &now), 0);
    return before;
}

#define run_limited(box, ...)                                                                      \
    do {                                                                                           \
        struct rlimit before = limit_memory();                                                     \
        test_start(box, __VA_ARGS__);                                                              \
        assert_int_equal(setrlimit(RLIMIT_DATA, &before), 0);                                      \
        test_wait(box);                                                                            \
    } while (0)

static void files_larger_than_the_memory_are_converted_plotted_and_compared(void **state)
{
    test_sandbox *box = *state;
    if (HAS_SANITIZER) skip();
    int n_rows = write_large(box, "a.csv", FILE_SIZE, -1);
    run_limited(box, "convert", "a.csv", "a.mat", NULL);
    assert_exit(box, 0);
    run_limited(box, "convert", "a.mat", "b.csv", NULL);
    assert_exit(box, 0);
    run_limited(box, "plot", "a.csv", "-o", "a.svg", NULL);
    assert_exit(box, 0);
    assert_true(test_has_file(box, "a.svg"));
    char wanted[200];
    snprintf(wanted, sizeof wanted, "b.csv agrees with a.csv: 20 columns, %d rows", n_rows);
    run_limited(box, "compare", "b.csv", "a.csv", NULL);
    assert_exit(box, 0);
    assert_contains(box->out, wanted);
    run_limited(box, "compare", "a.mat", "a.csv", "--time-tolerance", "0.1", NULL);
    assert_exit(box, 0);
}

// The same limit stops a program that holds the file: else the test above proves nothing.
static void the_limit_of_memory_acts(void **state)
{
    (void)state;
    if (HAS_SANITIZER) skip();
    struct rlimit before = limit_memory();
    void *much = malloc(2 * (size_t)MEMORY);
    assert_int_equal(setrlimit(RLIMIT_DATA, &before), 0);
    bool is_refused = much == NULL;
    free(much);
    assert_true(is_refused);
}

static void one_wrong_value_far_into_a_file_is_found(void **state)
{
    test_sandbox *box = *state;
    int n_rows = write_large(box, "a.csv", 24000000, -1);
    assert_int_equal(write_large(box, "b.csv", 24000000, 60001), n_rows);
    char wanted[200];
    snprintf(wanted, sizeof wanted,
             "Plant.x0 differs in 1 of %d rows, most at t = 60.001 s: 7777, reference 1.000997",
             n_rows);
    test_run(box, "compare", "b.csv", "a.csv", NULL);
    assert_exit(box, 6);
    assert_contains(box->err, wanted);
    assert_contains(box->out, "b.csv differs from a.csv in 1 of 20 columns");
    // Within the tolerance of time the values beside it are right.
    test_run(box, "compare", "b.csv", "a.csv", "--time-tolerance", "0.002", NULL);
    assert_exit(box, 0);
}

// Can files without a name be made here? Else a killed program cannot help but leave one.
static bool has_nameless_files(const test_sandbox *box)
{
#ifdef O_TMPFILE
    int fd = open(box->work, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (fd >= 0) close(fd);
    return fd >= 0;
#else
    (void)box;
    return false;
#endif
}

static void killed_conversion_leaves_no_file(void **state)
{
    test_sandbox *box = *state;
    if (!has_nameless_files(box)) skip();
    write_large(box, "a.csv", 20000000, -1);
    const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGKILL};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        const struct timespec pause = {.tv_nsec = 30000000};
        test_start(box, "convert", "a.csv", "b.mat", NULL);
        nanosleep(&pause, NULL);
        kill(box->process, signals[i]);
        test_wait(box);
        test_run_program(box, "sh", "-c", "rm -f b.mat; ls", NULL); // it may have been faster
        assert_string_equal(box->out, "a.csv\n");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_in_sandbox(files_larger_than_the_memory_are_converted_plotted_and_compared),
        test_in_sandbox(the_limit_of_memory_acts),
        test_in_sandbox(one_wrong_value_far_into_a_file_is_found),
        test_in_sandbox(killed_conversion_leaves_no_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
