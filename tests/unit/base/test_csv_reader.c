// SPDX-License-Identifier: MIT
#include "support/test.h"

#include <unistd.h>

#include "base/text.h"
#include "base/csv_reader.h"
#include "support/memory.h"

static takt_table *parse(const char *text)
{
    takt_table *table = NULL;
    takt_error err = {0};
    if (takt_csv_parse("a.csv", text, strlen(text), NULL, &table, &err))
        fail_msg("%s", err.message);
    return table;
}

static void assert_numbers(const takt_table *table, int column, int n, const double *expected)
{
    assert_int_equal(table->n_rows, n);
    assert_non_null(table->columns[column].numbers);
    for (int i = 0; i < n; i++) assert_near(table->columns[column].numbers[i], expected[i], 0);
}

static void assert_refused(const char *text, const char *message)
{
    takt_table *table = NULL;
    takt_error err = {0};
    assert_int_equal(takt_csv_parse("a.csv", text, strlen(text), NULL, &table, &err),
                     TAKT_ERR_INPUT);
    assert_null(table);
    assert_string_equal(err.message, message);
}

static void results_are_read_back(void **state)
{
    (void)state;
    takt_table *table = parse("time,A.x,\"A.y[1,2]\",A.s\n0,1.5,-7,\"say \"\"hi\"\",\nyou\"\n"
                              "0.1,nan,inf,\"\"\n");
    assert_int_equal(table->n_columns, 4);
    assert_string_equal(table->columns[2].name, "A.y[1,2]");
    assert_numbers(table, 0, 2, (double[]){0, 0.1});
    assert_true(table->columns[1].numbers[0] == 1.5 && isnan(table->columns[1].numbers[1]));
    assert_true(table->columns[2].numbers[0] == -7 && isinf(table->columns[2].numbers[1]));
    assert_null(table->columns[3].numbers);
    assert_string_equal(table->columns[3].texts[0], "say \"hi\",\nyou");
    assert_string_equal(table->columns[3].texts[1], "");
    assert_int_equal(takt_map_find(&table->names, "A.s"), 3);
    takt_table_destroy(table);
}

static void separators_line_ends_blanks_and_byte_order_marks_are_accepted(void **state)
{
    (void)state;
    const char *const files[] = {
        "time,x\n0,1\n2,3\n",
        "time;x\r\n0;1\r\n2;3\r\n",
        "Time [s]\tx\n0\t1\n2\t3",
        "\xef\xbb\xbftime,x\n0,1\n2,3\n",
        "# made by hand\nt,x\n0,1\n  # a remark, with commas\n2,3\n#\n",
        "T[s];x\n0;1,0\n2,0;3\n",
        "TIME (ms)\tx\n0\t1\n2e3\t3\n",
        "\n\n time , x \n 0 , 1 \n\n 2 , 3 \r\n\r\n  \n",
        "\"time\",\"x\"\n\"0\",\"1\"\n\"2\" ,\"3\"\r\n",
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        takt_table *table = parse(files[i]);
        assert_int_equal(table->n_columns, 2);
        assert_string_equal(table->columns[1].name, "x");
        assert_numbers(table, 0, 2, (double[]){0, 2});
        assert_numbers(table, 1, 2, (double[]){1, 3});
        takt_table_destroy(table);
    }
}

static void units_stand_in_the_header(void **state)
{
    (void)state;
    takt_table *table =
        parse("Time [min],T out [degC],x[1],\"z [m]\",q [-]\n0,1,2,3,4\n2,5,6,7,8\n");
    assert_string_equal(table->columns[0].name, "time");
    assert_numbers(table, 0, 2, (double[]){0, 120});
    assert_string_equal(table->columns[1].name, "T out");
    assert_string_equal(table->columns[1].unit, "degC");
    assert_int_equal(takt_map_find(&table->names, "T out"), 1);
    assert_string_equal(table->columns[2].name, "x[1]");
    assert_null(table->columns[2].unit);
    assert_string_equal(table->columns[3].name, "z [m]");
    assert_string_equal(table->columns[4].name, "q");
    assert_null(table->columns[4].unit);
    takt_table_destroy(table);

    table = parse("\"time[h]\",\"z [m]\"\n\"1\",\"2\"\n"); // quotes mean nothing
    assert_string_equal(table->columns[1].unit, "m");
    assert_near(table->columns[0].numbers[0], 3600, 0);
    takt_table_destroy(table);
    assert_refused("time [week],x\n", "a.csv:1:1: 'week' is no unit of time; possible are ms, s, "
                                      "min, h, d and a");
    assert_refused("time,x [m],x [km]\n", "a.csv:1:12: there are two columns 'x [km]'");
}

static void equal_times_are_a_jump(void **state)
{
    (void)state;
    takt_table *table = parse("time,x\n0,1\n1,1\n1,5\n2,5\n");
    assert_numbers(table, 0, 4, (double[]){0, 1, 1, 2});
    takt_table_destroy(table);
}

static void the_first_cell_decides_what_a_column_holds(void **state)
{
    (void)state;
    takt_table *table = parse("time,number,quoted,word\n0,1,\"1\",on\n1,2,\"2\",off\n");
    assert_non_null(table->columns[1].numbers);
    assert_string_equal(table->columns[2].texts[1], "2");
    assert_string_equal(table->columns[3].texts[1], "off");
    takt_table_destroy(table);
}

static void a_header_alone_is_a_table_without_rows(void **state)
{
    (void)state;
    takt_table *table = parse("time,x");
    assert_int_equal(table->n_columns, 2);
    assert_int_equal(table->n_rows, 0);
    assert_non_null(table->columns[1].numbers);
    takt_table_destroy(table);
}

static void problems_are_reported_with_file_line_and_column(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "a.csv:1:1: the file is empty; a header line that starts with 'time' is missing"},
        {"\n \n", "a.csv:1:1: the file is empty; a header line that starts with 'time' is missing"},
        {"0,1\n", "a.csv:1:1: the first column must be 'time', not '0'; is this a CSV file with a "
                  "header line?"},
        {"timer,x\n", "a.csv:1:1: the first column must be 'time', not 'timer'; is this a CSV file "
                      "with a header line?"},
        {"time,x,,y\n", "a.csv:1:8: a column has no name"},
        {"time,x,y,x\n", "a.csv:1:10: there are two columns 'x'"},
        {"time,x\n0,1\n1\n", "a.csv:3:1: the row has 1 cell, the header 2"},
        {"time,x\n0,1\n1,2,3\n", "a.csv:3:5: the row has 3 cells, the header 2"},
        {"time,x\n0,1\n1,2,3,4\n", "a.csv:3:5: the row has at least 3 cells, the header 2"},
        {"time,x\n0,1\n1,\n", "a.csv:3:3: column 'x': '' is empty; a number is missing"},
        {"time,x\n0,\n", "a.csv:2:3: column 'x': '' is empty; a number is missing"},
        {"time,x\nzero,1\n", "a.csv:2:1: column 'time': 'zero' is not a number; numbers are "
                             "written with a decimal point and no unit"},
        {"time,x\nnan,1\n", "a.csv:2:1: column 'time': 'nan' is not a point in time"},
        {"time,x\n0,1\n2,1\n1.5,1\n", "a.csv:4:1: the time goes back from 2 to 1.5; rows must be "
                                      "in the order of time"},
        {"time,s\n0,a\n1,\n",
         "a.csv:3:3: column 's': '' is empty; an empty text is written as \"\""},
        {"time,x\r0,1\r", "a.csv:1:7: lines end with CR alone; save the file with LF or CR LF"},
        {"time[microsecond],x\n0,1\n", "a.csv:1:1: 'microsecond' is no unit of time; possible are "
                                       "ms, s, min, h, d and a"},
        {"time,s\n0,\"a\n1,b\n", "a.csv:2:3: the closing quote is missing"},
        {"time,s\n0,\"a\"b\n", "a.csv:2:3: there is more text after the closing quote"},
        {"time,s\n0,\"a\nb\"\n1,\"\n\n", "a.csv:4:3: the closing quote is missing"},
        {"time,x\n0,1\x01\x02zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz\n",
         "a.csv:2:3: column 'x': '1??zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz...' is not a number; "
         "numbers are written with a decimal point and no unit"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_refused(cases[i].text, cases[i].message);
}

static void all_problems_of_a_file_are_reported_with_their_lines(void **state)
{
    (void)state;
    const char text[] = "time [min],x,s,x\n0,1,a,1\n1,,b,1\n1,2\n0.5,two,c,1\n2,3,d,1,7,8\n"
                        "3,4,e,1\ninf,1,f,1\n4,1,g,1\n";
    takt_table *table = NULL;
    takt_error err = {0};
    test_log log;
    test_log_init(&log);
    assert_int_equal(takt_csv_parse("a.csv", text, strlen(text), log.log, &table, &err),
                     TAKT_ERR_INPUT);
    assert_string_equal(log.text,
                        "error: a.csv:1: there are two columns 'x'\n"
                        "error: a.csv:3: column 'x': '' is empty; a number is missing\n"
                        "error: a.csv:4: the row has 2 cells, the header 4\n"
                        "error: a.csv:5: the time goes back from 1 to 0.5; rows must be in the "
                        "order of time\n"
                        "error: a.csv:5: column 'x': 'two' is not a number; numbers are written "
                        "with a decimal point and no unit\n"
                        "error: a.csv:6: the row has at least 5 cells, the header 4\n"
                        "error: a.csv:8: column 'time': 'inf' is not a point in time\n");
    assert_string_equal(err.message, "a.csv: 7 problems");
    assert_refused(text, "a.csv:1:16: there are two columns 'x' (and 6 more problems)");
    test_log_clear(&log);
}

// The time grows with the length of the header, not with its square.
static void name_in_very_many_pieces_is_joined_quickly(void **state)
{
    (void)state;
    takt_text text = {0};
    takt_text_add(&text, "time,x(");
    for (int i = 0; i < 400 * 1000; i++) takt_text_add(&text, "1,");
    takt_text_add(&text, "1)\n0,5\n");
    takt_table *table = NULL;
    takt_error err = {0};
    assert_int_equal(takt_csv_parse("a.csv", text.data, text.length, NULL, &table, &err), TAKT_OK);
    assert_int_equal(table->n_columns, 2);
    assert_true(table->columns[1].numbers[0] == 5);
    takt_table_destroy(table);
    takt_text_clear(&text);
}

// The first row is looked at twice.
static void problem_of_the_first_row_is_reported_once(void **state)
{
    (void)state;
    const char text[] = "time,s\n0,\"a\n";
    takt_table *table = NULL;
    takt_error err = {0};
    test_log log;
    test_log_init(&log);
    assert_int_equal(takt_csv_parse("a.csv", text, strlen(text), log.log, &table, &err),
                     TAKT_ERR_INPUT);
    assert_string_equal(log.text, "error: a.csv:2: the closing quote is missing\n");
    test_log_clear(&log);
}

static void results_that_were_cut_off_are_read_up_to_there(void **state)
{
    (void)state;
    const char *const cuts[] = {"time,x,s\n0,1,\"a\"\n1,2,\"b\"\n2",
                                "time,x,s\n0,1,\"a\"\n1,2,\"b\"\n2,-",
                                "time,x,s\n0,1,\"a\"\n1,2,\"b\"\n2,3,\"c",
                                "time,x,s\n0,1,\"a\"\n1,2,\"b\"\n2,3,",
                                "time,x,y\n0,1,2\n1,2,3\n2,3,",
                                "time,x,y\n0,1,2\n1,2,3\n2,3,1e-",
                                "time,x\n0,1\n1,2\n2,",
                                "time,x\n0,1\n1,2\n2,\"3",
                                "time,x\n0,1\n1,2\n2,-",
                                "time,x\n0,1\n1,2\n2,1.5e-"};
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        takt_table *table = NULL;
        takt_error err = {0};
        test_log log;
        test_log_init(&log);
        assert_int_equal(takt_csv_parse("a.csv", cuts[i], strlen(cuts[i]), log.log, &table, &err),
                         TAKT_OK);
        assert_string_equal(log.text, "warn: a.csv:4: the file ends within a row, which is left "
                                      "out; was it cut off?\n");
        assert_int_equal(table->n_rows, 2);
        takt_table_destroy(table);
        test_log_clear(&log);
    }
}

// 1.2 may have been 1.25 before the file was cut.
static void a_last_number_without_an_end_is_doubtful(void **state)
{
    (void)state;
    const struct {
        const char *text;
        bool is_reported;
    } cases[] = {{"time,x\n0,1\n1,1.2", true},
                 {"time,x\n0,1\n1,1.2\n", false},
                 {"time,s\n0,\"a\"\n1,\"b\"", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        takt_table *table = NULL;
        takt_error err = {0};
        test_log log;
        test_log_init(&log);
        const char *text = cases[i].text;
        assert_int_equal(takt_csv_parse("a.csv", text, strlen(text), log.log, &table, &err),
                         TAKT_OK);
        assert_string_equal(log.text, cases[i].is_reported
                                          ? "warn: a.csv:3: the last row has no end of line; if "
                                            "the file was cut off, its last value is not "
                                            "complete\n"
                                          : "");
        assert_int_equal(table->n_rows, 2);
        takt_table_destroy(table);
        test_log_clear(&log);
    }
}

static void very_many_problems_are_reported_in_sum(void **state)
{
    (void)state;
    takt_text text = {0};
    takt_text_add(&text, "time,x\n");
    for (int i = 0; i < 30; i++) takt_text_print(&text, "%d,\n", i);
    takt_text_add(&text, "30,\"\n");
    takt_table *table = NULL;
    takt_error err = {0};
    test_log log;
    test_log_init(&log);
    assert_int_equal(takt_csv_parse("a.csv", text.data, text.length, log.log, &table, &err),
                     TAKT_ERR_INPUT);
    assert_contains(log.text, "error: a.csv:21: column 'x': '' is empty; a number is missing\n"
                              "error: a.csv: and 11 more problems\n");
    assert_int_equal(takt_log_count(log.log, TAKT_LEVEL_ERROR), 21);
    test_log_clear(&log);
    takt_text_clear(&text);
}

static void bytes_of_0_are_refused(void **state)
{
    (void)state;
    const char text[] = "time,x\n0,\0\n";
    takt_table *table = NULL;
    takt_error err = {0};
    assert_int_equal(takt_csv_parse("a.csv", text, sizeof text - 1, NULL, &table, &err),
                     TAKT_ERR_INPUT);
    assert_string_equal(err.message, "a.csv:2:3: a byte of 0; the file is not text in UTF-8");
}

static void text_without_a_final_zero_is_not_read_beyond_its_end(void **state)
{
    (void)state;
    const char whole[] = "time,\"s\"\n0,\"a\"\"b\"";
    takt_table *table = NULL;
    for (size_t n = 0; n < sizeof whole; n++) {
        char *exact = malloc(n ? n : 1); // the address sanitizer guards its end
        memcpy(exact, whole, n);
        if (takt_csv_parse("a.csv", exact, n, NULL, &table, NULL) == TAKT_OK) {
            assert_true(table->n_columns >= 1);
            takt_table_destroy(table);
        }
        free(exact);
    }
}

// A header of many columns over many short lines would ask for their product, if it were believed.
static void a_hostile_file_costs_no_more_than_a_multiple_of_its_size(void **state)
{
    (void)state;
    takt_text text = {0};
    takt_text_add(&text, "time");
    for (int i = 0; i < 100000; i++) takt_text_print(&text, ",c%d", i);
    for (int i = 0; i < 1000000; i++) takt_text_add(&text, "\n1");
    takt_table *table = NULL;
    takt_error err = {0};
    assert_int_equal(takt_csv_parse("a.csv", text.data, text.length, NULL, &table, &err),
                     TAKT_ERR_INPUT);
    assert_string_equal(
        err.message, "a.csv:2:1: the row has 1 cell, the header 100001 (and 999999 more problems)");
    takt_text_clear(&text);
}

static void a_line_of_megabytes_is_read(void **state)
{
    (void)state;
    takt_text text = {0};
    takt_text_add(&text, "time,s\n0,\"");
    for (int i = 0; i < 500000; i++) takt_text_add(&text, "\"\"long");
    takt_text_add(&text, "\"\n");
    takt_table *table = parse(text.data);
    assert_int_equal(strlen(table->columns[1].texts[0]), 5 * 500000);
    takt_table_destroy(table);
    takt_text_clear(&text);
}

static void a_file_that_cannot_be_read_is_named(void **state)
{
    (void)state;
    takt_table *table = NULL;
    takt_error err = {0};
    assert_int_equal(takt_csv_read("/no/such.csv", NULL, &table, &err), TAKT_ERR_INPUT);
    assert_contains(err.message, "/no/such.csv");
    assert_contains(err.message, "No such file or directory");
}

static void attempt_to_parse(void *context)
{
    (void)context;
    const char *text = "time,x,\"s\"\n0,1,\"a\"\"b\"\n1,2,\"c\"\n";
    takt_table *table = NULL;
    takt_error err = {0};
    takt_status st = takt_csv_parse("a.csv", text, strlen(text), NULL, &table, &err);
    assert_int_equal(st, test_memory_has_failed() ? TAKT_ERR_MEMORY : TAKT_OK);
    takt_table_destroy(table);
}

static void exhausted_memory_is_reported_and_cleaned_up(void **state)
{
    (void)state;
    assert_true(test_memory_fail_each(attempt_to_parse, NULL) >= 4);
}

static void decimal_commas_are_read_where_they_separate_nothing(void **state)
{
    (void)state;
    takt_table *table = parse("time (min);x;y\n0;1,5;-,5\n0,5;1,25;2e-1\n1;-1,5e2;7\n");
    assert_numbers(table, 0, 3, (double[]){0, 30, 60});
    assert_numbers(table, 1, 3, (double[]){1.5, 1.25, -150});
    assert_numbers(table, 2, 3, (double[]){-0.5, 0.2, 7});
    takt_table_destroy(table);
    assert_refused("time;x\n0;1,5\n1;1.000,5\n",
                   "a.csv:3:3: column 'x': '1.000,5' is not a number; numbers are written with a "
                   "decimal point and no unit");
    assert_refused("time;x\n0;1,2,3\n",
                   "a.csv:2:3: column 'x': '1,2,3' is not a number; numbers are written with a "
                   "decimal point and no unit");
}

// "1.000" may be a thousand.
static void decimal_points_and_commas_are_not_mixed(void **state)
{
    (void)state;
    assert_refused("time;x\n0;1,5\n1;1.000\n",
                   "a.csv:3:3: column 'x': '1.000' has a decimal point, but the numbers before "
                   "have decimal commas");
    assert_refused("time\tx\ty\n0\t1.5\t2\n1\t2\t3.5\n2\t2\t3,5\n",
                   "a.csv:4:5: column 'y': '3,5' has a decimal comma, but the numbers before have "
                   "decimal points");
    takt_table *table = parse("time;x;s\n0;1,5;\"1.5\"\n1;2;\"a.b\"\n"); // texts are no numbers
    assert_numbers(table, 1, 2, (double[]){1.5, 2});
    takt_table_destroy(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decimal_commas_are_read_where_they_separate_nothing),
        cmocka_unit_test(decimal_points_and_commas_are_not_mixed),
        cmocka_unit_test(results_are_read_back),
        cmocka_unit_test(separators_line_ends_blanks_and_byte_order_marks_are_accepted),
        cmocka_unit_test(units_stand_in_the_header),
        cmocka_unit_test(equal_times_are_a_jump),
        cmocka_unit_test(the_first_cell_decides_what_a_column_holds),
        cmocka_unit_test(a_header_alone_is_a_table_without_rows),
        cmocka_unit_test(problems_are_reported_with_file_line_and_column),
        cmocka_unit_test(all_problems_of_a_file_are_reported_with_their_lines),
        cmocka_unit_test(name_in_very_many_pieces_is_joined_quickly),
        cmocka_unit_test(problem_of_the_first_row_is_reported_once),
        cmocka_unit_test(results_that_were_cut_off_are_read_up_to_there),
        cmocka_unit_test(a_last_number_without_an_end_is_doubtful),
        cmocka_unit_test(very_many_problems_are_reported_in_sum),
        cmocka_unit_test(bytes_of_0_are_refused),
        cmocka_unit_test(text_without_a_final_zero_is_not_read_beyond_its_end),
        cmocka_unit_test(a_hostile_file_costs_no_more_than_a_multiple_of_its_size),
        cmocka_unit_test(a_line_of_megabytes_is_read),
        cmocka_unit_test(a_file_that_cannot_be_read_is_named),
        cmocka_unit_test(exhausted_memory_is_reported_and_cleaned_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
