// SPDX-License-Identifier: MIT
#include "support/test.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/number.h"
#include "base/text.h"
#include "support/memory.h"
#include "unit/record/writer_fixture.h"

static char *content(const char *path)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *text = calloc(1, size + 1);
    assert_int_equal(fread(text, 1, size, file), size);
    fclose(file);
    return text;
}

static void assert_file(const char *path, const char *expected)
{
    char *text = content(path);
    assert_string_equal(text, expected);
    free(text);
}

static void text(takt_bytes *bytes, const char *value)
{
    assert_true(takt_bytes_assign(bytes, value, strlen(value)));
}

// ---- what is written ---------------------------------------------------------------------------

static void every_type_is_written_in_its_own_form(void **state)
{
    (void)state;
    fixture f;
    prepare(&f);
    add(&f, "x", TAKT_FLOAT64);
    add(&f, "n", TAKT_INT32);
    add(&f, "on", TAKT_BOOLEAN);
    add(&f, "mode", TAKT_ENUMERATION);
    add(&f, "big", TAKT_UINT64);
    add(&f, "low", TAKT_INT64);
    add(&f, "s", TAKT_STRING);
    add(&f, "raw", TAKT_BINARY);
    open_writer(&f);
    assert_int_equal(row(&f, 0), TAKT_OK);
    f.y.real[0] = 1.0 / 3;
    f.y.integer[0] = -7;
    f.y.integer[1] = 1;
    f.y.integer[2] = 3;
    f.y.integer[3] = -1;
    f.y.integer[4] = INT64_MIN;
    text(&f.y.bytes[0], "say \"a,b\"\nend");
    assert_true(takt_bytes_assign(&f.y.bytes[1], "\0\xfe", 2));
    assert_int_equal(row(&f, 0.1), TAKT_OK);
    f.y.integer[3] = 12;
    assert_int_equal(row(&f, 1e300), TAKT_OK);
    assert_int_equal(finish(&f), TAKT_OK);
    assert_file(f.path, "time,Part.x,Part.n,Part.on,Part.mode,Part.big,Part.low,Part.s,Part.raw\n"
                        "0,0,0,0,0,0,0,\"\",\"\"\n"
                        "0.1,0.3333333333333333,-7,1,3,18446744073709551615,-9223372036854775808,"
                        "\"say \"\"a,b\"\"\nend\",\"00fe\"\n"
                        "1e+300,0.3333333333333333,-7,1,3,12,-9223372036854775808,"
                        "\"say \"\"a,b\"\"\nend\",\"00fe\"\n");
    clean(&f);
}

static void doubles_are_short_and_not_finite_ones_have_names(void **state)
{
    (void)state;
    fixture f;
    prepare(&f);
    add(&f, "x", TAKT_FLOAT64);
    open_writer(&f);
    const double values[] = {NAN, INFINITY, -INFINITY, -0.0, 5e-324, 1.7976931348623157e308};
    for (int i = 0; i < 6; i++) {
        f.y.real[0] = values[i];
        assert_int_equal(row(&f, i), TAKT_OK);
    }
    assert_int_equal(finish(&f), TAKT_OK);
    assert_file(f.path, "time,Part.x\n0,nan\n1,inf\n2,-inf\n3,-0\n4,5e-324\n"
                        "5,1.7976931348623157e+308\n");
    clean(&f);
}

// Three columns: a new number each time, the one before, and one whose bits differ only in the sign.
static void repeated_numbers_are_written_as_the_first_time(void **state)
{
    (void)state;
    fixture f;
    prepare(&f);
    add(&f, "new", TAKT_FLOAT64);
    add(&f, "old", TAKT_FLOAT64);
    add(&f, "negative", TAKT_FLOAT64);
    open_writer(&f);
    takt_text expected = {0};
    takt_text_add(&expected, "time,Part.new,Part.old,Part.negative\n");
    double old = 0;
    for (int i = 0; i < 20000; i++) {
        double cells[4] = {0.25 * i, (i % 2 ? 1e-308 : 1.0 / 3) * (i / 2), old, -old};
        for (int k = 1; k < 4; k++) f.y.real[k - 1] = cells[k];
        assert_int_equal(row(&f, cells[0]), TAKT_OK);
        for (int k = 0; k < 4; k++) {
            char number[TAKT_NUMBER_SIZE];
            takt_number_write(number, cells[k]);
            takt_text_print(&expected, "%s%c", number, k < 3 ? ',' : '\n');
        }
        old = cells[1];
    }
    assert_int_equal(finish(&f), TAKT_OK);
    assert_false(expected.failed);
    assert_file(f.path, expected.data);
    takt_text_clear(&expected);
    clean(&f);
}

static void names_are_quoted_where_they_must_be(void **state)
{
    (void)state;
    fixture f;
    prepare(&f);
    add(&f, "x[1,2]", TAKT_FLOAT64);
    add(&f, "say \"hi\"", TAKT_FLOAT64);
    add(&f, "two\nlines", TAKT_FLOAT64);
    add(&f, "blank ", TAKT_FLOAT64);
    add(&f, "a b", TAKT_FLOAT64);
    add(&f,
        "gr\xc3\xb6\xc3\x9f"
        "e",
        TAKT_FLOAT64);
    open_writer(&f);
    assert_int_equal(finish(&f), TAKT_OK);
    assert_file(f.path, "time,\"Part.x[1,2]\",\"Part.say \"\"hi\"\"\",\"Part.two\nlines\","
                        "\"Part.blank \",Part.a b,Part.gr\xc3\xb6\xc3\x9f"
                        "e\n");
    clean(&f);
}

static void without_columns_only_times_are_written(void **state)
{
    (void)state;
    fixture f;
    prepare(&f);
    open_writer(&f);
    assert_int_equal(row(&f, 0.5), TAKT_OK);
    assert_int_equal(finish(&f), TAKT_OK);
    assert_file(f.path, "time\n0.5\n");
    clean(&f);
}

static void whole_times_have_no_exponent(void **state)
{
    (void)state;
    fixture f;
    prepare(&f);
    add(&f, "x", TAKT_FLOAT64);
    open_writer(&f);
    const double times[] = {-1e6, -0.1, 0, 1e5, 100000.5, 864e5, 1e14, 1e15, 2e15};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        f.y.real[0] = 1e5;
        assert_int_equal(row(&f, times[i]), TAKT_OK);
    }
    assert_int_equal(finish(&f), TAKT_OK);
    assert_file(f.path, "time,Part.x\n-1000000,1e+05\n-0.1,1e+05\n0,1e+05\n100000,1e+05\n"
                        "100000.5,1e+05\n86400000,1e+05\n100000000000000,1e+05\n1e+15,1e+05\n"
                        "2e+15,1e+05\n");
    clean(&f);
}

static void strings_may_change_their_length(void **state)
{
    (void)state;
    fixture f;
    prepare(&f);
    add(&f, "s", TAKT_STRING);
    open_writer(&f);
    takt_text expected = {0};
    takt_text_add(&expected, "time,Part.s\n");
    char *value = calloc(1, 300001);
    memset(value, 'z', 300000);
    for (int i = 0; i < 200; i++) {
        size_t size = i == 50 ? 300000 : (size_t)(i * 37 % 101);
        assert_true(takt_bytes_assign(&f.y.bytes[0], value, size));
        assert_int_equal(row(&f, i), TAKT_OK);
        takt_text_print(&expected, "%d,\"%.*s\"\n", i, (int)size, value);
    }
    assert_int_equal(finish(&f), TAKT_OK);
    assert_file(f.path, expected.data);
    takt_text_clear(&expected);
    free(value);
    clean(&f);
}

static void a_million_rows_arrive_complete_and_in_order(void **state)
{
    (void)state;
    enum { N = 1000000 };
    fixture f;
    prepare(&f);
    add(&f, "n", TAKT_INT32);
    add(&f, "x", TAKT_FLOAT64);
    open_writer(&f);
    for (int i = 0; i < N; i++) {
        f.y.integer[0] = i;
        f.y.real[0] = 0.5 * i;
        if (row(&f, i)) fail_msg("%s", f.err.message);
    }
    assert_int_equal(finish(&f), TAKT_OK);
    char *all = content(f.path), *p = strchr(all, '\n') + 1;
    for (int i = 0; i < N; i++) {
        int64_t n = -1;
        double t = -1, x = -1;
        char *first = strchr(p, ','), *second = strchr(first + 1, ','), *end = strchr(second, '\n');
        assert_true(takt_number_read(p, first, &t) &&
                    takt_number_read_integer(first + 1, second, &n) &&
                    takt_number_read(second + 1, end, &x));
        if (t != i || n != i || x != 0.5 * i) fail_msg("row %d is %.40s", i, p);
        p = end + 1;
    }
    assert_int_equal(*p, 0);
    free(all);
    clean(&f);
}

// ---- how it is written ---------------------------------------------------------------------------

static void rows_cost_no_allocation(void **state)
{
    (void)state;
    fixture f;
    prepare(&f);
    add(&f, "x", TAKT_FLOAT64);
    add(&f, "n", TAKT_INT32);
    open_writer(&f);
    long before = test_memory_count();
    for (int i = 0; i < 10000; i++) row(&f, i);
    assert_int_equal(test_memory_count(), before);
    assert_int_equal(finish(&f), TAKT_OK);
    clean(&f);
}

static void strings_cost_no_allocation_once_every_slot_has_seen_the_longest(void **state)
{
    (void)state;
    fixture f;
    prepare(&f);
    for (int i = 0; i < 30; i++) add(&f, "s", TAKT_STRING);
    open_writer(&f);
    for (int i = 0; i < 30; i++) text(&f.y.bytes[i], "as long as it gets");
    enum { MORE_THAN_THE_RING = 4096 };
    for (int i = 0; i < MORE_THAN_THE_RING; i++) row(&f, i);
    long before = test_memory_count();
    for (int i = 0; i < MORE_THAN_THE_RING; i++) row(&f, i);
    assert_int_equal(test_memory_count(), before);
    assert_int_equal(finish(&f), TAKT_OK);
    clean(&f);
}

static void rows_can_be_seen_while_the_run_goes_on(void **state)
{
    (void)state;
    fixture f;
    prepare(&f);
    add(&f, "x", TAKT_FLOAT64);
    open_writer(&f);
    assert_file(f.path, "time,Part.x\n");
    assert_int_equal(row(&f, 0), TAKT_OK);
    // It takes half a second at most; a busy machine may need longer to let the writer run.
    struct stat status = {0};
    for (int i = 0; i < 100 && status.st_size <= 12; i++) {
        usleep(100 * 1000);
        assert_int_equal(stat(f.path, &status), 0);
    }
    assert_file(f.path, "time,Part.x\n0,0\n");
    assert_int_equal(finish(&f), TAKT_OK);
    clean(&f);
}

static void an_unfinished_writer_can_be_destroyed_and_keeps_its_rows(void **state)
{
    (void)state;
    fixture f;
    prepare(&f);
    open_writer(&f);
    assert_int_equal(row(&f, 7), TAKT_OK);
    f.writer->type->destroy(f.writer);
    f.writer = NULL;
    assert_file(f.path, "time\n7\n");
    clean(&f);
}

// Reads a pipe slowly at first, so that the ring fills up, and adds up the bytes.
static void *read_slowly(void *context)
{
    int *fd = context;
    static char block[1 << 16];
    size_t *total = calloc(1, sizeof *total);
    ssize_t n;
    for (int i = 0; (n = read(*fd, block, sizeof block)) > 0; i++) {
        *total += (size_t)n;
        if (i < 20) usleep(10 * 1000);
    }
    return total;
}

static void a_slow_reader_makes_the_simulation_wait_and_loses_nothing(void **state)
{
    (void)state;
    fixture f;
    prepare(&f);
    add(&f, "s", TAKT_STRING);
    int fds[2];
    assert_int_equal(mkfifo(f.path, 0600), 0);
    fds[0] = open(f.path, O_RDONLY | O_NONBLOCK);
    open_writer(&f);
    fcntl(fds[0], F_SETFL, 0);
    pthread_t reader;
    pthread_create(&reader, NULL, read_slowly, &fds[0]);
    char value[101] = "";
    memset(value, 'q', 100);
    text(&f.y.bytes[0], value);
    enum { N = 150000 };
    for (int i = 0; i < N; i++) assert_int_equal(row(&f, 123450 + i % 10), TAKT_OK);
    assert_int_equal(finish(&f), TAKT_OK);
    void *total = NULL;
    pthread_join(reader, &total);
    assert_int_equal(*(size_t *)total, strlen("time,Part.s\n") + (size_t)N * (6 + 1 + 102 + 1));
    free(total);
    close(fds[0]);
    clean(&f);
}

static void a_pipe_that_does_not_block_is_waited_for(void **state)
{
    (void)state;
    fixture f;
    prepare(&f);
    int fds[2], keep = dup(STDOUT_FILENO);
    assert_int_equal(pipe(fds), 0);
    fcntl(fds[1], F_SETFL, O_NONBLOCK);
    fflush(stdout);
    dup2(fds[1], STDOUT_FILENO);
    close(fds[1]);
    snprintf(f.path, sizeof f.path, "-");
    takt_status st = takt_csv_writer_open(&f.plan, f.path, &f.writer, &f.err);
    dup2(keep, STDOUT_FILENO);
    close(keep);
    assert_int_equal(st, TAKT_OK);
    pthread_t reader;
    pthread_create(&reader, NULL, read_slowly, &fds[0]);
    for (int i = 0; i < 100000; i++) assert_int_equal(row(&f, 123450 + i % 10), TAKT_OK);
    assert_int_equal(finish(&f), TAKT_OK);
    void *total = NULL;
    pthread_join(reader, &total);
    assert_int_equal(*(size_t *)total, 5 + 700000);
    free(total);
    close(fds[0]);
    clean(&f);
}

// ---- failures ------------------------------------------------------------------------------------

static void assert_not_created(const char *path, const char *message)
{
    fixture f;
    prepare(&f);
    assert_int_equal(takt_csv_writer_open(&f.plan, path, &f.writer, &f.err), TAKT_ERR_OUTPUT);
    assert_null(f.writer);
    assert_string_equal(f.err.message, message);
}

static void a_file_that_cannot_be_created_fails_at_once(void **state)
{
    (void)state;
    assert_not_created("/no/such/folder/a.csv",
                       "/no/such/folder/a.csv: cannot create the file for results: No such file or "
                       "directory; choose another place with --output-file");
    assert_not_created("/", "/: cannot create the file for results: Is a directory; choose another "
                            "place with --output-file");
}

static void a_folder_without_permission_fails_at_once(void **state)
{
    (void)state;
    fixture f;
    prepare(&f);
    assert_int_equal(mkdir(f.path, 0500), 0);
    char path[512];
    snprintf(path, sizeof path, "%s/a.csv", f.path);
    uid_t user = geteuid();
    if (user == 0) assert_int_equal(seteuid(65534), 0); // permissions do not bind root
    takt_status st = takt_csv_writer_open(&f.plan, path, &f.writer, &f.err);
    if (user == 0) assert_int_equal(seteuid(0), 0);
    assert_int_equal(st, TAKT_ERR_OUTPUT);
    assert_contains(f.err.message, "cannot create the file for results: Permission denied");
    rmdir(f.path);
}

static void a_full_disk_is_found_when_the_header_is_written(void **state)
{
    (void)state;
    assert_not_created("/dev/full", "/dev/full: cannot write results: No space left on device; no "
                                    "row was written; free some space or choose another place with "
                                    "--output-file");
}

// A limit on the size of files fails a write in the middle of a row, as a full disk does.
static void results_stay_valid_when_the_disk_fills_up(void **state)
{
    (void)state;
    fixture f;
    prepare(&f);
    add(&f, "s", TAKT_STRING);
    open_writer(&f);
    text(&f.y.bytes[0], "a row\nof 20 bytes");
    struct rlimit before, limit;
    getrlimit(RLIMIT_FSIZE, &before);
    limit = (struct rlimit){.rlim_cur = 1000 * 1000, .rlim_max = before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
    takt_status st = TAKT_OK;
    for (int i = 0; i < 10000000 && !st; i++) st = row(&f, 123456 + i);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(st, TAKT_ERR_OUTPUT);
    assert_int_equal(finish(&f), TAKT_OK);
    // 12 bytes of header, then 37036 rows of 27 bytes; the next one does not fit.
    char *all = content(f.path);
    assert_int_equal(strlen(all), 12 + 37036 * 27);
    assert_string_equal(all + strlen(all) - 27, "160491,\"a row\nof 20 bytes\"\n");
    assert_contains(f.err.message,
                    "cannot write results: File too large; the rows up to t = 160491 "
                    "s are valid; free some space");
    free(all);
    clean(&f);
}

static void a_closed_pipe_ends_the_results_and_not_the_program(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_DFL);
    fixture f;
    prepare(&f);
    assert_int_equal(mkfifo(f.path, 0600), 0);
    int reader = open(f.path, O_RDONLY | O_NONBLOCK);
    open_writer(&f);
    close(reader);
    takt_status st = TAKT_OK;
    for (int i = 0; i < 10000000 && !st; i++) st = row(&f, i);
    assert_int_equal(st, TAKT_ERR_OUTPUT);
    assert_contains(f.err.message,
                    "cannot write results: Broken pipe; no row was written; the program "
                    "that read them has ended");
    assert_int_equal(row(&f, 1), TAKT_ERR_OUTPUT);
    assert_int_equal(finish(&f), TAKT_OK); // it has been reported
    clean(&f);
}

static void a_failure_that_no_row_saw_is_reported_by_finish(void **state)
{
    (void)state;
    fixture f;
    prepare(&f);
    assert_int_equal(mkfifo(f.path, 0600), 0);
    int reader = open(f.path, O_RDONLY | O_NONBLOCK);
    open_writer(&f);
    assert_int_equal(row(&f, 1), TAKT_OK);
    close(reader);
    assert_int_equal(finish(&f), TAKT_ERR_OUTPUT);
    assert_contains(f.err.message, "Broken pipe");
    clean(&f);
}

static void attempt_to_open(void *context)
{
    fixture *f = context;
    f->err = (takt_error){0};
    takt_status st = takt_csv_writer_open(&f->plan, f->path, &f->writer, &f->err);
    int failed = test_memory_has_failed();
    assert_int_equal(st, failed ? TAKT_ERR_MEMORY : TAKT_OK);
    if (st) return;
    f->writer->type->destroy(f->writer);
    f->writer = NULL;
}

static void exhausted_memory_while_opening_is_reported_and_cleaned_up(void **state)
{
    (void)state;
    fixture f;
    prepare(&f);
    add(&f, "x", TAKT_FLOAT64);
    add(&f, "s", TAKT_STRING);
    assert_true(test_memory_fail_each(attempt_to_open, &f) >= 5);
    clean(&f);
}

static void exhausted_memory_for_a_string_fails_the_row(void **state)
{
    (void)state;
    fixture f;
    prepare(&f);
    add(&f, "s", TAKT_STRING);
    open_writer(&f);
    text(&f.y.bytes[0], "hello");
    test_memory_fail(1);
    assert_int_equal(row(&f, 0), TAKT_ERR_MEMORY);
    assert_int_equal(row(&f, 1), TAKT_OK);
    assert_int_equal(finish(&f), TAKT_OK);
    assert_file(f.path, "time,Part.s\n1,\"hello\"\n");
    clean(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_is_written_in_its_own_form),
        cmocka_unit_test(doubles_are_short_and_not_finite_ones_have_names),
        cmocka_unit_test(repeated_numbers_are_written_as_the_first_time),
        cmocka_unit_test(names_are_quoted_where_they_must_be),
        cmocka_unit_test(without_columns_only_times_are_written),
        cmocka_unit_test(whole_times_have_no_exponent),
        cmocka_unit_test(strings_may_change_their_length),
        cmocka_unit_test(a_million_rows_arrive_complete_and_in_order),
        cmocka_unit_test(rows_cost_no_allocation),
        cmocka_unit_test(strings_cost_no_allocation_once_every_slot_has_seen_the_longest),
        cmocka_unit_test(rows_can_be_seen_while_the_run_goes_on),
        cmocka_unit_test(an_unfinished_writer_can_be_destroyed_and_keeps_its_rows),
        cmocka_unit_test(a_slow_reader_makes_the_simulation_wait_and_loses_nothing),
        cmocka_unit_test(a_pipe_that_does_not_block_is_waited_for),
        cmocka_unit_test(a_file_that_cannot_be_created_fails_at_once),
        cmocka_unit_test(a_folder_without_permission_fails_at_once),
        cmocka_unit_test(a_full_disk_is_found_when_the_header_is_written),
        cmocka_unit_test(results_stay_valid_when_the_disk_fills_up),
        cmocka_unit_test(a_closed_pipe_ends_the_results_and_not_the_program),
        cmocka_unit_test(a_failure_that_no_row_saw_is_reported_by_finish),
        cmocka_unit_test(exhausted_memory_while_opening_is_reported_and_cleaned_up),
        cmocka_unit_test(exhausted_memory_for_a_string_fails_the_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
