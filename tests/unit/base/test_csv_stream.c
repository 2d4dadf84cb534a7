// SPDX-License-Identifier: MIT
#include "base/csv_stream.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/csv_reader.h"
#include "base/file.h"
#include "base/text.h"
#include "support/test.h"

static char path[256];

static void write_file(const takt_text *text)
{
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/stream-%ld.csv", folder ? folder : "/tmp", (long)getpid());
    assert_false(text->failed);
    assert_int_equal(takt_file_write(path, text->data, text->length, NULL), TAKT_OK);
}

static void assert_same_cell(const takt_table_column *a, int i, const takt_table_column *b, int k)
{
    assert_true(!a->texts == !b->texts);
    if (a->texts) {
        assert_string_equal(a->texts[i], b->texts[k]);
        return;
    }
    assert_memory_equal(&a->numbers[i], &b->numbers[k], sizeof(double));
    assert_true((a->large ? a->large[i] : 0) == (b->large ? b->large[k] : 0));
}

// Reads the file both ways.
static void compare_both(int n_portions)
{
    takt_table *whole = NULL;
    takt_csv_stream *stream = NULL;
    takt_error err = {0};
    assert_int_equal(takt_csv_read(path, NULL, &whole, &err), TAKT_OK);
    assert_int_equal(takt_csv_stream_open(path, NULL, &stream, &err), TAKT_OK);
    const takt_table *part = takt_csv_stream_table(stream);
    assert_int_equal(part->n_columns, whole->n_columns);
    int row = 0, n = 0;
    for (;; n++) {
        assert_int_equal(takt_csv_stream_next(stream, &err), TAKT_OK);
        if (part->n_rows == 0) break;
        assert_true(row + part->n_rows <= whole->n_rows);
        for (int i = 0; i < part->n_rows; i++, row++)
            for (int k = 0; k < part->n_columns; k++)
                assert_same_cell(&part->columns[k], i, &whole->columns[k], row);
    }
    assert_int_equal(row, whole->n_rows);
    assert_true(n >= n_portions);
    takt_csv_stream_close(stream);
    takt_table_destroy(whole);
    unlink(path);
}

// Rows of all lengths: each end of the buffer cuts another place.
static void portions_give_the_same_as_the_whole_file(void **state)
{
    (void)state;
    for (int has_text = 0; has_text < 2; has_text++) {
        takt_text text = {0};
        takt_text_add(&text, has_text ? "time,x [m],s,n\r\n" : "time,x [m],y,n\n");
        for (int i = 0; i < 200000; i++) {
            takt_text_print(&text, "%d,%.*g,", i / 2, 1 + i % 17, 1.0 / (i + 1));
            if (has_text)
                takt_text_print(&text, "\"a \"\"%d\"\"%s end, \",", i, i % 3 ? "" : "\nnext line");
            else
                takt_text_print(&text, "%d,", -i);
            takt_text_print(&text, "%s\n", i == 77777 ? "9007199254740993" : "1");
        }
        write_file(&text);
        takt_text_clear(&text);
        compare_both(2);
    }
}

static void small_and_cut_off_files_are_read_as_before(void **state)
{
    (void)state;
    static const char *const texts[] = {"time\n",
                                        "time,x\n",
                                        "time,x\n0,1",
                                        "time,x\n0,1\n1",
                                        "\xef\xbb\xbftime,x\n0,1\n\n\n",
                                        "time,x\n0,1\n1,2\n\n2,"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        takt_text text = {0};
        takt_text_add(&text, texts[i]);
        write_file(&text);
        takt_text_clear(&text);
        compare_both(0);
    }
}

static void a_problem_far_behind_is_told_with_its_line(void **state)
{
    (void)state;
    takt_text text = {0};
    takt_text_add(&text, "time,x\n");
    for (int i = 0; i < 600000; i++)
        takt_text_print(&text, "%d,%s\n", i, i == 555555 ? "oops" : "1.5");
    write_file(&text);
    takt_text_clear(&text);
    takt_csv_stream *stream = NULL;
    takt_error err = {0};
    assert_int_equal(takt_csv_stream_open(path, NULL, &stream, &err), TAKT_OK);
    takt_status st = TAKT_OK;
    do st = takt_csv_stream_next(stream, &err);
    while (!st && takt_csv_stream_table(stream)->n_rows);
    assert_int_equal(st, TAKT_ERR_INPUT);
    assert_contains(err.message, ".csv:555557:8: column 'x': 'oops' is not a number");
    takt_csv_stream_close(stream);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(portions_give_the_same_as_the_whole_file),
        cmocka_unit_test(small_and_cut_off_files_are_read_as_before),
        cmocka_unit_test(a_problem_far_behind_is_told_with_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
