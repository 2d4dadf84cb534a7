// SPDX-License-Identifier: MIT
// Result files of FMUs: what is in them after repeated steps, restored states and new processes.
#include "support/test.h"

#include <fmukit/results.h>

#include "core.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct counter {
    double y;
    fmukit_results *results;
} counter;

static char folder[] = "/tmp/takt-kit-results-XXXXXX";

static const fmukit_variable variables[] = {
    {.name = "y", .initial = FMUKIT_EXACT, .field = FMUKIT_FIELD(counter, y)},
};

static fmukit_status create(fmukit_instance *fmu, void *model)
{
    static const char *const names[] = {"y", "half, \"of\" y"};
    counter *m = model;
    m->results = fmukit_results_create(fmu, names, 2);
    return m->results ? fmukit_results_place(m->results, folder, "own.csv") : FMUKIT_ERROR;
}

static void destroy(fmukit_instance *fmu, void *model)
{
    (void)fmu;
    fmukit_results_destroy(((counter *)model)->results);
}

// Two rows per step; y grows by one per second.
static fmukit_status step(fmukit_instance *fmu, void *model, double t, double t_end)
{
    (void)fmu;
    counter *m = model;
    fmukit_status status = fmukit_results_begin_step(m->results, t);
    for (int i = 1; i <= 2 && status == FMUKIT_OK; i++) {
        double now = i == 1 ? (t + t_end) / 2 : t_end;
        double values[] = {m->y + now - t, (m->y + now - t) / 2};
        status = fmukit_results_row(m->results, now, values);
    }
    m->y += t_end - t;
    return status;
}

static void state(fmukit_stream *s, void *model)
{
    fmukit_results_state(s, ((counter *)model)->results);
}

static const fmukit_model model = {
    .name = "Counter",
    .size = sizeof(counter),
    .variables = variables,
    .n_variables = 1,
    .functions = {.create = create, .destroy = destroy, .step = step, .state = state}};

static int n_warnings;

static void write_message(fmukit_instance *fmu, fmukit_status status, const char *category,
                          const char *text)
{
    (void)fmu, (void)category, (void)text;
    n_warnings += status == FMUKIT_WARNING;
}

static void start(fmukit_instance *fmu)
{
    static const fmukit_interface interface = {.version = 2, .step_complete = "step complete"};
    *fmu = (fmukit_instance){.host = {.allocate = calloc, .release = free, .log = write_message},
                             .interface = &interface,
                             .enabled_categories = ~0u,
                             .call = "test"};
    n_warnings = 0;
    assert_true(fmukit_instance_init(fmu, &model, "a", ""));
    assert_int_equal(fmukit_set_up(fmu, 0, 0, false, 0), FMUKIT_OK);
    assert_int_equal(fmukit_enter_initialization(fmu), FMUKIT_OK);
    assert_int_equal(fmukit_exit_initialization(fmu), FMUKIT_OK);
}

static void go(fmukit_instance *fmu, int n, bool is_final)
{
    fmu->is_final = is_final;
    for (int i = 0; i < n; i++) assert_int_equal(fmukit_step(fmu, fmu->time, 1), FMUKIT_OK);
}

static void path_of(char *path, size_t size)
{
    snprintf(path, size, "%s/own.csv", folder);
}

static void remove_file(void)
{
    char path[256];
    path_of(path, sizeof path);
    unlink(path);
}

// Rows every half second from `from` to `to`, each once, and the names.
static void expect_rows(double from, double to)
{
    char path[256], line[200];
    path_of(path, sizeof path);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(line, sizeof line, file));
    assert_string_equal(line, "time,y,\"half, \"\"of\"\" y\"\n");
    for (double t = from; t <= to; t += 0.5) {
        double seen[3];
        assert_non_null(fgets(line, sizeof line, file));
        assert_int_equal(sscanf(line, "%lf,%lf,%lf", &seen[0], &seen[1], &seen[2]), 3);
        assert_true(seen[0] == t && seen[1] == t && seen[2] == t / 2);
    }
    assert_null(fgets(line, sizeof line, file));
    fclose(file);
}

static void rows_are_complete_at_the_end(void **unused)
{
    (void)unused;
    fmukit_instance fmu;
    for (int is_final = 0; is_final <= 1; is_final++) {
        remove_file();
        start(&fmu);
        go(&fmu, 10, is_final);
        fmukit_instance_clear(&fmu);
        expect_rows(0.5, 10);
    }
}

static void a_new_run_begins_a_new_file(void **unused)
{
    (void)unused;
    fmukit_instance fmu;
    start(&fmu);
    go(&fmu, 30, true);
    fmukit_instance_clear(&fmu);
    start(&fmu);
    go(&fmu, 5, true);
    fmukit_instance_clear(&fmu);
    expect_rows(0.5, 5);
}

static void repeated_steps_leave_no_trace(void **unused)
{
    (void)unused;
    for (int is_final = 0; is_final <= 1; is_final++) {
        fmukit_instance fmu;
        fmukit_snapshot *saved = NULL;
        start(&fmu);
        for (int i = 0; i < 20; i++) {
            assert_int_equal(fmukit_save(&fmu, &saved), FMUKIT_OK);
            go(&fmu, 1 + i % 3, is_final); // a promise that is broken does no harm either
            assert_int_equal(fmukit_restore(&fmu, saved), FMUKIT_OK);
            go(&fmu, 1, true);
        }
        fmukit_instance_clear(&fmu);
        expect_rows(0.5, 20);
    }
}

static void going_back_and_forth_loses_nothing(void **unused)
{
    (void)unused;
    fmukit_instance fmu;
    fmukit_snapshot *early = NULL, *late = NULL;
    start(&fmu);
    go(&fmu, 5, true);
    assert_int_equal(fmukit_save(&fmu, &early), FMUKIT_OK);
    go(&fmu, 10, true);
    assert_int_equal(fmukit_save(&fmu, &late), FMUKIT_OK);
    assert_int_equal(fmukit_restore(&fmu, early), FMUKIT_OK);
    assert_int_equal(fmukit_restore(&fmu, late), FMUKIT_OK);
    go(&fmu, 5, true);
    fmukit_instance_clear(&fmu);
    expect_rows(0.5, 20);
}

// A state as bytes, at time t.
static unsigned char *bytes_at(double t, size_t *size, int n_more)
{
    fmukit_instance fmu;
    fmukit_snapshot *saved = NULL;
    start(&fmu);
    go(&fmu, (int)t, false); // rows are still in memory
    assert_int_equal(fmukit_save(&fmu, &saved), FMUKIT_OK);
    assert_int_equal(fmukit_serialized_size(&fmu, saved, size), FMUKIT_OK);
    unsigned char *bytes = malloc(*size);
    assert_int_equal(fmukit_serialize(&fmu, saved, bytes, *size), FMUKIT_OK);
    go(&fmu, n_more, true);
    fmukit_instance_clear(&fmu);
    return bytes;
}

static void go_on_from(unsigned char *bytes, size_t size, int n)
{
    fmukit_instance fmu;
    fmukit_snapshot *saved = NULL;
    start(&fmu);
    assert_int_equal(fmukit_deserialize(&fmu, bytes, size, &saved), FMUKIT_OK);
    assert_int_equal(fmukit_restore(&fmu, saved), FMUKIT_OK);
    go(&fmu, n, true);
    fmukit_instance_clear(&fmu);
    free(bytes);
}

static void later_rows_are_cut_when_a_run_goes_on(void **unused)
{
    (void)unused;
    size_t size;
    remove_file();
    unsigned char *bytes = bytes_at(6, &size, 20);
    expect_rows(0.5, 26);
    go_on_from(bytes, size, 4);
    expect_rows(0.5, 10);
}

static void a_missing_file_is_started(void **unused)
{
    (void)unused;
    size_t size;
    fmukit_instance fmu;
    fmukit_snapshot *saved = NULL;
    remove_file();
    start(&fmu);
    go(&fmu, 6, true); // five of them are written
    assert_int_equal(fmukit_save(&fmu, &saved), FMUKIT_OK);
    assert_int_equal(fmukit_serialized_size(&fmu, saved, &size), FMUKIT_OK);
    unsigned char *bytes = malloc(size);
    assert_int_equal(fmukit_serialize(&fmu, saved, bytes, size), FMUKIT_OK);
    fmukit_instance_clear(&fmu);
    remove_file();
    go_on_from(bytes, size, 4);
    expect_rows(5.5, 10);
    assert_true(n_warnings > 0);
}

static void a_shorter_file_is_continued_behind_a_gap(void **unused)
{
    (void)unused;
    size_t size;
    fmukit_instance fmu;
    fmukit_snapshot *saved = NULL;
    start(&fmu);
    go(&fmu, 6, true);
    assert_int_equal(fmukit_save(&fmu, &saved), FMUKIT_OK);
    assert_int_equal(fmukit_serialized_size(&fmu, saved, &size), FMUKIT_OK);
    unsigned char *bytes = malloc(size);
    assert_int_equal(fmukit_serialize(&fmu, saved, bytes, size), FMUKIT_OK);
    fmukit_instance_clear(&fmu);
    char path[256], line[200];
    path_of(path, sizeof path);
    FILE *file = fopen(path, "w"); // the names, one row, and the beginning of another one
    fputs("time,y,\"half, \"\"of\"\" y\"\n0.5,0.5,0.25\n1,1", file);
    fclose(file);
    go_on_from(bytes, size, 1);
    assert_true(n_warnings > 0);
    file = fopen(path, "r");
    const char *expected[] = {"time,y,\"half, \"\"of\"\" y\"\n",
                              "0.5,0.5,0.25\n",
                              "5.5,5.5,2.75\n",
                              "6,6,3\n",
                              "6.5,6.5,3.25\n",
                              "7,7,3.5\n"};
    for (int i = 0; i < 6; i++) {
        assert_non_null(fgets(line, sizeof line, file));
        assert_string_equal(line, expected[i]);
    }
    assert_null(fgets(line, sizeof line, file));
    fclose(file);
}

static void many_rows_are_written_without_a_promise(void **unused)
{
    (void)unused;
    fmukit_instance fmu;
    fmukit_snapshot *saved = NULL;
    size_t size;
    start(&fmu);
    go(&fmu, 20000, false);
    assert_int_equal(fmukit_save(&fmu, &saved), FMUKIT_OK);
    assert_int_equal(fmukit_serialized_size(&fmu, saved, &size), FMUKIT_OK);
    assert_true(size < 200000);
    fmukit_instance_clear(&fmu);
    expect_rows(0.5, 20000);
}

static void a_file_that_cannot_be_written_is_an_error(void **unused)
{
    (void)unused;
    fmukit_instance fmu;
    start(&fmu);
    counter *m = fmu.data;
    assert_int_equal(fmukit_results_place(m->results, "/dev/full/none", "own.csv"), FMUKIT_OK);
    go(&fmu, 1, true);
    fmu.is_final = true;
    assert_int_equal(fmukit_step(&fmu, 1, 1), FMUKIT_ERROR);
    fmukit_instance_clear(&fmu);
}

static int make_folder(void **unused)
{
    (void)unused;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **unused)
{
    (void)unused;
    remove_file();
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_complete_at_the_end),
        cmocka_unit_test(a_new_run_begins_a_new_file),
        cmocka_unit_test(repeated_steps_leave_no_trace),
        cmocka_unit_test(going_back_and_forth_loses_nothing),
        cmocka_unit_test(later_rows_are_cut_when_a_run_goes_on),
        cmocka_unit_test(a_missing_file_is_started),
        cmocka_unit_test(a_shorter_file_is_continued_behind_a_gap),
        cmocka_unit_test(many_rows_are_written_without_a_promise),
        cmocka_unit_test(a_file_that_cannot_be_written_is_an_error),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
