// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "record/mat_format.h"
#include "record/mat_reader.h"
#include "support/test.h"

static char path[256];

static void add_matrix(takt_buffer *b, const char *name, int type, int n_rows, int n_columns,
                       const void *data, size_t size)
{
    takt_mat_head head = {type, n_rows, n_columns, 0, (int)strlen(name) + 1};
    assert_true(takt_buffer_reserve(b, sizeof head + strlen(name) + 1 + size));
    takt_buffer_put_n(b, &head, sizeof head);
    takt_buffer_put_n(b, name, strlen(name) + 1);
    takt_buffer_put_n(b, data, size);
}

// The layout that lists each variable for itself (binNormal) or each row (binTrans); time, x, -x, and a constant.
static void write_file(bool is_normal, int n)
{
    takt_buffer b = {0};
    static const char words[4][12] = {"Atrajectory", "1.1        ", "           ", "binTrans   "};
    char class[44], names[4][4] = {"time", "x   ", "y   ", "k   "}, turned[16];
    for (int i = 0; i < 44; i++) class[i] = words[i % 4][i / 4];
    for (int j = 0; is_normal && j < 9; j++) class[4 * j + 3] = "binNormal"[j];
    for (int i = 0; i < 16; i++) turned[i] = names[i % 4][i / 4];
    int info[16] = {0, 1, 0, -1, 2, 2, 0, -1, 2, -2, 0, -1, 1, 2, 0, 0}, turned_info[16];
    for (int i = 0; i < 16; i++) turned_info[i] = info[i % 4 * 4 + i / 4];
    double constants[4] = {0, 42, 1, 42}, turned_constants[4] = {0, 1, 42, 42};
    double *data = malloc(sizeof *data * 2 * (size_t)n);
    for (int i = 0; i < n; i++) {
        data[is_normal ? i : 2 * i] = i / 10.0;
        data[is_normal ? n + i : 2 * i + 1] = i * 0.7;
    }
    add_matrix(&b, "Aclass", 51, 4, 11, class, 44);
    add_matrix(&b, "name", 51, 4, 4, is_normal ? turned : (char *)names, 16);
    add_matrix(&b, "dataInfo", 20, 4, 4, is_normal ? turned_info : info, sizeof info);
    add_matrix(&b, "data_1", 0, 2, 2, is_normal ? turned_constants : constants, sizeof constants);
    add_matrix(&b, "data_2", 0, is_normal ? n : 2, is_normal ? 2 : n, data,
               sizeof *data * 2 * (size_t)n);
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/stream-%ld.mat", folder ? folder : "/tmp", (long)getpid());
    assert_int_equal(takt_file_write(path, b.data, b.length, NULL), TAKT_OK);
    takt_buffer_clear(&b);
    free(data);
}

static void portions_give_the_same_as_the_whole_file(void **state)
{
    (void)state;
    static const int sizes[] = {0, 1, 65536, 200000};
    for (int k = 0; k < 8; k++) {
        write_file(k % 2, sizes[k / 2]);
        takt_table *whole = NULL;
        takt_mat_stream *stream = NULL;
        takt_error err = {0};
        assert_int_equal(takt_mat_read(path, &whole, &err), TAKT_OK);
        assert_int_equal(takt_mat_stream_open(path, &stream, &err), TAKT_OK);
        const takt_table *part = takt_mat_stream_table(stream);
        assert_int_equal(part->n_columns, 4);
        int row = 0, n = 0;
        for (;; n++) {
            assert_int_equal(takt_mat_stream_next(stream, &err), TAKT_OK);
            if (part->n_rows == 0) break;
            for (int i = 0; i < part->n_rows; i++, row++) {
                assert_true(part->columns[0].numbers[i] == row / 10.0);
                assert_true(part->columns[1].numbers[i] == row * 0.7);
                assert_true(part->columns[2].numbers[i] == -row * 0.7);
                assert_true(part->columns[3].numbers[i] == 42);
                assert_true(whole->columns[2].numbers[row] == -row * 0.7);
            }
        }
        assert_int_equal(row, sizes[k / 2]);
        assert_int_equal(whole->n_rows, row);
        if (row > 65536) assert_true(n > 1);
        takt_mat_stream_close(stream);
        takt_table_destroy(whole);
        unlink(path);
    }
}

static void a_time_that_goes_back_between_portions_is_found(void **state)
{
    (void)state;
    write_file(false, 100000);
    char *data;
    size_t size;
    assert_int_equal(takt_file_read(path, 1 << 30, &data, &size, NULL), TAKT_OK);
    const double early = 1;
    memcpy(data + size - (size_t)(100000 - 65536) * 16, &early, sizeof early);
    assert_int_equal(takt_file_write(path, data, size, NULL), TAKT_OK);
    free(data);
    takt_mat_stream *stream = NULL;
    takt_error err = {0};
    assert_int_equal(takt_mat_stream_open(path, &stream, &err), TAKT_OK);
    assert_int_equal(takt_mat_stream_next(stream, &err), TAKT_OK);
    assert_int_equal(takt_mat_stream_next(stream, &err), TAKT_ERR_INPUT);
    assert_contains(err.message, "row 65537: the time goes back from 6553.5 to 1");
    takt_mat_stream_close(stream);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(portions_give_the_same_as_the_whole_file),
        cmocka_unit_test(a_time_that_goes_back_between_portions_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
