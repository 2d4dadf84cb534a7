// SPDX-License-Identifier: MIT
#include "support/test.h"

#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/text.h"
#include "record/results.h"
#include "support/memory.h"
#include "takt/results.h"

typedef struct fixture {
    char csv[256], mat[256], back[256];
    takt_error err;
} fixture;

static void prepare(fixture *f, const char *text)
{
    const char *folder = getenv("TMPDIR");
    long id = (long)getpid();
    memset(f, 0, sizeof *f);
    if (!folder) folder = "/tmp";
    snprintf(f->csv, sizeof f->csv, "%s/convert-%ld.csv", folder, id);
    snprintf(f->mat, sizeof f->mat, "%s/convert-%ld.mat", folder, id);
    snprintf(f->back, sizeof f->back, "%s/convert-back-%ld.csv", folder, id);
    FILE *file = fopen(f->csv, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void clean(fixture *f)
{
    unlink(f->csv);
    unlink(f->mat);
    unlink(f->back);
}

static void convert(fixture *f, const char *in, const char *out, takt_log *log)
{
    if (takt_results_convert(in, out, log, &f->err)) fail_msg("%s", f->err.message);
}

static void assert_content(const char *path, const char *expected)
{
    char text[4096] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[size] = 0;
    assert_string_equal(text, expected);
}

static void numbers_survive_the_way_to_mat_and_back(void **state)
{
    (void)state;
    const char *text = "time,A.x,\"A.y[1,2]\",B.n\n0,0.1,-0,1\n0.5,nan,1e+300,2\n"
                       "0.5,5e-324,-inf,3\n1,0.3333333333333333,7,4\n";
    fixture f;
    prepare(&f, text);
    convert(&f, f.csv, f.mat, NULL);
    convert(&f, f.mat, f.back, NULL);
    assert_content(f.back, text);
    clean(&f);
}

static void tables_of_others_become_ours(void **state)
{
    (void)state;
    fixture f;
    test_log log;
    test_log_init(&log);
    prepare(&f, "Time [min];x [m];s\r\n 0 ; 1 ;\"a\"\"b\"\r\n1;2;\"c\"\r\n");
    convert(&f, f.csv, f.back, log.log);
    assert_content(f.back, "time,x [m],s\n0,1,\"a\"\"b\"\n60,2,\"c\"\n");
    convert(&f, f.csv, f.mat, log.log);
    assert_contains(log.text, "warn: MAT files hold no text: s is left out");
    takt_table *table = NULL;
    assert_int_equal(takt_results_read(f.mat, NULL, &table, &f.err), TAKT_OK);
    assert_int_equal(table->n_columns, 2);
    assert_string_equal(table->columns[1].unit, "m");
    assert_near(table->columns[0].numbers[1], 60, 0);
    takt_table_destroy(table);
    test_log_clear(&log);
    clean(&f);
}

// CSV made of MAT is like the results of a run, whose header has names alone.
static void units_of_a_header_stay_there(void **state)
{
    (void)state;
    fixture f;
    test_log log;
    test_log_init(&log);
    prepare(&f, "time,T [degC],der(x,2) [m/s2]\n0,20,1\n");
    convert(&f, f.csv, f.back, log.log);
    assert_content(f.back, "time,T [degC],\"der(x,2)\"\n0,20,1\n");
    assert_contains(log.text, "warn: the unit 'm/s2' of der(x,2) is left out");
    convert(&f, f.csv, f.mat, NULL);
    convert(&f, f.mat, f.back, NULL);
    assert_content(f.back, "time,T,\"der(x,2)\"\n0,20,1\n");
    test_log_clear(&log);
    clean(&f);
}

static void tsv_has_tabs(void **state)
{
    (void)state;
    const char *text = "time,x,\"y,z\",s\n0,1,2,\"a\tb\"\n";
    char tsv[300];
    fixture f;
    prepare(&f, text);
    snprintf(tsv, sizeof tsv, "%s.TSV", f.csv);
    convert(&f, f.csv, tsv, NULL);
    assert_content(tsv, "time\tx\t\"y,z\"\ts\n0\t1\t2\t\"a\tb\"\n");
    convert(&f, tsv, f.back, NULL);
    assert_content(f.back, text);
    unlink(tsv);
    clean(&f);
}

// Whole numbers beyond 2^53 are kept digit by digit.
static void large_whole_numbers_keep_their_digits(void **state)
{
    (void)state;
    const char *text = "time,i,u\n0,-9007199254740993,18446744073709551615\n1,5,1e+30\n";
    fixture f;
    prepare(&f, text);
    convert(&f, f.csv, f.back, NULL);
    assert_content(f.back, text);
    clean(&f);
}

static void rounded_whole_numbers_are_reported(void **state)
{
    (void)state;
    fixture f;
    test_log log;
    test_log_init(&log);
    prepare(&f, "time,a,b\n0,9223372036854775807,9223372036854775808\n1,5,-9007199254740994\n");
    convert(&f, f.csv, f.mat, log.log);
    assert_contains(log.text,
                    "MAT files hold numbers of 53 bits: larger whole numbers of a are rounded");
    assert_null(strstr(log.text, "of b are")); // 2^63 is a double
    test_log_clear(&log);
    clean(&f);
}

// A limit of the size of files stands for a full disk.
static void an_incomplete_file_is_removed(void **state)
{
    (void)state;
    fixture f;
    takt_text text = {0};
    takt_text_add(&text, "time,x\n");
    for (int i = 0; i < 1000; i++) takt_text_print(&text, "%d,%d\n", i, i);
    prepare(&f, text.data);
    struct rlimit before, small;
    getrlimit(RLIMIT_FSIZE, &before);
    small = (struct rlimit){2000, before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    assert_int_equal(takt_results_convert(f.csv, f.mat, NULL, &f.err), TAKT_ERR_OUTPUT);
    setrlimit(RLIMIT_FSIZE, &before);
    assert_contains(f.err.message, "cannot write results: File too large");
    assert_int_not_equal(access(f.mat, F_OK), 0);
    takt_text_clear(&text);
    clean(&f);
}

static void failures_name_the_file(void **state)
{
    (void)state;
    fixture f;
    prepare(&f, "time,x\n0,1\n");
    assert_int_equal(takt_results_convert("none.csv", f.mat, NULL, &f.err), TAKT_ERR_INPUT);
    assert_contains(f.err.message, "none.csv");
    assert_int_equal(takt_results_convert(f.csv, "/nowhere/a.mat", NULL, &f.err), TAKT_ERR_OUTPUT);
    assert_contains(f.err.message, "/nowhere/a.mat: cannot be written: No such file");
    assert_int_equal(takt_results_convert(f.csv, "/dev/full", NULL, &f.err), TAKT_ERR_OUTPUT);
    assert_contains(f.err.message, "/dev/full: cannot write results: No space left");
    assert_int_equal(takt_results_convert(f.csv, NULL, NULL, &f.err), TAKT_ERR_USAGE);
    clean(&f);
}

static void convert_there_and_back(void *context)
{
    fixture *f = context;
    takt_error err = {0};
    takt_status st = takt_results_convert(f->csv, f->mat, NULL, &err);
    if (!st) st = takt_results_convert(f->mat, f->back, NULL, &err);
    if (st) assert_int_equal(st, TAKT_ERR_MEMORY);
}

static void exhausted_memory_is_reported(void **state)
{
    (void)state;
    fixture f;
    prepare(&f, "time,x [m],s\n0,1,\"a\"\n1,2,\"b\"\n");
    assert_true(test_memory_fail_each(convert_there_and_back, &f) > 10);
    clean(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_survive_the_way_to_mat_and_back),
        cmocka_unit_test(tables_of_others_become_ours),
        cmocka_unit_test(units_of_a_header_stay_there),
        cmocka_unit_test(tsv_has_tabs),
        cmocka_unit_test(large_whole_numbers_keep_their_digits),
        cmocka_unit_test(rounded_whole_numbers_are_reported),
        cmocka_unit_test(an_incomplete_file_is_removed),
        cmocka_unit_test(failures_name_the_file),
        cmocka_unit_test(exhausted_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
