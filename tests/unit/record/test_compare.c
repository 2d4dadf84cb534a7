// SPDX-License-Identifier: MIT
#include "support/test.h"

#include <unistd.h>

#include "base/text.h"
#include "support/memory.h"
#include "takt/compare.h"

typedef struct fixture {
    char result[256], reference[256];
    takt_compare_options options;
    test_log log;
    takt_comparison found;
    takt_error err;
} fixture;

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static int prepare(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    const char *folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    snprintf(f->result, sizeof f->result, "%s/result-%ld.csv", folder, (long)getpid());
    snprintf(f->reference, sizeof f->reference, "%s/reference-%ld.csv", folder, (long)getpid());
    f->options = takt_compare_options_default();
    f->found.size = sizeof f->found;
    test_log_init(&f->log);
    *state = f;
    return 0;
}

static int clean(void **state)
{
    fixture *f = *state;
    unlink(f->result);
    unlink(f->reference);
    test_log_clear(&f->log);
    free(f);
    return 0;
}

static takt_status compare(fixture *f, const char *result, const char *reference)
{
    write_file(f->result, result);
    write_file(f->reference, reference);
    f->log.length = 0;
    f->log.text[0] = 0;
    return takt_compare(f->result, f->reference, &f->options, f->log.log, &f->found, &f->err);
}

static void assert_agrees(fixture *f, const char *result, const char *reference)
{
    if (compare(f, result, reference)) fail_msg("%s", f->err.message);
    if (f->found.n_differing) fail_msg("%s", f->log.text);
    assert_int_equal(f->found.n_differing, 0);
}

static void assert_differs(fixture *f, const char *result, const char *reference, const char *line)
{
    if (compare(f, result, reference)) fail_msg("%s", f->err.message);
    assert_true(f->found.n_differing > 0);
    assert_contains(f->log.text, line);
}

static void a_file_agrees_with_itself(void **state)
{
    fixture *f = *state;
    const char *text = "time,x,s\n0,nan,\"a\"\n1,inf,\"b\"\n1,2,\"c\"\n1,-inf,\"d\"\n2,5,\"e\"\n";
    f->options = (takt_compare_options){.size = sizeof f->options};
    assert_agrees(f, text, text);
    assert_int_equal(f->found.n_columns, 2);
    assert_int_equal(f->found.n_rows, 5);
    assert_string_equal(f->found.worst, "");
    assert_contains(f->log.text, "info: 2 of 2 columns agree (rows: 5; tolerances: relative 0, "
                                 "absolute 0, time 0 s)");
    f->options.time = 0.5;
    assert_agrees(f, text, text);
}

static void tolerances_add_up(void **state)
{
    fixture *f = *state;
    f->options =
        (takt_compare_options){.size = sizeof f->options, .relative = 0.01, .absolute = 0.5};
    assert_agrees(f, "time,x\n0,101.5\n", "time,x\n0,100\n");
    assert_agrees(f, "time,x\n0,98.5\n", "time,x\n0,100\n");
    assert_differs(f, "time,x\n0,101.75\n", "time,x\n0,100\n",
                   "warn: x differs in 1 of 1 rows, most at t = 0 s: 101.75, reference 100, "
                   "allowed difference 1.5");
}

static void the_result_is_interpolated_at_the_times_of_the_reference(void **state)
{
    fixture *f = *state;
    assert_agrees(f, "time,x\n0,0\n1,10\n3,30\n", "time,x\n0,0\n0.25,2.5\n2,20\n3,30\n");
    assert_differs(f, "time,x\n0,0\n1,10\n", "time,x\n0,0\n0.5,6\n1,10\n",
                   "x differs in 1 of 3 rows, most at t = 0.5 s: 5, reference 6");
}

static void at_a_jump_both_sides_are_allowed(void **state)
{
    fixture *f = *state;
    const char *jump = "time,x\n0,0\n1,0\n1,5\n2,5\n";
    assert_agrees(f, jump, jump);
    assert_agrees(f, jump, "time,x\n0,0\n1,0\n2,5\n");
    assert_agrees(f, jump, "time,x\n0,0\n1,5\n2,5\n");
    assert_agrees(f, jump, "time,x\n0.5,0\n1.5,5\n");
    assert_differs(f, jump, "time,x\n0,0\n1,2.5\n2,5\n", "most at t = 1 s: 0, reference 2.5");
}

static void times_that_differ_by_rounding_are_the_same(void **state)
{
    fixture *f = *state;
    assert_agrees(f,
                  "time,x,s\n0,0,\"a\"\n0.30000000000000004,1,\"b\"\n0.9999999999999999,1,\"c\"\n",
                  "time,x,s\n0,0,\"a\"\n0.3,1,\"b\"\n1,1,\"c\"\n");
}

static void within_the_time_tolerance_any_value_passes(void **state)
{
    fixture *f = *state;
    const char *late = "time,x\n0,0\n1.1,0\n1.1,5\n2,5\n", *early = "time,x\n0,0\n1,0\n1,5\n2,5\n";
    f->options.time = 0.05;
    assert_differs(f, late, early, "x differs in 1 of 4 rows, most at t = 1 s: 0, reference 5");
    f->options.time = 0.15;
    assert_agrees(f, late, early);
    assert_agrees(f, early, late);
    // a ramp: the interpolated ends of the window count, not only the rows in it
    assert_agrees(f, "time,x\n0,0\n10,10\n", "time,x\n5,5.14\n");
    assert_agrees(f, "time,x\n0,0\n10,10\n", "time,x\n5,4.86\n");
    assert_differs(f, "time,x\n0,0\n10,10\n", "time,x\n5,5.2\n",
                   "most at t = 5 s: 5.15, reference 5.2");
}

static void a_window_finds_extremes_between_the_times_of_the_reference(void **state)
{
    fixture *f = *state;
    f->options.time = 1;
    const char *result = "time,x\n0,0\n0.5,9\n1,1\n1.5,-9\n2,0\n4,0\n5,nan\n6,0\n8,0\n";
    assert_agrees(f, result, "time,x\n1,8.5\n1,-8.5\n1.2,9\n3,0\n5,nan\n8,0\n");
    assert_differs(f, result, "time,x\n1.6,9\n", "most at t = 1.6 s: 7.39999");
    assert_differs(f, result, "time,x\n3,nan\n", "most at t = 3 s: 0, reference nan");
}

static void not_finite_values_only_equal_themselves(void **state)
{
    fixture *f = *state;
    assert_differs(f, "time,x\n0,1\n", "time,x\n0,nan\n", "1, reference nan");
    assert_differs(f, "time,x\n0,nan\n", "time,x\n0,1\n", "nan, reference 1");
    assert_differs(f, "time,x\n0,1e300\n", "time,x\n0,inf\n", "1e+300, reference inf");
    assert_differs(f, "time,x\n0,-inf\n", "time,x\n0,inf\n", "-inf, reference inf");
}

static void texts_hold_until_the_next_row(void **state)
{
    fixture *f = *state;
    assert_agrees(f, "time,s\n0,\"on\"\n1,\"on\"\n1,\"off\"\n3,\"off\"\n",
                  "time,s\n0,\"on\"\n1,\"off\"\n2,\"off\"\n3,\"off\"\n");
    assert_differs(f, "time,s\n0,\"on\"\n1,\"off\"\n", "time,s\n0,\"on\"\n1,\"on\"\n",
                   "s differs in 1 of 2 rows, first at t = 1 s: \"off\", reference \"on\"");
    assert_true(isnan(f->found.value) && isnan(f->found.reference) && f->found.time == 1);
    assert_differs(f, "time,s\n0,\"on\"\n2,\"off\"\n", "time,s\n3,\"on\"\n",
                   "covers only t = 0 s to 2 s; 1 of 1 rows of the reference lie outside");
    assert_differs(f, "time,s\n0,\"on\"\n2,\"off\"\n", "time,s\n0,\"on\"\n1,\"off\"\n",
                   "s differs in 1 of 2 rows, first at t = 1 s: \"on\", reference \"off\"");
    assert_differs(f, "time,s\n0,\"1\"\n", "time,s\n0,1\n", "s holds text in ");
    // Between rows the text before counts.
    const char *late = "time,s\n0,\"a\"\n1.01,\"b\"\n2,\"b\"\n";
    f->options.time = 0;
    assert_agrees(f, late, "time,s\n0,\"a\"\n0.5,\"a\"\n1.5,\"b\"\n2,\"b\"\n");
    const char *jump = "time,s\n0,\"a\"\n1,\"a\"\n1,\"b\"\n2,\"b\"\n";
    assert_differs(f, late, jump, "s differs in 1 of 4 rows, first at t = 1 s: \"a\"");
    f->options.time = 0.02;
    assert_agrees(f, late, jump);
}

static void types_of_the_side_file_that_are_not_real_hold(void **state)
{
    fixture *f = *state;
    char side[300];
    const char *result = "time,on\n0,0\n2,1\n", *reference = "time,on\n0,0\n1,0\n2,1\n";
    snprintf(side, sizeof side, "%s.json", f->result);
    assert_differs(f, result, reference, "on differs in 1 of 3 rows, most at t = 1 s: 0.5");
    write_file(side, "{\"columns\": [{\"name\": \"on\", \"type\": \"Boolean\"}]}");
    assert_agrees(f, result, reference);
    f->options.time = 0.5;
    assert_agrees(f, result, reference);
    assert_differs(f, result, "time,on\n0,0\n1,1\n2,1\n", "on differs in 1 of 3 rows");
    // A mode that goes from 1 to 3 never is 2, however wide the window.
    assert_differs(f, "time,on\n0,1\n1,1\n1,3\n2,3\n", "time,on\n0,1\n1,2\n2,3\n",
                   "on differs in 1 of 3 rows, most at t = 1 s: 1, reference 2");
    assert_agrees(f, "time,on\n0,1\n1,1\n1,3\n2,3\n", "time,on\n0,1\n1.4,1\n1.4,3\n2,3\n");
    assert_differs(f, "time,on\n0,1\n1,1\n1,3\n2,3\n", "time,on\n0,1\n1.6,1\n1.6,3\n2,3\n",
                   "on differs in 1 of 4 rows, most at t = 1.6 s: 3, reference 1");
    write_file(side, "{\"columns\": [{\"name\": \"on\", \"type\": \"Float64\"}]}");
    f->options.time = 0;
    assert_differs(f, result, reference, "on differs in 1 of 3 rows, most at t = 1 s: 0.5");
    unlink(side);
    assert_agrees(f, "time,on\n0,FALSE\n2,True\n", reference); // words are no real values
}

static void times_that_the_result_does_not_cover_differ(void **state)
{
    fixture *f = *state;
    assert_differs(f, "time,x\n1,1\n2,1\n", "time,x\n0,1\n1,1\n2,1\n3,7\n",
                   "covers only t = 1 s to 2 s; 2 of 4 rows of the reference lie outside, the "
                   "first at t = 0 s");
    assert_string_equal(f->found.worst, "x");
    assert_true(f->found.time == 0 && isnan(f->found.value) && f->found.reference == 1);
    assert_differs(f, "time,x\n", "time,x\n0,1\n", ".csv has no rows");
    assert_int_equal(f->found.n_differing, 1);
    f->options.time = 10;
    assert_differs(f, "time,x\n1,1\n2,1\n", "time,x\n1,1\n3,1\n", "1 of 2 rows of the reference");
}

static void columns_that_only_one_file_has_are_reported(void **state)
{
    fixture *f = *state;
    assert_differs(f, "time,a,c\n0,1,1\n", "time,a,b\n0,1,4\n", "warn: b is missing in ");
    assert_contains(f->log.text, "info: c is not in the reference");
    assert_contains(f->log.text, "info: 1 of 2 columns agree (rows: 1;");
    assert_int_equal(f->found.n_columns, 2);
    assert_int_equal(f->found.n_differing, 1);
    assert_string_equal(f->found.worst, "b");
    assert_agrees(f, "time,a,c\n0,1,1\n", "time,a\n0,1\n");
}

static void the_worst_column_exceeds_its_tolerance_most(void **state)
{
    fixture *f = *state;
    f->options = (takt_compare_options){.size = sizeof f->options, .relative = 0.1};
    assert_differs(f, "time,a,b,c\n0,1,1,1\n1,1200,3,1\n", "time,a,b,c\n0,1,1,1\n1,1000,1,1\n",
                   "1 of 3 columns agree");
    assert_int_equal(f->found.n_differing, 2);
    assert_string_equal(f->found.worst, "b");
    assert_true(f->found.time == 1 && f->found.value == 3 && f->found.reference == 1);
}

static void wrong_use_and_unusable_references_are_refused(void **state)
{
    fixture *f = *state;
    const char *good = "time,x\n0,1\n";
    assert_int_equal(compare(f, good, "time,x\n"), TAKT_ERR_INPUT);
    assert_contains(f->err.message, "the reference has no rows to compare with");
    assert_int_equal(compare(f, good, "time\n0\n"), TAKT_ERR_INPUT);
    assert_contains(f->err.message, "the reference has no columns to compare with");
    assert_int_equal(compare(f, "x\n", good), TAKT_ERR_INPUT);
    assert_contains(f->log.text, "the first column must be 'time'");
    f->options.relative = -1;
    assert_int_equal(compare(f, good, good), TAKT_ERR_USAGE);
    assert_contains(f->err.message, "relative -1, absolute 1e-09, time 0");
    assert_int_equal(takt_compare(NULL, "a", NULL, NULL, &f->found, &f->err), TAKT_ERR_USAGE);
    assert_int_equal(takt_compare("/no/a", "/no/b", NULL, NULL, &f->found, NULL), TAKT_ERR_INPUT);
}

// A quadratic algorithm would need minutes.
static void a_wide_window_over_many_rows_stays_fast(void **state)
{
    fixture *f = *state;
    takt_text text = {0};
    takt_text_add(&text, "time,x\n");
    for (int i = 0; i < 200000; i++) takt_text_print(&text, "%d,%d\n", i / 2, i % 1000);
    f->options.time = 50000;
    assert_agrees(f, text.data, text.data);
    f->options.time = 0;
    assert_agrees(f, text.data, text.data);
    takt_text_clear(&text);
}

// Looking for each name among all columns would take minutes.
static void the_only_instance_may_be_left_out_of_many_names(void **state)
{
    fixture *f = *state;
    enum { N = 60000 };
    takt_text result = {0}, reference = {0};
    takt_text_add(&result, "time");
    takt_text_add(&reference, "time");
    for (int i = 0; i < N; i++) {
        takt_text_print(&result, ",Ball.x%d", i);
        takt_text_print(&reference, ",x%d", i);
    }
    for (int i = 0; i <= N; i++) {
        takt_text_add(&result, i ? ",1" : "\n0");
        takt_text_add(&reference, i ? ",1" : "\n0");
    }
    assert_agrees(f, result.data, reference.data);
    assert_int_equal(f->found.n_columns, N);
    takt_text_clear(&result);
    takt_text_clear(&reference);
    assert_differs(f, "time,A.x,B.x\n0,1,1\n", "time,x\n0,1\n", "x is missing in ");
    assert_differs(f, "time,A.x,A.y\n0,1,1\n", "time,z\n0,1\n", "z is missing in ");
}

static void attempt_to_compare(void *context)
{
    fixture *f = context;
    f->err = (takt_error){0};
    takt_status st = takt_compare(f->result, f->reference, &f->options, NULL, &f->found, &f->err);
    assert_int_equal(st, test_memory_has_failed() ? TAKT_ERR_MEMORY : TAKT_OK);
}

static void exhausted_memory_is_reported_and_cleaned_up(void **state)
{
    fixture *f = *state;
    assert_agrees(f, "time,x\n0,1\n", "time,x\n0,1\n");
    assert_true(test_memory_fail_each(attempt_to_compare, f) >= 8);
    f->options.time = 0.5;
    assert_differs(f, "time,x,b,s\n0,1,true,\"a\"\n1,1,true,\"b\"\n",
                   "time,x,b,s\n0,1,1,\"a\"\n1,1,1,\"c\"\n", "s differs in 1 of 2 rows");
    assert_true(test_memory_fail_each(attempt_to_compare, f) >= 15);
}

// ---- files of many portions ----------------------------------------------------------------------

enum { N_PAIRS = 80000 }; // of rows; more than are read at a time

// Two rows per time, a jump each. Of the pairs every `step` one is written; that number `wrong` has another text. `words`: Booleans as such.
static char *many_rows(int step, int wrong, bool words)
{
    takt_text text = {0};
    takt_text_add(&text, "time,x,b,s\n");
    for (int i = 0; i < N_PAIRS; i += step)
        for (int k = 0; k < 2; k++) {
            bool on = (i / 5 + k) % 2 == 0;
            takt_text_print(&text, "%d,%d,%s,\"%c%s\"\n", i, 2 * i + k,
                            words ? on ? "true" : "False"
                            : on  ? "1"
                                  : "0",
                            'a' + i % 7, i == wrong && k ? "?" : "");
        }
    assert_false(text.failed);
    return text.data;
}

static void files_of_many_portions_are_compared_as_one(void **state)
{
    fixture *f = *state;
    f->options = (takt_compare_options){.size = sizeof f->options};
    char *all = many_rows(1, -1, true), *third = many_rows(3, -1, false);
    char *wrong = many_rows(3, 78000, false), *early = many_rows(1, 10, true);
    assert_agrees(f, all, third);
    assert_int_equal(f->found.n_rows, 2 * ((N_PAIRS + 2) / 3));
    assert_differs(f, all, wrong,
                   "warn: s differs in 1 of 53334 rows, first at t = 78000 s: \"g\", reference "
                   "\"g?\"");
    assert_int_equal(f->found.n_differing, 1);
    assert_agrees(f, early, third); // 10 is no time of it, and the text holds only there
    assert_differs(f, third, all, "warn: x differs in 106664 of 159998 rows");
    f->options.time = 2;
    assert_differs(f, all, wrong, "s differs in 1 of 53334 rows");
    assert_agrees(f, all, third);
    free(all);
    free(third);
    free(wrong);
    free(early);
}

// The last word decides, long after the rows that are compared.
static void words_that_are_no_booleans_are_found_behind_the_reference(void **state)
{
    fixture *f = *state;
    takt_text text = {0};
    takt_text_add(&text, "time,b\n");
    for (int i = 0; i < 2 * N_PAIRS; i++) takt_text_print(&text, "%d,true\n", i);
    assert_agrees(f, text.data, "time,b\n0,1\n1,1\n");
    takt_text_add(&text, "200000,perhaps\n");
    assert_differs(f, text.data, "time,b\n0,1\n1,1\n", "warn: b holds text in ");
    takt_text_clear(&text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, prepare, clean)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_file_agrees_with_itself),
        TEST(tolerances_add_up),
        TEST(the_result_is_interpolated_at_the_times_of_the_reference),
        TEST(at_a_jump_both_sides_are_allowed),
        TEST(times_that_differ_by_rounding_are_the_same),
        TEST(within_the_time_tolerance_any_value_passes),
        TEST(a_window_finds_extremes_between_the_times_of_the_reference),
        TEST(not_finite_values_only_equal_themselves),
        TEST(texts_hold_until_the_next_row),
        TEST(types_of_the_side_file_that_are_not_real_hold),
        TEST(times_that_the_result_does_not_cover_differ),
        TEST(columns_that_only_one_file_has_are_reported),
        TEST(the_worst_column_exceeds_its_tolerance_most),
        TEST(wrong_use_and_unusable_references_are_refused),
        TEST(a_wide_window_over_many_rows_stays_fast),
        TEST(the_only_instance_may_be_left_out_of_many_names),
        TEST(files_of_many_portions_are_compared_as_one),
        TEST(words_that_are_no_booleans_are_found_behind_the_reference),
        TEST(exhausted_memory_is_reported_and_cleaned_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
